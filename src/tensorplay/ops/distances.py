"""Distances between all pairs of points."""

from __future__ import annotations

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.families import sum_dims
from tensorplay.ops.indexing import take
from tensorplay.ops.matrices import minus
from tensorplay.ops.norms import vector_norm
from tensorplay.ops.products import broadcast_shape
from tensorplay.ops.promotion import promote

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

    Notes
    -----
    The derivative at a distance of zero is taken as zero.

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
    x1, x2 = promote(x1, x2)
    first = families.reshape(x1, shape=(*x1.shape[:-1], 1, x1.shape[-1]))
    second = families.reshape(x2, shape=(*x2.shape[:-2], 1, *x2.shape[-2:]))
    return _lengths(minus(first, second), p)


def _check_order(name: str, p: float) -> None:
    if not p >= 0:
        raise RuntimeError(f"{name}(): p must not be negative, got {p}")


def _lengths(x: Value, p: float) -> Value:
    """Norms along the last dim; 0 for points in no dims."""
    return vector_norm(x, p, -1) if x.shape[-1] else sum_dims(x, dims=(x.ndim - 1,))


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
    return _lengths(minus(take(input, first, start=0), take(input, second, start=0)), p)
