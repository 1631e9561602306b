"""Identities that stop derivatives (of what a condition leaves out, or in reverse mode) or show them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import NOTHING, Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.indexing import where

# `x`, which tangents enter and cotangents leave only where `flag`, which broadcasts to it, holds: what a function gives
# for the samples that do not take it counts for nothing, be it NaN.
gate = Primitive("gate", lambda x, flag: x, "general", (frozenset({1}),))


@gate.derivative
def _gate_derivative(out: Value, x: Value, flag: Value) -> LinearMap:
    def gated(derivative: Value) -> Value:
        return where(flag, derivative, np.zeros((), derivative.dtype))

    return LinearMap(lambda x_dot, _: gated(x_dot), lambda ct: (gated(ct), None))


@gate.batch
def _gate_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    x, flag = args
    if not mapped[0]:
        if x.__class__ is np.ndarray:  # has no derivative
            return x, False
        x = families.expand(x, shape=(size, *x.shape))
    return gate(*families.align_ranks((x, flag), (True, mapped[1]))), True


# The arguments themselves, as results of one op at which their cotangents arrive together.
boundary = Primitive("boundary", lambda *xs: xs, "general", (NOTHING,))


@boundary.derivative
def _boundary_derivative(_out: Any, *_: Value) -> LinearMap:
    return LinearMap(lambda *dots: dots, lambda cts: cts)


@boundary.batch
def _boundary_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, Any]:
    return boundary(*args), tuple(mapped)


def _refused(ct: Value, x: Value, *, title: str) -> Value:
    raise RuntimeError(
        f"{title}: reverse mode (grad, vjp, jacrev, backward) cannot go through a loop whose number of steps depends "
        "on data. Use tp.scan or tp.fori_loop with a fixed number of steps, forward mode (jvp, jacfwd, linearize), or "
        "detach() what the loop starts from."
    )


# `x`, the result of the function `title`, whose derivative can be pushed, but not pulled.
forward_only = families.structural(
    "forward_only",
    lambda x, title: x,
    transpose=_refused,
    batch=lambda size, args, mapped, title: (forward_only(args[0], title=title), True),
)
