"""Greatest and least elements over some dims. NumPy compares short rows at a price per row, columns side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
FEW = 1 << 9  # elements, of which NumPy's own way takes fewer calls
NARROW = 32  # elements of a row, up to which it is worth a copy to make columns of rows
HALVED = 128  # elements of a row that are soon halved to that


def greatest(x: Array, dims: tuple[int, ...]) -> Array:
    """Greatest elements over `dims`, which are dropped; NaN where there is one."""
    return _extreme(np.maximum, x, dims)


def least(x: Array, dims: tuple[int, ...]) -> Array:
    """Least elements over `dims`, which are dropped; NaN where there is one."""
    return _extreme(np.minimum, x, dims)


def _extreme(ufunc: np.ufunc, x: Array, dims: tuple[int, ...]) -> Array:
    short = x.size > FEW and x.dtype.char in "fd" and x.flags.c_contiguous and _are_last(dims, x.ndim)
    length = math.prod([x.shape[d] for d in dims]) if short else 0
    if not 1 < length <= HALVED:
        return ufunc.reduce(x, axis=dims)
    lead = x.shape[: x.ndim - len(dims)]
    matrix = x.reshape(-1, length)
    while length > NARROW:
        half = (length + 1) // 2
        matrix = ufunc(matrix[:, :half], matrix[:, length - half :])
        length = half
    return ufunc.reduce(np.ascontiguousarray(matrix.T), axis=0).reshape(lead)


def _are_last(dims: tuple[int, ...], ndim: int) -> bool:
    return sorted(dims) == list(range(ndim - len(dims), ndim))
