"""LU factors with partial pivoting, and what is solved with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops.families import add
from tensorplay.ops.matrices import (
    Array,
    block,
    check_info,
    check_matrices,
    check_same_dtype,
    check_square,
    lapack_kernel,
    lower,
    minus,
    over_stack,
    transposed,
    upper,
)
from tensorplay.ops.matrices import adjoint as conj_transposed
from tensorplay.ops.products import matmul
from tensorplay.ops.shape import cat
from tensorplay.ops.solving import back_substituted, check_fit

_ALL = slice(None)
_ZERO_PIVOT = (
    "U[{info},{info}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
    "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)

# ---- factors ---------------------------------------------------------------------------------------------------------


def _one_lu(a: Array) -> tuple[Array, Array, Array]:
    k = min(a.shape)
    if k == 0:
        return a.copy(), np.zeros(0, np.int32), np.zeros((), np.int32)
    lu, pivots, info = lapack_kernel("getrf", a)(a)
    return lu, (pivots + 1).astype(np.int32), np.asarray(info, np.int32)


def _lu_impl(a: Array) -> tuple[Array, Array, Array]:
    lu, pivots, info = over_stack(_one_lu, a, core=(2,))
    return lu, pivots, info


# Matrices [..., m, n] -> L below the diagonal and U above, pivots [..., k] counted from 1, numbers of zero pivots.
_lu = Primitive("linalg.lu_factor", _lu_impl)


@_lu.derivative
def _lu_derivative(out: Any, a: Value) -> LinearMap:
    lu, pivots, _ = out
    m, n = a.shape[-2:]
    k = min(m, n)
    head, tail = slice(0, k), slice(k, None)
    swap = permutation_of(pivots, m, lu.dtype)  # A = swap @ L @ U
    square = block(lu, head, head)
    low, high = _unit_lower(square), upper(square)
    l_tail, u_tail = block(lu, tail, _ALL), block(lu, _ALL, tail)

    def over_u(x: Value) -> Value:  # x inv(U)
        return transposed(back_substituted(transposed(square), transposed(x), lower=True))

    def over_u_adjoint(x: Value) -> Value:  # x inv(U.mH)
        return conj_transposed(back_substituted(square, conj_transposed(x), lower=False))

    def push(a_dot: Value) -> tuple[Value, None, None]:
        moved = matmul(transposed(swap), a_dot)
        inner = over_u(back_substituted(square, block(moved, head, head), lower=True, unit=True))
        l_dot, u_dot = matmul(low, lower(inner, -1)), matmul(upper(inner), high)
        out = add(lower(l_dot, -1), upper(u_dot))
        if m > k:
            below = over_u(minus(block(moved, tail, _ALL), matmul(l_tail, upper(u_dot))))
            out = cat([out, below], dim=-2)
        if n > k:
            beside = minus(block(moved, _ALL, tail), matmul(lower(l_dot, -1), u_tail))
            out = cat([out, back_substituted(square, beside, lower=True, unit=True)], dim=-1)
        return out, None, None

    def pull(ct: Any) -> tuple[Value]:
        middle = block(ct[0], head, head)
        l_ct, u_ct = lower(middle, -1), upper(middle)
        edge = None
        if m > k:
            edge = over_u_adjoint(block(ct[0], tail, _ALL))
            u_ct = minus(u_ct, upper(matmul(conj_transposed(l_tail), edge)))
        if n > k:
            edge = back_substituted(conj_transposed(square), block(ct[0], _ALL, tail), lower=False, unit=True)
            l_ct = minus(l_ct, lower(matmul(edge, conj_transposed(u_tail)), -1))
        inner = add(lower(matmul(conj_transposed(low), l_ct), -1), upper(matmul(u_ct, conj_transposed(high))))
        moved = over_u_adjoint(back_substituted(conj_transposed(square), inner, lower=False, unit=True))
        if edge is not None:
            moved = cat([moved, edge], dim=-2 if m > k else -1)
        return (matmul(swap, moved),)

    return LinearMap(push, pull)


def _unit_lower(x: Value) -> Value:
    """The strict lower trapezoid with ones on the diagonal."""
    return add(lower(x, -1), np.eye(*x.shape[-2:], dtype=x.dtype))


@_lu.batch
def _lu_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, bool]:
    return _lu(args[0]), True


def _permutation_impl(pivots: Array, length: int, dtype: Any) -> Array:
    rows = np.broadcast_to(np.arange(length), (*pivots.shape[:-1], length)).copy()
    for i in range(pivots.shape[-1]):
        other = pivots[..., i, None].astype(np.intp) - 1
        mine, theirs = rows[..., i].copy(), np.take_along_axis(rows, other, -1)[..., 0]
        np.put_along_axis(rows, other, mine[..., None], -1)
        rows[..., i] = theirs
    ones: Array = np.arange(length)[:, None] == rows[..., None, :]
    return ones.astype(dtype)


_permutation = Primitive("pivots_to_permutation", _permutation_impl, differentiable=False)


@_permutation.batch
def _permutation_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], **params: Any) -> tuple[Value, bool]:
    return _permutation(args[0], **params), True


def permutation_of(pivots: Value, length: int, dtype: Any) -> Value:
    """The matrix P with ``A = P @ L @ U`` for the row swaps that `pivots` lists, counted from 1."""
    return _permutation(pivots, length=length, dtype=dtype)


# ---- public names ----------------------------------------------------------------------------------------------------


class PLU(NamedTuple):
    """Result of `linalg.lu`."""

    P: Value
    L: Value
    U: Value


class LUFactor(NamedTuple):
    """Result of `linalg.lu_factor`."""

    LU: Value
    pivots: Value


class LUFactorEx(NamedTuple):
    """Result of `linalg.lu_factor_ex`."""

    LU: Value
    pivots: Value
    info: Value


class LUUnpack(NamedTuple):
    """Result of `lu_unpack`."""

    P: Value
    L: Value
    U: Value


def _check_pivot(name: str, pivot: bool) -> None:
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")


def lu(A: Value, *, pivot: bool = True) -> PLU:
    """
    LU decomposition of each matrix with partial pivoting, ``A = P @ L @ U``.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    pivot : bool, default True
        Must be True.

    Returns
    -------
    P : Tensor
        Permutation matrices [*, m, m].
    L : Tensor
        Of shape [*, m, k] with k = min(m, n), lower triangular with ones on the diagonal.
    U : Tensor
        Of shape [*, k, n], upper triangular.

    Examples
    --------
    >>> tp.linalg.lu(tp.tensor([[0.0, 1.0], [2.0, 3.0]])).U
    tensor([[2., 3.],
            [0., 1.]])
    """
    check_matrices("linalg.lu", A)
    _check_pivot("linalg.lu", pivot)
    packed, pivots, _ = _lu(A)
    return PLU(permutation_of(pivots, A.shape[-2], packed.dtype), *_unpacked(packed))


def _unpacked(packed: Value) -> tuple[Value, Value]:
    k = min(packed.shape[-2:])
    return _unit_lower(block(packed, _ALL, slice(0, k))), upper(block(packed, slice(0, k), _ALL))


def lu_factor(A: Value, *, pivot: bool = True) -> LUFactor:
    """
    LU factors of each matrix, packed for `linalg.lu_solve`.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n].
    pivot : bool, default True
        Must be True.

    Returns
    -------
    LU : Tensor
        Of shape [*, m, n]: L below the diagonal, whose own diagonal is ones, and U from the diagonal on.
    pivots : Tensor
        Of shape [*, min(m, n)], int32, counted from 1: row i was swapped with row pivots[i].

    Raises
    ------
    LinAlgError
        If a pivot is zero.

    Examples
    --------
    >>> tp.linalg.lu_factor(tp.tensor([[0.0, 1.0], [2.0, 3.0]])).pivots
    tensor([2, 2], dtype=tensorplay.int32)
    """
    check_matrices("linalg.lu_factor", A)
    _check_pivot("linalg.lu_factor", pivot)
    packed, pivots, info = _lu(A)
    check_info("linalg.lu_factor", info, _ZERO_PIVOT)
    return LUFactor(packed, pivots)


def lu_factor_ex(A: Value, *, pivot: bool = True, check_errors: bool = False) -> LUFactorEx:
    """
    LU factors of each matrix, and whether a pivot is zero.

    Parameters
    ----------
    A, pivot
        As in `linalg.lu_factor`.
    check_errors : bool, default False
        Whether a zero pivot raises.

    Returns
    -------
    LU, pivots : Tensor
        As in `linalg.lu_factor`.
    info : Tensor
        Per matrix 0, or the number of the first zero pivot, counted from 1; int32.

    Examples
    --------
    >>> tp.linalg.lu_factor_ex(tp.zeros(2, 2)).info
    tensor(1, dtype=tensorplay.int32)
    """
    check_matrices("linalg.lu_factor_ex", A)
    _check_pivot("linalg.lu_factor_ex", pivot)
    packed, pivots, info = _lu(A)
    if check_errors:
        check_info("linalg.lu_factor_ex", info, _ZERO_PIVOT)
    return LUFactorEx(packed, pivots, info)


def linalg_lu_solve(LU: Value, pivots: Value, B: Value, *, left: bool = True, adjoint: bool = False) -> Value:
    """
    Solution of a system of linear equations from the LU factors of its matrix.

    Parameters
    ----------
    LU, pivots : Tensor
        From `linalg.lu_factor`.
    B : Tensor
        Of shape [*, n, k].
    left : bool, default True
        False solves ``X A = B``, with B of shape [*, k, n].
    adjoint : bool, default False
        Whether to solve with the conjugate transpose of A.

    Returns
    -------
    Tensor
        X, of the broadcast shape of `B`.

    Examples
    --------
    >>> factors = tp.linalg.lu_factor(tp.tensor([[0.0, 1.0], [2.0, 3.0]]))
    >>> tp.linalg.lu_solve(*factors, tp.tensor([[1.0], [5.0]]))
    tensor([[1.],
            [1.]])
    """
    check_square("linalg.lu_solve", LU, "LU")
    check_same_dtype("linalg.lu_solve", LU, B)
    check_fit("linalg.lu_solve", LU, B, left)
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            f"linalg.lu_solve: pivots must have shape {list(LU.shape[:-1])} to fit LU, got {list(pivots.shape)}"
        )
    if left:
        return _solved(LU, pivots, B, adjoint)
    return conj_transposed(_solved(LU, pivots, conj_transposed(B), not adjoint))


def _solved(packed: Value, pivots: Value, b: Value, with_adjoint: bool) -> Value:
    swap = permutation_of(pivots, packed.shape[-1], packed.dtype)
    if not with_adjoint:
        inner = back_substituted(packed, matmul(transposed(swap), b), lower=True, unit=True)
        return back_substituted(packed, inner, lower=False)
    flipped = conj_transposed(packed)
    inner = back_substituted(flipped, b, lower=True)
    return matmul(swap, back_substituted(flipped, inner, lower=False, unit=True))


def lu_solve(b: Value, LU_data: Value, LU_pivots: Value) -> Value:
    """
    Solution of a system of linear equations from the LU factors of its matrix.

    Parameters
    ----------
    b : Tensor
        Of shape [*, n, k].
    LU_data, LU_pivots : Tensor
        From `linalg.lu_factor`.

    Returns
    -------
    Tensor
        X, of the broadcast shape of `b`.

    Examples
    --------
    >>> factors = tp.linalg.lu_factor(tp.tensor([[0.0, 1.0], [2.0, 3.0]]))
    >>> tp.lu_solve(tp.tensor([[1.0], [5.0]]), *factors)
    tensor([[1.],
            [1.]])
    """
    return linalg_lu_solve(LU_data, LU_pivots, b)


def lu_unpack(LU_data: Value, LU_pivots: Value, unpack_data: bool = True, unpack_pivots: bool = True) -> LUUnpack:
    """
    Matrices P, L and U from packed LU factors.

    Parameters
    ----------
    LU_data, LU_pivots : Tensor
        From `linalg.lu_factor`.
    unpack_data : bool, default True
        Whether to make L and U; otherwise they are empty.
    unpack_pivots : bool, default True
        Whether to make P; otherwise it is empty.

    Returns
    -------
    P, L, U : Tensor
        As from `linalg.lu`.

    Examples
    --------
    >>> factors = tp.linalg.lu_factor(tp.tensor([[0.0, 1.0], [2.0, 3.0]]))
    >>> tp.lu_unpack(*factors).P
    tensor([[0., 1.],
            [1., 0.]])
    """
    check_matrices("lu_unpack", LU_data, "LU_data")
    if unpack_pivots and LU_pivots.dtype != np.int32:
        raise RuntimeError(f"lu_unpack: LU_pivots is expected to be of dtype int32, got {LU_pivots.dtype}")
    empty = np.empty((0,), LU_data.dtype)
    low, high = _unpacked(LU_data) if unpack_data else (empty, empty)
    p = permutation_of(LU_pivots, LU_data.shape[-2], LU_data.dtype) if unpack_pivots else empty
    return LUUnpack(p, low, high)


def torch_lu(input: Value, pivot: bool = True, get_infos: bool = False) -> tuple[Value, ...]:
    """
    LU factors of each matrix, packed for `lu_solve`.

    Parameters
    ----------
    input : Tensor
        Of shape [*, m, n].
    pivot : bool, default True
        Must be True.
    get_infos : bool, default False
        Whether to return the numbers of zero pivots instead of raising for them.

    Returns
    -------
    tuple of Tensor
        LU and pivots as from `linalg.lu_factor`, and with `get_infos` the numbers.

    Examples
    --------
    >>> tp.lu(tp.tensor([[0.0, 1.0], [2.0, 3.0]]))[1]
    tensor([2, 2], dtype=tensorplay.int32)
    """
    packed, pivots, info = lu_factor_ex(input, pivot=pivot, check_errors=not get_infos)
    return (packed, pivots, info) if get_infos else (packed, pivots)


torch_lu.__name__ = torch_lu.__qualname__ = "lu"  # as users know it
