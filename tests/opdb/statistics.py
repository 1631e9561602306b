"""Variances, covariances and histograms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample

nan = np.nan


def _over_dims(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)),)),
        Sample((n((2, 3)), 1)),
        Sample((n((2, 3, 2)), (0, 2)), {"correction": 0, "keepdim": True}),
        Sample((n((4, 2)), 0), {"correction": 2}),
        Sample((n(4),), {"unbiased": False}),
        Sample((n((3, 1)), 1), smooth=False),
        Sample((np.ones((2, 3)), 1), smooth=False),
    ]


def _spread(power: float) -> Callable[..., Any]:
    def reference(
        x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        correction = (1 if unbiased is None else int(unbiased)) if correction is None else correction
        count = x.size if dim is None else np.prod([x.shape[d] for d in np.atleast_1d(dim)])
        squares = np.sum(np.abs(x - np.mean(x, axis=dim, keepdims=True)) ** 2, axis=dim, keepdims=keepdim)
        return np.asarray(squares / np.float64(max(count - correction, 0))) ** power

    return reference


def _with_mean(power: float) -> Callable[..., Any]:
    def reference(x: Any, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> Any:
        return _spread(power)(x, dim, keepdim=keepdim, **kwargs), np.mean(x, axis=dim, keepdims=keepdim)

    return reference


def _observations(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 4)),)),
        Sample((n(4),)),
        Sample((n((2, 4)),), {"correction": 0}),
    ]


def _weighted(random: Random) -> list[Sample]:
    n = random.standard_normal
    counts, shares = np.array([1, 2, 1, 3]), np.array([0.5, 0.2, 0.9, 1.0])
    return [
        Sample((n((2, 4)),), {"fweights": counts}),
        Sample((n((2, 4)),), {"aweights": shares}),
        Sample((n((2, 4)),), {"fweights": counts, "aweights": shares, "correction": 2}),
    ]


def _cov(x: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return np.cov(x, ddof=correction, fweights=fweights, aweights=aweights)


def _bins(random: Random) -> list[Sample]:
    x = np.array([[0.1, 0.9, 0.35], [1.0, 0.0, 0.6]])
    return [Sample((x, 4, 0.0, 1.0)), Sample((x, 3)), Sample((x, 3, 0.2, 0.7)), Sample((np.ones(3), 2))]


def _histc(x: Any, bins: int, min: float = 0, max: float = 0) -> Any:
    low, high = (x.min(), x.max()) if min == max else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    return np.histogram(x, bins, (low, high))[0].astype(x.dtype)


def _histograms(random: Random) -> list[Sample]:
    x, weight = np.array([[0.1, 0.9, 0.4], [0.97, 0.05, 0.6]]), random.random((2, 3))
    return [
        Sample((x, 4), {"range": (0.0, 1.0)}),
        Sample((x, 3), {"weight": weight}),
        Sample((x, 2), {"range": (2.0, 2.0)}),
        Sample((np.zeros(0), 3)),
        Sample((x, np.array([0.0, 0.3, 1.0])), {"weight": weight, "density": True}),
    ]


def _histogram(x: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    counts, edges = np.histogram(x, bins, range, weights=weight, density=density)
    return counts.astype(x.dtype), edges.astype(x.dtype)


def _grids(random: Random) -> list[Sample]:
    x = random.random((6, 2))
    return [
        Sample((x,), {"bins": 2}),
        Sample((np.zeros((0, 2)),), {"bins": 2}),
        Sample((x,), {"bins": [2, 3], "range": [0.0, 1.0, 0.0, 1.0], "density": True}),
        Sample((x, (np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.4, 0.8, 0.9]))), {"weight": random.random(6)}),
    ]


def _histogramdd(x: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    pairs = None if range is None else np.reshape(range, (-1, 2))
    return np.histogramdd(x, bins, pairs, weights=weight, density=density)


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    return np.bincount(x, weights, minlength)


_spreads = functools.partial(OpRecord, samples=_over_dims, complex=True)

records = [
    _spreads("var", _spread(1)),
    _spreads("std", _spread(0.5)),
    _spreads("var_mean", _with_mean(1), method=False),
    _spreads("std_mean", _with_mean(0.5), method=False),
    OpRecord("cov", _cov, _observations, complex=True),
    OpRecord("cov", _cov, _weighted, variant="weights"),
    OpRecord(
        "corrcoef",
        np.corrcoef,
        lambda r: [Sample((r.standard_normal((3, 4)),)), Sample((r.standard_normal(4),))],
        complex=True,
    ),
    OpRecord("histc", _histc, _bins, differentiable=False),
    OpRecord("histogram", _histogram, _histograms),
    OpRecord("histogramdd", _histogramdd, _grids, method=False),
    OpRecord("bincount", _bincount, lambda r: [Sample((np.array([0, 2, 2]),))], variant="open", batched=False),
    OpRecord("bincount", _bincount, lambda r: [Sample((np.array([1, 0, 1]), r.standard_normal(3), 4))]),
]
