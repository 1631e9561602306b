"""Quantiles, covariances, differences and interpolation."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.numpy_protocol.calling import axes_of, cast, inexact, like, numpys, tensor, weak
from tensorplay.numpy_protocol.reductions import along_one

# ---- quantiles -------------------------------------------------------------------------------------------------------

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(function: Callable[..., Any], a: Any, q: Any, axis: Any, keepdims: Any, method: str, name: str) -> Any:
    if method not in _METHODS:
        raise TypeError(f"np.{name}(): method must be one of {list(_METHODS)} for tensors, got {method!r}")
    a = inexact(a)
    q = like(weak(q), a).to(a.dtype)
    out = along_one(functools.partial(function, q=q.reshape(-1), interpolation=method), a, axis, keepdims)
    return out.reshape(*q.shape, *out.shape[1:])


@numpys("quantile")
def quantile(a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: str = "linear") -> Any:
    return _quantile(tp.quantile, a, q, axis, keepdims, method, "quantile")


@numpys("nanquantile")
def nanquantile(a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: str = "linear") -> Any:
    return _quantile(tp.nanquantile, a, q, axis, keepdims, method, "nanquantile")


@numpys("percentile")
def percentile(a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: str = "linear") -> Any:
    return quantile(a, _fraction(q), axis, keepdims, method)


@numpys("nanpercentile")
def nanpercentile(a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: str = "linear") -> Any:
    return nanquantile(a, _fraction(q), axis, keepdims, method)


def _fraction(percent: Any) -> Any:
    return (percent if isinstance(percent, tp.Tensor) else np.asarray(percent, dtype=float)) / 100


@numpys("median")
def median(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return quantile(a, 0.5, axis, keepdims, "midpoint")


@numpys("nanmedian")
def nanmedian(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return nanquantile(a, 0.5, axis, keepdims, "midpoint")


# ---- covariances -----------------------------------------------------------------------------------------------------


def _observations(m: Any, y: Any, rowvar: bool, dtype: Any) -> tp.Tensor:
    """A matrix with a variable in each row."""
    rows = [tp.atleast_2d(inexact(part, dtype)) for part in (m, y) if part is not None]
    if not rowvar:
        shapes = [tensor(part).ndim for part in (m, y) if part is not None]
        rows = [row if ndim == 1 else row.transpose(0, 1) for row, ndim in zip(rows, shapes, strict=True)]
    return tp.cat(rows) if len(rows) > 1 else rows[0]


@numpys("cov")
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    rows = _observations(m, y, rowvar, dtype)
    correction = int(not bias) if ddof is None else ddof
    fweights, aweights = [None if w is None else tensor(w) for w in (fweights, aweights)]
    out = tp.cov(rows, correction=correction, fweights=fweights, aweights=aweights)
    return out.squeeze() if len(rows) == 1 else out


@numpys("corrcoef")
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    rows = _observations(x, y, rowvar, dtype)
    return tp.corrcoef(rows[0] if len(rows) == 1 else rows)


# ---- differences -----------------------------------------------------------------------------------------------------


@numpys("diff")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    a = tensor(a)
    before, after = [None if end is None else _end(end, a, axis) for end in (prepend, append)]
    return tp.diff(a, n, axis, before, after)


def _end(end: Any, a: tp.Tensor, axis: int) -> tp.Tensor:
    """What is joined to an end of a tensor; a number once along the axis."""
    end = like(weak(end), a)
    if end.ndim:
        return end
    shape = list(a.shape)
    shape[axis] = 1
    return end.expand(*shape)


@numpys("ediff1d")
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary = tensor(ary).reshape(-1)
    begin, end = [[] if part is None else [like(weak(part), ary).reshape(-1)] for part in (to_begin, to_end)]
    return tp.cat([*begin, tp.diff(ary), *end])


@numpys("gradient")
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = inexact(f)
    axes = axes_of(f, axis)
    spacings = list(varargs) or [1.0]
    if len(spacings) == 1 and not getattr(spacings[0], "ndim", 0):
        spacings = spacings * len(axes)
    if len(spacings) != len(axes):
        raise TypeError(f"np.gradient(): {len(spacings)} spacings for {len(axes)} axes")
    outs = [_gradient(f, spacing, dim, edge_order) for spacing, dim in zip(spacings, axes, strict=True)]
    return outs[0] if len(outs) == 1 else tuple(outs)


def _gradient(f: tp.Tensor, spacing: Any, dim: int, edge_order: int) -> Any:
    spacing = weak(spacing)
    if getattr(spacing, "ndim", 0):
        (out,) = tp.gradient(f, spacing=[spacing], dim=dim, edge_order=edge_order)
        return out
    (out,) = tp.gradient(f, dim=dim, edge_order=edge_order)
    return out / spacing


# ---- interpolation ---------------------------------------------------------------------------------------------------


@numpys("interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    fp = inexact(fp)
    x, xp = inexact(like(weak(x), fp)), inexact(xp)
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, abs(period))
    i = tp.searchsorted(xp, x.detach(), right=True).clamp(1, max(len(xp) - 1, 1)) - 1
    j = (i + 1).clamp(max=len(xp) - 1)
    width = xp[j] - xp[i]
    share = (x - xp[i]) / tp.where(width == 0, 1.0, width)
    inside = fp[i] + share * (fp[j] - fp[i])
    below = fp[0] if left is None else weak(left)
    above = fp[-1] if right is None else weak(right)
    out = tp.where(x < xp[0], below, tp.where(x > xp[-1], above, inside))
    return tp.where(tp.isnan(x), math.nan, out)


def _periodic(x: tp.Tensor, xp: tp.Tensor, fp: tp.Tensor, period: Any) -> tuple[tp.Tensor, tp.Tensor, tp.Tensor]:
    """Points within one period, and the first and last sample once more at the other end."""
    x, xp = tp.remainder(x, period), tp.remainder(xp, period)
    order = tp.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = tp.cat([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, tp.cat([fp[-1:], fp, fp[:1]])


# ---- histograms ------------------------------------------------------------------------------------------------------


@numpys("histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    if isinstance(bins, str):
        raise TypeError(f"np.histogram(): bins must be a number or edges for tensors, got {bins!r}")
    a = inexact(a)
    weight = None if weights is None else cast(tensor(weights), a.dtype)
    bins = bins if isinstance(bins, int) else tensor(bins).to(a.dtype)
    count, edges = tp.histogram(a, bins, range=range, weight=weight, density=bool(density))
    return (count if weights is not None or density else count.long()), edges
