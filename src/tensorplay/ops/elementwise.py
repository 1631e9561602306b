"""Elementwise arithmetic: one partial per argument, from which the family derives every rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.families import Partial, elementwise
from tensorplay.ops.promotion import promote, promote_inexact, to_inexact

_UNARY_DOC = """{summary}

    Parameters
    ----------
    input : Tensor
        Any shape; integers and bools are taken as floating-point numbers of the default dtype.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    {example}
    """


def float_unary(name: str, impl: Callable[..., Any], partial: Partial, summary: str, example: str) -> Callable[..., Any]:
    """An op on one tensor that computes in floating or complex numbers, with its documentation."""
    prim = elementwise(name, impl, [partial])

    def op(input: Value) -> Value:
        return prim(to_inexact(input))

    op.__name__ = op.__qualname__ = name
    op.__module__ = __name__
    op.__doc__ = _UNARY_DOC.format(summary=summary, example=example.replace("\n", "\n    "))
    return op


sin = float_unary(
    "sin",
    np.sin,
    lambda _out, x: cos(x),
    "Sine of each element, in radians.",
    ">>> tp.sin(tp.tensor([0.0]))\ntensor([0.])",
)
cos = float_unary(
    "cos",
    np.cos,
    lambda _out, x: families.negative(sin(x)),
    "Cosine of each element, in radians.",
    ">>> tp.cos(tp.tensor([0.0]))\ntensor([1.])",
)
exp = float_unary(
    "exp",
    np.exp,
    lambda out, _x: out,
    "Exponential of each element.",
    ">>> tp.exp(tp.tensor([0.0]))\ntensor([1.])",
)

_sub = elementwise("sub", np.subtract, [1, -1])
_div = elementwise(
    "div",
    np.true_divide,
    [lambda _out, _x, y: reciprocal(y), lambda out, _x, y: families.negative(_div(out, y))],
)


def reciprocal(input: Value) -> Value:
    return _div(1.0, to_inexact(input))


def add(input: Value, other: Value, *, alpha: complex = 1) -> Value:
    input, other = promote(input, other)
    return families.add(input, other if alpha == 1 else families.mul(other, alpha))


def sub(input: Value, other: Value, *, alpha: complex = 1) -> Value:
    input, other = promote(input, other)
    return _sub(input, other if alpha == 1 else families.mul(other, alpha))


def mul(input: Value, other: Value) -> Value:
    return families.mul(*promote(input, other))


def div(input: Value, other: Value) -> Value:
    return _div(*promote_inexact(input, other))
