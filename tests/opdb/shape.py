"""Shape ops: views, joins, repeats, padding, diagonals. References are NumPy's functions or index loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tensorplay as tp

from .record import OpRecord, Random, Sample

Reference = Callable[..., Any]


def _op(name: str, reference: Reference, *calls: tuple[Any, ...], **options: Any) -> OpRecord:
    """A record whose samples are given by shapes: ``((2, 3), args...)`` is a (2, 3) array and what follows it."""

    def samples(random: Random) -> list[Sample]:
        return [Sample((random.standard_normal(shape), *rest)) for shape, *rest in calls]

    return OpRecord(name, reference, samples, **{"complex": True, "integer": True, **options})


def _joins(name: str, reference: Reference, *calls: tuple[Any, ...], **options: Any) -> OpRecord:
    """A record whose first argument is a list of arrays, given by shapes."""

    def samples(random: Random) -> list[Sample]:
        return [Sample(([random.standard_normal(shape) for shape in shapes], *rest)) for shapes, *rest in calls]

    return OpRecord(name, reference, samples, **{"complex": True, "integer": True, "method": False, **options})


def _several(name: str, reference: Reference, *calls: Sequence[tuple[int, ...]], **options: Any) -> OpRecord:
    """A record of a function of any number of tensors, given by shapes."""

    def samples(random: Random) -> list[Sample]:
        return [Sample(tuple([random.standard_normal(shape) for shape in shapes])) for shapes in calls]

    return OpRecord(name, reference, samples, **{"complex": True, "integer": True, "method": False, **options})


def _pieces(x: Any, cuts: Sequence[int], dim: int) -> tuple[Any, ...]:
    return tuple(np.split(x, cuts, axis=dim))


def _split(x: Any, size: Any, dim: int = 0) -> tuple[Any, ...]:
    if isinstance(size, int):
        return _pieces(x, list(range(size, x.shape[dim], size)), dim)
    return _pieces(x, np.cumsum(size)[:-1], dim)


def _chunk(x: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    return _split(x, -(-x.shape[dim] // chunks), dim)


def _flatten(x: Any, start: int = 0, end: int = -1) -> Any:
    start, end = start % max(x.ndim, 1), end % max(x.ndim, 1)
    return x.reshape((*x.shape[:start], -1, *x.shape[end + 1 :]))


def _unfold(x: Any, dim: int, size: int, step: int) -> Any:
    if x.ndim == 0:
        return x.reshape(1)[:size]
    starts = range(0, x.shape[dim] - size + 1, step)
    return np.stack([np.moveaxis(np.take(x, range(s, s + size), axis=dim), dim, -1) for s in starts], axis=dim)


def _as_strided(x: Any, size: Any, stride: Any, offset: int = 0) -> Any:
    out = np.empty(size, x.dtype)
    for place in np.ndindex(*size):
        out[place] = x.ravel()[offset + sum(i * step for i, step in zip(place, stride, strict=True))]
    return out


def _diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    for i in range(x.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def _slice_scatter(x: Any, src: Any, dim: int, start: int | None, end: int | None, step: int) -> Any:
    out = x.copy()
    np.moveaxis(out, dim, 0)[start:end:step] = np.moveaxis(src, dim, 0)
    return out


def _select_scatter(x: Any, src: Any, dim: int, index: int) -> Any:
    out = x.copy()
    np.moveaxis(out, dim, 0)[index] = src
    return out


def _diagonal_scatter(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    out = x.copy()
    moved = np.moveaxis(out, (dim1, dim2), (-2, -1))
    for i in range(src.shape[-1]):
        moved[..., i + max(-offset, 0), i + max(offset, 0)] = src[..., i]
    return out


def _pairs(*shapes: tuple[Any, ...]) -> Callable[[Random], list[Sample]]:
    """Samples of two arrays and further arguments."""

    def samples(random: Random) -> list[Sample]:
        n = random.standard_normal
        return [Sample((n(first), n(second), *rest)) for first, second, *rest in shapes]

    return samples


def _pad(x: Any, pad: Sequence[int], mode: str = "constant", value: float = 0) -> Any:
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    positive = [(max(a, 0), max(b, 0)) for a, b in widths]
    names = {"replicate": "edge", "circular": "wrap", "reflect": "reflect"}
    out = (
        np.pad(x, positive, constant_values=x.dtype.type(value))
        if mode == "constant"
        else np.pad(x, positive, names[mode])
    )
    return out[tuple([slice(-min(a, 0), n + min(b, 0)) for n, (a, b) in zip(out.shape, widths, strict=True)])]


def _combinations(x: Any, r: int = 2, again: bool = False) -> Any:
    choose = itertools.combinations_with_replacement if again else itertools.combinations
    return np.array([[x[i] for i in places] for places in choose(range(len(x)), r)]).reshape(-1, r)


def _block_diag(*xs: Any) -> Any:
    blocks = [np.atleast_2d(x) for x in xs]
    out = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out


def _as_complex(x: Any) -> Any:
    return x[..., 0] + 1j * x[..., 1]


def _as_real(name: str) -> OpRecord:
    return _op(
        name,
        lambda x: np.stack([x.real, x.imag], -1),
        ((2, 3),),
        ((),),
        ((0, 2),),
        symmetrize=lambda x: x * (1 + 2j),
        complex=False,
        integer=False,
        method=False,
    )


VIEWS = [
    _op("reshape", lambda x, s: x.reshape(s), ((2, 3), (3, 2)), ((2, 3), (-1,)), ((), (1, 1)), ((0, 3), (3, 0))),
    _op("flatten", _flatten, ((2, 3, 2),), ((2, 3, 2), 1), ((2, 3, 2), 0, 1), ((),)),
    _op("ravel", np.ravel, ((2, 3),), ((),)),
    _op("unflatten", lambda x, d, s: x.reshape(2, 2, 3), ((2, 6), 1, (2, -1))),
    _op("permute", np.transpose, ((2, 3, 4), (2, 0, 1)), ((2, 3), (-1, 0)), ((), ())),
    _op("transpose", np.swapaxes, ((2, 3, 4), 0, 2), ((2, 3), -1, -2)),
    _op("t", np.transpose, ((2, 3),), ((3,),), ((),)),
    _op("adjoint", lambda x: np.conj(np.swapaxes(x, -1, -2)), ((2, 3),), ((2, 2, 3),)),
    _op("movedim", np.moveaxis, ((2, 3, 4), 0, -1), ((2, 3, 4), (0, 2), (1, 0))),
    _op("squeeze", lambda x, d=None: np.squeeze(x, d), ((1, 3, 1),), ((1, 3, 1), 0), ((1, 3, 1), (0, -1)), ((),)),
    _op("unsqueeze", np.expand_dims, ((2, 3), 1), ((2,), -1), ((), 0)),
    _op("broadcast_to", np.broadcast_to, ((3, 1), (2, 3, 4)), ((), (2,)), ((1,), (0,))),
    _op("Tensor.expand", lambda x, *s: np.broadcast_to(x, (2, 3, 4)), ((3, 1), 2, -1, 4)),
    _op("select", lambda x, d, i: np.take(x, i, axis=d), ((2, 3), 1, -1), ((3,), 0, 1)),
    _op("narrow", lambda x, d, s, n: np.take(x, range(s, s + n), axis=d), ((2, 4), 1, 1, 2), ((3,), 0, 1, 0)),
    _op("unbind", lambda x, d=0: tuple(np.moveaxis(x, d, 0)), ((3, 2),), ((2, 3), -1)),
    _op("split", _split, ((5, 2), 2), ((2, 5), [1, 0, 4], 1)),
    _op("split_with_sizes", _split, ((2, 5), [2, 3], 1)),
    _op("chunk", _chunk, ((5, 2), 2), ((2, 4), 3, 1)),
    _op("tensor_split", lambda x, n, d=0: tuple(np.array_split(x, n, d)), ((5, 2), 3), ((2, 5), (1, 4), 1)),
    _op("hsplit", lambda x, n: tuple(np.hsplit(x, n)), ((2, 4), 2), ((4,), (1, 3))),
    _op("vsplit", lambda x, n: tuple(np.vsplit(x, n)), ((4, 2), 2)),
    _op("dsplit", lambda x, n: tuple(np.dsplit(x, n)), ((2, 1, 4), 2)),
    _op("diagonal", np.diagonal, ((3, 4),), ((3, 4), 1), ((4, 3), -2), ((2, 3, 3), 0, 1, 2), ((2, 3), 5)),
    _op("Tensor.unfold", _unfold, ((5,), 0, 2, 1), ((2, 7), 1, 3, 2), ((4, 2), 0, 2, 2), ((), 0, 1, 1)),
    _op(
        "as_strided",
        _as_strided,
        ((2, 3), (2, 2), (1, 3)),
        ((6,), (3, 2), (1, 2), 1),
        ((4,), (0, 2), (1, 1)),
        # it sees memory, whose order the reference takes for that of the elements
        symmetrize=lambda x, *rest: (x.contiguous(), *rest),
    ),
    _as_real("view_as_real"),
    _op(
        "view_as_complex",
        _as_complex,
        ((3, 2),),
        ((2,),),
        symmetrize=lambda x: tp.stack([x[..., 0], x[..., 1]], -1),  # the two parts must lie side by side in memory
        complex=False,
        integer=False,
        method=False,
    ),
]

COPIES = [
    _op("alias_copy", np.array, ((2, 3),), method=False),
    _op("detach_copy", np.array, ((2, 3),), method=False, differentiable=False),
    _op("diagonal_copy", np.diagonal, ((3, 4), 1), method=False),
    _op("expand_copy", np.broadcast_to, ((3, 1), (2, 3, 4)), method=False),
    _op("narrow_copy", lambda x, d, s, n: np.take(x, range(s, s + n), axis=d), ((2, 4), 1, 1, 2)),
    _op("permute_copy", np.transpose, ((2, 3, 4), (2, 0, 1)), method=False),
    _op("select_copy", lambda x, d, i: np.take(x, i, axis=d), ((2, 3), 1, -1), method=False),
    _op("split_copy", _split, ((5, 2), 2), method=False),
    _op("split_with_sizes_copy", _split, ((2, 5), [2, 3], 1), method=False),
    _op("squeeze_copy", np.squeeze, ((1, 3, 1),), method=False),
    _op("t_copy", np.transpose, ((2, 3),), method=False),
    _op("transpose_copy", np.swapaxes, ((2, 3, 4), 0, 2), method=False),
    _op("unbind_copy", tuple, ((3, 2),), method=False),
    _op("unfold_copy", _unfold, ((2, 7), 1, 3, 2), method=False),
    _op("unsqueeze_copy", np.expand_dims, ((2, 3), 1), method=False),
    _op("view_copy", lambda x, s: x.reshape(s), ((2, 3), (3, 2)), method=False),
    _as_real("view_as_real_copy"),
    _op("view_as_complex_copy", _as_complex, ((3, 2),), complex=False, integer=False, method=False),
]

JOINS = [
    _joins("cat", np.concatenate, ([(2, 3), (1, 3)],), ([(2, 3), (2, 1)], -1), ([(0, 2), (2, 2)],)),
    _joins("stack", np.stack, ([(2, 3), (2, 3)],), ([(2,), (2,), (2,)], -1), ([(), ()],)),
    _joins("hstack", np.hstack, ([(2, 3), (2, 1)],), ([(2,), (1,)],), ([(), ()],)),
    _joins("vstack", np.vstack, ([(2, 3), (1, 3)],), ([(2,), (2,)],)),
    _joins("dstack", np.dstack, ([(2, 3), (2, 3)],), ([(2,), (2,)],)),
    _joins("column_stack", np.column_stack, ([(2, 3), (2,)],)),
    _several("block_diag", _block_diag, [(2, 3), (1,), ()], [(2, 2)]),
    _several("cartesian_prod", lambda *xs: np.array(list(itertools.product(*xs))), [(2,), (3,)]),
    _several("meshgrid", lambda *xs: tuple(np.meshgrid(*xs, indexing="ij")), [(2,), (3,)], [(2,), (), (3,)]),
    _several("broadcast_tensors", lambda *xs: tuple(np.broadcast_arrays(*xs)), [(2, 1), (3,)], [(2,), (2,)]),
    _several("atleast_1d", np.atleast_1d, [()], [(2,)]),
    _several("atleast_2d", np.atleast_2d, [()], [(2,)], [(2, 3, 1)]),
    _several("atleast_3d", np.atleast_3d, [()], [(2,)], [(2, 3)]),
    _op("combinations", _combinations, ((4,),), ((3,), 2, True), ((4,), 3), method=False),
    _op("tile", np.tile, ((2, 3), (2,)), ((2,), (2, 1, 3)), ((2, 3), (1, 1)), ((2,), (0,))),
    _op("Tensor.repeat", lambda x, *n: np.tile(x, n), ((2, 3), 2, 1), ((2,), 2, 3), ((2,), 1)),
    _op(
        "repeat_interleave", np.repeat, ((2, 3), 2), ((2, 3), 2, 1), ((2, 3), np.array([1, 0, 2]), 1), map_indices=False
    ),
]

ARRANGEMENTS = [
    _op("clone", np.array, ((2, 3),), ((),)),
    _op("flip", np.flip, ((2, 3), (0,)), ((2, 3), (0, -1)), ((2, 3), ())),
    _op("fliplr", np.fliplr, ((2, 3),)),
    _op("flipud", np.flipud, ((2, 3),)),
    _op("roll", np.roll, ((2, 3), 1), ((2, 3), (1, -2), (0, 1)), ((), 1), ((0, 2), 1, 0)),
    _op("rot90", np.rot90, ((2, 3),), ((2, 3), 2), ((2, 3, 2), -1, (1, 2)), ((2, 3), 4)),
    _op("tril", np.tril, ((3, 4),), ((3, 3), 1), ((2, 3, 3), -1), inplace=True),
    _op("triu", np.triu, ((3, 4),), ((3, 3), 1), ((2, 3, 3), -1), inplace=True),
    _op("diag", np.diag, ((3,),), ((3,), 1), ((3, 4), -1)),
    _op("diag_embed", _diag_embed, ((2, 3),), ((2, 3), 1, 0, 2), ((3,), -2), ((0,),)),
    _op("diagflat", np.diagflat, ((2, 2), 1), ((3,),), ((),)),
    OpRecord(
        "slice_scatter",
        _slice_scatter,
        _pairs(((4, 2), (2, 2), 0, 1, 3, 1), ((2, 5), (2, 3), 1, None, None, 2)),
        complex=True,
    ),
    OpRecord("select_scatter", _select_scatter, _pairs(((3, 2), (2,), 0, 1), ((3, 2), (3,), -1, 0)), complex=True),
    OpRecord(
        "diagonal_scatter",
        _diagonal_scatter,
        _pairs(((3, 4), (3,)), ((3, 4), (3,), 1), ((2, 3, 3), (2, 2), -1, 1, 2)),
        complex=True,
    ),
    _op("constant_pad_nd", _pad, ((2, 3), (1, 2)), ((2, 3), (1, 0, -1, 2)), ((3,), (-1, -1)), method=False),
    _op("nn.functional.pad", _pad, ((2, 3), (1, 2, 0, 1)), ((2,), (1, -1), "constant", 5.0)),
    _op(
        "nn.functional.pad", _pad, ((2, 4), (3, 1), "reflect"), ((1, 3, 3), (1, 2, 0, 1), "reflect"), variant="reflect"
    ),
    _op(
        "nn.functional.pad", _pad, ((2, 3), (4, 1), "replicate"), ((1, 2, 3), (1, -1), "replicate"), variant="replicate"
    ),
    _op(
        "nn.functional.pad",
        _pad,
        ((2, 3), (3, 1), "circular"),
        ((1, 2, 3), (1, 0, 2, 1), "circular"),
        variant="circular",
    ),
    _op("fill", lambda x, n: np.full_like(x, n), ((2, 3), 2.0), integer=False, method=False, inplace=True),
]

records = [*VIEWS, *COPIES, *JOINS, *ARRANGEMENTS]
