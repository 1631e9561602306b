"""Elementwise methods, and the in-place forms that torch has."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tensorplay.tensor.functions import elementwise as functions
from tensorplay.tensor.methods.comparison import ComparisonMethods
from tensorplay.tensor.methods.inplace import store
from tensorplay.tensor.methods.transcendental import TranscendentalMethods

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ElementwiseMethods(ComparisonMethods, TranscendentalMethods):
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

    def angle(self) -> Tensor:
        """Angle of each element in the complex plane, in radians; see `tensorplay.angle`."""
        return functions.angle(self)

    def ceil(self) -> Tensor:
        """Smallest whole number that is no smaller than each element; see `tensorplay.ceil`."""
        return functions.ceil(self)

    def ceil_(self) -> Self:
        """In-place `ceil`."""
        return store(self, functions.ceil(self), "ceil_")

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

    def fix(self) -> Tensor:
        """Whole part of each element; see `tensorplay.fix`."""
        return functions.fix(self)

    def fix_(self) -> Self:
        """In-place `fix`."""
        return store(self, functions.fix(self), "fix_")

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

    def hardshrink(self, lambd: float = 0.5) -> Tensor:
        """Elements beyond a distance from zero, zero in place of the others; see `tensorplay.hardshrink`."""
        return functions.hardshrink(self, lambd)

    def lerp(self, end: Any, weight: Any) -> Tensor:
        """Linear interpolation between two tensors; see `tensorplay.lerp`."""
        return functions.lerp(self, end, weight)

    def lerp_(self, end: Any, weight: Any) -> Self:
        """In-place `lerp`."""
        return store(self, functions.lerp(self, end, weight), "lerp_")

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

    def positive(self) -> Tensor:
        """The tensor itself; see `tensorplay.positive`."""
        return functions.positive(self)

    def prelu(self, weight: Any) -> Tensor:
        """Elements that are positive, a learned fraction of the others; see `tensorplay.prelu`."""
        return functions.prelu(self, weight)

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

    def sgn(self) -> Tensor:
        """Sign of each element; of a complex one, the number of absolute value one in its direction."""
        return functions.sgn(self)

    def sgn_(self) -> Self:
        """In-place `sgn`."""
        return store(self, functions.sgn(self), "sgn_")

    def sign(self) -> Tensor:
        """Sign of each element: -1, 0 or 1; see `tensorplay.sign`."""
        return functions.sign(self)

    def sign_(self) -> Self:
        """In-place `sign`."""
        return store(self, functions.sign(self), "sign_")

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

    @property
    def real(self) -> Tensor:
        """Real part, a view; see `tensorplay.real`."""
        return functions.real(self)

    @property
    def imag(self) -> Tensor:
        """Imaginary part, a view; see `tensorplay.imag`."""
        return functions.imag(self)
