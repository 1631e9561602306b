"""Reductions."""

from __future__ import annotations

from tensorplay.ops import reduction
from tensorplay.tensor.lift import lift

__all__ = ["mean", "sum"]

sum = lift(reduction.sum)
mean = lift(reduction.mean)
