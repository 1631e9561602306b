"""
Eigenvalues and eigenvectors.

Eigenvectors of equal eigenvalues are not differentiable: they may be any basis of their space. What a derivative
would divide by the gap between such eigenvalues becomes NaN, except where there is nothing to divide. So functions of
the eigenvalues alone (sums, norms, products) have their finite gradient, and functions of such eigenvectors never a
wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.dtypes import complex_dtype
from tensorplay.errors import LinAlgError
from tensorplay.ops import families
from tensorplay.ops.families import elementwise, mul, negative, scale, sum_dims, sum_of
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    as_column,
    as_row,
    check_square,
    diagonal_matrix,
    diagonal_of,
    hermitian,
    minus,
    real_part,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast
from tensorplay.ops.solving import solve_square


def converging(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of NumPy whose failures are raised as `LinAlgError`."""

    def run(*args: Array, **params: Any) -> Any:
        try:
            out = kernel(*args, **params)
        except np.linalg.LinAlgError as error:
            finite = all([np.isfinite(arg).all() for arg in args])
            reason = str(error) if finite else "the input contains non-finite values"
            raise LinAlgError(f"{name}: The algorithm failed to converge: {reason}.") from None
        return tuple(out) if isinstance(out, tuple) else out

    return run


# ---- gaps ------------------------------------------------------------------------------------------------------------


def _inverse_gap_impl(x: Any, y: Any, unit: Any) -> Any:
    gap = np.subtract(x, y)
    inverse = np.where(np.abs(gap) <= unit, np.full((), np.nan, gap.dtype), np.reciprocal(gap))
    diagonal = np.arange(gap.shape[-1])
    inverse[..., diagonal, diagonal] = 0
    return inverse


# The matrix 1 / (x - y) of a row and a column: NaN where the two differ by `unit` or less, but 0 on the diagonal.
_inverse_gap = elementwise(
    "inverse_gap",
    _inverse_gap_impl,
    [lambda out, _x, _y, _unit: negative(mul(out, out)), lambda out, _x, _y, _unit: mul(out, out), None],
)


# 1 / x
inverse = elementwise("inverse_of", np.reciprocal, [lambda out, _x: negative(mul(out, out))])


def _rounding_impl(w: Array) -> Array:
    largest = np.abs(w).max(-1, initial=0)
    unit: Array = 4 * w.shape[-1] * np.finfo(w.dtype).eps * largest
    return unit.astype(largest.dtype)[..., None, None]


# Gap that is rounding alone, for each vector of eigenvalues: [..., n] -> [..., 1, 1].
_rounding = Primitive("eigenvalue_rounding", _rounding_impl, differentiable=False)
_rounding.batch(lambda size, args, mapped: (_rounding(args[0]), True))


def inverse_gaps(w: Value) -> Value:
    """The matrix 1 / (w_j - w_i) of each vector: NaN where the two are equal to rounding, zero on the diagonal."""
    return _inverse_gap(as_row(w), as_column(w), _rounding(w))


def check_phase(name: str, what: str, overlap: Value, *cts: Value | None) -> None:
    """Raise if a function of complex vectors depends on their arbitrary phases; `overlap` is vectors.mH @ cotangent."""
    array = ground(overlap)
    if array.dtype.kind != "c":
        return
    phases = np.abs(np.diagonal(array, 0, -2, -1).imag).max(initial=0)
    # a cotangent that is rounding alone tells nothing
    largest = max([np.abs(ground(ct)).max(initial=1) for ct in cts if ct is not None])
    if phases > np.sqrt(np.finfo(array.dtype).eps) * largest:
        raise RuntimeError(
            f"{name}: {what} of a complex matrix are only determined up to a phase, and the function that is "
            f"differentiated depends on it: its derivative is not defined. Make it independent of the phase (of "
            f"v / v[0], say, or of abs(v))."
        )


# ---- Hermitian matrices ----------------------------------------------------------------------------------------------

_eigh = Primitive(
    "linalg.eigh",
    converging("linalg.eigh", lambda a, lower: np.linalg.eigh(a, "L" if lower else "U")),
)


@_eigh.derivative
def _eigh_derivative(out: Any, a: Value, *, lower: bool) -> LinearMap:
    w, v = out
    gaps = cast(inverse_gaps(w), a.dtype)

    def push(a_dot: Value) -> tuple[Value, Value]:
        inner = matmul(adjoint(v), matmul(hermitian(a_dot), v))
        return real_part(diagonal_of(inner)), matmul(v, scale(inner, gaps))

    def pull(ct: Any) -> tuple[Value]:
        w_ct, v_ct = ct
        turn = None
        if v_ct is not None:
            overlap = matmul(adjoint(v), v_ct)
            check_phase("linalg.eigh", "eigenvectors", overlap, v_ct)
            turn = scale(overlap, gaps)
        inner = sum_of(None if w_ct is None else cast(diagonal_matrix(w_ct), a.dtype), turn)
        return (hermitian(matmul(v, matmul(inner, adjoint(v)))),)

    return LinearMap(push, pull)


@_eigh.batch
def _eigh_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, lower: bool) -> tuple[Any, bool]:
    return _eigh(args[0], lower=lower), True


_eigvalsh = Primitive(
    "linalg.eigvalsh",
    converging("linalg.eigvalsh", lambda a, lower: np.linalg.eigvalsh(a, "L" if lower else "U")),
)


@_eigvalsh.derivative
def _eigvalsh_derivative(out: Value, a: Value, *, lower: bool) -> LinearMap:
    _, v = _eigh(a, lower=lower)

    def push(a_dot: Value) -> Value:
        return real_part(sum_dims(mul(families.conj(v), matmul(hermitian(a_dot), v)), dims=(v.ndim - 2,)))

    def pull(ct: Value) -> tuple[Value]:
        return (hermitian(matmul(mul(v, cast(as_row(ct), v.dtype)), adjoint(v))),)

    return LinearMap(push, pull)


@_eigvalsh.batch
def _eigvalsh_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, lower: bool) -> tuple[Value, bool]:
    return _eigvalsh(args[0], lower=lower), True


class Eigh(NamedTuple):
    """Result of `linalg.eigh`."""

    eigenvalues: Value
    eigenvectors: Value


def _is_lower(name: str, uplo: str) -> bool:
    if uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"{name}: Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return uplo.upper() == "L"


def eigh(A: Value, UPLO: str = "L") -> Eigh:
    """
    Eigenvalues and eigenvectors of each Hermitian matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n], Hermitian.
    UPLO : {"L", "U"}, default "L"
        Which triangle is read.

    Returns
    -------
    eigenvalues : Tensor
        Of shape [*, n], real, ascending.
    eigenvectors : Tensor
        Of shape [*, n, n], the columns; ``A = V @ diag(w) @ V.mH``.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, as for NaN.

    Notes
    -----
    The gradient is Hermitian. Eigenvectors of equal eigenvalues have no derivative: a function of them gets NaN.

    Examples
    --------
    >>> tp.linalg.eigh(tp.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    check_square("linalg.eigh", A)
    return Eigh(*_eigh(A, lower=_is_lower("linalg.eigh", UPLO)))


def eigvalsh(A: Value, UPLO: str = "L") -> Value:
    """
    Eigenvalues of each Hermitian matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n], Hermitian.
    UPLO : {"L", "U"}, default "L"
        Which triangle is read.

    Returns
    -------
    Tensor
        Of shape [*, n], real, ascending.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, as for NaN.

    Notes
    -----
    The gradient is Hermitian, and right at equal eigenvalues too for functions that treat them alike.

    Examples
    --------
    >>> tp.linalg.eigvalsh(tp.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    check_square("linalg.eigvalsh", A)
    return _eigvalsh(A, lower=_is_lower("linalg.eigvalsh", UPLO))


# ---- general matrices ------------------------------------------------------------------------------------------------


def _eig_impl(a: Array) -> tuple[Array, Array]:
    w, v = np.linalg.eig(a)
    dtype = complex_dtype(a.dtype)
    return w.astype(dtype), v.astype(dtype)


_eig = Primitive("linalg.eig", converging("linalg.eig", _eig_impl))


@_eig.derivative
def _eig_derivative(out: Any, a: Value) -> LinearMap:
    w, v = out
    gaps = inverse_gaps(w)

    def push(a_dot: Value) -> tuple[Value, Value]:
        inner = solve_square(v, matmul(cast(a_dot, v.dtype), v))
        moved = matmul(v, scale(inner, gaps))
        return diagonal_of(inner), minus(moved, _along(v, moved))

    def pull(ct: Any) -> tuple[Value]:
        w_ct, v_ct = ct
        turn = None
        if v_ct is not None:
            check_phase("linalg.eig", "eigenvectors", matmul(adjoint(v), v_ct), v_ct)
            turn = scale(matmul(adjoint(v), minus(v_ct, _along(v, v_ct))), families.conj(gaps))
        inner = sum_of(None if w_ct is None else diagonal_matrix(w_ct), turn)
        return (cast(solve_square(adjoint(v), matmul(inner, adjoint(v))), a.dtype),)

    return LinearMap(push, pull)


def _along(v: Value, x: Value) -> Value:
    """The part of each column of x that would change the length of that column of v."""
    share = real_part(sum_dims(mul(families.conj(v), x), dims=(v.ndim - 2,)))
    return mul(v, cast(as_row(share), v.dtype))


@_eig.batch
def _eig_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, bool]:
    return _eig(args[0]), True


_eigvals = Primitive(
    "linalg.eigvals",
    converging("linalg.eigvals", lambda a: np.linalg.eigvals(a).astype(complex_dtype(a.dtype))),
)


@_eigvals.derivative
def _eigvals_derivative(out: Value, a: Value) -> LinearMap:
    w, v = _eig(a)
    full = _eig_derivative((w, v), a)
    return LinearMap(lambda a_dot: full.push(a_dot)[0], lambda ct: full.pull((ct, None)))


@_eigvals.batch
def _eigvals_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    return _eigvals(args[0]), True


class Eig(NamedTuple):
    """Result of `linalg.eig`."""

    eigenvalues: Value
    eigenvectors: Value


def eig(A: Value) -> Eig:
    """
    Eigenvalues and eigenvectors of each square matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n], diagonalizable.

    Returns
    -------
    eigenvalues : Tensor
        Of shape [*, n], complex, in no order.
    eigenvectors : Tensor
        Of shape [*, n, n], complex, columns of length 1; ``A = V @ diag(w) @ inv(V)``.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, as for NaN.

    Examples
    --------
    >>> tp.linalg.eig(tp.tensor([[3.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([3.+0.j, 1.+0.j])
    """
    check_square("linalg.eig", A)
    return Eig(*_eig(A))


def eigvals(A: Value) -> Value:
    """
    Eigenvalues of each square matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n].

    Returns
    -------
    Tensor
        Of shape [*, n], complex, in no order.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, as for NaN.

    Examples
    --------
    >>> tp.linalg.eigvals(tp.tensor([[3.0, 0.0], [0.0, 1.0]]))
    tensor([3.+0.j, 1.+0.j])
    """
    check_square("linalg.eigvals", A)
    return _eigvals(A)
