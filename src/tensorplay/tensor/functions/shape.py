"""Shape functions; those that give views alias their input."""

from __future__ import annotations

from tensorplay.ops import shape
from tensorplay.tensor.lift import lift, lift_view

__all__ = ["cat", "clone", "movedim", "permute", "reshape", "transpose"]

reshape = lift_view(shape.reshape)
permute = lift_view(shape.permute)
transpose = lift_view(shape.transpose)
movedim = lift_view(shape.movedim)
cat = lift(shape.cat)
clone = lift(shape.copy)
