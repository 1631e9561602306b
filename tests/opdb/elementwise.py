"""Elementwise functions of one tensor, and arithmetic of two or three."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from tests.opdb.record import OpRecord, Random, Sample

Samples = Callable[[Random], list[Sample]]


def points(low: float, high: float, *rest: Any, edges: tuple[float, ...] = ()) -> Samples:
    """A matrix, a number and nothing, with elements between two bounds; then edges, where ops are not smooth."""

    def samples(random: Random) -> list[Sample]:
        regular = [Sample((random.uniform(low, high, shape), *rest)) for shape in ((2, 3), (), (0, 2))]
        return [*regular, Sample((np.array(edges), *rest), smooth=False)] if edges else regular

    return samples


def pairs(
    low: float, high: float, other_low: float | None = None, other_high: float | None = None, **kwargs: Any
) -> Samples:
    """Two tensors that broadcast in several ways, and a tensor with a number."""
    bounds = (low if other_low is None else other_low, high if other_high is None else other_high)

    def samples(random: Random) -> list[Sample]:
        shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((3, 1), (1, 2)), ((), (2,)), ((0, 2), (2,))]
        made = [(random.uniform(low, high, a), random.uniform(*bounds, b)) for a, b in shapes]
        number = float(random.uniform(*bounds))
        return [Sample(args, kwargs) for args in [*made, (made[0][0], number)]]

    return samples


def unary(name: str, reference: Callable[..., Any], samples: Samples, **flags: Any) -> OpRecord:
    """A function of one tensor that has an in-place form."""
    flags = {"inplace": True, "integer": True, **flags}
    return OpRecord(name, reference, samples, **flags)


def sinc(x: Any) -> Any:
    """np.sinc of complex numbers too."""
    return np.where(x == 0, 1, np.sin(np.pi * x) / np.where(x == 0, 1, np.pi * x))


INF, NAN = math.inf, math.nan

trigonometry = [
    unary("sin", np.sin, points(-3, 3), complex=True),
    unary("cos", np.cos, points(-3, 3), complex=True),
    unary("tan", np.tan, points(-1.2, 1.2), complex=True),
    unary("asin", np.arcsin, points(-0.9, 0.9, edges=(1.0, -1.0)), complex=True),
    unary("acos", np.arccos, points(-0.9, 0.9, edges=(1.0, -1.0)), complex=True),
    unary("atan", np.arctan, points(-3, 3, edges=(INF, -INF)), complex=True),
    unary("sinh", np.sinh, points(-2, 2), complex=True),
    unary("cosh", np.cosh, points(-2, 2), complex=True),
    unary("tanh", np.tanh, points(-2, 2, edges=(1e4, -1e4, INF)), complex=True),
    unary("asinh", np.arcsinh, points(-3, 3), complex=True),
    unary("acosh", np.arccosh, points(1.2, 3, edges=(1.0,)), complex=True),
    unary("atanh", np.arctanh, points(-0.9, 0.9, edges=(1.0, -1.0)), complex=True, integer=False),
    unary("deg2rad", np.deg2rad, points(-200, 200)),
    unary("rad2deg", np.rad2deg, points(-3, 3)),
    unary("sinc", sinc, points(-3, 3, edges=(0.0, 1e-9, 1.0)), complex=True, integer=False),
    OpRecord("atan2", np.arctan2, pairs(0.5, 2), inplace=True, integer=True),
    OpRecord("hypot", np.hypot, pairs(0.5, 2), inplace=True),
]

exponential = [
    unary("exp", np.exp, points(-2, 2, edges=(1e4, -1e4)), complex=True),
    unary("exp2", np.exp2, points(-2, 2), complex=True),
    unary("expm1", np.expm1, points(-2, 2, edges=(0.0, 1e-12)), complex=True),
    unary("log", np.log, points(0.3, 3, edges=(0.0, -1.0, INF)), complex=True, integer=False),
    unary("log2", np.log2, points(0.3, 3), complex=True, integer=False),
    unary("log10", np.log10, points(0.3, 3), complex=True, integer=False),
    unary("log1p", np.log1p, points(-0.5, 2, edges=(-1.0, 1e-12)), complex=True),
    unary("sqrt", np.sqrt, points(0.3, 3, edges=(0.0, -1.0)), complex=True),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), points(0.3, 3, edges=(0.0,)), complex=True, integer=False),
    unary("square", np.square, points(-2, 2), complex=True),
    unary("reciprocal", lambda x: 1 / x, points(0.5, 2, edges=(0.0, -0.0)), complex=True, integer=False),
    unary("sigmoid", lambda x: 1 / (1 + np.exp(-x)), points(-3, 3, edges=(1e4, -1e4)), complex=True),
    unary("logit", special.logit, points(0.1, 0.9, edges=(0.0, 1.0, 2.0)), integer=False),
    unary("logit", lambda x, eps: special.logit(np.clip(x, eps, 1 - eps)), points(0.3, 0.7, 0.2), variant="eps"),
    OpRecord("pow", np.power, pairs(0.4, 2, -2, 2), complex=True, inplace=True),
    OpRecord("pow", np.power, points(-2, 2, 3.0, edges=(0.0, -0.0)), variant="cube", inplace=True),
    OpRecord("pow", np.power, points(-2, 2, 0, edges=(0.0, NAN)), variant="zero"),
    OpRecord(
        "pow",
        np.power,
        lambda random: [Sample((2.5, random.uniform(-2, 2, (2, 3))))],
        variant="number as base",
        method=False,
    ),
    OpRecord(
        "float_power",
        np.float_power,
        pairs(0.4, 2, -2, 2),
        inplace=True,
        xfail={"single_precision": "always in double precision"},
    ),
    OpRecord("ldexp", lambda x, y: x * 2.0**y, pairs(-2, 2), inplace=True),
    OpRecord("logaddexp", np.logaddexp, pairs(-2, 2)),
    OpRecord("logaddexp2", np.logaddexp2, pairs(-2, 2)),
    OpRecord("xlogy", special.xlogy, pairs(0.4, 2), inplace=True),
    OpRecord("special.xlog1py", special.xlog1py, pairs(0.4, 2)),
]

signs = [
    unary("neg", np.negative, points(-2, 2), complex=True),
    OpRecord("positive", np.positive, points(-2, 2), complex=True),
    unary("abs", np.abs, points(0.2, 2, edges=(0.0, -1.0)), complex=True, inplace=False),
    unary("abs", np.abs, points(-2, -0.2), variant="negative"),
    unary("sgn", lambda x: x / np.abs(x), points(0.2, 2), complex=True, integer=False),
    OpRecord("sign", np.sign, points(-2, 2, edges=(0.0, -0.0, INF)), differentiable=False, inplace=True),
    OpRecord("signbit", np.signbit, points(-2, 2, edges=(0.0, -0.0)), differentiable=False),
    OpRecord("copysign", np.copysign, pairs(0.2, 2, -2, 2), inplace=True),
    OpRecord(
        "heaviside",
        np.heaviside,
        lambda random: [Sample((random.uniform(-2, 2, (2, 3)), random.uniform(size=3)))],
        inplace=True,
    ),
    unary("nan_to_num", np.nan_to_num, points(-2, 2, edges=(NAN, INF, -INF)), complex=True),
]

rounding = [
    OpRecord("floor", np.floor, points(-3, 3, edges=(0.5, -0.5)), differentiable=False, inplace=True),
    OpRecord("ceil", np.ceil, points(-3, 3, edges=(0.5, -0.5)), differentiable=False, inplace=True),
    OpRecord("trunc", np.trunc, points(-3, 3, edges=(0.5, -0.5)), differentiable=False, inplace=True),
    OpRecord("round", np.round, points(-3, 3, edges=(0.5, 1.5, -2.5)), differentiable=False, inplace=True),
    unary("frac", lambda x: x - np.trunc(x), points(0.1, 0.9), integer=False),
    OpRecord("frexp", lambda x: tuple(np.frexp(x)), points(0.6, 0.9), batched=True),
    OpRecord("nextafter", np.nextafter, lambda random: pairs(-2, 2)(random)[:-1], inplace=True),
]


def _rounded(rounding_mode: str) -> Callable[..., Any]:
    ufunc = np.floor if rounding_mode == "floor" else np.trunc
    return lambda x, y, rounding_mode: ufunc(x / y)


def _three(**kwargs: Any) -> Samples:
    def samples(random: Random) -> list[Sample]:
        shapes = [((2, 3), (2, 3), (2, 3)), ((2, 3), (3,), ()), ((3,), (3,), (1,))]
        return [Sample(tuple([random.uniform(0.5, 2, s) for s in three]), kwargs) for three in shapes]

    return samples


arithmetic = [
    OpRecord("add", np.add, pairs(-2, 2), complex=True, integer=True, inplace=True),
    OpRecord("add", lambda x, y, alpha: x + alpha * y, pairs(-2, 2, alpha=2.5), variant="alpha"),
    OpRecord("sub", np.subtract, pairs(-2, 2), complex=True, integer=True, inplace=True),
    OpRecord("rsub", lambda x, y: y - x, pairs(-2, 2), complex=True, method=False),
    OpRecord("mul", np.multiply, pairs(-2, 2), complex=True, integer=True, inplace=True),
    OpRecord("div", np.true_divide, pairs(0.5, 2), complex=True, inplace=True),
    OpRecord("true_divide", np.true_divide, pairs(0.5, 2), inplace=True),
    *[
        OpRecord("div", _rounded(mode), pairs(-9, 9, 1, 2, rounding_mode=mode), variant=mode, differentiable=False)
        for mode in ("trunc", "floor")
    ],
    OpRecord("floor_divide", np.floor_divide, pairs(-9, 9, 1, 2), differentiable=False, inplace=True),
    OpRecord("remainder", np.remainder, pairs(0.1, 0.4, 0.5, 0.9), inplace=True),
    OpRecord("remainder", np.remainder, pairs(-0.8, -0.6, 0.5, 0.55), variant="negative"),
    OpRecord("fmod", np.fmod, pairs(-0.8, -0.6, 0.5, 0.55), inplace=True),
    OpRecord("addcmul", lambda x, y, z, value: x + value * y * z, _three(value=0.5), complex=True, inplace=True),
    OpRecord("addcdiv", lambda x, y, z, value: x + value * y / z, _three(value=0.5), complex=True, inplace=True),
    OpRecord("lerp", lambda x, y, w: x + w * (y - x), _three(), complex=True, inplace=True),
    OpRecord(
        "lerp", lambda x, y, w: x + w * (y - x), lambda r: [Sample((r.normal(size=3), r.normal(size=3), 0.3))], "number"
    ),
]


def complex_points(random: Random) -> list[Sample]:
    """Complex numbers away from zero and from the cut of the angle."""
    return [Sample((np.asarray(random.uniform(0.5, 2, s) + 1j * random.uniform(0.5, 2, s)),)) for s in ((2, 3), ())]


def real_pairs(random: Random) -> list[Sample]:
    """Two real tensors that broadcast."""
    return [Sample((random.uniform(0.5, 2, a), random.uniform(0.5, 2, b))) for a, b in (((2, 3), (3,)), ((3,), (3,)))]


complex_numbers = [
    OpRecord("real", np.real, complex_points, method=False),
    OpRecord("imag", np.imag, complex_points, method=False),
    OpRecord("conj", np.conj, complex_points),
    OpRecord("conj_physical", np.conj, complex_points, inplace=True),
    OpRecord("resolve_conj", np.positive, complex_points),
    OpRecord("resolve_neg", np.positive, complex_points),
    OpRecord("angle", np.angle, complex_points),
    OpRecord("abs", np.abs, complex_points, variant="complex"),
    OpRecord("sgn", lambda z: z / np.abs(z), complex_points, variant="complex", inplace=True),
    OpRecord("complex", lambda x, y: x + 1j * y, real_pairs, method=False),
    OpRecord("polar", lambda r, a: r * np.exp(1j * a), real_pairs, method=False),
    OpRecord(
        "logaddexp",
        lambda x, y: np.log(np.exp(x) + np.exp(y)),
        lambda random: [Sample((complex_points(random)[0].args[0], complex_points(random)[0].args[0]))],
        variant="complex",
    ),
]

records = [*trigonometry, *exponential, *signs, *rounding, *arithmetic, *complex_numbers]
