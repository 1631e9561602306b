"""Memory read as another type, hashes of it, and angles of real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorplay as tp

from .record import OpRecord, Random, Sample


def _views(random: Random) -> list[Sample]:
    numbers = random.integers(0, 2**40, (2, 4))
    return [Sample((numbers, tp.uint64)), Sample((numbers, tp.float64)), Sample((np.array(7), tp.uint64))]


def _view(x: Any, dtype: Any) -> Any:
    return x.view(dtype.dtype)


def _reals(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal((2, 3)),)), Sample((np.array([0.0, -0.0, np.nan, -np.inf]),), smooth=False)]


def _hash(x: Any, dim: Any = (), keepdim: bool = False) -> Any:
    wide = x.astype(np.float64 if x.dtype.kind == "f" else np.int64).view(np.uint64)
    return np.bitwise_xor.reduce(wide, axis=dim if dim != () else None, keepdims=keepdim)


def _hashed(random: Random) -> list[Sample]:
    numbers = random.integers(-9, 9, (2, 3))
    return [
        Sample((random.standard_normal((2, 3)),)),
        Sample((random.standard_normal((2, 3)),), {"dim": 1, "keepdim": True}),
        Sample((numbers, 0)),
        Sample((numbers.astype(np.int8), (0, -1))),
        Sample((np.zeros((2, 0)), 0)),
        Sample((np.array(True),)),
    ]


def _angle(x: Any) -> Any:
    return np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0.0))


records = [
    OpRecord("Tensor.view", _view, _views, variant="dtype", differentiable=False),
    OpRecord("hash_tensor", _hash, _hashed, differentiable=False),
    OpRecord("angle", _angle, _reals, variant="real", differentiable=False),
]
