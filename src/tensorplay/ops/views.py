"""Views in other shapes, and along diagonals and windows: ops that only say where elements lie. All are linear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.bits import view_dtype
from tensorplay.ops.families import conj, structural
from tensorplay.ops.shape import inferred, one_dim, sizes, slice_dim, some_dims, transpose
from tensorplay.ops.windows import Windows, windows

# ---- shape -----------------------------------------------------------------------------------------------------------


def view(input: Value, *shape: Any) -> Value:
    """
    The same memory in another shape, or read as another dtype.

    Parameters
    ----------
    input : Tensor
        With strides that allow the new shape without a copy.
    *shape : int, tuple of int or dtype
        The new shape, of which one size may be -1; or a dtype of which the bytes fill the last dim.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the number of elements differs, or the strides need a copy (use `reshape`).

    Examples
    --------
    >>> tp.zeros(2, 3).view(3, -1).shape
    tensorplay.Size([3, 2])
    """
    if len(shape) == 1 and isinstance(shape[0], np.dtype):
        return view_dtype(input, shape[0])
    return families.reshape(input, shape=inferred(sizes(shape), input.shape, "view"))


def view_as(input: Value, other: Value) -> Value:
    """
    The same memory in the shape of another tensor.

    Parameters
    ----------
    input : Tensor
        With strides that allow the new shape without a copy.
    other : Tensor
        Its shape is wanted.

    Returns
    -------
    Tensor
        A view of `input`.

    Examples
    --------
    >>> tp.zeros(4).view_as(tp.zeros(2, 2)).shape
    tensorplay.Size([2, 2])
    """
    return families.reshape(input, shape=inferred(other.shape, input.shape, "view_as"))


def reshape_as(input: Value, other: Value) -> Value:
    """
    The same elements in the shape of another tensor.

    Parameters
    ----------
    input, other : Tensor
        Of the same number of elements.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Examples
    --------
    >>> tp.zeros(4).reshape_as(tp.zeros(2, 2)).shape
    tensorplay.Size([2, 2])
    """
    return families.reshape(input, shape=inferred(other.shape, input.shape, "reshape_as"))


def flatten(input: Value, start_dim: int = 0, end_dim: int = -1) -> Value:
    """
    A range of dims made one.

    Parameters
    ----------
    input : Tensor
        Any shape; a 0-d tensor becomes one of shape [1].
    start_dim, end_dim : int, default 0 and -1
        First and last dim of the range.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Raises
    ------
    RuntimeError
        If `start_dim` comes after `end_dim`.

    Examples
    --------
    >>> tp.flatten(tp.zeros(2, 3, 4), 1).shape
    tensorplay.Size([2, 12])
    """
    first, last = one_dim(start_dim, input.ndim, "flatten"), one_dim(end_dim, input.ndim, "flatten")
    if first > last:
        raise RuntimeError(f"flatten(): start_dim {start_dim} comes after end_dim {end_dim}")
    count = int(np.prod(input.shape[first : last + 1], dtype=np.int64))
    return families.reshape(input, shape=(*input.shape[:first], count, *input.shape[last + 1 :]))


def ravel(input: Value) -> Value:
    """
    All elements in one dim.

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Examples
    --------
    >>> tp.ravel(tp.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return families.reshape(input, shape=(input.size,))


def unflatten(input: Value, dim: int, sizes: Sequence[int]) -> Value:
    """
    One dim split into several.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    dim : int
        The dim.
    sizes : tuple of int
        Its new sizes; one may be -1.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the product of `sizes` is not the size of the dim.

    Examples
    --------
    >>> tp.unflatten(tp.zeros(2, 6), 1, (3, -1)).shape
    tensorplay.Size([2, 3, 2])
    """
    d = one_dim(dim, input.ndim, "unflatten")
    if not len(sizes):
        raise RuntimeError("unflatten(): sizes must not be empty")
    if not input.ndim:
        raise RuntimeError("unflatten(): expected a tensor with at least one dim, got a 0-d tensor")
    new = inferred(tuple(sizes), (input.shape[d],), "unflatten")
    return families.reshape(input, shape=(*input.shape[:d], *new, *input.shape[d + 1 :]))


def squeeze(input: Value, dim: int | Sequence[int] | None = None) -> Value:
    """
    Dims of size 1 dropped.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int or tuple of int, optional
        Which dims to drop; those of another size stay. By default all of size 1.

    Returns
    -------
    Tensor
        A view of `input`.

    Examples
    --------
    >>> tp.squeeze(tp.zeros(1, 2, 1)).shape, tp.squeeze(tp.zeros(1, 2, 1), 0).shape
    (tensorplay.Size([2]), tensorplay.Size([2, 1]))
    """
    asked = () if isinstance(dim, tuple | list) and not len(dim) else some_dims(dim, input.ndim, "squeeze")
    drop = {d for d in asked if input.shape[d] == 1}
    return families.reshape(input, shape=tuple([n for d, n in enumerate(input.shape) if d not in drop]))


def unsqueeze(input: Value, dim: int) -> Value:
    """
    A dim of size 1 inserted.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int
        Position of the new dim in the result.

    Returns
    -------
    Tensor
        A view of `input`.

    Examples
    --------
    >>> tp.unsqueeze(tp.tensor([1, 2]), 1)
    tensor([[1],
            [2]])
    """
    d = one_dim(dim, input.ndim + 1, "unsqueeze")
    return families.reshape(input, shape=(*input.shape[:d], 1, *input.shape[d:]))


def expand(input: Value, *sizes: Any, implicit: bool = False) -> Value:
    """
    Dims of size 1 repeated without copies, and new dims in front.

    Parameters
    ----------
    input : Tensor
        Any shape.
    *sizes : int or tuple of int
        The new shape; -1 keeps a size.

    Returns
    -------
    Tensor
        A view in which many elements share memory: it cannot be written to.

    Raises
    ------
    RuntimeError
        If a dim of another size than 1 would change, or a new dim is -1.

    Examples
    --------
    >>> tp.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    wanted = _sizes(sizes)
    lead = len(wanted) - input.ndim
    if lead < 0 or -1 in wanted[:lead]:
        raise RuntimeError(f"expand(): a tensor of shape {list(input.shape)} does not expand to {list(wanted)}")
    shape = tuple([input.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted)])
    if (
        any([n < 0 or input.shape[i - lead] not in (1, n) for i, n in enumerate(shape) if i >= lead])
        or min(shape, default=0) < 0
    ):
        raise RuntimeError(f"expand(): a tensor of shape {list(input.shape)} does not expand to {list(wanted)}")
    return families.expand(input, shape=shape)


_sizes = sizes  # for functions with a parameter of that name


def expand_as(input: Value, other: Value) -> Value:
    """
    The tensor repeated to the shape of another one, without copies.

    Parameters
    ----------
    input : Tensor
        Broadcasts to the shape of `other`.
    other : Tensor
        Its shape is wanted.

    Returns
    -------
    Tensor
        A view in which many elements share memory: it cannot be written to.

    Examples
    --------
    >>> tp.tensor([[1], [2]]).expand_as(tp.zeros(2, 2))
    tensor([[1, 1],
            [2, 2]])
    """
    return expand(input, other.shape)


# ---- dims ------------------------------------------------------------------------------------------------------------


def t(input: Value) -> Value:
    """
    The transpose of a matrix; a vector or a scalar as it is.

    Parameters
    ----------
    input : Tensor
        At most two dims.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If there are more dims.

    Examples
    --------
    >>> tp.t(tp.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t(): expected a tensor of at most 2 dims, got shape {list(input.shape)}; use mT")
    return reverse_dims(input)


def reverse_dims(input: Value) -> Value:
    """All dims in reverse order."""
    return families.permute(input, dims=tuple(reversed(range(input.ndim))))


def matrix_transpose(input: Value) -> Value:
    """The last two dims exchanged."""
    if input.ndim < 2:
        raise RuntimeError(f"mT: expected a tensor of at least 2 dims, got shape {list(input.shape)}")
    return transpose(input, -2, -1)


def adjoint(input: Value) -> Value:
    """
    The conjugate of a matrix, or of each of a batch, with the last two dims exchanged.

    Parameters
    ----------
    input : Tensor
        At least two dims.

    Returns
    -------
    Tensor
        A view of `input` if it is real.

    Examples
    --------
    >>> tp.adjoint(tp.tensor([[1, 2j]]))
    tensor([[1.-0.j],
            [0.-2.j]])
    """
    if input.ndim < 2:
        raise RuntimeError(f"adjoint(): expected a tensor of at least 2 dims, got shape {list(input.shape)}")
    return conj(transpose(input, -2, -1))


def hermitian(input: Value) -> Value:
    """The conjugate transpose of a matrix."""
    if input.ndim not in (0, 2):
        raise RuntimeError(f"H: expected a matrix, got shape {list(input.shape)}; use mH for a batch")
    return conj(reverse_dims(input))


# ---- diagonals and windows -------------------------------------------------------------------------------------------


def _diagonal_impl(x: Any) -> Any:
    out = np.diagonal(x, axis1=-2, axis2=-1)
    out.flags.writeable = x.flags.writeable
    return out


def _put_diagonal_impl(x: Any) -> Any:
    out = np.zeros((*x.shape, x.shape[-1]), x.dtype)
    _diagonal_impl(out)[...] = x
    return out


# Main diagonal of square matrices, [..., n, n] -> [..., n], and the diagonal matrices that it is the diagonal of.
take_diagonal = structural(
    "diagonal",
    _diagonal_impl,
    transpose=lambda ct, x: put_diagonal(ct),
    batch=lambda size, args, mapped: (take_diagonal(args[0]), True),
)
put_diagonal = structural(
    "put_diagonal",
    _put_diagonal_impl,
    transpose=lambda ct, x: take_diagonal(ct),
    batch=lambda size, args, mapped: (put_diagonal(args[0]), True),
)


def diagonal(input: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """
    A diagonal of two dims, as the last dim of the result.

    Parameters
    ----------
    input : Tensor
        At least two dims.
    offset : int, default 0
        Which diagonal: positive above the main one, negative below.
    dim1, dim2 : int, default 0 and 1
        The dims.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the two dims are the same.

    Examples
    --------
    >>> tp.diagonal(tp.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    a, b = two_dims(dim1, dim2, input.ndim, "diagonal")
    row, column, length = diagonal_place(input.shape[a], input.shape[b], offset)
    block = slice_dim(slice_dim(input, a, row, row + length), b, column, column + length)
    rest = [d for d in range(input.ndim) if d not in (a, b)]
    return take_diagonal(families.permute(block, dims=(*rest, a, b)))


def two_dims(dim1: int, dim2: int, ndim: int, name: str) -> tuple[int, int]:
    """Two different dims as non-negative ints."""
    a, b = one_dim(dim1, ndim, name), one_dim(dim2, ndim, name)
    if a == b:
        raise RuntimeError(f"{name}(): the two dims must differ, got {dim1} and {dim2}")
    return a, b


def diagonal_place(rows: int, columns: int, offset: int) -> tuple[int, int, int]:
    """Row and column where a diagonal begins, and its length."""
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(rows - row, columns - column), 0)
    return (row, column, length) if length else (0, 0, 0)


def unfold(input: Value, dimension: int, size: int, step: int) -> Value:
    """
    Windows along a dim, whose elements are in a new last dim.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dimension : int
        The dim.
    size : int
        Length of a window.
    step : int
        From the start of one window to the next.

    Returns
    -------
    Tensor
        A view of `input`; where windows overlap it cannot be written to.

    Raises
    ------
    RuntimeError
        If `size` is larger than the dim or negative, or `step` is not positive.

    Examples
    --------
    >>> tp.tensor([1, 2, 3, 4]).unfold(0, 2, 1)
    tensor([[1, 2],
            [2, 3],
            [3, 4]])
    """
    d = one_dim(dimension, input.ndim, "unfold")
    have = input.shape[d] if input.ndim else 1
    if not 0 <= size <= have:
        raise RuntimeError(f"unfold(): the size of a window must be between 0 and {have}, got {size}")
    if step < 1:
        raise RuntimeError(f"unfold(): step must be positive, got {step}")
    if not input.ndim:
        return families.reshape(input, shape=(1,)) if size else slice_dim(families.reshape(input, shape=(1,)), 0, 0, 0)
    if size == 0:
        count = have // step + 1
        empty = families.reshape(slice_dim(input, d, 0, 0), shape=(*input.shape[:d], 0, *input.shape[d + 1 :]))
        return families.reshape(empty, shape=(*input.shape[:d], count, *input.shape[d + 1 :], 0))
    order = (*[i for i in range(input.ndim) if i != d], d)
    w = Windows((int(size),), (int(step),), (1,), (0,), ((have - size) // step + 1,))
    moved = windows(families.permute(input, dims=order), w=w)  # [*rest, size, windows]
    last = input.ndim - 1
    return families.permute(moved, dims=(*range(d), last + 1, *range(d, last), last))


def alias(input: Value) -> Value:
    """The tensor itself, as a view."""
    return families.reshape(input, shape=input.shape)
