"""
Singular values and vectors, and what is made of them.

With ``P = U.mH dA V`` split into its Hermitian part H and its skew part K, the factors turn by
``H / (s_j - s_i) + K / (s_i + s_j)`` and ``H / (s_j - s_i) - K / (s_i + s_j)``. Where singular values are equal the
first quotient counts as zero: the vectors may be any basis there. Written so, it cancels exactly in ``U @ Vh``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.errors import shown
from tensorplay.ops.families import add, mul, negative, scale, sum_of
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    as_column,
    as_row,
    block,
    check_matrices,
    diagonal_matrix,
    diagonal_of,
    hermitian,
    minus,
    real_part,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import cat
from tensorplay.ops.spectral import check_phase, converging, inverse, inverse_gaps

_ALL = slice(None)


def _svd_impl(a: Array, full: bool) -> tuple[Array, Array, Array]:
    u, s, vh = np.linalg.svd(a, full_matrices=full)
    return u, s, vh


_svd = Primitive("linalg.svd", converging("linalg.svd", _svd_impl))


class _Factors:
    """The thin factors of a decomposition, and how they turn."""

    def __init__(self, u: Value, s: Value, vh: Value) -> None:
        k = s.shape[-1]
        self.u, self.s, self.v = block(u, _ALL, slice(0, k)), s, adjoint(block(vh, slice(0, k), _ALL))
        self.gaps = cast(inverse_gaps(s), u.dtype)
        self.sums = cast(inverse(add(as_row(s), as_column(s))), u.dtype)
        self.tall, self.wide = u.shape[-2] > k, vh.shape[-1] > k

    def outside(self, base: Value, x: Value) -> Value:
        """The part of x orthogonal to the columns of `base`, over the singular values."""
        rest = minus(x, matmul(base, matmul(adjoint(base), x)))
        return mul(rest, cast(as_row(inverse(self.s)), rest.dtype))

    def push(self, a_dot: Value) -> tuple[Value, Value, Value]:
        """Tangents of the thin U, of the singular values and of the thin V."""
        inner = matmul(adjoint(self.u), matmul(a_dot, self.v))
        even, odd = scale(hermitian(inner), self.gaps), mul(self.sums, skew(inner))
        u_dot, v_dot = matmul(self.u, add(even, odd)), matmul(self.v, minus(even, odd))
        if self.tall:
            u_dot = add(u_dot, self.outside(self.u, matmul(a_dot, self.v)))
        if self.wide:
            v_dot = add(v_dot, self.outside(self.v, matmul(adjoint(a_dot), self.u)))
        return u_dot, real_part(diagonal_of(inner)), v_dot

    def pull(self, u_ct: Value | None, s_ct: Value | None, v_ct: Value | None) -> Value:
        """Cotangent of the matrix."""
        inner = None if s_ct is None else cast(diagonal_matrix(s_ct), self.u.dtype)
        total = sum_of(inner, None if u_ct is v_ct and u_ct is None else self.turned_back(u_ct, v_ct))
        out = matmul(self.u, matmul(total, adjoint(self.v)))
        if self.tall and u_ct is not None:
            out = add(out, matmul(self.outside(self.u, u_ct), adjoint(self.v)))
        if self.wide and v_ct is not None:
            out = add(out, matmul(self.u, adjoint(self.outside(self.v, v_ct))))
        return out

    def turned_back(self, u_ct: Value | None, v_ct: Value | None) -> Value:
        """Cotangent of ``U.mH dA V`` from those of the vectors."""
        left = None if u_ct is None else matmul(adjoint(self.u), u_ct)
        right = None if v_ct is None else matmul(adjoint(self.v), v_ct)
        both = sum_of(left, right)
        check_phase("linalg.svd", "singular vectors", both, u_ct, v_ct)
        difference = sum_of(left, None if right is None else negative(right))
        return add(hermitian(scale(both, self.gaps)), skew(mul(self.sums, difference)))


def skew(x: Value) -> Value:
    """The skew-Hermitian part of each matrix."""
    return mul(minus(x, adjoint(x)), 0.5)


@_svd.derivative
def _svd_derivative(out: Any, a: Value, *, full: bool) -> LinearMap:
    u, s, vh = out
    factors = _Factors(u, s, vh)
    k = s.shape[-1]

    def push(a_dot: Value) -> tuple[Value, Value, Value]:
        u_dot, s_dot, v_dot = factors.push(a_dot)
        return completed(u, u_dot, k), s_dot, adjoint(completed(adjoint(vh), v_dot, k))

    def pull(ct: Any) -> tuple[Value]:
        u_ct, s_ct, vh_ct = ct
        v_ct = None if vh_ct is None else uncompleted(adjoint(vh), adjoint(vh_ct), k)
        return (factors.pull(None if u_ct is None else uncompleted(u, u_ct, k), s_ct, v_ct),)

    return LinearMap(push, pull)


def completed(q: Value, thin_dot: Value, k: int) -> Value:
    """
    Tangent of a square unitary `q` from that of its first `k` columns.

    The further columns may be any basis of the complement; they turn just enough to stay orthogonal.
    """
    if q.shape[-1] == k:
        return thin_dot
    first, rest = block(q, _ALL, slice(0, k)), block(q, _ALL, slice(k, None))
    return cat([thin_dot, negative(matmul(first, matmul(adjoint(thin_dot), rest)))], dim=-1)


def uncompleted(q: Value, ct: Value, k: int) -> Value:
    """Cotangent of the first `k` columns of a square unitary `q` from that of all; the transpose of `completed`."""
    if q.shape[-1] == k:
        return ct
    first, rest = block(q, _ALL, slice(0, k)), block(q, _ALL, slice(k, None))
    moved = matmul(rest, matmul(adjoint(block(ct, _ALL, slice(k, None))), first))
    return minus(block(ct, _ALL, slice(0, k)), moved)


@_svd.batch
def _svd_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, full: bool) -> tuple[Any, bool]:
    return _svd(args[0], full=full), True


_svdvals = Primitive(
    "linalg.svdvals", converging("linalg.svdvals", lambda a: np.linalg.svd(a, full_matrices=False, compute_uv=False))
)


@_svdvals.derivative
def _svdvals_derivative(out: Value, a: Value) -> LinearMap:
    u, _, vh = _svd(a, full=False)

    def push(a_dot: Value) -> Value:
        return real_part(diagonal_of(matmul(adjoint(u), matmul(a_dot, adjoint(vh)))))

    def pull(ct: Value) -> tuple[Value]:
        return (matmul(mul(u, cast(as_row(ct), u.dtype)), vh),)

    return LinearMap(push, pull)


@_svdvals.batch
def _svdvals_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    return _svdvals(args[0]), True


class LinalgSVD(NamedTuple):
    """Result of `linalg.svd`."""

    U: Value
    S: Value
    Vh: Value


class SVD(NamedTuple):
    """Result of `svd`."""

    U: Value
    S: Value
    V: Value


def linalg_svd(A: Value, full_matrices: bool = True, *, driver: str | None = None) -> LinalgSVD:
    """
    Singular value decomposition of each matrix, ``A = U @ diag(S) @ Vh``.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    full_matrices : bool, default True
        Whether U and Vh are square; otherwise they have min(m, n) columns and rows.
    driver : None
        Only for other devices.

    Returns
    -------
    U : Tensor
        Of shape [*, m, m] or [*, m, min(m, n)], with orthonormal columns.
    S : Tensor
        Of shape [*, min(m, n)], real, descending.
    Vh : Tensor
        Of shape [*, n, n] or [*, min(m, n), n], with orthonormal rows.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, as for NaN.

    Notes
    -----
    Singular vectors of equal singular values have no derivative: their share counts as zero.

    Examples
    --------
    >>> tp.linalg.svd(tp.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    check_matrices("linalg.svd", A)
    _check_driver("linalg.svd", driver)
    return LinalgSVD(*_svd(A, full=bool(full_matrices)))


def _check_driver(name: str, driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(f"{name}: keyword argument `driver=` is only supported on CUDA inputs, got {shown(driver)}")


def svd(input: Value, some: bool = True, compute_uv: bool = True) -> SVD:
    """
    Singular value decomposition of each matrix, ``input = U @ diag(S) @ V.mH``.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, n].
    some : bool, default True
        Whether U and V have min(m, n) columns only; otherwise they are square.
    compute_uv : bool, default True
        False fills U and V, both square, with zeros.

    Returns
    -------
    U : Tensor
        Of shape [*, m, min(m, n)] or [*, m, m].
    S : Tensor
        Of shape [*, min(m, n)], real, descending.
    V : Tensor
        Of shape [*, n, min(m, n)] or [*, n, n].

    Examples
    --------
    >>> tp.svd(tp.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    check_matrices("svd", input)
    if not compute_uv:
        *lead, m, n = input.shape
        return SVD(np.zeros((*lead, m, m), input.dtype), _svdvals(input), np.zeros((*lead, n, n), input.dtype))
    u, s, vh = _svd(input, full=not some)
    return SVD(u, s, adjoint(vh))


def svdvals(A: Value, *, driver: str | None = None) -> Value:
    """
    Singular values of each matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    driver : None
        Only for other devices.

    Returns
    -------
    Tensor
        Of shape [*, min(m, n)], real, descending.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, as for NaN.

    Examples
    --------
    >>> tp.linalg.svdvals(tp.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    check_matrices("linalg.svdvals", A)
    _check_driver("linalg.svdvals", driver)
    return _svdvals(A)
