"""Sums, extremes and their like; cumulative sums and differences. NumPy's have the same arguments but for dtypes."""

from __future__ import annotations

from typing import Any

import tensorplay as tp
from tensorplay.numpy_protocol.calling import mapped


def _summed_in(x: Any, dtype: Any) -> Any:
    """The dtype of a sum: the default one of the kind, for integers."""
    if dtype is None and x.dtype.name.startswith("uint"):
        return tp.uint64
    return dtype


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return mapped["sum"](x, axis, _summed_in(x, dtype), keepdims)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return mapped["prod"](x, axis, _summed_in(x, dtype), keepdims)


def max(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["max"](x, axis, keepdims=keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["min"](x, axis, keepdims=keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["mean"](x, axis, keepdims=keepdims)


def std(x: Any, /, *, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Any:
    return mapped["std"](x, axis, ddof=correction, keepdims=keepdims)


def var(x: Any, /, *, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Any:
    return mapped["var"](x, axis, ddof=correction, keepdims=keepdims)


def all(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["all"](x, axis, keepdims=keepdims)


def any(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["any"](x, axis, keepdims=keepdims)


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return sum(x != 0, axis=axis, keepdims=keepdims)


def argmax(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["argmax"](x, axis, keepdims=keepdims)


def argmin(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    return mapped["argmin"](x, axis, keepdims=keepdims)


def _accumulated(function: Any, neutral: Any, x: Any, axis: Any, dtype: Any, initial: Any) -> Any:
    if axis is None and x.ndim != 1:
        raise ValueError(f"{function.__name__}(): a tensor of {x.ndim} dims needs axis=")
    dim = 0 if axis is None else axis
    total = function(x, dim, dtype=_summed_in(x, dtype))
    if not initial:
        return total
    sizes = list(x.shape)
    sizes[dim] = 1
    return tp.cat([tp.full(sizes, neutral, dtype=total.dtype), total], dim)


def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    return _accumulated(tp.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    return _accumulated(tp.cumprod, 1, x, axis, dtype, include_initial)


def diff(x: Any, /, *, axis: Any = -1, n: Any = 1, prepend: Any = None, append: Any = None) -> Any:
    return tp.diff(x, n, axis, prepend, append)
