"""Powers, roots, exponentials and logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import COMPLEX128, FLOAT64
from tensorplay.ops import families, kernels
from tensorplay.ops.arithmetic import add, div, mul, reciprocal, square, sub
from tensorplay.ops.comparison import clamp, eq, isinf, isnan, le, logical_and, where
from tensorplay.ops.families import elementwise
from tensorplay.ops.many import filling_itself
from tensorplay.ops.operands import (
    UnaryOp,
    arrays,
    call,
    check_broadcast,
    checked,
    documented,
    float_unary,
    floats,
    inexact_arrays,
    on_floats,
    only,
    parametric,
    planned,
    scipy_kernel,
)
from tensorplay.ops.promotion import cast

LN2, LN10 = math.log(2.0), math.log(10.0)

# ---- exponentials ----------------------------------------------------------------------------------------------------

exp = float_unary(
    "exp",
    np.exp,
    lambda out, _x: out,
    "Exponential of each element.",
    ">>> tp.exp(tp.tensor([0.0]))\ntensor([1.])",
)
exp2 = float_unary(
    "exp2",
    np.exp2,
    lambda out, _x: mul(out, LN2),
    "Two to the power of each element.",
    ">>> tp.exp2(tp.tensor([0.0, 3.0]))\ntensor([1., 8.])",
)
expm1 = float_unary(
    "expm1",
    kernels.expm1,
    lambda out, _x: add(out, 1),
    "Exponential minus one, accurate near zero.",
    ">>> tp.expm1(tp.tensor([0.0]))\ntensor([0.])",
)

# ---- logarithms ------------------------------------------------------------------------------------------------------

log = float_unary(
    "log",
    np.log,
    lambda _out, x: reciprocal(x),
    "Natural logarithm of each element.",
    ">>> tp.log(tp.tensor([1.0, 0.0]))\ntensor([0., -inf])",
)
log2 = float_unary(
    "log2",
    np.log2,
    lambda _out, x: reciprocal(mul(x, LN2)),
    "Logarithm to base 2 of each element.",
    ">>> tp.log2(tp.tensor([1.0, 8.0]))\ntensor([0., 3.])",
)
log10 = float_unary(
    "log10",
    np.log10,
    lambda _out, x: reciprocal(mul(x, LN10)),
    "Logarithm to base 10 of each element.",
    ">>> tp.log10(tp.tensor([1.0, 10.0]))\ntensor([0., 1.])",
)
log1p = float_unary(
    "log1p",
    kernels.log1p,
    lambda _out, x: reciprocal(add(x, 1)),
    "Logarithm of one plus each element, accurate near zero.",
    ">>> tp.log1p(tp.tensor([0.0]))\ntensor([0.])",
)

# ---- roots -----------------------------------------------------------------------------------------------------------

sqrt = float_unary(
    "sqrt",
    np.sqrt,
    lambda out, _x: div(0.5, out),
    "Square root of each element.",
    ">>> tp.sqrt(tp.tensor([4.0, 9.0]))\ntensor([2., 3.])",
)
rsqrt = float_unary(
    "rsqrt",
    lambda x: np.reciprocal(np.sqrt(x)),
    lambda out, _x: mul(mul(square(out), out), -0.5),
    "One over the square root of each element.",
    ">>> tp.rsqrt(tp.tensor([1.0, 4.0]))\ntensor([1.0000, 0.5000])",
)

# ---- powers ----------------------------------------------------------------------------------------------------------

_EASY_POWERS: dict[float, Callable[[Any, Any], Any]] = {
    0.5: np.sqrt,
    1.0: np.positive,
    2.0: np.square,
    3.0: lambda x, out: np.multiply(np.multiply(x, x, out), x, out),
    -1.0: np.reciprocal,
}


@filling_itself
def _pow_impl(x: Any, y: Any, logs: int, out: Any = None) -> Any:
    easy = _EASY_POWERS.get(y.item()) if y.ndim == 0 and y.dtype.kind == "f" else None
    power = np.power(x, y, out) if easy is None else easy(x, out)
    if logs == 0:
        return power
    # 0**y vanishes faster than the logarithm grows; at 0**0, where there is no limit, zero is the convention
    limit = np.where((x == 0) & (y.real >= 0), np.zeros((), x.dtype), power * np.log(x) ** logs)
    return limit if out is None else np.positive(limit, out)


def _pow_by_base(_out: Value, x: Value, y: Value, logs: int) -> Value:
    down = sub(y, 1)
    slope = families.scale(y, _pow(x, down, logs=logs))
    return slope if logs == 0 else add(slope, mul(_pow(x, down, logs=logs - 1), logs))


# x**y * log(x)**logs: the derivatives of a power are all of this kind.
_pow: Primitive = parametric("pow", _pow_impl, [_pow_by_base, lambda _out, x, y, logs: _pow(x, y, logs=logs + 1)])


@filling_itself
def _whole_power_impl(x: Any, exponent: int, out: Any = None) -> Any:
    easy = _EASY_POWERS.get(exponent)
    return np.power(x, kernels.number(exponent, x.dtype.char), out) if easy is None else easy(x, out)


def _slope_of_whole_power(_out: Value, x: Value, exponent: int) -> Value:
    return mul(_whole_power(x, exponent=exponent - 1), exponent) if exponent > 1 or exponent < 0 else exponent


# a power of floating-point numbers whose exponent is one integer: nothing is derived with respect to that
_whole_power = parametric("whole_pow", _whole_power_impl, [_slope_of_whole_power])


def _integer_power_impl(x: Any, y: Any) -> Any:
    power = np.power(x, np.maximum(y, 0))
    if y.dtype.kind == "u" or not np.any(y < 0):
        return power
    odd = np.where(y % 2 == 0, 1, x)
    return np.where(y >= 0, power, np.where(np.abs(x) == 1, odd, 0)).astype(x.dtype)


_integer_power = elementwise("integer_pow", _integer_power_impl, None)


def _power_plan(_shape: Shape, exponent: int) -> tuple[Primitive, dict[str, Any]] | None:
    # larger ones have no exact counterpart in single precision
    return (_whole_power, {"exponent": exponent}) if abs(exponent) < 1 << 24 else None


@planned(_power_plan, "f")
def pow(input: Value, exponent: Value) -> Value:
    """
    Power of two tensors, element by element.

    Parameters
    ----------
    input : Tensor or number
        Base.
    exponent : Tensor or number
        Exponent; broadcasts against `input`.

    Returns
    -------
    Tensor
        ``input ** exponent``, in the common dtype. The derivative at base zero is zero for an exponent above one or
        equal to zero; with respect to the exponent it is zero there for all non-negative exponents.

    Raises
    ------
    RuntimeError
        For an integer base and a negative integer as exponent, or shapes that do not broadcast.
    NotImplementedError
        If both are bool.

    Examples
    --------
    >>> tp.pow(tp.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    """
    negative = isinstance(exponent, int) and exponent < 0
    input, exponent = arrays("pow", input, exponent)
    if input.dtype.kind == "b":
        raise NotImplementedError("pow(): base and exponent are both bool; make one of them a number")
    if input.dtype.kind in "iu":
        if negative:
            raise RuntimeError("pow(): integers to negative integer powers are not allowed; use a float base")
        return call(_integer_power, input, exponent)
    return _call_pow(input, exponent)


def _call_pow(base: Value, exponent: Value) -> Value:
    if base.ndim and exponent.ndim and base.shape != exponent.shape:
        check_broadcast("pow", base, exponent)
    return _pow(base, exponent, logs=0)


def float_power(input: Value, exponent: Value) -> Value:
    """
    Power of two tensors in double precision.

    Parameters
    ----------
    input : Tensor or number
        Base.
    exponent : Tensor or number
        Exponent; broadcasts against `input`.

    Returns
    -------
    Tensor
        ``input ** exponent``, in float64, or complex128 if one of the two is complex.

    Examples
    --------
    >>> tp.float_power(tp.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=tensorplay.float64)
    """
    operands = checked("float_power", input, exponent)
    is_complex = any([np.dtype(getattr(o, "dtype", type(o))).kind == "c" for o in operands])
    return pow(*[cast(o, COMPLEX128 if is_complex else FLOAT64) for o in operands])


def ldexp(input: Value, other: Value) -> Value:
    """
    Tensor times powers of two.

    Parameters
    ----------
    input : Tensor
        Any shape.
    other : Tensor
        Exponents of two; broadcasts against `input`.

    Returns
    -------
    Tensor
        ``input * 2**other``, floating-point.

    Examples
    --------
    >>> tp.ldexp(tp.tensor([1.0]), tp.tensor([1, 2, 3]))
    tensor([2., 4., 8.])
    """
    return mul(input, exp2(other))


# ---- sums inside logarithms ------------------------------------------------------------------------------------------


def _gap(x: Value, y: Value) -> Value:
    """x - y, where equal infinities are no distance apart."""
    return where(logical_and(eq(x, y), isinf(x)), 0, sub(x, y))


_real_part_ge = elementwise("real_part_ge", lambda x, y: x.real >= y.real, None)
_logaddexp = elementwise(
    "logaddexp",
    np.logaddexp,
    [lambda _out, x, y: sigmoid(_gap(x, y)), lambda _out, x, y: sigmoid(_gap(y, x))],
)
_logaddexp2 = elementwise(
    "logaddexp2",
    np.logaddexp2,
    [lambda _out, x, y: sigmoid(mul(_gap(x, y), LN2)), lambda _out, x, y: sigmoid(mul(_gap(y, x), LN2))],
)


@documented(
    "Logarithm of the sum of two exponentials, without overflow.",
    ">>> tp.logaddexp(tp.tensor([1000.0]), tp.tensor([-1000.0]))\ntensor([1000.])",
)
def logaddexp(input: Value, other: Value) -> Value:
    input, other = inexact_arrays("logaddexp", input, other)
    if input.dtype.kind != "c":
        return call(_logaddexp, input, other)
    first = call(_real_part_ge, input, other)
    larger, smaller = where(first, input, other), where(first, other, input)
    return add(larger, log1p(exp(_gap(smaller, larger))))


@documented(
    "Logarithm to base 2 of the sum of two powers of 2, without overflow.",
    ">>> tp.logaddexp2(tp.tensor([1.0]), tp.tensor([1.0]))\ntensor([2.])",
)
def logaddexp2(input: Value, other: Value) -> Value:
    operands = inexact_arrays("logaddexp2", input, other)
    only("f", "logaddexp2", *operands)
    return call(_logaddexp2, *operands)


# ---- x log y ---------------------------------------------------------------------------------------------------------


_xlogy = elementwise(
    "xlogy",
    scipy_kernel("xlogy"),
    [
        lambda _out, x, y: log(where(logical_and(eq(x, 0), le(y, 0)), 1, y)),
        lambda _out, x, y: families.scale(x, reciprocal(y)),
    ],
)
_xlog1py = elementwise(
    "xlog1py",
    scipy_kernel("xlog1py"),
    [
        lambda _out, x, y: log1p(where(logical_and(eq(x, 0), le(y, -1)), 0, y)),
        lambda _out, x, y: families.scale(x, reciprocal(add(y, 1))),
    ],
)


@documented(
    "``input * log(other)``, which is zero where `input` is zero, whatever `other` is (but NaN).",
    ">>> tp.xlogy(tp.tensor([0.0, 2.0]), tp.tensor([0.0, 1.0]))\ntensor([0., 0.])",
)
def xlogy(input: Value, other: Value) -> Value:
    return call(_xlogy, *inexact_arrays("xlogy", input, other))


@documented(
    "``input * log1p(other)``, which is zero where `input` is zero, whatever `other` is (but NaN).",
    ">>> tp.special.xlog1py(tp.tensor([0.0, 2.0]), tp.tensor([-1.0, 0.0]))\ntensor([0., 0.])",
)
def xlog1py(input: Value, other: Value) -> Value:
    return call(_xlog1py, *inexact_arrays("xlog1py", input, other))


# ---- logistic function -----------------------------------------------------------------------------------------------


@filling_itself
def _sigmoid_slope_impl(s: Any, out: Any = None) -> Any:
    return np.multiply(s, np.subtract(kernels.number(1, s.dtype.char), s, out), out)


# s * (1 - s), the derivative of the logistic function where it is s
_sigmoid_slope = elementwise("sigmoid_slope", _sigmoid_slope_impl, [lambda _out, s: sub(1, mul(2, s))])
_sigmoid = elementwise("sigmoid", kernels.sigmoid, [lambda out, _x: _sigmoid_slope(out)])
sigmoid: UnaryOp = on_floats(
    _sigmoid,
    "sigmoid",
    "Logistic function ``1 / (1 + exp(-x))`` of each element.",
    ">>> tp.sigmoid(tp.tensor([0.0]))\ntensor([0.5000])",
)


def _logit_slope(out: Value, x: Value) -> Value:
    return where(isnan(out), out, reciprocal(mul(x, sub(1, x))))


_logit = elementwise("logit", scipy_kernel("logit"), [_logit_slope])


def logit(input: Value, eps: float | None = None) -> Value:
    """
    Inverse of the logistic function, ``log(x / (1 - x))``.

    Parameters
    ----------
    input : Tensor
        Numbers between 0 and 1; NaN comes of others.
    eps : float, optional
        Clamp `input` to ``[eps, 1 - eps]`` first.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.logit(tp.tensor([0.5, 1.0]))
    tensor([0., inf])
    """
    input = floats("logit", input)
    return _logit(input if eps is None else clamp(input, eps, 1 - eps))
