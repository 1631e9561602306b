"""Sums of arrays over some dims. BLAS adds up short rows, and columns, in a fraction of NumPy's time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.blas import dot, one_thread_in
from tensorplay.core.value import Shape

Array = Any
FEW = 512  # elements, of which NumPy's sum costs fewer calls
SHORT = 1024  # elements of a row; in longer ones NumPy's pairwise sums lose fewer digits
WIDE = 16  # columns of a matrix in a stack that are worth a call of BLAS
_reduce: Callable[..., Array] = np.add.reduce


class Layout(NamedTuple):
    """An array as [before, length, after], to be summed over the middle."""

    before: int
    length: int
    after: int
    out: Shape
    kept: Shape


def sum_over(x: Array, dims: tuple[int, ...], *, keep: bool = False) -> Array:
    """Sum over `dims`, which stay with size 1 if `keep`, in the dtype of x."""
    if x.size > FEW and x.dtype.char in "fd" and x.flags.c_contiguous:
        layout = _layout(x.shape, dims)
        if layout is not None:
            return _by_blas(x, layout).reshape(layout.kept if keep else layout.out)
    axis = None if len(dims) == x.ndim else dims
    return _reduce(x, axis, None if x.dtype.kind in "fc" else x.dtype, None, keep)


@functools.lru_cache(maxsize=4096)
def _layout(shape: Shape, dims: tuple[int, ...]) -> Layout | None:
    """How BLAS may sum a contiguous array; None where it had better not."""
    dims = tuple(sorted(dims))
    if not dims or dims != tuple(range(dims[0], dims[0] + len(dims))):
        return None
    before, count, after = (math.prod(shape[d] for d in part) for part in _parts(len(shape), dims))
    pays = count <= SHORT if after == 1 else before == 1 or after >= WIDE
    if not pays or before * after <= 1 or count < 2:
        return None
    out = tuple([n for i, n in enumerate(shape) if i not in dims])
    return Layout(before, count, after, out, tuple([1 if i in dims else n for i, n in enumerate(shape)]))


def _parts(ndim: int, dims: tuple[int, ...]) -> tuple[range, range, range]:
    return range(dims[0]), range(dims[0], dims[-1] + 1), range(dims[-1] + 1, ndim)


def _by_blas(x: Array, layout: Layout) -> Array:
    ones = _ones(layout.length, x.dtype.char)
    if layout.after == 1:
        return dot(x.reshape(layout.before, layout.length), ones)
    if layout.before == 1:
        return dot(ones, x.reshape(layout.length, layout.after))
    with one_thread_in("numpy"):
        return np.matmul(ones, x.reshape(layout.before, layout.length, layout.after))


@functools.lru_cache(maxsize=1024)
def _ones(count: int, char: str) -> Array:
    return np.ones(count, char)
