"""The frequencies that the entries of a discrete Fourier transform belong to, and the order in which they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype, default_float, from_numpy_dtype
from tensorplay.ops.arranging import roll
from tensorplay.ops.reducing import whole
from tensorplay.ops.shape import copy, one_dim


def _spacing(n: Any, d: float, dtype: NumpyDtype | None, name: str) -> tuple[int, Any, NumpyDtype]:
    """Number of points, distance of two frequencies, and dtype of the result."""
    count = whole(n, name, "n")
    if count < 0:
        raise RuntimeError(f"{name}(): n must not be negative, got {count}")
    wanted = default_float() if dtype is None else dtype
    if wanted.kind not in "fc":
        raise RuntimeError(f"{name}(): dtype must be floating-point or complex, got {from_numpy_dtype(wanted)}")
    with np.errstate(divide="ignore"):
        return count, 1 / (np.float64(count) * d), wanted


def _multiples(numbers: Any, unit: Any, dtype: NumpyDtype) -> Value:
    with np.errstate(invalid="ignore", over="ignore"):
        return (numbers * unit).astype(dtype)


def fftfreq(n: int, d: float = 1.0, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Frequencies of the entries of `fft`, in cycles per unit of time.

    Parameters
    ----------
    n : int
        Number of points.
    d : float, default 1
        Time between two points.
    dtype : dtype, optional
        Floating-point or complex; by default the default one.

    Returns
    -------
    Tensor
        Shape ``[n]``: from zero up, then the negative ones. For even `n`, ``n / 2`` counts as negative.

    Raises
    ------
    RuntimeError
        If `n` is negative or the dtype is one of integers or bools.

    Examples
    --------
    >>> tp.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    count, unit, wanted = _spacing(n, d, dtype, "fftfreq")
    below = count // 2
    return _multiples(np.roll(np.arange(-below, count - below), -below), unit, wanted)


def rfftfreq(n: int, d: float = 1.0, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Frequencies of the entries of `rfft`, in cycles per unit of time.

    Parameters
    ----------
    n : int
        Number of points of the real signal.
    d : float, default 1
        Time between two points.
    dtype : dtype, optional
        Floating-point or complex; by default the default one.

    Returns
    -------
    Tensor
        Shape ``[n // 2 + 1]``, from zero up.

    Raises
    ------
    RuntimeError
        If `n` is negative or the dtype is one of integers or bools.

    Examples
    --------
    >>> tp.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    count, unit, wanted = _spacing(n, d, dtype, "rfftfreq")
    return _multiples(np.arange(count // 2 + 1), unit, wanted)


def fftshift(input: Value, dim: int | Sequence[int] | None = None) -> Value:
    """
    Frequencies in ascending order, from the order that `fft` gives.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int or tuple of int, optional
        The dims to reorder, by default all.

    Returns
    -------
    Tensor
        Zero is at ``n // 2`` along the dims.

    Raises
    ------
    IndexError
        If a dim is out of range.

    Examples
    --------
    >>> tp.fft.fftshift(tp.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _shifted(input, dim, 0, "fftshift")


def ifftshift(input: Value, dim: int | Sequence[int] | None = None) -> Value:
    """
    Frequencies in the order that `fft` gives, from ascending order.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int or tuple of int, optional
        The dims to reorder, by default all.

    Returns
    -------
    Tensor
        Zero comes first along the dims.

    Raises
    ------
    IndexError
        If a dim is out of range.

    Examples
    --------
    >>> tp.fft.ifftshift(tp.tensor([-1, 0, 1]))
    tensor([ 0,  1, -1])
    """
    return _shifted(input, dim, 1, "ifftshift")


def _shifted(input: Value, dim: Any, odd: int, name: str) -> Value:
    """`input` shifted by half along dims, rounded down (`odd` is 0) or up (1)."""
    given = range(input.ndim) if dim is None else dim if isinstance(dim, tuple | list) else (dim,)
    dims = [one_dim(d, input.ndim, name) for d in given]
    if not input.ndim or not dims:
        return copy(input)
    return roll(input, [(input.shape[d] + odd) // 2 for d in dims], dims)
