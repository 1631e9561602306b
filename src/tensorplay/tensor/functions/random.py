"""Random numbers."""

from __future__ import annotations

from tensorplay.ops import random
from tensorplay.tensor.factories import factory

__all__ = ["rand", "randn"]

rand = factory(random.rand)
randn = factory(random.randn)
