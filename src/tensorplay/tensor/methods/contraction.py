"""Products and linear algebra."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tensorplay.tensor.functions import contraction as functions
from tensorplay.tensor.functions import linalg
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.methods.inplace import store

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ContractionMethods(Handle):
    """Products and linear algebra."""

    def __matmul__(self, other: Any) -> Tensor:
        if isinstance(other, np.ndarray | list | tuple):
            return np.matmul(self, other)  # type: ignore[call-overload]  # NumPy brings both to one dtype
        return functions.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return functions.matmul(other, self)

    def matmul(self, other: Any) -> Tensor:
        """Matrix product; see `tensorplay.matmul`."""
        return functions.matmul(self, other)

    def mm(self, mat2: Any) -> Tensor:
        """Product of two matrices; see `tensorplay.mm`."""
        return functions.mm(self, mat2)

    def bmm(self, mat2: Any) -> Tensor:
        """Products of two stacks of matrices; see `tensorplay.bmm`."""
        return functions.bmm(self, mat2)

    def mv(self, vec: Any) -> Tensor:
        """Product with a vector; see `tensorplay.mv`."""
        return functions.mv(self, vec)

    def dot(self, tensor: Any) -> Tensor:
        """Sum of products of two vectors; see `tensorplay.dot`."""
        return functions.dot(self, tensor)

    def vdot(self, other: Any) -> Tensor:
        """Inner product of two vectors; see `tensorplay.vdot`."""
        return functions.vdot(self, other)

    def inner(self, other: Any) -> Tensor:
        """Sums of products along the last dims; see `tensorplay.inner`."""
        return functions.inner(self, other)

    def outer(self, vec2: Any) -> Tensor:
        """Products of all pairs of elements of two vectors; see `tensorplay.outer`."""
        return functions.outer(self, vec2)

    def ger(self, vec2: Any) -> Tensor:
        """Alias of `outer`; see `tensorplay.ger`."""
        return functions.ger(self, vec2)

    def kron(self, other: Any) -> Tensor:
        """Kronecker product; see `tensorplay.kron`."""
        return functions.kron(self, other)

    def cross(self, other: Any, dim: int | None = None) -> Tensor:
        """Cross products of vectors of three elements; see `tensorplay.cross`."""
        return functions.cross(self, other, dim)

    def addmm(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Product of two matrices plus this tensor; see `tensorplay.addmm`."""
        return functions.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmm_(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """In-place `addmm`."""
        return store(self, functions.addmm(self, mat1, mat2, beta=beta, alpha=alpha), "addmm_")

    def addmv(self, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Product of a matrix with a vector plus this tensor; see `tensorplay.addmv`."""
        return functions.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addmv_(self, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """In-place `addmv`."""
        return store(self, functions.addmv(self, mat, vec, beta=beta, alpha=alpha), "addmv_")

    def addbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Sum of products of two stacks of matrices plus this tensor; see `tensorplay.addbmm`."""
        return functions.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addbmm_(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """In-place `addbmm`."""
        return store(self, functions.addbmm(self, batch1, batch2, beta=beta, alpha=alpha), "addbmm_")

    def baddbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Products of two stacks of matrices plus this tensor; see `tensorplay.baddbmm`."""
        return functions.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def baddbmm_(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """In-place `baddbmm`."""
        return store(self, functions.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha), "baddbmm_")

    def addr(self, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Outer product of two vectors plus this tensor; see `tensorplay.addr`."""
        return functions.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def addr_(self, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Self:
        """In-place `addr`."""
        return store(self, functions.addr(self, vec1, vec2, beta=beta, alpha=alpha), "addr_")

    def inverse(self) -> Tensor:
        """Inverse of each matrix; see `tensorplay.inverse`."""
        return linalg.inverse(self)

    def pinverse(self, rcond: float = 1e-15) -> Tensor:
        """Pseudo-inverse of each matrix; see `tensorplay.pinverse`."""
        return linalg.pinverse(self, rcond)

    def det(self) -> Tensor:
        """Determinant of each matrix; see `tensorplay.det`."""
        return linalg.det(self)

    def logdet(self) -> Tensor:
        """Logarithm of the determinant of each matrix; see `tensorplay.logdet`."""
        return linalg.logdet(self)

    def slogdet(self) -> Any:
        """Sign and logarithm of the determinant of each matrix; see `tensorplay.slogdet`."""
        return linalg.slogdet(self)

    def cholesky(self, upper: bool = False) -> Tensor:
        """Cholesky factor of each matrix; see `tensorplay.cholesky`."""
        return linalg.cholesky(self, upper)

    def cholesky_inverse(self, upper: bool = False) -> Tensor:
        """Inverse of each matrix from its Cholesky factor; see `tensorplay.cholesky_inverse`."""
        return linalg.cholesky_inverse(self, upper)

    def cholesky_solve(self, L: Any, upper: bool = False) -> Tensor:
        """Solution of linear systems from Cholesky factors; see `tensorplay.cholesky_solve`."""
        return linalg.cholesky_solve(self, L, upper)

    def triangular_solve(self, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
        """Solution of triangular systems; see `tensorplay.triangular_solve`."""
        return linalg.triangular_solve(self, A, upper, transpose, unitriangular)

    def lu(self, pivot: bool = True, get_infos: bool = False) -> Any:
        """Packed LU factors of each matrix; see `tensorplay.lu`."""
        return linalg.lu(self, pivot, get_infos)

    def lu_solve(self, LU_data: Any, LU_pivots: Any) -> Tensor:
        """Solution of linear systems from LU factors; see `tensorplay.lu_solve`."""
        return linalg.lu_solve(self, LU_data, LU_pivots)

    def qr(self, some: bool = True) -> Any:
        """QR decomposition of each matrix; see `tensorplay.qr`."""
        return linalg.qr(self, some)

    def svd(self, some: bool = True, compute_uv: bool = True) -> Any:
        """Singular value decomposition of each matrix; see `tensorplay.svd`."""
        return linalg.svd(self, some, compute_uv)

    def geqrf(self) -> Any:
        """QR decomposition with Q as Householder reflections; see `tensorplay.geqrf`."""
        return linalg.geqrf(self)

    def orgqr(self, input2: Any) -> Tensor:
        """First columns of a product of Householder reflections; see `tensorplay.orgqr`."""
        return linalg.orgqr(self, input2)

    def ormqr(self, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Tensor:
        """Product with a product of Householder reflections; see `tensorplay.ormqr`."""
        return linalg.ormqr(self, tau, other, left, transpose)

    def matrix_exp(self) -> Tensor:
        """Exponential of each matrix; see `tensorplay.matrix_exp`."""
        return linalg.matrix_exp(self)

    def matrix_power(self, n: int) -> Tensor:
        """Power of each matrix; see `tensorplay.matrix_power`."""
        return linalg.matrix_power(self, n)
