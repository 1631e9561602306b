"""
Order statistics: sort, top k, median, quantiles, and searching in what is sorted.

What is selected is found by primitives that only give positions; the values are then taken from there, so derivatives
and maps need no rule of their own. NaN counts as greater than every number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import INT64, from_numpy_dtype
from tensorplay.errors import shown
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families, sums
from tensorplay.ops.extremes import share_of_extreme
from tensorplay.ops.families import kept_shape
from tensorplay.ops.indexing import take_along, where
from tensorplay.ops.promotion import cast
from tensorplay.ops.reducing import (
    count_along,
    drop_dim,
    keep,
    need_elements,
    need_order,
    same,
    select,
    whole,
    with_dim,
)
from tensorplay.ops.results import ValuesIndices
from tensorplay.ops.shape import broadcast_to, copy, movedim, one_dim, some_dims


def positions(name: str, impl: Callable[..., Any]) -> Primitive:
    """A primitive for positions of elements along `dim`; `impl` may use other parameters too."""
    prim = Primitive(name, impl, differentiable=False)
    prim.batch(lambda size, args, mapped, dim, **params: (prim(args[0], dim=dim + 1, **params), True))
    return prim


# ---- sort ------------------------------------------------------------------------------------------------------------


def ascending(x: Any, dim: int) -> Any:
    """Positions that sort; equal elements keep their order."""
    if x.dtype.kind not in "fiu" or x.itemsize < 4 or x.size < 4096:
        return np.argsort(x, axis=dim, kind="stable")
    # the stable sort is the slowest of all on long rows
    rows = np.ascontiguousarray(np.moveaxis(x, dim, -1))
    order = None if x.dtype.kind == "f" else _by_keys(rows)
    if order is None:
        order = np.argsort(rows, axis=-1)
        _settle_ties(order, run_starts(np.take_along_axis(rows, order, -1)))
    return np.moveaxis(order, -1, dim)


def _by_keys(rows: Any) -> Any:
    """Positions that sort rows of integers, read off sorted pairs (element, position); None if a pair has no room."""
    length, least = rows.shape[-1], rows.min()
    if (int(rows.max()) - int(least) + 1) * length >= 1 << 63:
        return None
    wide = rows if rows.dtype.kind == "u" else rows.astype(INT64)
    keys = (wide - wide.dtype.type(least)).astype(INT64) * length + np.arange(length)
    keys.sort(axis=-1)
    return keys % length


def run_starts(ranked: Any) -> Any:
    """Which elements of sorted rows differ from the one before, NaN being equal to NaN."""
    starts = np.ones(ranked.shape, np.bool_)
    before, behind = ranked[..., :-1], ranked[..., 1:]
    np.less(before, behind, out=starts[..., 1:])
    if ranked.dtype.kind == "f" and ranked.size and np.isnan(ranked[..., -1]).any():
        starts[..., 1:] |= (behind != behind) & (before == before)
    return starts


def _settle_ties(order: Any, starts: Any) -> None:
    """Sort, within each run of equal elements, the positions `order` of theirs."""
    flat, starts = order.reshape(-1), starts.reshape(-1)
    tied = np.flatnonzero(~(starts & np.append(starts[1:], True)))
    if tied.size:
        offset = np.cumsum(starts[tied]) * order.shape[-1]
        flat[tied] = np.sort(offset + flat[tied]) - offset


def _argsort_impl(x: Any, dim: int, descending: bool) -> Any:
    if not descending:
        return ascending(x, dim)
    # of the reversed tensor, so that equal elements keep their order
    order = ascending(np.flip(x, axis=dim), dim)
    return np.flip(x.shape[dim] - 1 - order, axis=dim)


_argsort = positions("argsort", _argsort_impl)


def sort(input: Value, dim: int = -1, descending: bool = False, stable: bool = False) -> ValuesIndices:
    """
    Elements in order along a dim, and where they came from.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    dim : int, default -1
        Dim to sort along.
    descending : bool, default False
        Whether the greatest comes first.
    stable : bool, default False
        Equal elements always keep their order, whatever is given here.

    Returns
    -------
    values, indices : Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.sort(tp.tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    order = argsort(input, dim, descending)
    if input.ndim == 0:
        return ValuesIndices(copy(input), order)
    return ValuesIndices(take_along(input, order, dim=one_dim(dim, input.ndim, "sort")), order)


def argsort(input: Value, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Value:
    """
    Positions that sort the elements along a dim.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    dim : int, default -1
        Dim to sort along.
    descending : bool, default False
        Whether the greatest comes first.
    stable : bool, default False
        Equal elements always keep their order, whatever is given here.

    Returns
    -------
    Tensor
        int64, in the shape of `input`.

    Examples
    --------
    >>> tp.argsort(tp.tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    need_order(input, "sort")
    axis = one_dim(dim, input.ndim, "sort")
    return families.reshape(_argsort(with_dim(input), dim=axis, descending=descending), shape=input.shape)


def msort(input: Value) -> Value:
    """
    Elements in order along the first dim.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.msort(tp.tensor([3.0, 1.0, 2.0]))
    tensor([1., 2., 3.])
    """
    return sort(input, 0).values


# ---- a few of the greatest or least ----------------------------------------------------------------------------------


def _topk_impl(x: Any, dim: int, k: int, largest: bool) -> Any:
    n = x.shape[dim]
    if k < n:
        near = np.argpartition(x, n - k if largest else k - 1, axis=dim) if k else np.argsort(x, axis=dim)
        near = np.take(near, np.arange(n - k, n) if largest else np.arange(k), axis=dim)
        near.sort(axis=dim)  # equal elements in their own order
        return np.take_along_axis(near, _argsort_impl(np.take_along_axis(x, near, dim), dim, largest), dim)
    return _argsort_impl(x, dim, largest)


_topk = positions("topk", _topk_impl)


def topk(input: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesIndices:
    """
    The `k` greatest (or least) elements along a dim, and their positions.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    k : int
        How many.
    dim : int, default -1
        Dim to select along.
    largest : bool, default True
        Whether the greatest are wanted, not the least.
    sorted : bool, default True
        The result is always in order, whatever is given here.

    Returns
    -------
    values, indices : Tensor
        Of size `k` along the dim.

    Examples
    --------
    >>> tp.topk(tp.tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    need_order(input, "topk")
    axis = one_dim(dim, input.ndim, "topk")
    value, k = with_dim(input), whole(k, "topk", "k")
    if not 0 <= k <= value.shape[axis]:
        raise RuntimeError(f"topk(): k must be in [0, {value.shape[axis]}], the size of dim {axis}, got {k}")
    index = _topk(value, dim=axis, k=k, largest=largest)
    values = take_along(value, index, dim=axis)
    if input.ndim == 0 and k == 1:
        return ValuesIndices(families.reshape(values, shape=()), families.reshape(index, shape=()))
    return ValuesIndices(values, index)


_kth = positions("kthvalue", lambda x, dim, k: np.take(np.argpartition(x, k, axis=dim), [k], axis=dim))


def kthvalue(input: Value, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """
    The `k`-th least element along a dim, and its position.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    k : int
        1 is the least.
    dim : int, default -1
        Dim to select along.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    values, indices : Tensor
        Without the dim, or with size 1 along it.

    Examples
    --------
    >>> tp.kthvalue(tp.tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    need_order(input, "kthvalue")
    axis = one_dim(dim, input.ndim, "kthvalue")
    value, k = with_dim(input), whole(k, "kthvalue", "k")
    need_elements(value, (axis,), "kthvalue")
    if not 1 <= k <= value.shape[axis]:
        raise RuntimeError(f"kthvalue(): k must be in [1, {value.shape[axis]}], the size of dim {axis}, got {k}")
    return select(input, _kth(value, dim=axis, k=k - 1), axis, keepdim)


# ---- the middle ------------------------------------------------------------------------------------------------------


def _median_position_impl(x: Any, dim: int, skip_nan: bool) -> Any:
    nan = x != x
    if skip_nan and nan.any():
        middle = np.maximum(np.add.reduce(~nan, axis=dim, keepdims=True, dtype=INT64) - 1, 0) // 2
        return np.take_along_axis(ascending(x, dim), middle, dim)
    middle = (x.shape[dim] - 1) // 2
    found = np.take(np.argpartition(x, middle, axis=dim), [middle], axis=dim)
    if nan.any():
        found = np.where(np.any(nan, axis=dim, keepdims=True), np.argmax(nan, axis=dim, keepdims=True), found)
    return found


_median_position = positions("median_position", _median_position_impl)


def _median_of_all(name: str, skip_nan: bool) -> Primitive:
    """The median over several dims at once; elements that equal it share its derivative."""

    def impl(x: Any, dims: tuple[int, ...]) -> Any:
        rest = [d for d in range(x.ndim) if d not in dims]
        shape = [x.shape[d] for d in rest]
        rows = x.transpose(*rest, *dims).reshape(*shape, count_along(x.shape, dims))  # [*rest, n]
        return np.take_along_axis(rows, _median_position_impl(rows, len(rest), skip_nan), len(rest)).reshape(shape)

    return families.reduction(name, impl, share_of_extreme)


_median = _median_of_all("median", False)
_nanmedian = _median_of_all("nanmedian", True)


def _middle(prim: Primitive, input: Value, dim: int | None, keepdim: bool, name: str) -> Any:
    need_order(input, name)
    if dim is None:
        if input.size == 0 and input.dtype.kind == "f":
            return np.asarray(np.nan, input.dtype)
        dims = some_dims(None, input.ndim, name)
        need_elements(input, dims, name)
        return keep(prim(input, dims=dims), keepdim, input.shape, dims)
    axis = one_dim(dim, input.ndim, name)
    value = with_dim(input)
    need_elements(value, (axis,), name)
    return select(input, _median_position(value, dim=axis, skip_nan=prim is _nanmedian), axis, keepdim)


def median(input: Value, dim: int | None = None, keepdim: bool = False) -> Any:
    """
    The middle element, the lower one of two; along a dim also its position.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int, optional
        Dim to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.

    Returns
    -------
    Tensor or (values, indices)
        NaN where an element is. Without `dim`, elements that equal the median share its derivative.

    Examples
    --------
    >>> tp.median(tp.tensor([3.0, 1.0, 2.0, 4.0]))
    tensor(2.)
    """
    return _middle(_median, input, dim, keepdim, "median")


def nanmedian(input: Value, dim: int | None = None, keepdim: bool = False) -> Any:
    """
    The middle one of the elements that are not NaN, the lower one of two; along a dim also its position.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int, optional
        Dim to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.

    Returns
    -------
    Tensor or (values, indices)
        NaN only where all elements are.

    Examples
    --------
    >>> tp.nanmedian(tp.tensor([3.0, float("nan"), 2.0]))
    tensor(2.)
    """
    return _middle(_nanmedian, input, dim, keepdim, "nanmedian")


def _mode_impl(x: Any, dim: int) -> Any:
    """Position of the last occurrence of the least of the most frequent elements."""
    order = ascending(x, dim)
    ranked = np.moveaxis(np.take_along_axis(x, order, dim), dim, -1)
    starts = run_starts(ranked)
    numbers = np.arange(ranked.shape[-1])
    first = np.maximum.accumulate(np.where(starts, numbers, 0), axis=-1)
    ends = np.argmax(numbers - first, axis=-1, keepdims=True)  # the longest run ends here
    return np.take_along_axis(order, np.moveaxis(ends, -1, dim), dim)


_mode_position = positions("mode", _mode_impl)


def mode(input: Value, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """
    The most frequent element along a dim, the least one of several, and its last position.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int, default -1
        Dim to reduce.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    values, indices : Tensor
        Without the dim, or with size 1 along it.

    Examples
    --------
    >>> tp.mode(tp.tensor([3, 1, 3, 2])).values
    tensor(3)
    """
    need_order(input, "mode")
    axis = one_dim(dim, input.ndim, "mode")
    value = with_dim(input)
    need_elements(value, (axis,), "mode")
    return select(input, _mode_position(value, dim=axis), axis, keepdim)


# ---- quantiles -------------------------------------------------------------------------------------------------------

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(
    input: Value, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool, name: str
) -> Value:
    q = _checked_q(input, q, interpolation, name)
    axis = 0 if dim is None else one_dim(dim, input.ndim, name)
    rows = families.reshape(input, shape=(input.size,)) if dim is None or input.ndim == 0 else movedim(input, axis, -1)
    if rows.shape[-1] == 0:
        raise RuntimeError(f"{name}(): needs at least one element to reduce, got shape {list(input.shape)}")
    found = _at_ranks(rows, with_dim(q), interpolation, skip_nan)  # [*rest, m]
    if keepdim:
        all_dims = some_dims(None if dim is None else axis, input.ndim, name)
        found = families.reshape(found, shape=(*kept_shape(input.shape, all_dims), found.shape[-1]))
    return movedim(found, -1, 0) if q.ndim else drop_dim(found, found.ndim - 1)


def _checked_q(input: Value, q: Any, interpolation: str, name: str) -> Value:
    """`q` as a value of at most one dim, in the dtype of the input."""
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"{name}(): interpolation must be one of {', '.join(_INTERPOLATIONS)}, got {shown(interpolation)}"
        )
    if input.dtype.kind != "f":
        raise RuntimeError(f"{name}(): expected a floating-point tensor, got {from_numpy_dtype(input.dtype)}")
    if not hasattr(q, "dtype"):
        q = np.asarray(q, input.dtype)
    if q.ndim > 1 or q.dtype != input.dtype:
        raise RuntimeError(
            f"{name}(): q must be a number or a tensor of at most one dim in the dtype of the input "
            f"({from_numpy_dtype(input.dtype)}), got shape {list(q.shape)} and {from_numpy_dtype(q.dtype)}"
        )
    if isinstance(q, np.ndarray) and not ((q >= 0) & (q <= 1)).all():
        raise RuntimeError(f"{name}(): q must lie in [0, 1], got {q.tolist()}")
    return q


def _at_ranks(rows: Value, q: Value, interpolation: str, skip_nan: bool) -> Value:
    """Quantiles of the rows [*rest, n] at `q` [m]: [*rest, m]."""
    ordered = sort(rows).values
    count = sums.sum(cast(ew.logical_not(ew.isnan(rows)), rows.dtype), -1, True)  # [*rest, 1]
    last = ew.sub(count, 1) if skip_nan else np.asarray(rows.shape[-1] - 1, rows.dtype)
    rank = ew.mul(q, ew.maximum(last, np.zeros((), rows.dtype)))
    if interpolation == "nearest":
        rank = ew.round(rank)
    below = ew.floor(rank)
    above = below if interpolation in ("lower", "nearest") else ew.ceil(rank)
    low, high = [_taken(ordered, number) for number in ((above if interpolation == "higher" else below), above)]
    weight = np.asarray(0.5, rows.dtype) if interpolation == "midpoint" else ew.sub(rank, below)
    gap = where(same(low, high), np.zeros((), rows.dtype), ew.sub(high, low))
    found = ew.add(low, ew.mul(gap, weight))
    if skip_nan:
        return found
    complete = ew.eq(count, rows.shape[-1])
    return where(complete, found, np.asarray(np.nan, rows.dtype))


def _taken(ordered: Value, rank: Value) -> Value:
    index = broadcast_to(cast(rank, INT64), (*ordered.shape[:-1], rank.shape[-1]))
    return take_along(ordered, index, dim=ordered.ndim - 1)


def quantile(
    input: Value,
    q: Value | float | Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Value:
    """
    Quantiles of the elements.

    Parameters
    ----------
    input : Tensor
        Floating-point, of any shape.
    q : float or Tensor
        In [0, 1]; a tensor has at most one dim.
    dim : int, optional
        Dim to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}, default "linear"
        What is given where a quantile lies between two elements.

    Returns
    -------
    Tensor
        With a first dim for the entries of `q` if it has one; NaN where an element is.

    Examples
    --------
    >>> tp.quantile(tp.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    return _quantile(input, q, dim, keepdim, interpolation, False, "quantile")


def nanquantile(
    input: Value,
    q: Value | float | Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Value:
    """
    Quantiles of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Floating-point, of any shape.
    q : float or Tensor
        In [0, 1]; a tensor has at most one dim.
    dim : int, optional
        Dim to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}, default "linear"
        What is given where a quantile lies between two elements.

    Returns
    -------
    Tensor
        With a first dim for the entries of `q` if it has one; NaN only where all elements are.

    Examples
    --------
    >>> tp.nanquantile(tp.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """
    return _quantile(input, q, dim, keepdim, interpolation, True, "nanquantile")
