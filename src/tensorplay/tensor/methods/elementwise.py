"""Elementwise methods."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tensorplay.tensor.functions import elementwise as functions
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.methods.inplace import store

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ElementwiseMethods(Handle):
    """Elementwise methods, and the in-place forms that torch has."""

    def abs(self) -> Tensor:
        """Absolute value of each element, real for complex ones; see `tensorplay.abs`."""
        return functions.abs(self)

    def abs_(self) -> Self:
        """In-place `abs`."""
        return store(self, functions.abs(self), "abs_")

    def absolute(self) -> Tensor:
        """Absolute value of each element, real for complex ones; see `tensorplay.absolute`."""
        return functions.absolute(self)

    def absolute_(self) -> Self:
        """In-place `absolute`."""
        return store(self, functions.absolute(self), "absolute_")

    def acos(self) -> Tensor:
        """Inverse cosine of each element, in radians; see `tensorplay.acos`."""
        return functions.acos(self)

    def acos_(self) -> Self:
        """In-place `acos`."""
        return store(self, functions.acos(self), "acos_")

    def acosh(self) -> Tensor:
        """Inverse hyperbolic cosine of each element; see `tensorplay.acosh`."""
        return functions.acosh(self)

    def acosh_(self) -> Self:
        """In-place `acosh`."""
        return store(self, functions.acosh(self), "acosh_")

    def add(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """Sum of two tensors, element by element; see `tensorplay.add`."""
        return functions.add(self, other, alpha=alpha)

    def add_(self, other: Any, *, alpha: Any = 1) -> Self:
        """In-place `add`."""
        return store(self, functions.add(self, other, alpha=alpha), "add_")

    def addcdiv(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
        """A tensor plus a multiple of a quotient of two others; see `tensorplay.addcdiv`."""
        return functions.addcdiv(self, tensor1, tensor2, value=value)

    def addcdiv_(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Self:
        """In-place `addcdiv`."""
        return store(self, functions.addcdiv(self, tensor1, tensor2, value=value), "addcdiv_")

    def addcmul(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
        """A tensor plus a multiple of a product of two others; see `tensorplay.addcmul`."""
        return functions.addcmul(self, tensor1, tensor2, value=value)

    def addcmul_(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Self:
        """In-place `addcmul`."""
        return store(self, functions.addcmul(self, tensor1, tensor2, value=value), "addcmul_")

    def allclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
        """Whether all elements are equal up to a tolerance; see `isclose`; see `tensorplay.allclose`."""
        return functions.allclose(self, other, rtol, atol, equal_nan)

    def angle(self) -> Tensor:
        """Angle of each element in the complex plane, in radians; see `tensorplay.angle`."""
        return functions.angle(self)

    def arccos(self) -> Tensor:
        """Inverse cosine of each element, in radians; see `tensorplay.arccos`."""
        return functions.arccos(self)

    def arccos_(self) -> Self:
        """In-place `arccos`."""
        return store(self, functions.arccos(self), "arccos_")

    def arccosh(self) -> Tensor:
        """Inverse hyperbolic cosine of each element; see `tensorplay.arccosh`."""
        return functions.arccosh(self)

    def arccosh_(self) -> Self:
        """In-place `arccosh`."""
        return store(self, functions.arccosh(self), "arccosh_")

    def arcsin(self) -> Tensor:
        """Inverse sine of each element, in radians; see `tensorplay.arcsin`."""
        return functions.arcsin(self)

    def arcsin_(self) -> Self:
        """In-place `arcsin`."""
        return store(self, functions.arcsin(self), "arcsin_")

    def arcsinh(self) -> Tensor:
        """Inverse hyperbolic sine of each element; see `tensorplay.arcsinh`."""
        return functions.arcsinh(self)

    def arcsinh_(self) -> Self:
        """In-place `arcsinh`."""
        return store(self, functions.arcsinh(self), "arcsinh_")

    def arctan(self) -> Tensor:
        """Inverse tangent of each element, in radians; see `tensorplay.arctan`."""
        return functions.arctan(self)

    def arctan_(self) -> Self:
        """In-place `arctan`."""
        return store(self, functions.arctan(self), "arctan_")

    def arctan2(self, other: Any) -> Tensor:
        """Angle of the point (`other`, `input`) with the x-axis, in radians; see `tensorplay.arctan2`."""
        return functions.arctan2(self, other)

    def arctan2_(self, other: Any) -> Self:
        """In-place `arctan2`."""
        return store(self, functions.arctan2(self, other), "arctan2_")

    def arctanh(self) -> Tensor:
        """Inverse hyperbolic tangent of each element; see `tensorplay.arctanh`."""
        return functions.arctanh(self)

    def arctanh_(self) -> Self:
        """In-place `arctanh`."""
        return store(self, functions.arctanh(self), "arctanh_")

    def asin(self) -> Tensor:
        """Inverse sine of each element, in radians; see `tensorplay.asin`."""
        return functions.asin(self)

    def asin_(self) -> Self:
        """In-place `asin`."""
        return store(self, functions.asin(self), "asin_")

    def asinh(self) -> Tensor:
        """Inverse hyperbolic sine of each element; see `tensorplay.asinh`."""
        return functions.asinh(self)

    def asinh_(self) -> Self:
        """In-place `asinh`."""
        return store(self, functions.asinh(self), "asinh_")

    def atan(self) -> Tensor:
        """Inverse tangent of each element, in radians; see `tensorplay.atan`."""
        return functions.atan(self)

    def atan_(self) -> Self:
        """In-place `atan`."""
        return store(self, functions.atan(self), "atan_")

    def atan2(self, other: Any) -> Tensor:
        """Angle of the point (`other`, `input`) with the x-axis, in radians; see `tensorplay.atan2`."""
        return functions.atan2(self, other)

    def atan2_(self, other: Any) -> Self:
        """In-place `atan2`."""
        return store(self, functions.atan2(self, other), "atan2_")

    def atanh(self) -> Tensor:
        """Inverse hyperbolic tangent of each element; see `tensorplay.atanh`."""
        return functions.atanh(self)

    def atanh_(self) -> Self:
        """In-place `atanh`."""
        return store(self, functions.atanh(self), "atanh_")

    def bitwise_and(self, other: Any) -> Tensor:
        """Bits set in both elements; see `tensorplay.bitwise_and`."""
        return functions.bitwise_and(self, other)

    def bitwise_and_(self, other: Any) -> Self:
        """In-place `bitwise_and`."""
        return store(self, functions.bitwise_and(self, other), "bitwise_and_")

    def bitwise_left_shift(self, other: Any) -> Tensor:
        """Bits moved up; see `tensorplay.bitwise_left_shift`."""
        return functions.bitwise_left_shift(self, other)

    def bitwise_left_shift_(self, other: Any) -> Self:
        """In-place `bitwise_left_shift`."""
        return store(self, functions.bitwise_left_shift(self, other), "bitwise_left_shift_")

    def bitwise_not(self) -> Tensor:
        """All bits flipped; of bools, the negation; see `tensorplay.bitwise_not`."""
        return functions.bitwise_not(self)

    def bitwise_not_(self) -> Self:
        """In-place `bitwise_not`."""
        return store(self, functions.bitwise_not(self), "bitwise_not_")

    def bitwise_or(self, other: Any) -> Tensor:
        """Bits set in one of the elements; see `tensorplay.bitwise_or`."""
        return functions.bitwise_or(self, other)

    def bitwise_or_(self, other: Any) -> Self:
        """In-place `bitwise_or`."""
        return store(self, functions.bitwise_or(self, other), "bitwise_or_")

    def bitwise_right_shift(self, other: Any) -> Tensor:
        """Bits moved down; the sign stays; see `tensorplay.bitwise_right_shift`."""
        return functions.bitwise_right_shift(self, other)

    def bitwise_right_shift_(self, other: Any) -> Self:
        """In-place `bitwise_right_shift`."""
        return store(self, functions.bitwise_right_shift(self, other), "bitwise_right_shift_")

    def bitwise_xor(self, other: Any) -> Tensor:
        """Bits set in just one element; see `tensorplay.bitwise_xor`."""
        return functions.bitwise_xor(self, other)

    def bitwise_xor_(self, other: Any) -> Self:
        """In-place `bitwise_xor`."""
        return store(self, functions.bitwise_xor(self, other), "bitwise_xor_")

    def ceil(self) -> Tensor:
        """Smallest whole number that is no smaller than each element; see `tensorplay.ceil`."""
        return functions.ceil(self)

    def ceil_(self) -> Self:
        """In-place `ceil`."""
        return store(self, functions.ceil(self), "ceil_")

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Elements confined to an interval; see `tensorplay.clamp`."""
        return functions.clamp(self, min, max)

    def clamp_(self, min: Any = None, max: Any = None) -> Self:
        """In-place `clamp`."""
        return store(self, functions.clamp(self, min, max), "clamp_")

    def clamp_max(self, max: Any) -> Tensor:
        """Elements no larger than a bound; see `tensorplay.clamp_max`."""
        return functions.clamp_max(self, max)

    def clamp_max_(self, max: Any) -> Self:
        """In-place `clamp_max`."""
        return store(self, functions.clamp_max(self, max), "clamp_max_")

    def clamp_min(self, min: Any) -> Tensor:
        """Elements no smaller than a bound; see `tensorplay.clamp_min`."""
        return functions.clamp_min(self, min)

    def clamp_min_(self, min: Any) -> Self:
        """In-place `clamp_min`."""
        return store(self, functions.clamp_min(self, min), "clamp_min_")

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """Elements confined to an interval; see `tensorplay.clip`."""
        return functions.clip(self, min, max)

    def clip_(self, min: Any = None, max: Any = None) -> Self:
        """In-place `clip`."""
        return store(self, functions.clip(self, min, max), "clip_")

    def conj(self) -> Tensor:
        """Complex conjugate of each element; a real tensor itself; see `tensorplay.conj`."""
        return functions.conj(self)

    def conj_physical(self) -> Tensor:
        """Complex conjugate of each element; a real tensor itself; see `tensorplay.conj_physical`."""
        return functions.conj_physical(self)

    def conj_physical_(self) -> Self:
        """In-place `conj_physical`."""
        return store(self, functions.conj_physical(self), "conj_physical_")

    def copysign(self, other: Any) -> Tensor:
        """Absolute values of one tensor with the signs of another; see `tensorplay.copysign`."""
        return functions.copysign(self, other)

    def copysign_(self, other: Any) -> Self:
        """In-place `copysign`."""
        return store(self, functions.copysign(self, other), "copysign_")

    def cos(self) -> Tensor:
        """Cosine of each element, in radians; see `tensorplay.cos`."""
        return functions.cos(self)

    def cos_(self) -> Self:
        """In-place `cos`."""
        return store(self, functions.cos(self), "cos_")

    def cosh(self) -> Tensor:
        """Hyperbolic cosine of each element; see `tensorplay.cosh`."""
        return functions.cosh(self)

    def cosh_(self) -> Self:
        """In-place `cosh`."""
        return store(self, functions.cosh(self), "cosh_")

    def deg2rad(self) -> Tensor:
        """Degrees to radians; see `tensorplay.deg2rad`."""
        return functions.deg2rad(self)

    def deg2rad_(self) -> Self:
        """In-place `deg2rad`."""
        return store(self, functions.deg2rad(self), "deg2rad_")

    def digamma(self) -> Tensor:
        """Derivative of the logarithm of the gamma function; see `tensorplay.digamma`."""
        return functions.digamma(self)

    def digamma_(self) -> Self:
        """In-place `digamma`."""
        return store(self, functions.digamma(self), "digamma_")

    def div(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Quotient of two tensors, element by element; see `tensorplay.div`."""
        return functions.div(self, other, rounding_mode=rounding_mode)

    def div_(self, other: Any, *, rounding_mode: str | None = None) -> Self:
        """In-place `div`."""
        return store(self, functions.div(self, other, rounding_mode=rounding_mode), "div_")

    def divide(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Quotient of two tensors, element by element; see `tensorplay.divide`."""
        return functions.divide(self, other, rounding_mode=rounding_mode)

    def divide_(self, other: Any, *, rounding_mode: str | None = None) -> Self:
        """In-place `divide`."""
        return store(self, functions.divide(self, other, rounding_mode=rounding_mode), "divide_")

    def eq(self, other: Any) -> Tensor:
        """Whether `input == other`, element by element; see `tensorplay.eq`."""
        return functions.eq(self, other)

    def eq_(self, other: Any) -> Self:
        """In-place `eq`."""
        return store(self, functions.eq(self, other), "eq_")

    def equal(self, other: Any) -> bool:
        """Whether two tensors have the same shape and elements; see `tensorplay.equal`."""
        return functions.equal(self, other)

    def erf(self) -> Tensor:
        """Error function of each element; see `tensorplay.erf`."""
        return functions.erf(self)

    def erf_(self) -> Self:
        """In-place `erf`."""
        return store(self, functions.erf(self), "erf_")

    def erfc(self) -> Tensor:
        """One minus the error function of each element, accurate where that is small; see `tensorplay.erfc`."""
        return functions.erfc(self)

    def erfc_(self) -> Self:
        """In-place `erfc`."""
        return store(self, functions.erfc(self), "erfc_")

    def erfinv(self) -> Tensor:
        """Inverse of the error function of each element; see `tensorplay.erfinv`."""
        return functions.erfinv(self)

    def erfinv_(self) -> Self:
        """In-place `erfinv`."""
        return store(self, functions.erfinv(self), "erfinv_")

    def exp(self) -> Tensor:
        """Exponential of each element; see `tensorplay.exp`."""
        return functions.exp(self)

    def exp_(self) -> Self:
        """In-place `exp`."""
        return store(self, functions.exp(self), "exp_")

    def exp2(self) -> Tensor:
        """Two to the power of each element; see `tensorplay.exp2`."""
        return functions.exp2(self)

    def exp2_(self) -> Self:
        """In-place `exp2`."""
        return store(self, functions.exp2(self), "exp2_")

    def expm1(self) -> Tensor:
        """Exponential minus one, accurate near zero; see `tensorplay.expm1`."""
        return functions.expm1(self)

    def expm1_(self) -> Self:
        """In-place `expm1`."""
        return store(self, functions.expm1(self), "expm1_")

    def fix(self) -> Tensor:
        """Whole part of each element; see `tensorplay.fix`."""
        return functions.fix(self)

    def fix_(self) -> Self:
        """In-place `fix`."""
        return store(self, functions.fix(self), "fix_")

    def float_power(self, exponent: Any) -> Tensor:
        """Power of two tensors in double precision; see `tensorplay.float_power`."""
        return functions.float_power(self, exponent)

    def float_power_(self, exponent: Any) -> Self:
        """In-place `float_power`."""
        return store(self, functions.float_power(self, exponent), "float_power_")

    def floor(self) -> Tensor:
        """Largest whole number that is no larger than each element; see `tensorplay.floor`."""
        return functions.floor(self)

    def floor_(self) -> Self:
        """In-place `floor`."""
        return store(self, functions.floor(self), "floor_")

    def floor_divide(self, other: Any) -> Tensor:
        """Quotient rounded down; see `tensorplay.floor_divide`."""
        return functions.floor_divide(self, other)

    def floor_divide_(self, other: Any) -> Self:
        """In-place `floor_divide`."""
        return store(self, functions.floor_divide(self, other), "floor_divide_")

    def fmax(self, other: Any) -> Tensor:
        """Larger of two elements; NaN only if both are NaN; see `tensorplay.fmax`."""
        return functions.fmax(self, other)

    def fmin(self, other: Any) -> Tensor:
        """Smaller of two elements; NaN only if both are NaN; see `tensorplay.fmin`."""
        return functions.fmin(self, other)

    def fmod(self, other: Any) -> Tensor:
        """Remainder with the sign of the dividend, as of C's `fmod`; see `tensorplay.fmod`."""
        return functions.fmod(self, other)

    def fmod_(self, other: Any) -> Self:
        """In-place `fmod`."""
        return store(self, functions.fmod(self, other), "fmod_")

    def frac(self) -> Tensor:
        """Each element minus its whole part; see `tensorplay.frac`."""
        return functions.frac(self)

    def frac_(self) -> Self:
        """In-place `frac`."""
        return store(self, functions.frac(self), "frac_")

    def frexp(self) -> Any:
        """Mantissa and exponent of each element; see `tensorplay.frexp`."""
        return functions.frexp(self)

    def gcd(self, other: Any) -> Tensor:
        """Greatest common divisor; see `tensorplay.gcd`."""
        return functions.gcd(self, other)

    def gcd_(self, other: Any) -> Self:
        """In-place `gcd`."""
        return store(self, functions.gcd(self, other), "gcd_")

    def ge(self, other: Any) -> Tensor:
        """Whether `input >= other`, element by element; see `tensorplay.ge`."""
        return functions.ge(self, other)

    def ge_(self, other: Any) -> Self:
        """In-place `ge`."""
        return store(self, functions.ge(self, other), "ge_")

    def greater(self, other: Any) -> Tensor:
        """Whether `input > other`, element by element; see `tensorplay.greater`."""
        return functions.greater(self, other)

    def greater_(self, other: Any) -> Self:
        """In-place `greater`."""
        return store(self, functions.greater(self, other), "greater_")

    def greater_equal(self, other: Any) -> Tensor:
        """Whether `input >= other`, element by element; see `tensorplay.greater_equal`."""
        return functions.greater_equal(self, other)

    def greater_equal_(self, other: Any) -> Self:
        """In-place `greater_equal`."""
        return store(self, functions.greater_equal(self, other), "greater_equal_")

    def gt(self, other: Any) -> Tensor:
        """Whether `input > other`, element by element; see `tensorplay.gt`."""
        return functions.gt(self, other)

    def gt_(self, other: Any) -> Self:
        """In-place `gt`."""
        return store(self, functions.gt(self, other), "gt_")

    def hardshrink(self, lambd: float = 0.5) -> Tensor:
        """Elements beyond a distance from zero, zero in place of the others; see `tensorplay.hardshrink`."""
        return functions.hardshrink(self, lambd)

    def heaviside(self, values: Any) -> Tensor:
        """Heaviside step function: 0 for negative elements, 1 for positive ones, `values` at zero."""
        return functions.heaviside(self, values)

    def heaviside_(self, values: Any) -> Self:
        """In-place `heaviside`."""
        return store(self, functions.heaviside(self, values), "heaviside_")

    def hypot(self, other: Any) -> Tensor:
        """Length of the hypotenuse, `sqrt(input**2 + other**2)` without overflow; see `tensorplay.hypot`."""
        return functions.hypot(self, other)

    def hypot_(self, other: Any) -> Self:
        """In-place `hypot`."""
        return store(self, functions.hypot(self, other), "hypot_")

    def i0(self) -> Tensor:
        """Modified Bessel function of the first kind of order 0; see `tensorplay.i0`."""
        return functions.i0(self)

    def i0_(self) -> Self:
        """In-place `i0`."""
        return store(self, functions.i0(self), "i0_")

    def igamma(self, other: Any) -> Tensor:
        """Regularized lower incomplete gamma function of parameter `input`, at `other`; see `tensorplay.igamma`."""
        return functions.igamma(self, other)

    def igamma_(self, other: Any) -> Self:
        """In-place `igamma`."""
        return store(self, functions.igamma(self, other), "igamma_")

    def igammac(self, other: Any) -> Tensor:
        """Regularized upper incomplete gamma function of parameter `input`, at `other`; see `tensorplay.igammac`."""
        return functions.igammac(self, other)

    def igammac_(self, other: Any) -> Self:
        """In-place `igammac`."""
        return store(self, functions.igammac(self, other), "igammac_")

    def isclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
        """Whether elements are equal up to a tolerance; see `tensorplay.isclose`."""
        return functions.isclose(self, other, rtol, atol, equal_nan)

    def isfinite(self) -> Tensor:
        """Whether each element is finite; see `tensorplay.isfinite`."""
        return functions.isfinite(self)

    def isinf(self) -> Tensor:
        """Whether each element is infinite; see `tensorplay.isinf`."""
        return functions.isinf(self)

    def isnan(self) -> Tensor:
        """Whether each element is NaN; see `tensorplay.isnan`."""
        return functions.isnan(self)

    def isneginf(self) -> Tensor:
        """Whether each element is -inf; see `tensorplay.isneginf`."""
        return functions.isneginf(self)

    def isposinf(self) -> Tensor:
        """Whether each element is +inf; see `tensorplay.isposinf`."""
        return functions.isposinf(self)

    def lcm(self, other: Any) -> Tensor:
        """Least common multiple; see `tensorplay.lcm`."""
        return functions.lcm(self, other)

    def lcm_(self, other: Any) -> Self:
        """In-place `lcm`."""
        return store(self, functions.lcm(self, other), "lcm_")

    def ldexp(self, other: Any) -> Tensor:
        """Tensor times powers of two; see `tensorplay.ldexp`."""
        return functions.ldexp(self, other)

    def ldexp_(self, other: Any) -> Self:
        """In-place `ldexp`."""
        return store(self, functions.ldexp(self, other), "ldexp_")

    def le(self, other: Any) -> Tensor:
        """Whether `input <= other`, element by element; see `tensorplay.le`."""
        return functions.le(self, other)

    def le_(self, other: Any) -> Self:
        """In-place `le`."""
        return store(self, functions.le(self, other), "le_")

    def lerp(self, end: Any, weight: Any) -> Tensor:
        """Linear interpolation between two tensors; see `tensorplay.lerp`."""
        return functions.lerp(self, end, weight)

    def lerp_(self, end: Any, weight: Any) -> Self:
        """In-place `lerp`."""
        return store(self, functions.lerp(self, end, weight), "lerp_")

    def less(self, other: Any) -> Tensor:
        """Whether `input < other`, element by element; see `tensorplay.less`."""
        return functions.less(self, other)

    def less_(self, other: Any) -> Self:
        """In-place `less`."""
        return store(self, functions.less(self, other), "less_")

    def less_equal(self, other: Any) -> Tensor:
        """Whether `input <= other`, element by element; see `tensorplay.less_equal`."""
        return functions.less_equal(self, other)

    def less_equal_(self, other: Any) -> Self:
        """In-place `less_equal`."""
        return store(self, functions.less_equal(self, other), "less_equal_")

    def lgamma(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function; see `tensorplay.lgamma`."""
        return functions.lgamma(self)

    def lgamma_(self) -> Self:
        """In-place `lgamma`."""
        return store(self, functions.lgamma(self), "lgamma_")

    def log(self) -> Tensor:
        """Natural logarithm of each element; see `tensorplay.log`."""
        return functions.log(self)

    def log_(self) -> Self:
        """In-place `log`."""
        return store(self, functions.log(self), "log_")

    def log10(self) -> Tensor:
        """Logarithm to base 10 of each element; see `tensorplay.log10`."""
        return functions.log10(self)

    def log10_(self) -> Self:
        """In-place `log10`."""
        return store(self, functions.log10(self), "log10_")

    def log1p(self) -> Tensor:
        """Logarithm of one plus each element, accurate near zero; see `tensorplay.log1p`."""
        return functions.log1p(self)

    def log1p_(self) -> Self:
        """In-place `log1p`."""
        return store(self, functions.log1p(self), "log1p_")

    def log2(self) -> Tensor:
        """Logarithm to base 2 of each element; see `tensorplay.log2`."""
        return functions.log2(self)

    def log2_(self) -> Self:
        """In-place `log2`."""
        return store(self, functions.log2(self), "log2_")

    def logaddexp(self, other: Any) -> Tensor:
        """Logarithm of the sum of two exponentials, without overflow; see `tensorplay.logaddexp`."""
        return functions.logaddexp(self, other)

    def logaddexp2(self, other: Any) -> Tensor:
        """Logarithm to base 2 of the sum of two powers of 2, without overflow; see `tensorplay.logaddexp2`."""
        return functions.logaddexp2(self, other)

    def logical_and(self, other: Any) -> Tensor:
        """Whether both elements are true; see `tensorplay.logical_and`."""
        return functions.logical_and(self, other)

    def logical_and_(self, other: Any) -> Self:
        """In-place `logical_and`."""
        return store(self, functions.logical_and(self, other), "logical_and_")

    def logical_not(self) -> Tensor:
        """Whether each element is false (zero); see `tensorplay.logical_not`."""
        return functions.logical_not(self)

    def logical_not_(self) -> Self:
        """In-place `logical_not`."""
        return store(self, functions.logical_not(self), "logical_not_")

    def logical_or(self, other: Any) -> Tensor:
        """Whether one of the elements is true; see `tensorplay.logical_or`."""
        return functions.logical_or(self, other)

    def logical_or_(self, other: Any) -> Self:
        """In-place `logical_or`."""
        return store(self, functions.logical_or(self, other), "logical_or_")

    def logical_xor(self, other: Any) -> Tensor:
        """Whether just one element is true; see `tensorplay.logical_xor`."""
        return functions.logical_xor(self, other)

    def logical_xor_(self, other: Any) -> Self:
        """In-place `logical_xor`."""
        return store(self, functions.logical_xor(self, other), "logical_xor_")

    def logit(self, eps: float | None = None) -> Tensor:
        """Inverse of the logistic function, `log(x / (1 - x))`; see `tensorplay.logit`."""
        return functions.logit(self, eps)

    def logit_(self, eps: float | None = None) -> Self:
        """In-place `logit`."""
        return store(self, functions.logit(self, eps), "logit_")

    def lt(self, other: Any) -> Tensor:
        """Whether `input < other`, element by element; see `tensorplay.lt`."""
        return functions.lt(self, other)

    def lt_(self, other: Any) -> Self:
        """In-place `lt`."""
        return store(self, functions.lt(self, other), "lt_")

    def maximum(self, other: Any) -> Tensor:
        """Larger of two elements; NaN if one is NaN; see `tensorplay.maximum`."""
        return functions.maximum(self, other)

    def minimum(self, other: Any) -> Tensor:
        """Smaller of two elements; NaN if one is NaN; see `tensorplay.minimum`."""
        return functions.minimum(self, other)

    def mul(self, other: Any) -> Tensor:
        """Product of two tensors, element by element; see `tensorplay.mul`."""
        return functions.mul(self, other)

    def mul_(self, other: Any) -> Self:
        """In-place `mul`."""
        return store(self, functions.mul(self, other), "mul_")

    def multiply(self, other: Any) -> Tensor:
        """Product of two tensors, element by element; see `tensorplay.multiply`."""
        return functions.multiply(self, other)

    def multiply_(self, other: Any) -> Self:
        """In-place `multiply`."""
        return store(self, functions.multiply(self, other), "multiply_")

    def mvlgamma(self, p: int) -> Tensor:
        """Logarithm of the multivariate gamma function of dimension `p`; see `tensorplay.mvlgamma`."""
        return functions.mvlgamma(self, p)

    def mvlgamma_(self, p: int) -> Self:
        """In-place `mvlgamma`."""
        return store(self, functions.mvlgamma(self, p), "mvlgamma_")

    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
        """The tensor with NaN and infinities replaced by numbers; see `tensorplay.nan_to_num`."""
        return functions.nan_to_num(self, nan, posinf, neginf)

    def nan_to_num_(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Self:
        """In-place `nan_to_num`."""
        return store(self, functions.nan_to_num(self, nan, posinf, neginf), "nan_to_num_")

    def ne(self, other: Any) -> Tensor:
        """Whether `input != other`, element by element; see `tensorplay.ne`."""
        return functions.ne(self, other)

    def ne_(self, other: Any) -> Self:
        """In-place `ne`."""
        return store(self, functions.ne(self, other), "ne_")

    def neg(self) -> Tensor:
        """The tensor with its sign changed; see `tensorplay.neg`."""
        return functions.neg(self)

    def neg_(self) -> Self:
        """In-place `neg`."""
        return store(self, functions.neg(self), "neg_")

    def negative(self) -> Tensor:
        """The tensor with its sign changed; see `tensorplay.negative`."""
        return functions.negative(self)

    def negative_(self) -> Self:
        """In-place `negative`."""
        return store(self, functions.negative(self), "negative_")

    def nextafter(self, other: Any) -> Tensor:
        """Next floating-point number after each element, in the direction of another; see `tensorplay.nextafter`."""
        return functions.nextafter(self, other)

    def nextafter_(self, other: Any) -> Self:
        """In-place `nextafter`."""
        return store(self, functions.nextafter(self, other), "nextafter_")

    def not_equal(self, other: Any) -> Tensor:
        """Whether `input != other`, element by element; see `tensorplay.not_equal`."""
        return functions.not_equal(self, other)

    def not_equal_(self, other: Any) -> Self:
        """In-place `not_equal`."""
        return store(self, functions.not_equal(self, other), "not_equal_")

    def positive(self) -> Tensor:
        """The tensor itself; see `tensorplay.positive`."""
        return functions.positive(self)

    def pow(self, exponent: Any) -> Tensor:
        """Power of two tensors, element by element; see `tensorplay.pow`."""
        return functions.pow(self, exponent)

    def pow_(self, exponent: Any) -> Self:
        """In-place `pow`."""
        return store(self, functions.pow(self, exponent), "pow_")

    def prelu(self, weight: Any) -> Tensor:
        """Elements that are positive, a learned fraction of the others; see `tensorplay.prelu`."""
        return functions.prelu(self, weight)

    def rad2deg(self) -> Tensor:
        """Radians to degrees; see `tensorplay.rad2deg`."""
        return functions.rad2deg(self)

    def rad2deg_(self) -> Self:
        """In-place `rad2deg`."""
        return store(self, functions.rad2deg(self), "rad2deg_")

    def reciprocal(self) -> Tensor:
        """One over each element; see `tensorplay.reciprocal`."""
        return functions.reciprocal(self)

    def reciprocal_(self) -> Self:
        """In-place `reciprocal`."""
        return store(self, functions.reciprocal(self), "reciprocal_")

    def relu(self) -> Tensor:
        """Elements that are positive, zero in place of the others; see `tensorplay.relu`."""
        return functions.relu(self)

    def relu_(self) -> Self:
        """In-place `relu`."""
        return store(self, functions.relu(self), "relu_")

    def remainder(self, other: Any) -> Tensor:
        """Remainder with the sign of the divisor, as of Python's `%`; see `tensorplay.remainder`."""
        return functions.remainder(self, other)

    def remainder_(self, other: Any) -> Self:
        """In-place `remainder`."""
        return store(self, functions.remainder(self, other), "remainder_")

    def resolve_conj(self) -> Tensor:
        """The tensor itself: conjugates are always carried out here; see `tensorplay.resolve_conj`."""
        return functions.resolve_conj(self)

    def resolve_neg(self) -> Tensor:
        """The tensor itself: signs are always carried out here; see `tensorplay.resolve_neg`."""
        return functions.resolve_neg(self)

    def round(self, *, decimals: int = 0) -> Tensor:
        """Elements rounded to a number of decimals, halves to the even neighbour; see `tensorplay.round`."""
        return functions.round(self, decimals=decimals)

    def round_(self, *, decimals: int = 0) -> Self:
        """In-place `round`."""
        return store(self, functions.round(self, decimals=decimals), "round_")

    def rsqrt(self) -> Tensor:
        """One over the square root of each element; see `tensorplay.rsqrt`."""
        return functions.rsqrt(self)

    def rsqrt_(self) -> Self:
        """In-place `rsqrt`."""
        return store(self, functions.rsqrt(self), "rsqrt_")

    def sgn(self) -> Tensor:
        """Sign of each element; of a complex one, the number of absolute value one in its direction."""
        return functions.sgn(self)

    def sgn_(self) -> Self:
        """In-place `sgn`."""
        return store(self, functions.sgn(self), "sgn_")

    def sigmoid(self) -> Tensor:
        """Logistic function `1 / (1 + exp(-x))` of each element; see `tensorplay.sigmoid`."""
        return functions.sigmoid(self)

    def sigmoid_(self) -> Self:
        """In-place `sigmoid`."""
        return store(self, functions.sigmoid(self), "sigmoid_")

    def sign(self) -> Tensor:
        """Sign of each element: -1, 0 or 1; see `tensorplay.sign`."""
        return functions.sign(self)

    def sign_(self) -> Self:
        """In-place `sign`."""
        return store(self, functions.sign(self), "sign_")

    def signbit(self) -> Tensor:
        """Whether each element carries a minus sign (-0.0 does); see `tensorplay.signbit`."""
        return functions.signbit(self)

    def sin(self) -> Tensor:
        """Sine of each element, in radians; see `tensorplay.sin`."""
        return functions.sin(self)

    def sin_(self) -> Self:
        """In-place `sin`."""
        return store(self, functions.sin(self), "sin_")

    def sinc(self) -> Tensor:
        """`sin(pi x) / (pi x)` of each element, one at zero; see `tensorplay.sinc`."""
        return functions.sinc(self)

    def sinc_(self) -> Self:
        """In-place `sinc`."""
        return store(self, functions.sinc(self), "sinc_")

    def sinh(self) -> Tensor:
        """Hyperbolic sine of each element; see `tensorplay.sinh`."""
        return functions.sinh(self)

    def sinh_(self) -> Self:
        """In-place `sinh`."""
        return store(self, functions.sinh(self), "sinh_")

    def sqrt(self) -> Tensor:
        """Square root of each element; see `tensorplay.sqrt`."""
        return functions.sqrt(self)

    def sqrt_(self) -> Self:
        """In-place `sqrt`."""
        return store(self, functions.sqrt(self), "sqrt_")

    def square(self) -> Tensor:
        """Square of each element; see `tensorplay.square`."""
        return functions.square(self)

    def square_(self) -> Self:
        """In-place `square`."""
        return store(self, functions.square(self), "square_")

    def sub(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """Difference of two tensors, element by element; see `tensorplay.sub`."""
        return functions.sub(self, other, alpha=alpha)

    def sub_(self, other: Any, *, alpha: Any = 1) -> Self:
        """In-place `sub`."""
        return store(self, functions.sub(self, other, alpha=alpha), "sub_")

    def subtract(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """Difference of two tensors, element by element; see `tensorplay.subtract`."""
        return functions.subtract(self, other, alpha=alpha)

    def subtract_(self, other: Any, *, alpha: Any = 1) -> Self:
        """In-place `subtract`."""
        return store(self, functions.subtract(self, other, alpha=alpha), "subtract_")

    def tan(self) -> Tensor:
        """Tangent of each element, in radians; see `tensorplay.tan`."""
        return functions.tan(self)

    def tan_(self) -> Self:
        """In-place `tan`."""
        return store(self, functions.tan(self), "tan_")

    def tanh(self) -> Tensor:
        """Hyperbolic tangent of each element; see `tensorplay.tanh`."""
        return functions.tanh(self)

    def tanh_(self) -> Self:
        """In-place `tanh`."""
        return store(self, functions.tanh(self), "tanh_")

    def true_divide(self, other: Any) -> Tensor:
        """Quotient of two tensors, element by element; see `div`; see `tensorplay.true_divide`."""
        return functions.true_divide(self, other)

    def true_divide_(self, other: Any) -> Self:
        """In-place `true_divide`."""
        return store(self, functions.true_divide(self, other), "true_divide_")

    def trunc(self) -> Tensor:
        """Whole part of each element; see `tensorplay.trunc`."""
        return functions.trunc(self)

    def trunc_(self) -> Self:
        """In-place `trunc`."""
        return store(self, functions.trunc(self), "trunc_")

    def xlogy(self, other: Any) -> Tensor:
        """`input * log(other)`, which is zero where `input` is zero, whatever `other` is (but NaN)."""
        return functions.xlogy(self, other)

    def xlogy_(self, other: Any) -> Self:
        """In-place `xlogy`."""
        return store(self, functions.xlogy(self, other), "xlogy_")

    @property
    def real(self) -> Tensor:
        """Real part, a view; see `tensorplay.real`."""
        return functions.real(self)

    @property
    def imag(self) -> Tensor:
        """Imaginary part, a view; see `tensorplay.imag`."""
        return functions.imag(self)

    def where(self, condition: Any, other: Any) -> Tensor:
        """Elements of this tensor where a condition holds, of another where not; see `tensorplay.where`."""
        return functions.where(condition, self, other)

    def isreal(self) -> Tensor:
        """Whether each element is real; see `tensorplay.isreal`."""
        return functions.isreal(self)

    def polygamma(self, n: int) -> Tensor:
        """Derivative of order n of `digamma`; see `tensorplay.polygamma`."""
        return functions.polygamma(n, self)

    def polygamma_(self, n: int) -> Self:
        """In-place `polygamma`."""
        return store(self, functions.polygamma(n, self), "polygamma_")
