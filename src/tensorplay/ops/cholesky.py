"""
Cholesky factors and what is solved with them.

The input counts as Hermitian: its derivative is one with respect to Hermitian matrices, and the gradient is Hermitian.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    check_info,
    check_same_dtype,
    check_square,
    half_diagonal_lower,
    hermitian,
    lapack_kernel,
    over_stack,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.solving import back_substituted, check_fit

_INDEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{info} is not positive-definite)."
)


def _cholesky_impl(a: Array) -> tuple[Array, Array]:
    if a.ndim == 2:
        return _factor_and_info(a)
    try:
        return np.linalg.cholesky(a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        factor, info = over_stack(_factor_and_info, a, core=(2,))
        return factor, info


def _factor_and_info(a: Array) -> tuple[Array, Array]:
    # LAPACK holds matrices column by column, where the lower triangle of a is the upper one of its transpose
    upper, info = lapack_kernel("potrf", a)(a.T, lower=0, clean=1)
    return upper.T, np.asarray(info, np.int32)


# Hermitian matrices [..., n, n], of which the lower triangle is read -> lower factors, orders of bad leading minors.
_cholesky = Primitive("linalg.cholesky", _cholesky_impl)


@_cholesky.derivative
def _cholesky_derivative(out: Any, a: Value) -> LinearMap:
    factor = out[0]

    def push(a_dot: Value) -> tuple[Value, None]:
        half = back_substituted(factor, hermitian(a_dot), lower=True)
        inner = adjoint(back_substituted(factor, adjoint(half), lower=True))
        return matmul(factor, half_diagonal_lower(inner)), None

    def pull(ct: Any) -> tuple[Value]:
        inner = hermitian(half_diagonal_lower(matmul(adjoint(factor), ct[0])))
        upper = adjoint(factor)
        half = back_substituted(upper, inner, lower=False)
        return (adjoint(back_substituted(upper, adjoint(half), lower=False)),)

    return LinearMap(push, pull)


@_cholesky.batch
def _cholesky_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, bool]:
    return _cholesky(args[0]), True


class CholeskyEx(NamedTuple):
    """Result of `linalg.cholesky_ex`."""

    L: Value
    info: Value


def _factored(a: Value, upper: bool) -> tuple[Value, Value]:
    """The factor of each matrix, lower or upper, from the triangle of the same name."""
    factor, info = _cholesky(adjoint(a) if upper else a)
    return adjoint(factor) if upper else factor, info


def cholesky(A: Value, *, upper: bool = False) -> Value:
    """
    Cholesky factor of each Hermitian positive-definite matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n]; one triangle is read.
    upper : bool, default False
        Whether to return the upper factor U, with ``A = U.mH @ U``, instead of the lower one, with ``A = L @ L.mH``.

    Returns
    -------
    Tensor
        Of shape [*, n, n], triangular.

    Raises
    ------
    LinAlgError
        If a matrix is not positive-definite.

    Examples
    --------
    >>> tp.linalg.cholesky(tp.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    check_square("linalg.cholesky", A)
    factor, info = _factored(A, upper)
    check_info("linalg.cholesky", info, _INDEFINITE)
    return factor


def cholesky_ex(A: Value, *, upper: bool = False, check_errors: bool = False) -> CholeskyEx:
    """
    Cholesky factor of each matrix, and whether there is one.

    Parameters
    ----------
    A, upper
        As in `linalg.cholesky`.
    check_errors : bool, default False
        Whether a matrix that is not positive-definite raises.

    Returns
    -------
    L : Tensor
        Of shape [*, n, n]; incomplete where there is no factor.
    info : Tensor
        Per matrix 0, or the order of the first leading minor that is not positive; int32.

    Examples
    --------
    >>> tp.linalg.cholesky_ex(tp.tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=tensorplay.int32)
    """
    check_square("linalg.cholesky_ex", A)
    factor, info = _factored(A, upper)
    if check_errors:
        check_info("linalg.cholesky_ex", info, _INDEFINITE)
    return CholeskyEx(factor, info)


def torch_cholesky(input: Value, upper: bool = False) -> Value:
    """
    Cholesky factor of each Hermitian positive-definite matrix.

    Parameters
    ----------
    input : Tensor
        Of shape [*, n, n].
    upper : bool, default False
        Whether to return the upper factor instead of the lower one.

    Returns
    -------
    Tensor
        Of shape [*, n, n], triangular.

    Raises
    ------
    LinAlgError
        If a matrix is not positive-definite.

    Examples
    --------
    >>> tp.cholesky(tp.tensor([[4.0]]))
    tensor([[2.]])
    """
    return cholesky(input, upper=upper)


torch_cholesky.__name__ = torch_cholesky.__qualname__ = "cholesky"  # as users know it


def cholesky_solve(B: Value, L: Value, upper: bool = False) -> Value:
    """
    Solution of a system of linear equations from the Cholesky factor of its matrix.

    Parameters
    ----------
    B : Tensor
        Right-hand sides, of shape [*, n, k].
    L : Tensor
        Factors, of shape [*, n, n].
    upper : bool, default False
        Whether `L` is the upper factor.

    Returns
    -------
    Tensor
        X with ``A X = B``, of the broadcast shape of `B`.

    Examples
    --------
    >>> tp.cholesky_solve(tp.ones(1, 1), tp.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_solve", L, "L")
    check_same_dtype("cholesky_solve", B, L)
    check_fit("cholesky_solve", L, B, True)
    first, second = (adjoint(L), L) if upper else (L, adjoint(L))
    return back_substituted(second, back_substituted(first, B, lower=True), lower=False)


def cholesky_inverse(L: Value, upper: bool = False) -> Value:
    """
    Inverse of each matrix from its Cholesky factor.

    Parameters
    ----------
    L : Tensor
        Factors, of shape [*, n, n].
    upper : bool, default False
        Whether `L` is the upper factor.

    Returns
    -------
    Tensor
        Of shape [*, n, n].

    Examples
    --------
    >>> tp.cholesky_inverse(tp.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_inverse", L, "L")
    return cholesky_solve(np.eye(L.shape[-1], dtype=L.dtype), L, upper)
