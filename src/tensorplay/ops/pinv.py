"""Pseudo-inverses, least squares, ranks and condition numbers: what singular values decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.dtypes import INT64, NumpyDtype, real_dtype
from tensorplay.errors import shown
from tensorplay.ops import families, matrices
from tensorplay.ops.families import add, conj, elementwise, mul, sum_dims
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    as_column,
    check_matrices,
    check_same_dtype,
    check_square,
    minus,
    real_part,
)
from tensorplay.ops.products import broadcast_shape, matmul
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import detach
from tensorplay.ops.spectral import converging, eigvalsh
from tensorplay.ops.svd import svdvals

Tolerance = Any  # a number or a tensor that broadcasts with the leading dims

# ---- which singular values count -------------------------------------------------------------------------------------


def _tolerances(a: Value, atol: Tolerance, rtol: Tolerance) -> tuple[Value, Value]:
    """Absolute and relative tolerance as values with a dim for the singular values, by torch's defaults."""
    real = real_dtype(a.dtype)
    absolute = _as_tolerance(0 if atol is None else atol, real)
    if rtol is not None:
        return absolute, _as_tolerance(rtol, real)
    epsilon = real.type(np.finfo(real).eps * max(a.shape[-2:]))
    return absolute, mul(_is_zero(absolute), epsilon)


def _as_tolerance(tolerance: Tolerance, dtype: NumpyDtype) -> Value:
    """A tolerance per matrix, with a last dim of size 1."""
    value = detach(tolerance) if hasattr(tolerance, "dtype") else np.asarray(tolerance)
    value = cast(value, dtype)
    return families.reshape(value, shape=(*value.shape, 1))


_is_zero = elementwise("is_zero", lambda x: np.less_equal(x, 0).astype(x.dtype), None)


def _counts_impl(s: Any, atol: Any, rtol: Any) -> Any:
    size = np.abs(s)
    return size > np.maximum(atol, rtol * size.max(-1, keepdims=True, initial=0))


# Whether each singular value (or eigenvalue) exceeds max(atol, rtol * the largest one).
_counts = Primitive("exceeds_tolerance", _counts_impl, differentiable=False)


@_counts.batch
def _counts_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    return _counts(*families.align_ranks(args, mapped)), True


def matrix_rank(
    A: Value,
    tol: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
) -> Value:
    """
    Number of singular values of each matrix that exceed a tolerance.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    tol : float or Tensor, optional
        Older name of `atol`, with `rtol` 0.
    hermitian : bool, default False
        Whether `A` is Hermitian; then eigenvalues are used, which is quicker.
    atol : float or Tensor, optional
        Absolute tolerance, 0 by default.
    rtol : float or Tensor, optional
        Tolerance relative to the largest singular value; by default max(m, n) times the dtype's epsilon, or 0 where
        `atol` is positive.

    Returns
    -------
    Tensor
        Of shape [*], int64.

    Examples
    --------
    >>> tp.linalg.matrix_rank(tp.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """
    check_matrices("linalg.matrix_rank", A)
    if hermitian:
        check_square("linalg.matrix_rank", A)
    if tol is not None:
        atol, rtol = tol, 0.0
    a = detach(A)
    s = eigvalsh(a) if hermitian else svdvals(a)
    return sum_dims(cast(_counts(s, *_tolerances(A, atol, rtol)), INT64), dims=(s.ndim - 1,))


# ---- pseudo-inverse --------------------------------------------------------------------------------------------------


def _pinv_impl(a: Array, atol: Array, rtol: Array, hermitian: bool) -> Array:
    if hermitian:
        s, u = np.linalg.eigh(a)
        v = u
    else:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        v = vh.swapaxes(-1, -2).conj()
    inverse = np.where(_counts_impl(s, atol, rtol), np.reciprocal(s), np.zeros((), s.dtype))
    out: Array = np.matmul(v * inverse[..., None, :], u.swapaxes(-1, -2).conj())
    return out


# Matrices [..., m, n], tolerances [..., 1] -> [..., n, m].
_pinv = Primitive("linalg.pinv", converging("linalg.pinv", _pinv_impl))


@_pinv.derivative
def _pinv_derivative(p: Value, a: Value, atol: Value, rtol: Value, *, hermitian: bool) -> LinearMap:
    """At constant rank (Golub and Pereyra, 1973)."""

    def part(x: Value) -> Value:
        return matrices.hermitian(x) if hermitian else x

    def push(a_dot: Value, *_: None) -> Value:
        a_dot = part(a_dot)
        back, p_h = adjoint(a_dot), adjoint(p)
        first = matmul(p, matmul(p_h, back))
        second = matmul(back, matmul(p_h, p))
        first = minus(first, matmul(matmul(first, a), p))
        second = minus(second, matmul(p, matmul(a, second)))
        return add(minus(first, matmul(p, matmul(a_dot, p))), second)

    def pull(ct: Value) -> tuple[Value, None, None]:
        c_h, p_h = adjoint(ct), adjoint(p)
        first = matmul(matmul(c_h, p), p_h)
        second = matmul(p_h, matmul(p, c_h))
        first = minus(first, matmul(a, matmul(p, first)))
        second = minus(second, matmul(matmul(second, p), a))
        return part(add(minus(first, matmul(p_h, matmul(ct, p_h))), second)), None, None

    return LinearMap(push, pull)


@_pinv.batch
def _pinv_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, hermitian: bool) -> tuple[Value, bool]:
    a, *tolerances = args
    if not mapped[0]:
        a = families.expand(a, shape=(size, *a.shape))
    rank = a.ndim - 1
    fitted = [
        families.reshape(t, shape=(t.shape[0], *(1,) * (rank - t.ndim), *t.shape[1:])) if here else t
        for t, here in zip(tolerances, mapped[1:], strict=True)
    ]
    return _pinv(a, *fitted, hermitian=hermitian), True


def pinv(
    A: Value,
    rcond: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
) -> Value:
    """
    Moore-Penrose pseudo-inverse of each matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    rcond : float or Tensor, optional
        Older name of `rtol`.
    hermitian : bool, default False
        Whether `A` is Hermitian; then eigenvalues are used, which is quicker.
    atol, rtol : float or Tensor, optional
        Singular values up to ``max(atol, rtol * largest)`` count as zero. `atol` is 0 by default, `rtol` max(m, n)
        times the dtype's epsilon, or 0 where `atol` is positive.

    Returns
    -------
    Tensor
        Of shape [*, n, m].

    Notes
    -----
    The derivative is that along matrices of the same rank.

    Examples
    --------
    >>> tp.linalg.pinv(tp.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    check_matrices("linalg.pinv", A)
    if hermitian:
        check_square("linalg.pinv", A)
    atol, rtol = _tolerances(A, atol, rcond if rtol is None else rtol)
    return _pinv(A, atol, rtol, hermitian=bool(hermitian))


def pinverse(input: Value, rcond: float = 1e-15) -> Value:
    """
    Moore-Penrose pseudo-inverse of each matrix.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, n].
    rcond : float, default 1e-15
        Singular values up to `rcond` times the largest one count as zero.

    Returns
    -------
    Tensor
        Of shape [*, n, m].

    Examples
    --------
    >>> tp.pinverse(tp.tensor([[2.0]]))
    tensor([[0.5000]])
    """
    return pinv(input, rtol=rcond)


# ---- least squares ---------------------------------------------------------------------------------------------------


class Lstsq(NamedTuple):
    """Result of `linalg.lstsq`."""

    solution: Value
    residuals: Value
    rank: Value
    singular_values: Value


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq(A: Value, B: Value, rcond: float | None = None, *, driver: str | None = None) -> Lstsq:
    """
    Least-squares solution of a system of linear equations: the X of least norm among those that minimise ``|A X - B|``.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    B : Tensor
        Of shape [*, m, k], or vectors: of just the shape of `A` without its last dim.
    rcond : float, optional
        Singular values up to `rcond` times the largest one count as zero; by default max(m, n) times the dtype's
        epsilon.
    driver : {"gelsy", "gels", "gelsd", "gelss"}, optional
        Which of the further results are wanted: "gelsy", the default, no residuals, "gels" no rank, "gelsd" and "gelss"
        also the singular values.

    Returns
    -------
    solution : Tensor
        Of shape [*, n, k].
    residuals : Tensor
        Of shape [*, k], the squared distances; empty with "gelsy", and unless m > n and every matrix has rank n.
    rank : Tensor
        Of shape [*], int64; empty with "gels".
    singular_values : Tensor
        Of shape [*, min(m, n)]; empty unless the driver is "gelsd" or "gelss".

    Examples
    --------
    >>> tp.linalg.lstsq(tp.tensor([[2.0], [0.0]]), tp.tensor([[4.0], [1.0]])).solution
    tensor([[2.]])
    """
    name = "linalg.lstsq"
    check_matrices(name, A)
    check_same_dtype(name, A, B)
    driver = "gelsy" if driver is None else driver
    if driver not in _DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of {_DRIVERS}, got {shown(driver)}")
    is_vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    b = as_column(B) if is_vector else B
    if b.ndim < 2 or b.shape[-2] != A.shape[-2]:
        raise RuntimeError(f"{name}: A and B must have equally many rows, got {list(A.shape)} and {list(B.shape)}")
    broadcast_shape(name, A.shape[:-2], b.shape[:-2])
    x = matmul(pinv(A, rtol=rcond), b)
    rank = matrix_rank(A, rtol=rcond)
    # torch's default driver does not compute them
    empty = np.empty((0,), real_dtype(A.dtype))
    residuals = empty if driver == "gelsy" else _residuals(A, x, b, rank)
    return Lstsq(
        families.reshape(x, shape=x.shape[:-1]) if is_vector else x,
        residuals,
        np.empty((0,), INT64) if driver == "gels" else rank,
        svdvals(A) if driver in ("gelsd", "gelss") else empty,
    )


def _residuals(a: Value, x: Value, b: Value, rank: Value) -> Value:
    m, n = a.shape[-2:]
    if m <= n or bool((ground(rank) < n).any()):
        return np.empty((0,), real_dtype(a.dtype))
    rest = minus(matmul(a, x), b)
    return real_part(sum_dims(mul(rest, conj(rest)), dims=(rest.ndim - 2,)))
