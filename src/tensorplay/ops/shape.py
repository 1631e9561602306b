"""
Shape ops that other families build on: reshape, permute, expand, slices, concatenation. All are linear.

`views` holds the rest of the ops that share memory with their input, `joining` and `arranging` those that do not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.ops import families
from tensorplay.ops.families import permute as _permute
from tensorplay.ops.families import structural
from tensorplay.ops.many import filling_itself, in_pieces
from tensorplay.ops.promotion import as_value, promote
from tensorplay.ops.stacking import joined

# ---- arguments -------------------------------------------------------------------------------------------------------


def one_dim(dim: int, ndim: int, name: str) -> int:
    """`dim` as a non-negative int; a 0-d tensor counts as having one dim, as in torch."""
    bound, dim = max(ndim, 1), operator.index(dim)
    if not -bound <= dim < bound:
        raise IndexError(f"{name}(): dimension out of range: expected one in [{-bound}, {bound - 1}], got {dim}")
    return dim % bound


def some_dims(dim: int | Sequence[int] | None, ndim: int, name: str) -> tuple[int, ...]:
    """`dim` as a tuple of non-negative ints; None or an empty tuple is all dims."""
    single = isinstance(dim, int) or getattr(dim, "ndim", 1) == 0
    if dim is None or (not single and len(dim) == 0):  # type: ignore[arg-type]
        return tuple(range(ndim))
    entries: tuple[Any, ...] = (dim,) if single else tuple(dim)  # type: ignore[arg-type]
    found = tuple([one_dim(d, ndim, name) for d in entries])
    if len(set(found)) != len(found):
        raise RuntimeError(f"{name}(): a dim appears more than once in {tuple(entries)}")
    return () if ndim == 0 else found


def sizes(shape: Sequence[Any]) -> Shape:
    """A shape given as ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    return tuple(map(operator.index, packed(shape)))


def packed(args: Sequence[Any]) -> Sequence[Any]:
    """What is given as ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``, as one sequence."""
    return args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args


# ---- reshape, permute ------------------------------------------------------------------------------------------------


def reshape(input: Value, shape: Sequence[int]) -> Value:
    """
    The same elements, in the same order, in another shape.

    Parameters
    ----------
    input : Tensor
        Any shape.
    shape : tuple of int
        The new shape; one size may be -1 and follows from the others.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Raises
    ------
    RuntimeError
        If the number of elements differs.

    Examples
    --------
    >>> tp.reshape(tp.tensor([1, 2, 3, 4]), (2, -1))
    tensor([[1, 2],
            [3, 4]])
    """
    return families.reshape(input, shape=inferred(sizes((shape,)), input.shape, "reshape"))


def inferred(shape: Shape, have: Shape, name: str) -> Shape:
    """`shape` for the elements of a tensor of shape `have`, with -1 replaced by what it must be."""
    count = math.prod(have)
    if math.prod(shape) == count and min(shape, default=0) >= 0:
        return shape
    known = math.prod([n for n in shape if n != -1])
    if shape.count(-1) > 1 or min(shape, default=0) < -1:
        raise RuntimeError(f"{name}(): sizes must be non-negative and at most one can be -1, got {list(shape)}")
    if -1 not in shape:
        fits = False
    elif known == 0 and count == 0:
        raise RuntimeError(f"{name}(): the size -1 in {list(shape)} is ambiguous for a tensor of 0 elements")
    else:
        fits = known != 0 and count % known == 0
    if not fits:
        raise RuntimeError(f"{name}(): shape {list(shape)} does not fit a tensor of shape {list(have)}")
    return tuple([count // known if n == -1 else n for n in shape])


def permute(input: Value, dims: Sequence[int]) -> Value:
    """
    The dims in another order.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dims : tuple of int
        For each dim of the result, the dim of `input` it comes from.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If `dims` does not name each dim once.

    Examples
    --------
    >>> tp.permute(tp.zeros(2, 3, 4), (2, 0, 1)).shape
    tensorplay.Size([4, 2, 3])
    """
    given = sizes((dims,))
    if len(given) != input.ndim:
        raise RuntimeError(f"permute(): got {len(given)} dims {given} for a tensor of shape {list(input.shape)}")
    order = tuple([one_dim(d, input.ndim, "permute") for d in given])
    if len(set(order)) != input.ndim:
        raise RuntimeError(f"permute(): a dim appears more than once in {given}")
    return _permute(input, dims=order)


def transpose(input: Value, dim0: int | Sequence[int], dim1: int | None = None) -> Value:
    """
    Two dims exchanged; or, as NumPy's `transpose` and those who call it wish, all dims in another order.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim0 : int or sequence of int
        One of the dims; or, without `dim1`, all dims in their new order.
    dim1 : int, optional
        The other dim.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    TypeError
        If `dim0` is a dim and `dim1` is left out, or `dim0` a sequence and `dim1` given.

    Examples
    --------
    >>> tp.transpose(tp.zeros(2, 3, 4), 0, 2).shape
    tensorplay.Size([4, 3, 2])
    """
    if isinstance(dim0, Sequence) and dim1 is None:
        return permute(input, dim0)
    if isinstance(dim0, Sequence) or dim1 is None:
        raise TypeError(f"transpose(): expected two dims, or all in a new order, got dim0={dim0!r}, dim1={dim1!r}")
    order = list(range(input.ndim))
    a, b = one_dim(dim0, input.ndim, "transpose"), one_dim(dim1, input.ndim, "transpose")
    if input.ndim:
        order[a], order[b] = b, a
    return _permute(input, dims=tuple(order))


def broadcast_to(input: Value, size: Sequence[int]) -> Value:
    """
    The tensor repeated along dims of size 1, without copies, to a larger shape.

    Parameters
    ----------
    input : Tensor
        Any shape.
    size : tuple of int
        Each size from the right equals that of `input`, or `input` has 1 there; more dims may come in front.

    Returns
    -------
    Tensor
        A view in which many elements share memory: it cannot be written to.

    Raises
    ------
    RuntimeError
        If `input` does not broadcast to `size`.

    Examples
    --------
    >>> tp.broadcast_to(tp.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    shape = tuple(size)
    input = as_value(input)
    lead = len(shape) - input.ndim
    if lead < 0 or any([n not in (1, shape[i + lead]) for i, n in enumerate(input.shape)]):
        raise RuntimeError(f"broadcast_to(): a tensor of shape {list(input.shape)} does not broadcast to {list(shape)}")
    return input if input.shape == shape else families.expand(input, shape=shape)


def movedim(input: Value, source: int | Sequence[int], destination: int | Sequence[int]) -> Value:
    """
    Some dims moved to other positions; the rest keep their order.

    Parameters
    ----------
    input : Tensor
        Any shape.
    source, destination : int or tuple of int
        Where the dims are, and where they go.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the two differ in length, or one names a dim twice.

    Examples
    --------
    >>> tp.movedim(tp.zeros(2, 3, 4), 0, -1).shape
    tensorplay.Size([3, 4, 2])
    """
    come_from = (source,) if isinstance(source, int) else tuple(source)
    to = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(come_from) != len(to):
        raise RuntimeError(f"movedim(): source {come_from} and destination {to} differ in length")
    if not to:
        return _permute(input, dims=tuple(range(input.ndim)))
    come_from = some_dims(come_from, input.ndim, "movedim")
    to = some_dims(to, input.ndim, "movedim")
    rest = iter([d for d in range(input.ndim) if d not in come_from])
    placed = dict(zip(to, come_from, strict=True))
    return _permute(input, dims=tuple([placed[i] if i in placed else next(rest) for i in range(input.ndim)]))


@filling_itself
def _copied(x: Any, out: Any = None) -> Any:
    if out is None:
        return x.copy()
    np.copyto(out, x)
    return out


copy = structural(
    "clone",
    _copied,
    transpose=lambda ct, x: ct,
    batch=lambda size, args, mapped: (copy(args[0]), True),
)
copy.many = in_pieces(_copied)


def clone(input: Value, *, memory_format: Any = None) -> Value:
    """
    A copy, through which derivatives flow.

    Parameters
    ----------
    input : Tensor
        Any shape.
    memory_format : memory_format, optional
        Copies are contiguous; it is ignored.

    Returns
    -------
    Tensor
        New memory.

    Examples
    --------
    >>> tp.clone(tp.tensor([1, 2]))
    tensor([1, 2])
    """
    return copy(input)


# ---- slices ----------------------------------------------------------------------------------------------------------

Key = tuple[slice | int | None, ...]  # basic indexing, resolved: as many slices and ints as there are dims


def _embed_impl(x: Any, shape: Shape, key: Key) -> Any:
    out = np.zeros(shape, x.dtype)
    out[key] = x
    return out


slice_key = structural(
    "slice",
    lambda x, key: x[(*key, ...)],  # the ellipsis keeps a 0-d result a view
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
    x, new = families.all_mapped(size, args, mapped)
    return set_slice(x, new, key=(slice(None), *key)), True


def at_dim(dim: int, part: slice | int, ndim: int) -> Key:
    """Key that applies `part` to one dim and takes the others whole."""
    return (*(slice(None),) * dim, part, *(slice(None),) * (ndim - dim - 1))


def slice_dim(value: Value, dim: int, start: int, stop: int, step: int = 1) -> Value:
    """``value[start:stop:step]`` along one dim."""
    return slice_key(value, key=at_dim(dim, slice(start, stop, step), value.ndim))


# ---- concatenate -----------------------------------------------------------------------------------------------------


def cat(tensors: Sequence[Value], dim: int = 0) -> Value:
    """
    Tensors joined along a dim.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of equal sizes in all other dims; a 1-d tensor of size 0 joins anything.
    dim : int, default 0
        The dim that grows.

    Returns
    -------
    Tensor
        In the common dtype.

    Raises
    ------
    RuntimeError
        If a tensor is 0-d, or the other sizes differ.
    ValueError
        If there is no tensor.

    Examples
    --------
    >>> tp.cat([tp.tensor([1, 2]), tp.tensor([3])])
    tensor([1, 2, 3])
    """
    return join(tensors, dim, "cat")


def join(tensors: Sequence[Value], dim: int, name: str) -> Value:
    """`cat` under the name that the user called."""
    check_tensors(tensors)
    if not tensors:
        raise ValueError(f"{name}(): expected a non-empty sequence of tensors")
    # torch skips 1-d tensors of size 0 whatever the other shapes are
    promoted = promote(*tensors)
    parts = [t for t in promoted if t.shape != (0,)] or list(promoted[:1])
    axis = one_dim(dim, parts[0].ndim, name)
    _check_joinable(parts, axis, name)
    return joined(*parts, dim=axis)


def check_tensors(tensors: Sequence[Value]) -> None:
    """Raise unless `tensors` is a list or tuple of values, as a single tensor with its rows is not."""
    if not (isinstance(tensors, list | tuple) and all([hasattr(entry, "dtype") for entry in tensors])):
        raise TypeError("expected a list or tuple of tensors")


def _check_joinable(parts: Sequence[Value], axis: int, name: str) -> None:
    first = parts[0].shape
    rest = (*first[:axis], *first[axis + 1 :])
    for i, part in enumerate(parts):
        if part.ndim == 0:
            raise RuntimeError(f"{name}(): 0-d tensors cannot be concatenated; use stack")
        if (*part.shape[:axis], *part.shape[axis + 1 :]) != rest or part.ndim != len(first):
            raise RuntimeError(
                f"{name}(): sizes must match except in dim {axis}: expected {list(first)}, got {list(part.shape)} at "
                f"position {i}"
            )


# The same value, at which every derivative stops.
detach = Primitive("detach", lambda x: x, "elementwise", constant=True)
detach.batch(lambda size, args, mapped: (detach(args[0]), True))
