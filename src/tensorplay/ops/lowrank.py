"""Singular value decompositions of low rank, from random projections (Halko, Martinsson and Tropp, 2011)."""

from __future__ import annotations

from tensorplay.core.value import Value
from tensorplay.ops.families import mul, sum_dims, unreduce
from tensorplay.ops.matrices import adjoint, check_matrices, minus
from tensorplay.ops.products import matmul
from tensorplay.ops.qr import linalg_qr
from tensorplay.ops.random import randn
from tensorplay.ops.svd import linalg_svd


def svd_lowrank(A: Value, q: int | None = 6, niter: int | None = 2, M: Value | None = None) -> tuple[Value, ...]:
    """
    Singular value decomposition of matrices whose rank is low, from a few random projections.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    q : int, default 6
        A slight overestimate of the rank.
    niter : int, default 2
        Number of further iterations, which make the result more accurate.
    M : Tensor, optional
        Subtracted from `A` first; broadcasts to its shape.

    Returns
    -------
    U : Tensor
        Of shape [*, m, q].
    S : Tensor
        Of shape [*, q], descending.
    V : Tensor
        Of shape [*, n, q]; ``A`` is about ``U @ diag(S) @ V.mH``.

    Examples
    --------
    >>> tp.svd_lowrank(tp.ones(4, 4), q=1)[1]
    tensor([4.])
    """
    check_matrices("svd_lowrank", A)
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    _check_counts("svd_lowrank", A, q, niter)
    return _decomposed(A if M is None else minus(A, M), q, niter)


def _check_counts(name: str, a: Value, q: int, niter: int) -> None:
    if not 0 <= q <= min(a.shape[-2:]):
        raise ValueError(
            f"{name}(): q(={q}) must be non-negative integer and not greater than min(m, n)={min(a.shape[-2:])}"
        )
    if niter < 0:
        raise ValueError(f"{name}(): niter(={niter}) must be non-negative integer")


def _decomposed(a: Value, q: int, niter: int) -> tuple[Value, ...]:
    wide = a.shape[-2] < a.shape[-1]
    tall = adjoint(a) if wide else a
    basis = _approximate_basis(tall, q, niter)
    u, s, vh = linalg_svd(matmul(adjoint(basis), tall), False)
    u, v = matmul(basis, u), adjoint(vh)
    return (v, s, u) if wide else (u, s, v)


def _approximate_basis(a: Value, q: int, niter: int) -> Value:
    """Orthonormal columns that nearly span the columns of each matrix."""
    basis = linalg_qr(matmul(a, randn(a.shape[-1], q, dtype=a.dtype))).Q
    for _ in range(niter):
        basis = linalg_qr(matmul(a, linalg_qr(matmul(adjoint(a), basis)).Q)).Q
    return basis


def pca_lowrank(A: Value, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Value, ...]:
    """
    Principal components of matrices whose rank is low.

    Parameters
    ----------
    A : Tensor
        Data of shape [*, m, n]: m samples of n features.
    q : int, optional
        A slight overestimate of the rank; min(6, m, n) by default.
    center : bool, default True
        Whether to subtract the mean of each feature first.
    niter : int, default 2
        Number of further iterations.

    Returns
    -------
    U, S, V : Tensor
        As from `svd_lowrank`; the columns of V are the principal directions.

    Examples
    --------
    >>> tp.pca_lowrank(tp.tensor([[1.0, 0.0], [3.0, 0.0]]), q=1)[1]
    tensor([1.4142])
    """
    check_matrices("pca_lowrank", A)
    m, n = A.shape[-2:]
    q = min(6, m, n) if q is None else q
    _check_counts("pca_lowrank", A, q, niter)
    if not center:
        return _decomposed(A, q, niter)
    means = mul(sum_dims(A, dims=(A.ndim - 2,)), 1 / m)
    return _decomposed(minus(A, unreduce(means, A.shape, (A.ndim - 2,))), q, niter)
