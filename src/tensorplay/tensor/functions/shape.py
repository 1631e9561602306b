"""Shape functions; those that give views alias their input."""

from __future__ import annotations

import functools
from typing import Any

from tensorplay.core.value import Shape, Traced
from tensorplay.ops import arranging, bits, copies, joining, padding, pieces, shape, views
from tensorplay.tensor.calls import described, explained
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.lift import lift, lift_view, lift_view_or_copy, take_view, to_value, view_or_copy
from tensorplay.tensor.size import Size

__all__ = [
    "adjoint",
    "alias_copy",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "cartesian_prod",
    "cat",
    "chunk",
    "clone",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "constant_pad_nd",
    "detach_copy",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "dsplit",
    "dstack",
    "expand_copy",
    "fill",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "meshgrid",
    "moveaxis",
    "movedim",
    "narrow",
    "narrow_copy",
    "permute",
    "permute_copy",
    "ravel",
    "repeat_interleave",
    "reshape",
    "roll",
    "rot90",
    "row_stack",
    "select",
    "select_copy",
    "select_scatter",
    "slice_scatter",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "squeeze",
    "squeeze_copy",
    "stack",
    "swapaxes",
    "swapdims",
    "t",
    "t_copy",
    "tensor_split",
    "tile",
    "transpose",
    "transpose_copy",
    "tril",
    "triu",
    "unbind",
    "unbind_copy",
    "unflatten",
    "unfold_copy",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_copy",
    "view_as_complex",
    "view_as_complex_copy",
    "view_as_real",
    "view_as_real_copy",
    "view_copy",
    "vsplit",
    "vstack",
]

reshape = lift_view_or_copy(shape.reshape)
flatten = lift_view_or_copy(views.flatten)
ravel = lift_view_or_copy(views.ravel)
adjoint = lift_view_or_copy(views.adjoint)
hermitian = lift_view_or_copy(views.hermitian)
reshape_as = lift_view_or_copy(views.reshape_as)

permute = lift_view(shape.permute)
transpose = swapaxes = swapdims = lift_view(shape.transpose)
movedim = moveaxis = lift_view(shape.movedim)
broadcast_to = lift_view(shape.broadcast_to)
unflatten = lift_view(views.unflatten)
squeeze = lift_view(views.squeeze)
unsqueeze = lift_view(views.unsqueeze)
expand = lift_view(views.expand)
expand_as = lift_view(views.expand_as)
t = lift_view(views.t)
reverse_dims = lift_view(views.reverse_dims)
matrix_transpose = lift_view(views.matrix_transpose)
select = lift_view(pieces.select)
_narrow_view = lift_view(pieces.narrow)
_narrow_at = lift(pieces.narrow)
unbind = lift_view(pieces.unbind)
split = unsafe_split = lift_view(pieces.split)
split_with_sizes = unsafe_split_with_sizes = lift_view(pieces.split_with_sizes)
chunk = unsafe_chunk = lift_view(pieces.chunk)
tensor_split = lift_view(pieces.tensor_split)
hsplit = lift_view(pieces.hsplit)
vsplit = lift_view(pieces.vsplit)
dsplit = lift_view(pieces.dsplit)
diagonal = lift_view(views.diagonal)
unfold = lift_view(views.unfold)
view_as_real = lift_view(bits.view_as_real)

alias_copy = lift(copies.alias_copy)
detach_copy = lift(copies.detach_copy)
diagonal_copy = lift(copies.diagonal_copy)
expand_copy = lift(copies.expand_copy)
narrow_copy = lift(copies.narrow_copy)
permute_copy = lift(copies.permute_copy)
select_copy = lift(copies.select_copy)
split_copy = lift(copies.split_copy)
split_with_sizes_copy = lift(copies.split_with_sizes_copy)
squeeze_copy = lift(copies.squeeze_copy)
t_copy = lift(copies.t_copy)
transpose_copy = lift(copies.transpose_copy)
unbind_copy = lift(copies.unbind_copy)
unfold_copy = lift(copies.unfold_copy)
unsqueeze_copy = lift(copies.unsqueeze_copy)
view_copy = lift(copies.view_copy)
view_as_real_copy = lift(copies.view_as_real_copy)
view_as_complex_copy = lift(copies.view_as_complex_copy)

clone = lift(shape.clone)
cat = concat = concatenate = lift(shape.cat)
stack = lift(joining.stack)
hstack = lift(joining.hstack)
vstack = row_stack = lift(joining.vstack)
dstack = lift(joining.dstack)
column_stack = lift(joining.column_stack)
block_diag = lift(joining.block_diag)
cartesian_prod = lift(joining.cartesian_prod)
combinations = lift(joining.combinations)
tile = lift(joining.tile)
repeat = lift(joining.repeat)
repeat_interleave = lift(joining.repeat_interleave)
flip = lift(arranging.flip)
fliplr = lift(arranging.fliplr)
flipud = lift(arranging.flipud)
roll = lift(arranging.roll)
rot90 = lift(arranging.rot90)
tril = lift(arranging.tril)
triu = lift(arranging.triu)
diag = lift(arranging.diag)
diag_embed = lift(arranging.diag_embed)
diagflat = lift(arranging.diagflat)
slice_scatter = lift(arranging.slice_scatter)
select_scatter = lift(arranging.select_scatter)
diagonal_scatter = lift(arranging.diagonal_scatter)
fill = lift(arranging.fill)
pad = lift(padding.pad)
constant_pad_nd = lift(padding.constant_pad_nd)


@explained
@functools.wraps(pieces.narrow)
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    at = start.value if isinstance(start, Handle) else start
    return (_narrow_at if isinstance(at, Traced) else _narrow_view)(input, dim, at, length)


@explained
def view(input: Handle, *shape: Any) -> Any:
    """The same memory in another shape or read as another dtype; an error where that would need a copy."""
    wanted = [to_value(arg) for arg in shape]
    return view_or_copy(input, lambda value: views.view(value, *wanted), "view(): the strides do not allow it")


@explained
def view_as(input: Handle, other: Handle) -> Any:
    """The same memory in the shape of another tensor; an error where that would need a copy."""
    return view(input, other.value.shape)


@explained
def view_as_complex(input: Handle) -> Any:
    return view_or_copy(input, bits.view_as_complex, "view_as_complex(): the last dim must have stride 1")


view_as_complex.__doc__ = bits.view_as_complex.__doc__


@explained
def broadcast_shapes(*shapes: Any) -> Size:
    return Size(joining.broadcast_shapes(*shapes))


broadcast_shapes.__doc__ = joining.broadcast_shapes.__doc__


@explained
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """
    Tensors expanded to their common shape.

    Parameters
    ----------
    *tensors : Tensor
        Of shapes that broadcast.

    Returns
    -------
    tuple of Tensor
        Views that cannot be written to.

    Raises
    ------
    RuntimeError
        If the shapes do not broadcast.

    Examples
    --------
    >>> tp.broadcast_tensors(tp.tensor([1, 2]), tp.tensor(3))
    (tensor([1, 2]), tensor([3, 3]))
    """
    tensors = _unpacked(tensors)
    common = joining.broadcast_shapes(*[tensor.shape for tensor in tensors])
    return tuple([expand(tensor, common) for tensor in tensors])


def _unpacked(tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tensors given one by one, or all in one sequence."""
    listed = tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    for position, tensor in enumerate(listed):
        if not isinstance(tensor, Handle):
            raise TypeError(f"expected tensors, got {described(tensor)} at position {position}")
    return listed


@explained
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """
    Coordinates of the points of a grid, one tensor an axis.

    Parameters
    ----------
    *tensors : Tensor
        The coordinates along each axis: vectors, or 0-d tensors.
    indexing : {"ij", "xy"}, default "ij"
        With "xy" the first two dims of the results are exchanged.

    Returns
    -------
    tuple of Tensor
        Each of the grid's shape; views that cannot be written to.

    Raises
    ------
    RuntimeError
        If a tensor has more than one dim, or the dtypes differ.

    Examples
    --------
    >>> tp.meshgrid(tp.tensor([1, 2]), tp.tensor([3, 4]), indexing="ij")
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
    tensors = _unpacked(tensors)
    joining.grid([tensor.value for tensor in tensors], indexing, "meshgrid")
    whole = tuple([tensor.numel() for tensor in tensors])
    return tuple([_grid_view(tensor, i, whole, indexing) for i, tensor in enumerate(tensors)])


def _grid_view(tensor: Any, position: int, whole: Shape, indexing: str) -> Any:
    return take_view(tensor, lambda value: joining.grid_axis(value, position, whole, indexing))


@explained
def atleast_1d(*tensors: Any) -> Any:
    """
    Tensors with at least one dim.

    Parameters
    ----------
    *tensors : Tensor
        Any shapes.

    Returns
    -------
    Tensor or tuple of Tensor
        Views.

    Examples
    --------
    >>> tp.atleast_1d(tp.tensor(1))
    tensor([1])
    """
    return _at_least(tensors, 1)


@explained
def atleast_2d(*tensors: Any) -> Any:
    """
    Tensors with at least two dims, new ones in front.

    Parameters
    ----------
    *tensors : Tensor
        Any shapes.

    Returns
    -------
    Tensor or tuple of Tensor
        Views.

    Examples
    --------
    >>> tp.atleast_2d(tp.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _at_least(tensors, 2)


@explained
def atleast_3d(*tensors: Any) -> Any:
    """
    Tensors with at least three dims: a vector of n gets shape [1, n, 1], a matrix a last dim.

    Parameters
    ----------
    *tensors : Tensor
        Any shapes.

    Returns
    -------
    Tensor or tuple of Tensor
        Views.

    Examples
    --------
    >>> tp.atleast_3d(tp.tensor([1, 2])).shape
    tensorplay.Size([1, 2, 1])
    """
    return _at_least(tensors, 3)


def _at_least(tensors: tuple[Any, ...], ndim: int) -> Any:
    made = tuple([take_view(tensor, lambda value: joining.atleast_nd(value, ndim)) for tensor in _unpacked(tensors)])
    return made[0] if len(tensors) == 1 and isinstance(tensors[0], Handle) else made
