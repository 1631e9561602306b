"""QR factors and Householder reflections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.families import add, negative
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    block,
    check_matrices,
    diagonal_matrix,
    diagonal_of,
    imaginary_part,
    lower,
    minus,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.shape import embed
from tensorplay.ops.solving import back_substituted
from tensorplay.ops.svd import completed, uncompleted

_ALL = slice(None)


def _qr_impl(a: Array, mode: Literal["reduced", "complete"]) -> tuple[Array, Array]:
    q, r = np.linalg.qr(a, mode)
    return q, r


# Matrices [..., m, n] -> Q [..., m, k] with orthonormal columns and upper R [..., k, n], k = m or min(m, n) by mode.
_qr = Primitive("linalg.qr", _qr_impl)


@_qr.derivative
def _qr_derivative(out: Any, a: Value, *, mode: str) -> LinearMap:
    full_q, full_r = out
    k = min(a.shape[-2:])
    q, r = block(full_q, _ALL, slice(0, k)), block(full_r, slice(0, k), _ALL)
    square = block(r, _ALL, slice(0, k))

    def over_r(x: Value) -> Value:  # x inv(R)
        return adjoint(back_substituted(adjoint(square), adjoint(x), lower=True))

    def over_r_adjoint(x: Value) -> Value:  # x inv(R.mH)
        return adjoint(back_substituted(square, adjoint(x), lower=False))

    def outside(x: Value) -> Value:  # what is orthogonal to the columns of Q
        return minus(x, matmul(q, matmul(adjoint(q), x)))

    def push(a_dot: Value) -> tuple[Value, Value]:
        scaled = over_r(block(a_dot, _ALL, slice(0, k)))
        turn = _turn(matmul(adjoint(q), scaled))
        q_dot = matmul(q, turn) if a.shape[-2] == k else add(matmul(q, turn), outside(scaled))
        r_dot = minus(matmul(adjoint(q), a_dot), matmul(turn, r))
        return completed(full_q, q_dot, k), _with_rows(r_dot, full_r.shape[-2])

    def pull(ct: Any) -> tuple[Value]:
        q_ct, r_ct = ct
        turned, direct = None, None
        if r_ct is not None:
            r_ct = block(r_ct, slice(0, k), _ALL)
            turned, direct = negative(matmul(r_ct, adjoint(r))), matmul(q, r_ct)
        if q_ct is not None:
            q_ct = uncompleted(full_q, q_ct, k)
            turned = families.sum_of(turned, matmul(adjoint(q), q_ct))
        left = matmul(q, _turn_transposed(turned))
        if q_ct is not None and a.shape[-2] > k:
            left = add(left, outside(q_ct))
        return (families.sum_of(direct, _with_columns(over_r_adjoint(left), a.shape[-1])),)

    return LinearMap(push, pull)


def _turn(x: Value) -> Value:
    """The skew-Hermitian matrix with the strict lower triangle of x and the imaginary part of its diagonal."""
    low = lower(x, -1)
    turn = minus(low, adjoint(low))
    return turn if x.dtype.kind != "c" else add(turn, _imaginary_diagonal(x))


def _turn_transposed(y: Value) -> Value:
    """The transpose of `_turn`, as a linear map."""
    low = lower(minus(y, adjoint(y)), -1)
    return low if y.dtype.kind != "c" else add(low, _imaginary_diagonal(y))


def _imaginary_diagonal(x: Value) -> Value:
    return diagonal_matrix(imaginary_part(diagonal_of(x)))


def _with_rows(x: Value, rows: int) -> Value:
    """Matrices with rows of zeros added below."""
    return x if x.shape[-2] == rows else _embedded(x, rows, x.shape[-1])


def _with_columns(x: Value, columns: int) -> Value:
    """Matrices with columns of zeros added on the right."""
    return x if x.shape[-1] == columns else _embedded(x, x.shape[-2], columns)


def _embedded(x: Value, rows: int, columns: int) -> Value:
    key = (*(slice(None),) * (x.ndim - 2), slice(0, x.shape[-2], 1), slice(0, x.shape[-1], 1))
    return embed(x, shape=(*x.shape[:-2], rows, columns), key=key)


@_qr.batch
def _qr_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, mode: str) -> tuple[Any, bool]:
    return _qr(args[0], mode=mode), True


class QR(NamedTuple):
    """Result of `linalg.qr`."""

    Q: Value
    R: Value


def linalg_qr(A: Value, mode: str = "reduced") -> QR:
    """
    QR decomposition of each matrix, ``A = Q @ R``.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    mode : {"reduced", "complete", "r"}, default "reduced"
        Whether Q has min(m, n) columns, or m; "r" computes the reduced R only.

    Returns
    -------
    Q : Tensor
        Of shape [*, m, k], with orthonormal columns; empty in mode "r".
    R : Tensor
        Of shape [*, k, n], upper triangular.

    Notes
    -----
    The derivative needs the first min(m, n) columns of `A` to be linearly independent. The columns that "complete" adds
    may be any basis of the complement; they turn just enough to stay orthogonal.

    Examples
    --------
    >>> tp.linalg.qr(tp.tensor([[3.0], [4.0]]), mode="r").R.abs()
    tensor([[5.]])
    """
    check_matrices("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"linalg.qr: received unrecognized mode '{mode}' but expected 'reduced', 'r' or 'complete'")
    q, r = _qr(A, mode="reduced" if mode == "r" else mode)
    return QR(np.empty((0,), A.dtype) if mode == "r" else q, r)


def qr(input: Value, some: bool = True) -> QR:
    """
    QR decomposition of each matrix, ``input = Q @ R``.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, n].
    some : bool, default True
        Whether Q has min(m, n) columns; otherwise it has m.

    Returns
    -------
    Q : Tensor
        With orthonormal columns.
    R : Tensor
        Upper triangular.

    Examples
    --------
    >>> tp.qr(tp.tensor([[3.0], [4.0]])).R.abs()
    tensor([[5.]])
    """
    check_matrices("qr", input)
    return QR(*_qr(input, mode="reduced" if some else "complete"))
