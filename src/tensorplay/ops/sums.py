"""Sums, means, products and counts over dims."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import numpy as np

from tensorplay.core.primitive import MANY, Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import INT64, NumpyDtype, from_numpy_dtype
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families, scan
from tensorplay.ops.families import reduction, structural, sum_dims, unreduce
from tensorplay.ops.indexing import take, where
from tensorplay.ops.operands import planned
from tensorplay.ops.promotion import cast
from tensorplay.ops.reducing import Dims, count_along, keep, need_inexact, sum_dtype, widened
from tensorplay.ops.shape import broadcast_to, some_dims
from tensorplay.ops.totals import sum_over

# ---- sums ------------------------------------------------------------------------------------------------------------


def _over(prim: Primitive) -> Any:
    """Plan of a reduction of all elements, or along one dim."""

    @functools.lru_cache(maxsize=1024)
    def plan(shape: Shape, *dim: int) -> tuple[Primitive, dict[str, Any]]:
        return prim, {"dims": some_dims(dim, len(shape), prim.name)}

    return plan


@planned(_over(sum_dims), "fc")
def sum(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Sum of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; integers and bools are added in int64.
    dim : int or tuple of int, optional
        Dims to sum over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims summed over stay, with size 1.
    dtype : dtype, optional
        Convert to it before adding.

    Returns
    -------
    Tensor
        The sums; 0 where there is nothing to add.

    Examples
    --------
    >>> tp.sum(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([4., 6.])
    """
    dims = some_dims(dim, input.ndim, "sum")
    return keep(sum_dims(cast(input, sum_dtype(input, dtype)), dims=dims), keepdim, input.shape, dims)


def nansum(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Sum of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Any shape; integers and bools are added in int64.
    dim : int or tuple of int, optional
        Dims to sum over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims summed over stay, with size 1.
    dtype : dtype, optional
        Convert to it before adding.

    Returns
    -------
    Tensor
        The sums. The derivative with respect to a NaN is zero.

    Examples
    --------
    >>> tp.nansum(tp.tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    if input.dtype.kind in "fc":
        input = where(ew.isnan(input), np.zeros((), input.dtype), input)
    return sum(input, dim, keepdim, dtype=dtype)


def _mean_impl(x: Any, dims: tuple[int, ...], count: int) -> Any:
    total = np.add.reduce(x, axis=dims, dtype=x.dtype) if x.size <= MANY else sum_over(x, dims)
    return np.divide(total, x.dtype.type(count))


_mean: Primitive = structural(
    "mean",
    widened(_mean_impl),
    transpose=lambda ct, x, dims, count: unreduce(families.mul(ct, 1 / count if count else 0.0), x.shape, dims),
    batch=lambda size, args, mapped, dims, count: (
        _mean(args[0], dims=tuple([d + 1 for d in dims]), count=count),
        True,
    ),
)


@functools.lru_cache(maxsize=1024)
def _mean_plan(shape: Shape, *dim: int) -> tuple[Primitive, dict[str, Any]]:
    dims = some_dims(dim, len(shape), "mean")
    return _mean, {"dims": dims, "count": count_along(shape, dims)}


@planned(_mean_plan, "fc")
def mean(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Mean of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, unless `dtype` is given.
    dim : int or tuple of int, optional
        Dims to average over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims averaged over stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The means; NaN where there is nothing to average.

    Raises
    ------
    RuntimeError
        If the elements are integers or bools and no floating-point `dtype` is given.

    Examples
    --------
    >>> tp.mean(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
    tensor([1.5000, 3.5000])
    """
    dims = some_dims(dim, input.ndim, "mean")
    value = input if dtype is None else cast(input, dtype)
    if value.dtype.kind not in "fc":
        raise RuntimeError(
            f"mean(): expected a floating-point or complex tensor, got {from_numpy_dtype(value.dtype)}; pass dtype="
        )
    return keep(_mean(value, dims=dims, count=count_along(value.shape, dims)), keepdim, input.shape, dims)


def nanmean(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Mean of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, unless `dtype` is given.
    dim : int or tuple of int, optional
        Dims to average over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims averaged over stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The means; NaN where all elements are.

    Examples
    --------
    >>> tp.nanmean(tp.tensor([1.0, float("nan"), 2.0]))
    tensor(1.5000)
    """
    value = input if dtype is None else cast(input, dtype)
    need_inexact(value, "nanmean")
    count = sum(cast(ew.logical_not(ew.isnan(value)), value.dtype), dim, keepdim)
    return ew.div(nansum(value, dim, keepdim), count)


# ---- products --------------------------------------------------------------------------------------------------------


def _prod_weight(_out: Value, x: Value, dims: tuple[int, ...]) -> Value:
    """Product of all other elements: of those before times those behind, so that no zero is divided by."""
    rest = tuple([d for d in range(x.ndim) if d not in dims])
    order = (*rest, *dims)
    moved = families.permute(x, dims=order)
    lead = moved.shape[: len(rest)]
    rows = families.reshape(moved, shape=(*lead, count_along(x.shape, dims)))  # [*rest, n]
    before = scan.exclusive_cumprod(rows, dim=len(rest))
    behind = scan.exclusive_cumprod(rows, dim=len(rest), reverse=True)
    others = families.reshape(families.mul(before, behind), shape=moved.shape)
    return families.permute(others, dims=families.inverse_permutation(order))


_prod = reduction("prod", lambda x, dims: np.multiply.reduce(x, axis=dims, dtype=x.dtype), _prod_weight)


def prod(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Product of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; integers and bools are multiplied in int64.
    dim : int or tuple of int, optional
        Dims to multiply over; None is all.
    keepdim : bool, default False
        Whether the dims multiplied over stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The products; 1 where there is nothing to multiply.

    Notes
    -----
    Derivatives of any order are exact where elements are zero: each is a product of the other elements, no quotient.

    Examples
    --------
    >>> tp.prod(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([3., 8.])
    """
    dims = some_dims(dim, input.ndim, "prod")
    return keep(_prod(cast(input, sum_dtype(input, dtype)), dims=dims), keepdim, input.shape, dims)


# ---- truth -----------------------------------------------------------------------------------------------------------

_any = reduction("any", lambda x, dims: np.logical_or.reduce(x, axis=dims), None, differentiable=False)
_all = reduction("all", lambda x, dims: np.logical_and.reduce(x, axis=dims), None, differentiable=False)
_count = reduction(
    "count_nonzero",
    lambda x, dims: np.add.reduce(x != 0, axis=dims, dtype=INT64),
    None,
    differentiable=False,
)


def _truth(prim: Primitive, input: Value, dim: Dims, keepdim: bool, name: str) -> Value:
    # torch reduces nothing over an empty tuple of dims here
    dims = () if isinstance(dim, tuple | list) and not dim else some_dims(dim, input.ndim, name)
    found = keep(prim(input, dims=dims), keepdim, input.shape, dims)
    return cast(found, input.dtype) if input.dtype == np.uint8 else found


def any(input: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """
    Whether some element is true (not zero).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; NaN is true.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        Bool (uint8 for uint8); False where there are no elements.

    Examples
    --------
    >>> tp.any(tp.tensor([[False, True], [False, False]]), dim=1)
    tensor([ True, False])
    """
    return _truth(_any, input, dim, keepdim, "any")


def all(input: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """
    Whether every element is true (not zero).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; NaN is true.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        Bool (uint8 for uint8); True where there are no elements.

    Examples
    --------
    >>> tp.all(tp.tensor([[True, True], [False, True]]), dim=1)
    tensor([ True, False])
    """
    return _truth(_all, input, dim, keepdim, "all")


def count_nonzero(input: Value, dim: Dims = None) -> Value:
    """
    Number of elements that are not zero.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; NaN is not zero.
    dim : int or tuple of int, optional
        Dims to count over; all by default.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> tp.count_nonzero(tp.tensor([[0, 1], [2, 3]]), dim=0)
    tensor([1, 2])
    """
    return _count(input, dims=some_dims(dim, input.ndim, "count_nonzero"))


# ---- others ----------------------------------------------------------------------------------------------------------


def trace(input: Value) -> Value:
    """
    Sum of a matrix's diagonal.

    Parameters
    ----------
    input : Tensor
        Two dims; integers and bools are added in int64.

    Returns
    -------
    Tensor
        0-d.

    Examples
    --------
    >>> tp.trace(tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace(): expected a matrix, got a tensor of shape {list(input.shape)}")
    numbers = np.arange(builtins.min(input.shape))
    return sum(take(input, numbers, numbers, start=0))


def sum_to_size(input: Value, *size: Any) -> Value:
    """
    `input` summed over the dims along which `size` broadcasts to its shape.

    Parameters
    ----------
    input : Tensor
        Any shape.
    *size : int
        A shape that broadcasts to that of `input`.

    Returns
    -------
    Tensor
        Of shape `size`; sums of integers and bools are int64.

    Examples
    --------
    >>> tp.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    try:
        broadcast_to(np.empty(shape, np.bool_), input.shape)
    except RuntimeError:
        raise RuntimeError(
            f"sum_to_size(): size {list(shape)} does not broadcast to the tensor's shape {list(input.shape)}"
        ) from None
    return input if shape == input.shape else families.sum_to(cast(input, sum_dtype(input, None)), shape)
