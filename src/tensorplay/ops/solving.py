"""Linear systems and inverses."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.families import negative, permute, sum_of, sum_to
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    as_column,
    blas_kernel,
    check_dtype,
    check_info,
    check_same_dtype,
    check_square,
    lapack_kernel,
    lower,
    over_stack,
    transposed,
    upper,
)
from tensorplay.ops.products import broadcast_shape, matmul
from tensorplay.ops.shape import broadcast_to, copy, movedim

WIDE = 32  # right-hand sides that are many
_SINGULAR = "The solver failed because the input matrix is singular."
_NO_INVERSE = (
    "The diagonal element {info} is zero, the inversion could not be completed because the input matrix is singular."
)


# ---- a x = b ---------------------------------------------------------------------------------------------------------


def _solve_impl(a: Array, b: Array) -> tuple[Array, Array]:
    try:
        return np.linalg.solve(a, b), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        x: Array = over_stack(_solve_or_nan, a, b, core=(2, 2))
        return x, over_stack(lu_info, a, core=(2,))


def lu_info(a: Array) -> Array:
    """Number of the first zero pivot, 0 if there is none."""
    return np.asarray(lapack_kernel("getrf", a)(a)[2], np.int32)


def _solve_or_nan(a: Array, b: Array) -> Array:
    return np.full_like(b, np.nan) if lu_info(a) else np.linalg.solve(a, b)


# Matrices a [..., n, n] and b [..., n, k] of one rank, leading dims that broadcast -> x, the number of a zero pivot.
_solve = Primitive("linalg.solve", _solve_impl)


@_solve.derivative
def _solve_derivative(out: Any, a: Value, b: Value) -> LinearMap:
    x = out[0]

    def push(a_dot: Value | None, b_dot: Value | None) -> tuple[Value, None]:
        moved = None if a_dot is None else negative(matmul(a_dot, x))
        return _solve(a, sum_of(b_dot, moved))[0], None

    def pull(ct: Any) -> tuple[Any, ...]:
        back = _solve(adjoint(a), ct[0])[0]
        return lambda: sum_to(negative(matmul(back, adjoint(x))), a.shape), lambda: sum_to(back, b.shape)

    return LinearMap(push, pull)


@_solve.batch
def _solve_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, Any]:
    if mapped[0]:
        return _solve(*_of_one_rank(*args)), True
    x, info = _solve(args[0], _columns_of_batch(args[1]))
    return (_batch_of_columns(x, size, args[1].shape[-1]), info), (True, False)


def _columns_of_batch(b: Value) -> Value:
    """[B, ..., n, k] as [..., n, B k]: right-hand sides of one matrix are solved together."""
    moved = permute(b, dims=(*range(1, b.ndim - 1), 0, b.ndim - 1))  # [..., n, B, k]
    return families.reshape(moved, shape=(*moved.shape[:-2], moved.shape[-2] * moved.shape[-1]))


def _batch_of_columns(x: Value, size: int, columns: int) -> Value:
    """[..., n, B k] as [B, ..., n, k]."""
    split = families.reshape(x, shape=(*x.shape[:-1], size, columns))
    return permute(split, dims=(split.ndim - 2, *range(split.ndim - 2), split.ndim - 1))


def _of_one_rank(a: Value, b: Value) -> tuple[Value, Value]:
    """Two stacks of matrices with as many leading dims each."""
    rank = max(a.ndim, b.ndim)
    return _of_rank(a, rank), _of_rank(b, rank)


def _of_rank(x: Value, rank: int) -> Value:
    return x if x.ndim == rank else families.reshape(x, shape=((1,) * (rank - x.ndim) + x.shape))


def solve_square(a: Value, b: Value) -> Value:
    """X with ``A X = B``, without checks; NaN where A is singular."""
    x, _ = _solve(*_of_one_rank(a, b))
    return x


class SolveEx(NamedTuple):
    """Result of `linalg.solve_ex`."""

    result: Value
    info: Value


def solve(A: Value, B: Value, *, left: bool = True) -> Value:
    """
    Solution of a system of linear equations, ``A X = B``.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n], invertible.
    B : Tensor
        Of shape [*, n, k], whose leading dims broadcast with those of `A`; or vectors: of shape [n], or of just the
        shape of `A` without its last dim.
    left : bool, default True
        False solves ``X A = B``, with B of shape [*, k, n].

    Returns
    -------
    Tensor
        Of the broadcast shape of `B`.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    RuntimeError
        If shapes do not fit.

    Examples
    --------
    >>> tp.linalg.solve(tp.tensor([[2.0, 0.0], [0.0, 4.0]]), tp.tensor([1.0, 1.0]))
    tensor([0.5000, 0.2500])
    """
    x, info = _solved("linalg.solve", A, B, left)
    check_info("linalg.solve", info, _SINGULAR)
    return x


def solve_ex(A: Value, B: Value, *, left: bool = True, check_errors: bool = False) -> SolveEx:
    """
    Solution of a system of linear equations, and whether there is one.

    Parameters
    ----------
    A, B, left
        As in `linalg.solve`.
    check_errors : bool, default False
        Whether a singular matrix raises.

    Returns
    -------
    result : Tensor
        The solution; NaN where the matrix is singular.
    info : Tensor
        Per matrix 0, or the number of a zero pivot, counted from 1; int32.

    Examples
    --------
    >>> tp.linalg.solve_ex(tp.eye(2), tp.ones(2)).info
    tensor(0, dtype=tensorplay.int32)
    """
    x, info = _solved("linalg.solve_ex", A, B, left)
    if check_errors:
        check_info("linalg.solve_ex", info, _SINGULAR)
    return SolveEx(x, info)


def _solved(name: str, a: Value, b: Value, left: bool) -> tuple[Value, Value]:
    check_square(name, a)
    check_same_dtype(name, a, b)
    # a shape that could be either is a vector, as in torch
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        check_fit(name, a, as_column(b), True)
        x, info = _solve(*_of_one_rank(a, as_column(b)))
        return families.reshape(x, shape=x.shape[:-1]), families.reshape(info, shape=a.shape[:-2])
    check_fit(name, a, b, left)
    flip: Callable[[Value], Value] = (lambda x: x) if left else transposed
    x, info = _solve(*_of_one_rank(flip(a), flip(b)))
    return flip(x), families.reshape(info, shape=a.shape[:-2])


def check_fit(name: str, a: Value, b: Value, left: bool) -> None:
    """Raise unless the right-hand sides have as many rows (columns, if not `left`) as the matrices."""
    rows = b.shape[-2 if left else -1] if b.ndim > 1 else None
    if rows != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation}: {list(a.shape)} and {list(b.shape)}"
        )
    broadcast_shape(name, a.shape[:-2], b.shape[:-2])


# ---- triangular systems ----------------------------------------------------------------------------------------------


def _triangular_impl(a: Array, b: Array, lower: bool, unit: bool) -> Array:
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if math.prod(lead) > 2 * a.shape[-1]:
        return _substituted(a, np.broadcast_to(b, lead + b.shape[-2:]).copy(), lower, unit)
    trsm = blas_kernel("trsm", a, b)
    out: Array = over_stack(functools.partial(_one_triangular, trsm, lower=lower, unit=unit), a, b, core=(2, 2))
    return out


def _one_triangular(trsm: Callable[..., Any], a: Array, b: Array, *, lower: bool, unit: bool) -> Array:
    """
    One system. BLAS holds matrices column by column: what lies row by row goes there transposed, without a copy.

    Many right-hand sides are solved from the right, as rows, whichever way they lie: OpenBLAS is quicker so.
    """
    if b.size == 0:
        return b.copy()
    turned = not a.flags.f_contiguous
    if turned:
        a, lower = a.T, not lower
    if b.shape[1] < WIDE:
        out: Array = trsm(1.0, a, b, lower=lower, trans_a=turned, diag=unit)
        return out
    out = trsm(1.0, a, b.T, side=1, lower=lower, trans_a=not turned, diag=unit)
    return out.T


def _substituted(a: Array, x: Array, lower: bool, unit: bool) -> Array:
    """Substitution, a row of all matrices at once: quicker for many small matrices than one after the other."""
    n = a.shape[-1]
    for i in range(n) if lower else reversed(range(n)):
        known = slice(0, i) if lower else slice(i + 1, n)
        x[..., i, :] -= np.matmul(a[..., i : i + 1, known], x[..., known, :])[..., 0, :]
        if not unit:
            x[..., i, :] /= a[..., i, i, None]
    return x


# The triangle of a [..., n, n] on one side of its diagonal (which counts as ones if `unit`) against b [..., n, k].
_triangular = Primitive("linalg.solve_triangular", _triangular_impl)


@_triangular.derivative
def _triangular_derivative(x: Value, a: Value, b: Value, *, lower: bool, unit: bool) -> LinearMap:
    def part(m: Value) -> Value:
        return triangle(m, lower, int(unit))

    def push(a_dot: Value | None, b_dot: Value | None) -> Value:
        moved = None if a_dot is None else negative(matmul(part(a_dot), x))
        return _triangular(a, sum_of(b_dot, moved), lower=lower, unit=unit)

    def pull(ct: Value) -> tuple[Any, ...]:
        back = _triangular(adjoint(a), ct, lower=not lower, unit=unit)
        return lambda: sum_to(negative(part(matmul(back, adjoint(x)))), a.shape), lambda: sum_to(back, b.shape)

    return LinearMap(push, pull)


def triangle(x: Value, lower_half: bool, offset: int) -> Value:
    """One triangle of each matrix, `offset` away from the diagonal."""
    return lower(x, -offset) if lower_half else upper(x, offset)


@_triangular.batch
def _triangular_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, lower: bool, unit: bool
) -> tuple[Value, bool]:
    if mapped[0]:
        return _triangular(*_of_one_rank(*args), lower=lower, unit=unit), True
    x = _triangular(args[0], _columns_of_batch(args[1]), lower=lower, unit=unit)
    return _batch_of_columns(x, size, args[1].shape[-1]), True


def back_substituted(a: Value, b: Value, *, lower: bool, unit: bool = False) -> Value:
    """X with ``A X = B`` for triangular A; only that triangle is read."""
    return _triangular(*_of_one_rank(a, b), lower=lower, unit=unit)


def solve_triangular(A: Value, B: Value, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Value:
    """
    Solution of a system of linear equations with a triangular matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n]; the other triangle is not read.
    B : Tensor
        Of shape [*, n, k].
    upper : bool
        Which triangle of `A` to use.
    left : bool, default True
        False solves ``X A = B``, with B of shape [*, k, n].
    unitriangular : bool, default False
        Whether the diagonal counts as ones and is not read.

    Returns
    -------
    Tensor
        Of the broadcast shape of `B`; infinite or NaN where the diagonal holds a zero.

    Examples
    --------
    >>> tp.linalg.solve_triangular(tp.tensor([[2.0, 0.0], [1.0, 1.0]]), tp.tensor([[2.0], [3.0]]), upper=False)
    tensor([[1.],
            [2.]])
    """
    name = "linalg.solve_triangular"
    check_square(name, A)
    check_same_dtype(name, A, B)
    check_fit(name, A, B, left)
    if left:
        return back_substituted(A, B, lower=not upper, unit=unitriangular)
    return transposed(back_substituted(transposed(A), transposed(B), lower=upper, unit=unitriangular))


class TriangularSolve(NamedTuple):
    """Result of `triangular_solve`."""

    solution: Value
    cloned_coefficient: Value


def triangular_solve(
    b: Value, A: Value, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> TriangularSolve:
    """
    Solution of a system of linear equations with a triangular matrix, and a copy of the matrix.

    Parameters
    ----------
    b : Tensor
        Of shape [*, n, k].
    A : Tensor
        Of shape [*, n, n].
    upper : bool, default True
        Which triangle of `A` to use.
    transpose : bool, default False
        Whether to solve with the transpose of that triangle.
    unitriangular : bool, default False
        Whether the diagonal counts as ones.

    Returns
    -------
    solution : Tensor
        Of the broadcast shape of `b`.
    cloned_coefficient : Tensor
        A copy of `A`.

    Examples
    --------
    >>> tp.triangular_solve(tp.ones(2, 1), tp.eye(2)).solution
    tensor([[1.],
            [1.]])
    """
    check_square("triangular_solve", A)
    check_same_dtype("triangular_solve", A, b)
    check_fit("triangular_solve", A, b, True)
    matrix, lower = (transposed(A), upper) if transpose else (A, not upper)
    lead = broadcast_shape("triangular_solve", A.shape[:-2], b.shape[:-2])
    solution = back_substituted(matrix, b, lower=lower, unit=unitriangular)
    return TriangularSolve(solution, copy(broadcast_to(A, (*lead, *A.shape[-2:]))))


# ---- inverse ---------------------------------------------------------------------------------------------------------


def _inv_impl(a: Array) -> tuple[Array, Array]:
    try:
        return np.linalg.inv(a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        return over_stack(_inv_or_nan, a, core=(2,)), over_stack(lu_info, a, core=(2,))


def _inv_or_nan(a: Array) -> Array:
    return np.full_like(a, np.nan) if lu_info(a) else np.linalg.inv(a)


# Matrices [..., n, n] -> inverses (NaN where there is none), numbers of zero pivots.
invert = Primitive("linalg.inv", _inv_impl)


@invert.derivative
def _inv_derivative(out: Any, a: Value) -> LinearMap:
    x = out[0]

    def push(a_dot: Value) -> tuple[Value, None]:
        return negative(matmul(x, matmul(a_dot, x))), None

    def pull(ct: Any) -> tuple[Value]:
        back = adjoint(x)
        return (negative(matmul(back, matmul(ct[0], back))),)

    return LinearMap(push, pull)


@invert.batch
def _inv_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, bool]:
    return invert(args[0]), True


class InvEx(NamedTuple):
    """Result of `linalg.inv_ex`."""

    inverse: Value
    info: Value


def inv(A: Value) -> Value:
    """
    Inverse of each matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n].

    Returns
    -------
    Tensor
        Of shape [*, n, n].

    Raises
    ------
    LinAlgError
        If a matrix is singular.

    Examples
    --------
    >>> tp.linalg.inv(tp.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_square("linalg.inv", A)
    inverse, info = invert(A)
    check_info("linalg.inv", info, _NO_INVERSE)
    return inverse


def inv_ex(A: Value, *, check_errors: bool = False) -> InvEx:
    """
    Inverse of each matrix, and whether there is one.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n].
    check_errors : bool, default False
        Whether a singular matrix raises.

    Returns
    -------
    inverse : Tensor
        Of shape [*, n, n]; NaN where the matrix is singular.
    info : Tensor
        Per matrix 0, or the number of a zero pivot, counted from 1; int32.

    Examples
    --------
    >>> tp.linalg.inv_ex(tp.zeros(2, 2)).info
    tensor(1, dtype=tensorplay.int32)
    """
    check_square("linalg.inv_ex", A)
    inverse, info = invert(A)
    if check_errors:
        check_info("linalg.inv_ex", info, _NO_INVERSE)
    return InvEx(inverse, info)


# ---- tensor equations ------------------------------------------------------------------------------------------------


def tensorinv(A: Value, ind: int = 2) -> Value:
    """
    Inverse of a tensor under `tensordot`.

    Parameters
    ----------
    A : Tensor
        The product of its first `ind` sizes equals that of the others.
    ind : int, default 2
        Number of dims that are the rows.

    Returns
    -------
    Tensor
        Of shape ``A.shape[ind:] + A.shape[:ind]``.

    Examples
    --------
    >>> tp.linalg.tensorinv(tp.eye(4).reshape(2, 2, 4), ind=2).shape
    tensorplay.Size([4, 2, 2])
    """
    check_dtype("linalg.tensorinv", A)
    if ind <= 0:
        raise RuntimeError(f"linalg.tensorinv: expected a strictly positive integer for ind, got {ind}")
    rows, columns = A.shape[:ind], A.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError(
            f"linalg.tensorinv: the product of the first {ind} sizes of {list(A.shape)} must equal that of the others"
        )
    inverse, info = invert(families.reshape(A, shape=(math.prod(rows), math.prod(columns))))
    check_info("linalg.tensorinv", info, _NO_INVERSE)
    return families.reshape(inverse, shape=columns + rows)


def tensorsolve(A: Value, B: Value, dims: Sequence[int] | None = None) -> Value:
    """
    Solution of a linear equation of tensors, ``tensordot(A, X, X.ndim) = B``.

    Parameters
    ----------
    A : Tensor
        Of shape ``B.shape + X.shape``, where both have equally many elements.
    B : Tensor
        The right-hand side.
    dims : sequence of int, optional
        Dims of `A` to move to its end first.

    Returns
    -------
    Tensor
        X.

    Examples
    --------
    >>> tp.linalg.tensorsolve(tp.eye(4).reshape(2, 2, 4), tp.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    check_dtype("linalg.tensorsolve", A)
    check_same_dtype("linalg.tensorsolve", A, B)
    if dims is not None:
        A = movedim(A, tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    shape = A.shape[B.ndim :]
    if math.prod(shape) != B.size or A.size != B.size**2:
        raise RuntimeError(
            f"linalg.tensorsolve: A of shape {list(A.shape)} must be square once its first {B.ndim} dims are rows, and "
            f"fit B of shape {list(B.shape)}"
        )
    x, info = _solve(families.reshape(A, shape=(B.size, B.size)), families.reshape(B, shape=(B.size, 1)))
    check_info("linalg.tensorsolve", info, _SINGULAR)
    return families.reshape(x, shape=shape)
