"""Powers and exponentials of matrices, and matrices made of powers."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import INT64
from tensorplay.lazy import LazyModule
from tensorplay.ops import families
from tensorplay.ops.exponential import pow
from tensorplay.ops.matrices import (
    Array,
    adjoint,
    as_column,
    block,
    check_square,
)
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast, wide
from tensorplay.ops.shape import cat, copy
from tensorplay.ops.solving import inv
from tensorplay.ops.views import diagonal

scipy_linalg = LazyModule("scipy.linalg")

# ---- exponential -----------------------------------------------------------------------------------------------------


def _expm_impl(a: Array) -> Array:
    if a.size == 0:
        return a.copy()
    # the scaling of a stack is chosen by each matrix
    out: Array = scipy_linalg.expm(a)
    return out


_expm = Primitive("linalg.matrix_exp", _expm_impl)


@_expm.derivative
def _expm_derivative(out: Value, a: Value) -> LinearMap:
    """The exponential of [[A, E], [0, A]] holds the derivative along E beside that of A (Van Loan, 1978)."""

    def along(a: Value, direction: Value) -> Value:
        n = a.shape[-1]
        zeros = np.zeros(direction.shape, direction.dtype)
        doubled = cat([cat([a, direction], dim=-1), cat([zeros, a], dim=-1)], dim=-2)
        return block(_expm(doubled), slice(0, n), slice(n, 2 * n))

    return LinearMap(lambda a_dot: along(a, a_dot), lambda ct: (along(adjoint(a), ct),))


@_expm.batch
def _expm_batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
    return _expm(args[0]), True


def matrix_exp(A: Value) -> Value:
    """
    Exponential of each square matrix.

    Parameters
    ----------
    A : Tensor
        Of shape [*, n, n].

    Returns
    -------
    Tensor
        Of shape [*, n, n].

    Notes
    -----
    Scaling and squaring with Padé approximants (Al-Mohy and Higham, 2009).

    Examples
    --------
    >>> tp.linalg.matrix_exp(tp.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    x = wide(A)
    check_square("linalg.matrix_exp", x)
    return cast(_expm(x), A.dtype)


# ---- powers ----------------------------------------------------------------------------------------------------------


def matrix_power(A: Value, n: int) -> Value:
    """
    Product of each square matrix with itself, `n` times.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, m].
    n : int
        0 gives identity matrices, a negative number powers of the inverse.

    Returns
    -------
    Tensor
        Of shape [*, m, m].

    Raises
    ------
    LinAlgError
        If `n` is negative and a matrix is singular.

    Examples
    --------
    >>> tp.linalg.matrix_power(tp.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"linalg.matrix_power: A must be batches of square matrices, but got shape {list(A.shape)}")
    n = operator.index(n)
    if n < 0:
        return _power(inv(A), -n)
    if n == 1:
        return copy(A)
    return _power(A, n) if n else np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape).copy()


def _power(a: Value, n: int) -> Value:
    """By repeated squaring."""
    if n == 1:
        return a
    half = _power(a, n // 2)
    square = matmul(half, half)
    return matmul(square, a) if n % 2 else square


# ---- Vandermonde matrices --------------------------------------------------------------------------------------------


def linalg_vander(x: Value, *, N: int | None = None) -> Value:
    """
    Vandermonde matrices: powers of each element along a new last dim.

    Parameters
    ----------
    x : Tensor
        Of shape [*, n].
    N : int, optional
        Number of powers, from 0 up; n by default, at least 2.

    Returns
    -------
    Tensor
        Of shape [*, n, N]; integers stay integers.

    Examples
    --------
    >>> tp.linalg.vander(tp.tensor([2, 3]), N=3)
    tensor([[1, 2, 4],
            [1, 3, 9]])
    """
    count = (x.shape or (1,))[-1] if N is None else N
    if count <= 1:
        raise RuntimeError(f"linalg.vander: N must be greater than 1, got {count}")
    return _powers(x, np.arange(count))


def _powers(x: Value, exponents: Array) -> Value:
    base = cast(x, INT64) if x.dtype.kind in "bui" else x
    return pow(as_column(base if base.ndim else families.reshape(base, shape=(1,))), exponents)


def vander(x: Value, N: int | None = None, increasing: bool = False) -> Value:
    """
    Vandermonde matrix: powers of each element along a new dim.

    Parameters
    ----------
    x : Tensor
        Of shape [n].
    N : int, optional
        Number of powers; n by default.
    increasing : bool, default False
        Whether powers go up from 0, instead of down to 0.

    Returns
    -------
    Tensor
        Of shape [n, N].

    Examples
    --------
    >>> tp.vander(tp.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if x.ndim != 1:
        raise RuntimeError(f"vander(): expected a tensor with 1 dim, got shape {list(x.shape)}")
    if N is not None and N < 0:
        raise RuntimeError(f"vander(): N must be non-negative, got {N}")
    exponents = np.arange(x.shape[0] if N is None else N)
    return _powers(x, exponents if increasing else exponents[::-1])


# ---- diagonals -------------------------------------------------------------------------------------------------------


def linalg_diagonal(A: Value, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    """
    A diagonal of each matrix, as a view.

    Parameters
    ----------
    A : Tensor
        With at least two dims.
    offset : int, default 0
        Positive above the main diagonal, negative below.
    dim1, dim2 : int, default -2 and -1
        Dims of rows and columns.

    Returns
    -------
    Tensor
        The other dims, then the diagonal.

    Examples
    --------
    >>> tp.linalg.diagonal(tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    return diagonal(A, offset, dim1, dim2)
