"""Activation functions of neural networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from tests.opdb.elementwise import points
from tests.opdb.record import OpRecord, Random, Sample


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _away(*kinks: float, **kwargs: Any) -> Callable[[Random], list[Sample]]:
    """Points between -4 and 4 (-8 and 8 for far kinks) that keep away from the kinks, and the kinks themselves."""

    def samples(random: Random) -> list[Sample]:
        x = random.uniform(-4, 4, (3, 4)) * (2 if any([abs(kink) > 4 for kink in kinks]) else 1)
        near = np.min([np.abs(x - kink) for kink in kinks], axis=0) < 0.05
        edges = np.array([*kinks, 1e4, -1e4])
        return [Sample((np.where(near, x + 0.1, x),), kwargs), Sample((edges,), kwargs, smooth=False)]

    return samples


def _activation(name: str, reference: Callable[..., Any], samples: Any, variant: str = "", **flags: Any) -> OpRecord:
    return OpRecord(f"nn.functional.{name}", reference, samples, variant, **flags)


def _elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return np.where(x * beta > threshold, x, np.log1p(np.exp(np.minimum(x * beta, threshold))) / beta)


def _gelu_tanh(x: Any, approximate: str) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _weights(random: Random) -> list[Sample]:
    x = random.uniform(0.2, 2, (2, 3, 2)) * random.choice([-1, 1], (2, 3, 2))
    return [Sample((x, random.uniform(0, 1, 3))), Sample((x, np.array([0.3]))), Sample((x[0, 0], np.array([0.3])))]


def _prelu(x: Any, weight: Any) -> Any:
    return np.where(x > 0, x, x * (weight[:, None] if weight.size > 1 else weight))


def _halves(random: Random) -> list[Sample]:
    x = random.standard_normal((2, 4, 3))
    return [Sample((x, 1)), Sample((x[0, :, 0],)), Sample((x[:, :, :2], -1))]


def _glu(x: Any, dim: int = -1) -> Any:
    first, second = np.split(x, 2, axis=dim)
    return first * _sigmoid(second)


SELU = (1.6732632423543772, 1.0507009873554805)
SMOOTH = points(-4, 4, edges=(1e3, -1e3))

records = [
    _activation("relu", lambda x: np.maximum(x, 0), _away(0.0), integer=True),
    _activation("relu6", lambda x: np.clip(x, 0, 6), _away(0.0, 6.0)),
    _activation("leaky_relu", lambda x, negative_slope: np.where(x > 0, x, 0.2 * x), _away(0.0, negative_slope=0.2)),
    _activation("hardtanh", lambda x: np.clip(x, -1, 1), _away(-1.0, 1.0), integer=True),
    _activation(
        "threshold",
        lambda x, threshold, value: np.where(x > threshold, x, value),
        _away(0.5, threshold=0.5, value=-2.0),
    ),
    _activation("softshrink", lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), _away(-0.5, 0.5)),
    _activation("hardshrink", lambda x: np.where(np.abs(x) > 0.5, x, 0), _away(-0.5, 0.5)),
    _activation("hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6, _away(-3.0, 3.0)),
    _activation("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6, _away(-3.0, 3.0)),
    _activation("prelu", _prelu, _weights),
    _activation("rrelu", lambda x: np.where(x > 0, x, x * 11 / 48), _away(0.0)),
    _activation("elu", _elu, _away(0.0, alpha=1.5)),
    _activation("celu", lambda x, alpha: alpha * _elu(x / alpha), _away(0.0, alpha=1.5)),
    _activation("selu", lambda x: SELU[1] * _elu(x, SELU[0]), _away(0.0)),
    _activation("silu", lambda x: x * _sigmoid(x), SMOOTH, complex=True),
    _activation("softplus", _softplus, SMOOTH),
    _activation("softplus", _softplus, lambda r: [Sample((r.uniform(-4, 4, 5), 2.0, 6.0))], "settings"),
    _activation("logsigmoid", lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))), SMOOTH),
    _activation("gelu", lambda x: x * (1 + special.erf(x / math.sqrt(2))) / 2, SMOOTH),
    _activation("gelu", _gelu_tanh, lambda r: [Sample((r.uniform(-3, 3, 5),), {"approximate": "tanh"})], "tanh"),
    _activation("mish", lambda x: x * np.tanh(_softplus(x)), points(-4, 4)),
    _activation("softsign", lambda x: x / (1 + np.abs(x)), _away(0.0), integer=True),
    _activation("tanhshrink", lambda x: x - np.tanh(x), SMOOTH),
    _activation("glu", _glu, _halves),
]
