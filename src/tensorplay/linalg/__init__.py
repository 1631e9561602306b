"""
Linear algebra, with the names, arguments and named results of torch.linalg.

May import the ops and how they are lifted to tensors. Must not know levels or rules.
"""

from __future__ import annotations

from tensorplay.errors import LinAlgError
from tensorplay.ops import cholesky as _cholesky
from tensorplay.ops import determinant as _determinant
from tensorplay.ops import products as _products
from tensorplay.ops import solving as _solving
from tensorplay.tensor.lift import lift as _lift

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cross",
    "det",
    "inv",
    "inv_ex",
    "matmul",
    "multi_dot",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "tensorinv",
    "tensorsolve",
    "vecdot",
]

matmul = _lift(_products.matmul)
multi_dot = _lift(_products.multi_dot)
vecdot = _lift(_products.vecdot)
cross = _lift(_products.linalg_cross)

cholesky = _lift(_cholesky.cholesky)
cholesky_ex = _lift(_cholesky.cholesky_ex)
solve = _lift(_solving.solve)
solve_ex = _lift(_solving.solve_ex)
solve_triangular = _lift(_solving.solve_triangular)
inv = _lift(_solving.inv)
inv_ex = _lift(_solving.inv_ex)
tensorinv = _lift(_solving.tensorinv)
tensorsolve = _lift(_solving.tensorsolve)
det = _lift(_determinant.det)
slogdet = _lift(_determinant.slogdet)
