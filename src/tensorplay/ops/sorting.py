"""
Order statistics: sort, top k, median, quantiles, and searching in what is sorted.

What is selected is found by primitives that only give positions; the values are then taken from there, so derivatives and
maps need no rule of their own. NaN counts as greater than every number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.indexing import take_along
from tensorplay.ops.reduction import need_elements, need_order, select, with_dim
from tensorplay.ops.results import ValuesIndices
from tensorplay.ops.shape import one_dim


def positions(name: str, impl: Callable[..., Any]) -> Primitive:
    """A primitive for positions of elements along `dim`; `impl` may use other parameters too."""
    prim = Primitive(name, impl, differentiable=False)
    prim.batch(lambda size, args, mapped, dim, **params: (prim(args[0], dim=dim + 1, **params), True))
    return prim


def _reversed(x: Any, dim: int) -> Any:
    return np.flip(x, axis=dim)


# ---- sort ------------------------------------------------------------------------------------------------------------


def _argsort_impl(x: Any, dim: int, descending: bool) -> Any:
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    # of the reversed tensor, so that equal elements keep their order
    order = np.argsort(_reversed(x, dim), axis=dim, kind="stable")
    return _reversed(x.shape[dim] - 1 - order, dim)


_argsort = positions("argsort", _argsort_impl)


def sort(input: Value, dim: int = -1, descending: bool = False, stable: bool = False) -> ValuesIndices:
    """
    Elements in order along a dim, and where they came from.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    dim : int, default -1
        Dim to sort along.
    descending : bool, default False
        Whether the greatest comes first.
    stable : bool, default False
        Equal elements always keep their order, whatever is given here.

    Returns
    -------
    values, indices : Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.sort(tp.tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    order = argsort(input, dim, descending)
    if input.ndim == 0:
        return ValuesIndices(input, order)
    return ValuesIndices(take_along(input, order, dim=one_dim(dim, input.ndim, "sort")), order)


def argsort(input: Value, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Value:
    """
    Positions that sort the elements along a dim.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    dim : int, default -1
        Dim to sort along.
    descending : bool, default False
        Whether the greatest comes first.
    stable : bool, default False
        Equal elements always keep their order, whatever is given here.

    Returns
    -------
    Tensor
        int64, in the shape of `input`.

    Examples
    --------
    >>> tp.argsort(tp.tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    need_order(input, "sort")
    axis = one_dim(dim, input.ndim, "sort")
    return families.reshape(_argsort(with_dim(input), dim=axis, descending=descending), shape=input.shape)


def msort(input: Value) -> Value:
    """
    Elements in order along the first dim.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.msort(tp.tensor([3.0, 1.0, 2.0]))
    tensor([1., 2., 3.])
    """
    return sort(input, 0).values


# ---- a few of the greatest or least ----------------------------------------------------------------------------------


def _topk_impl(x: Any, dim: int, k: int, largest: bool) -> Any:
    n = x.shape[dim]
    if k < n:
        near = np.argpartition(x, n - k if largest else k - 1, axis=dim) if k else np.argsort(x, axis=dim)
        near = np.take(near, np.arange(n - k, n) if largest else np.arange(k), axis=dim)
        near.sort(axis=dim)  # equal elements in their own order
        return np.take_along_axis(near, _argsort_impl(np.take_along_axis(x, near, dim), dim, largest), dim)
    return _argsort_impl(x, dim, largest)


_topk = positions("topk", _topk_impl)


def topk(input: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesIndices:
    """
    The `k` greatest (or least) elements along a dim, and their positions.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    k : int
        How many.
    dim : int, default -1
        Dim to select along.
    largest : bool, default True
        Whether the greatest are wanted, not the least.
    sorted : bool, default True
        The result is always in order, whatever is given here.

    Returns
    -------
    values, indices : Tensor
        Of size `k` along the dim.

    Examples
    --------
    >>> tp.topk(tp.tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    need_order(input, "topk")
    axis = one_dim(dim, input.ndim, "topk")
    value = with_dim(input)
    if not 0 <= k <= value.shape[axis]:
        raise RuntimeError(f"topk(): k must be in [0, {value.shape[axis]}], the size of dim {axis}, got {k}")
    index = _topk(value, dim=axis, k=int(k), largest=largest)
    values = take_along(value, index, dim=axis)
    if input.ndim == 0 and k == 1:
        return ValuesIndices(families.reshape(values, shape=()), families.reshape(index, shape=()))
    return ValuesIndices(values, index)


_kth = positions("kthvalue", lambda x, dim, k: np.take(np.argpartition(x, k, axis=dim), [k], axis=dim))


def kthvalue(input: Value, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """
    The `k`-th least element along a dim, and its position.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    k : int
        1 is the least.
    dim : int, default -1
        Dim to select along.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    values, indices : Tensor
        Without the dim, or with size 1 along it.

    Examples
    --------
    >>> tp.kthvalue(tp.tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    need_order(input, "kthvalue")
    axis = one_dim(dim, input.ndim, "kthvalue")
    value = with_dim(input)
    need_elements(value, (axis,), "kthvalue")
    if not 1 <= k <= value.shape[axis]:
        raise RuntimeError(f"kthvalue(): k must be in [1, {value.shape[axis]}], the size of dim {axis}, got {k}")
    return select(input, _kth(value, dim=axis, k=int(k) - 1), axis, keepdim)
