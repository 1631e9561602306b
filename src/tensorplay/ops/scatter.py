"""Reading and writing single elements at integer positions, along a dim or in the flattened tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Value, ground
from tensorplay.dtypes import INT64, from_numpy_dtype
from tensorplay.errors import shown
from tensorplay.ops import families, indexing
from tensorplay.ops.indexing import grid
from tensorplay.ops.promotion import cast
from tensorplay.ops.segments import reduce_into
from tensorplay.ops.shape import Key, broadcast_to, copy, one_dim, slice_key

# ---- arguments -------------------------------------------------------------------------------------------------------


def check_integers(name: str, index: Value) -> None:
    """Raise unless `index` holds integers."""
    if not hasattr(index, "dtype"):
        raise TypeError(f"{name}(): index must be a tensor of integers, got {type(index).__name__}")
    if index.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): expected dtype int32 or int64 for index, got {from_numpy_dtype(index.dtype)}")


def check_bounds(
    name: str, index: Value, dim: int, length: int, error: type[Exception] = IndexError, *, low: int = 0
) -> None:
    """Raise unless all of `index` lies in [low, length)."""
    numbers = ground(index)
    if numbers.size and (numbers.min() < low or numbers.max() >= length):
        bad = numbers[(numbers < low) | (numbers >= length)].flat[0]
        raise error(f"{name}(): index {bad} is out of bounds for dimension {dim} with size {length}")


def check_same_dtype(name: str, input: Value, source: Value, what: str) -> None:
    """Raise unless a source has the dtype of what it is written into."""
    if source.dtype != input.dtype:
        raise RuntimeError(
            f"{name}(): expected {what} of the dtype of input, {from_numpy_dtype(input.dtype)}, got "
            f"{from_numpy_dtype(source.dtype)}"
        )


def at_least_1d(value: Value) -> Value:
    """`value`, a 0-d one with a dim of size 1."""
    return families.reshape(value, shape=(1,)) if value.ndim == 0 else value


def _along(name: str, input: Value, dim: int, index: Value) -> int:
    """The dim of a gather or scatter, whose index must fit into `input` (both at least 1-d)."""
    axis = one_dim(dim, input.ndim, name)
    check_integers(name, index)
    if index.size == 0:
        return axis
    if index.ndim != input.ndim:
        raise RuntimeError(
            f"{name}(): index must have as many dims as input, got shapes {list(index.shape)} and {list(input.shape)}"
        )
    check_bounds(name, index, axis, input.shape[axis], RuntimeError)
    return axis


def _check_inside(name: str, index: Value, axis: int | None, shape: Shape, what: str) -> None:
    """Raise if the index is longer than `shape` in a dim other than `axis`."""
    if any([n > have and d != axis for d, (n, have) in enumerate(zip(index.shape, shape, strict=True))]):
        but = "" if axis is None else f" apart from dim {axis}"
        raise RuntimeError(
            f"{name}(): index of shape {list(index.shape)} must not be larger than {what} of shape {list(shape)}{but}"
        )


# ---- gather and scatter ----------------------------------------------------------------------------------------------


def gather(input: Value, dim: int, index: Value, *, sparse_grad: bool = False) -> Value:
    """
    Elements of `input` at the positions along `dim` that `index` names.

    ``out[i][j][k] = input[i][index[i][j][k]][k]`` for ``dim=1`` of a 3-d tensor.

    Parameters
    ----------
    input : Tensor
        Source.
    dim : int
        Dim along which to look up.
    index : Tensor
        Integers, as many dims as `input`; in dims other than `dim` it may be shorter than `input`.
    sparse_grad : bool, default False
        Accepted for compatibility; gradients are dense.

    Returns
    -------
    Tensor
        Shape of `index`.

    Raises
    ------
    RuntimeError
        If `index` holds no integers, does not fit, or is out of bounds.

    Examples
    --------
    >>> tp.gather(tp.tensor([[1, 2], [3, 4]]), 1, tp.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    source, positions = at_least_1d(input), at_least_1d(index)
    axis = _along("gather", source, dim, positions)
    if index.size == 0:
        return indexing.take(families.reshape(input, shape=(input.size,)), index, start=0)
    _check_inside("gather", positions, axis, source.shape, "input")
    key = tuple([slice(None) if d == axis else slice(n) for d, n in enumerate(positions.shape)])
    if any([n != have for d, (n, have) in enumerate(zip(positions.shape, source.shape, strict=True)) if d != axis]):
        source = slice_key(source, key=key)
    return families.reshape(indexing.take_along(source, positions, dim=axis), shape=index.shape)


def scatter(
    input: Value, dim: int, index: Value, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Value:
    """
    `input` with elements of `src` (or a number) written to the positions along `dim` that `index` names.

    ``out[i][index[i][j][k]][k] = src[i][j][k]`` for ``dim=1`` of a 3-d tensor. Where a position is named twice, the
    last write wins.

    Parameters
    ----------
    input : Tensor
        What to write into; it is not changed.
    dim : int
        Dim along which to write.
    index : Tensor
        Integers, as many dims as `input`.
    src : Tensor or number
        At least as large as `index` in every dim, of the dtype of `input`.
    value : number, optional
        Instead of `src`.
    reduce : {"add", "multiply"}, optional
        Combine with what is there instead of replacing it.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If dtypes or shapes do not fit, or an index is out of bounds.

    Examples
    --------
    >>> tp.scatter(tp.zeros(3), 0, tp.tensor([2, 0]), tp.tensor([5.0, 6.0]))
    tensor([6., 0., 5.])
    """
    source = src if value is None else value
    if source is None:
        raise TypeError("scatter(): expected src or value")
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"scatter(): reduce must be 'add' or 'multiply', got {shown(reduce)}")
    if getattr(source, "ndim", 0) == 0 and (input.ndim > 0 or not hasattr(source, "dtype")):
        source = broadcast_to(cast(source, input.dtype), index.shape)
    if reduce is None:
        return _scattered("scatter", input, dim, index, source, indexing.put)
    return _reduced("scatter", input, dim, index, source, {"add": "sum", "multiply": "prod"}[reduce], True)


def scatter_add(input: Value, dim: int, index: Value, src: Value) -> Value:
    """
    `input` with elements of `src` added at the positions along `dim` that `index` names.

    Parameters
    ----------
    input : Tensor
        What to add to; it is not changed.
    dim : int
        Dim along which to add.
    index : Tensor
        Integers, as many dims as `input`.
    src : Tensor
        At least as large as `index` in every dim, of the dtype of `input`.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If dtypes or shapes do not fit, or an index is out of bounds.

    Examples
    --------
    >>> tp.scatter_add(tp.zeros(3), 0, tp.tensor([2, 2]), tp.tensor([5.0, 6.0]))
    tensor([ 0.,  0., 11.])
    """
    return _scattered("scatter_add", input, dim, index, src, add_at)


def add_at(input: Value, source: Value, *indices: Value, start: int) -> Value:
    """`input` with a source added at positions, as `indexing.put` would write it there."""
    return families.add(input, indexing.accumulate(source, *indices, start=start, shape=input.shape))


def _scattered(name: str, input: Value, dim: int, index: Value, source: Value, write: Any) -> Value:
    into, positions = at_least_1d(input), at_least_1d(index)
    source = _source_for(name, into, dim, positions, source)
    if index.size == 0:
        return copy(input)
    out = write(into, source, *grid(positions, one_dim(dim, into.ndim, name)), start=0)
    return families.reshape(out, shape=input.shape)


def _source_for(name: str, into: Value, dim: int, positions: Value, source: Value) -> Value:
    """The part of a source that belongs to an index, all of whose sizes are checked."""
    check_same_dtype(name, into, source, "src")
    axis = _along(name, into, dim, positions)
    source = at_least_1d(source)
    if positions.size == 0:
        return source
    if source.ndim != into.ndim:
        raise RuntimeError(
            f"{name}(): src must have as many dims as input, got shapes {list(source.shape)} and {list(into.shape)}"
        )
    _check_inside(name, positions, axis, into.shape, "input")
    _check_inside(name, positions, None, source.shape, "src")
    if source.shape == positions.shape:
        return source
    key: Key = tuple([slice(n) for n in positions.shape])
    return slice_key(source, key=key)


REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def scatter_reduce(
    input: Value, dim: int, index: Value, src: Value, reduce: str, *, include_self: bool = True
) -> Value:
    """
    `input` with elements of `src` combined into the positions along `dim` that `index` names.

    Parameters
    ----------
    input : Tensor
        What to combine into; it is not changed.
    dim : int
        Dim along which to write.
    index : Tensor
        Integers, as many dims as `input`.
    src : Tensor
        At least as large as `index` in every dim, of the dtype of `input`.
    reduce : {"sum", "prod", "mean", "amax", "amin"}
        How elements that meet at a position are combined.
    include_self : bool, default True
        Whether the element of `input` takes part; where no index points, `input` is kept in any case.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If dtypes or shapes do not fit, an index is out of bounds, or `reduce` is unknown.

    Notes
    -----
    Elements that tie for the largest or smallest share the derivative evenly.

    Examples
    --------
    >>> tp.scatter_reduce(tp.ones(2), 0, tp.tensor([0, 0]), tp.tensor([5.0, 6.0]), "amax")
    tensor([6., 1.])
    """
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"scatter_reduce(): reduce must be sum, prod, mean, amax or amin, got {shown(reduce)}")
    return _reduced("scatter_reduce", input, dim, index, src, reduce, include_self)


def _reduced(name: str, input: Value, dim: int, index: Value, source: Value, reduce: str, include_self: bool) -> Value:
    into, positions = at_least_1d(input), at_least_1d(index)
    source = _source_for(name, into, dim, positions, source)
    if index.size == 0:
        return copy(input)
    cells = _flat_positions(positions, one_dim(dim, into.ndim, name), into.shape)
    flat = families.reshape(into, shape=(into.size,))
    out = reduce_into(flat, families.reshape(source, shape=(source.size,)), cells, reduce, include_self)
    return families.reshape(out, shape=input.shape)


def _flat_positions(index: Value, axis: int, shape: Shape) -> Value:
    """Where each element of an index along `axis` points in the flattened tensor."""
    strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    others = sum(
        [
            np.asarray(p * s)
            for d, (p, s) in enumerate(zip(np.ogrid[tuple(map(slice, index.shape))], strides, strict=True))
            if d != axis
        ]
    )
    flat = families.add(families.mul(cast(index, INT64), np.asarray(strides[axis])), np.asarray(others))
    return families.reshape(flat, shape=(index.size,))


# ---- flat positions --------------------------------------------------------------------------------------------------


def take(input: Value, index: Value) -> Value:
    """
    Elements of `input`, seen as 1-d, at the positions in `index`.

    Parameters
    ----------
    input : Tensor
        Source of any shape.
    index : Tensor
        Integers of any shape; negative ones count from the end.

    Returns
    -------
    Tensor
        Shape of `index`.

    Raises
    ------
    IndexError
        If an index is out of bounds.

    Examples
    --------
    >>> tp.take(tp.tensor([[1, 2], [3, 4]]), tp.tensor([0, -1]))
    tensor([1, 4])
    """
    check_integers("take", index)
    check_bounds("take", index, 0, input.size, low=-input.size)
    return indexing.take(families.reshape(input, shape=(input.size,)), index, start=0)


def put(input: Value, index: Value, source: Value, accumulate: bool = False) -> Value:
    """
    `input` with elements of `source` written at positions of the flattened tensor.

    Parameters
    ----------
    input : Tensor
        What to write into; it is not changed.
    index : Tensor
        Integers of any shape; negative ones count from the end.
    source : Tensor
        As many elements as `index`, of the dtype of `input`.
    accumulate : bool, default False
        Add to what is there instead of replacing it.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    IndexError, RuntimeError
        If an index is out of bounds, or dtypes or sizes do not fit.

    Examples
    --------
    >>> tp.put(tp.zeros(2, 2), tp.tensor([0, 3]), tp.tensor([5.0, 6.0]))
    tensor([[5., 0.],
            [0., 6.]])
    """
    check_integers("put", index)
    check_same_dtype("put", input, source, "source")
    if source.size != index.size:
        raise RuntimeError(f"put(): source and index must have as many elements, got {source.size} and {index.size}")
    check_bounds("put", index, 0, input.size, low=-input.size)
    flat = families.reshape(input, shape=(input.size,))
    new, positions = families.reshape(source, shape=(source.size,)), families.reshape(index, shape=(index.size,))
    out = (add_at if accumulate else indexing.put)(flat, new, positions, start=0)
    return families.reshape(out, shape=input.shape)


def take_along_dim(input: Value, indices: Value, dim: int | None = None) -> Value:
    """
    Elements of `input` at positions along `dim`, other dims broadcast.

    Parameters
    ----------
    input : Tensor
        Source.
    indices : Tensor
        Integers, as many dims as `input`, as `argsort` and `argmax(keepdim=True)` return; negative ones count from the
        end.
    dim : int, optional
        Dim to look along; None looks in the flattened tensor.

    Returns
    -------
    Tensor
        Shape of `indices`, broadcast with `input` in dims other than `dim`.

    Raises
    ------
    RuntimeError
        If `indices` does not fit or is out of bounds.

    Examples
    --------
    >>> x = tp.tensor([[10, 30, 20], [60, 40, 50]])
    >>> tp.take_along_dim(x, tp.tensor([[1], [0]]), dim=1)
    tensor([[30],
            [60]])
    """
    check_integers("take_along_dim", indices)
    if dim is None:
        input, indices = families.reshape(input, shape=(input.size,)), families.reshape(indices, shape=(indices.size,))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            f"take_along_dim(): input and indices must have as many dims, got shapes {list(input.shape)} and "
            f"{list(indices.shape)}"
        )
    axis = one_dim(dim or 0, input.ndim, "take_along_dim")
    input, indices = at_least_1d(input), at_least_1d(indices)
    length = input.shape[axis]
    check_bounds("take_along_dim", indices, axis, length, RuntimeError, low=-length)
    common = np.broadcast_shapes(*[(*x.shape[:axis], 1, *x.shape[axis + 1 :]) for x in (input, indices)])
    source = broadcast_to(input, (*common[:axis], length, *common[axis + 1 :]))
    index = broadcast_to(indices, (*common[:axis], indices.shape[axis], *common[axis + 1 :]))
    return indexing.take_along(source, index, dim=axis)
