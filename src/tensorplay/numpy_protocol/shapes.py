"""Shapes, pieces and arrangements."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.numpy_protocol.calling import axes_of, cast, inexact, like, numpys, tensor, weak

# ---- facts -----------------------------------------------------------------------------------------------------------


@numpys("shape")
def shape(a: Any) -> tuple[int, ...]:
    return tuple(a.shape)


@numpys("ndim")
def ndim(a: Any) -> int:
    return int(a.ndim)


@numpys("size")
def size(a: Any, axis: Any = None) -> int:
    return int(np.prod([a.shape[dim] for dim in axes_of(a, axis)], dtype=int))


# ---- shapes ----------------------------------------------------------------------------------------------------------


@numpys("reshape")
def reshape(a: Any, shape: Any) -> Any:
    return tensor(a).reshape(shape)


@numpys("ravel")
def ravel(a: Any) -> Any:
    return tensor(a).reshape(-1)


@numpys("transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    a = tensor(a)
    return a.permute(*(reversed(range(a.ndim)) if axes is None else axes))


@numpys("matrix_transpose", "linalg.matrix_transpose")
def matrix_transpose(x: Any) -> Any:
    return tensor(x).transpose(-2, -1)


@numpys("moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    return tp.movedim(tensor(a), source, destination)


@numpys("rollaxis")
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    a = tensor(a)
    (axis,) = axes_of(a, axis)
    start += a.ndim if start < 0 else 0
    return tp.movedim(a, axis, start - 1 if axis < start else start)


@numpys("swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    return tp.transpose(tensor(a), axis1, axis2)


@numpys("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    a = tensor(a)
    for dim in () if axis is None else axes_of(a, axis):
        if a.shape[dim] != 1:
            raise ValueError(f"np.squeeze(): dim {dim} of a tensor of shape {list(a.shape)} is not of size 1")
    return tp.squeeze(a) if axis is None else tp.squeeze(a, axes_of(a, axis))


@numpys("expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    a = tensor(a)
    count = len(axis) if isinstance(axis, tuple | list) else 1
    for dim in sorted(np.lib.array_utils.normalize_axis_tuple(axis, a.ndim + count)):
        a = a.unsqueeze(dim)
    return a


@numpys("broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Any:
    return tp.broadcast_to(tensor(array), (shape,) if isinstance(shape, int) else tuple(shape))


@numpys("broadcast_arrays")
def broadcast_arrays(*args: Any) -> Any:
    # arrays among them stay arrays: their elements may be objects, which no tensor holds
    shape = np.broadcast_shapes(*map(np.shape, args))
    return tuple(np.broadcast_to(arg, shape) for arg in args)


def _several(function: Callable[..., Any]) -> Callable[..., Any]:
    def public(*arys: Any) -> Any:
        outs = [function(tensor(ary)) for ary in arys]
        return outs[0] if len(outs) == 1 else tuple(outs)

    return public


numpys("atleast_1d")(_several(tp.atleast_1d))
numpys("atleast_2d")(_several(tp.atleast_2d))
numpys("atleast_3d")(_several(tp.atleast_3d))


@numpys("ix_")
def ix_(*args: Any) -> Any:
    vectors = [tensor(arg) for arg in args]
    return tuple([_open(v, dim, len(vectors)) for dim, v in enumerate(vectors)])


def _open(vector: tp.Tensor, dim: int, ndim: int) -> tp.Tensor:
    """A vector along one of some dims."""
    if vector.ndim != 1:
        raise ValueError(f"np.ix_(): expected vectors, got a tensor of shape {list(vector.shape)}")
    vector = vector.nonzero(as_tuple=True)[0] if vector.dtype is tp.bool else vector
    return vector.reshape([-1 if i == dim else 1 for i in range(ndim)])


# ---- joining ---------------------------------------------------------------------------------------------------------


def _all(arrays: Any, dtype: Any = None) -> list[tp.Tensor]:
    return [cast(tensor(array), dtype) for array in arrays]


@numpys("concatenate")
def concatenate(arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    tensors = _all(arrays, dtype)
    return tp.cat([one.reshape(-1) for one in tensors]) if axis is None else tp.cat(tensors, axis)


@numpys("stack")
def stack(arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    return tp.stack(_all(arrays, dtype), axis)


@numpys("vstack")
def vstack(tup: Any, dtype: Any = None) -> Any:
    return tp.vstack(_all(tup, dtype))


@numpys("hstack")
def hstack(tup: Any, dtype: Any = None) -> Any:
    return tp.hstack(_all(tup, dtype))


@numpys("dstack")
def dstack(tup: Any) -> Any:
    return tp.dstack(_all(tup))


@numpys("column_stack")
def column_stack(tup: Any) -> Any:
    return tp.column_stack(_all(tup))


@numpys("append")
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    return concatenate([arr, values], axis)


@numpys("block")
def block(arrays: Any) -> Any:
    depth = _depth(arrays)
    ndim = max(depth, _ndim(arrays))
    return _joined(arrays, ndim, ndim - depth)


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _ndim(arrays: Any) -> int:
    return max(map(_ndim, arrays)) if isinstance(arrays, list) else tensor(arrays).ndim


def _joined(arrays: Any, ndim: int, dim: int) -> tp.Tensor:
    """Nested lists of blocks as one tensor: the outermost list lies along `dim`, those in it along the next ones."""
    if not isinstance(arrays, list):
        one = tensor(arrays)
        return one.reshape(*[1] * (ndim - one.ndim), *one.shape)
    return tp.cat([_joined(entry, ndim, dim + 1) for entry in arrays], dim)


# ---- pieces ----------------------------------------------------------------------------------------------------------


@numpys("array_split")
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return list(tp.tensor_split(tensor(ary), _cuts(indices_or_sections), dim=axis))


def _cuts(cuts: Any) -> Any:
    return cuts if hasattr(cuts, "__index__") and not isinstance(cuts, tp.Tensor) else [int(cut) for cut in cuts]


@numpys("split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    ary = tensor(ary)
    sections, length = indices_or_sections, ary.shape[axis]
    if hasattr(sections, "__index__") and length % operator.index(sections):
        raise ValueError(f"np.split(): a dim of size {length} does not divide into {sections} equal parts")
    return array_split(ary, sections, axis)


@numpys("hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    ary = tensor(ary)
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


@numpys("vsplit")
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    return split(ary, indices_or_sections, 0)


@numpys("dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    return split(ary, indices_or_sections, 2)


@numpys("unstack")
def unstack(x: Any, axis: int = 0) -> Any:
    return tensor(x).unbind(axis)


@numpys("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return tp.diagonal(tensor(a), offset, axis1, axis2)


@numpys("linalg.diagonal")
def linalg_diagonal(x: Any, offset: int = 0) -> Any:
    return tp.diagonal(tensor(x), offset, -2, -1)


@numpys("diag")
def diag(v: Any, k: int = 0) -> Any:
    return tp.diag(tensor(v), k)


@numpys("diagflat")
def diagflat(v: Any, k: int = 0) -> Any:
    return tp.diagflat(tensor(v), k)


@numpys("tril")
def tril(m: Any, k: int = 0) -> Any:
    return tp.tril(tensor(m), k)


@numpys("triu")
def triu(m: Any, k: int = 0) -> Any:
    return tp.triu(tensor(m), k)


@numpys("delete")
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    arr, dim = (tensor(arr).reshape(-1), 0) if axis is None else (tensor(arr), axis)
    gone = obj.numpy() if isinstance(obj, tp.Tensor) else obj
    kept = np.delete(np.arange(arr.shape[dim]), gone)
    return tp.index_select(arr, dim, tp.as_tensor(kept))


@numpys("lib.stride_tricks.sliding_window_view")
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    x = tensor(x)
    sizes = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    axes = axes_of(x, axis)
    if len(sizes) != len(axes):
        raise ValueError(f"np.sliding_window_view(): {len(sizes)} sizes for {len(axes)} axes")
    for dim, length in zip(axes, sizes, strict=True):
        x = x.unfold(dim, length, 1)
    return x


# ---- repetition ------------------------------------------------------------------------------------------------------


@numpys("tile")
def tile(A: Any, reps: Any) -> Any:
    return tp.tile(tensor(A), (reps,) if isinstance(reps, int) else tuple(reps))


@numpys("repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    a, dim = (tensor(a).reshape(-1), 0) if axis is None else (tensor(a), axis)
    return tp.repeat_interleave(a, repeats if isinstance(repeats, int) else tensor(repeats), dim)


@numpys("resize")
def resize(a: Any, new_shape: Any) -> Any:
    a = tensor(a).reshape(-1)
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    count = int(np.prod(shape))
    if not len(a):
        return tp.zeros(shape, dtype=a.dtype)
    return tp.tile(a, (-(-count // len(a)),))[:count].reshape(shape)


@numpys("pad")
def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    array = tensor(array)
    if mode not in ("constant", *_REPEATING):
        raise TypeError(f"np.pad(): mode must be one of {['constant', *_REPEATING]} for tensors, got {mode!r}")
    for dim, (before, after) in enumerate(_pairs(pad_width, array.ndim)):
        if not before and not after:
            continue
        if mode == "constant":
            low, high = _pairs(constant_values, array.ndim)[dim]
            array = tp.cat([_constant(array, dim, before, low), array, _constant(array, dim, after, high)], dim)
        else:
            positions = np.pad(np.arange(array.shape[dim]), (before, after), mode=mode)
            array = tp.index_select(array, dim, tp.as_tensor(positions))
    return array


_REPEATING = ("edge", "reflect", "symmetric", "wrap")


def _pairs(width: Any, ndim: int) -> list[tuple[Any, Any]]:
    """A pair for each dim, from one number, one pair, or a pair for each."""
    if isinstance(width, dict):
        table = {dim % ndim: pair for dim, pair in width.items()}
        return [_pair(table.get(dim, 0)) for dim in range(ndim)]
    if not isinstance(width, tuple | list | np.ndarray):
        return [(width, width)] * ndim
    if len(width) == 1:
        return [_pair(width[0])] * ndim
    if not isinstance(width[0], tuple | list | np.ndarray):
        return [_pair(width)] * ndim
    return [_pair(pair) for pair in width]


def _pair(entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, tuple | list | np.ndarray):
        return entry, entry
    return (entry[0], entry[0]) if len(entry) == 1 else (entry[0], entry[1])


def _constant(array: tp.Tensor, dim: int, length: int, fill: Any) -> tp.Tensor:
    size = [length if i == dim else n for i, n in enumerate(array.shape)]
    return like(weak(fill), array).to(array.dtype).expand(*size)


# ---- order -----------------------------------------------------------------------------------------------------------


@numpys("roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    a = tensor(a)
    if axis is None:
        return tp.roll(a, shift)
    shifts, dims = np.broadcast_arrays(np.atleast_1d(shift), np.atleast_1d(axis))
    return tp.roll(a, shifts.tolist(), dims.tolist())


@numpys("flip")
def flip(m: Any, axis: Any = None) -> Any:
    m = tensor(m)
    return tp.flip(m, axes_of(m, axis))


@numpys("fliplr")
def fliplr(m: Any) -> Any:
    return tp.fliplr(tensor(m))


@numpys("flipud")
def flipud(m: Any) -> Any:
    return tp.flipud(tensor(m))


@numpys("rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    return tp.rot90(tensor(m), k, axes)


@numpys("take")
def take(a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Any:
    a, dim = (tensor(a).reshape(-1), 0) if axis is None else (tensor(a), axis)
    indices, (dim,) = tensor(indices), axes_of(a, dim)
    if mode != "raise":
        length = a.shape[dim]
        indices = indices.clamp(0, length - 1) if mode == "clip" else tp.remainder(indices, length)
    return a[(slice(None),) * dim + (indices.long(),)]


@numpys("take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    return tp.take_along_dim(tensor(arr), tensor(indices).long(), axis)


@numpys("meshgrid")
def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> Any:
    grids = ix_(*[tensor(x).reshape(-1) for x in xi])
    if indexing == "xy" and len(grids) > 1:
        grids = tuple([grid.transpose(0, 1) for grid in grids])
    return grids if sparse else tuple(tp.broadcast_tensors(*grids))


@numpys("vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    return tp.vander(tensor(x), N, increasing)


@numpys("trapezoid")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = inexact(y)
    return tp.trapezoid(y, dx=weak(dx), dim=axis) if x is None else tp.trapezoid(y, tensor(x), dim=axis)
