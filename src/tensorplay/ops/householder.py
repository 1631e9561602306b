"""
Products of Householder reflections ``H_1 H_2 ... H_k``, ``H_i = I - tau_i v_i v_i.mH``.

Such a product is ``I - V T V.mH`` with ``T = inv(I + D S) D``, where D holds the tau and S is the strict upper triangle
of ``V.mH V`` (the compact WY form; Puglisi, 1992): a few products of matrices instead of k reflections.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.arithmetic import div
from tensorplay.ops.comparison import lt
from tensorplay.ops.families import add, conj, mul, negative
from tensorplay.ops.indexing import equal, where
from tensorplay.ops.matrices import (
    adjoint,
    as_column,
    block,
    check_matrices,
    check_same_dtype,
    diagonal_matrix,
    lower,
    minus,
    real_part,
    upper,
)
from tensorplay.ops.norms import vector_norm
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import broadcast_to, cat
from tensorplay.ops.solving import back_substituted

_ALL = slice(None)


def _reflectors(a: Value, count: int) -> Value:
    """The vectors of the first `count` reflections: below the diagonal of `a`, with ones on it."""
    return add(lower(block(a, _ALL, slice(0, count)), -1), np.eye(a.shape[-2], count, dtype=a.dtype))


def _wy(v: Value, tau: Value) -> Value:
    """The matrix T of the product ``I - V T V.mH``."""
    overlap = upper(matmul(adjoint(v), v), 1)
    eye = np.eye(v.shape[-1], dtype=v.dtype)
    return back_substituted(add(mul(as_column(tau), overlap), eye), diagonal_matrix(tau), lower=False, unit=True)


def _check(name: str, a: Value, tau: Value) -> None:
    check_matrices(name, a)
    check_same_dtype(name, a, tau)
    if tau.shape[:-1] != a.shape[:-2] or tau.shape[-1] > a.shape[-1]:
        raise RuntimeError(
            f"{name}: tau must have the leading dims of the matrices and at most one element a column, got "
            f"{list(tau.shape)} for {list(a.shape)}"
        )


def householder_product(A: Value, tau: Value) -> Value:
    """
    First columns of a product of Householder reflections.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n] with m >= n; column i holds, below the diagonal, the vector of reflection i.
    tau : Tensor
        Of shape [*, k] with k <= n: the factors of the reflections.

    Returns
    -------
    Tensor
        Of shape [*, m, n].

    Examples
    --------
    >>> a, tau = tp.geqrf(tp.tensor([[3.0], [4.0]]))
    >>> tp.linalg.householder_product(a, tau).abs()
    tensor([[0.6000],
            [0.8000]])
    """
    name = "linalg.householder_product"
    _check(name, A, tau)
    m, n = A.shape[-2:]
    if m < n:
        raise RuntimeError(
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1], got {list(A.shape)}"
        )
    v = _reflectors(A, tau.shape[-1])
    product = matmul(v, matmul(_wy(v, tau), adjoint(block(v, slice(0, n), _ALL))))
    return minus(np.eye(m, n, dtype=A.dtype), product)


def orgqr(input: Value, input2: Value) -> Value:
    """
    First columns of a product of Householder reflections: `linalg.householder_product`.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, n] with m >= n.
    input2 : Tensor
        The factors, of shape [*, k].

    Returns
    -------
    Tensor
        Of shape [*, m, n].

    Examples
    --------
    >>> tp.orgqr(tp.zeros(2, 1), tp.zeros(1))
    tensor([[1.],
            [0.]])
    """
    return householder_product(input, input2)


def ormqr(input: Value, tau: Value, other: Value, left: bool = True, transpose: bool = False) -> Value:
    """
    Product of a matrix with a product Q of Householder reflections.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, k] (n rows if not `left`); column i holds, below the diagonal, the vector of reflection i.
    tau : Tensor
        Of shape [*, min(m, k)]: the factors of the reflections.
    other : Tensor
        Of shape [*, m, n].
    left : bool, default True
        Whether to return ``Q @ other``, else ``other @ Q``.
    transpose : bool, default False
        Whether to use the conjugate transpose of Q.

    Returns
    -------
    Tensor
        Shape of `other`.

    Examples
    --------
    >>> a, tau = tp.geqrf(tp.tensor([[3.0], [4.0]]))
    >>> tp.ormqr(a, tau, tp.tensor([[3.0], [4.0]]), transpose=True).abs()
    tensor([[5.],
            [0.]])
    """
    _check("ormqr", input, tau)
    check_same_dtype("ormqr", input, other)
    rows = other.shape[-2 if left else -1] if other.ndim > 1 else None
    if rows != input.shape[-2]:
        raise RuntimeError(
            f"ormqr(): other must have {input.shape[-2]} {'rows' if left else 'columns'} to fit input, got "
            f"{list(other.shape)}"
        )
    v = _reflectors(input, tau.shape[-1])
    t = _wy(v, tau)
    middle = adjoint(t) if transpose else t
    if left:
        return minus(other, matmul(v, matmul(middle, matmul(adjoint(v), other))))
    return minus(other, matmul(matmul(matmul(other, v), middle), adjoint(v)))


# ---- geqrf -----------------------------------------------------------------------------------------------------------


class Geqrf(NamedTuple):
    """Result of `geqrf`."""

    a: Value
    tau: Value


def geqrf(input: Value) -> Geqrf:
    """
    QR decomposition of each matrix, with Q as Householder reflections.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, n].

    Returns
    -------
    a : Tensor
        Of shape [*, m, n]: R from the diagonal up, the vectors of the reflections below it.
    tau : Tensor
        Of shape [*, min(m, n)]: the factors of the reflections.

    Examples
    --------
    >>> tp.geqrf(tp.tensor([[3.0], [4.0]])).a
    tensor([[-5.0000],
            [ 0.5000]])
    """
    check_matrices("geqrf", input)
    packed, taus = _packed(input)
    if not taus:
        return Geqrf(packed, np.empty((*input.shape[:-2], 0), input.dtype))
    tau = cat(taus, dim=-1)
    return Geqrf(packed, families.reshape(tau, shape=(*tau.shape[:-2], tau.shape[-1])))


def _packed(a: Value) -> tuple[Value, list[Value]]:
    """The packed decomposition, and the factors as matrices of one element: a column at a time."""
    if 0 in a.shape[-2:]:
        return a, []
    v, tau, beta = _reflection(block(a, _ALL, slice(0, 1)))
    rest = block(a, _ALL, slice(1, None))
    rest = minus(rest, matmul(mul(v, conj(tau)), matmul(adjoint(v), rest)))
    below, taus = _packed(block(rest, slice(1, None), _ALL))
    first_row = cat([beta, block(rest, slice(0, 1), _ALL)], dim=-1)
    other_rows = cat([block(v, slice(1, None), _ALL), below], dim=-1)
    return cat([first_row, other_rows], dim=-2), [tau, *taus]


def _reflection(x: Value) -> tuple[Value, Value, Value]:
    """Vector v with v[0] = 1, tau and real beta of the reflection whose adjoint takes x to (beta, 0, ...)."""
    alpha, tail = block(x, slice(0, 1), _ALL), block(x, slice(1, None), _ALL)
    real = cast(real_part(alpha), x.dtype)
    off_axis = vector_norm(cat([tail, minus(alpha, real)], dim=-2), 2, -2, True)
    done = equal(off_axis, 0)  # nothing to reflect
    length = cast(vector_norm(x, 2, -2, True), x.dtype)
    one, zero = np.ones((), x.dtype), np.zeros((), x.dtype)
    beta = where(lt(real_part(alpha), 0), length, negative(length))
    tau = where(done, zero, div(minus(beta, alpha), where(done, one, beta)))
    tail = where(done, zero, div(tail, where(done, one, minus(alpha, beta))))
    return cat([broadcast_to(one, alpha.shape), tail], dim=-2), tau, where(done, alpha, beta)
