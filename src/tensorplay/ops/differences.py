"""Differences, numerical derivatives and integrals of samples along a dim: composites of slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families, reduction, scan
from tensorplay.ops.promotion import as_value, to_inexact
from tensorplay.ops.scan import part
from tensorplay.ops.shape import broadcast_to, cat, copy, one_dim, slice_key, some_dims


def _cut(value: Value, dim: int, start: int | None, stop: int | None) -> Value:
    return slice_key(value, key=part(dim, value.ndim, start, stop))


def diff(input: Value, n: int = 1, dim: int = -1, prepend: Value | None = None, append: Value | None = None) -> Value:
    """
    Differences of neighbours along a dim.

    Parameters
    ----------
    input : Tensor
        At least one dim; of bools, the result says whether they differ.
    n : int, default 1
        How many times to take differences.
    dim : int, default -1
        Dim to go along.
    prepend, append : Tensor, optional
        Put before and behind the elements first, unless `n` is 0.

    Returns
    -------
    Tensor
        Shorter by `n` along the dim.

    Examples
    --------
    >>> tp.diff(tp.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    if input.ndim == 0:
        raise RuntimeError("diff(): expected a tensor with at least one dim, got a 0-d one")
    if n < 0:
        raise RuntimeError(f"diff(): n must not be negative, got {n}")
    axis = one_dim(dim, input.ndim, "diff")
    if n == 0:
        return copy(input)
    parts = [value for value in (prepend, input, append) if value is not None]
    value = cat(parts, axis) if len(parts) > 1 else input
    step = ew.ne if value.dtype.kind == "b" else ew.sub
    for _ in range(min(n, value.shape[axis])):
        value = step(_cut(value, axis, 1, None), _cut(value, axis, None, -1))
    return value


# ---- integrals -------------------------------------------------------------------------------------------------------


def _trapezoids(y: Value, x: Value | None, dx: Any, dim: int, name: str) -> tuple[Value, int]:
    """Area between each two neighbours of `y`."""
    axis = one_dim(dim, y.ndim, name)
    if x is not None and dx is not None:
        raise RuntimeError(f"{name}(): give the sample points x or their distance dx, not both")
    y = to_inexact(y)
    heights = ew.add(_cut(y, axis, 1, None), _cut(y, axis, None, -1))
    if x is None:
        return ew.mul(heights, (1 if dx is None else dx) / 2), axis
    return ew.div(ew.mul(heights, _widths(y, x, axis, name)), 2), axis


def _widths(y: Value, x: Value, axis: int, name: str) -> Value:
    if x.ndim == 1 and y.ndim > 1:
        x = families.reshape(x, shape=tuple([x.size if d == axis else 1 for d in range(y.ndim)]))
    elif x.ndim < y.ndim:
        x = families.reshape(x, shape=(*(1,) * (y.ndim - x.ndim), *x.shape))
    along = axis - y.ndim + x.ndim
    if x.shape[along] != y.shape[axis]:
        raise RuntimeError(
            f"{name}(): expected one x for each sample along dim {axis}, got x of shape {list(x.shape)} for y of shape "
            f"{list(y.shape)}"
        )
    return ew.sub(_cut(x, along, 1, None), _cut(x, along, None, -1))


def trapezoid(y: Value, x: Value | None = None, *, dx: float | None = None, dim: int = -1) -> Value:
    """
    Integral along a dim by the trapezoidal rule.

    Parameters
    ----------
    y : Tensor
        Samples of the function, at least one dim.
    x : Tensor, optional
        Where they were taken: one-dimensional, or of a shape that broadcasts to that of `y`.
    dx : float, optional
        Distance between neighbours, 1 by default.
    dim : int, default -1
        Dim to integrate along.

    Returns
    -------
    Tensor
        Without the dim.

    Examples
    --------
    >>> tp.trapezoid(tp.tensor([1.0, 5.0, 10.0]))
    tensor(10.5000)
    """
    areas, axis = _trapezoids(y, x, dx, dim, "trapezoid")
    return reduction.sum(areas, axis - y.ndim)


trapz = trapezoid


def cumulative_trapezoid(y: Value, x: Value | None = None, *, dx: float | None = None, dim: int = -1) -> Value:
    """
    Integrals up to each sample along a dim by the trapezoidal rule.

    Parameters
    ----------
    y : Tensor
        Samples of the function, at least one dim.
    x : Tensor, optional
        Where they were taken: one-dimensional, or of a shape that broadcasts to that of `y`.
    dx : float, optional
        Distance between neighbours, 1 by default.
    dim : int, default -1
        Dim to integrate along.

    Returns
    -------
    Tensor
        Shorter by one along the dim.

    Examples
    --------
    >>> tp.cumulative_trapezoid(tp.tensor([1.0, 5.0, 10.0]))
    tensor([ 3.0000, 10.5000])
    """
    areas, axis = _trapezoids(y, x, dx, dim, "cumulative_trapezoid")
    return scan.cumsum(areas, axis - y.ndim)


# ---- gradient --------------------------------------------------------------------------------------------------------


def gradient(
    input: Value, *, spacing: Any = 1, dim: int | Sequence[int] | None = None, edge_order: int = 1
) -> tuple[Value, ...]:
    """
    Numerical derivative of samples along each of some dims, by second-order central differences.

    Parameters
    ----------
    input : Tensor
        Samples of the function.
    spacing : float, sequence of float or sequence of Tensor, default 1
        Distance between neighbours, of all dims or of each; or the coordinates along each dim.
    dim : int or tuple of int, optional
        Dims to differentiate along; all by default.
    edge_order : int, default 1
        1 or 2: order of the one-sided differences at the ends.

    Returns
    -------
    tuple of Tensor
        One derivative a dim, in the shape of `input`.

    Notes
    -----
    With distances a before and b behind a point, the derivative there is
    ``(a² f(x+b) + (b² - a²) f(x) - b² f(x-a)) / (a b (a+b))``.

    Examples
    --------
    >>> tp.gradient(tp.tensor([1.0, 4.0, 9.0, 16.0]))[0]
    tensor([3., 4., 6., 7.])
    """
    if edge_order not in (1, 2):
        raise RuntimeError(f"gradient(): edge_order must be 1 or 2, got {edge_order}")
    dims = some_dims(dim, input.ndim, "gradient")
    value = to_inexact(input)
    for axis in dims:
        if value.shape[axis] < edge_order + 1:
            raise RuntimeError(
                f"gradient(): each dim needs at least {edge_order + 1} samples, got shape {list(input.shape)}"
            )
    spacings = _spacings(spacing, len(dims))
    return tuple([_gradient_along(value, d, s, edge_order) for d, s in zip(dims, spacings, strict=True)])


def _spacings(spacing: Any, count: int) -> list[Any]:
    """One distance, or the coordinates, for each of `count` dims."""
    spacing = 1 if spacing is None else spacing
    if isinstance(spacing, list | tuple):
        if len(spacing) != count:
            raise RuntimeError(f"gradient(): expected a spacing for each of {count} dims, got {len(spacing)}")
        return list(spacing)
    if getattr(spacing, "ndim", 0) > 0 and count > 1:
        raise RuntimeError(f"gradient(): expected coordinates for each of {count} dims, got one tensor")
    return [spacing] * count


def _gradient_along(value: Value, axis: int, spacing: Any, edge_order: int) -> Value:
    steps = _steps(value, axis, spacing)  # distances between neighbours, [n - 1]
    slopes = ew.div(diff(value, dim=axis), steps)
    if value.shape[axis] == 2:
        return cat([slopes, slopes], axis)
    before, behind = _cut(slopes, axis, None, -1), _cut(slopes, axis, 1, None)
    a, b = _cut(steps, axis, None, -1), _cut(steps, axis, 1, None)
    inner = ew.div(ew.add(ew.mul(b, before), ew.mul(a, behind)), ew.add(a, b))
    return cat([_edge(slopes, steps, axis, edge_order, 0), inner, _edge(slopes, steps, axis, edge_order, -1)], axis)


def _edge(slopes: Value, steps: Value, axis: int, edge_order: int, end: int) -> Value:
    """One-sided difference at the first (0) or last (-1) sample."""
    at = ((-1, None), (-2, -1)) if end else ((0, 1), (1, 2))
    nearest = _cut(slopes, axis, *at[0])
    if edge_order == 1:
        return nearest
    a, b = [_cut(steps, axis, *bounds) for bounds in at]
    next_one = _cut(slopes, axis, *at[1])
    bend = ew.div(ew.mul(a, ew.sub(nearest, next_one)), ew.add(a, b))
    return ew.add(nearest, bend)


def _steps(value: Value, axis: int, spacing: Any) -> Value:
    length = value.shape[axis]
    shape = tuple([length - 1 if d == axis else 1 for d in range(value.ndim)])
    if getattr(spacing, "ndim", 0) == 0:
        return (
            broadcast_to(as_value(spacing), shape)
            if hasattr(spacing, "dtype")
            else np.full(shape, spacing, value.dtype)
        )
    if spacing.shape != (length,):
        raise RuntimeError(
            f"gradient(): expected {length} coordinates along dim {axis}, got a tensor of shape {list(spacing.shape)}"
        )
    return families.reshape(diff(spacing), shape=shape)
