"""Sums, extremes and their like, along any axes; cumulative sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorplay as tp
from tensorplay.numpy_protocol.calling import axes_of, cast, inexact, like, numpys, tensor


def reduce(function: Callable[..., Any], a: tp.Tensor, axis: Any, keepdims: Any, **more: Any) -> Any:
    """`function` over those dims that NumPy's `axis` names: all for None, none for an empty tuple."""
    axes = axes_of(a, axis)
    if not axes:
        return function(a.unsqueeze(-1), dim=-1, **more)
    return function(a, dim=axes, keepdim=bool(keepdims), **more)


def along_one(function: Callable[..., Any], a: tp.Tensor, axis: Any, keepdims: Any) -> Any:
    """`function`, which reduces one dim, over all dims that NumPy's `axis` names."""
    axes = axes_of(a, axis)
    kept = [dim for dim in range(a.ndim) if dim not in axes]
    sizes = [a.shape[dim] for dim in kept]
    length = math.prod([a.shape[dim] for dim in axes])
    out = function(a.permute(*kept, *axes).reshape(*sizes, length), dim=-1)
    if not keepdims:
        return out
    ones = [1 if dim in axes else size for dim, size in enumerate(a.shape)]
    return out.reshape(*out.shape[: out.ndim - len(kept)], *ones)


def masked(a: Any, where: Any, neutral: Any) -> tp.Tensor:
    """A tensor with `neutral` in place of the elements that do not take part."""
    a = tensor(a)
    return a if where is True else tp.where(tensor(where), a, like(neutral, a))


# ---- sums and products -----------------------------------------------------------------------------------------------


@numpys("sum")
def sum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    out = cast(reduce(tp.sum, cast(masked(a, where, 0), dtype), axis, keepdims), dtype)
    return out if initial is None else out + initial


@numpys("prod")
def prod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    out = cast(reduce(tp.prod, cast(masked(a, where, 1), dtype), axis, keepdims), dtype)
    return out if initial is None else out * initial


@numpys("nansum")
def nansum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    return sum(_without_nan(a, 0), axis, dtype, keepdims, initial, where)


@numpys("nanprod")
def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    return prod(_without_nan(a, 1), axis, dtype, keepdims, initial, where)


def _without_nan(a: Any, neutral: Any) -> tp.Tensor:
    a = tensor(a)
    return masked(a, ~tp.isnan(a), neutral) if a.is_floating_point() or a.is_complex() else a


@numpys("mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    a = inexact(a, dtype)
    if where is True:
        return reduce(tp.mean, a, axis, keepdims)
    return sum(a, axis, None, keepdims, None, where) / _count(a, axis, where, keepdims)


@numpys("nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    a = inexact(a, dtype)
    return mean(a, axis, None, keepdims, ~tp.isnan(a) & where)


def _count(a: tp.Tensor, axis: Any, where: Any, keepdims: Any) -> Any:
    return sum(tp.broadcast_to(tensor(where), a.shape), axis, None, keepdims)


@numpys("var")
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    correction: Any = None,
) -> Any:
    a, less = inexact(a, dtype), ddof if correction is None else correction
    if where is True:
        return reduce(tp.var, a, axis, keepdims, correction=less)
    apart = a - mean(a, axis, None, True, where)
    squares = apart.abs() ** 2 if apart.is_complex() else apart * apart
    return sum(squares, axis, None, keepdims, None, where) / (_count(a, axis, where, keepdims) - less).clamp(min=0)


@numpys("std")
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    correction: Any = None,
) -> Any:
    a, less = inexact(a, dtype), ddof if correction is None else correction
    if where is True:
        return reduce(tp.std, a, axis, keepdims, correction=less)
    return tp.sqrt(var(a, axis, None, less, keepdims, where))


@numpys("nanvar")
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    correction: Any = None,
) -> Any:
    a = inexact(a, dtype)
    return var(a, axis, None, ddof, keepdims, ~tp.isnan(a) & where, correction)


@numpys("nanstd")
def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    correction: Any = None,
) -> Any:
    return tp.sqrt(nanvar(a, axis, dtype, ddof, keepdims, where, correction))


@numpys("average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, keepdims: Any = False) -> Any:
    a = inexact(a)
    weights = tp.ones_like(a) if weights is None else _along(tensor(weights), a, axis)
    total = sum(weights, axis, None, keepdims)
    out = sum(a * weights, axis, None, keepdims) / total
    return (out, total) if returned else out


def _along(weights: tp.Tensor, a: tp.Tensor, axis: Any) -> tp.Tensor:
    """Weights of the entries along some axes, in the shape of the whole."""
    if weights.shape == a.shape:
        return weights
    axes = axes_of(a, axis)
    if axis is None or tuple(weights.shape) != tuple([a.shape[dim] for dim in axes]):
        raise TypeError(
            f"np.average(): weights of shape {list(weights.shape)} fit neither the tensor of shape {list(a.shape)} nor "
            f"its axis {axis}"
        )
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    sizes = [size if dim in axes else 1 for dim, size in enumerate(a.shape)]
    return weights.permute(*order).reshape(*sizes).expand(*a.shape)


# ---- extremes --------------------------------------------------------------------------------------------------------


def _extreme(function: Any, join: Any, a: Any, axis: Any, keepdims: Any, initial: Any, where: Any, name: str) -> Any:
    a = tensor(a)
    if where is not True and initial is None:
        raise ValueError(f"np.{name}(): with where= give initial=, what there is where no element takes part")
    out = reduce(function, masked(a, where, initial), axis, keepdims)
    return out if initial is None else join(out, like(initial, out))


@numpys("max", "amax")
def max(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return _extreme(tp.amax, tp.maximum, a, axis, keepdims, initial, where, "max")


@numpys("min", "amin")
def min(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return _extreme(tp.amin, tp.minimum, a, axis, keepdims, initial, where, "min")


def _nan_extreme(extreme: Any, bound: float, a: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    """The extreme of the numbers; NaN where there is none."""
    a = tensor(a)
    if not a.is_floating_point():
        return extreme(a, axis, keepdims, initial, where)
    nan = tp.isnan(a)
    out = extreme(masked(a, ~nan, bound), axis, keepdims, initial, where)
    return tp.where(all(nan, axis, keepdims), math.nan, out) if initial is None else out


@numpys("nanmax")
def nanmax(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return _nan_extreme(max, -math.inf, a, axis, keepdims, initial, where)


@numpys("nanmin")
def nanmin(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    return _nan_extreme(min, math.inf, a, axis, keepdims, initial, where)


@numpys("ptp")
def ptp(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return max(a, axis, keepdims) - min(a, axis, keepdims)


@numpys("argmax")
def argmax(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return along_one(tp.argmax, tensor(a), axis, keepdims)


@numpys("argmin")
def argmin(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return along_one(tp.argmin, tensor(a), axis, keepdims)


@numpys("nanargmax")
def nanargmax(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return argmax(_without_nan(a, -math.inf), axis, keepdims)


@numpys("nanargmin")
def nanargmin(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return argmin(_without_nan(a, math.inf), axis, keepdims)


# ---- conditions ------------------------------------------------------------------------------------------------------


@numpys("all")
def all(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    return reduce(tp.all, masked(tensor(a) != 0, where, True), axis, keepdims)


@numpys("any")
def any(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    return reduce(tp.any, masked(tensor(a) != 0, where, False), axis, keepdims)


@numpys("count_nonzero")
def count_nonzero(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return sum(tensor(a) != 0, axis, None, keepdims)


# ---- along the way ---------------------------------------------------------------------------------------------------


def _flat(a: Any, axis: Any) -> tuple[tp.Tensor, int]:
    """A tensor and the dim to go along: all elements in order where none is named."""
    a = tensor(a)
    return (a.reshape(-1), 0) if axis is None else (a, axis)


@numpys("cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    a, dim = _flat(a, axis)
    return tp.cumsum(cast(a, dtype), dim)


@numpys("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    a, dim = _flat(a, axis)
    return tp.cumprod(cast(a, dtype), dim)


@numpys("nancumsum")
def nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return cumsum(_without_nan(a, 0), axis, dtype)


@numpys("nancumprod")
def nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return cumprod(_without_nan(a, 1), axis, dtype)


def _cumulative(function: Any, neutral: int, x: Any, axis: Any, dtype: Any, include_initial: Any, name: str) -> Any:
    x = tensor(x)
    if axis is None and x.ndim > 1:
        raise ValueError(f"np.{name}(): give axis= for a tensor of {x.ndim} dims")
    dim = 0 if axis is None else axis
    out = function(x, dim, dtype)
    first = tp.full_like(out.narrow(dim, 0, 1), neutral) if include_initial else None
    return out if first is None else tp.cat([first, out], dim)


@numpys("cumulative_sum")
def cumulative_sum(x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    return _cumulative(cumsum, 0, x, axis, dtype, include_initial, "cumulative_sum")


@numpys("cumulative_prod")
def cumulative_prod(x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    return _cumulative(cumprod, 1, x, axis, dtype, include_initial, "cumulative_prod")
