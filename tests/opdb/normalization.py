"""Normalisation layers as functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def _standard(x: Any, axis: Any, eps: float) -> Any:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


def _affine(x: Any, weight: Any, bias: Any, shape: Any = None) -> Any:
    weight = 1.0 if weight is None else weight.reshape(shape or weight.shape)
    return x * weight + (0.0 if bias is None else bias.reshape(shape or bias.shape))


def _layer(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return _affine(_standard(x, tuple(range(-len(shape), 0)), eps), weight, bias)


def _rms(x: Any, shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    eps = np.finfo(x.dtype).eps if eps is None else eps
    axis = tuple(range(-len(shape), 0))
    return _affine(x / np.sqrt((x * x).mean(axis, keepdims=True) + eps), weight, None)


def _channels(x: Any) -> tuple[int, ...]:
    return (-1, *(1,) * (x.ndim - 2))


def _group(x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    out = _standard(x.reshape(x.shape[0], groups, -1), -1, eps).reshape(x.shape)
    return _affine(out, weight, bias, _channels(x))


def _batch(x: Any, mean: Any, var: Any, weight: Any = None, bias: Any = None, training: bool = False) -> Any:
    if training:
        out = _standard(x, (0, *range(2, x.ndim)), 1e-5)
    else:
        out = (x - mean.reshape(_channels(x))) / np.sqrt(var.reshape(_channels(x)) + 1e-5)
    return _affine(out, weight, bias, _channels(x))


def _instance(x: Any, mean: Any = None, var: Any = None, weight: Any = None, bias: Any = None) -> Any:
    return _affine(_standard(x, tuple(range(2, x.ndim)), 1e-5), weight, bias, _channels(x))


def _neighbours(x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    out = np.empty_like(x)
    for c in range(x.shape[1]):
        first = max(c - size // 2, 0)
        squares = (x[:, first : c - size // 2 + size] ** 2).sum(1) / size
        out[:, c] = x[:, c] / (k + alpha * squares) ** beta
    return out


def _unit(x: Any, p: float = 2.0, dim: int = 1) -> Any:
    return x / np.maximum((np.abs(x) ** p).sum(dim, keepdims=True) ** (1 / p), 1e-12)


def _spread(x: Any, axis: Any, eps: float) -> Any:
    """Mean and one over the standard deviation, which norms keep."""
    return x.mean(axis, keepdims=True), 1 / np.sqrt(x.var(axis, keepdims=True) + eps)


def _native_layer(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    return _layer(x, shape, weight, bias, eps), *_spread(x, tuple(range(-len(shape), 0)), eps)


def _native_group(x: Any, weight: Any, bias: Any, n: int, c: int, places: int, groups: int, eps: float) -> Any:
    kept = [part.reshape(n, groups) for part in _spread(x.reshape(n, groups, -1), -1, eps)]
    return _group(x, groups, weight, bias, eps), *kept


def _native_batch(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> Any:
    out = _batch(x, mean, var, weight, bias, training)
    return (
        (out, *[part.ravel() for part in _spread(x, (0, *range(2, x.ndim)), eps)])
        if training
        else (out, *[np.zeros(0)] * 2)
    )


def _layers(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 4)), (4,), n(4), n(4))),
        Sample((n((3, 2, 2)), (2, 2)), {"eps": 0.1}),
        Sample((np.ones((2, 3)), (3,)), smooth=False),
        Sample((np.zeros((0, 3)), (3,))),
    ]


def _rms_samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 4)), (4,), n(4))), Sample((n((2, 2, 2)), (2, 2)), {"eps": 0.1})]


def _groups(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 4, 2)), 2, n(4), n(4))), Sample((n((1, 3)), 1))]


def _native_layers(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 4)), (4,), n(4), n(4), 1e-5)), Sample((n((3, 2, 2)), (2, 2), None, None, 0.1))]


def _native_groups(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 4, 2)), n(4), n(4), 2, 4, 2, 2, 1e-5)), Sample((n((1, 3)), None, None, 1, 3, 1, 1, 0.1))]


def _native_batches(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 2)), n(2), n(2), None, None, True, 0.1, 1e-5)),
        Sample((n((2, 2, 2)), n(2), n(2), n(2), random.random(2) + 0.5, False, 0.1, 1e-5)),
    ]


def _batches(random: Random) -> list[Sample]:
    n = random.standard_normal
    running = (n(2), random.random(2) + 0.5)
    return [
        Sample((n((3, 2)), None, None, n(2), n(2)), {"training": True}),
        Sample((n((2, 2, 3)), None, None), {"training": True}),
        Sample((n((2, 2, 2)), *running, n(2), n(2))),
        Sample((n((2, 2)), *running)),
    ]


def _instances(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 2, 3)), None, None, n(2), n(2))), Sample((n((1, 2, 2, 2)),))]


def _local(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3, 2)), 2), {"alpha": 0.5, "k": 2.0}), Sample((n((1, 4, 2)), 3), {"alpha": 1.0})]


def _units(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)),)), Sample((n((2, 3)), 3.0, 0)), Sample((np.zeros((2, 3)),), smooth=False)]


def _record(name: str, reference: Any, samples: Any) -> OpRecord:
    return OpRecord(f"nn.functional.{name}", reference, samples, method=False, rtol=1e-6)


records = [
    _record("layer_norm", _layer, _layers),
    _record("rms_norm", _rms, _rms_samples),
    _record("group_norm", _group, _groups),
    _record("batch_norm", _batch, _batches),
    _record("instance_norm", _instance, _instances),
    _record("local_response_norm", _neighbours, _local),
    _record("normalize", _unit, _units),
    OpRecord("native_layer_norm", _native_layer, _native_layers, method=False, rtol=1e-6),
    OpRecord("native_group_norm", _native_group, _native_groups, method=False, rtol=1e-6),
    OpRecord("native_batch_norm", _native_batch, _native_batches, method=False, rtol=1e-6),
]
