"""Linear algebra by torch's top-level names; the rest is in `tensorplay.linalg`."""

from __future__ import annotations

from tensorplay.ops import cholesky as cholesky_ops
from tensorplay.ops import determinant, solving
from tensorplay.tensor.lift import lift

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "inverse",
    "logdet",
    "slogdet",
    "triangular_solve",
]

cholesky = lift(cholesky_ops.torch_cholesky)
cholesky_solve = lift(cholesky_ops.cholesky_solve)
cholesky_inverse = lift(cholesky_ops.cholesky_inverse)
triangular_solve = lift(solving.triangular_solve)
inverse = lift(solving.inv)
det = lift(determinant.det)
slogdet = lift(determinant.slogdet)
logdet = lift(determinant.logdet)
