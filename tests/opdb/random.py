"""Random ops: their laws start from a seed; how numbers are distributed is tested by `test_randomness`."""

from __future__ import annotations

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


records = [
    OpRecord("multinomial", None, _weights, differentiable=False),
    OpRecord("bernoulli", None, _probabilities, differentiable=False),
    OpRecord("poisson", None, _rates, differentiable=False, method=False),
    OpRecord("binomial", None, _trials, differentiable=False, method=False),
    OpRecord("normal", None, _normals, method=False),
    OpRecord("rand_like", None, _likes, differentiable=False, method=False),
    OpRecord("randn_like", None, _likes, differentiable=False, method=False),
]
