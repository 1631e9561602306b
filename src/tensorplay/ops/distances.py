"""
Distances between all pairs of points.

The differences of all pairs are many: P R M numbers for P R distances. Kernels take them tile by tile, and keep none.
That they are taken at all, and not products of the points, keeps exact what is told by points close to each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families
from tensorplay.ops.extremes import share_of_extreme
from tensorplay.ops.families import align_ranks, expand, negative, scale, sum_dims, sum_of, sum_to
from tensorplay.ops.indexing import take, where
from tensorplay.ops.matrices import as_column, as_row, minus, transposed
from tensorplay.ops.norms import norm_kernel, norm_weight, scaled_norm
from tensorplay.ops.products import broadcast_shape, matmul
from tensorplay.ops.promotion import of_one_dtype
from tensorplay.ops.trigonometry import ratio

Array = np.ndarray[Any, Any]
Tile = tuple[slice, slice, slice]

# ---- kernels ---------------------------------------------------------------------------------------------------------

_TILE = 1 << 16  # differences at a time, few enough for the cache


def _stacked(*arrays: Array) -> tuple[Shape, list[Array]]:
    """The leading dims that the stacks of matrices have in common, and each as a stack with one such dim."""
    leads = [a.shape[:-2] for a in arrays]
    lead = leads[0]
    if any([other != lead for other in leads]):
        lead = np.broadcast_shapes(*leads)
        arrays = tuple([np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in arrays])
    size = math.prod(lead)
    return lead, [a.reshape(size, *a.shape[-2:]) for a in arrays]


def _tiles(x: Array, y: Array) -> Iterator[tuple[Tile, Array]]:
    """Ranges of matrices, of points of `x` [s, p, m] and of `y` [s, r, m], with the differences of these points."""
    steps, room = [], _TILE // max(x.shape[-1], 1)
    for size in (y.shape[1], x.shape[1], x.shape[0]):
        steps.append(min(max(room, 1), max(size, 1)))
        room //= steps[-1]
    columns, rows, matrices = [
        [slice(i, i + step) for i in range(0, size, step)]
        for size, step in zip((y.shape[1], x.shape[1], x.shape[0]), steps, strict=True)
    ]
    for s, i, j in product(matrices, rows, columns):
        yield (s, i, j), x[s, i, None] - y[s, None, j]


def _cdist_impl(x: Array, y: Array, p: float) -> Array:
    lead, (x, y) = _stacked(x, y)
    out = np.empty((len(x), x.shape[1], y.shape[1]), x.dtype)
    for tile, differences in _tiles(x, y):
        out[tile] = _lengths(differences, p)
    return out.reshape(*lead, *out.shape[1:])


def _lengths(x: Array, p: float) -> Array:
    """Norms along the last dim."""
    if p == 0:
        return np.count_nonzero(x, axis=-1)
    if p == math.inf:
        return np.maximum.reduce(np.abs(x), axis=-1, initial=0)
    if p != 2:
        return norm_kernel(x, (-1,), p)
    length = np.sqrt(np.einsum("...m,...m->...", x, x))
    info = np.finfo(x.dtype)
    strange = ~(np.isfinite(length) & (length > np.sqrt(info.tiny) / info.eps))
    if strange.any():
        length[strange] = scaled_norm(np.abs(x[strange]), (-1,), p)
    return length


def _weighted_sum(differences: Array, weight: Array, axis: int) -> Array:
    """Sum along one of the last two dims, of which the weight lacks the other; a weight of zero wins over infinity."""
    if axis == -1:
        total = np.matmul(differences, np.swapaxes(weight, -1, -2))[..., 0]
    else:
        total = np.matmul(np.swapaxes(weight, -1, -2), differences)[..., 0, :]
    if np.isfinite(total).all():
        return total
    return np.add.reduce(scale.impl(differences, weight), axis=axis)


def _spread_impl(w: Array, x: Array, y: Array) -> Array:
    lead, (w, x, y) = _stacked(w, x, y)
    out = np.zeros(x.shape, x.dtype)
    for (s, i, j), differences in _tiles(x, y):
        out[s, i] += _weighted_sum(differences, w[s, i, j, None], -2)
    return out.reshape(*lead, *out.shape[1:])


def _along_impl(c: Array, x: Array, y: Array) -> Array:
    lead, (c, x, y) = _stacked(c, x, y)
    out = np.empty((len(x), x.shape[1], y.shape[1]), x.dtype)
    for (s, i, j), differences in _tiles(x, y):
        out[s, i, j] = _weighted_sum(differences, c[s, i, None], -1)
    return out.reshape(*lead, *out.shape[1:])


# ---- primitives ------------------------------------------------------------------------------------------------------


def _over_pairs(name: str, impl: Any) -> Primitive:
    """A primitive on stacks of matrices whose leading dims broadcast."""
    prim = Primitive(name, impl)
    prim.batch(lambda size, args, mapped, **params: (prim(*align_ranks(args, mapped), **params), True))
    return prim


_cdist = _over_pairs("cdist", _cdist_impl)
# Of weights [P, R]: sum over j of w_ij (x_i - y_j), [P, M]. Of directions [P, M]: the products c_i (x_i - y_j), [P, R].
_spread = _over_pairs("spread_differences", _spread_impl)
_along = _over_pairs("along_differences", _along_impl)


def _row_sums(x: Value) -> Value:
    return as_column(sum_dims(x, dims=(x.ndim - 1,)))  # [*, P, 1]


def _filling(shape: Shape, *terms: Value | None) -> Value | None:
    total = sum_of(*terms)
    return total if total is None or total.shape == shape else expand(total, shape=shape)


@_spread.derivative
def _spread_derivative(out: Value, w: Value, x: Value, y: Value) -> LinearMap:
    def push(w_dot: Value | None, x_dot: Value | None, y_dot: Value | None) -> Value | None:
        return _filling(
            out.shape,
            None if w_dot is None else _spread(w_dot, x, y),
            None if x_dot is None else scale(x_dot, _row_sums(w)),
            None if y_dot is None else negative(matmul(w, y_dot)),
        )

    return LinearMap(
        push,
        lambda ct: (
            lambda: sum_to(_along(ct, x, y), w.shape),
            lambda: sum_to(scale(ct, _row_sums(w)), x.shape),
            lambda: sum_to(negative(matmul(transposed(w), ct)), y.shape),
        ),
    )


@_along.derivative
def _along_derivative(out: Value, c: Value, x: Value, y: Value) -> LinearMap:
    def push(c_dot: Value | None, x_dot: Value | None, y_dot: Value | None) -> Value | None:
        return _filling(
            out.shape,
            None if c_dot is None else _along(c_dot, x, y),
            None if x_dot is None else _row_sums(scale(x_dot, c)),
            None if y_dot is None else negative(matmul(c, transposed(y_dot))),
        )

    return LinearMap(
        push,
        lambda ct: (
            lambda: sum_to(_spread(ct, x, y), c.shape),
            lambda: sum_to(scale(c, _row_sums(ct)), x.shape),
            lambda: sum_to(negative(matmul(transposed(ct), c)), y.shape),
        ),
    )


@_cdist.derivative
def _cdist_derivative(out: Value, x: Value, y: Value, *, p: float) -> LinearMap:
    return _euclidean_map(out, x, y) if p == 2 else _general_map(out, x, y, p)


def _euclidean_map(out: Value, x: Value, y: Value) -> LinearMap:
    # a point at infinity lies in no known direction
    weight = where(ew.isinf(out), np.asarray(np.nan, out.dtype), ratio(np.ones((), out.dtype), out))

    def push(x_dot: Value | None, y_dot: Value | None) -> Value | None:
        total = sum_of(
            None if x_dot is None else _along(x_dot, x, y),
            None if y_dot is None else transposed(_along(y_dot, y, x)),
        )
        return None if total is None else scale(total, weight)

    def pull(ct: Value) -> tuple[Any, ...]:
        w = scale(ct, weight)
        return (
            lambda: sum_to(_spread(w, x, y), x.shape),
            lambda: sum_to(_spread(transposed(w), y, x), y.shape),
        )

    return LinearMap(push, pull)


def _general_map(out: Value, x: Value, y: Value, p: float) -> LinearMap:
    weights = _slopes(out, minus(as_row(x), _columns(y)), p)  # [*, P, R, M]
    last = weights.ndim - 1

    def push(x_dot: Value | None, y_dot: Value | None) -> Value | None:
        total = sum_of(
            None if x_dot is None else scale(as_row(x_dot), weights),
            None if y_dot is None else negative(scale(_columns(y_dot), weights)),
        )
        return None if total is None else sum_dims(total, dims=(last,))

    def pull(ct: Value) -> tuple[Any, ...]:
        spread = scale(as_column(ct), weights)
        return (
            lambda: sum_to(sum_dims(spread, dims=(last - 1,)), x.shape),
            lambda: sum_to(negative(sum_dims(spread, dims=(last - 2,))), y.shape),
        )

    return LinearMap(push, pull)


def _slopes(out: Value, differences: Value, p: float) -> Value:
    """Derivative of each distance by the elements of its difference."""
    dims = (differences.ndim - 1,)
    if p == 0:
        return np.zeros(differences.shape, out.dtype)
    if p == math.inf:
        return ew.mul(ew.sgn(differences), share_of_extreme(out, ew.abs(differences), dims))
    return norm_weight(out, differences, dims, p)


def _columns(x: Value) -> Value:
    return families.reshape(x, shape=(*x.shape[:-2], 1, *x.shape[-2:]))


# ---- functions -------------------------------------------------------------------------------------------------------

_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x1: Value, x2: Value, p: float = 2.0, compute_mode: str = _MODES[0]) -> Value:
    """
    Distances between each point of one set and each of another.

    Parameters
    ----------
    x1 : Tensor
        Of shape [*, P, M]: P points in M dims.
    x2 : Tensor
        Of shape [*, R, M]; leading dims broadcast.
    p : float, default 2
        Order of the norm of the difference, from 0 to infinity.
    compute_mode : str, optional
        A hint that torch has; distances are always computed from differences, which is the most accurate way.

    Returns
    -------
    Tensor
        Of shape [*, P, R].

    Raises
    ------
    RuntimeError
        If the shapes do not fit, the points are no floating-point numbers, or the order is negative.

    Notes
    -----
    The derivative at a distance of zero is taken as zero. For p=2 neither the distances nor their derivatives hold the
    differences of all pairs; for other orders the derivatives do.

    Examples
    --------
    >>> tp.cdist(tp.tensor([[0.0, 0.0]]), tp.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"cdist(): expected points of shape [*, P, M] and [*, R, M], got {list(x1.shape)} and {list(x2.shape)}"
        )
    if compute_mode not in _MODES:
        raise ValueError(f"cdist(): {compute_mode} is not a valid value for compute_mode; choose from {_MODES}")
    _check_order("cdist", p)
    broadcast_shape("cdist", x1.shape[:-2], x2.shape[:-2])
    of_one_dtype("cdist", x1, x2)
    if x1.dtype.kind != "f":
        raise RuntimeError(f"cdist(): expected floating-point points, got {from_numpy_dtype(x1.dtype)}")
    return _cdist(x1, x2, p=float(p))


def _check_order(name: str, p: float) -> None:
    if not p >= 0:
        raise RuntimeError(f"{name}(): p must not be negative, got {p}")


def pdist(input: Value, p: float = 2.0) -> Value:
    """
    Distances between all pairs of points of a set.

    Parameters
    ----------
    input : Tensor
        Of shape [N, M]: N points in M dims.
    p : float, default 2
        Order of the norm of the difference, from 0 to infinity.

    Returns
    -------
    Tensor
        Of shape [N (N - 1) / 2]: of the pairs (0, 1), (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> tp.nn.functional.pdist(tp.tensor([[0.0], [1.0], [3.0]]))
    tensor([1., 3., 2.])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist(): expected a matrix of points, got shape {list(input.shape)}")
    _check_order("pdist", p)
    first, second = np.triu_indices(input.shape[0], 1)
    return take(cdist(input, input, p), first, second, start=0)
