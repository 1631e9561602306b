"""Products of vectors, matrices and tensors."""

from __future__ import annotations

from tensorplay.ops import contraction
from tensorplay.tensor.lift import lift

__all__ = ["einsum", "matmul", "outer"]

matmul = lift(contraction.matmul)
outer = lift(contraction.outer)
einsum = lift(contraction.einsum)
