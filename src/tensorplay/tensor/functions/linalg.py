"""Linear algebra by torch's top-level names; the rest is in `tensorplay.linalg`."""

from __future__ import annotations

from tensorplay.ops import cholesky as cholesky_ops
from tensorplay.ops import determinant, distances, householder, lowrank, matrix_functions, solving
from tensorplay.ops import lu as lu_ops
from tensorplay.ops import pinv as pinv_ops
from tensorplay.ops import qr as qr_ops
from tensorplay.ops import svd as svd_ops
from tensorplay.tensor.lift import lift

__all__ = [
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "geqrf",
    "inverse",
    "logdet",
    "lu",
    "lu_solve",
    "lu_unpack",
    "matrix_exp",
    "matrix_power",
    "orgqr",
    "ormqr",
    "pca_lowrank",
    "pdist",
    "pinverse",
    "qr",
    "slogdet",
    "svd",
    "svd_lowrank",
    "triangular_solve",
    "vander",
]

cholesky = lift(cholesky_ops.torch_cholesky)
cholesky_solve = lift(cholesky_ops.cholesky_solve)
cholesky_inverse = lift(cholesky_ops.cholesky_inverse)
triangular_solve = lift(solving.triangular_solve)
inverse = lift(solving.inv)
pinverse = lift(pinv_ops.pinverse)
det = lift(determinant.det)
slogdet = lift(determinant.slogdet)
logdet = lift(determinant.logdet)
qr = lift(qr_ops.qr)
geqrf = lift(householder.geqrf)
orgqr = lift(householder.orgqr)
ormqr = lift(householder.ormqr)
svd = lift(svd_ops.svd)
svd_lowrank = lift(lowrank.svd_lowrank)
pca_lowrank = lift(lowrank.pca_lowrank)
lu = lift(lu_ops.torch_lu)
lu_solve = lift(lu_ops.lu_solve)
lu_unpack = lift(lu_ops.lu_unpack)
matrix_exp = lift(matrix_functions.matrix_exp)
matrix_power = lift(matrix_functions.matrix_power)
vander = lift(matrix_functions.vander)
cdist = lift(distances.cdist)
pdist = lift(distances.pdist)
