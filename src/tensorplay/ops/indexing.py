"""Primitives of indexing: take elements at integer positions, put or add elements there, choose by a mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import settle
from tensorplay.core.value import Shape, Traced, Value, ground
from tensorplay.errors import user_line
from tensorplay.ops import families
from tensorplay.ops.families import elementwise, permute, structural
from tensorplay.ops.kernels import select
from tensorplay.ops.many import in_pieces
from tensorplay.ops.shape import broadcast_to

# ---- take and put at integer positions -------------------------------------------------------------------------------
#
# `take(x, *indices, start=s)` indexes dims s, s+1, ... of x with integer arrays that broadcast against each other:
# x [*lead, n1, ..., nk, *rest] -> [*lead, *index shape, *rest].  `accumulate` is its transpose, `put` its inverse.


def _at(start: int, indices: Sequence[Any]) -> tuple[Any, ...]:
    return (*(slice(None),) * start, *indices)


def _take_impl(x: Any, *indices: Any, start: int) -> Any:
    return np.take(x, indices[0], axis=start) if len(indices) == 1 else x[_at(start, indices)]


def _accumulate_impl(ct: Any, *indices: Any, start: int, shape: Shape) -> Any:
    block = shape[start : start + len(indices)]
    cells = _cells(indices, block)
    count, leads = math.prod(block), math.prod(shape[:start])
    if start:
        cells = (np.arange(leads)[:, None] * count + cells).ravel()
    width = math.prod(shape[start + len(indices) :])
    return _sum_rows(ct.reshape(len(cells), width), cells, leads * count).reshape(shape)


def _cells(indices: Sequence[Any], block: Shape) -> Any:
    """Positions in a block of dims as flat numbers, in a row."""
    inside = [np.where(i < 0, i + n, i) if i.size and i.min() < 0 else i for i, n in zip(indices, block, strict=True)]
    if len(inside) == 1 and inside[0].size and inside[0].max() >= block[0]:
        raise IndexError(f"index {inside[0].max()} is out of bounds for size {block[0]}")
    return np.ravel_multi_index(tuple(inside), block).ravel() if len(inside) > 1 else inside[0].ravel()


def _sum_rows(rows: Any, cells: Any, count: int) -> Any:
    """Sum of the rows that go to each of `count` cells: [n, width] -> [count, width]."""
    if rows.shape[1] == 1 and rows.dtype.kind == "f":
        return np.bincount(cells, rows[:, 0], count).astype(rows.dtype, copy=False)
    if rows.size > _MANY and rows.dtype.char in "fdFDilq":
        from scipy.sparse import csc_array

        # column j of this matrix sends row j to its cell: the product adds each row once, in compiled code
        ones = np.ones(len(cells), rows.dtype)
        return csc_array((ones, cells, np.arange(len(cells) + 1)), shape=(count, len(cells))) @ rows
    out = np.zeros((count, rows.shape[1]), rows.dtype)
    np.add.at(out, cells, rows)
    return out


_MANY = 2048  # elements from which setting up a sparse product pays


def _put_impl(x: Any, new: Any, *indices: Any, start: int) -> Any:
    out = x.copy()
    out[_at(start, indices)] = new
    return out


def _index_rank(indices: Sequence[Value], mapped: Sequence[bool]) -> int:
    rank: int = max([i.ndim - here for i, here in zip(indices, mapped, strict=True)])
    return rank


def _per_sample(size: int, indices: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    """Index arrays with a leading one that picks the sample: [B, *index] each, or broadcasting to it."""
    rank = _index_rank(indices, mapped)
    samples = np.arange(size).reshape(size, *(1,) * rank)
    return [samples, *_aligned(indices, mapped)]


def _aligned(indices: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    rank = _index_rank(indices, mapped)
    return [
        families.reshape(i, shape=(i.shape[0], *(1,) * (rank + 1 - i.ndim), *i.shape[1:]))
        if here and i.ndim <= rank
        else i
        for i, here in zip(indices, mapped, strict=True)
    ]


def _lead_last(start: int, count: int, ndim: int) -> tuple[int, ...]:
    """Permutation of [B, *lead, *block, *rest] to [B, *block, *lead, *rest], where block has `count` dims."""
    return (0, *range(start + 1, start + 1 + count), *range(1, start + 1), *range(start + 1 + count, ndim))


def _take_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, start: int) -> tuple[Value, bool]:
    x, *indices = args
    if mapped[0] and not any(mapped[1:]):
        return take(x, *indices, start=start + 1), True
    rank = _index_rank(indices, mapped[1:])
    if not mapped[0]:
        out = take(x, *_aligned(indices, mapped[1:]), start=start)  # [*lead, B, *index, *rest]
        return (permute(out, dims=(start, *range(start), *range(start + 1, out.ndim))) if start else out), True
    x = permute(x, dims=_lead_last(start, len(indices), x.ndim))
    out = take(x, *_per_sample(size, indices, mapped[1:]), start=0)  # [B, *index, *lead, *rest]
    back = families.inverse_permutation(_lead_last(start, rank, out.ndim))
    return permute(out, dims=back), True


take: Primitive = structural(
    "take",
    _take_impl,
    transpose=lambda ct, x, *indices, start: accumulate(ct, *indices, start=start, shape=x.shape),
    batch=_take_batch,
)


def _accumulate_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, start: int, shape: Shape
) -> tuple[Value, bool]:
    ct, *indices = args
    ct = ct if mapped[0] else broadcast_to(ct, (size, *ct.shape))
    if not any(mapped[1:]):
        return accumulate(ct, *indices, start=start + 1, shape=(size, *shape)), True
    rank = _index_rank(indices, mapped[1:])
    ct = permute(ct, dims=_lead_last(start, rank, ct.ndim))  # [B, *index, *lead, *rest]
    order = _lead_last(start, len(indices), len(shape) + 1)
    moved = tuple([(size, *shape)[d] for d in order])
    out = accumulate(ct, *_per_sample(size, indices, mapped[1:]), start=0, shape=moved)
    return permute(out, dims=families.inverse_permutation(order)), True


accumulate: Primitive = structural(
    "accumulate",
    _accumulate_impl,
    transpose=lambda ct, x, *indices, start, shape: take(ct, *indices, start=start),
    batch=_accumulate_batch,
)

# `x` with `new` at the indexed positions; where a position is named twice, one of the writes wins.
put = Primitive("put", _put_impl, "general", (frozenset(range(2, 66)), frozenset(range(2, 66))))


@put.derivative
def _put_derivative(out: Value, x: Value, new: Value, *indices: Value, start: int) -> LinearMap:
    def push(x_dot: Value | None, new_dot: Value | None, *_: None) -> Value:
        x_dot = np.zeros(x.shape, x.dtype) if x_dot is None else x_dot
        return put(x_dot, np.zeros(new.shape, new.dtype) if new_dot is None else new_dot, *indices, start=start)

    def pull_new(ct: Value) -> Value:
        # only the write that won reaches the result
        numbers = np.arange(int(np.prod(new.shape, dtype=np.int64))).reshape(new.shape)
        last = take(put(np.zeros(x.shape, numbers.dtype), numbers, *indices, start=start), *indices, start=start)
        return where(equal(last, numbers), take(ct, *indices, start=start), np.zeros((), ct.dtype))

    def pull(ct: Value) -> tuple[Any, ...]:
        return (
            lambda: put(ct, np.zeros(new.shape, new.dtype), *indices, start=start),
            lambda: pull_new(ct),
            *(None,) * len(indices),
        )

    return LinearMap(push, pull)


@put.batch
def _put_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, start: int) -> tuple[Value, bool]:
    x, new = families.all_mapped(size, args[:2], mapped[:2])
    indices = args[2:]
    if not any(mapped[2:]):
        return put(x, new, *indices, start=start + 1), True
    rank = _index_rank(indices, mapped[2:])
    order = _lead_last(start, len(indices), x.ndim)
    out = put(
        permute(x, dims=order),
        permute(new, dims=_lead_last(start, rank, new.ndim)),
        *_per_sample(size, indices, mapped[2:]),
        start=0,
    )
    return permute(out, dims=families.inverse_permutation(order)), True


# ---- where -----------------------------------------------------------------------------------------------------------

equal = elementwise("eq", np.equal, None)

logical_not = elementwise("logical_not", np.logical_not, None)

where = Primitive("where", select, "elementwise", (frozenset(), frozenset({0}), frozenset({0})), many=in_pieces(select))


@where.derivative
def _where_derivative(out: Value, condition: Value, x: Value, y: Value) -> LinearMap:
    zero = np.zeros((), out.dtype)  # what a branch that was not taken is worth, whatever its derivative

    def push(_: None, x_dot: Value | None, y_dot: Value | None) -> Value:
        picked = where(condition, zero if x_dot is None else x_dot, zero if y_dot is None else y_dot)
        return broadcast_to(picked, out.shape)

    def pull(ct: Value) -> tuple[Any, ...]:
        return (
            None,
            lambda: families.sum_to(where(condition, ct, zero), x.shape),
            lambda: families.sum_to(where(condition, zero, ct), y.shape),
        )

    return LinearMap(push, pull)


@where.batch
def _where_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    return where(*families.align_ranks(args, mapped)), True


# ---- along a dim -----------------------------------------------------------------------------------------------------


take_along: Primitive = structural(
    "take_along",
    lambda x, index, dim: np.take_along_axis(x, index, axis=dim),
    transpose=lambda ct, x, index, dim: add_along(ct, index, dim=dim, shape=x.shape),
    batch=lambda size, args, mapped, dim: (take_along(*families.all_mapped(size, args, mapped), dim=dim + 1), True),
)


def grid(index: Value, dim: int) -> list[Value]:
    """Positions in every dim for an index along `dim`: in the other dims each element keeps its own."""
    positions: list[Value] = list(np.ogrid[tuple(map(slice, index.shape))])
    positions[dim] = index
    return positions


def _add_along_impl(ct: Any, index: Any, dim: int, shape: Shape) -> Any:
    return _accumulate_impl(ct, *grid(index, dim), start=0, shape=shape)


add_along: Primitive = structural(
    "add_along",
    _add_along_impl,
    transpose=lambda ct, x, index, dim, shape: take_along(ct, index, dim=dim),
    batch=lambda size, args, mapped, dim, shape: (
        add_along(*families.all_mapped(size, args, mapped), dim=dim + 1, shape=(size, *shape)),
        True,
    ),
)


# ---- data that decides for all samples -------------------------------------------------------------------------------


CHOOSE = "Use tp.where or tp.cond to choose per sample, tp.while_loop to repeat per sample"
SIZE = "Give the result a fixed shape with size=, or use tp.where"
POSITIONS = (
    "Index with a tensor of a fixed number of positions, x[start + tp.arange(length)], choose with tp.where or "
    "tp.cond, or loop with tp.fori_loop"
)
MASK = (
    "Use tp.where, tp.masked_select(x, mask, size=...), or x[tp.nonzero(mask, as_tuple=True, size=...)], whose results "
    "have a fixed shape"
)


def is_mapped(value: Value) -> bool:
    """Whether there is one value per sample of some map."""
    return isinstance(value, Traced) and value.shape != ground(value).shape


def _map_of(value: Value) -> str:
    """How the user wrote the innermost transform that maps over a value."""
    while value.shape == value.inner.shape:
        value = value.inner
    title: str = value.owner.title
    return title


def concrete(value: Value, what: str, way_out: str = CHOOSE) -> np.ndarray[Any, Any]:
    """The NumPy array behind a value, if it is one array for all samples."""
    value = settle(value)
    if is_mapped(value):
        raise data_dependent(what, value, way_out)
    array: np.ndarray[Any, Any] = ground(value)
    return array


def data_dependent(what: str, value: Value, way_out: str = CHOOSE) -> RuntimeError:
    """Error for something that would need one sample's data to decide for all, and what to do instead."""
    return RuntimeError(
        f"{_map_of(value)}: {what} at {user_line()} on a tensor of per-sample shape {list(value.shape)} that is mapped "
        f"over is data-dependent: the samples may disagree. {way_out}."
    )
