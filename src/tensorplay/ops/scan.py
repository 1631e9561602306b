"""
Cumulative functions along a dim.

Their derivatives are linear recurrences ``h[k] = a[k] h[k-1] + b[k]``, and those of a recurrence are recurrences again:
with that one primitive the family is closed, and exact where elements are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import INT64, NumpyDtype, from_numpy_dtype
from tensorplay.lazy import LazyModule
from tensorplay.ops import families
from tensorplay.ops.families import OUT, conj, elementwise, scale, structural, sum_of
from tensorplay.ops.indexing import take_along
from tensorplay.ops.promotion import cast
from tensorplay.ops.results import ValuesIndices
from tensorplay.ops.shape import Key, cat, embed, one_dim, slice_key

blas = LazyModule("scipy.linalg.blas")

# ---- helpers ---------------------------------------------------------------------------------------------------------


def part(dim: int, ndim: int, *bounds: int | None) -> Key:
    """Key of a slice along `dim`."""
    return (*(slice(None),) * dim, slice(*bounds), *(slice(None),) * (ndim - dim - 1))


def shift(value: Value, dim: int, reverse: bool) -> Value:
    """`value` moved on by one position along `dim` (back if `reverse`); a zero comes in."""
    come_from, to = part(dim, value.ndim, None, -1), part(dim, value.ndim, 1, None)
    if reverse:
        come_from, to = to, come_from
    return embed(slice_key(value, key=come_from), shape=value.shape, key=to)


def exclusive_cumprod(value: Value, dim: int, reverse: bool = False) -> Value:
    """Product of the elements before each one along `dim` (behind it if `reverse`)."""
    if value.shape[dim] == 0:
        return value
    one = np.ones((*value.shape[:dim], 1, *value.shape[dim + 1 :]), value.dtype)
    if reverse:
        return cat([_cumprod(slice_key(value, key=part(dim, value.ndim, 1, None)), dim=dim, reverse=True), one], dim)
    return cat([one, _cumprod(slice_key(value, key=part(dim, value.ndim, None, -1)), dim=dim, reverse=False)], dim)


def _accumulate(ufunc: np.ufunc, x: Any, dim: int, reverse: bool) -> Any:
    if not reverse:
        return ufunc.accumulate(x, axis=dim, dtype=x.dtype)
    key = part(dim, x.ndim, None, None, -1)
    return ufunc.accumulate(x[key], axis=dim, dtype=x.dtype)[key]


def _prepared(input: Value, dim: int, dtype: NumpyDtype | None, name: str) -> tuple[Value, int]:
    """`input` in the dtype to accumulate in, a 0-d one as a vector, and the dim as a non-negative int."""
    if dtype is None and input.dtype.kind in "bui":
        dtype = INT64
    value = input if dtype is None else cast(input, np.dtype(dtype))
    axis = one_dim(dim, input.ndim, name)
    return (value if value.ndim else families.reshape(value, shape=(1,))), axis


# ---- recurrence ------------------------------------------------------------------------------------------------------


def _recurrence_impl(a: Any, b: Any, dim: int, reverse: bool) -> Any:
    out = np.empty(b.shape, b.dtype)
    order = slice(None, None, -1) if reverse else slice(None)
    rows_a, rows_b, rows = [np.moveaxis(v, dim, 0)[order] for v in (a, b, out)]  # [n, *rest]
    solve = {"f": blas.stbsv, "d": blas.dtbsv, "F": blas.ctbsv, "D": blas.ztbsv}.get(b.dtype.char)
    if solve is None or len(rows) <= rows.size // max(len(rows), 1):
        _forward(rows_a, rows_b, rows)
    else:
        for place in np.ndindex(rows.shape[1:]):
            column = (slice(None), *place)
            rows[column] = _solved(solve, rows_a[column], rows_b[column])
    return out


def _forward(a: Any, b: Any, out: Any) -> None:
    """The recurrence along dim 0, step by step."""
    carry: Any = 0
    for k in range(len(out)):
        carry = out[k] = a[k] * carry + b[k]


def _solved(solve: Any, a: Any, b: Any) -> Any:
    """The recurrence for one vector: a bidiagonal system with ones on the diagonal."""
    bands = np.zeros((2, len(b)), b.dtype, order="F")
    bands[1, :-1] = -a[1:]
    return solve(1, bands, b, lower=1, diag=1)


# h[k] = a[k] h[k-1] + b[k] along `dim` (h[k+1] if `reverse`), from zero.
recurrence = Primitive("recurrence", _recurrence_impl, "general", (frozenset({0, OUT}), frozenset({0})))


@recurrence.derivative
def _recurrence_derivative(out: Value, a: Value, b: Value, *, dim: int, reverse: bool) -> LinearMap:
    def push(a_dot: Value | None, b_dot: Value | None) -> Value:
        drive = None if a_dot is None else scale(a_dot, shift(out, dim, reverse))
        return recurrence(a, sum_of(drive, b_dot), dim=dim, reverse=reverse)

    def pull(ct: Value) -> tuple[Any, ...]:
        back = recurrence(shift(conj(a), dim, not reverse), ct, dim=dim, reverse=not reverse)
        return (lambda: scale(back, conj(shift(out, dim, reverse))), back)

    return LinearMap(push, pull)


@recurrence.batch
def _recurrence_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int, reverse: bool
) -> tuple[Value, bool]:
    a, b = families.all_mapped(size, args, mapped)
    return recurrence(a, b, dim=dim + 1, reverse=reverse), True


# ---- sums and products -----------------------------------------------------------------------------------------------

_cumsum: Primitive = structural(
    "cumsum",
    lambda x, dim, reverse: _accumulate(np.add, x, dim, reverse),
    transpose=lambda ct, x, dim, reverse: _cumsum(ct, dim=dim, reverse=not reverse),
    batch=lambda size, args, mapped, dim, reverse: (_cumsum(args[0], dim=dim + 1, reverse=reverse), True),
)


def cumsum(input: Value, dim: int, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Sums of the elements up to each position along a dim.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; integers and bools are added in int64.
    dim : int
        Dim to add along.
    dtype : dtype, optional
        Convert to it before adding.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.cumsum(tp.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([1., 3., 6.])
    """
    value, axis = _prepared(input, dim, dtype, "cumsum")
    return families.reshape(_cumsum(value, dim=axis, reverse=False), shape=input.shape)


_cumprod = Primitive(
    "cumprod", lambda x, dim, reverse: _accumulate(np.multiply, x, dim, reverse), "general", (frozenset({0}),)
)


@_cumprod.derivative
def _cumprod_derivative(out: Value, x: Value, *, dim: int, reverse: bool) -> LinearMap:
    def before() -> Value:
        return exclusive_cumprod(x, dim, reverse)

    def push(x_dot: Value) -> Value:
        return recurrence(x, scale(x_dot, before()), dim=dim, reverse=reverse)

    def pull(ct: Value) -> tuple[Value]:
        back = recurrence(shift(conj(x), dim, not reverse), ct, dim=dim, reverse=not reverse)
        return (scale(back, conj(before())),)

    return LinearMap(push, pull)


@_cumprod.batch
def _cumprod_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int, reverse: bool
) -> tuple[Value, bool]:
    return _cumprod(args[0], dim=dim + 1, reverse=reverse), True


def cumprod(input: Value, dim: int, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Products of the elements up to each position along a dim.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; integers and bools are multiplied in int64.
    dim : int
        Dim to multiply along.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`. Derivatives of any order are exact where elements are zero.

    Examples
    --------
    >>> tp.cumprod(tp.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([1., 2., 6.])
    """
    value, axis = _prepared(input, dim, dtype, "cumprod")
    return families.reshape(_cumprod(value, dim=axis, reverse=False), shape=input.shape)


# ---- extremes --------------------------------------------------------------------------------------------------------


def _position_of(name: str, ufunc: np.ufunc) -> Primitive:
    """A primitive for the position of the extreme so far along `dim`, the latest of several that tie."""

    def impl(x: Any, dim: int) -> Any:
        numbers = np.arange(x.shape[dim]).reshape([-1 if d == dim else 1 for d in range(x.ndim)])
        reached = (x == ufunc.accumulate(x, axis=dim)) | (x != x)
        return np.maximum.accumulate(np.where(reached, numbers, 0), axis=dim)

    prim = Primitive(name, impl, differentiable=False)
    prim.batch(lambda size, args, mapped, dim: (prim(args[0], dim=dim + 1), True))
    return prim


_cummax_position = _position_of("cummax", np.maximum)
_cummin_position = _position_of("cummin", np.minimum)


def _cumulative_extreme(position: Primitive, input: Value, dim: int, name: str) -> ValuesIndices:
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name}(): complex numbers have no order; got {from_numpy_dtype(input.dtype)}")
    axis = one_dim(dim, input.ndim, name)
    value = input if input.ndim else families.reshape(input, shape=(1,))
    index = position(value, dim=axis)
    return ValuesIndices(
        families.reshape(take_along(value, index, dim=axis), shape=input.shape),
        families.reshape(index, shape=input.shape),
    )


def cummax(input: Value, dim: int) -> ValuesIndices:
    """
    Greatest element up to each position along a dim, and where it stands.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; from a NaN on, all is NaN.
    dim : int
        Dim to go along.

    Returns
    -------
    values, indices : Tensor
        Shape of `input`; of several elements that tie, the latest is selected.

    Examples
    --------
    >>> tp.cummax(tp.tensor([1.0, 3.0, 2.0]), dim=0).values
    tensor([1., 3., 3.])
    """
    return _cumulative_extreme(_cummax_position, input, dim, "cummax")


def cummin(input: Value, dim: int) -> ValuesIndices:
    """
    Least element up to each position along a dim, and where it stands.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; from a NaN on, all is NaN.
    dim : int
        Dim to go along.

    Returns
    -------
    values, indices : Tensor
        Shape of `input`; of several elements that tie, the latest is selected.

    Examples
    --------
    >>> tp.cummin(tp.tensor([2.0, 1.0, 3.0]), dim=0).indices
    tensor([0, 1, 1])
    """
    return _cumulative_extreme(_cummin_position, input, dim, "cummin")


# ---- log-sum-exp -----------------------------------------------------------------------------------------------------


def _share_impl(x: Any, total: Any) -> Any:
    out = np.exp(x - total)
    infinite = np.isinf(total.real) & (x == total)
    return np.where(infinite, total.real > 0, out) if infinite.any() else out


# exp(x - total), with its limits at infinity: 0 of minus infinity, 1 of infinity.
_share = elementwise("exp_share", _share_impl, [lambda out, _x, _t: out, lambda out, _x, _t: families.negative(out)])


def _logcumsumexp_impl(x: Any, dim: int) -> Any:
    if x.dtype.kind == "f":
        return np.logaddexp.accumulate(x, axis=dim)
    out = np.empty_like(x)
    rows, rows_out = np.moveaxis(x, dim, 0), np.moveaxis(out, dim, 0)
    carry = np.full(rows.shape[1:], -np.inf, x.dtype)
    for k, row in enumerate(rows):
        carry = rows_out[k] = _log_of_sum(carry, row)
    return out


def _log_of_sum(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) of complex numbers, on the branch of the one with the larger real part."""
    swap = y.real > x.real
    large, small = np.where(swap, y, x), np.where(swap, x, y)
    rest = np.where(np.isneginf(small.real), 0, np.exp(small - large))
    return large + np.log1p(rest)


_logcumsumexp = Primitive("logcumsumexp", _logcumsumexp_impl)


@_logcumsumexp.derivative
def _logcumsumexp_derivative(out: Value, x: Value, *, dim: int) -> LinearMap:
    earlier, later = part(dim, x.ndim, None, -1), part(dim, x.ndim, 1, None)

    def of_before() -> Value:
        """Share of what came before in each result."""
        return embed(_share(slice_key(out, key=earlier), slice_key(out, key=later)), shape=x.shape, key=later)

    def push(x_dot: Value) -> Value:
        return recurrence(of_before(), scale(x_dot, _share(x, out)), dim=dim, reverse=False)

    def pull(ct: Value) -> tuple[Value]:
        back = recurrence(shift(conj(of_before()), dim, True), ct, dim=dim, reverse=True)
        return (scale(back, conj(_share(x, out))),)

    return LinearMap(push, pull)


@_logcumsumexp.batch
def _logcumsumexp_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int) -> tuple[Value, bool]:
    return _logcumsumexp(args[0], dim=dim + 1), True


def logcumsumexp(input: Value, dim: int) -> Value:
    """
    Logarithms of the sums of the elements' exponentials up to each position along a dim.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    dim : int
        Dim to go along.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.logcumsumexp(tp.tensor([0.0, 0.0]), dim=0)
    tensor([0.0000, 0.6931])
    """
    if input.dtype.kind not in "fc":
        raise RuntimeError(
            f"logcumsumexp(): expected a floating-point or complex tensor, got {from_numpy_dtype(input.dtype)}"
        )
    value, axis = _prepared(input, dim, None, "logcumsumexp")
    return families.reshape(_logcumsumexp(value, dim=axis), shape=input.shape)
