"""
Greatest and least elements.

Elements that tie for an extreme over dims share its derivative evenly; where positions are given too, one element is
selected, and so does the derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import BOOL, INT64
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families
from tensorplay.ops.families import kept_shape, reduction
from tensorplay.ops.reducing import Dims, drop_dim, keep, need_elements, need_order, select, with_dim
from tensorplay.ops.results import MinMax, ValuesIndices
from tensorplay.ops.rows import greatest, least
from tensorplay.ops.shape import one_dim, some_dims


def _share_impl(x: Any, out: Any, dims: tuple[int, ...]) -> Any:
    extreme = out.reshape(kept_shape(x.shape, dims))
    chosen = x == extreme
    if x.dtype.kind == "f" and np.isnan(out).any():
        chosen |= np.isnan(x) & np.isnan(extreme)
    return chosen * (1 / np.add.reduce(chosen, axis=dims, keepdims=True, dtype=x.dtype))


# One for the element that equals the extreme `out` over `dims`, or an even share for each of several.
_share = Primitive("share_of_extreme", _share_impl, differentiable=False)


@_share.batch
def _share_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...]
) -> tuple[Value, bool]:
    x, out = families.all_mapped(size, args, mapped)
    return _share(x, out, dims=tuple([d + 1 for d in dims])), True


def share_of_extreme(out: Value, x: Value, dims: tuple[int, ...]) -> Value:
    """Weight of each element in an extreme: those that equal the result share evenly."""
    return _share(x, out, dims=dims)


_amax = reduction("amax", greatest, share_of_extreme)
_amin = reduction("amin", least, share_of_extreme)


def _extreme(prim: Primitive, input: Value, dim: Dims, keepdim: bool, name: str) -> Value:
    need_order(input, name)
    dims = some_dims(dim, input.ndim, name)
    need_elements(input, dims, name)
    return keep(prim(input, dims=dims), keepdim, input.shape, dims)


def amax(input: Value, dim: Dims = (), keepdim: bool = False) -> Value:
    """
    Greatest elements, over all or some dims.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        The maxima; NaN where an element is. Elements that tie share the derivative evenly.

    Raises
    ------
    RuntimeError, IndexError
        If there are no elements to choose from.

    Examples
    --------
    >>> tp.amax(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1)
    tensor([5., 4.])
    """
    return _extreme(_amax, input, dim, keepdim, "amax")


def amin(input: Value, dim: Dims = (), keepdim: bool = False) -> Value:
    """
    Least elements, over all or some dims.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        The minima; NaN where an element is. Elements that tie share the derivative evenly.

    Raises
    ------
    RuntimeError, IndexError
        If there are no elements to choose from.

    Examples
    --------
    >>> tp.amin(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1)
    tensor([1., 3.])
    """
    return _extreme(_amin, input, dim, keepdim, "amin")


def aminmax(input: Value, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """
    Least and greatest elements.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int, optional
        Dim to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.

    Returns
    -------
    min, max : Tensor
        As `amin` and `amax` give them.

    Examples
    --------
    >>> tp.aminmax(tp.tensor([1.0, 5.0, 3.0])).max
    tensor(5.)
    """
    return MinMax(_extreme(_amin, input, dim, keepdim, "aminmax"), _extreme(_amax, input, dim, keepdim, "aminmax"))


def _argument_of(name: str, impl: Callable[..., Any]) -> Primitive:
    """A primitive for the position of an extreme along `dim`, which stays with size 1."""
    prim = Primitive(
        name, lambda x, dim: impl(x, axis=dim, keepdims=True).astype(INT64, copy=False), differentiable=False
    )
    prim.batch(lambda size, args, mapped, dim: (prim(args[0], dim=dim + 1), True))
    return prim


_argmax = _argument_of("argmax", np.argmax)
_argmin = _argument_of("argmin", np.argmin)


def _position(prim: Primitive, input: Value, dim: int | None, keepdim: bool, name: str) -> Value:
    need_order(input, name)
    if input.dtype == BOOL:
        raise RuntimeError(f"{name}(): bools are not supported; convert to an integer dtype first")
    dims = some_dims(dim, input.ndim, name)
    if dim is None and input.size == 0:
        raise IndexError(
            f"{name}(): a tensor of shape {list(input.shape)} has no elements; name a dim= of non-zero size"
        )
    need_elements(input, dims, name)
    if dim is None:
        found = drop_dim(prim(families.reshape(input, shape=(input.size,)), dim=0), 0)
        return keep(found, keepdim, input.shape, dims)
    axis = one_dim(dim, input.ndim, name)
    found = prim(with_dim(input), dim=axis)
    return found if keepdim and input.ndim else drop_dim(found, axis)


def argmax(input: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """
    Position of the greatest element, the first one where several tie.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    dim : int, optional
        Dim to search; None is the flattened tensor.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> tp.argmax(tp.tensor([[1.0, 5.0], [3.0, 4.0]]))
    tensor(1)
    """
    return _position(_argmax, input, dim, keepdim, "argmax")


def argmin(input: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """
    Position of the least element, the first one where several tie.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the least.
    dim : int, optional
        Dim to search; None is the flattened tensor.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> tp.argmin(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=0)
    tensor([0, 1])
    """
    return _position(_argmin, input, dim, keepdim, "argmin")


def _select_extreme(prim: Primitive, input: Value, dim: int, keepdim: bool, name: str) -> ValuesIndices:
    need_order(input, name)
    axis = one_dim(dim, input.ndim, name)
    need_elements(input, some_dims(axis, input.ndim, name), name)
    return select(input, prim(with_dim(input), dim=axis), axis, keepdim)


def max(input: Value, dim: Value | int | None = None, keepdim: bool = False, *, other: Value | None = None) -> Any:
    """
    Greatest element; along a dim also its position; or the greater of two tensors' elements.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or Tensor, optional
        A dim to reduce, or the tensor `other`; all dims by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.
    other : Tensor, optional
        Compare elementwise with it, as `maximum` does.

    Returns
    -------
    Tensor or (values, indices)
        With `dim` a named tuple, which selects the first of several elements that tie. Without, ties share the
        derivative.

    Examples
    --------
    >>> tp.max(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).indices
    tensor([1, 1])
    >>> tp.max(tp.tensor([1.0, 5.0]))
    tensor(5.)
    """
    if other is not None or hasattr(dim, "dtype"):
        return ew.maximum(input, dim if other is None else other)
    if dim is None:
        return _extreme(_amax, input, None, keepdim, "max")
    return _select_extreme(_argmax, input, dim, keepdim, "max")


def min(input: Value, dim: Value | int | None = None, keepdim: bool = False, *, other: Value | None = None) -> Any:
    """
    Least element; along a dim also its position; or the lesser of two tensors' elements.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or Tensor, optional
        A dim to reduce, or the tensor `other`; all dims by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.
    other : Tensor, optional
        Compare elementwise with it, as `minimum` does.

    Returns
    -------
    Tensor or (values, indices)
        With `dim` a named tuple, which selects the first of several elements that tie. Without, ties share the
        derivative.

    Examples
    --------
    >>> tp.min(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).values
    tensor([1., 3.])
    """
    if other is not None or hasattr(dim, "dtype"):
        return ew.minimum(input, dim if other is None else other)
    if dim is None:
        return _extreme(_amin, input, None, keepdim, "min")
    return _select_extreme(_argmin, input, dim, keepdim, "min")
