"""Index tensors, masks, and positions of nonzero elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample

MASK = np.array([[True, False, True], [False, False, True]])


def _index_puts(random: Random) -> list[Sample]:
    n = random.standard_normal
    i, j = np.array([1, 0, 1]), np.array([[2], [0]])
    return [
        Sample((n((3, 3)), (i,), n((3, 3)), True)),
        Sample((n((3, 3)), (np.array([2, 0]),), n(3))),
        Sample((n((3, 3)), (i,), n((3, 3)))),
        Sample((n((2, 3, 2)), (None, j, np.array([0, 1])), n((2, 2, 2)))),
        Sample((n((2, 3, 2)), (np.array([1, 0]), None, np.array([0, 1])), n((2, 3)), True)),
        Sample((n((2, 3)), (MASK,), n(()))),
        Sample((n((2, 3)), (MASK,), n(3))),
        Sample((n((2, 3)), (None, np.array([True, False, True])), n((2, 1)), True)),
    ]


def _index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    out = x.copy()
    key = tuple([slice(None) if i is None else i for i in indices])
    if accumulate:
        np.add.at(out, key, values)
    else:
        out[key] = values
    return out


def _fills(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), MASK, 2.5)),
        Sample((n((2, 3)), MASK[0], n(()))),
        Sample((n(3), MASK, 1.0)),
        Sample((n((0, 3)), np.zeros((0, 3), bool), 1.0)),
        Sample((np.array([[np.nan, np.inf, 1.0]]), MASK, 0.0), smooth=False),
    ]


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.broadcast_to(x, shape).copy()
    mask = np.broadcast_to(mask, shape)
    out[mask] = source.ravel()[: mask.sum()]
    return out


def _scatters(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), MASK, n(5))),
        Sample((n((2, 3)), MASK[1], n((2, 2)))),
        Sample((n((2, 3)), np.zeros((2, 3), bool), n(2))),
    ]


def _selects(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), MASK)), Sample((n((2, 3)), MASK[0])), Sample((n((2, 3)), np.zeros(3, bool)))]


def _select(x: Any, mask: Any) -> Any:
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def _integers(random: Random) -> list[Sample]:
    return [Sample((np.array([[0, 2, 0], [3, 0, -1]]),)), Sample((np.zeros((2, 0)),)), Sample((np.array(1.0),))]


def _statics(random: Random) -> list[Sample]:
    return [
        Sample((np.array([[0, 2, 0], [3, 0, -1]]),), {"size": 2}),
        Sample((np.array([[0, 2, 0], [3, 0, -1]]),), {"size": 5, "fill_value": 7}),
        Sample((np.zeros((2, 0)),), {"size": 1}),
        Sample((np.array([1.0, 0.0]),), {"size": 0}),
    ]


def _nonzero_static(x: Any, *, size: int, fill_value: int = -1) -> Any:
    out = np.full((size, x.ndim), fill_value)
    found = np.argwhere(x)[:size]
    out[: len(found)] = found
    return out


def _selects_sized(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), MASK), {"size": 2}),
        Sample((n((2, 3)), MASK[0]), {"size": 7, "fill_value": -1.5}),
        Sample((n((2, 3)), np.zeros(3, bool)), {"size": 2}),
        Sample((n((0, 3)), np.zeros((0, 3), bool)), {"size": 2, "fill_value": 1.0}),
        Sample((n(4), np.ones(4, bool)), {"size": 0}),
    ]


def _select_sized(x: Any, mask: Any, *, size: int, fill_value: Any = 0) -> Any:
    out = np.full(size, fill_value, x.dtype)
    found = _select(x, mask)[:size]
    out[: len(found)] = found
    return out


def _sizes(random: Random) -> list[Sample]:
    return [
        Sample((np.array([[0, 2, 0], [3, 0, -1]]),), {"size": 2}),
        Sample((np.array([[0, 2, 0], [3, 0, -1]]),), {"size": 5}),
        Sample((np.array([[0.0, np.nan, 0], [3, 0, -1]]),), {"size": 5, "fill_value": (2, 3)}),
        Sample((np.array([[False, True], [True, False]]),), {"size": 3, "fill_value": -1}),
        Sample((np.array(1.0),), {"size": 2}),
        Sample((np.zeros((0, 2)),), {"size": 2}),
    ]


def _argwhere_sized(x: Any, *, size: int, fill_value: Any = 0) -> Any:
    out = np.empty((size, x.ndim), np.int64)
    out[:] = fill_value
    found = np.argwhere(x)[:size]
    out[: len(found)] = found
    return out


def _size_tuples(random: Random) -> list[Sample]:
    return [Sample(s.args, s.kwargs | {"as_tuple": True}) for s in _sizes(random)]


def _nonzero_tuple(x: Any, *, as_tuple: bool, size: int, fill_value: Any = 0) -> Any:
    return tuple(_argwhere_sized(np.atleast_1d(x), size=size, fill_value=fill_value).T)


def _positions(random: Random) -> list[Sample]:
    return [Sample((np.array([[0, 5], [11, 3]]), (3, 4))), Sample((np.array(7), (2, 2, 2))), Sample((np.array([2]), 4))]


def _unravel(indices: Any, shape: Any) -> Any:
    return tuple([i.astype(np.int64) for i in np.unravel_index(indices, shape)])


records = [
    OpRecord("index_put", _index_put, _index_puts, complex=True, integer=True, inplace=True),
    OpRecord("masked_fill", lambda x, mask, value: np.where(mask, value, x), _fills, complex=True, inplace=True),
    OpRecord("masked_scatter", _masked_scatter, _scatters, complex=True, integer=True, inplace=True),
    OpRecord("masked_select", _select, _selects, complex=True, integer=True, batched=False),
    OpRecord("nonzero", np.argwhere, _integers, differentiable=False, batched=False),
    OpRecord("argwhere", np.argwhere, _integers, differentiable=False, batched=False),
    OpRecord("masked_select", _select_sized, _selects_sized, "size", complex=True, integer=False),
    OpRecord("nonzero", _argwhere_sized, _sizes, "size", differentiable=False),
    OpRecord("nonzero", _nonzero_tuple, _size_tuples, "size_as_tuple", differentiable=False),
    OpRecord("argwhere", _argwhere_sized, _sizes, "size", differentiable=False),
    OpRecord("nonzero_static", _nonzero_static, _statics, differentiable=False),
    OpRecord("unravel_index", _unravel, _positions, differentiable=False, method=False),
]
