"""
Many rows combined into few: row i of a source goes to row ``cells[i]`` of the result.

Shapes are [m, *rest] for the rows that are written into, [n, *rest] for the source, [n] for the cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.dtypes import BOOL, INT64, NumpyDtype
from tensorplay.ops import families
from tensorplay.ops.arithmetic import floor_divide
from tensorplay.ops.comparison import ge
from tensorplay.ops.elementwise import div
from tensorplay.ops.families import elementwise
from tensorplay.ops.indexing import accumulate, equal, put, take, where
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import copy


def reduce_into(x: Value, source: Value, cells: Value, reduce: str, include_self: bool) -> Value:
    """Rows of `x` combined by sum, prod, mean, amax or amin with the rows of `source` that go there."""
    if cells.size == 0 or x.size == 0:
        return copy(x)
    if reduce in ("amax", "amin"):
        return _extreme(x, source, cells, largest=reduce == "amax", include_self=include_self)
    counts = _column(_counts(cells, x.shape[0]), x.ndim)
    untouched = equal(counts, np.asarray(0))
    if not include_self:
        x = where(untouched, x, np.full((), reduce == "prod", x.dtype))
    if reduce == "prod":
        return families.mul(x, _products(source, cells, x.shape[0], untouched))
    total = families.add(x, accumulate(source, cells, start=0, shape=x.shape))
    if reduce == "sum":
        return total
    # a row that nothing reaches is its own mean
    return _divided(total, families.add(counts, np.asarray(1) if include_self else cast(untouched, INT64)))


def _counts(cells: Value, length: int) -> Value:
    return accumulate(np.ones(cells.shape, INT64), cells, start=0, shape=(length,))


def _column(values: Value, ndim: int) -> Value:
    """One number a row, to broadcast against rows."""
    return families.reshape(values, shape=(*values.shape, *(1,) * (ndim - 1)))


def _divided(total: Value, counts: Value) -> Value:
    if total.dtype.kind in "iu":
        return floor_divide(total, cast(counts, total.dtype))
    return div(total, cast(counts, total.dtype))


# ---- products --------------------------------------------------------------------------------------------------------


def _order_impl(cells: Any) -> tuple[Any, Any]:
    order = np.argsort(cells, axis=-1, kind="stable")
    ordered = np.take_along_axis(cells, order, axis=-1)
    position = np.broadcast_to(np.arange(cells.shape[-1]), cells.shape)
    first = np.ones(cells.shape, bool)
    first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    return order, position - np.maximum.accumulate(np.where(first, position, 0), axis=-1)


# The order that brings equal cells together, and the rank of each place among those of its cell.
_order = Primitive("segment_order", _order_impl, differentiable=False)
_order.batch(lambda size, args, mapped: (_order(args[0]), True))


def _products(source: Value, cells: Value, length: int, untouched: Value) -> Value:
    """Product of the rows of each cell, one where there are none."""
    # a scan over doubling distances inside each segment: products alone, so that derivatives are right at zeros
    order, rank = _order(cells)
    running = take(source, order, start=0)
    one = np.ones((), source.dtype)
    longest, count = int(ground(rank).max(initial=0)) + 1, cells.shape[0]
    distance = 1
    while distance < longest:
        before = take(running, np.maximum(np.arange(count) - distance, 0), start=0)
        inside = _column(ge(rank, distance), source.ndim)
        running = families.mul(running, where(inside, before, one))
        distance *= 2
    last = put(np.zeros(length, INT64), np.arange(count), take(cells, order, start=0), start=0)
    return where(untouched, one, take(running, last, start=0))


# ---- extremes --------------------------------------------------------------------------------------------------------


def _extreme_impl(x: Any, source: Any, cells: Any, largest: bool, include_self: bool) -> Any:
    out = x.copy()
    if not include_self:
        out[cells] = _least(x.dtype) if largest else _most(x.dtype)
    width = math.prod(x.shape[1:])
    # NumPy is quick at this in one dim only
    places = cells if width == 1 else (cells[:, None] * width + np.arange(width)).ravel()
    (np.maximum if largest else np.minimum).at(out.reshape(-1), places, source.reshape(-1))
    return out


def _least(dtype: NumpyDtype) -> Any:
    return -np.inf if dtype.kind == "f" else False if dtype == BOOL else np.iinfo(dtype).min


def _most(dtype: NumpyDtype) -> Any:
    return np.inf if dtype.kind == "f" else True if dtype == BOOL else np.iinfo(dtype).max


_extreme = Primitive("segment_extreme", _extreme_impl)

# Whether an element is the extreme one; NaN is what it is not equal to.
_same = elementwise("segment_same", lambda a, b: (a == b) | ((a != a) & (b != b)), None)


@_extreme.derivative
def _extreme_derivative(
    out: Value, x: Value, source: Value, cells: Value, *, largest: bool, include_self: bool
) -> LinearMap:
    kept: list[Value] = []

    def weights() -> list[Value]:
        """The share of each element of `x` and of `source` in the result; ties share evenly."""
        if not kept:
            mine = _same(x, out)
            if not include_self:
                untouched = equal(_column(_counts(cells, x.shape[0]), x.ndim), np.asarray(0))
                mine = where(untouched, mine, np.asarray(False))
            theirs = cast(_same(source, take(out, cells, start=0)), out.dtype)
            mine = cast(mine, out.dtype)
            ties = families.add(mine, accumulate(theirs, cells, start=0, shape=x.shape))
            kept.extend([div(mine, ties), div(theirs, take(ties, cells, start=0))])
        return kept

    def push(x_dot: Value | None, source_dot: Value | None, _: None) -> Value | None:
        own = None if x_dot is None else families.scale(x_dot, weights()[0])
        if source_dot is None:
            return own
        rows = families.scale(source_dot, weights()[1])
        return families.sum_of(own, accumulate(rows, cells, start=0, shape=x.shape))

    def pull(ct: Value) -> tuple[Any, ...]:
        return (
            lambda: families.scale(ct, weights()[0]),
            lambda: families.scale(take(ct, cells, start=0), weights()[1]),
            None,
        )

    return LinearMap(push, pull)


@_extreme.batch
def _extreme_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], **params: Any) -> tuple[Value, bool]:
    x, source, cells = families.all_mapped(size, args, mapped)
    length = x.shape[1]
    apart = families.add(cast(cells, INT64), np.arange(size)[:, None] * length)  # the samples' rows, one after another
    out = _extreme(_joined(x), _joined(source), _joined(apart), **params)
    return families.reshape(out, shape=x.shape), True


def _joined(value: Value) -> Value:
    return families.reshape(value, shape=(value.shape[0] * value.shape[1], *value.shape[2:]))
