"""Indexing functions."""

from __future__ import annotations

from tensorplay.ops import indexing
from tensorplay.tensor.lift import lift

__all__ = ["gather"]

gather = lift(indexing.gather)
