"""Shape ops: reshape, permute, slice, pad and concatenate, and the views made of them. All are linear."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.ops import families
from tensorplay.ops.families import permute as _permute
from tensorplay.ops.families import structural
from tensorplay.ops.promotion import as_value, promote

# ---- arguments -------------------------------------------------------------------------------------------------------


def one_dim(dim: int, ndim: int, name: str) -> int:
    """`dim` as a non-negative int; a 0-d tensor counts as having one dim, as in torch."""
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(f"{name}(): dimension out of range: expected one in [{-bound}, {bound - 1}], got {dim}")
    return dim % bound


def some_dims(dim: int | Sequence[int] | None, ndim: int, name: str) -> tuple[int, ...]:
    """`dim` as a tuple of non-negative ints; None or an empty tuple is all dims."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    entries = (dim,) if isinstance(dim, int) else tuple(dim)
    found = tuple([one_dim(d, ndim, name) for d in entries])
    if len(set(found)) != len(found):
        raise RuntimeError(f"{name}(): a dim appears more than once in {tuple(entries)}")
    return () if ndim == 0 else found


def sizes(shape: Sequence[Any]) -> Shape:
    """A shape given as ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    if len(shape) == 1 and isinstance(shape[0], tuple | list):
        shape = shape[0]
    return tuple([int(n) for n in shape])


# ---- reshape, permute ------------------------------------------------------------------------------------------------


def reshape(input: Value, *shape: Any) -> Value:
    new = _infer(sizes(shape), input.size, input.shape, "reshape")
    return families.reshape(input, shape=new)


def _infer(shape: Shape, count: int, have: Shape, name: str) -> Shape:
    if -1 in shape:
        known = math.prod(n for n in shape if n != -1)
        if shape.count(-1) > 1:
            raise RuntimeError(f"{name}(): only one size can be -1, got {list(shape)}")
        if known == 0 or count % known:
            raise RuntimeError(f"{name}(): shape {list(shape)} does not fit a tensor of shape {list(have)}")
        return tuple([count // known if n == -1 else n for n in shape])
    if math.prod(shape) != count:
        raise RuntimeError(f"{name}(): shape {list(shape)} does not fit a tensor of shape {list(have)}")
    return shape


def permute(input: Value, *dims: Any) -> Value:
    order = tuple([one_dim(d, input.ndim, "permute") for d in sizes(dims)])
    if sorted(order) != list(range(input.ndim)):
        raise RuntimeError(
            f"permute(): dims must name each dim of a tensor of shape {list(input.shape)} once, got {sizes(dims)}"
        )
    return _permute(input, dims=order)


def transpose(input: Value, dim0: int, dim1: int) -> Value:
    if input.ndim == 0:
        return input
    order = list(range(input.ndim))
    a, b = one_dim(dim0, input.ndim, "transpose"), one_dim(dim1, input.ndim, "transpose")
    order[a], order[b] = b, a
    return _permute(input, dims=tuple(order))


def broadcast_to(input: Value, size: Sequence[int]) -> Value:
    shape = tuple(size)
    input = as_value(input)
    lead = len(shape) - input.ndim
    if lead < 0 or any([n not in (1, shape[i + lead]) for i, n in enumerate(input.shape)]):
        raise RuntimeError(f"broadcast_to(): a tensor of shape {list(input.shape)} does not broadcast to {list(shape)}")
    return input if input.shape == shape else families.expand(input, shape=shape)


def movedim(input: Value, source: int | Sequence[int], destination: int | Sequence[int]) -> Value:
    come_from = (source,) if isinstance(source, int) else tuple(source)
    to = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(come_from) != len(to):
        raise RuntimeError(f"movedim(): source {come_from} and destination {to} differ in length")
    come_from = some_dims(come_from, input.ndim, "movedim")
    to = some_dims(to, input.ndim, "movedim")
    rest = iter([d for d in range(input.ndim) if d not in come_from])
    placed = dict(zip(to, come_from, strict=True))
    return _permute(input, dims=tuple([placed[i] if i in placed else next(rest) for i in range(input.ndim)]))


copy = structural(
    "clone",
    lambda x: x.copy(),
    transpose=lambda ct, x: ct,
    batch=lambda size, args, mapped: (copy(args[0]), True),
)


# ---- slices ----------------------------------------------------------------------------------------------------------

Key = tuple[slice | int | None, ...]  # basic indexing, resolved: as many slices and ints as there are dims


def _embed_impl(x: Any, shape: Shape, key: Key) -> Any:
    out = np.zeros(shape, x.dtype)
    out[key] = x
    return out


slice_key = structural(
    "slice",
    lambda x, key: x[key],
    transpose=lambda ct, x, key: embed(ct, shape=x.shape, key=key),
    batch=lambda size, args, mapped, key: (slice_key(args[0], key=(slice(None), *key)), True),
)

# Zeros of `shape` but for the slice `key`, which holds the argument.
embed = structural(
    "embed",
    _embed_impl,
    transpose=lambda ct, x, shape, key: slice_key(ct, key=key),
    batch=lambda size, args, mapped, shape, key: (
        embed(args[0], shape=(size, *shape), key=(slice(None), *key)),
        True,
    ),
)


def _set_slice_impl(x: Any, new: Any, key: Key) -> Any:
    out = x.copy()
    out[key] = new
    return out


# `x` with the slice `key` replaced by `new`, which has just the slice's shape.
set_slice = Primitive("set_slice", _set_slice_impl, "general", (frozenset(), frozenset()))


@set_slice.derivative
def _set_slice_derivative(out: Value, x: Value, new: Value, *, key: Key) -> LinearMap:
    def push(x_dot: Value | None, new_dot: Value | None) -> Value:
        if x_dot is None:
            return embed(new_dot, shape=out.shape, key=key)
        if new_dot is None:
            new_dot = np.zeros(new.shape, new.dtype)
        return set_slice(x_dot, new_dot, key=key)

    def pull(ct: Value) -> tuple[Any, ...]:
        return (lambda: set_slice(ct, np.zeros(new.shape, new.dtype), key=key), lambda: slice_key(ct, key=key))

    return LinearMap(push, pull)


@set_slice.batch
def _set_slice_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, key: Key) -> tuple[Value, bool]:
    x, new = [arg if here else broadcast_to(arg, (size, *arg.shape)) for arg, here in zip(args, mapped, strict=True)]
    return set_slice(x, new, key=(slice(None), *key)), True


# ---- concatenate -----------------------------------------------------------------------------------------------------

_cat = Primitive("cat", lambda *xs, dim: np.concatenate(xs, axis=dim), "general", reads=())


@_cat.derivative
def _cat_derivative(out: Value, *xs: Value, dim: int) -> LinearMap:
    shapes = [x.shape for x in xs]
    dtype = out.dtype

    def push(*tangents: Value | None) -> Value:
        return _cat(*[np.zeros(s, dtype) if t is None else t for s, t in zip(shapes, tangents, strict=True)], dim=dim)

    def pull(ct: Value) -> tuple[Value, ...]:
        ends = np.cumsum([s[dim] for s in shapes]).tolist()
        return tuple(
            [
                slice_key(ct, key=(*(slice(None),) * dim, slice(end - s[dim], end), *(slice(None),) * (ct.ndim - dim - 1)))
                for s, end in zip(shapes, ends, strict=True)
            ]
        )

    return LinearMap(push, pull)


@_cat.batch
def _cat_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int) -> tuple[Value, bool]:
    return _cat(
        *[arg if here else broadcast_to(arg, (size, *arg.shape)) for arg, here in zip(args, mapped, strict=True)],
        dim=dim + 1,
    ), True


def cat(tensors: Sequence[Value], dim: int = 0) -> Value:
    # torch skips 1-d tensors of size 0 whatever the other shapes are
    parts = [t for t in tensors if t.shape != (0,)] or list(tensors[:1])
    if not parts:
        raise RuntimeError("cat(): expected at least one tensor")
    axis = one_dim(dim, parts[0].ndim, "cat")
    return _cat(*promote(*parts), dim=axis)

# The same value, at which every derivative stops.
detach = Primitive("detach", lambda x: x, "elementwise", differentiable=False)
detach.batch(lambda size, args, mapped: (detach(args[0]), True))
