"""Powers, exponentials, logarithms, circular, hyperbolic and special functions."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tensorplay.tensor.functions import elementwise as functions
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.methods.inplace import store

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class TranscendentalMethods(Handle):
    """Powers, exponentials, logarithms, circular, hyperbolic and special functions."""

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

    def float_power(self, exponent: Any) -> Tensor:
        """Power of two tensors in double precision; see `tensorplay.float_power`."""
        return functions.float_power(self, exponent)

    def float_power_(self, exponent: Any) -> Self:
        """In-place `float_power`."""
        return store(self, functions.float_power(self, exponent), "float_power_")

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

    def ldexp(self, other: Any) -> Tensor:
        """Tensor times powers of two; see `tensorplay.ldexp`."""
        return functions.ldexp(self, other)

    def ldexp_(self, other: Any) -> Self:
        """In-place `ldexp`."""
        return store(self, functions.ldexp(self, other), "ldexp_")

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

    def logit(self, eps: float | None = None) -> Tensor:
        """Inverse of the logistic function, `log(x / (1 - x))`; see `tensorplay.logit`."""
        return functions.logit(self, eps)

    def logit_(self, eps: float | None = None) -> Self:
        """In-place `logit`."""
        return store(self, functions.logit(self, eps), "logit_")

    def mvlgamma(self, p: int) -> Tensor:
        """Logarithm of the multivariate gamma function of dimension `p`; see `tensorplay.mvlgamma`."""
        return functions.mvlgamma(self, p)

    def mvlgamma_(self, p: int) -> Self:
        """In-place `mvlgamma`."""
        return store(self, functions.mvlgamma(self, p), "mvlgamma_")

    def pow(self, exponent: Any) -> Tensor:
        """Power of two tensors, element by element; see `tensorplay.pow`."""
        return functions.pow(self, exponent)

    def pow_(self, exponent: Any) -> Self:
        """In-place `pow`."""
        return store(self, functions.pow(self, exponent), "pow_")

    def rad2deg(self) -> Tensor:
        """Radians to degrees; see `tensorplay.rad2deg`."""
        return functions.rad2deg(self)

    def rad2deg_(self) -> Self:
        """In-place `rad2deg`."""
        return store(self, functions.rad2deg(self), "rad2deg_")

    def rsqrt(self) -> Tensor:
        """One over the square root of each element; see `tensorplay.rsqrt`."""
        return functions.rsqrt(self)

    def rsqrt_(self) -> Self:
        """In-place `rsqrt`."""
        return store(self, functions.rsqrt(self), "rsqrt_")

    def sigmoid(self) -> Tensor:
        """Logistic function `1 / (1 + exp(-x))` of each element; see `tensorplay.sigmoid`."""
        return functions.sigmoid(self)

    def sigmoid_(self) -> Self:
        """In-place `sigmoid`."""
        return store(self, functions.sigmoid(self), "sigmoid_")

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

    def xlogy(self, other: Any) -> Tensor:
        """`input * log(other)`, which is zero where `input` is zero, whatever `other` is (but NaN)."""
        return functions.xlogy(self, other)

    def xlogy_(self, other: Any) -> Self:
        """In-place `xlogy`."""
        return store(self, functions.xlogy(self, other), "xlogy_")

    def polygamma(self, n: int) -> Tensor:
        """Derivative of order n of `digamma`; see `tensorplay.polygamma`."""
        return functions.polygamma(n, self)

    def polygamma_(self, n: int) -> Self:
        """In-place `polygamma`."""
        return store(self, functions.polygamma(n, self), "polygamma_")
