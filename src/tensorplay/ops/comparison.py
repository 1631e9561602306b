"""Comparisons, logic, tests of single elements, and choices between two tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import BOOL
from tensorplay.ops import indexing
from tensorplay.ops.families import elementwise
from tensorplay.ops.masking import nonzero
from tensorplay.ops.operands import arrays, call, check_broadcast, checked, common, direct, documented, only, parametric
from tensorplay.ops.promotion import as_value, cast
from tensorplay.ops.shape import copy

# ---- comparisons -----------------------------------------------------------------------------------------------------


def _comparison(name: str, impl: Callable[..., Any], symbol: str, example: str) -> Callable[[Value, Value], Value]:
    prim = indexing.equal if name == "eq" else elementwise(name, impl, None)
    ordered = name not in ("eq", "ne")

    def op(input: Value, other: Value) -> Value:
        input, other = common(name, input, other)
        if ordered and input.dtype.kind == "c":
            only("buif", name, input)
        return call(prim, input, other)

    op.__name__ = op.__qualname__ = name
    summary = f"Whether ``input {symbol} other``, element by element."
    return documented(
        summary, f">>> tp.{name}(tp.tensor([1, 2, 3]), 2)\n{example}", returns="Bools, in the broadcast shape."
    )(op)


eq = _comparison("eq", np.equal, "==", "tensor([False,  True, False])")
ne = _comparison("ne", np.not_equal, "!=", "tensor([ True, False,  True])")
lt = _comparison("lt", np.less, "<", "tensor([ True, False, False])")
le = _comparison("le", np.less_equal, "<=", "tensor([ True,  True, False])")
gt = _comparison("gt", np.greater, ">", "tensor([False, False,  True])")
ge = _comparison("ge", np.greater_equal, ">=", "tensor([False,  True,  True])")


def isclose(input: Value, other: Value, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Value:
    """
    Whether elements are equal up to a tolerance.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; they broadcast against each other.
    rtol, atol : float
        ``abs(input - other) <= atol + rtol * abs(other)`` counts as close.
    equal_nan : bool, default False
        Whether NaN is close to NaN.

    Returns
    -------
    Tensor
        Bools, in the broadcast shape.

    Raises
    ------
    RuntimeError
        If the dtypes differ, or a tolerance is negative.

    Examples
    --------
    >>> tp.isclose(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    if input.dtype != other.dtype:
        raise RuntimeError(f"isclose(): input and other must have one dtype, got {input.dtype} and {other.dtype}")
    if rtol < 0 or atol < 0:
        raise RuntimeError(f"isclose(): rtol and atol must not be negative, got {rtol} and {atol}")
    check_broadcast("isclose", input, other)
    return _isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


def _isclose_impl(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    close = np.equal(x, y)
    if equal_nan and x.dtype.kind in "fc":
        close = close | (np.isnan(x) & np.isnan(y))
    if rtol == 0 and atol == 0:
        return close
    if x.dtype.kind in "bui":
        x, y = x.astype(np.float64), y.astype(np.float64)
    error = np.abs(x - y)
    return close | (np.isfinite(error) & (error <= atol + np.abs(rtol * y)))


_isclose = parametric("isclose", _isclose_impl, None)


def _concretes(name: str, input: Value, other: Value) -> tuple[Any, Any]:
    return indexing.concrete(input, f"{name}()"), indexing.concrete(other, f"{name}()")


def allclose(input: Value, other: Value, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """
    Whether all elements are equal up to a tolerance; see `isclose`.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; they broadcast against each other.
    rtol, atol : float
        ``abs(input - other) <= atol + rtol * abs(other)`` counts as close.
    equal_nan : bool, default False
        Whether NaN is close to NaN.

    Returns
    -------
    bool
        A Python bool, so `vmap` cannot map over the arguments.

    Raises
    ------
    RuntimeError
        As for `isclose`, or if `vmap` maps over an argument.

    Examples
    --------
    >>> tp.allclose(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 2.0 + 1e-7]))
    True
    """
    input, other = _concretes("allclose", input, other)
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)))


def equal(input: Value, other: Value) -> bool:
    """
    Whether two tensors have the same shape and elements.

    Parameters
    ----------
    input, other : Tensor
        Any shapes.

    Returns
    -------
    bool
        A Python bool, so `vmap` cannot map over the arguments.

    Raises
    ------
    RuntimeError
        If `vmap` maps over an argument.

    Examples
    --------
    >>> tp.equal(tp.tensor([1, 2]), tp.tensor([1, 2]))
    True
    """
    return bool(np.array_equal(*_concretes("equal", input, other)))


# ---- logic -----------------------------------------------------------------------------------------------------------


def _logical(name: str, impl: Callable[..., Any], summary: str, example: str) -> Callable[[Value, Value], Value]:
    prim = elementwise(name, impl, None)

    def op(input: Value, other: Value) -> Value:
        input, other = checked(name, input, other)
        return call(prim, as_value(input), as_value(other))

    op.__name__ = op.__qualname__ = name
    example = f">>> tp.{name}(tp.tensor([True, True, False]), tp.tensor([True, False, False]))\n{example}"
    return documented(summary, example, returns="Bools, in the broadcast shape; anything but zero counts as true.")(op)


logical_and = _logical(
    "logical_and", np.logical_and, "Whether both elements are true.", "tensor([ True, False, False])"
)
logical_or = _logical(
    "logical_or", np.logical_or, "Whether one of the elements is true.", "tensor([ True,  True, False])"
)
logical_xor = _logical(
    "logical_xor", np.logical_xor, "Whether just one element is true.", "tensor([False,  True, False])"
)


@documented(
    "Whether each element is false (zero).",
    ">>> tp.logical_not(tp.tensor([0, 1, 2]))\ntensor([ True, False, False])",
    returns="Bools.",
)
def logical_not(input: Value) -> Value:
    return indexing.logical_not(*checked("logical_not", input))


# ---- tests of single elements ----------------------------------------------------------------------------------------


def _test(name: str, impl: Callable[..., Any], summary: str, example: str) -> Callable[[Value], Value]:
    prim = elementwise(name, impl, None)

    def op(input: Value) -> Value:
        return prim(*checked(name, input))

    op.__name__ = op.__qualname__ = name
    data = "tp.tensor([1.0, float('inf'), -float('inf'), float('nan')])"
    return documented(summary, f">>> tp.{name}({data})\n{example}", returns="Bools.")(op)


def _real_only(name: str, ufunc: Callable[..., Any]) -> Callable[..., Any]:
    def impl(x: Any) -> Any:
        only("buif", name, x)
        return ufunc(x)

    return impl


isnan = _test("isnan", np.isnan, "Whether each element is NaN.", "tensor([False, False, False,  True])")
isinf = _test("isinf", np.isinf, "Whether each element is infinite.", "tensor([False,  True,  True, False])")
isfinite = _test("isfinite", np.isfinite, "Whether each element is finite.", "tensor([ True, False, False, False])")
isposinf = _test(
    "isposinf",
    _real_only("isposinf", np.isposinf),
    "Whether each element is +inf.",
    "tensor([False,  True, False, False])",
)
isneginf = _test(
    "isneginf",
    _real_only("isneginf", np.isneginf),
    "Whether each element is -inf.",
    "tensor([False, False,  True, False])",
)
isreal = _test("isreal", np.isreal, "Whether each element is real.", "tensor([True, True, True, True])")


def _signbit_impl(x: Any) -> Any:
    only("buif", "signbit", x)
    return np.signbit(x) if x.dtype.kind == "f" else x < 0


signbit = _test(
    "signbit",
    _signbit_impl,
    "Whether each element carries a minus sign (-0.0 does).",
    "tensor([False, False,  True, False])",
)

# ---- choices ---------------------------------------------------------------------------------------------------------


def where(condition: Value, input: Value = None, other: Value = None) -> Any:
    """
    Elements of one tensor where a condition holds, of another where it does not.

    The derivative of the branch that was not taken does not matter, even if it is infinite or NaN. With a condition
    alone, the positions where it holds, as of ``nonzero(condition, as_tuple=True)``.

    Parameters
    ----------
    condition : Tensor
        Bools; the three broadcast against each other.
    input, other : Tensor or number, optional
        Values where `condition` is true, and where it is false.

    Returns
    -------
    Tensor
        In the broadcast shape and the common dtype of `input` and `other`.

    Raises
    ------
    RuntimeError
        If `condition` is not bool, or the shapes do not broadcast.

    Examples
    --------
    >>> x = tp.tensor([-1.0, 2.0])
    >>> tp.where(x > 0, x, 0)
    tensor([0., 2.])
    """
    condition = as_value(condition)
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if condition.dtype.kind != "b":
        if condition.dtype != np.uint8:
            raise RuntimeError(f"where(): condition must be a bool tensor, got {condition.dtype}")
        condition = cast(condition, BOOL)
    return call(indexing.where, condition, *arrays("where", input, other))


def _share_impl(x: Any, y: Any) -> Any:
    return ((x < y) * -0.5 - (x <= y) * 0.5 + 1).astype(x.dtype)


# What part of a small change of x reaches max(x, y): all, none, or at a tie half.
_share = elementwise("share_of_maximum", _share_impl, None)
_maximum = elementwise("maximum", np.maximum, [lambda _out, x, y: _share(x, y), lambda _out, x, y: _share(y, x)])
_minimum = elementwise("minimum", np.minimum, [lambda _out, x, y: _share(y, x), lambda _out, x, y: _share(x, y)])


def _real(name: str, input: Value, other: Value) -> tuple[Value, ...]:
    operands = arrays(name, input, other)
    if operands[0].dtype.kind == "c":
        raise RuntimeError(f"{name}(): complex tensors have no order")
    return operands


@documented(
    "Larger of two elements; NaN if one is NaN. At a tie, each has half of the derivative.",
    ">>> tp.maximum(tp.tensor([1.0, 5.0]), tp.tensor([3.0, 4.0]))\ntensor([3., 5.])",
)
@direct(_maximum, 2, "iuf")
def maximum(input: Value, other: Value) -> Value:
    return call(_maximum, *_real("maximum", input, other))


@documented(
    "Smaller of two elements; NaN if one is NaN. At a tie, each has half of the derivative.",
    ">>> tp.minimum(tp.tensor([1.0, 5.0]), tp.tensor([3.0, 4.0]))\ntensor([1., 4.])",
)
@direct(_minimum, 2, "iuf")
def minimum(input: Value, other: Value) -> Value:
    return call(_minimum, *_real("minimum", input, other))


def _first_of_two(better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda x, y: better(x, y) | np.isnan(y)


_first_is_fmax = elementwise("first_is_fmax", _first_of_two(np.greater_equal), None)
_first_is_fmin = elementwise("first_is_fmin", _first_of_two(np.less_equal), None)
_fmax = elementwise(
    "fmax",
    np.fmax,
    [lambda _out, x, y: _first_is_fmax(x, y), lambda _out, x, y: indexing.logical_not(_first_is_fmax(x, y))],
)
_fmin = elementwise(
    "fmin",
    np.fmin,
    [lambda _out, x, y: _first_is_fmin(x, y), lambda _out, x, y: indexing.logical_not(_first_is_fmin(x, y))],
)


@documented(
    "Larger of two elements; NaN only if both are NaN. At a tie, the first has all of the derivative.",
    ">>> tp.fmax(tp.tensor([1.0, float('nan')]), tp.tensor([3.0, 4.0]))\ntensor([3., 4.])",
)
def fmax(input: Value, other: Value) -> Value:
    return call(_fmax, *_real("fmax", input, other))


@documented(
    "Smaller of two elements; NaN only if both are NaN. At a tie, the first has all of the derivative.",
    ">>> tp.fmin(tp.tensor([1.0, float('nan')]), tp.tensor([3.0, 4.0]))\ntensor([1., 4.])",
)
def fmin(input: Value, other: Value) -> Value:
    return call(_fmin, *_real("fmin", input, other))


# The derivative passes at the bound itself.
_clamp_min = elementwise("clamp_min", np.maximum, [lambda _out, x, low: ge(x, low), lambda _out, x, low: lt(x, low)])
_clamp_max = elementwise(
    "clamp_max", np.minimum, [lambda _out, x, high: le(x, high), lambda _out, x, high: gt(x, high)]
)


def clamp(input: Value, min: Value | None = None, max: Value | None = None) -> Value:
    """
    Elements confined to an interval.

    Parameters
    ----------
    input : Tensor
        Any shape.
    min, max : Tensor or number, optional
        Bounds, at least one of them; they broadcast against `input`. Where `min` exceeds `max`, the result is `max`.

    Returns
    -------
    Tensor
        In the common dtype. The derivative with respect to `input` is one from bound to bound, both included.

    Raises
    ------
    RuntimeError
        If both bounds are missing.
    NotImplementedError
        If an operand is complex.

    Examples
    --------
    >>> tp.clamp(tp.tensor([-2.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None and max is None:
        raise RuntimeError("clamp(): at least one of min and max must be given")
    bounds = [bound for bound in (min, max) if bound is not None]
    input, *bounds = arrays("clamp", input, *bounds)
    only("buif", "clamp", input)
    if min is not None:
        input = call(_clamp_min, input, bounds[0])
    return input if max is None else call(_clamp_max, input, bounds[-1])


def clamp_min(input: Value, min: Value) -> Value:
    """
    Elements no smaller than a bound.

    Parameters
    ----------
    input : Tensor
        Any shape.
    min : Tensor or number
        Lower bound; broadcasts against `input`.

    Returns
    -------
    Tensor
        In the common dtype.

    Examples
    --------
    >>> tp.clamp_min(tp.tensor([-2.0, 3.0]), 0)
    tensor([0., 3.])
    """
    return clamp(input, min)


def clamp_max(input: Value, max: Value) -> Value:
    """
    Elements no larger than a bound.

    Parameters
    ----------
    input : Tensor
        Any shape.
    max : Tensor or number
        Upper bound; broadcasts against `input`.

    Returns
    -------
    Tensor
        In the common dtype.

    Examples
    --------
    >>> tp.clamp_max(tp.tensor([-2.0, 3.0]), 0)
    tensor([-2.,  0.])
    """
    return clamp(input, None, max)


_heaviside = elementwise("heaviside", np.heaviside, [None, lambda _out, x, _y: eq(x, 0)])


def heaviside(input: Value, values: Value) -> Value:
    """
    Heaviside step function: 0 for negative elements, 1 for positive ones, `values` at zero.

    Parameters
    ----------
    input : Tensor
        Any shape.
    values : Tensor
        What the step is at zero; of the same dtype, broadcasts against `input`.

    Returns
    -------
    Tensor
        In the broadcast shape.

    Raises
    ------
    RuntimeError
        If the dtypes differ.

    Examples
    --------
    >>> tp.heaviside(tp.tensor([-1.0, 0.0, 2.0]), tp.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    if input.dtype != values.dtype:
        raise RuntimeError(f"heaviside(): input and values must have one dtype, got {input.dtype} and {values.dtype}")
    if input.dtype.kind == "f":
        return call(_heaviside, input, values)
    only("bui", "heaviside", input)
    return where(eq(input, 0), values, cast(gt(input, 0), input.dtype))


def nan_to_num(input: Value, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Value:
    """
    The tensor with NaN and infinities replaced by numbers.

    Parameters
    ----------
    input : Tensor
        Any shape; parts of complex elements are replaced one by one.
    nan : float, default 0.0
        In place of NaN.
    posinf, neginf : float, optional
        In place of the infinities; by default the largest and the smallest finite number of the dtype.

    Returns
    -------
    Tensor
        Shape and dtype of `input`. The derivative is zero where something was replaced.

    Examples
    --------
    >>> tp.nan_to_num(tp.tensor([1.0, float("nan"), float("inf")]), nan=5.0, posinf=7.0)
    tensor([1., 5., 7.])
    """
    if input.dtype.kind not in "fc":
        return copy(input)
    return _nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)


def _nan_to_num(input: Value, nan: float | None, posinf: float | None, neginf: float | None) -> Value:
    if input.dtype.kind == "c":
        from tensorplay.ops import complex_numbers as cn

        parts = [_nan_to_num(part(input), nan, posinf, neginf) for part in (cn.real, cn.imag)]
        return cn.complex(*parts)
    bounds = np.finfo(input.dtype)
    out = where(isnan(input), 0.0 if nan is None else nan, input)
    out = where(isposinf(out), float(bounds.max) if posinf is None else posinf, out)
    return where(isneginf(out), float(bounds.min) if neginf is None else neginf, out)
