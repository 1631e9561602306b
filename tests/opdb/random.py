"""Random ops: their laws start from a seed; how numbers are distributed is tested by `test_randomness`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def _weights(random: Random) -> list[Sample]:
    return [
        Sample((random.random((2, 4)), 3)),
        Sample((random.random(4), 6, True)),
        Sample((np.array([0.0, 1.0, 0.0]), 1)),
    ]


def _probabilities(random: Random) -> list[Sample]:
    return [Sample((0.9 * random.random((2, 3)),)), Sample((np.zeros(2),)), Sample((random.random(3), 0.3))]


def _rates(random: Random) -> list[Sample]:
    return [Sample((5 * random.random((2, 3)),)), Sample((np.zeros(2),))]


def _trials(random: Random) -> list[Sample]:
    return [Sample((np.array([[3.0], [9.0]]), 0.9 * random.random(3))), Sample((np.zeros(2), np.array([0.0, 0.5])))]


def _normals(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), np.exp(n(3)))), Sample((n(3),)), Sample((1.0, np.exp(n((2, 1)))))]


def _likes(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal((2, 3)),)), Sample((random.standard_normal(()),))]


def _sizes(*calls: tuple[Any, ...]) -> Callable[[Random], list[Sample]]:
    return lambda random: [Sample(args) for args in calls]


def _made(name: str, *calls: tuple[Any, ...]) -> OpRecord:
    """A factory of random tensors."""
    return OpRecord(name, None, _sizes(*calls), differentiable=False, method=False, batched=False)


def _units(*shape: int, training: bool = True) -> Callable[[Random], list[Sample]]:
    """Units to drop: some, none, all."""
    return lambda random: [Sample((random.standard_normal(shape), p, training)) for p in (0.4, 0.0, 1.0)]


def _dropout(name: str, *shape: int) -> OpRecord:
    return OpRecord(f"nn.functional.{name}", None, _units(*shape), method=False)


def _logits(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)),)),
        Sample((n((2, 3)), 0.5), {"dim": 0}),
        Sample((n((2, 3)),), {"hard": True}, smooth=False),
    ]


records = [
    _made("rand", (2, 3), (0,), ((),)),
    _made("randn", (2, 3), (0,), ((),)),
    _made("randint", (5, (2, 3)), (-2, 3, (4,))),
    _made("randperm", (5,), (0,)),
    OpRecord("randint_like", None, lambda r: [Sample((r.random((2, 3)), -2, 3))], differentiable=False, method=False),
    _dropout("dropout", 3, 4),
    _dropout("alpha_dropout", 3, 4),
    _dropout("dropout1d", 2, 3, 2),
    _dropout("dropout2d", 2, 3, 2, 1),
    _dropout("dropout3d", 2, 3, 1, 2, 1),
    _dropout("feature_alpha_dropout", 2, 3, 2),
    OpRecord("nn.functional.gumbel_softmax", None, _logits, method=False),
    OpRecord("multinomial", None, _weights, differentiable=False),
    OpRecord("bernoulli", None, _probabilities, differentiable=False),
    OpRecord("poisson", None, _rates, differentiable=False, method=False),
    OpRecord("binomial", None, _trials, differentiable=False, method=False),
    OpRecord("normal", None, _normals, method=False),
    OpRecord("rand_like", None, _likes, differentiable=False, method=False),
    OpRecord("randn_like", None, _likes, differentiable=False, method=False),
]
