"""
Elementwise kernels that NumPy and SciPy compute one element at a time, from NumPy's vectorised exp, log and arithmetic.

Those in single precision have their own formulas; double precision stays with the libraries. They are called on few
elements, or on pieces of many (`ops/many.py`), so that what they compute on the way stays in the cache.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.blas import dot
from tensorplay.core.modes import quiet
from tensorplay.lazy import LazyModule
from tensorplay.ops.many import Kernel

special = LazyModule("scipy.special")

Array = Any
Function = Callable[..., Array]

ONE, ZERO = np.ones((), np.float32), np.zeros((), np.float32)
FEW = 1 << 9  # elements, of which the libraries take fewer calls


@functools.lru_cache(maxsize=64)
def number(value: float, char: str) -> Array:
    """A number, any zero as the positive one, as an array that cannot be written: NumPy would make one at each call."""
    with quiet():  # in half precision it may be infinite
        array = np.asarray(value + 0, char)
    array.flags.writeable = False
    return array


def filling(kernel: Kernel) -> Function:
    """A kernel as a function, which makes the array to fill like the first operand."""

    def impl(*arrays: Array) -> Array:
        out = np.empty_like(arrays[0])
        kernel(*arrays, out=out)
        return out

    impl.fill = kernel  # type: ignore[attr-defined]
    return impl


def by_precision(single: Kernel, other: Kernel) -> Function:
    """`single` for many numbers in float32, `other` for all else."""

    def kernel(x: Array, out: Array) -> None:
        if x.dtype.itemsize == 2:  # half precision has no loops
            wide = np.empty(x.shape, np.float32)
            kernel(x.astype(np.float32), wide)
            np.copyto(out, wide, casting="same_kind")
        elif x.dtype.char == "f" and x.size > FEW:
            single(x, out)
        else:
            other(x, out)

    return filling(kernel)


def is_finite(array: Array) -> bool:
    """Whether no element is infinite or NaN, in one BLAS pass; False too where the sum of squares overflows."""
    if not array.ndim:
        number = array.item()
        return number - number == 0
    flat = array.ravel()
    square = dot(flat, flat)
    return bool(square - square == 0)


def product(value: Array, weight: Array) -> Array:
    """Product in which zero wins over infinity and NaN, whichever of the two operands it is."""
    out = value * weight
    # only where something went wrong is it worth looking for zeros
    if not keeps_zeros(weight) and not is_finite(out):
        out = np.where(np.equal(value, 0) | np.equal(weight, 0), np.zeros((), out.dtype), out)
    return out


def keeps_zeros(weight: Array) -> bool:
    """Whether this is a number with which a product is zero where the other operand is, and nowhere else."""
    return not np.ndim(weight) and bool(0 < abs(weight) < np.inf)


def _product_into(value: Array, weight: Array, out: Array) -> None:
    np.multiply(value, weight, out=out)
    if not is_finite(out):
        np.copyto(out, 0, where=np.equal(value, 0) | np.equal(weight, 0))


product.fill = _product_into  # type: ignore[attr-defined]


def _coefficients(*numbers: float) -> list[Array]:
    """Constants of a polynomial, lowest first, as operands that need no conversion."""
    return [np.asarray(number, np.float32) for number in numbers]


def _polynomial(coefficients: Sequence[Array], x: Array) -> Array:
    """Horner's rule."""
    out = x * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        out += coefficient
        out *= x
    out += coefficients[0]
    return out


# ---- exponentials and logarithms -------------------------------------------------------------------------------------


def _log1p(x: Array, out: Array) -> None:
    near = x + ONE
    np.log(near, out=out)
    lost = _lost(x, near)
    if not np.isfinite(lost).all():
        np.nan_to_num(lost, copy=False, nan=0, posinf=0, neginf=0)
    out += lost


def _lost(x: Array, near: Array) -> Array:
    """What rounding 1 + x to `near` took from the logarithm, to first order."""
    lost = near - ONE
    np.subtract(x, lost, out=lost)
    lost /= near
    return lost


def _expm1(x: Array, out: Array) -> None:
    # Kahan's: exp(x) - 1 is right for the logarithm of what exp(x) was rounded to
    power = np.exp(x)
    np.subtract(power, ONE, out=out)
    near = np.log(power)
    usual = np.isfinite(near)
    usual &= near != 0
    usual &= near > -80  # beyond, the power has not all its digits
    np.divide(x, near, out=power)
    out *= power
    if not usual.all():
        limits = select(near == 0, x, np.exp(x) - ONE)
        np.copyto(out, limits, where=~usual)


log1p = by_precision(_log1p, lambda x, out: np.log1p(x, out=out))
expm1 = by_precision(_expm1, lambda x, out: np.expm1(x, out=out))


def _sigmoid(x: Array, out: Array) -> None:
    np.negative(x, out=out)
    np.exp(out, out=out)
    out += ONE
    np.reciprocal(out, out=out)


def _softplus(x: Array, out: Array) -> None:
    # log(1 + y) with y = exp(-|x|), and what rounding 1 + y took from it, which is small enough to take it as it is
    away = np.abs(x)
    np.negative(away, out=away)
    np.exp(away, out=away)
    near = away + ONE
    np.log(near, out=out)
    near -= ONE
    away -= near
    out += away
    np.maximum(x, ZERO, out=near)
    out += near


def _logistic(x: Array, out: Array) -> None:
    if x.dtype.kind == "c":
        np.divide(1, 1 + np.exp(-x), out=out)
    else:
        special.expit(x, out=out)


sigmoid = by_precision(_sigmoid, _logistic)

softplus = by_precision(_softplus, lambda x, out: np.logaddexp(x, x.dtype.type(0), out=out))


# ---- the normal distribution -----------------------------------------------------------------------------------------

# erf(x) = x P(x²) / Q(x²) for |x| < 4, fitted to a relative error of 2.5e-8
_ERF_ABOVE = _coefficients(
    1.1283791392945866,
    0.19354560181401712,
    0.05310181865636655,
    0.0038833679950239265,
    0.0002845665965173783,
    1.9867800267169934e-06,
)
_ERF_BELOW = _coefficients(
    1.0,
    0.5048578790344114,
    0.1153502246368802,
    0.015207298417581595,
    0.0011855772900402277,
    3.742018768421103e-05,
)
# the normal distribution beyond x is exp(-x²/2) P(t) with t = 1 / (1 + 0.3 x) for 0 <= x < 14, fitted to a relative
# error of 5.8e-8
_TAIL = _coefficients(
    7.302163695e-06,
    0.1194854108,
    0.1219366343,
    0.09461972379,
    0.1426855219,
    -0.07672388348,
    0.2288503222,
    -0.1692582563,
    0.03839725372,
)


def _erf(x: Array, out: Array) -> None:
    np.clip(x, np.float32(-4), np.float32(4), out=out)
    square = out * out
    out *= _polynomial(_ERF_ABOVE, square)
    out /= _polynomial(_ERF_BELOW, square)
    np.clip(out, np.float32(-1), np.float32(1), out=out)


def _gelu(x: Array, out: Array) -> None:
    # max(x, 0) less the tail beyond |x|, |x| times: on either side of zero nothing cancels
    away = np.abs(x)
    tail = np.square(x)
    tail *= np.float32(-0.5)
    np.exp(tail, out=tail)
    tail *= away
    away *= np.float32(0.3)
    away += ONE
    np.reciprocal(away, out=away)
    tail *= _polynomial(_TAIL, away)
    np.maximum(x, ZERO, out=out)
    out -= tail
    if not is_finite(out):
        np.copyto(out, x, where=x == np.inf)


erf = by_precision(_erf, lambda x, out: special.erf(x, out=out))
gelu = by_precision(_gelu, lambda x, out: np.multiply(x, special.ndtr(x), out=out))


# ---- activations -----------------------------------------------------------------------------------------------------


def _silu(x: Array, out: Array) -> None:
    np.negative(x, out=out)
    np.exp(out, out=out)
    out += ONE
    np.divide(x, out, out=out)


def _gate(product: Array, x: Array) -> Array:
    """What x was multiplied by: a half at zero, where silu and gelu do not tell."""
    gate = np.asarray(product / x)
    zero = x == 0
    if zero.any():
        np.copyto(gate, 0.5, where=zero)
    return gate


def _silu_slope(product: Array, x: Array, out: Array) -> None:
    gate = _gate(product, x)
    np.subtract(1, gate, out=out)
    out *= product
    out += gate


def _gelu_slope(product: Array, x: Array, out: Array) -> None:
    np.square(x, out=out)
    out *= -0.5
    np.exp(out, out=out)
    out *= 1 / math.sqrt(2 * math.pi)
    out *= x
    out += _gate(product, x)


silu = by_precision(_silu, lambda x, out: np.multiply(x, special.expit(x), out=out))
# derivatives at x, given the function's value there
silu_slope, gelu_slope = filling(_silu_slope), filling(_gelu_slope)


# ---- choice ----------------------------------------------------------------------------------------------------------

_BITS = {4: np.int32, 8: np.int64}


def select(condition: Array, x: Array, y: Array) -> Array:
    """
    Elements of `x` where the condition holds, else of `y`.

    Where many elements of one type meet, bits are chosen by masks: a branch per element costs ten times as much where
    the condition is as good as random.
    """
    if condition.size <= FEW or condition.dtype.kind != "b" or not _alike(condition, x, y):
        return np.where(condition, x, y)
    bits = _BITS[x.dtype.itemsize]
    chosen = np.negative(condition.view(np.int8), dtype=bits)
    first, second = x.view(bits), y.view(bits)
    out = first ^ second
    chosen &= out
    np.bitwise_xor(chosen, second, out=chosen)
    return chosen.view(x.dtype)


def _alike(condition: Array, x: Array, y: Array) -> bool:
    """Whether all are contiguous and of one shape, or single elements, and the choices are of one type."""
    return bool(
        condition.flags.c_contiguous
        and hasattr(x, "dtype")
        and hasattr(y, "dtype")
        and x.dtype == y.dtype
        and x.dtype.kind in "fi"
        and x.dtype.itemsize in _BITS
        and all([not a.ndim or (a.shape == condition.shape and a.flags.c_contiguous) for a in (x, y)])
    )
