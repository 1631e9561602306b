"""Greatest and least elements over some dims. NumPy compares short rows at a price per row, columns side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
FEW = 1 << 9  # elements, of which NumPy's own way takes fewer calls
NARROW = 32  # elements of a row, up to which it is worth a copy to make columns of rows
HALVED = 128  # elements of a row that are soon halved to that


def greatest(x: Array, dims: tuple[int, ...], keep: bool = False) -> Array:
    """Greatest elements over `dims`, which stay with size 1 if `keep`; NaN where there is one."""
    return _extreme(np.maximum, x, dims, keep)


def least(x: Array, dims: tuple[int, ...], keep: bool = False) -> Array:
    """Least elements over `dims`, which stay with size 1 if `keep`; NaN where there is one."""
    return _extreme(np.minimum, x, dims, keep)


def _extreme(ufunc: np.ufunc, x: Array, dims: tuple[int, ...], keep: bool) -> Array:
    if x.size <= FEW:
        return ufunc.reduce(x, axis=dims, keepdims=keep)
    short = x.dtype.char in "fd" and x.flags.c_contiguous and _are_last(dims, x.ndim)
    length = math.prod([x.shape[d] for d in dims]) if short else 0
    if not 1 < length <= HALVED:
        return ufunc.reduce(x, axis=dims, keepdims=keep)
    lead = x.shape[: x.ndim - len(dims)]
    matrix = x.reshape(-1, length)
    while length > NARROW:
        half = (length + 1) // 2
        matrix = ufunc(matrix[:, :half], matrix[:, length - half :])
        length = half
    out = ufunc.reduce(np.ascontiguousarray(matrix.T), axis=0)
    return out.reshape(lead + (1,) * len(dims) if keep else lead)


def _are_last(dims: tuple[int, ...], ndim: int) -> bool:
    return sorted(dims) == list(range(ndim - len(dims), ndim))
