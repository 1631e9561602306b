"""Searching: positions in what is sorted, membership, and the distinct elements of a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import INT64
from tensorplay.errors import shown
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families, indexing
from tensorplay.ops.indexing import SIZE, concrete, take, take_along
from tensorplay.ops.masking import checked_size, first_true, ranks, taken_or
from tensorplay.ops.promotion import as_value, cast, filler, promote
from tensorplay.ops.reducing import need_order
from tensorplay.ops.shape import cat, movedim, one_dim, slice_dim
from tensorplay.ops.sorting import ascending, sort
from tensorplay.ops.sums import any as any_of

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
    input: Value | float,
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
        raise RuntimeError(f"searchsorted(): side must be 'left' or 'right', got {shown(side)}")
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


def bucketize(input: Value | float, boundaries: Value, *, out_int32: bool = False, right: bool = False) -> Value:
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


def isin(
    elements: Value | complex, test_elements: Value | complex, *, assume_unique: bool = False, invert: bool = False
) -> Value:
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
    input: Value,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
    *,
    size: int | None = None,
    fill_value: Any = None,
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
    size : int, optional
        How many are wanted: the first so many, followed by `fill_value` where there are fewer. With it, `vmap` may map
        over `input`.
    fill_value : number or 0-d Tensor, optional
        What fills the result up to `size`, in the dtype of `input`; by default the least one.

    Returns
    -------
    Tensor or tuple of Tensor
        The distinct elements, then the inverse and the counts, if asked for. With a `size`, the inverse of what found
        no place is `size` or more, and the count of what fills is 0.

    Raises
    ------
    RuntimeError
        If `size` is negative, or, without `size`, on a tensor that `vmap` maps over: the size of the result depends on
        the data.

    Examples
    --------
    >>> tp.unique(tp.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    >>> tp.vmap(lambda row: tp.unique(row, size=2))(tp.tensor([[3, 1, 3], [5, 5, 5]]))
    tensor([[1, 3],
            [5, 5]])
    """
    axis = None if dim is None else one_dim(dim, input.ndim, "unique")
    if size is not None:
        result = _Runs("unique", input, axis, True).first(checked_size("unique", size), fill_value)
        return _selected(result, return_inverse, return_counts)
    array = concrete(input, "unique() (whose result has a data-dependent shape)", SIZE)
    if axis is None:
        return _unique_elements(input, array.ravel(), return_inverse, return_counts)
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
    input: Value,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
    *,
    size: int | None = None,
    fill_value: Any = None,
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
    size : int, optional
        How many are wanted: the first so many, followed by `fill_value` where there are fewer. With it, `vmap` may map
        over `input`.
    fill_value : number or 0-d Tensor, optional
        What fills the result up to `size`, in the dtype of `input`; by default the first one.

    Returns
    -------
    Tensor or tuple of Tensor
        The remaining elements, then the inverse and the counts, if asked for; with a `size` as for `unique`.

    Raises
    ------
    RuntimeError
        If `size` is negative, or, without `size`, on a tensor that `vmap` maps over: the size of the result depends on
        the data.

    Examples
    --------
    >>> tp.unique_consecutive(tp.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    if size is not None:
        named = None if dim is None else one_dim(dim, input.ndim, "unique_consecutive")
        result = _Runs("unique_consecutive", input, named, False).first(
            checked_size("unique_consecutive", size), fill_value
        )
        return _selected(result, return_inverse, return_counts)
    array = concrete(input, "unique_consecutive() (whose result has a data-dependent shape)", SIZE)
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


# ---- as many distinct elements as are asked for ----------------------------------------------------------------------

# Positions that sort the rows of [n, m], the first element counting most; rows that are equal keep their order.
_row_order = Primitive(
    "row_order", lambda rows: np.lexsort(np.moveaxis(rows, -1, 0)[::-1], axis=-1), differentiable=False
)
_row_order.batch(lambda size, args, mapped: (_row_order(args[0]), True))


class _Runs:
    """The elements, or the slices along `dim`, as rows [n, m] in an order in which equal ones follow each other."""

    def __init__(self, name: str, input: Value, dim: int | None, ordered: bool) -> None:
        self.name = name
        self.dim = dim
        self.shape = input.shape
        moved = families.reshape(input, shape=(input.size,)) if dim is None else movedim(input, dim, 0)
        self.rest = moved.shape[1:]
        self.rows = families.reshape(moved, shape=(moved.shape[0], math.prod(self.rest)))
        count = self.rows.shape[0]
        self.order = _row_order(self.rows) if ordered and self.rows.size else np.arange(count)
        ranked = take(self.rows, self.order, start=0)
        changed = ew.ne(slice_dim(ranked, 0, 1, count), slice_dim(ranked, 0, 0, max(count - 1, 0)))
        self.starts = cat([np.ones(min(count, 1), np.bool_), any_of(changed, 1)])

    def first(self, size: int, fill_value: Any) -> tuple[Value, Value, Value]:
        """Of the first `size` runs one row each, the number of the run of each row, and the lengths of the runs."""
        count = self.rows.shape[0]
        begins = first_true(self.starts, size + 1)
        begin = slice_dim(begins, 0, 0, size)
        values = taken_or(self.rows, taken_or(self.order, begin, np.asarray(-1)), self._fill(fill_value, size))
        inverse = indexing.put(np.zeros(count, INT64), ranks(self.starts), self.order, start=0) if count else self.order
        ends = indexing.where(ew.eq(begins, -1), np.asarray(count), begins)
        counts = ew.sub(slice_dim(ends, 0, 1, size + 1), slice_dim(ends, 0, 0, size))
        return self._arranged(values, size), self._in_place(inverse), counts

    def _fill(self, fill_value: Any, size: int) -> Value:
        if fill_value is not None:
            return filler(self.name, fill_value, self.rows.dtype)
        if not self.rows.shape[0] and size:
            raise RuntimeError(
                f"{self.name}(): of no elements none can fill a result of size {size}; give a fill_value"
            )
        return taken_or(self.rows, slice_dim(self.order, 0, 0, 1), np.zeros((), self.rows.dtype))

    def _arranged(self, values: Value, size: int) -> Value:
        values = families.reshape(values, shape=(size, *self.rest))
        return values if self.dim is None else movedim(values, 0, self.dim)

    def _in_place(self, inverse: Value) -> Value:
        return families.reshape(inverse, shape=self.shape) if self.dim is None else inverse


def _selected(result: tuple[Value, Value, Value], return_inverse: bool, return_counts: bool) -> Any:
    """What was asked for of values, inverse and counts."""
    values, inverse, counts = result
    extra = [part for part, wanted in ((inverse, return_inverse), (counts, return_counts)) if wanted]
    return (values, *extra) if extra else values
