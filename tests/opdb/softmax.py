"""Log-sum-exp, softmax and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from .record import OpRecord, Random, Sample

inf = np.inf


def _samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), 1)),
        Sample((n((2, 3, 2)), -3)),
        Sample((n(()), 0)),
        Sample((np.zeros((2, 0)), 0)),
        Sample((np.array([[800.0, -800.0, 799.0], [1e-3, -inf, 2.0]]), 1), smooth=False),
    ]


def _sums(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        *_samples(random)[:-1],
        Sample((n((2, 3, 2)), (0, 2), True)),
    ]


def _edges(random: Random) -> list[Sample]:
    return [
        Sample((np.array([[800.0, -800.0, 799.0], [1e-3, -inf, 2.0]]), 1), smooth=False),
        Sample((np.array([[-inf, -inf], [inf, 1.0]]), 1), smooth=False),
        Sample((np.zeros((0, 2)), 0), smooth=False),
    ]


def _logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    if x.dtype.kind == "c":
        return np.log(np.sum(np.exp(x), axis=dim, keepdims=keepdim))
    return np.logaddexp.reduce(x, axis=None if x.ndim == 0 else dim, keepdims=keepdim)


def _softmax(x: Any, dim: int) -> Any:
    return scipy.special.softmax(x, axis=None if x.ndim == 0 else dim) if x.size else x


def _log_softmax(x: Any, dim: int) -> Any:
    return scipy.special.log_softmax(x, axis=None if x.ndim == 0 else dim) if x.size else x


records = [
    OpRecord("logsumexp", _logsumexp, _sums, integer=True),
    OpRecord("logsumexp", _logsumexp, _edges, variant="edges"),
    OpRecord(
        "logsumexp",
        _logsumexp,
        lambda r: [Sample((r.standard_normal((2, 3)), 1)), Sample((r.standard_normal((2, 3)), (0, 1)))],
        variant="complex",
        complex=True,
    ),
    OpRecord("softmax", _softmax, _samples),
    OpRecord("log_softmax", _log_softmax, _samples),
    OpRecord("nn.functional.softmax", _softmax, _samples, method=False),
    OpRecord("nn.functional.softmin", lambda x, dim: _softmax(-x, dim), _samples, method=False),
    OpRecord("nn.functional.log_softmax", _log_softmax, _samples, method=False),
]
