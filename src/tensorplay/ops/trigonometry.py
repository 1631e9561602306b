"""Circular and hyperbolic functions and their inverses, angles and lengths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops import kernels
from tensorplay.ops.arithmetic import add, mul, neg, reciprocal, square, sub
from tensorplay.ops.exponential import sqrt
from tensorplay.ops.families import elementwise
from tensorplay.ops.many import filling_itself
from tensorplay.ops.operands import UnaryOp, call, documented, float_unary, floats, inexact_arrays, only, parametric

# ---- circular --------------------------------------------------------------------------------------------------------

sin = float_unary(
    "sin",
    np.sin,
    lambda _out, x: cos(x),
    "Sine of each element, in radians.",
    ">>> tp.sin(tp.tensor([0.0]))\ntensor([0.])",
)
cos: UnaryOp = float_unary(
    "cos",
    np.cos,
    lambda _out, x: neg(sin(x)),
    "Cosine of each element, in radians.",
    ">>> tp.cos(tp.tensor([0.0]))\ntensor([1.])",
)
tan = float_unary(
    "tan",
    np.tan,
    lambda out, _x: add(square(out), 1),
    "Tangent of each element, in radians.",
    ">>> tp.tan(tp.tensor([0.0]))\ntensor([0.])",
)


def _cofactor(x: Value) -> Value:
    """1 - x**2, accurate near its zeros."""
    return mul(sub(1, x), add(x, 1))


asin = float_unary(
    "asin",
    np.arcsin,
    lambda _out, x: reciprocal(sqrt(_cofactor(x))),
    "Inverse sine of each element, in radians.",
    ">>> tp.asin(tp.tensor([0.0]))\ntensor([0.])",
)
acos = float_unary(
    "acos",
    np.arccos,
    lambda _out, x: neg(reciprocal(sqrt(_cofactor(x)))),
    "Inverse cosine of each element, in radians.",
    ">>> tp.acos(tp.tensor([1.0]))\ntensor([0.])",
)
atan = float_unary(
    "atan",
    np.arctan,
    lambda _out, x: reciprocal(add(square(x), 1)),
    "Inverse tangent of each element, in radians.",
    ">>> tp.atan(tp.tensor([0.0]))\ntensor([0.])",
)

# ---- hyperbolic ------------------------------------------------------------------------------------------------------

sinh = float_unary(
    "sinh",
    np.sinh,
    lambda _out, x: cosh(x),
    "Hyperbolic sine of each element.",
    ">>> tp.sinh(tp.tensor([0.0]))\ntensor([0.])",
)
cosh: UnaryOp = float_unary(
    "cosh",
    np.cosh,
    lambda _out, x: sinh(x),
    "Hyperbolic cosine of each element.",
    ">>> tp.cosh(tp.tensor([0.0]))\ntensor([1.])",
)


# 1 - t**2, the derivative of tanh where it is t
@filling_itself
def _tanh_slope_impl(t: Any, out: Any = None) -> Any:
    squared = np.multiply(t, t, out)
    return np.subtract(kernels.number(1, t.dtype.char), squared, squared if t.ndim else out)


_tanh_slope = elementwise("tanh_slope", _tanh_slope_impl, [lambda _out, t: mul(t, -2)])
tanh = float_unary(
    "tanh",
    np.tanh,
    lambda out, _x: _tanh_slope(out),
    "Hyperbolic tangent of each element.",
    ">>> tp.tanh(tp.tensor([0.0]))\ntensor([0.])",
)
asinh = float_unary(
    "asinh",
    np.arcsinh,
    lambda _out, x: reciprocal(sqrt(add(square(x), 1)) if x.dtype.kind == "c" else _hypot(x, np.ones((), x.dtype))),
    "Inverse hyperbolic sine of each element.",
    ">>> tp.asinh(tp.tensor([0.0]))\ntensor([0.])",
)
acosh = float_unary(
    "acosh",
    np.arccosh,
    lambda _out, x: reciprocal(mul(sqrt(sub(x, 1)), sqrt(add(x, 1)))),
    "Inverse hyperbolic cosine of each element.",
    ">>> tp.acosh(tp.tensor([1.0]))\ntensor([0.])",
)
atanh = float_unary(
    "atanh",
    np.arctanh,
    lambda _out, x: reciprocal(_cofactor(x)),
    "Inverse hyperbolic tangent of each element.",
    ">>> tp.atanh(tp.tensor([0.0]))\ntensor([0.])",
)

# ---- angles and lengths ----------------------------------------------------------------------------------------------


def _ratio_impl(x: Any, y: Any) -> Any:
    return np.where(np.equal(y, 0), np.zeros((), y.dtype), np.divide(x, y))


# x / y, but 0 where y is 0: the least subgradient of a length at zero.
ratio: Primitive = elementwise(
    "ratio",
    _ratio_impl,
    [
        lambda _out, _x, y: ratio(np.ones((), y.dtype), y),
        lambda out, _x, y: neg(ratio(out, y)),
    ],
)


def _by_angle(x: Value, y: Value) -> Value:
    """x / (x**2 + y**2) without overflow, zero at the origin."""
    length = _hypot(x, y)
    return ratio(ratio(x, length), length)


_hypot: Primitive = elementwise("hypot", np.hypot, [lambda out, x, _y: ratio(x, out), lambda out, _x, y: ratio(y, out)])
_atan2 = elementwise("atan2", np.arctan2, [lambda _out, y, x: _by_angle(x, y), lambda _out, y, x: neg(_by_angle(y, x))])


@documented(
    "Length of the hypotenuse, ``sqrt(input**2 + other**2)`` without overflow. The derivative at the origin is zero.",
    ">>> tp.hypot(tp.tensor([3.0]), tp.tensor([4.0]))\ntensor([5.])",
)
def hypot(input: Value, other: Value) -> Value:
    operands = inexact_arrays("hypot", input, other)
    only("f", "hypot", *operands)
    return call(_hypot, *operands)


@documented(
    "Angle of the point (`other`, `input`) with the x-axis, in radians. The derivative at the origin is zero.",
    ">>> tp.atan2(tp.tensor([0.0]), tp.tensor([1.0]))\ntensor([0.])",
)
def atan2(input: Value, other: Value) -> Value:
    operands = inexact_arrays("atan2", input, other)
    only("f", "atan2", *operands)
    return call(_atan2, *operands)


@documented("Degrees to radians.", ">>> tp.deg2rad(tp.tensor([0.0]))\ntensor([0.])", takes_integers=False)
def deg2rad(input: Value) -> Value:
    input = floats("deg2rad", input)
    only("f", "deg2rad", input)
    return mul(input, math.pi / 180)


@documented("Radians to degrees.", ">>> tp.rad2deg(tp.tensor([0.0]))\ntensor([0.])", takes_integers=False)
def rad2deg(input: Value) -> Value:
    input = floats("rad2deg", input)
    only("f", "rad2deg", input)
    return mul(input, 180 / math.pi)


# ---- sin(x) / x ------------------------------------------------------------------------------------------------------


def _spherical_j0_impl(x: Any, order: int) -> Any:
    """Derivative of sin(x) / x of some order: a series near zero, a recurrence elsewhere."""
    out = _spherical_j0_far(x, order)
    near = np.abs(x) < order + 1
    if np.any(near):
        out = np.where(near, _spherical_j0_near(np.where(near, x, 0), order), out)
    return out.astype(x.dtype, copy=False)


def _spherical_j0_far(x: Any, order: int) -> Any:
    # x f' + f = cos x, differentiated again and again
    sin, cos = [np.where(np.isinf(x), 0, wave(x)) for wave in (np.sin, np.cos)]
    out = sin / x
    for n in range(1, order + 1):
        out = ((sin, cos, -sin, -cos)[n % 4] - n * out) / x
    return out


def _spherical_j0_near(x: Any, order: int) -> Any:
    # the integral of t**order * cos(x t + order pi/2) over [0, 1], term by term
    out, term = np.zeros_like(x), np.ones_like(x)
    for k in range(20 + 4 * (order + 1)):
        sign = (1, 0, -1, 0)[(k + order) % 4]
        if sign:
            out = out + term * (sign / (k + order + 1))
        term = term * x / (k + 1)
    return out


# The derivative of some order of sin(x) / x, whose own derivative is that of the next order.
_spherical_j0: Primitive = parametric(
    "spherical_bessel_j0", _spherical_j0_impl, [lambda _out, x, order: _spherical_j0(x, order=order + 1)]
)


@documented(
    "``sin(pi x) / (pi x)`` of each element, one at zero.",
    ">>> tp.sinc(tp.tensor([0.0]))\ntensor([1.])",
    takes_integers=False,
)
def sinc(input: Value) -> Value:
    return _spherical_j0(mul(floats("sinc", input), math.pi), order=0)


@documented(
    "Spherical Bessel function of the first kind of order 0, ``sin(x) / x``.",
    ">>> tp.special.spherical_bessel_j0(tp.tensor([0.0]))\ntensor([1.])",
    takes_integers=False,
)
def spherical_bessel_j0(input: Value) -> Value:
    return _spherical_j0(floats("spherical_bessel_j0", input), order=0)
