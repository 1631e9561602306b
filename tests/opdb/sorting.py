"""Order statistics and searching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample

nan, inf = np.nan, np.inf


def _argsort(x: Any, dim: int = -1, descending: bool = False) -> Any:
    if x.ndim == 0:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)


def _sort(x: Any, dim: int = -1, descending: bool = False) -> Any:
    order = _argsort(x, dim, descending)
    return (np.take_along_axis(x, order, dim) if x.ndim else x), order


def _rows(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 4)),)),
        Sample((n((2, 3, 2)), 1, True)),
        Sample((n(()), 0)),
        Sample((np.zeros((2, 0)),)),
    ]


def _edges(random: Random) -> list[Sample]:
    edge = np.array([[2.0, nan, 1.0, 2.0], [nan, inf, -inf, nan]])
    return [Sample((edge, -1, True), smooth=False), Sample((edge,), smooth=False)]


def _topk(x: Any, k: int, dim: int = -1, largest: bool = True) -> Any:
    if x.ndim == 0:
        return x, np.zeros((), np.int64)
    order = np.take(_argsort(x, dim, largest), np.arange(k), axis=dim)
    return np.take_along_axis(x, order, dim), order


def _tops(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 5)), 2)),
        Sample((n((4, 2)), 3, 0, False)),
        Sample((n(3), 3)),
        Sample((n(3), 0)),
        Sample((n(()), 1)),
        Sample((np.array([1.0, nan, 3.0, 2.0]), 2), smooth=False),
        Sample((np.array([1.0, nan, 3.0, 2.0]), 2, 0, False), smooth=False),
    ]


def _picked(place: Callable[[Any], int]) -> Callable[..., Any]:
    """Value and position of the element that `place` chooses in each row."""

    def reference(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
        row = x if x.ndim else x[None]
        at = np.apply_along_axis(lambda r: np.asarray(place(r)), dim, row)
        at = np.expand_dims(at, dim)
        both = np.take_along_axis(row, at, dim), at
        if x.ndim == 0:
            return tuple([v.reshape(()) for v in both])
        return both if keepdim else tuple([np.squeeze(v, dim) for v in both])

    return reference


def _middle(row: Any) -> int:
    if np.isnan(row).any():
        return int(np.argmax(np.isnan(row)))
    return int(np.argsort(row, kind="stable")[(len(row) - 1) // 2])


def _nan_middle(row: Any) -> int:
    count = int((~np.isnan(row)).sum())
    return int(np.argsort(row, kind="stable")[max(count - 1, 0) // 2])


def _most_frequent(row: Any) -> int:
    values, counts = np.unique(row, return_counts=True)
    return int(np.flatnonzero(row == values[np.argmax(counts)])[-1])


def _of_one_dim(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 5)), 1)), Sample((n((4, 2)), 0, True)), Sample((n(()), 0))]


def _medians(random: Random) -> list[Sample]:
    holes = np.array([[1.0, nan, 3.0, 2.0], [nan, nan, 5.0, 4.0]])
    return [*_of_one_dim(random), Sample((holes, 1), smooth=False)]


def _all_at_once(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)),)), Sample((n(5),)), Sample((n(()),))]


def _hole(random: Random) -> list[Sample]:
    return [Sample((np.array([1.0, nan, 3.0]),), smooth=False)]


def _lower_median(x: Any) -> Any:
    flat = x.ravel()
    return flat[_middle(flat)]


def _nan_lower_median(x: Any) -> Any:
    flat = x.ravel()
    return flat[_nan_middle(flat)]


def _modes(random: Random) -> list[Sample]:
    x = random.integers(0, 3, (3, 6)).astype(float)
    return [
        Sample((x, 1), smooth=False),
        Sample((x, 0, True), smooth=False),
        Sample((np.array(x[0, 0]), 0), smooth=False),
    ]


def _kth(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    return _picked(lambda row: int(np.argsort(row, kind="stable")[k - 1]))(x, dim, keepdim)


def _kths(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 5)), 2)), Sample((n((4, 2)), 3, 0, True)), Sample((n(()), 1))]


def _quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
        return function(x, q, axis=dim, keepdims=keepdim, method=interpolation)

    return reference


def _quantiles(random: Random) -> list[Sample]:
    n = random.standard_normal
    plain = [
        Sample((n(5), 0.3)),
        Sample((n((2, 4)), 0.7, 1, True)),
        Sample((n((3, 2)), np.array([0.1, 0.55]), 0)),
        Sample((n((3, 2)), np.array([0.1, 0.55, 0.8]), 1, True)),
        Sample((n((3, 2)), 0.4, None, True)),
        Sample((np.array([[1.0, nan, 3.0], [4.0, 2.0, 0.0]]), 0.5, 1), smooth=False),
        Sample((n(3), 1.0), smooth=False),
    ]
    methods = ("lower", "higher", "midpoint", "nearest")
    return [*plain, *[Sample((n((2, 4)), 0.45, 1), {"interpolation": method}) for method in methods]]


def _searches(random: Random) -> list[Sample]:
    n = random.standard_normal
    line, rows = np.sort(n(5)), np.sort(n((2, 4)), axis=-1)
    repeated = np.array([1.0, 2.0, 2.0, 3.0])
    return [
        Sample((line, n((2, 3)))),
        Sample((rows, n((2, 3)))),
        Sample((rows, n((2, 3))), {"right": True}),
        Sample((repeated, np.array([2.0, 0.0, 3.0, nan]))),
        Sample((repeated, np.array([2.0, 0.0, 3.0, nan])), {"side": "right"}),
        Sample((np.zeros(0), n(2))),
        Sample((line, 0.5)),
    ]


def _searchsorted(ordered: Any, values: Any, *, right: bool = False, side: str = "left") -> Any:
    side = "right" if right else side
    if ordered.ndim == 1:
        return np.searchsorted(ordered, values, side)
    return np.stack([np.searchsorted(row, value, side) for row, value in zip(ordered, values, strict=True)])


def _sorted_rows(*args: Any) -> tuple[Any, ...]:
    return (args[0].sort(-1)[0], *args[1:])


def _members(random: Random) -> list[Sample]:
    x = random.integers(0, 5, (2, 3)).astype(float)
    tests = np.array([1.0, 3.0])
    return [Sample((x, tests)), Sample((x, tests), {"invert": True}), Sample((x, 2.0)), Sample((x, np.zeros(0)))]


def _isin(x: Any, tests: Any, *, invert: bool = False) -> Any:
    return np.isin(x, tests, invert=invert)


def _unique(
    x: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    found = np.unique(x, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    inverse = found[1].reshape(x.shape) if dim is None else found[1].ravel()
    parts = zip((found[0], inverse, found[2]), (True, return_inverse, return_counts), strict=True)
    return tuple([part for part, wanted in parts if wanted])


def _repeats(random: Random) -> list[Sample]:
    x = random.integers(0, 3, (3, 4)).astype(float)
    return [
        Sample((random.permutation(6).reshape(2, 3) / 3.0,), {"return_inverse": True}),
        Sample((x,), {"return_inverse": True, "return_counts": True}, smooth=False),
        Sample((np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 2.0]]),), {"return_counts": True, "dim": 0}, smooth=False),
        Sample((np.array([1.0, nan, nan]),), {"return_inverse": True}, smooth=False),
    ]


def _without_repetition(x: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    rows = list(x.ravel()) if dim is None else list(np.moveaxis(x, dim, 0))
    kept: list[Any] = []
    inverse, counts = [], []
    for row in rows:
        if not kept or np.any(kept[-1] != row):
            kept.append(row)
            counts.append(0)
        counts[-1] += 1
        inverse.append(len(kept) - 1)
    values = np.array(kept) if dim is None else np.moveaxis(np.stack(kept), 0, dim)
    where = np.array(inverse).reshape(x.shape if dim is None else -1)
    parts = zip((values, where, np.array(counts)), (True, return_inverse, return_counts), strict=True)
    return tuple([part for part, wanted in parts if wanted])


def _of_size(reference: Any) -> Any:
    """The reference's result cut, or filled, to a length."""

    def sized(x: Any, *, size: int, fill_value: Any = None, dim: Any = None, **extra: Any) -> Any:
        values, inverse, counts = reference(x, return_inverse=True, return_counts=True, dim=dim)
        rows = list(np.moveaxis(values, dim or 0, 0))
        fill = rows[0] if fill_value is None else np.full(rows[0].shape, fill_value)
        rows = [*rows, *[fill] * size][:size]
        counts = np.array([*counts, *[0] * size][:size], np.int64)
        values = np.moveaxis(np.stack(rows), 0, dim or 0)
        wanted = (True, extra.get("return_inverse"), extra.get("return_counts"))
        parts = [part for part, w in zip((values, inverse, counts), wanted, strict=True) if w]
        return tuple(parts) if len(parts) > 1 else values

    return sized


def _repeats_sized(random: Random) -> list[Sample]:
    both = {"return_inverse": True, "return_counts": True}
    x = random.integers(0, 3, (3, 4)).astype(float)
    table = np.array([[1.0, 2.0], [3.0, 0.0], [3.0, 0.0], [1.0, 2.0]])
    return [
        Sample((random.permutation(6).reshape(2, 3) / 3.0,), {"size": 8, "return_inverse": True}),
        Sample((random.permutation(6).reshape(2, 3) / 3.0,), {"size": 4, "fill_value": -2.0}),
        Sample((x,), {"size": 2, **both}, smooth=False),
        Sample((x,), {"size": 9, "fill_value": 7.5, **both}, smooth=False),
        Sample((table,), {"size": 3, "dim": 0, **both}, smooth=False),
        Sample((table.T.copy(),), {"size": 1, "dim": 1, **both}, smooth=False),
        Sample((table,), {"size": 6, "dim": -2, "fill_value": 9.0, **both}, smooth=False),
        Sample((np.array([1.0, nan, nan]),), {"size": 4, "return_inverse": True}, smooth=False),
    ]


DECIDED = {"stage": "a graph keeps the order that was found at the example"}

records = [
    OpRecord("sort", _sort, _rows, integer=True),
    OpRecord("sort", _sort, _edges, variant="edges"),
    OpRecord("argsort", _argsort, _rows, integer=True, differentiable=False),
    OpRecord("argsort", _argsort, _edges, variant="edges", differentiable=False),
    OpRecord(
        "msort",
        lambda x: np.sort(x, axis=0),
        lambda r: [Sample((r.standard_normal((3, 2)),)), Sample((r.standard_normal(4),))],
        integer=True,
    ),
    OpRecord("topk", _topk, _tops),
    OpRecord("kthvalue", _kth, _kths),
    OpRecord("median", _lower_median, _all_at_once, integer=True),
    OpRecord("median", _lower_median, _hole, variant="nan"),
    OpRecord("median", _picked(_middle), _medians, variant="dim"),
    OpRecord("nanmedian", _nan_lower_median, _all_at_once, integer=True),
    OpRecord("nanmedian", _nan_lower_median, _hole, variant="nan"),
    OpRecord("nanmedian", _picked(_nan_middle), _medians, variant="dim"),
    OpRecord("mode", _picked(_most_frequent), _modes, integer=True),
    OpRecord("quantile", _quantile(np.quantile), _quantiles),
    OpRecord("nanquantile", _quantile(np.nanquantile), _quantiles),
    OpRecord(
        "searchsorted",
        _searchsorted,
        _searches,
        differentiable=False,
        method=False,
        symmetrize=_sorted_rows,
    ),
    OpRecord(
        "bucketize",
        lambda x, edges, *, right=False: np.searchsorted(edges, x, "right" if right else "left"),
        lambda r: [
            Sample((r.standard_normal((2, 3)), np.array([-1.0, 0.0, 1.0]))),
            Sample((np.array([0.0, 1.0, 5.0]), np.array([-1.0, 0.0, 1.0])), {"right": True}),
        ],
        differentiable=False,
        method=False,
        symmetrize=lambda x, edges: (x, edges.sort()[0]),
    ),
    OpRecord("isin", _isin, _members, integer=True, differentiable=False, method=False),
    OpRecord("unique", _unique, _repeats, integer=False, batched=False, xfail=DECIDED),
    OpRecord("unique_consecutive", _without_repetition, _repeats, batched=False),
    OpRecord("unique", _of_size(_unique), _repeats_sized, "size"),
    OpRecord("unique_consecutive", _of_size(_without_repetition), _repeats_sized, "size"),
]
