"""Factories: tensors made from shapes and ranges."""

from __future__ import annotations

from tensorplay.ops import creation
from tensorplay.tensor.factories import factory

__all__ = ["full", "ones", "ones_like", "zeros", "zeros_like"]

zeros = factory(creation.zeros)
ones = factory(creation.ones)
full = factory(creation.full)
zeros_like = factory(creation.zeros_like)
ones_like = factory(creation.ones_like)
