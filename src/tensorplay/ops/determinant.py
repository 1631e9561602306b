"""
Determinants, with derivatives that hold at singular matrices too.

The derivative of ``det`` is the cofactor matrix, a polynomial in the elements. Away from singular matrices it is
``det(A) inv(A).T``; near them it is computed from a frozen singular value decomposition, in which the part of the
matrix that may vanish is a small block and is treated without divisions. Both forms are compositions of ops, and hence
right to any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.ops import families
from tensorplay.ops.families import add, conj, mul, negative, sum_dims, sum_of
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    block,
    check_square,
    imaginary_part,
    minus,
    real_part,
    trace_of,
    transposed,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import broadcast_to, cat, detach
from tensorplay.ops.solving import invert

# ---- det -------------------------------------------------------------------------------------------------------------

_det = Primitive("linalg.det", np.linalg.det)


@_det.derivative
def _det_derivative(out: Value, a: Value) -> LinearMap:
    weights = cofactors(a, out)

    def push(a_dot: Value) -> Value:
        return sum_dims(families.scale(a_dot, weights), dims=(a.ndim - 2, a.ndim - 1))

    def pull(ct: Value) -> tuple[Value]:
        return (families.scale(_over_matrix(ct), conj(weights)),)

    return LinearMap(push, pull)


@_det.batch
def _det_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    return _det(args[0]), True


def _over_matrix(x: Value) -> Value:
    """One number per matrix, to multiply its elements with."""
    return families.reshape(x, shape=(*x.shape, 1, 1))


def cofactors(a: Value, det_of_a: Value) -> Value:
    """The cofactor matrix of each matrix: the derivative of the determinant with respect to its elements."""
    inverse, _ = invert(a)
    if _is_regular(ground(a), ground(inverse)):
        return mul(_over_matrix(det_of_a), transposed(inverse))
    u, s, vh = _frozen_svd(a)
    middle = matmul(adjoint(u), matmul(a, adjoint(vh)))  # diagonal at this point
    turned = matmul(adjoint(vh), matmul(_adjugate(middle, _may_vanish(ground(s))), adjoint(u)))
    return mul(_over_matrix(mul(_det(u), _det(vh))), transposed(turned))


def _is_regular(a: Array, inverse: Array) -> bool:
    """Whether every matrix is far enough from singular for its inverse to have half the digits."""
    condition = np.abs(a).sum(-1).max(-1, initial=0) * np.abs(inverse).sum(-1).max(-1, initial=0)
    return bool(np.all(condition < 1 / np.sqrt(np.finfo(a.dtype).eps)))


_svd_arrays = Primitive(
    "frozen_svd",
    # of a matrix that is not finite any unitary factors will do
    lambda a: tuple(np.linalg.svd(np.nan_to_num(a, nan=0.0, posinf=0.0, neginf=0.0))),
    differentiable=False,
)
_svd_arrays.batch(lambda size, args, mapped: (_svd_arrays(args[0]), True))


def _frozen_svd(a: Value) -> Any:
    """Singular value decomposition as constants: what is made of it does not depend on which one it is."""
    return _svd_arrays(detach(a))


def _may_vanish(s: Array) -> int:
    """How many of the last singular values are small, in any of the matrices."""
    small = s <= np.sqrt(np.finfo(s.dtype).eps) * s.max(-1, initial=0, keepdims=True)
    return int(small.sum(-1).max(initial=0))


def _adjugate(m: Value, small: int) -> Value:
    """Adjugate of matrices whose block without the last `small` rows and columns is regular."""
    n = m.shape[-1]
    if small == n:
        return _adjugate_without_division(m)
    head, tail = slice(0, n - small), slice(n - small, n)
    a, b, c, d = block(m, head, head), block(m, head, tail), block(m, tail, head), block(m, tail, tail)
    x, _ = invert(a)
    xb, cx = matmul(x, b), matmul(c, x)
    rest = minus(d, matmul(c, xb))  # the Schur complement, which may vanish
    adj = _adjugate_without_division(rest)
    det_of_rest = mul(trace_of(matmul(rest, adj)), 1 / small)
    top = cat([add(mul(_over_matrix(det_of_rest), x), matmul(xb, matmul(adj, cx))), negative(matmul(xb, adj))], dim=-1)
    bottom = cat([negative(matmul(adj, cx)), adj], dim=-1)
    return mul(_over_matrix(_det(a)), cat([top, bottom], dim=-2))


def _adjugate_without_division(m: Value) -> Value:
    """Adjugate by the recursion of Faddeev and Le Verrier, which divides by whole numbers only."""
    n = m.shape[-1]
    eye = np.eye(n, dtype=m.dtype)
    term = eye
    for k in range(1, n):
        product = matmul(m, term)
        term = add(product, mul(_over_matrix(trace_of(product)), eye * (-1 / k)))
    return broadcast_to(term if n % 2 else negative(term), m.shape)


def det(A: Value) -> Value:
    """
    Determinant of each matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n].

    Returns
    -------
    Tensor
        Of shape [*].

    Notes
    -----
    The derivative is the cofactor matrix, which is finite at singular matrices, and right there to any order.

    Examples
    --------
    >>> tp.linalg.det(tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    check_square("linalg.det", A)
    return _det(A)


# ---- slogdet ---------------------------------------------------------------------------------------------------------

# Matrices [..., n, n] -> sign (of modulus 1, or 0) and logarithm of the modulus of the determinant.
_slogdet = Primitive("linalg.slogdet", lambda a: tuple(np.linalg.slogdet(a)))


@_slogdet.derivative
def _slogdet_derivative(out: Any, a: Value) -> LinearMap:
    sign = out[0]
    inverse, _ = invert(a)

    def push(a_dot: Value) -> tuple[Value | None, Value]:
        change = sum_dims(families.scale(a_dot, transposed(inverse)), dims=(a.ndim - 2, a.ndim - 1))
        modulus = real_part(change)
        turn = None if modulus is change else mul(sign, imaginary_part(change))
        return turn, modulus

    def pull(ct: Any) -> tuple[Value]:
        sign_ct, modulus_ct = ct
        turn = None if sign_ct is None else imaginary_part(mul(conj(sign), sign_ct))
        total = sum_of(turn, None if modulus_ct is None else cast(modulus_ct, a.dtype))
        return (families.scale(_over_matrix(total), adjoint(inverse)),)

    return LinearMap(push, pull)


@_slogdet.batch
def _slogdet_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Any, bool]:
    return _slogdet(args[0]), True


class Slogdet(NamedTuple):
    """Result of `slogdet`."""

    sign: Value
    logabsdet: Value


def slogdet(A: Value) -> Slogdet:
    """
    Sign of the determinant of each matrix, and the logarithm of its modulus.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n].

    Returns
    -------
    sign : Tensor
        Of shape [*]; a number of modulus 1, or 0 for a singular matrix.
    logabsdet : Tensor
        Of shape [*], real; minus infinity for a singular matrix.

    Examples
    --------
    >>> tp.linalg.slogdet(tp.tensor([[0.0, 1.0], [1.0, 0.0]])).sign
    tensor(-1.)
    """
    check_square("linalg.slogdet", A)
    return Slogdet(*_slogdet(A))


def logdet(input: Value) -> Value:
    """
    Logarithm of the determinant of each matrix.

    Parameters
    ----------
    input : Tensor
        Of shape [*, n, n].

    Returns
    -------
    Tensor
        Of shape [*]; NaN where the determinant is negative, minus infinity where it is 0.

    Examples
    --------
    >>> tp.logdet(tp.eye(3))
    tensor(0.)
    """
    from tensorplay.ops.exponential import log

    check_square("logdet", input)
    sign, modulus = _slogdet(input)
    return add(cast(modulus, sign.dtype), log(sign))
