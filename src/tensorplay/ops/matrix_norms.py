"""Norms and condition numbers of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import BOOL, NumpyDtype, real_dtype
from tensorplay.ops import families
from tensorplay.ops.arithmetic import div
from tensorplay.ops.extremes import amax, amin
from tensorplay.ops.families import kept_shape, mul, sum_dims
from tensorplay.ops.indexing import where
from tensorplay.ops.matrices import check_matrices, check_square
from tensorplay.ops.norms import vector_norm
from tensorplay.ops.pieces import select
from tensorplay.ops.promotion import cast, wide
from tensorplay.ops.shape import movedim, one_dim
from tensorplay.ops.solving import invert
from tensorplay.ops.svd import svdvals

_INF = float("inf")
Dims = Sequence[int]


def matrix_norm(
    A: Value,
    ord: float | str = "fro",
    dim: Dims = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: NumpyDtype | None = None,
) -> Value:
    """
    Norm of each matrix.

    Parameters
    ----------
    A : Tensor
        Floating-point or complex, with at least two dims.
    ord : {"fro", "nuc", inf, -inf, 1, -1, 2, -2}, default "fro"
        Frobenius norm; sum of the singular values; greatest and least sum of absolute values of a row; of a column;
        greatest and least singular value.
    dim : pair of int, default (-2, -1)
        Dims of rows and columns.
    keepdim : bool, default False
        Whether those dims stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> tp.linalg.matrix_norm(tp.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    name = "linalg.matrix_norm"
    if A.dtype == np.float16:
        return cast(matrix_norm(wide(A), ord, dim, keepdim, dtype=dtype), dtype or A.dtype)
    check_matrices(name, A)
    rows, columns = _two_dims(name, dim, A.ndim)
    a = A if dtype is None else cast(A, dtype)
    if ord == "fro":
        return vector_norm(a, 2, (rows, columns), keepdim)
    a = movedim(a, (rows, columns), (-2, -1))
    if isinstance(ord, str):
        if ord != "nuc":
            raise RuntimeError(f"{name}: Order {ord} not supported.")
        out = sum_dims(svdvals(a), dims=(a.ndim - 2,))
    else:
        out = _numbered_norm(name, a, ord)
    return families.reshape(out, shape=kept_shape(A.shape, (rows, columns))) if keepdim else out


def _two_dims(name: str, dim: Dims, ndim: int) -> tuple[int, int]:
    if isinstance(dim, int) or len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {dim}")
    rows, columns = one_dim(dim[0], ndim, name), one_dim(dim[1], ndim, name)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got {dim}")
    return rows, columns


def _numbered_norm(name: str, a: Value, ord: float) -> Value:
    if abs(ord) == 2:
        return _extreme(svdvals(a), ord)
    if abs(ord) not in (1, _INF):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    return _extreme(vector_norm(a, 1, -2 if abs(ord) == 1 else -1), ord)


def _extreme(x: Value, ord: float) -> Value:
    """Greatest (or for negative orders least) element of each vector; of none the greatest is 0."""
    if ord < 0:
        return amin(x, -1)
    return amax(x, -1) if x.shape[-1] else sum_dims(x, dims=(x.ndim - 1,))


def norm(
    A: Value,
    ord: float | str | None = None,
    dim: int | Dims | None = None,
    keepdim: bool = False,
    *,
    dtype: NumpyDtype | None = None,
) -> Value:
    """
    Norm of vectors or of matrices.

    Parameters
    ----------
    A : Tensor
        Floating-point or complex.
    ord : number or {"fro", "nuc"}, optional
        As in `linalg.vector_norm` or `linalg.matrix_norm`; 2 and "fro" by default.
    dim : int or pair of int, optional
        One dim: norms of vectors. Two: of matrices, or without `ord` of all elements. None: of all elements, or with
        `ord` of the vector or matrix that `A` is.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> tp.linalg.norm(tp.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is None:
        if A.ndim not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
            )
        dim = tuple(range(A.ndim))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) == 2:
        return matrix_norm(A, ord, dims, keepdim, dtype=dtype)
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: ord={ord!r} is a norm of matrices and needs two dims, got dim={dim}")
    return vector_norm(A, ord, dims, keepdim, dtype=dtype)


def cond(A: Value, p: float | str | None = None) -> Value:
    """
    Condition number of each matrix with respect to a norm.

    Parameters
    ----------
    A : Tensor
        Of shape [*, m, n]; square unless `p` is None, 2 or -2.
    p : {None, 2, -2, "fro", "nuc", inf, -inf, 1, -1}, optional
        The norm; 2 by default: the ratio of the greatest and the least singular value.

    Returns
    -------
    Tensor
        Of shape [*], real; infinite for singular matrices.

    Examples
    --------
    >>> tp.linalg.cond(tp.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)
    """
    check_matrices("linalg.cond", A)
    if A.size == 0:
        return sum_dims(cast(A, real_dtype(A.dtype)), dims=(A.ndim - 2, A.ndim - 1))
    if p is None or p in (2, -2):
        s = svdvals(A)
        first, least = select(s, -1, 0), select(s, -1, -1)
        return div(least, first) if p == -2 else div(first, least)
    check_square("linalg.cond", A)
    inverse, info = invert(A)
    product = mul(matrix_norm(A, p), matrix_norm(inverse, p))
    return where(cast(info, BOOL), np.asarray(np.inf, product.dtype), product)
