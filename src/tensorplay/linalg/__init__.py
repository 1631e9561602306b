"""
Linear algebra, with the names, arguments and named results of torch.linalg.

May import the ops and how they are lifted to tensors. Must not know levels or rules.
"""

from __future__ import annotations

from tensorplay.errors import LinAlgError
from tensorplay.ops import cholesky as _cholesky
from tensorplay.ops import determinant as _determinant
from tensorplay.ops import householder as _householder
from tensorplay.ops import ldl as _ldl
from tensorplay.ops import lu as _lu
from tensorplay.ops import matrix_functions as _functions
from tensorplay.ops import matrix_norms as _norms
from tensorplay.ops import norms as _vector_norms
from tensorplay.ops import pinv as _pinv
from tensorplay.ops import products as _products
from tensorplay.ops import qr as _qr
from tensorplay.ops import solving as _solving
from tensorplay.ops import spectral as _spectral
from tensorplay.ops import svd as _svd
from tensorplay.tensor.lift import lift as _lift
from tensorplay.tensor.lift import lift_view as _lift_view

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

matmul = _lift(_products.matmul)
multi_dot = _lift(_products.multi_dot)
vecdot = _lift(_products.vecdot)
cross = _lift(_products.linalg_cross)

solve = _lift(_solving.solve)
solve_ex = _lift(_solving.solve_ex)
solve_triangular = _lift(_solving.solve_triangular)
inv = _lift(_solving.inv)
inv_ex = _lift(_solving.inv_ex)
tensorinv = _lift(_solving.tensorinv)
tensorsolve = _lift(_solving.tensorsolve)
pinv = _lift(_pinv.pinv)
lstsq = _lift(_pinv.lstsq)

cholesky = _lift(_cholesky.cholesky)
cholesky_ex = _lift(_cholesky.cholesky_ex)
ldl_factor = _lift(_ldl.ldl_factor)
ldl_factor_ex = _lift(_ldl.ldl_factor_ex)
ldl_solve = _lift(_ldl.ldl_solve)
lu = _lift(_lu.lu)
lu_factor = _lift(_lu.lu_factor)
lu_factor_ex = _lift(_lu.lu_factor_ex)
lu_solve = _lift(_lu.linalg_lu_solve)
qr = _lift(_qr.linalg_qr)
householder_product = _lift(_householder.householder_product)
eig = _lift(_spectral.eig)
eigh = _lift(_spectral.eigh)
svd = _lift(_svd.linalg_svd)

eigvals = _lift(_spectral.eigvals)
eigvalsh = _lift(_spectral.eigvalsh)
svdvals = _lift(_svd.svdvals)
det = _lift(_determinant.det)
slogdet = _lift(_determinant.slogdet)
matrix_rank = _lift(_pinv.matrix_rank)
cond = _lift(_norms.cond)
norm = _lift(_norms.norm)
matrix_norm = _lift(_norms.matrix_norm)
vector_norm = _lift(_vector_norms.vector_norm)

matrix_exp = _lift(_functions.matrix_exp)
matrix_power = _lift(_functions.matrix_power)
vander = _lift(_functions.linalg_vander)
diagonal = _lift_view(_functions.linalg_diagonal)
