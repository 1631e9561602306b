"""Counting: how often values occur, and how many fall into bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Traced, Value, ground
from tensorplay.dtypes import FLOAT64, INT64, from_numpy_dtype
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families
from tensorplay.ops.differences import diff
from tensorplay.ops.families import elementwise
from tensorplay.ops.indexing import add_along, data_dependent, where
from tensorplay.ops.promotion import cast
from tensorplay.ops.reduction import amax, amin, sum
from tensorplay.ops.results import Histogram
from tensorplay.ops.searching import searchsorted
from tensorplay.ops.shape import broadcast_to, copy, slice_key


def _flat(value: Value) -> Value:
    return families.reshape(value, shape=(value.size,))


def bincount(input: Value, weights: Value | None = None, minlength: int = 0) -> Value:
    """
    How often each non-negative integer occurs.

    Parameters
    ----------
    input : Tensor
        Non-negative integers, one dim.
    weights : Tensor, optional
        What each occurrence counts for; of the shape of `input`.
    minlength : int, default 0
        Least size of the result.

    Returns
    -------
    Tensor
        One entry for each integer up to the greatest.

    Raises
    ------
    RuntimeError
        Under `vmap`, if the samples would give results of different sizes.

    Examples
    --------
    >>> tp.bincount(tp.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if input.ndim != 1 or input.dtype.kind not in "iu":
        raise RuntimeError(
            f"bincount(): expected integers with one dim, got {from_numpy_dtype(input.dtype)} of shape "
            f"{list(input.shape)}"
        )
    if minlength < 0:
        raise RuntimeError(f"bincount(): minlength must not be negative, got {minlength}")
    size = _count_size(input, minlength)
    if weights is None:
        if isinstance(input, np.ndarray):
            return np.bincount(input.astype(INT64), minlength=size).astype(INT64)
        weights = np.ones(input.shape, INT64)
    elif weights.shape != input.shape:
        raise RuntimeError(f"bincount(): weights of shape {list(weights.shape)} do not fit {list(input.shape)}")
    elif weights.dtype.kind != "f":
        weights = cast(weights, FLOAT64)
    return add_along(weights, cast(input, INT64), dim=0, shape=(size,))


def _count_size(input: Value, minlength: int) -> int:
    """One more than the greatest integer, which all samples must have in common."""
    array = ground(input).astype(INT64)  # [*batch, n]
    if array.size and array.min() < 0:
        raise RuntimeError(f"bincount(): expected non-negative integers, got {array.min()}")
    sizes = np.unique(np.maximum(array.max(axis=-1, initial=-1) + 1, minlength))
    if sizes.size > 1:
        raise data_dependent("bincount() whose samples differ in their greatest integer (give a minlength),", input)
    return int(sizes[0]) if sizes.size else minlength


# ---- bins ------------------------------------------------------------------------------------------------------------


def _inside(number: Value, bins: int) -> Value:
    return ew.logical_and(ew.ge(number, 0), ew.lt(number, bins))


def _linear_bin(x: Any, low: Any, high: Any, bins: Any) -> Any:
    number = np.floor((x - low) * (bins / (high - low)))
    number = np.where(x == high, bins - 1, number)
    return np.where((x >= low) & (x <= high), np.minimum(number, bins - 1), -1).astype(INT64)


_bin_of = elementwise("linear_bin", _linear_bin, None)


def _limits(value: Value, low: Any, high: Any, name: str) -> tuple[Value, Value]:
    """The range of the bins, widened if it is empty."""
    low, high = [cast(np.asarray(v) if not hasattr(v, "dtype") else v, value.dtype) for v in (low, high)]
    for bound in (low, high):
        if not isinstance(bound, Traced) and not np.isfinite(bound):
            raise RuntimeError(f"{name}(): the range of the bins must be finite, got [{low}, {high}]")
    alike = ew.eq(low, high)
    return where(alike, ew.sub(low, _margin(name)), low), where(alike, ew.add(high, _margin(name)), high)


def _margin(name: str) -> float:
    return 1.0 if name == "histc" else 0.5


def _counts(number: Value, amount: Value, bins: int) -> Value:
    """Sum of the amounts in each bin; what has a number outside of the bins is left out."""
    inside = _inside(number, bins)
    amount = where(inside, amount, np.zeros((), amount.dtype))
    return add_along(amount, where(inside, number, np.zeros((), INT64)), dim=0, shape=(bins,))


def _need_float(input: Value, name: str) -> None:
    if input.dtype.kind != "f":
        raise RuntimeError(f"{name}(): expected a floating-point tensor, got {from_numpy_dtype(input.dtype)}")


def histc(input: Value, bins: int = 100, min: float = 0, max: float = 0) -> Value:
    """
    Number of elements in each of equal bins.

    Parameters
    ----------
    input : Tensor
        Floating-point, of any shape.
    bins : int, default 100
        Number of bins.
    min, max : float, default 0
        Range of the bins; that of the data if they are equal. Elements outside are left out.

    Returns
    -------
    Tensor
        Counts, in the dtype of `input`.

    Examples
    --------
    >>> tp.histc(tp.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    _need_float(input, "histc")
    if bins <= 0 or max < min:
        raise RuntimeError(f"histc(): expected bins > 0 and max >= min, got bins={bins}, min={min}, max={max}")
    low, high = (amin(input), amax(input)) if min == max and input.size else (min, max)
    low, high = _limits(input, low, high, "histc")
    number = _bin_of(_flat(input), low, high, np.asarray(bins, input.dtype))
    return _counts(number, np.ones(number.shape, input.dtype), bins)


def _edges(value: Value, bins: Any, bounds: Sequence[float] | None, name: str) -> Value:
    """The edges of the bins of one dim."""
    if hasattr(bins, "dtype"):
        if bins.ndim != 1 or bins.size < 2 or bins.dtype != value.dtype:
            raise RuntimeError(
                f"{name}(): edges must have one dim, at least two elements and the dtype of the input, got shape "
                f"{list(bins.shape)} and {from_numpy_dtype(bins.dtype)}"
            )
        return bins
    if bins <= 0:
        raise RuntimeError(f"{name}(): the number of bins must be positive, got {bins}")
    if bounds is not None and bounds[0] > bounds[1]:
        raise RuntimeError(f"{name}(): the range must be increasing, got {tuple(bounds)}")
    if bounds is None:
        bounds = (amin(value), amax(value)) if value.size else (0, 1)
    low, high = _limits(value, bounds[0], bounds[1], name)
    share = np.arange(bins + 1, dtype=value.dtype) / value.dtype.type(bins)
    return ew.add(ew.mul(low, 1 - share), ew.mul(high, share))


def _numbers(value: Value, edges: Value) -> Value:
    """Number of the bin of each element; the last bin holds its upper edge too."""
    number = ew.sub(searchsorted(edges, value, right=True), 1)
    last = amax(edges)
    return where(ew.eq(value, last), np.asarray(edges.size - 2), number)


def histogram(
    input: Value, bins: Any, *, range: Sequence[float] | None = None, weight: Value | None = None, density: bool = False
) -> Histogram:
    """
    Number of elements in each bin, and the bins' edges.

    Parameters
    ----------
    input : Tensor
        Floating-point, of any shape.
    bins : int or Tensor
        Number of equal bins, or the increasing edges of the bins.
    range : tuple of float, optional
        Range of equal bins; that of the data by default. Elements outside are left out.
    weight : Tensor, optional
        What each element counts for; of the shape of `input`.
    density : bool, default False
        Whether to divide by the total and by each bin's width.

    Returns
    -------
    hist, bin_edges : Tensor
        In the dtype of `input`.

    Examples
    --------
    >>> tp.histogram(tp.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
    _need_float(input, "histogram")
    edges = _edges(input, bins, range, "histogram")
    counts = _counts(_numbers(_flat(input), edges), _amounts(input, input.shape, weight, "histogram"), edges.size - 1)
    return Histogram(ew.div(ew.div(counts, sum(counts)), diff(edges)) if density else counts, copy(edges))


def _amounts(input: Value, shape: tuple[int, ...], weight: Value | None, name: str) -> Value:
    if weight is None:
        return np.ones(math.prod(shape), input.dtype)
    if weight.shape != shape or weight.dtype != input.dtype:
        raise RuntimeError(
            f"{name}(): weight must have shape {list(shape)} and the dtype of the input, got {list(weight.shape)} and "
            f"{from_numpy_dtype(weight.dtype)}"
        )
    return _flat(weight)


def histogramdd(
    input: Value, bins: Any, *, range: Sequence[float] | None = None, weight: Value | None = None, density: bool = False
) -> Histogram:
    """
    Number of points in each bin of a grid, and the edges of the bins.

    Parameters
    ----------
    input : Tensor
        Floating-point; points of D coordinates along the last dim.
    bins : int, sequence of int or sequence of Tensor
        Number of equal bins, of all dims or of each, or the increasing edges along each.
    range : sequence of float, optional
        Least and greatest value for each dim, one after the other; those of the data by default.
    weight : Tensor, optional
        What each point counts for.
    density : bool, default False
        Whether to divide by the total and by each bin's volume.

    Returns
    -------
    hist : Tensor
        D dims.
    bin_edges : tuple of Tensor
        One tensor a dim.

    Examples
    --------
    >>> tp.histogramdd(tp.tensor([[0.0, 1.0], [1.0, 0.0]]), bins=2).hist
    tensor([[0., 1.],
            [1., 0.]])
    """
    _need_float(input, "histogramdd")
    if input.ndim < 2:
        raise RuntimeError(f"histogramdd(): expected at least two dims, got shape {list(input.shape)}")
    count = input.shape[-1]
    asked = list(bins) if isinstance(bins, list | tuple) else [bins] * count
    if len(asked) != count or (range is not None and len(range) != 2 * count):
        raise RuntimeError(f"histogramdd(): expected bins, and two bounds in range, for each of {count} coordinates")
    columns = _columns(input)
    bounds = [None if range is None else range[2 * d : 2 * d + 2] for d in np.arange(count).tolist()]
    edges = [_edges(c, b, r, "histogramdd") for c, b, r in zip(columns, asked, bounds, strict=True)]
    sizes = [e.size - 1 for e in edges]
    amount = _amounts(input, input.shape[:-1], weight, "histogramdd")
    counts = families.reshape(_counts(_grid_number(columns, edges), amount, math.prod(sizes)), shape=tuple(sizes))
    return Histogram(_as_density(counts, edges) if density else counts, tuple([copy(e) for e in edges]))


def _columns(input: Value) -> list[Value]:
    flat = families.reshape(input, shape=(input.size // max(input.shape[-1], 1), input.shape[-1]))
    return [slice_key(flat, key=(slice(None), d)) for d in np.arange(input.shape[-1]).tolist()]


def _grid_number(columns: Sequence[Value], edges: Sequence[Value]) -> Value:
    """Number of the bin of each point in the flattened grid, -1 outside of it."""
    total: Value = np.zeros(columns[0].shape, INT64)
    outside = np.asarray(-1)
    for column, edge in zip(columns, edges, strict=True):
        number, size = _numbers(column, edge), edge.size - 1
        valid = ew.logical_and(_inside(number, size), ew.ge(total, 0))
        total = where(valid, ew.add(ew.mul(total, size), number), outside)
    return total


def _as_density(counts: Value, edges: Sequence[Value]) -> Value:
    density = ew.div(counts, sum(counts))
    for d, edge in enumerate(edges):
        shape = tuple([edge.size - 1 if i == d else 1 for i in np.arange(len(edges)).tolist()])
        density = ew.div(density, broadcast_to(families.reshape(diff(edge), shape=shape), counts.shape))
    return density
