"""
LDL factors of symmetric and Hermitian matrices, and what is solved with them.

``A = P L D L.mT P.mT`` (``L.mH`` for Hermitian matrices), where D has blocks of size 1 and 2 on its diagonal. LAPACK
packs the unit lower triangular L below the blocks of D, each column with its rows as they were before later swaps. Only
the lower triangle of A is read, and only to it does a derivative flow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops.families import add, conj
from tensorplay.ops.indexing import take_along, where
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    check_info,
    check_same_dtype,
    check_square,
    diagonal_matrix,
    diagonal_of,
    lapack_kernel,
    lower,
    over_stack,
    real_part,
    transposed,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast
from tensorplay.ops.solving import back_substituted, check_fit, solve_square

_SINGULAR = "The factor D is singular: its block number {info} is zero."

# ---- layout ----------------------------------------------------------------------------------------------------------


def _one_layout(pivots: Array) -> tuple[Array, Array, Array, Array]:
    n = pivots.shape[-1]
    rows, order, blocks = np.arange(n), np.tile(np.arange(n)[:, None], n), np.eye(n, dtype=bool)
    k = 0
    while k < n:
        size = 1 if pivots[k] > 0 else 2
        here, other = k + size - 1, abs(int(pivots[k])) - 1
        rows[[here, other]] = rows[[other, here]]
        order[[here, other], :k] = order[[other, here], :k]
        blocks[k : k + size, k : k + size] = True
        k += size
    swaps = np.arange(n)[:, None] == rows
    return swaps, order, np.argsort(order, axis=0), blocks


# Pivots [..., n] -> the permutation P, where each row of each column of L is packed and back, and the blocks of D.
_layout = Primitive("ldl_layout", lambda pivots: over_stack(_one_layout, pivots, core=(1,)), differentiable=False)
_layout.batch(lambda size, args, mapped: (_layout(args[0]), True))


class _Factors:
    """The factors of packed ones."""

    def __init__(self, packed: Value, pivots: Value, hermitian: bool) -> None:
        swaps, self.order, self.back, self.blocks = _layout(pivots)
        self.p = cast(swaps, packed.dtype)
        self.flip: Callable[[Value], Value] = adjoint if hermitian else transposed
        low = take_along(self.below(packed), self.order, dim=packed.ndim - 2)
        self.low = add(low, np.eye(packed.shape[-1], dtype=packed.dtype))
        d = self.inside(packed)
        self.d = add(lower(d), self.flip(lower(d, -1)))

    def inside(self, x: Value) -> Value:
        """What lies in the blocks of D."""
        return where(self.blocks, x, np.zeros((), x.dtype))

    def below(self, x: Value) -> Value:
        """What lies below the blocks of D."""
        return lower(where(self.blocks, np.zeros((), x.dtype), x), -1)

    def packed(self, low: Value, d: Value) -> Value:
        """Tangents of L and D, packed."""
        return add(take_along(low, self.back, dim=low.ndim - 2), lower(d))

    def solved(self, b: Value) -> Value:
        """X with ``A X = B``."""
        inner = back_substituted(self.low, matmul(transposed(self.p), b), lower=True, unit=True)
        inner = solve_square(self.d, inner)
        return matmul(self.p, back_substituted(self.flip(self.low), inner, lower=False, unit=True))


# ---- factors ---------------------------------------------------------------------------------------------------------


def _ldl_impl(a: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    def one(a: Array) -> tuple[Array, Array, Array]:
        name = "hetrf" if hermitian and a.dtype.kind == "c" else "sytrf"
        packed, pivots, info = lapack_kernel(name, a)(a, lower=1)
        return np.tril(packed), pivots.astype(np.int32), np.asarray(info, np.int32)

    packed, pivots, info = over_stack(one, a, core=(2,))
    return packed, pivots, info


_ldl = Primitive("linalg.ldl_factor", _ldl_impl)


@_ldl.derivative
def _ldl_derivative(out: Any, a: Value, *, hermitian: bool) -> LinearMap:
    f = _Factors(out[0], out[1], hermitian)

    def real_if_hermitian(diagonal: Value) -> Value:
        return diagonal_matrix(cast(real_part(diagonal), a.dtype) if hermitian else diagonal)

    def push(a_dot: Value) -> tuple[Value, None, None]:
        strict = lower(a_dot, -1)
        whole = add(add(strict, f.flip(strict)), real_if_hermitian(diagonal_of(a_dot)))
        half = back_substituted(f.low, matmul(matmul(transposed(f.p), whole), f.p), lower=True, unit=True)
        inner = f.flip(back_substituted(f.low, f.flip(half), lower=True, unit=True))
        over_d = transposed(solve_square(transposed(f.d), transposed(f.below(inner))))
        return f.packed(matmul(f.low, over_d), f.inside(inner)), None, None

    def pull(ct: Any) -> tuple[Value]:
        l_ct = take_along(f.below(ct[0]), f.order, dim=a.ndim - 2)
        over_d = adjoint(solve_square(f.d, adjoint(f.below(matmul(adjoint(f.low), l_ct)))))
        inner = add(f.below(over_d), lower(f.inside(ct[0])))
        half = back_substituted(adjoint(f.low), inner, lower=False, unit=True)
        right = f.low if hermitian else conj(f.low)
        whole = transposed(back_substituted(transposed(right), transposed(half), lower=False, unit=True))
        whole = matmul(matmul(f.p, whole), transposed(f.p))
        strict = add(lower(whole, -1), lower(f.flip(whole), -1))
        return (add(strict, real_if_hermitian(diagonal_of(whole))),)

    return LinearMap(push, pull)


@_ldl.batch
def _ldl_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, hermitian: bool) -> tuple[Any, bool]:
    return _ldl(args[0], hermitian=hermitian), True


class LDLFactor(NamedTuple):
    """Result of `linalg.ldl_factor`."""

    LD: Value
    pivots: Value


class LDLFactorEx(NamedTuple):
    """Result of `linalg.ldl_factor_ex`."""

    LD: Value
    pivots: Value
    info: Value


def ldl_factor(A: Value, *, hermitian: bool = False) -> LDLFactor:
    """
    LDL factors of each symmetric or Hermitian matrix, packed for `linalg.ldl_solve`.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n]; its lower triangle is read.
    hermitian : bool, default False
        Whether complex matrices are Hermitian instead of symmetric.

    Returns
    -------
    LD : Tensor
        Of shape [*, n, n], lower triangular: the blocks of D, and L below them.
    pivots : Tensor
        Of shape [*, n], int32, by LAPACK's convention: negative, and twice, for a block of size 2.

    Raises
    ------
    LinAlgError
        If D is singular.

    Examples
    --------
    >>> tp.linalg.ldl_factor(tp.tensor([[4.0, 2.0], [2.0, 2.0]])).LD
    tensor([[4.0000, 0.0000],
            [0.5000, 1.0000]])
    """
    packed, pivots, info = ldl_factor_ex(A, hermitian=hermitian)
    check_info("linalg.ldl_factor", info, _SINGULAR)
    return LDLFactor(packed, pivots)


def ldl_factor_ex(A: Value, *, hermitian: bool = False, check_errors: bool = False) -> LDLFactorEx:
    """
    LDL factors of each symmetric or Hermitian matrix, and whether D is singular.

    Parameters
    ----------
    A, hermitian
        As in `linalg.ldl_factor`.
    check_errors : bool, default False
        Whether a singular D raises.

    Returns
    -------
    LD, pivots : Tensor
        As in `linalg.ldl_factor`.
    info : Tensor
        Per matrix 0, or the number of a block of D that is zero, counted from 1; int32.

    Examples
    --------
    >>> tp.linalg.ldl_factor_ex(tp.eye(2)).info
    tensor(0, dtype=tensorplay.int32)
    """
    check_square("linalg.ldl_factor_ex", A)
    packed, pivots, info = _ldl(A, hermitian=bool(hermitian) and A.dtype.kind == "c")
    if check_errors:
        check_info("linalg.ldl_factor_ex", info, _SINGULAR)
    return LDLFactorEx(packed, pivots, info)


def ldl_solve(LD: Value, pivots: Value, B: Value, *, hermitian: bool = False) -> Value:
    """
    Solution of a system of linear equations from the LDL factors of its matrix.

    Parameters
    ----------
    LD, pivots : Tensor
        From `linalg.ldl_factor`.
    B : Tensor
        Of shape [*, n, k].
    hermitian : bool, default False
        As it was for the factors.

    Returns
    -------
    Tensor
        X, of the broadcast shape of `B`.

    Examples
    --------
    >>> factors = tp.linalg.ldl_factor(tp.tensor([[0.0, 1.0], [1.0, 0.0]]))
    >>> tp.linalg.ldl_solve(*factors, tp.tensor([[1.0], [2.0]]))
    tensor([[2.],
            [1.]])
    """
    check_square("linalg.ldl_solve", LD, "LD")
    check_same_dtype("linalg.ldl_solve", LD, B)
    check_fit("linalg.ldl_solve", LD, B, True)
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            f"linalg.ldl_solve: pivots must have shape {list(LD.shape[:-1])} to fit LD, got {list(pivots.shape)}"
        )
    return _Factors(LD, pivots, hermitian).solved(B)
