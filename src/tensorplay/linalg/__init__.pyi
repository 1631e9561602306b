"""Linear algebra, with the names, arguments and named results of torch.linalg."""

# ruff: noqa
# Made by `python -m tests.type_stubs`.

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorplay.dtypes import dtype as _dtype
from tensorplay.random.generator import Generator as _Generator
from tensorplay.tensor.size import Size as _Size
from tensorplay.tensor.tensor import Tensor as _Tensor

# what operators take where they take tensors, and where they take dtypes
_Operand: TypeAlias = _Tensor | builtins.complex | np.generic[Any]
_DtypeLike: TypeAlias = _dtype | np.dtype[Any] | type | str

from tensorplay.errors import LinAlgError as LinAlgError

class _CholeskyEx(NamedTuple):
    L: _Tensor
    info: _Tensor

class _Eig(NamedTuple):
    eigenvalues: _Tensor
    eigenvectors: _Tensor

class _Eigh(NamedTuple):
    eigenvalues: _Tensor
    eigenvectors: _Tensor

class _InvEx(NamedTuple):
    inverse: _Tensor
    info: _Tensor

class _LDLFactor(NamedTuple):
    LD: _Tensor
    pivots: _Tensor

class _LDLFactorEx(NamedTuple):
    LD: _Tensor
    pivots: _Tensor
    info: _Tensor

class _LUFactor(NamedTuple):
    LU: _Tensor
    pivots: _Tensor

class _LUFactorEx(NamedTuple):
    LU: _Tensor
    pivots: _Tensor
    info: _Tensor

class _LinalgSVD(NamedTuple):
    U: _Tensor
    S: _Tensor
    Vh: _Tensor

class _Lstsq(NamedTuple):
    solution: _Tensor
    residuals: _Tensor
    rank: _Tensor
    singular_values: _Tensor

class _PLU(NamedTuple):
    P: _Tensor
    L: _Tensor
    U: _Tensor

class _QR(NamedTuple):
    Q: _Tensor
    R: _Tensor

class _Slogdet(NamedTuple):
    sign: _Tensor
    logabsdet: _Tensor

class _SolveEx(NamedTuple):
    result: _Tensor
    info: _Tensor

def cholesky(A: _Operand, *, upper: builtins.bool = False, out: _Tensor | None = None) -> _Tensor:
    """Cholesky factor of each Hermitian positive-definite matrix."""

def cholesky_ex(
    A: _Operand, *, upper: builtins.bool = False, check_errors: builtins.bool = False, out: Any = None
) -> _CholeskyEx:
    """Cholesky factor of each matrix, and whether there is one."""

def cond(A: _Operand, p: builtins.float | str | None = None, *, out: _Tensor | None = None) -> _Tensor:
    """Condition number of each matrix with respect to a norm."""

def cross(input: _Operand, other: _Operand, *, dim: builtins.int = -1, out: _Tensor | None = None) -> _Tensor:
    """Cross products of vectors of three elements."""

def det(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Determinant of each matrix."""

def diagonal(A: _Operand, *, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> _Tensor:
    """A diagonal of each matrix, as a view."""

def eig(A: _Operand, *, out: Any = None) -> _Eig:
    """Eigenvalues and eigenvectors of each square matrix."""

def eigh(A: _Operand, UPLO: str = "L", *, out: Any = None) -> _Eigh:
    """Eigenvalues and eigenvectors of each Hermitian matrix."""

def eigvals(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Eigenvalues of each square matrix."""

def eigvalsh(A: _Operand, UPLO: str = "L", *, out: _Tensor | None = None) -> _Tensor:
    """Eigenvalues of each Hermitian matrix."""

def householder_product(A: _Operand, tau: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """First columns of a product of Householder reflections."""

def inv(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of each matrix."""

def inv_ex(A: _Operand, *, check_errors: builtins.bool = False, out: Any = None) -> _InvEx:
    """Inverse of each matrix, and whether there is one."""

def ldl_factor(A: _Operand, *, hermitian: builtins.bool = False, out: Any = None) -> _LDLFactor:
    """LDL factors of each symmetric or Hermitian matrix, packed for `linalg.ldl_solve`."""

def ldl_factor_ex(
    A: _Operand, *, hermitian: builtins.bool = False, check_errors: builtins.bool = False, out: Any = None
) -> _LDLFactorEx:
    """LDL factors of each symmetric or Hermitian matrix, and whether D is singular."""

def ldl_solve(
    LD: _Operand, pivots: _Operand, B: _Operand, *, hermitian: builtins.bool = False, out: _Tensor | None = None
) -> _Tensor:
    """Solution of a system of linear equations from the LDL factors of its matrix."""

def lstsq(
    A: _Operand, B: _Operand, rcond: builtins.float | None = None, *, driver: str | None = None, out: Any = None
) -> _Lstsq:
    """Least-squares solution of a system of linear equations: the X of least norm among those that minimise ``|A X - B|``."""

def lu(A: _Operand, *, pivot: builtins.bool = True, out: Any = None) -> _PLU:
    """LU decomposition of each matrix with partial pivoting, ``A = P @ L @ U``."""

def lu_factor(A: _Operand, *, pivot: builtins.bool = True, out: Any = None) -> _LUFactor:
    """LU factors of each matrix, packed for `linalg.lu_solve`."""

def lu_factor_ex(
    A: _Operand, *, pivot: builtins.bool = True, check_errors: builtins.bool = False, out: Any = None
) -> _LUFactorEx:
    """LU factors of each matrix, and whether a pivot is zero."""

def lu_solve(
    LU: _Operand,
    pivots: _Operand,
    B: _Operand,
    *,
    left: builtins.bool = True,
    adjoint: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Solution of a system of linear equations from the LU factors of its matrix."""

def matmul(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Matrix product."""

def matrix_exp(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Exponential of each square matrix."""

def matrix_norm(
    A: _Operand,
    ord: builtins.float | str = "fro",
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of each matrix."""

def matrix_power(A: _Operand, n: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Product of each square matrix with itself, `n` times."""

def matrix_rank(
    A: _Operand,
    tol: _Tensor | builtins.float | None = None,
    hermitian: builtins.bool = False,
    *,
    atol: _Tensor | builtins.float | None = None,
    rtol: _Tensor | builtins.float | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Number of singular values of each matrix that exceed a tolerance."""

def multi_dot(tensors: Sequence[_Operand], *, out: _Tensor | None = None) -> _Tensor:
    """Product of several matrices, multiplied in the order that costs least."""

def norm(
    A: _Operand,
    ord: builtins.float | str | None = None,
    dim: builtins.int | builtins.int | Sequence[builtins.int] | None | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of vectors or of matrices."""

def pinv(
    A: _Operand,
    rcond: _Tensor | builtins.float | None = None,
    hermitian: builtins.bool = False,
    *,
    atol: _Tensor | builtins.float | None = None,
    rtol: _Tensor | builtins.float | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Moore-Penrose pseudo-inverse of each matrix."""

def qr(A: _Operand, mode: str = "reduced", *, out: Any = None) -> _QR:
    """QR decomposition of each matrix, ``A = Q @ R``."""

def slogdet(A: _Operand, *, out: Any = None) -> _Slogdet:
    """Sign of the determinant of each matrix, and the logarithm of its modulus."""

def solve(A: _Operand, B: _Operand, *, left: builtins.bool = True, out: _Tensor | None = None) -> _Tensor:
    """Solution of a system of linear equations, ``A X = B``."""

def solve_ex(
    A: _Operand, B: _Operand, *, left: builtins.bool = True, check_errors: builtins.bool = False, out: Any = None
) -> _SolveEx:
    """Solution of a system of linear equations, and whether there is one."""

def solve_triangular(
    A: _Operand,
    B: _Operand,
    *,
    upper: builtins.bool,
    left: builtins.bool = True,
    unitriangular: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Solution of a system of linear equations with a triangular matrix."""

def svd(A: _Operand, full_matrices: builtins.bool = True, *, driver: str | None = None, out: Any = None) -> _LinalgSVD:
    """Singular value decomposition of each matrix, ``A = U @ diag(S) @ Vh``."""

def svdvals(A: _Operand, *, driver: str | None = None, out: _Tensor | None = None) -> _Tensor:
    """Singular values of each matrix."""

def tensorinv(A: _Operand, ind: builtins.int = 2, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of a tensor under `tensordot`."""

def tensorsolve(
    A: _Operand, B: _Operand, dims: Sequence[builtins.int] | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Solution of a linear equation of tensors, ``tensordot(A, X, X.ndim) = B``."""

def vander(x: _Operand, *, N: builtins.int | None = None, out: _Tensor | None = None) -> _Tensor:
    """Vandermonde matrices: powers of each element along a new last dim."""

def vecdot(x: _Operand, y: _Operand, *, dim: builtins.int = -1, out: _Tensor | None = None) -> _Tensor:
    """Inner products of vectors along a dim; the first operand is conjugated."""

def vector_norm(
    x: _Operand,
    ord: builtins.float = 2,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of vectors: of all elements, or along dims."""
