"""Linear maps of features, and tables of them."""

from __future__ import annotations

from tensorplay.ops import affine
from tensorplay.tensor.lift import lift

__all__ = ["bilinear", "linear"]

linear = lift(affine.linear)
bilinear = lift(affine.bilinear)
