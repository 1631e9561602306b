"""Indexing: take elements at integer positions, put elements there, along a dim or by NumPy's and torch's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Traced, Value, ground
from tensorplay.ops import families
from tensorplay.ops.families import elementwise, expand, permute, structural
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import Key, broadcast_to, one_dim, set_slice, slice_key

# ---- take and put at integer positions -------------------------------------------------------------------------------
#
# `take(x, *indices, start=s)` indexes dims s, s+1, ... of x with integer arrays that broadcast against each other:
# x [*lead, n1, ..., nk, *rest] -> [*lead, *index shape, *rest].  `accumulate` is its transpose, `put` its inverse.


def _at(start: int, indices: Sequence[Any]) -> tuple[Any, ...]:
    return (*(slice(None),) * start, *indices)


def _take_impl(x: Any, *indices: Any, start: int) -> Any:
    return np.take(x, indices[0], axis=start) if len(indices) == 1 else x[_at(start, indices)]


def _accumulate_impl(ct: Any, *indices: Any, start: int, shape: Shape) -> Any:
    out = np.zeros(shape, ct.dtype)
    np.add.at(out, _at(start, indices), ct)
    return out


def _put_impl(x: Any, new: Any, *indices: Any, start: int) -> Any:
    out = x.copy()
    out[_at(start, indices)] = new
    return out


def _index_rank(indices: Sequence[Value], mapped: Sequence[bool]) -> int:
    return max([i.ndim - here for i, here in zip(indices, mapped, strict=True)])


def _per_sample(size: int, indices: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    """Index arrays with a leading one that picks the sample: [B, *index] each, or broadcasting to it."""
    rank = _index_rank(indices, mapped)
    samples = np.arange(size).reshape(size, *(1,) * rank)
    return [samples, *_aligned(indices, mapped)]


def _aligned(indices: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    rank = _index_rank(indices, mapped)
    return [
        families.reshape(i, shape=(i.shape[0], *(1,) * (rank + 1 - i.ndim), *i.shape[1:])) if here and i.ndim <= rank else i
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


take = structural(
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


accumulate = structural(
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
    x, new = [arg if here else broadcast_to(arg, (size, *arg.shape)) for arg, here in zip(args[:2], mapped, strict=False)]
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

where = Primitive("where", np.where, "elementwise", (frozenset(), frozenset({0}), frozenset({0})))


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


def _both_mapped(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    return [arg if here else expand(arg, shape=(size, *arg.shape)) for arg, here in zip(args, mapped, strict=True)]


take_along = structural(
    "take_along",
    lambda x, index, dim: np.take_along_axis(x, index, axis=dim),
    transpose=lambda ct, x, index, dim: add_along(ct, index, dim=dim, shape=x.shape),
    batch=lambda size, args, mapped, dim: (take_along(*_both_mapped(size, args, mapped), dim=dim + 1), True),
)


def _add_along_impl(ct: Any, index: Any, dim: int, shape: Shape) -> Any:
    out = np.zeros(shape, ct.dtype)
    grid = list(np.ogrid[tuple(map(slice, index.shape))])
    grid[dim] = index
    np.add.at(out, tuple(grid), ct)
    return out


add_along = structural(
    "add_along",
    _add_along_impl,
    transpose=lambda ct, x, index, dim, shape: take_along(ct, index, dim=dim),
    batch=lambda size, args, mapped, dim, shape: (
        add_along(*_both_mapped(size, args, mapped), dim=dim + 1, shape=(size, *shape)),
        True,
    ),
)


# ---- x[key] ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Indexing:
    """A key of ``x[key]``, taken apart: basic indexing first, then integer arrays on a block of dims."""

    basic: Key
    arrays: list[Value]
    dims: list[int]  # the dims, after basic indexing, that the arrays index

    @property
    def order(self) -> tuple[int, ...] | None:
        """Permutation that brings the indexed dims together (to the front if they are apart), None if they are."""
        first = self.dims[0]
        if self.dims == list(range(first, first + len(self.dims))):
            return None
        return (*self.dims, *[d for d in range(self.ndim) if d not in self.dims])

    @property
    def ndim(self) -> int:
        """Number of dims after basic indexing."""
        return sum([not isinstance(part, int) for part in self.basic])


def parse_key(shape: Shape, key: Any) -> Indexing:
    """Take a key apart for a tensor of the given shape."""
    parts = _with_ellipsis(shape, key if isinstance(key, tuple) else (key,))
    basic: list[slice | int | None] = []
    arrays: list[Value] = []
    dims: list[int] = []
    dim = kept = 0
    for part in parts:
        if part is None:
            basic.append(None)
            kept += 1
        elif isinstance(part, slice):
            basic.append(_resolved(part, shape[dim]))
            dim, kept = dim + 1, kept + 1
        elif isinstance(part, int):
            basic.append(_in_bounds(part, dim, shape[dim]))
            dim += 1
        else:
            arrays.append(part)
            dims.append(kept)
            basic.append(slice(None))
            dim, kept = dim + 1, kept + 1
    return Indexing(tuple(basic), arrays, dims)


def _with_ellipsis(shape: Shape, key: tuple[Any, ...]) -> list[Any]:
    """The parts of a key with masks as positions and as many parts as the tensor has dims."""
    parts: list[Any] = []
    consumed = 0
    gap: int | None = None
    for part in key:
        if part is Ellipsis:
            if gap is not None:
                raise IndexError("an index can only have a single ellipsis ('...')")
            gap = len(parts)
            continue
        converted = _converted(part)
        if not isinstance(converted, tuple):
            consumed += converted is not None
            parts.append(converted)
            continue
        (mask,) = converted
        # a mask takes as many dims as it has; its place after an ellipsis is counted from the end
        parts.extend(_positions(mask))
        consumed += mask.ndim
    if consumed > len(shape):
        raise IndexError(f"too many indices for a tensor of shape {list(shape)}: got {consumed}")
    missing = [slice(None)] * (len(shape) - consumed)
    gap = len(parts) if gap is None else gap
    return [*parts[:gap], *missing, *parts[gap:]]


def _converted(part: Any) -> Any:
    """One part of a key: None, slice or int as it is, an index array, or a mask inside a tuple."""
    if part is None or isinstance(part, slice):
        return _plain_slice(part) if part is not None else None
    if isinstance(part, bool | np.bool_):
        return (np.asarray(part),)
    if hasattr(part, "__index__") and not hasattr(part, "dtype"):
        return part.__index__()
    if isinstance(part, list | tuple | range):
        part = np.asarray(part)
        if part.size == 0:
            part = part.astype(np.int64)
    if not hasattr(part, "dtype") or part.dtype.kind not in "iub":
        raise IndexError(
            f"tensors are indexed by integers, slices, None, Ellipsis, and integer or bool tensors; got "
            f"{getattr(part, 'dtype', type(part).__name__)}"
        )
    if part.dtype.kind == "b":
        return (part,)
    if part.ndim == 0 and not isinstance(part, Traced):
        return int(part)
    return part


def _plain_slice(part: slice) -> slice:
    return slice(*[_plain_bound(bound) for bound in (part.start, part.stop, part.step)])


def _plain_bound(bound: Any) -> int | None:
    if bound is None or isinstance(bound, int):
        return bound
    if isinstance(bound, Traced):
        return int(concrete(bound, "a slice bound"))
    return int(bound)


def concrete(value: Value, what: str) -> np.ndarray[Any, Any]:
    """The NumPy array behind a value, if it is one array for all samples."""
    if isinstance(value, Traced) and value.shape != ground(value).shape:
        raise data_dependent(what, value)
    array: np.ndarray[Any, Any] = ground(value)
    return array


def data_dependent(what: str, value: Value) -> RuntimeError:
    """Error for something that would need one sample's data to decide for all."""
    return RuntimeError(
        f"vmap: {what} on a tensor of per-sample shape {list(value.shape)} that is mapped over is data-dependent: the samples "
        f"may disagree. Use tp.where or tp.cond to choose per sample, or a mask of fixed shape."
    )


def _positions(mask: Value) -> list[Any]:
    array = concrete(mask, "indexing with a boolean mask (a data-dependent shape)")
    return [np.asarray(i) for i in np.nonzero(array)] if array.ndim else [np.zeros(int(array), dtype=np.int64)]


def _in_bounds(index: int, dim: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for dim {dim} with size {length}")
    return index % length


def _resolved(part: slice, length: int) -> slice:
    if part.step is not None and part.step <= 0:
        raise ValueError("slice step must be positive; use tp.flip to reverse")
    return part if (part.start, part.stop, part.step) == (None, None, None) else slice(*part.indices(length))


def index(input: Value, key: Any) -> Value:
    """``input[key]`` by torch's rules."""
    parsed = parse_key(input.shape, key)
    if any([not (isinstance(part, slice) and part == slice(None)) for part in parsed.basic]):
        input = slice_key(input, key=parsed.basic)
    if not parsed.arrays:
        return input
    order = parsed.order
    if order is None:
        return take(input, *parsed.arrays, start=parsed.dims[0])
    return take(permute(input, dims=order), *parsed.arrays, start=0)


def is_basic(key: Any) -> bool:
    """Whether ``x[key]`` is a view."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(
        [
            part is None
            or part is Ellipsis
            or isinstance(part, slice)
            or (isinstance(part, int) and not isinstance(part, bool))
            or (getattr(part, "ndim", 1) == 0 and not isinstance(part, Traced | bool) and part.dtype.kind in "iu")
            for part in parts
        ]
    )


def set_index(input: Value, key: Any, new: Value) -> Value:
    """A copy of `input` in which ``copy[key]`` is `new`."""
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) == 1 and getattr(parts[0], "dtype", None) == np.bool_ and new.ndim == 0:
        mask = parts[0]
        wide = families.reshape(mask, shape=(*mask.shape, *(1,) * (input.ndim - mask.ndim)))
        return where(wide, cast(new, input.dtype), input)
    parsed = parse_key(input.shape, key)
    new = cast(new, input.dtype)
    target = slice_key(input, key=parsed.basic)
    if parsed.arrays:
        order = parsed.order
        start = parsed.dims[0] if order is None else 0
        moved = target if order is None else permute(target, dims=order)
        shape = take(moved, *parsed.arrays, start=start).shape
        moved = put(moved, _fitted(new, shape), *parsed.arrays, start=start)
        new = moved if order is None else permute(moved, dims=families.inverse_permutation(order))
    return set_slice(input, _fitted(new, target.shape), key=parsed.basic)


def _fitted(new: Value, shape: Shape) -> Value:
    extra = new.ndim - len(shape)
    if extra > 0 and new.shape[:extra] == (1,) * extra:
        new = families.reshape(new, shape=new.shape[extra:])
    try:
        return broadcast_to(new, shape)
    except RuntimeError:
        raise RuntimeError(f"a value of shape {list(new.shape)} cannot be assigned to an index of shape {list(shape)}") from None


def place_view(base: Value, step: Callable[[Value], Value], new: Value) -> Value:
    """
    `base` changed so that the view that `step` takes of it reads `new`.

    Where the elements of the view lie is asked of the step itself, by taking the same view of the elements' numbers.
    """
    where_to = step(np.arange(base.size).reshape(base.shape)).ravel()
    flat = families.reshape(new, shape=(where_to.size,))
    if where_to.size == base.size:
        order = np.empty(base.size, dtype=np.intp)
        order[where_to] = np.arange(base.size)
        return families.reshape(take(flat, order, start=0), shape=base.shape)
    placed = put(families.reshape(base, shape=(base.size,)), flat, where_to, start=0)
    return families.reshape(placed, shape=base.shape)


def gather(input: Value, dim: int, index: Value) -> Value:
    axis = one_dim(dim, input.ndim, "gather")
    if input.ndim == 0:
        return families.reshape(gather(families.reshape(input, shape=(1,)), 0, families.reshape(index, shape=(1,))), shape=())
    # torch lets the index be shorter than the input along the other dims
    key = tuple([slice(None) if d == axis else slice(n) for d, n in enumerate(index.shape)])
    return take_along(slice_key(input, key=key), index, dim=axis)
