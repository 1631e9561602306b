"""Ops that move elements to other places of new memory: flips, rolls, triangles, diagonals, and slices put back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.families import structural
from tensorplay.ops.indexing import where
from tensorplay.ops.pieces import select_key
from tensorplay.ops.promotion import cast, filler
from tensorplay.ops.shape import copy, embed, one_dim, set_slice, slice_key, some_dims, transpose
from tensorplay.ops.views import diagonal, diagonal_place, put_diagonal, two_dims

# ---- flips and rolls -------------------------------------------------------------------------------------------------

_flip = structural(
    "flip",
    lambda x, dims: np.flip(x, dims).copy(),
    transpose=lambda ct, x, dims: _flip(ct, dims=dims),
    batch=lambda size, args, mapped, dims: (_flip(args[0], dims=tuple([d + 1 for d in dims])), True),
)

_roll = structural(
    "roll",
    lambda x, shifts, dims: np.roll(x, shifts, dims),
    transpose=lambda ct, x, shifts, dims: _roll(ct, shifts=tuple([-s for s in shifts]), dims=dims),
    batch=lambda size, args, mapped, shifts, dims: (
        _roll(args[0], shifts=shifts, dims=tuple([d + 1 for d in dims])),
        True,
    ),
)


def flip(input: Value, dims: int | Sequence[int]) -> Value:
    """
    The elements in reverse order along some dims.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dims : tuple of int
        The dims.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If a dim appears more than once.

    Examples
    --------
    >>> tp.flip(tp.tensor([[1, 2], [3, 4]]), (0,))
    tensor([[3, 4],
            [1, 2]])
    """
    given = (dims,) if isinstance(dims, int) else tuple(dims)
    return _flip(input, dims=some_dims(given, input.ndim, "flip") if given else ())


def fliplr(input: Value) -> Value:
    """
    The columns in reverse order.

    Parameters
    ----------
    input : Tensor
        At least two dims.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If there are fewer dims.

    Examples
    --------
    >>> tp.fliplr(tp.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if input.ndim < 2:
        raise RuntimeError(f"fliplr(): expected at least 2 dims, got shape {list(input.shape)}")
    return _flip(input, dims=(1,))


def flipud(input: Value) -> Value:
    """
    The rows in reverse order.

    Parameters
    ----------
    input : Tensor
        At least one dim.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If the tensor is 0-d.

    Examples
    --------
    >>> tp.flipud(tp.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if input.ndim < 1:
        raise RuntimeError("flipud(): expected at least 1 dim, got a 0-d tensor")
    return _flip(input, dims=(0,))


def roll(input: Value, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Value:
    """
    The elements shifted along some dims; what leaves at one end comes back at the other.

    Parameters
    ----------
    input : Tensor
        Any shape.
    shifts : int or tuple of int
        By how many places, for each of `dims`.
    dims : int or tuple of int, optional
        The dims; by default the flattened tensor is shifted.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If `shifts` and `dims` differ in length.

    Examples
    --------
    >>> tp.roll(tp.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    by = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    along = () if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
    if not by:
        raise RuntimeError("roll(): shifts must not be empty")
    if not along and len(by) == 1:
        flat = families.reshape(input, shape=(input.size,))
        return families.reshape(_roll(flat, shifts=by, dims=(0,)), shape=input.shape)
    if len(by) != len(along):
        raise RuntimeError(f"roll(): shifts {shown(by)} and dims {shown(along)} differ in length")
    found = tuple([one_dim(d, input.ndim, "roll") for d in along])
    return _roll(input, shifts=by, dims=found) if input.ndim else copy(input)


def rot90(input: Value, k: int = 1, dims: Sequence[int] = (0, 1)) -> Value:
    """
    The tensor turned by 90 degrees in the plane of two dims.

    Parameters
    ----------
    input : Tensor
        At least two dims.
    k : int, default 1
        How often, from the first dim towards the second; negative turns the other way.
    dims : tuple of int, default (0, 1)
        The dims.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If there are not two different dims.

    Examples
    --------
    >>> tp.rot90(tp.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2 or input.ndim < 2:
        raise RuntimeError(
            f"rot90(): expected two dims of a tensor of at least 2 dims, got {dims} of {list(input.shape)}"
        )
    a, b = two_dims(dims[0], dims[1], input.ndim, "rot90")
    turn = k % 4
    if turn == 0:
        return copy(input)
    if turn == 2:
        return _flip(input, dims=(a, b))
    return _flip(transpose(input, a, b), dims=(a,) if turn == 1 else (b,))


# ---- triangles -------------------------------------------------------------------------------------------------------


def tril(input: Value, diagonal: int = 0) -> Value:
    """
    The lower triangle of a matrix, or of each of a batch; the rest is zero.

    Parameters
    ----------
    input : Tensor
        At least two dims.
    diagonal : int, default 0
        The last diagonal that is kept: positive above the main one, negative below.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If there are fewer than two dims.

    Examples
    --------
    >>> tp.tril(tp.tensor([[1, 2], [3, 4]]))
    tensor([[1, 0],
            [3, 4]])
    """
    return where(_lower(input, diagonal, "tril"), input, np.zeros((), input.dtype))


def triu(input: Value, diagonal: int = 0) -> Value:
    """
    The upper triangle of a matrix, or of each of a batch; the rest is zero.

    Parameters
    ----------
    input : Tensor
        At least two dims.
    diagonal : int, default 0
        The first diagonal that is kept: positive above the main one, negative below.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If there are fewer than two dims.

    Examples
    --------
    >>> tp.triu(tp.tensor([[1, 2], [3, 4]]))
    tensor([[1, 2],
            [0, 4]])
    """
    return where(_lower(input, diagonal - 1, "triu"), np.zeros((), input.dtype), input)


def _lower(input: Value, diagonal: int, name: str) -> Any:
    if input.ndim < 2:
        raise RuntimeError(f"{name}(): expected at least 2 dims, got shape {list(input.shape)}")
    return np.tri(input.shape[-2], input.shape[-1], int(diagonal), dtype=bool)


# ---- diagonals -------------------------------------------------------------------------------------------------------


def diag_embed(input: Value, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    """
    Matrices that have the last dim of the tensor as a diagonal and are zero elsewhere.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    offset : int, default 0
        Which diagonal: positive above the main one, negative below.
    dim1, dim2 : int, default -2 and -1
        Where the dims of the matrices are in the result.

    Returns
    -------
    Tensor
        One dim more than `input`.

    Raises
    ------
    RuntimeError
        If the two dims are the same.

    Examples
    --------
    >>> tp.diag_embed(tp.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    a, b = two_dims(dim1, dim2, input.ndim + 1, "diag_embed")
    square = put_diagonal(input)
    if offset:
        n = input.shape[-1]
        square = embed(
            square, shape=(*input.shape[:-1], n + abs(offset), n + abs(offset)), key=_block(square.ndim, n, offset)
        )
    rest = iter(range(square.ndim - 2))
    order = [square.ndim - 2 if d == a else square.ndim - 1 if d == b else next(rest) for d in range(square.ndim)]
    return families.permute(square, dims=tuple(order))


def _block(ndim: int, size: int, offset: int) -> Any:
    """Key of the square block whose main diagonal is the diagonal `offset` of the whole."""
    row, column = max(-offset, 0), max(offset, 0)
    return (*(slice(None),) * (ndim - 2), slice(row, row + size), slice(column, column + size))


def diag(input: Value, diagonal: int = 0) -> Value:
    """
    The matrix with a vector on a diagonal, or the diagonal of a matrix.

    Parameters
    ----------
    input : Tensor
        A vector or a matrix.
    diagonal : int, default 0
        Which diagonal: positive above the main one, negative below.

    Returns
    -------
    Tensor
        A matrix for a vector, a vector for a matrix.

    Raises
    ------
    RuntimeError
        If the tensor is neither.

    Examples
    --------
    >>> tp.diag(tp.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    >>> tp.diag(tp.tensor([[1, 2], [3, 4]]), 1)
    tensor([2])
    """
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim == 2:
        return copy(take_matrix_diagonal(input, diagonal))
    raise RuntimeError(f"diag(): expected a vector or a matrix, got shape {list(input.shape)}")


take_matrix_diagonal = diagonal  # for functions with a parameter of that name


def diagflat(input: Value, offset: int = 0) -> Value:
    """
    The matrix with all elements of a tensor on a diagonal.

    Parameters
    ----------
    input : Tensor
        Any shape; it is flattened.
    offset : int, default 0
        Which diagonal: positive above the main one, negative below.

    Returns
    -------
    Tensor
        A square matrix.

    Examples
    --------
    >>> tp.diagflat(tp.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag_embed(families.reshape(input, shape=(input.size,)), offset)


# ---- a view replaced, in a copy --------------------------------------------------------------------------------------


def slice_scatter(
    input: Value, src: Value, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Value:
    """
    A copy in which a range along a dim is replaced.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    src : Tensor
        Its new elements, in the shape of the range.
    dim : int, default 0
        The dim.
    start, end : int, optional
        First position and the one after the last.
    step : int, default 1
        From one position to the next.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If the shape of `src` is not that of the range.

    Examples
    --------
    >>> tp.slice_scatter(tp.zeros(3), tp.ones(2), 0, 1)
    tensor([0., 1., 1.])
    """
    d = one_dim(dim, input.ndim, "slice_scatter")
    if step < 1:
        raise RuntimeError(f"slice_scatter(): step must be positive, got {step}")
    part = slice(*slice(start, end, step).indices(input.shape[d]))
    key = tuple([part if i == d else slice(None) for i in range(input.ndim)])
    return _put_back(input, src, key, "slice_scatter")


def select_scatter(input: Value, src: Value, dim: int, index: int) -> Value:
    """
    A copy in which one slice along a dim is replaced.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    src : Tensor
        Its new elements, in the shape of the slice.
    dim : int
        The dim.
    index : int
        Position along it.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If the shape of `src` is not that of the slice.

    Examples
    --------
    >>> tp.select_scatter(tp.zeros(2, 2), tp.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return _put_back(input, src, select_key(input.shape, dim, index, "select_scatter"), "select_scatter")


def _put_back(input: Value, src: Value, key: Any, name: str) -> Value:
    _check_source(src, slice_key(np.broadcast_to(np.zeros((), bool), input.shape), key=key).shape, name)
    return set_slice(input, cast(src, input.dtype), key=key)


def _check_source(src: Value, shape: Shape, name: str) -> None:
    if src.shape != shape:
        raise RuntimeError(f"{name}(): expected src of shape {list(shape)}, got {list(src.shape)}")


def diagonal_scatter(input: Value, src: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """
    A copy in which a diagonal is replaced.

    Parameters
    ----------
    input : Tensor
        At least two dims.
    src : Tensor
        Its new elements, in the shape of ``diagonal(input, offset, dim1, dim2)``.
    offset : int, default 0
        Which diagonal: positive above the main one, negative below.
    dim1, dim2 : int, default 0 and 1
        The dims.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If the shape of `src` is not that of the diagonal.

    Examples
    --------
    >>> tp.diagonal_scatter(tp.zeros(2, 2), tp.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    a, b = two_dims(dim1, dim2, input.ndim, "diagonal_scatter")
    row, column, length = diagonal_place(input.shape[a], input.shape[b], offset)
    rest = [d for d in range(input.ndim) if d not in (a, b)]
    order = (*rest, a, b)
    moved = families.permute(input, dims=order)
    _check_source(src, (*moved.shape[:-2], length), "diagonal_scatter")
    key = (*(slice(None),) * len(rest), slice(row, row + length), slice(column, column + length))
    block = where(np.eye(length, dtype=bool), put_diagonal(cast(src, input.dtype)), slice_key(moved, key=key))
    return families.permute(set_slice(moved, block, key=key), dims=families.inverse_permutation(order))


def fill(input: Value, value: Value | complex) -> Value:
    """
    A tensor with one number everywhere.

    Parameters
    ----------
    input : Tensor
        Its shape and dtype are taken.
    value : number or 0-d Tensor
        The number.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If `value` has dims.

    Examples
    --------
    >>> tp.fill(tp.zeros(2), 3)
    tensor([3., 3.])
    """
    return copy(families.expand(filler("fill", value, input.dtype), shape=input.shape))
