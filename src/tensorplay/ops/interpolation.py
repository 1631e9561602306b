"""Resizing of images: each spatial dim in turn becomes weighted sums of its elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import FLOAT32
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arithmetic import add
from tensorplay.ops.comparison import clamp
from tensorplay.ops.families import permute, reshape
from tensorplay.ops.indexing import take
from tensorplay.ops.pooling import adaptive_average
from tensorplay.ops.promotion import cast
from tensorplay.ops.rounding import floor

# ---- one dim ---------------------------------------------------------------------------------------------------------


class Taps(NamedTuple):
    """Which elements each output reads, [outputs, taps], and how much of each."""

    index: Any
    weight: Any


def _resampled(value: Value, dim: int, taps: Taps) -> Value:
    """`value` with dim `dim` replaced by the weighted sums."""
    after = (1,) * (value.ndim - dim - 1)
    total = None
    for index, weight in zip(taps.index.T, taps.weight.T, strict=True):
        term = take(value, index, start=dim)
        term = families.mul(term, weight.astype(value.dtype).reshape(-1, *after))
        total = term if total is None else families.add(total, term)
    return total


def _step(length: int, count: int, align_corners: bool, factor: float | None) -> float:
    """Distance of neighbouring outputs, in elements of the input."""
    if align_corners:
        return (length - 1) / (count - 1) if count > 1 else 0.0
    return 1 / factor if factor else length / count


def _nearest(length: int, count: int, factor: float | None, exact: bool) -> Any:
    # single precision decides which of two neighbours is the nearer one, as it does in torch
    step = np.float32(1 / factor) if factor else np.float32(length) / np.float32(count)
    numbers = np.arange(count, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return np.minimum(np.floor(numbers * step).astype(np.int64), length - 1)


def _linear(length: int, count: int, align_corners: bool, factor: float | None) -> Taps:
    step = _step(length, count, align_corners, factor)
    numbers = np.arange(count)
    places = numbers * step if align_corners else np.maximum((numbers + 0.5) * step - 0.5, 0)
    low = np.minimum(np.floor(places).astype(np.int64), length - 1)
    part = places - low
    high = np.minimum(low + 1, length - 1)
    return Taps(np.stack([low, high], 1), np.stack([1 - part, part], 1))


def cubic_weights(part: Any, arithmetic: Sequence[Callable[[Any, Any], Any]]) -> list[Any]:
    """
    Weights of the four elements around a place, by the convolution kernel of Keys with a = -0.75.

    `part` is how far the place lies behind the second of them; `arithmetic` is an addition and a multiplication.
    """
    add, mul = arithmetic
    a = -0.75

    def inner(x: Any) -> Any:  # ((a + 2) x - (a + 3)) x² + 1
        return add(mul(mul(add(mul(x, a + 2), -(a + 3)), x), x), 1.0)

    def outer(x: Any) -> Any:  # ((a x - 5 a) x + 8 a) x - 4 a
        return add(mul(add(mul(add(mul(x, a), -5 * a), x), 8 * a), x), -4 * a)

    rest = add(mul(part, -1.0), 1.0)
    return [outer(add(part, 1.0)), inner(part), inner(rest), outer(add(rest, 1.0))]


def _cubic(length: int, count: int, align_corners: bool, factor: float | None) -> Taps:
    step = _step(length, count, align_corners, factor)
    numbers = np.arange(count)
    places = numbers * step if align_corners else (numbers + 0.5) * step - 0.5
    low = np.floor(places).astype(np.int64)
    index = np.clip(low[:, None] + np.arange(-1, 3), 0, length - 1)
    return Taps(index, np.stack(cubic_weights(places - low, (np.add, np.multiply)), 1))


def _triangle(x: Any) -> Any:
    return np.maximum(1 - np.abs(x), 0)


def _keys(x: Any) -> Any:
    """Convolution kernel of Keys with a = -0.5."""
    x, a = np.abs(x), -0.5
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _smoothed(
    length: int, count: int, align_corners: bool, factor: float | None, kernel: Callable[[Any], Any], reach: float
) -> Taps:
    """A kernel as wide as the outputs are apart, so that nothing between them is missed."""
    step = _step(length, count, align_corners, factor)
    stretch = max(step, 1.0)
    centre = step * (np.arange(count) + 0.5)
    first = np.maximum((centre - reach * stretch + 0.5).astype(np.int64), 0)
    end = np.minimum((centre + reach * stretch + 0.5).astype(np.int64), length)
    index = first[:, None] + np.arange(max(int((end - first).max(initial=1)), 1))
    weight = np.where(index < end[:, None], kernel((index - centre[:, None] + 0.5) / stretch), 0)
    return Taps(np.minimum(index, length - 1), weight / weight.sum(1, keepdims=True))


# ---- arguments -------------------------------------------------------------------------------------------------------

_SPATIAL = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
_MODES = ("nearest", "nearest-exact", "area", *_SPATIAL)


def _out_size(spatial: Shape, size: Any, scale_factor: Any) -> tuple[Shape, list[float] | None]:
    """The spatial shape of the result, and the factors if it was given by them."""
    nd = len(spatial)
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate(): exactly one of size and scale_factor must be given")
    title, given = ("size", size) if scale_factor is None else ("scale_factor", scale_factor)
    entries = list(given) if np.ndim(given) else [given] * nd
    if len(entries) != nd:
        raise ValueError(f"interpolate(): {title} must be a number or have {nd} entries, got {given}")
    if scale_factor is None:
        return tuple([int(n) for n in entries]), None
    return tuple([math.floor(n * factor) for n, factor in zip(spatial, entries, strict=True)]), entries


def _check(input: Value, mode: str, align_corners: bool | None, antialias: bool) -> None:
    nd = input.ndim - 2
    if mode not in _MODES:
        raise NotImplementedError(f"interpolate(): mode must be one of {', '.join(_MODES)}, got {shown(mode)}")
    if nd not in (1, 2, 3) or _SPATIAL.get(mode, nd) != nd:
        raise NotImplementedError(
            f"interpolate(): mode {mode!r} needs input [batch, channels, *spatial] with "
            f"{_SPATIAL.get(mode, '1, 2 or 3')} spatial dims, got shape {list(input.shape)}"
        )
    if align_corners is not None and mode not in _SPATIAL:
        raise ValueError(f"interpolate(): align_corners can only be set for linear and cubic modes, not for {mode!r}")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError(f"interpolate(): antialias is only for modes 'bilinear' and 'bicubic', got {shown(mode)}")
    if input.dtype.kind not in "fc" and not mode.startswith("nearest") and not _of_bytes(input, mode):
        raise NotImplementedError(f"interpolate(): mode {mode!r} needs a floating-point input, got {input.dtype}")


def _of_bytes(input: Value, mode: str) -> bool:
    return input.dtype == np.uint8 and mode in ("bilinear", "bicubic")


def interpolate(
    input: Value,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Value:
    """
    Images of another size.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, channels, *spatial]`` with up to three spatial dims. Floating-point, except for the nearest
        modes; in uint8 also for "bilinear" and "bicubic", whose results are rounded.
    size : int or sequence of int, optional
        Spatial shape of the result.
    scale_factor : float or sequence of float, optional
        The same as a multiple of that of the input; one of both must be given.
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"}, default "nearest"
        How values between the elements come about.
    align_corners : bool, optional
        Whether the outermost elements, rather than their outer edges, stay in place; for linear and cubic modes.
    recompute_scale_factor : bool, optional
        Whether the factor is computed anew from the sizes, which are whole.
    antialias : bool, default False
        Whether what lies between the outputs counts when an image gets smaller; for "bilinear" and "bicubic".

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *size]``.

    Raises
    ------
    ValueError, NotImplementedError
        If arguments do not fit together, or the number of dims does not fit the mode.

    Examples
    --------
    >>> tp.nn.functional.interpolate(tp.tensor([[[1.0, 3.0]]]), size=4, mode="linear")
    tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    _check(input, mode, align_corners, antialias)
    if _of_bytes(input, mode):
        pixels = cast(input, FLOAT32)
        resized = interpolate(pixels, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
        return cast(clamp(floor(add(resized, 0.5)), 0, 255), input.dtype)
    spatial = input.shape[2:]
    out, factors = _out_size(spatial, size, scale_factor)
    if min(out) < 1 or 0 in spatial:
        raise RuntimeError(f"interpolate(): sizes must be positive, got {list(spatial)} and {list(out)}")
    if recompute_scale_factor:
        if factors is None:
            raise ValueError("interpolate(): recompute_scale_factor needs scale_factor")
        factors = None
    if mode == "area":
        return adaptive_average("interpolate", len(spatial), input, out)
    for d, (length, count) in enumerate(zip(spatial, out, strict=True)):
        factor = None if factors is None else factors[d]
        if mode.startswith("nearest"):
            index = _nearest(length, count, factor, mode == "nearest-exact")
            input = take(input, index, start=d + 2)
        else:
            input = _resampled(input, d + 2, _taps(mode, antialias)(length, count, bool(align_corners), factor))
    return input


def _taps(mode: str, antialias: bool) -> Callable[..., Taps]:
    if not antialias:
        return _cubic if mode == "bicubic" else _linear
    kernel, reach = (_keys, 2.0) if mode == "bicubic" else (_triangle, 1.0)
    return functools.partial(_smoothed, kernel=kernel, reach=reach)


# ---- channels and pixels ---------------------------------------------------------------------------------------------


def pixel_shuffle(input: Value, upscale_factor: int) -> Value:
    """
    Larger images, whose new pixels are taken from channels.

    Parameters
    ----------
    input : Tensor
        Shape ``[*, channels * factor**2, height, width]``.
    upscale_factor : int
        The factor.

    Returns
    -------
    Tensor
        Shape ``[*, channels, height * factor, width * factor]``.

    Raises
    ------
    RuntimeError
        If the number of channels does not fit.

    Examples
    --------
    >>> tp.nn.functional.pixel_shuffle(tp.tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2)
    tensor([[[1., 2.],
             [3., 4.]]])
    """
    r = upscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-3] % (r * r):
        raise RuntimeError(
            f"pixel_shuffle(): input must have shape [*, channels * {r}**2, height, width], got {list(input.shape)}"
        )
    *lead, channels, height, width = input.shape
    split = reshape(input, shape=(*lead, channels // (r * r), r, r, height, width))
    n = len(lead)
    moved = permute(split, dims=(*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(moved, shape=(*lead, channels // (r * r), height * r, width * r))


def pixel_unshuffle(input: Value, downscale_factor: int) -> Value:
    """
    Smaller images, whose other pixels become channels: the inverse of `pixel_shuffle`.

    Parameters
    ----------
    input : Tensor
        Shape ``[*, channels, height * factor, width * factor]``.
    downscale_factor : int
        The factor.

    Returns
    -------
    Tensor
        Shape ``[*, channels * factor**2, height, width]``.

    Raises
    ------
    RuntimeError
        If height or width do not fit.

    Examples
    --------
    >>> tp.nn.functional.pixel_unshuffle(tp.ones(1, 2, 2), 2).shape
    tensorplay.Size([4, 1, 1])
    """
    r = downscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-2] % r or input.shape[-1] % r:
        raise RuntimeError(
            f"pixel_unshuffle(): input must have shape [*, channels, height * {r}, width * {r}], got "
            f"{list(input.shape)}"
        )
    *lead, channels, height, width = input.shape
    split = reshape(input, shape=(*lead, channels, height // r, r, width // r, r))
    n = len(lead)
    moved = permute(split, dims=(*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(moved, shape=(*lead, channels * r * r, height // r, width // r))


def channel_shuffle(input: Value, groups: int) -> Value:
    """
    Channels in another order: the first of each group, then the second of each, and so on.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, channels, *spatial]``.
    groups : int
        Number of groups, a divisor of the number of channels.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If the number of channels does not fit.

    Examples
    --------
    >>> tp.nn.functional.channel_shuffle(tp.tensor([[[1.0], [2.0], [3.0], [4.0]]]), 2).flatten()
    tensor([1., 3., 2., 4.])
    """
    if input.ndim < 3 or groups < 1 or input.shape[1] % groups:
        raise RuntimeError(
            f"channel_shuffle(): input must have shape [batch, channels, *spatial] with channels divisible by "
            f"groups={groups}, got {list(input.shape)}"
        )
    batch, channels, *spatial = input.shape
    split = reshape(input, shape=(batch, groups, channels // groups, *spatial))
    return reshape(permute(split, dims=(0, 2, 1, *range(3, split.ndim))), shape=input.shape)
