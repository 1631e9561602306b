"""Searching: positions in what is sorted, membership, and the distinct elements of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import INT64
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families
from tensorplay.ops.indexing import concrete, take, take_along
from tensorplay.ops.promotion import as_value, cast, promote
from tensorplay.ops.reducing import need_order
from tensorplay.ops.shape import one_dim
from tensorplay.ops.sorting import ascending, sort

# ---- searchsorted ----------------------------------------------------------------------------------------------------


def _precedes(x: Any, y: Any) -> Any:
    """x < y, NaN being greater than every number."""
    return (x < y) | ((y != y) & (x == x))


def _search_impl(ordered: Any, values: Any, right: bool) -> Any:
    if ordered.ndim == 1 and (ordered[:-1] <= ordered[1:]).all():
        return np.searchsorted(ordered, values, side="right" if right else "left").astype(INT64, copy=False)
    # step by step for all values at once; of what is not sorted, every map makes the same of it
    length = ordered.shape[-1]
    low, high = np.zeros(values.shape, INT64), np.full(values.shape, length, INT64)
    for _ in range(int(length).bit_length()):
        middle = (low + high) // 2
        at = np.minimum(middle, length - 1)
        there = ordered[at] if ordered.ndim == 1 else np.take_along_axis(ordered, at, -1)
        later = ~_precedes(values, there) if right else _precedes(there, values)
        going = low < high
        low, high = np.where(going & later, middle + 1, low), np.where(going & ~later, middle, high)
    return low


# Where each value belongs in its row: rows [*lead, n], values [*lead, m]; or one row [n] and values of any shape.
_search = Primitive("searchsorted", _search_impl, differentiable=False)


@_search.batch
def _search_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, right: bool) -> tuple[Value, bool]:
    ordered, values = args
    if not mapped[0] and ordered.ndim == 1:
        return _search(ordered, values, right=right), True
    ordered, values = families.all_mapped(size, args, mapped)
    if ordered.ndim > 2:
        return _search(ordered, values, right=right), True
    flat = families.reshape(values, shape=(size, int(np.prod(values.shape[1:], dtype=np.int64))))
    return families.reshape(_search(ordered, flat, right=right), shape=values.shape), True


def searchsorted(
    sorted_sequence: Value,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Value | None = None,
) -> Value:
    """
    Positions at which values keep a sorted sequence sorted.

    Parameters
    ----------
    sorted_sequence : Tensor
        Sorted along its last dim (or by `sorter`).
    input : Tensor or float
        Values to search for: of any shape if the sequence has one dim, else with the same dims but for the last.
    out_int32 : bool, default False
        Whether the result is int32, not int64.
    right : bool, default False
        Whether the position behind equal elements is wanted, not that before them.
    side : {"left", "right"}, optional
        Another way to say `right`.
    sorter : Tensor, optional
        Positions that sort the sequence, as `argsort` gives them.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.searchsorted(tp.tensor([1.0, 3.0, 5.0]), tp.tensor([3.0, 4.0]))
    tensor([1, 2])
    """
    return _searched("searchsorted", sorted_sequence, as_value(input), out_int32, _to_the_right(right, side), sorter)


def _to_the_right(right: bool, side: str | None) -> bool:
    if side not in (None, "left", "right"):
        raise RuntimeError(f"searchsorted(): side must be 'left' or 'right', got {side!r}")
    if right and side == "left":
        raise RuntimeError("searchsorted(): right=True and side='left' contradict each other")
    return right or side == "right"


def _searched(name: str, ordered: Value, values: Value, out_int32: bool, right: bool, sorter: Value | None) -> Value:
    if ordered.ndim == 0 or (ordered.ndim > 1 and ordered.shape[:-1] != values.shape[:-1]):
        raise RuntimeError(
            f"{name}(): the sorted sequence must have one dim, or all dims but the last in common with the values; got "
            f"{list(ordered.shape)} and {list(values.shape)}"
        )
    if sorter is not None:
        if sorter.shape != ordered.shape or sorter.dtype.kind not in "iu":
            raise RuntimeError(
                f"{name}(): sorter must hold integers in the shape of the sequence {list(ordered.shape)}, got shape "
                f"{list(sorter.shape)}"
            )
        ordered = take_along(ordered, sorter, dim=ordered.ndim - 1)
    found = _search(*_comparable(ordered, values), right=right)
    return cast(found, np.dtype(np.int32)) if out_int32 else found


def _comparable(ordered: Value, values: Value) -> tuple[Value, ...]:
    """Both in a dtype in which none of them is rounded."""
    need_order(ordered, "searchsorted")
    need_order(values, "searchsorted")
    dtype = np.promote_types(ordered.dtype, values.dtype)
    return cast(ordered, dtype), cast(values, dtype)


def bucketize(input: Any, boundaries: Value, *, out_int32: bool = False, right: bool = False) -> Value:
    """
    Number of the bucket between sorted boundaries that each value falls into.

    Parameters
    ----------
    input : Tensor or float
        Any shape.
    boundaries : Tensor
        One dim, increasing.
    out_int32 : bool, default False
        Whether the result is int32, not int64.
    right : bool, default False
        Whether a value on a boundary belongs to the bucket above it.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.bucketize(tp.tensor([3.0, 6.0]), tp.tensor([1.0, 3.0, 5.0]))
    tensor([1, 3])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"bucketize(): boundaries must have one dim, got shape {list(boundaries.shape)}")
    return _searched("bucketize", boundaries, as_value(input), out_int32, right, None)


# ---- membership ------------------------------------------------------------------------------------------------------


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Value:
    """
    Whether each element occurs among others.

    Parameters
    ----------
    elements : Tensor or number
        Any shape.
    test_elements : Tensor or number
        Any shape.
    assume_unique : bool, default False
        Without effect on the result.
    invert : bool, default False
        Whether to say the contrary.

    Returns
    -------
    Tensor
        Bools in the shape of `elements`.

    Examples
    --------
    >>> tp.isin(tp.tensor([1, 2, 3]), tp.tensor([2, 3]))
    tensor([False,  True,  True])
    """
    values, tests = promote(as_value(elements), as_value(test_elements))
    if tests.size == 0:
        return np.full(values.shape, invert)
    ordered = sort(families.reshape(tests, shape=(tests.size,))).values
    number = families.reshape(_search(ordered, values, right=False), shape=values.shape)
    nearest = take(ordered, ew.minimum(number, np.asarray(tests.size - 1)), start=0)
    return (ew.ne if invert else ew.eq)(values, nearest)


# ---- distinct elements -----------------------------------------------------------------------------------------------


def _result(values: Value, inverse: Any, counts: Any, return_inverse: bool, return_counts: bool) -> Any:
    extra = [array.astype(INT64) for array, wanted in ((inverse, return_inverse), (counts, return_counts)) if wanted]
    return (values, *extra) if extra else values


def unique(
    input: Value, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """
    The distinct elements, or the distinct slices along a dim, in order.

    Parameters
    ----------
    input : Tensor
        Any shape.
    sorted : bool, default True
        The result is always in order, whatever is given here.
    return_inverse : bool, default False
        Whether to say where each element went.
    return_counts : bool, default False
        Whether to say how often each occurred.
    dim : int, optional
        Compare the slices along it; by default the elements.

    Returns
    -------
    Tensor or tuple of Tensor
        The distinct elements, then the inverse and the counts, if asked for.

    Raises
    ------
    RuntimeError
        On a tensor that `vmap` maps over: the size of the result depends on the data.

    Examples
    --------
    >>> tp.unique(tp.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    array = concrete(input, "unique()")
    if dim is None:
        return _unique_elements(input, array.ravel(), return_inverse, return_counts)
    axis = one_dim(dim, input.ndim, "unique")
    _, first, inverse, counts = np.unique(array, True, True, True, axis=axis, equal_nan=False)
    return _result(take(input, first, start=axis), inverse.ravel(), counts, return_inverse, return_counts)


def _distinct(flat: Any) -> Any:
    values = np.unique(flat, equal_nan=False)
    zeros = values == 0  # of either sign
    if zeros.any():
        values[zeros] = flat[np.argmax(flat == 0)]
    return values


def _unique_elements(input: Value, flat: Any, return_inverse: bool, return_counts: bool) -> Any:
    """What `unique` gives of all elements, which `flat` holds; of those that are equal it takes the first."""
    if input.__class__ is np.ndarray and not (return_inverse or return_counts):
        return _distinct(flat)
    order = ascending(flat, 0)
    ranked = flat[order]
    first = np.ones(len(flat), np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=first[1:])  # no NaN is like another
    values = take(families.reshape(input, shape=(input.size,)), order[first], start=0)
    inverse = counts = None
    if return_inverse:
        inverse = np.empty(len(flat), INT64)
        inverse[order] = np.cumsum(first) - 1
        inverse = inverse.reshape(input.shape)
    if return_counts:
        counts = np.diff(np.append(np.flatnonzero(first), len(flat)))
    return _result(values, inverse, counts, return_inverse, return_counts)


def unique_consecutive(
    input: Value, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """
    The elements, or the slices along a dim, without those that repeat their predecessor.

    Parameters
    ----------
    input : Tensor
        Any shape.
    return_inverse : bool, default False
        Whether to say where each element went.
    return_counts : bool, default False
        Whether to say how often each was repeated.
    dim : int, optional
        Compare the slices along it; by default the elements.

    Returns
    -------
    Tensor or tuple of Tensor
        The remaining elements, then the inverse and the counts, if asked for.

    Raises
    ------
    RuntimeError
        On a tensor that `vmap` maps over: the size of the result depends on the data.

    Examples
    --------
    >>> tp.unique_consecutive(tp.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    array = concrete(input, "unique_consecutive()")
    axis = 0 if dim is None else one_dim(dim, input.ndim, "unique_consecutive")
    if dim is None:
        input = families.reshape(input, shape=(input.size,))
    rows = array.ravel() if dim is None else np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
    first = _run_starts(rows)
    numbers = np.flatnonzero(first)
    inverse = (np.cumsum(first) - 1).reshape(array.shape if dim is None else first.shape)
    counts = np.diff(np.append(numbers, len(first)))
    return _result(take(input, numbers, start=axis), inverse, counts, return_inverse, return_counts)


def _run_starts(rows: Any) -> Any:
    """Which of the rows differ from the one before."""
    first = np.ones(len(rows), np.bool_)
    changed = rows[1:] != rows[:-1]
    first[1:] = changed.any(axis=1) if changed.ndim == 2 else changed
    return first
