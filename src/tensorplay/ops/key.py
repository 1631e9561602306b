"""
``x[key]`` and ``x[key] = new`` by torch's rules.

A key is taken apart into basic indexing, which is a view; then positions that `vmap` maps over, each of which selects
along a dim; then index arrays on a block of dims, or a mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tensorplay.core import writes
from tensorplay.core.value import Shape, Traced, Value, ground
from tensorplay.dtypes import BOOL, INT64, from_numpy_dtype
from tensorplay.ops import families
from tensorplay.ops.families import permute
from tensorplay.ops.indexing import MASK, POSITIONS, accumulate, concrete, data_dependent, is_mapped, put, take, where
from tensorplay.ops.masking import ranks
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import Key, broadcast_to, cat, copy, set_slice, slice_key

_ALL = slice(None)


@dataclass(slots=True)
class Plan:
    """A key taken apart, for a tensor of a given shape."""

    shape: Shape
    basic: list[slice | int | None] = field(default_factory=list)
    ndim: int = 0  # number of dims once basic indexing and selects are done
    selects: list[tuple[Value, int]] = field(default_factory=list)  # 0-d positions and their dim at that point
    arrays: list[Value] = field(default_factory=list)
    dims: list[int] = field(default_factory=list)  # the dim that each array indexes
    origins: list[int] = field(default_factory=list)  # and which dim of the tensor that was, for messages
    mask: Value | None = None  # the mask, where it is all there is besides basic indexing
    mask_dim: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether basic indexing leaves the tensor as it is."""
        return all([part == _ALL for part in self.basic if part is not None]) and None not in self.basic

    @property
    def key(self) -> Key:
        """The basic part."""
        return tuple(self.basic)

    def block(self) -> tuple[int, tuple[int, ...] | None]:
        """First dim of the indexed ones, and the permutation that brings them to the front where they are apart."""
        first = self.dims[0]
        if self.dims == list(range(first, first + len(self.dims))):
            return first, None
        return 0, (*self.dims, *[d for d in range(self.ndim) if d not in self.dims])


# ---- taking a key apart ----------------------------------------------------------------------------------------------


def parse(shape: Shape, key: Any) -> Plan:
    """Take a key apart for a tensor of the given shape."""
    parts = _without_ellipsis(shape, [_normal(part) for part in (key if key.__class__ is tuple else (key,))])
    plan = Plan(shape)
    dim = 0
    for part in parts:
        if part is None:
            plan.basic.append(None)
            plan.ndim += 1
        elif part.__class__ is int:
            plan.basic.append(_in_bounds(part, dim, shape))
            dim += 1
        elif part.__class__ is slice:
            plan.basic.append(_resolved(part, shape[dim]))
            plan.ndim += 1
            dim += 1
        elif part.dtype == BOOL:
            _add_mask(plan, part, dim, sole=sum([_is_advanced(other) for other in parts]) == 1)
            dim += part.ndim
        else:
            _add_array(plan, part, dim)
            dim += 1
    return plan


def _is_advanced(part: Any) -> bool:
    return part is not None and part.__class__ is not int and part.__class__ is not slice


def _normal(part: Any) -> Any:
    """One part of a key as None, Ellipsis, int, slice, an array of integers, or a mask."""
    cls = part.__class__
    if cls is int or part is None or part is Ellipsis:
        return part
    if cls is slice:
        return part if part == _ALL else slice(*[_bound(b) for b in (part.start, part.stop, part.step)])
    if cls is bool:
        return np.asarray(part)
    if isinstance(part, list | tuple | range):
        part = _array_of(part)
    elif not hasattr(part, "dtype"):
        return _whole_number(part)
    return _array(part)


def _whole_number(part: Any) -> int:
    if not hasattr(part, "__index__"):
        raise (TypeError if isinstance(part, str) else IndexError)(
            "only integers, slices (`:`), ellipsis (`...`), None and tensors of integers or bools are valid indices, "
            f"got {type(part).__name__}"
        )
    return int(part.__index__())


def _array(part: Value) -> Any:
    if part.dtype == np.uint8:  # torch's masks from before there were bools
        part = cast(part, BOOL)
    if part.dtype != BOOL and (part.dtype.kind != "i" or part.dtype.itemsize < 4):
        raise IndexError(
            f"tensors used as indices must hold integers (int64 or int32) or bools, got dtype {part.dtype}; convert "
            f"with .long() or .bool()"
        )
    if part.ndim == 0 and part.dtype != BOOL and not isinstance(part, Traced):
        return int(part)
    return part if isinstance(part, Traced) else np.asarray(part)


def _array_of(entries: Any) -> Value:
    """A nested sequence of numbers or tensors as one value."""
    if any([isinstance(entry, Traced) for entry in entries]):
        values = [entry if hasattr(entry, "dtype") else _array_of_plain(entry) for entry in entries]
        return cat([families.reshape(value, shape=(1, *value.shape)) for value in values])
    return _array_of_plain(entries)


def _array_of_plain(entries: Any) -> Value:
    try:
        array = np.asarray(entries)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind == "O":
        raise IndexError(
            "a list in an index must be a nested sequence of integers or bools with equal lengths; for one index per "
            "dim use a tuple"
        )
    return array if array.size else array.astype(INT64)


def _bound(bound: Any) -> int | None:
    if bound is None or bound.__class__ is int:
        return bound
    if isinstance(bound, Traced):
        return int(concrete(bound, "a slice bound", POSITIONS))
    if not hasattr(bound, "__index__"):
        raise TypeError(f"slice bounds must be integers, None or 0-d tensors of integers, got {type(bound).__name__}")
    return int(bound.__index__())


def _without_ellipsis(shape: Shape, parts: list[Any]) -> list[Any]:
    """The parts, with full slices for an ellipsis and for dims that are not named."""
    consumed = sum([_consumes(part) for part in parts])
    if consumed > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}: got {consumed}")
    gaps = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(gaps) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    gap = gaps[0] if gaps else len(parts)
    return [*parts[:gap], *[_ALL] * (len(shape) - consumed), *parts[gap + 1 :]]


def _consumes(part: Any) -> int:
    """How many dims of the tensor a part is about."""
    if part is None or part is Ellipsis:
        return 0
    if part.__class__ is int or part.__class__ is slice:
        return 1
    return part.ndim if part.dtype == BOOL else 1


def _in_bounds(index: int, dim: int, shape: Shape) -> int:
    length = shape[dim]
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {length}")
    return index % length


def _resolved(part: slice, length: int) -> slice:
    if part == _ALL:
        return part
    if part.step is not None and part.step <= 0:
        raise ValueError(f"slice step must be greater than zero, got {part.step}; use tp.flip to reverse")
    return slice(*part.indices(length))


def _add_array(plan: Plan, array: Value, dim: int) -> None:
    plan.basic.append(_ALL)
    if array.ndim == 0:  # as a Python int would, it selects first and leaves no dim
        plan.selects.append((array, plan.ndim))
        plan.origins.append(dim)
        return
    plan.arrays.append(array)
    plan.dims.append(plan.ndim)
    plan.origins.append(dim)
    plan.ndim += 1


def _add_mask(plan: Plan, mask: Value, dim: int, *, sole: bool) -> None:
    if mask.shape != plan.shape[dim : dim + mask.ndim]:
        raise IndexError(
            f"the shape of the mask {list(mask.shape)} at index {dim} does not match the shape of the indexed tensor "
            f"{list(plan.shape)}"
        )
    if mask.ndim == 0:  # a mask over a new dim of size 1
        plan.basic.append(None)
        mask = families.reshape(mask, shape=(1,))
    else:
        plan.basic.extend([_ALL] * mask.ndim)
    if sole:
        plan.mask, plan.mask_dim = mask, plan.ndim
    else:
        _add_positions(plan, mask, plan.ndim)
    plan.ndim += mask.ndim


def _add_positions(plan: Plan, mask: Value, dim: int) -> None:
    plan.arrays.extend(np.nonzero(concrete(mask, "indexing with a boolean mask (a data-dependent shape)", MASK)))
    plan.dims.extend(range(dim, dim + mask.ndim))
    plan.origins.extend(range(dim, dim + mask.ndim))


def _spell_mask(plan: Plan) -> None:
    """Turn the mask into index arrays."""
    if plan.mask is not None:
        _add_positions(plan, plan.mask, plan.mask_dim)
        plan.mask = None


def basic_key(shape: Shape, key: Any) -> Key | None:
    """The key resolved, if ``x[key]`` is a view; else None."""
    found: list[slice | int | None] = []
    dim, ndim = 0, len(shape)
    for part in key if key.__class__ is tuple else (key,):
        cls = part.__class__
        if part is None:
            found.append(None)
        elif dim == ndim or (cls is not int and cls is not slice):  # what is less common, or wrong
            return parse(shape, key).key if is_basic(key) else None
        else:
            found.append(_in_bounds(part, dim, shape) if cls is int else _resolved(_normal(part), shape[dim]))
            dim += 1
    return (*found, *(_ALL,) * (ndim - dim))


def is_basic(key: Any) -> bool:
    """Whether ``x[key]`` is a view."""
    for part in key if key.__class__ is tuple else (key,):
        cls = part.__class__
        if cls is int or cls is slice or part is None or part is Ellipsis:
            continue
        if cls is bool or isinstance(part, list | tuple | range | Traced | np.bool_):
            return False
        if hasattr(part, "dtype") and (part.ndim > 0 or part.dtype.kind != "i"):
            return False
    return True


# ---- reading ---------------------------------------------------------------------------------------------------------


def index(input: Value, key: Any) -> Value:
    """``input[key]``."""
    plan = parse(input.shape, key)
    if not plan.is_whole:
        input = slice_key(input, key=plan.key)
    if plan.mask is not None:
        _spell_mask(plan)
    if not plan.arrays and not plan.selects:
        return input
    _check_broadcast(plan.arrays)
    try:
        for position, dim in plan.selects:
            input = take(input, position, start=dim)
        return _taken(input, plan) if plan.arrays else input
    except IndexError:
        raise _out_of_bounds(plan) from None


def _taken(target: Value, plan: Plan) -> Value:
    start, order = plan.block()
    return take(target if order is None else permute(target, dims=order), *plan.arrays, start=start)


def _check_broadcast(arrays: Sequence[Value]) -> None:
    if len(arrays) < 2:
        return
    try:
        np.broadcast_shapes(*[array.shape for array in arrays])
    except ValueError:
        shapes = ", ".join([str(list(array.shape)) for array in arrays])
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None


def _out_of_bounds(plan: Plan) -> IndexError:
    """Which position is out of bounds, and where."""
    for array, dim in zip([*[s for s, _ in plan.selects], *plan.arrays], plan.origins, strict=False):
        length, numbers = plan.shape[dim], ground(array)
        bad = numbers[(numbers < -length) | (numbers >= length)]
        if bad.size:
            return IndexError(f"index {bad.flat[0]} is out of bounds for dimension {dim} with size {length}")
    return IndexError(f"an index is out of bounds for a tensor of shape {list(plan.shape)}")


# ---- writing ---------------------------------------------------------------------------------------------------------


def set_index(input: Value, key: Any, new: Value, accumulate: bool = False) -> Value:
    """A copy of `input` in which ``copy[key]`` is `new`, or has `new` added."""
    plan = parse(input.shape, key)
    new = cast(new, input.dtype)
    _check_broadcast(plan.arrays)
    target = input if plan.is_whole else slice_key(input, key=plan.key)
    try:
        changed = _changed(target, plan, plan.selects, new, accumulate)
    except IndexError:
        raise _out_of_bounds(plan) from None
    return changed if plan.is_whole else set_slice(input, changed, key=plan.key)


def _changed(target: Value, plan: Plan, selects: Sequence[tuple[Value, int]], new: Value, accumulate: bool) -> Value:
    """`target`, which is what basic indexing gives, with the new values in it."""
    if selects:
        position, dim = selects[0]
        inner = _changed(take(target, position, start=dim), plan, selects[1:], new, accumulate)
        return put(target, inner, position, start=dim)
    if plan.mask is not None:
        if (changed := _beside_mask(target, plan, new, accumulate)) is not None:
            return changed
        _spell_mask(plan)
    if plan.arrays:
        return _scattered(target, plan, new, accumulate)
    whole = fitted(new, target.shape)
    return families.add(target, whole) if accumulate else copy(whole) if plan.is_whole else whole


def _beside_mask(target: Value, plan: Plan, new: Value, accumulate: bool) -> Value | None:
    """The write as a choice by the mask; None where it takes the positions of an unmapped one."""
    mask, dim = plan.mask, plan.mask_dim
    assert mask is not None
    after = target.ndim - dim - mask.ndim
    cut = new.ndim - after
    if cut > 0 and new.shape[cut - 1] != 1:
        if not is_mapped(mask):
            return None
        new = _spread(new, cut - 1, mask)
    elif cut > 0:
        new = families.reshape(new, shape=(*new.shape[: cut - 1], *(1,) * mask.ndim, *new.shape[cut:]))
    mask = families.reshape(mask, shape=(*mask.shape, *(1,) * after))
    wide = fitted(new, target.shape)
    return where(mask, families.add(target, wide) if accumulate else wide, target)


def _spread(new: Value, dim: int, mask: Value) -> Value:
    """One value per true element of a mapped mask, brought to where those elements are."""
    order = ranks(families.reshape(mask, shape=(mask.size,)))
    counts = ground(order)[..., -1] + 1 if mask.size else np.zeros((), INT64)
    if np.any(counts != new.shape[dim]):
        raise data_dependent(
            "assigning one value per true element of a boolean mask",
            mask,
            "Use tp.where, or tp.masked_scatter, which may be given more values than it takes",
        )
    placed = take(new, order, start=dim)  # where the mask is false, anything
    return families.reshape(placed, shape=(*new.shape[:dim], *mask.shape, *new.shape[dim + 1 :]))


def _scattered(target: Value, plan: Plan, new: Value, add: bool) -> Value:
    start, order = plan.block()
    moved = target if order is None else permute(target, dims=order)
    shape = np.broadcast_shapes(*[array.shape for array in plan.arrays])
    new = fitted(new, (*moved.shape[:start], *shape, *moved.shape[start + len(plan.arrays) :]))
    if add:
        moved = families.add(moved, accumulate(new, *plan.arrays, start=start, shape=moved.shape))
    else:
        moved = put(moved, new, *plan.arrays, start=start)
    return moved if order is None else permute(moved, dims=families.inverse_permutation(order))


def fitted(new: Value, shape: Shape) -> Value:
    """`new` broadcast to the shape of what it replaces; leading dims of size 1 may be too many."""
    extra = new.ndim - len(shape)
    if extra > 0 and new.shape[:extra] == (1,) * extra:
        new = families.reshape(new, shape=new.shape[extra:])
    try:
        return broadcast_to(new, shape)
    except RuntimeError:
        raise _misfit(new.shape, shape) from None


def _misfit(have: Shape, wanted: Shape) -> RuntimeError:
    return RuntimeError(
        f"shape mismatch: a value of shape {list(have)} cannot be assigned to an indexing result of shape "
        f"{list(wanted)}"
    )


def assign(memory: np.ndarray[Any, Any], key: Any, new: np.ndarray[Any, Any], what: str) -> None:
    """``memory[key] = new`` in place, for a key without traced values; nothing but the named elements is touched."""
    plan = parse(memory.shape, key)
    _check_broadcast(plan.arrays)
    new = cast(new, memory.dtype)
    target = memory[(*plan.basic, ...)]
    if plan.mask is None and not plan.arrays:
        where_to: Any = ...
    elif plan.mask is not None:
        where_to = (*(_ALL,) * plan.mask_dim, _apart(plan.mask, memory))
    else:
        start, order = plan.block()
        target = target if order is None else target.transpose(order)
        where_to = (*(_ALL,) * start, *[_apart(array, memory) for array in plan.arrays])
    if where_to is not ...:
        new = _apart(new, memory)
    writes.note_write(target, what)
    try:
        target[where_to] = new
    except IndexError:
        raise _out_of_bounds(plan) from None
    except ValueError:
        raise _misfit(new.shape, target[where_to].shape) from None


def _apart(array: np.ndarray[Any, Any], memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`array` in memory of its own, so that a write does not change it on the way."""
    return array.copy() if np.may_share_memory(array, memory) else array


def is_plain(key: Any) -> bool:
    """Whether no traced value takes part in a key."""
    parts = key if key.__class__ is tuple else (key,)
    return not any(
        [isinstance(part, Traced) or (part.__class__ is list and not is_plain(tuple(part))) for part in parts]
    )


def index_put(input: Value, indices: Sequence[Value | None], values: Value, accumulate: bool = False) -> Value:
    """
    `input` with `values` written to the positions that index tensors name, as by ``input[indices] = values``.

    Parameters
    ----------
    input : Tensor
        What to write into; it is not changed.
    indices : tuple of Tensor or None
        Integers or masks, one per dim; None is a full slice.
    values : Tensor
        Of the dtype of `input`; broadcasts to what the indices select.
    accumulate : bool, default False
        Add to what is there instead of replacing it; positions named several times then receive every value.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    IndexError, RuntimeError
        If an index is out of bounds, or shapes or dtypes do not fit.

    Examples
    --------
    >>> tp.index_put(tp.zeros(3), (tp.tensor([1, 1]),), tp.tensor([5.0, 6.0]), accumulate=True)
    tensor([ 0., 11.,  0.])
    """
    if values.dtype != input.dtype:
        raise RuntimeError(
            f"index_put(): expected values of the dtype of input, {from_numpy_dtype(input.dtype)}, got "
            f"{from_numpy_dtype(values.dtype)}"
        )
    return set_index(input, key_of_indices(indices), values, accumulate)


def key_of_indices(indices: Sequence[Value | None]) -> tuple[Any, ...]:
    """The key that `index_put` is given as index tensors."""
    if not isinstance(indices, tuple | list):
        raise TypeError(f"index_put(): indices must be a tuple of tensors, got {type(indices).__name__}")
    return tuple([_ALL if position is None else position for position in indices])
