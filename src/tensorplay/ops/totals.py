"""Sums of arrays over some dims. BLAS adds up short rows, and columns, in a fraction of NumPy's time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.blas import dot, one_thread_in
from tensorplay.core.threads import share
from tensorplay.core.value import Shape
from tensorplay.ops.many import CHEAP

Array = Any
FEW = 512  # elements, of which NumPy's sum costs fewer calls
SHORT = 1024  # elements of a row; longer ones are cut, for NumPy's pairwise sums of the parts lose fewer digits
LONG = 8 * SHORT  # elements of a row that is worth cutting
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
    if axis is None and not keep and x.dtype.kind in "fc":
        return _reduce(x, None, None, np.empty((), x.dtype))  # where NumPy would give a scalar, to be made an array
    return _reduce(x, axis, None if x.dtype.kind in "fc" else x.dtype, None, keep)


@functools.lru_cache(maxsize=4096)
def _layout(shape: Shape, dims: tuple[int, ...]) -> Layout | None:
    """How BLAS may sum a contiguous array; None where it had better not."""
    dims = tuple(sorted(dims))
    if not dims or dims != tuple(range(dims[0], dims[0] + len(dims))):
        return None
    before, count, after = (math.prod(shape[d] for d in part) for part in _parts(len(shape), dims))
    if after > 1:
        pays = before == 1 or after >= WIDE
    elif count <= SHORT:
        pays = before > 1
    else:
        pays = count >= LONG and (before == 1 or count % SHORT == 0)
    if not pays or count < 2:
        return None
    out = tuple([n for i, n in enumerate(shape) if i not in dims])
    return Layout(before, count, after, out, tuple([1 if i in dims else n for i, n in enumerate(shape)]))


def _parts(ndim: int, dims: tuple[int, ...]) -> tuple[range, range, range]:
    return range(dims[0]), range(dims[0], dims[-1] + 1), range(dims[-1] + 1, ndim)


def _by_blas(x: Array, layout: Layout) -> Array:
    if layout.after == 1:
        rows = x.reshape(layout.before, layout.length)
        return _of_rows(rows) if layout.length <= SHORT else _of_long_rows(rows)
    ones = _ones(layout.length, x.dtype.char)
    if layout.before == 1:
        return dot(ones, x.reshape(layout.length, layout.after))
    with one_thread_in("numpy"):
        return np.matmul(ones, x.reshape(layout.before, layout.length, layout.after))


def _of_rows(rows: Array) -> Array:
    ones = _ones(rows.shape[1], rows.dtype.char)
    if rows.size < 2 * CHEAP:
        return dot(rows, ones)
    out = np.empty(len(rows), rows.dtype)

    def work(start: int, stop: int) -> None:
        np.dot(rows[start:stop], ones, out=out[start:stop])

    with one_thread_in("numpy"):
        share(work, len(rows), CHEAP // rows.shape[1])
    return out


def _of_long_rows(rows: Array) -> Array:
    """Sums of a single row, or of rows that can be cut into short ones without rest."""
    cut = rows.shape[1] // SHORT * SHORT
    out = _reduce(_of_rows(rows[:, :cut].reshape(-1, SHORT)).reshape(len(rows), -1), 1)
    return out if cut == rows.shape[1] else out + _reduce(rows[:, cut:], 1)


@functools.lru_cache(maxsize=1024)
def _ones(count: int, char: str) -> Array:
    return np.ones(count, char)
