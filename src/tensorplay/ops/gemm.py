"""
Products of matrices, shared among threads.

BLAS is at one thread meanwhile (`core/blas.py`): it would share no stack of products, and where each of our threads
does a part of the stack, or of a large product, they are as quick as BLAS' own or quicker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.blas import threads_of
from tensorplay.core.threads import in_steps, share

Array = Any
Part = Callable[[slice], Array]  # the matrices of some items

FEW = 1 << 18  # multiplications, of which BLAS does a product in one thread itself
ENOUGH = 1 << 22  # multiplications that are worth a thread
TILE = 16  # rows that BLAS computes at a time, or a multiple of it
WRITTEN = 1 << 17  # products of two numbers that are worth a thread
WIDE = 1 << 10  # columns from which NumPy's broadcasting is quicker than its einsum
LONG = 8  # a sum is long that has so many times as many terms as the result has rows, or columns
BLOCK = 1 << 18  # elements that stay in the cache
SHORT = 64  # terms of a sum that is quicker computed twice than copied from the other half of a symmetric result
MIRRORED = 128  # rows of a symmetric result from which that matters


def product(x: Array, y: Array) -> Array:
    """Matrices x [*batch, m, k] times y [*batch, k, n]; one of the two may be a single matrix."""
    m, k = x.shape[-2:]
    n = y.shape[-1]
    if m == n and m >= MIRRORED and k <= SHORT and np.may_share_memory(x, y):
        # NumPy computes half of a product with the matrix' own transpose and copies the rest one by one
        y = y.copy(order="K")
    work = max(x.size * n, y.size * m)
    if work <= FEW:
        return np.dot(x, y) if x.ndim == y.ndim == 2 else np.matmul(x, y)
    threads = threads_of("numpy")
    if threads is None:
        return np.matmul(x, y)
    with threads as most:
        if (work < 2 * ENOUGH or most < 2) and not _is_better_turned(x, y):
            return np.matmul(x, y)
        if x.ndim == y.ndim == 2 and k >= LONG * max(m, n):
            return sum_of_products(lambda at: x[:, at], lambda at: y[at], k, m * n)
        return _into_new(x, y, work)


def _is_better_turned(x: Array, y: Array) -> bool:
    """Whether few rows meet columns that lie in one piece, which OpenBLAS does slowly."""
    m, k = x.shape[-2:]
    lies_by_columns: bool = y.strides[-2] == y.itemsize
    return lies_by_columns and LONG * m <= k and m <= y.shape[-1]


def _multiply(x: Array, y: Array, out: Array) -> None:
    """The product, into `out`; where that is quicker, computed turned and copied."""
    if _is_better_turned(x, y):
        np.copyto(out, np.matmul(y.swapaxes(-1, -2), x.swapaxes(-1, -2)).swapaxes(-1, -2))
    else:
        np.matmul(x, y, out=out)


def _into_new(x: Array, y: Array, work: int) -> Array:
    batch = max(x, y, key=np.ndim).shape[:-2]
    out = np.empty((*batch, x.shape[-2], y.shape[-1]), np.result_type(x, y))
    if batch and max(batch) > 1:
        axis = max(range(len(batch)), key=batch.__getitem__)
        left, right = [a if a.ndim == 2 else np.moveaxis(a, axis, 0) for a in (x, y)]
        # what is copied should come from the cache
        step = max(BLOCK * batch[axis] // out.size, 1) if _is_better_turned(x, y) else None
        fill_products(_items(left), _items(right), np.moveaxis(out, axis, 0), work // batch[axis], step)
    elif out.shape[-2] >= out.shape[-1]:
        _in_strips(lambda at: _multiply(x[..., at, :], y, out[..., at, :]), out.shape[-2], work)
    else:
        _in_strips(lambda at: _multiply(x, y[..., at], out[..., at]), out.shape[-1], work)
    return out


def _items(x: Array) -> Part:
    return lambda at: x if x.ndim == 2 else x[at]


def _in_strips(multiply: Callable[[slice], None], length: int, work: int) -> None:
    """Rows or columns of a product, as many tiles for each thread."""

    def some(start: int, stop: int) -> None:
        multiply(slice(start * TILE, min(stop * TILE, length)))

    tiles = -(-length // TILE)
    _shared(some, tiles, -(-work // tiles))


def _shared(work: Callable[[int, int], None], items: int, each: int) -> None:
    """Work of `each` multiplications an item, shared where BLAS may use threads and can be asked not to."""
    threads = threads_of("numpy")
    if threads is None:
        work(0, items)
        return
    with threads as most:
        if most < 2:
            work(0, items)
        else:
            share(work, items, -(-ENOUGH // each))


def fill_products(left: Part, right: Part, out: Array, each: int, step: int | None = None) -> None:
    """Products of the matrices that `left` and `right` give for some items, `step` at a time, into those of `out`."""

    def work(start: int, stop: int) -> None:
        for at in in_steps(start, stop, step or stop - start):
            _multiply(left(at), right(at), out[at])

    _shared(work, len(out), each)


def sum_of_products(left: Part, right: Part, items: int, each: int, step: int | None = None) -> Array:
    """Sum over items of the products of the matrices that `left` and `right` give for `step` items at a time."""
    totals: dict[int, Array] = {}

    def work(start: int, stop: int) -> None:
        for at in in_steps(start, stop, step or stop - start):
            x, y = left(at), right(at)
            term = np.empty((len(x), y.shape[1]), np.result_type(x, y))
            _multiply(x, y, term)
            totals[start] = term if at.start == start else np.add(totals[start], term, out=totals[start])

    _shared(work, items, each)
    first, *others = [totals[start] for start in sorted(totals)]
    for other in others:
        first += other
    return first


def outer_products(x: Array, y: Array) -> Array:
    """Products x [b, m] and y [b, n] of all pairs of elements, for each of b samples: [b, m, n]."""
    (samples, m), n = x.shape, y.shape[1]
    out = np.empty((samples, m, n), np.result_type(x, y))

    def work(start: int, stop: int) -> None:
        left, right, here = x[start:stop], y[start:stop], out[start:stop]
        if n < WIDE:
            np.einsum("bi,bj->bij", left, right, out=here)
        else:
            np.multiply(left[:, :, None], right[:, None, :], out=here)

    share(work, samples, -(-WRITTEN // max(m * n, 1)))
    return out
