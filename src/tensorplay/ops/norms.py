"""Norms of vectors: of all elements, along dims, of differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype, from_numpy_dtype, real_dtype
from tensorplay.errors import shown
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families
from tensorplay.ops.extremes import amax, amin
from tensorplay.ops.families import kept_shape
from tensorplay.ops.indexing import where
from tensorplay.ops.promotion import cast
from tensorplay.ops.reducing import Dims, count_along, keep, need_inexact, real_reduction, same
from tensorplay.ops.shape import one_dim, some_dims
from tensorplay.ops.sums import count_nonzero
from tensorplay.ops.trigonometry import ratio


def norm_kernel(x: Any, dims: tuple[int, ...], ord: float) -> Any:
    """Norm of an array along dims, of a finite order other than 0."""
    if ord == 2:
        squares = x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x
        norm = np.sqrt(np.add.reduce(squares, axis=dims, dtype=squares.dtype))
        info = np.finfo(norm.dtype)
        if np.isfinite(norm).all() and (norm > np.sqrt(info.tiny) / info.eps).all():
            return norm
    size = np.abs(x)
    if ord == 1:
        return np.add.reduce(size, axis=dims, dtype=size.dtype)
    return scaled_norm(size, dims, ord)


def scaled_norm(size: Any, dims: tuple[int, ...], ord: float) -> Any:
    """Norm that neither overflows nor underflows: of the sizes relative to the one that weighs most."""
    extreme, start = (np.maximum, 0) if ord > 0 else (np.minimum, np.inf)
    unit = extreme.reduce(size, axis=dims, keepdims=True, initial=start)
    unit = np.where((unit > 0) & np.isfinite(unit), unit, size.dtype.type(1))
    norm = np.power(np.add.reduce((size / unit) ** ord, axis=dims, dtype=size.dtype), 1 / ord)
    return (norm * unit.reshape(norm.shape)).astype(size.dtype, copy=False)


def norm_weight(out: Value, x: Value, dims: tuple[int, ...], ord: float) -> Value:
    """Derivative of a norm of finite order by each element; 0 where the norm is."""
    if ord == 1:
        return ew.sgn(x)
    norm = families.reshape(out, shape=kept_shape(x.shape, dims))
    if ord == 2:
        return ratio(x, cast(norm, x.dtype))
    return ew.mul(ew.sgn(x), _power(ratio(ew.abs(x), norm), ord - 1))


def _power(size: Value, exponent: float) -> Value:
    """``size ** exponent``, 0 with its derivatives at 0 where those would be infinite."""
    if exponent >= 1:
        return ew.pow(size, exponent)
    one, zero = np.ones((), size.dtype), np.zeros((), size.dtype)
    empty = same(size, zero)
    return where(empty, zero, ew.pow(where(empty, one, size), exponent))


# For finite orders other than 0.
norm_primitive = real_reduction("vector_norm", norm_kernel, norm_weight)


def vector_norm(
    x: Value, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None
) -> Value:
    """
    Norm of vectors: of all elements, or along dims.

    Parameters
    ----------
    x : Tensor
        Floating-point or complex, of any shape.
    ord : float, default 2
        The order p of the norm (Σ|x|^p)^(1/p); infinity is the greatest, minus infinity the least absolute value, and
        0 the number of elements that are not zero.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Real. At zero the derivative is zero, the least of the subgradients.

    Raises
    ------
    RuntimeError
        If the elements are integers or bools, or an infinite or negative order meets no elements.

    Examples
    --------
    >>> tp.linalg.vector_norm(tp.tensor([3.0, 4.0]))
    tensor(5.)
    """
    x = _norm_operand(x, dtype)
    ord = _norm_order(ord)
    dims = some_dims(dim, x.ndim, "linalg.vector_norm")
    if (ord < 0 or ord == math.inf) and count_along(x.shape, dims) == 0:
        raise RuntimeError(
            f"linalg.vector_norm(): the norm of order {ord} of no elements is undefined; got shape {list(x.shape)}"
        )
    return keep(_norm_over(x, ord, dims), keepdim, x.shape, dims)


def _norm_over(x: Value, ord: float, dims: tuple[int, ...]) -> Value:
    if ord == 0:
        return cast(count_nonzero(x, dims) if dims else ew.ne(x, 0), real_dtype(x.dtype))
    if math.isinf(ord):
        return (amax if ord > 0 else amin)(ew.abs(x), dims) if dims else ew.abs(x)
    return norm_primitive(x, dims=dims, ord=ord)


def _norm_order(ord: Any) -> float:
    if isinstance(ord, int | float):
        return float(ord)
    raise TypeError(f"linalg.vector_norm(): ord must be a number, got {shown(ord)}")


def _norm_operand(x: Value, dtype: NumpyDtype | None) -> Value:
    need_inexact(x, "linalg.vector_norm")
    if dtype is None:
        return x
    if dtype.kind != x.dtype.kind:
        raise RuntimeError(
            f"linalg.vector_norm(): dtype must be {'complex' if x.dtype.kind == 'c' else 'real'} for a tensor of "
            f"{from_numpy_dtype(x.dtype)}, got {from_numpy_dtype(dtype)}"
        )
    if dtype.itemsize < x.dtype.itemsize:
        raise RuntimeError(
            f"linalg.vector_norm(): dtype {from_numpy_dtype(dtype)} is narrower than the tensor's "
            f"{from_numpy_dtype(x.dtype)}"
        )
    return cast(x, dtype)


def norm(
    input: Value,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: NumpyDtype | None = None,
) -> Value:
    """
    Norm of a tensor, of all elements or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    p : float, "fro" or "nuc", default "fro"
        Order of a vector norm (see `linalg.vector_norm`); "fro" is 2; "nuc" the sum of a matrix's singular values.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
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
    >>> tp.norm(tp.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
    tensor([ 5., 10.])
    """
    if p == "nuc":
        return _nuclear(input, dim, keepdim, dtype)
    if isinstance(p, str) and p != "fro":
        raise ValueError(f"norm(): p must be a number, 'fro' or 'nuc', got {shown(p)}")
    return vector_norm(input, 2 if p is None or isinstance(p, str) else p, dim, keepdim, dtype=dtype)


def _nuclear(input: Value, dim: Dims, keepdim: bool, dtype: NumpyDtype | None) -> Value:
    from tensorplay.ops import matrix_norms

    dims = (0, 1) if dim is None and input.ndim == 2 else dim
    if isinstance(dims, int) or dims is None or len(dims) != 2:
        raise RuntimeError(f"norm(): p='nuc' needs a matrix or two dims, got shape {list(input.shape)} and dim={dim}")
    return matrix_norms.matrix_norm(input, "nuc", tuple(dims), keepdim, dtype=dtype)


def dist(input: Value, other: Value, p: float = 2) -> Value:
    """
    Norm of the difference of two tensors.

    Parameters
    ----------
    input, other : Tensor
        Their shapes broadcast.
    p : float, default 2
        Order of the norm.

    Returns
    -------
    Tensor
        0-d.

    Examples
    --------
    >>> tp.dist(tp.tensor([1.0, 1.0]), tp.tensor([4.0, 5.0]))
    tensor(5.)
    """
    return vector_norm(ew.sub(input, other), p)


def renorm(input: Value, p: float, dim: int, maxnorm: float) -> Value:
    """
    A copy in which each slice along a dim has at most a given norm.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, with at least two dims.
    p : float
        Order of the norm, positive.
    dim : int
        The slices are ``input.select(dim, i)``.
    maxnorm : float
        Slices of a larger norm are scaled down to it.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.renorm(tp.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 5.0)
    tensor([[3., 4.],
            [0., 1.]])
    """
    if p <= 0 or maxnorm < 0:
        raise RuntimeError(f"renorm(): p must be positive and maxnorm not negative, got p={p} and maxnorm={maxnorm}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm(): expected a tensor with at least 2 dims, got shape {list(input.shape)}")
    axis = one_dim(dim, input.ndim, "renorm")
    size = vector_norm(input, p, [d for d in range(input.ndim) if d != axis], True)
    # torch's guard against dividing by a tiny norm
    factor = ew.div(maxnorm, ew.add(size, 1e-7))
    return ew.mul(input, where(ew.gt(size, maxnorm), factor, np.ones((), size.dtype)))
