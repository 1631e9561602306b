"""Comparisons, logic, tests of elements, choices between two tensors, bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.opdb.elementwise import pairs, points
from tests.opdb.record import OpRecord, Random, Sample

INF, NAN = math.inf, math.nan


def _ties(random: Random) -> list[Sample]:
    x = random.integers(0, 3, (2, 4)).astype(np.float64)
    return [Sample((x, random.integers(0, 3, 4).astype(np.float64)), smooth=False), Sample((x, 1.0), smooth=False)]


def _bools(random: Random) -> list[Sample]:
    return [
        Sample((random.integers(0, 2, (2, 4)).astype(bool), random.integers(0, 2, 4).astype(bool))),
        Sample((random.integers(0, 2, 4), random.integers(0, 2, 4).astype(np.float64)), smooth=False),
    ]


def _integers(low: int, high: int, other_low: int, other_high: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        return [Sample((random.integers(low, high, (2, 4)), random.integers(other_low, other_high, 4)))]

    return samples


def _compared(name: str, reference: Callable[..., Any], **flags: Any) -> OpRecord:
    return OpRecord(name, reference, _ties, differentiable=False, integer=True, **flags)


def _tested(name: str, reference: Callable[..., Any]) -> OpRecord:
    return OpRecord(name, reference, points(-2, 2, edges=(0.0, NAN, INF, -INF)), differentiable=False)


def _two_masked(random: Random) -> list[Sample]:
    mask = np.array([[True, False, True], [False, False, True]])
    x, y = random.standard_normal((2, 3)), random.standard_normal(3)
    return [Sample((mask, x, y)), Sample((mask, x, 2.0)), Sample((mask, 0.5, x)), Sample((mask[0], x[0, 0], y))]


def _close(random: Random) -> list[Sample]:
    x = random.standard_normal((2, 3))
    return [
        Sample((x, x + 1e-6 * random.standard_normal((2, 3))), smooth=False),
        Sample((np.array([NAN, INF, 1.0]), np.array([NAN, INF, 2.0])), {"equal_nan": True}, smooth=False),
    ]


def _clamped(random: Random) -> list[Sample]:
    x = np.array([[-2.0, -0.5, 0.2], [0.4, 1.7, 3.0]])
    low, high = np.array([-1.0, -1.2, 0.1]), np.array([[0.9], [2.0]])
    return [
        Sample((x, -1.0, 1.0)),
        Sample((x, None, 1.0)),
        Sample((x, -1.0)),
        Sample((x, low, high)),
        Sample((np.array([-1.0, 0.0, 1.0]), -1.0, 1.0), smooth=False),
        Sample((x, 1.0, -1.0), smooth=False),
    ]


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


comparisons = [
    _compared("eq", np.equal),
    _compared("ne", np.not_equal),
    _compared("lt", np.less),
    _compared("le", np.less_equal),
    _compared("gt", np.greater),
    _compared("ge", np.greater_equal),
    OpRecord("isclose", np.isclose, _close, differentiable=False),
    OpRecord("logical_and", np.logical_and, _bools, differentiable=False, inplace=True),
    OpRecord("logical_or", np.logical_or, _bools, differentiable=False, inplace=True),
    OpRecord("logical_xor", np.logical_xor, _bools, differentiable=False, inplace=True),
    OpRecord("logical_not", np.logical_not, points(-2, 2, edges=(0.0, NAN)), differentiable=False),
    OpRecord("allclose", lambda x, y, **k: bool(np.allclose(x, y, **k)), _close, differentiable=False, batched=False),
    OpRecord("equal", lambda x, y: bool(np.array_equal(x, y)), _bools, differentiable=False, batched=False),
]

tests_of_elements = [
    _tested("isnan", np.isnan),
    _tested("isinf", np.isinf),
    _tested("isfinite", np.isfinite),
    _tested("isposinf", np.isposinf),
    _tested("isneginf", np.isneginf),
    _tested("isreal", np.isreal),
]

choices = [
    OpRecord("where", np.where, _two_masked, complex=True, method=False),
    OpRecord("clamp", _clip, _clamped, inplace=True),
    OpRecord("clamp_min", np.maximum, pairs(-2, 2), inplace=True),
    OpRecord("clamp_max", np.minimum, pairs(-2, 2), inplace=True),
    *[
        OpRecord(name, reference, lambda random: [*pairs(-2, 2)(random)[:-1], *_ties(random)[:1]], integer=True)
        for name, reference in (
            ("maximum", np.maximum),
            ("minimum", np.minimum),
            ("fmax", np.fmax),
            ("fmin", np.fmin),
        )
    ],
]

bits = [
    OpRecord("bitwise_and", np.bitwise_and, _integers(0, 16, 0, 16), differentiable=False, inplace=True),
    OpRecord("bitwise_or", np.bitwise_or, _integers(0, 16, 0, 16), differentiable=False, inplace=True),
    OpRecord("bitwise_xor", np.bitwise_xor, _integers(0, 16, 0, 16), differentiable=False, inplace=True),
    OpRecord(
        "bitwise_not", np.invert, lambda r: [Sample((r.integers(-8, 8, (2, 3)),))], differentiable=False, inplace=True
    ),
    OpRecord("bitwise_left_shift", np.left_shift, _integers(-8, 8, 0, 5), differentiable=False, inplace=True),
    OpRecord("bitwise_right_shift", np.right_shift, _integers(-64, 64, 0, 5), differentiable=False, inplace=True),
    OpRecord("gcd", np.gcd, _integers(1, 40, 1, 40), differentiable=False, inplace=True),
    OpRecord("lcm", np.lcm, _integers(1, 12, 1, 12), differentiable=False, inplace=True),
    OpRecord("pow", np.power, _integers(-3, 4, 0, 4), variant="integers", differentiable=False),
    OpRecord("floor_divide", np.floor_divide, _integers(-9, 9, 1, 4), variant="integers", differentiable=False),
    OpRecord("remainder", np.remainder, _integers(-9, 9, 1, 4), variant="integers", differentiable=False),
]

records = [*comparisons, *tests_of_elements, *choices, *bits]
