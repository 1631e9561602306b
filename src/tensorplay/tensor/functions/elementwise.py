"""Elementwise functions."""

from __future__ import annotations

from tensorplay.ops import elementwise, indexing
from tensorplay.tensor.lift import lift

__all__ = ["add", "cos", "div", "exp", "mul", "sin", "sub", "where"]

add = lift(elementwise.add)
sub = lift(elementwise.sub)
mul = lift(elementwise.mul)
div = lift(elementwise.div)
sin = lift(elementwise.sin)
cos = lift(elementwise.cos)
exp = lift(elementwise.exp)
where = lift(indexing.where)
