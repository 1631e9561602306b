"""Ops that bring tensors to common shapes, join them, and repeat their elements: composites of views and `cat`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import default_float
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.documented import documented
from tensorplay.ops.indexing import take
from tensorplay.ops.promotion import as_value, promote
from tensorplay.ops.shape import broadcast_to, check_tensors, copy, join, one_dim, set_slice, sizes
from tensorplay.ops.stacking import stacked
from tensorplay.ops.views import unsqueeze

# ---- common shapes ---------------------------------------------------------------------------------------------------


def broadcast_shapes(*shapes: Any) -> Shape:
    """
    The shape that tensors of the given shapes broadcast to.

    Parameters
    ----------
    *shapes : int or tuple of int
        Shapes; an int is a shape of one dim.

    Returns
    -------
    Size
        From the right, the size that is not 1 in each dim.

    Raises
    ------
    RuntimeError
        If two sizes differ and neither is 1.

    Examples
    --------
    >>> tp.broadcast_shapes((2, 1), (3,))
    tensorplay.Size([2, 3])
    """
    given = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    if any([n < 0 for shape in given for n in shape]):
        raise RuntimeError(f"broadcast_shapes(): sizes must be non-negative, got {given}")
    try:
        return tuple(np.broadcast_shapes(*given))
    except ValueError:
        raise RuntimeError(f"broadcast_shapes(): the shapes {given} do not broadcast to a common shape") from None


def atleast_nd(input: Value, ndim: int) -> Value:
    """The tensor with dims of size 1 added, by NumPy's rule, until it has `ndim`."""
    shape = input.shape
    if len(shape) >= ndim:
        return families.reshape(input, shape=shape)
    if ndim == 1:
        new: Shape = (1,)
    elif ndim == 2:
        new = (1, *shape) if shape else (1, 1)
    else:
        new = {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)]
    return families.reshape(input, shape=new)


# ---- joining ---------------------------------------------------------------------------------------------------------


def stack(tensors: Sequence[Value], dim: int = 0) -> Value:
    """
    Tensors of one shape along a new dim.

    Parameters
    ----------
    tensors : sequence of Tensor
        All of the same shape.
    dim : int, default 0
        Position of the new dim in the result.

    Returns
    -------
    Tensor
        In the common dtype.

    Raises
    ------
    RuntimeError
        If there is no tensor or the shapes differ.

    Examples
    --------
    >>> tp.stack([tp.tensor([1, 2]), tp.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    check_tensors(tensors)
    if not tensors:
        raise RuntimeError("stack(): expected a non-empty sequence of tensors")
    first = tensors[0].shape
    for i, tensor in enumerate(tensors):
        if tensor.shape != first:
            raise RuntimeError(
                f"stack(): expected tensors of one shape, got {list(first)} at position 0 and {list(tensor.shape)} at "
                f"position {i}"
            )
    d = one_dim(dim, len(first) + 1, "stack")
    return stacked(*promote(*tensors), dim=d)


def _stacking(name: str, least: int, dim_of: Callable[[int], int], summary: str, example: str) -> Callable[..., Any]:
    def op(tensors: Sequence[Value]) -> Value:
        check_tensors(tensors)
        parts = [atleast_nd(tensor, least) for tensor in tensors]
        if not parts:
            raise RuntimeError(f"{name}(): expected a non-empty sequence of tensors")
        return join(parts, dim_of(parts[0].ndim), name)

    return documented(
        op,
        name,
        summary,
        """
        Parameters
        ----------
        tensors : sequence of Tensor
            Of equal sizes in all other dims.

        Returns
        -------
        Tensor
            In the common dtype.

        Raises
        ------
        RuntimeError
            If there is no tensor or the other sizes differ.
        """,
        example,
    )


_TWO = "([tp.tensor([1, 2]), tp.tensor([3, 4])])"
hstack = _stacking(
    "hstack",
    1,
    lambda ndim: 0 if ndim == 1 else 1,
    "Tensors joined along the second dim, or the only one.",
    f">>> tp.hstack{_TWO}\ntensor([1, 2, 3, 4])",
)
vstack = _stacking(
    "vstack",
    2,
    lambda ndim: 0,
    "Tensors joined along the first dim; vectors and scalars become rows.",
    f">>> tp.vstack{_TWO}\ntensor([[1, 2],\n        [3, 4]])",
)
dstack = _stacking(
    "dstack",
    3,
    lambda ndim: 2,
    "Tensors joined along the third dim.",
    f">>> tp.dstack{_TWO}\ntensor([[[1, 3],\n         [2, 4]]])",
)


def column_stack(tensors: Sequence[Value]) -> Value:
    """
    Tensors joined along the second dim; vectors and scalars become columns.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of equal sizes in all other dims.

    Returns
    -------
    Tensor
        In the common dtype.

    Examples
    --------
    >>> tp.column_stack([tp.tensor([1, 2]), tp.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    check_tensors(tensors)
    columns = [families.reshape(t, shape=(t.size, 1)) if t.ndim <= 1 else t for t in tensors]
    return join(columns, 1, "column_stack")


def block_diag(*tensors: Value) -> Value:
    """
    A matrix with the given matrices along its diagonal and zeros elsewhere.

    Parameters
    ----------
    *tensors : Tensor
        Of at most two dims; a vector is a row.

    Returns
    -------
    Tensor
        In the common dtype.

    Raises
    ------
    RuntimeError
        If a tensor has more dims.

    Examples
    --------
    >>> tp.block_diag(tp.tensor([[1, 2]]), tp.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
    for i, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(
                f"block_diag(): expected tensors of at most 2 dims, got shape {list(tensor.shape)} at position {i}"
            )
    if not tensors:
        return np.zeros((1, 0), default_float())
    blocks = [atleast_nd(tensor, 2) for tensor in promote(*tensors)]
    rows, columns = [sum([block.shape[d] for block in blocks]) for d in (0, 1)]
    out = np.zeros((rows, columns), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        m, n = block.shape
        out = set_slice(out, block, key=(slice(row, row + m), slice(column, column + n)))
        row, column = row + m, column + n
    return out


# ---- products --------------------------------------------------------------------------------------------------------


def cartesian_prod(*tensors: Value) -> Value:
    """
    All tuples with one element of each vector.

    Parameters
    ----------
    *tensors : Tensor
        Vectors.

    Returns
    -------
    Tensor
        Shape [product of the sizes, number of vectors]; a single vector comes back as it is.

    Raises
    ------
    RuntimeError
        If a tensor is no vector, or the dtypes differ.

    Examples
    --------
    >>> tp.cartesian_prod(tp.tensor([1, 2]), tp.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    for i, tensor in enumerate(tensors):
        if tensor.ndim != 1:
            raise RuntimeError(f"cartesian_prod(): expected vectors, got shape {list(tensor.shape)} at position {i}")
    if len(tensors) == 1:
        return copy(tensors[0])
    grids = grid(tensors, "ij", "cartesian_prod")
    return stack([families.reshape(g, shape=(g.size,)) for g in grids], 1)


def grid(tensors: Sequence[Value], indexing: str, name: str) -> list[Value]:
    """Each vector expanded over the grid of all."""
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"{name}(): indexing must be 'ij' or 'xy', got {shown(indexing)}")
    if not tensors:
        raise RuntimeError(f"{name}(): expected a non-empty sequence of tensors")
    if len({tensor.dtype for tensor in tensors}) > 1:
        raise RuntimeError(f"{name}(): expected tensors of one dtype, got {[str(tensor.dtype) for tensor in tensors]}")
    shape = tuple([_vector_size(tensor, name) for tensor in tensors])
    return [grid_axis(tensor, i, shape, indexing) for i, tensor in enumerate(tensors)]


def _vector_size(tensor: Value, name: str) -> int:
    if tensor.ndim > 1:
        raise RuntimeError(f"{name}(): expected tensors of at most one dim, got shape {list(tensor.shape)}")
    return int(tensor.size)


def grid_axis(tensor: Value, position: int, shape: Shape, indexing: str) -> Value:
    """One vector of a grid of the given shape, expanded over the grid."""
    axes = list(range(len(shape)))
    if indexing == "xy" and len(shape) > 1:
        axes[0], axes[1] = 1, 0
    whole = tuple([shape[axis] for axis in axes])
    alone = tuple([shape[position] if axis == position else 1 for axis in axes])
    return families.expand(families.reshape(tensor, shape=alone), shape=whole)


def combinations(input: Value, r: int = 2, with_replacement: bool = False) -> Value:
    """
    All choices of `r` elements of a vector, in order.

    Parameters
    ----------
    input : Tensor
        A vector.
    r : int, default 2
        How many elements a choice has.
    with_replacement : bool, default False
        Whether an element may be chosen more than once.

    Returns
    -------
    Tensor
        Shape [number of choices, r].

    Raises
    ------
    RuntimeError
        If the tensor is no vector or `r` is negative.

    Examples
    --------
    >>> tp.combinations(tp.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if input.ndim != 1 or r < 0:
        raise RuntimeError(f"combinations(): expected a vector and r >= 0, got shape {list(input.shape)} and r={r}")
    if r == 0:
        return np.empty(0, input.dtype)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(input.size), r)), np.int64).reshape(-1, r)
    return take(input, places, start=0)


# ---- repeating -------------------------------------------------------------------------------------------------------


def tile(input: Value, dims: Sequence[int]) -> Value:
    """
    The tensor repeated along its dims, as by `numpy.tile`.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dims : tuple of int
        How often along each dim, counted from the last; dims may be more than `input` has.

    Returns
    -------
    Tensor
        New memory.

    Examples
    --------
    >>> tp.tile(tp.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    counts = sizes((dims,))
    return _repeat(input, (1,) * (input.ndim - len(counts)) + counts, "tile")


def repeat(input: Value, *repeats: Any) -> Value:
    """
    The tensor repeated along its dims.

    Parameters
    ----------
    input : Tensor
        Any shape.
    *repeats : int or tuple of int
        How often along each dim; the first ones are new dims where there are more than `input` has.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If there are fewer numbers than dims, or one is negative.

    Examples
    --------
    >>> tp.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    return _repeat(input, sizes(repeats), "repeat")


def _repeat(input: Value, counts: Shape, name: str) -> Value:
    lead = len(counts) - input.ndim
    if lead < 0 or min(counts, default=0) < 0:
        raise RuntimeError(
            f"{name}(): expected a non-negative number for each dim of shape {list(input.shape)}, got {list(counts)}"
        )
    shape = (1,) * lead + input.shape
    if all([count == 1 for count in counts]):
        return copy(families.reshape(input, shape=shape))
    apart = tuple(itertools.chain.from_iterable([(1, n) for n in shape]))
    repeated = tuple(itertools.chain.from_iterable(zip(counts, shape, strict=True)))
    wide = families.expand(families.reshape(input, shape=apart), shape=repeated)
    return _merged(wide, tuple([c * n for c, n in zip(counts, shape, strict=True)]))


def _merged(wide: Value, shape: Shape) -> Value:
    """An expanded value in its final shape, in memory of its own."""
    return families.reshape(copy(wide), shape=shape)


def repeat_interleave(
    input: Value, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Value:
    """
    Each element, or each slice along a dim, repeated in place.

    Parameters
    ----------
    input : Tensor
        Any shape. If `repeats` is not given: integers; the result then holds each position as often as they say.
    repeats : int or Tensor
        How often, for all slices or for each.
    dim : int, optional
        The dim; by default the flattened tensor.
    output_size : int, optional
        The size of the result along the dim.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If `repeats` is negative or does not fit the dim.

    Examples
    --------
    >>> tp.repeat_interleave(tp.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> tp.repeat_interleave(tp.tensor([[1, 2], [3, 4]]), tp.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]])
    """
    if repeats is None:
        return repeat_places(_counts(input, input.size))
    value = families.reshape(input, shape=(input.size,)) if dim is None or not input.ndim else input
    d = 0 if dim is None else one_dim(dim, value.ndim, "repeat_interleave")
    if isinstance(repeats, int):
        return _interleave(value, repeats, d)
    places = repeat_places(_counts(repeats, value.shape[d]))
    if output_size is not None and output_size != places.size:
        raise RuntimeError(f"repeat_interleave(): output_size is {output_size}, but repeats add up to {places.size}")
    return take(value, places, start=d)


def _repeat_places_impl(counts: Any) -> Any:
    if (counts < 0).any():
        raise RuntimeError("repeat_interleave(): repeats must be non-negative")
    totals = counts.sum(-1)
    if counts.ndim > 1 and totals.size and (totals != totals.flat[0]).any():
        raise RuntimeError(
            "repeat_interleave(): the size of the result depends on the data: under vmap, the repeats of all samples "
            "must have one sum"
        )
    places = np.broadcast_to(np.arange(counts.shape[-1]), counts.shape)
    return np.repeat(places.ravel(), counts.ravel()).reshape(*counts.shape[:-1], totals.flat[0] if totals.size else 0)


# Each position along the last dim, as often as the counts say.
repeat_places = Primitive("repeat_places", _repeat_places_impl, differentiable=False)
repeat_places.batch(lambda size, args, mapped: (repeat_places(args[0]), True))


def _counts(repeats: Value, size: int) -> Value:
    """How often each of `size` slices is repeated."""
    repeats = as_value(repeats) if hasattr(repeats, "dtype") else np.asarray(repeats, np.int64)
    if repeats.dtype.kind not in "iu" or repeats.ndim > 1 or repeats.size not in (1, size):
        raise RuntimeError(
            f"repeat_interleave(): repeats must be one or {size} integers; got shape {list(repeats.shape)} and "
            f"{repeats.dtype}"
        )
    return repeats if repeats.shape == (size,) else broadcast_to(repeats, (size,))


def _interleave(value: Value, count: int, dim: int) -> Value:
    if count < 0:
        raise RuntimeError(f"repeat_interleave(): repeats must be non-negative, got {count}")
    before, n, after = value.shape[:dim], value.shape[dim], value.shape[dim + 1 :]
    wide = families.expand(unsqueeze(value, dim + 1), shape=(*before, n, count, *after))
    return _merged(wide, (*before, n * count, *after))
