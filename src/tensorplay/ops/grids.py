"""Images read at places that tensors name: grids of places, and interpolation there."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arithmetic import add, fmod, mul, sub
from tensorplay.ops.comparison import clamp, eq, ge, gt, le, logical_and, lt
from tensorplay.ops.complex_numbers import abs
from tensorplay.ops.contraction import contract
from tensorplay.ops.families import permute, reshape
from tensorplay.ops.indexing import take, where
from tensorplay.ops.interpolation import cubic_weights
from tensorplay.ops.promotion import cast
from tensorplay.ops.rounding import floor, round
from tensorplay.ops.shape import detach, slice_key

INT64 = np.dtype("int64")
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")

# ---- grids -----------------------------------------------------------------------------------------------------------


def affine_grid(theta: Value, size: Sequence[int], align_corners: bool | None = None) -> Value:
    """
    Places that affine maps read, for `grid_sample`.

    Parameters
    ----------
    theta : Tensor
        Affine maps, of shape ``[batch, 2, 3]`` or, for volumes, ``[batch, 3, 4]``.
    size : sequence of int
        Shape ``[batch, channels, *spatial]`` of the images to make.
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the outermost pixels rather than their outer edges.

    Returns
    -------
    Tensor
        Shape ``[batch, *spatial, 2]`` or ``[batch, *spatial, 3]``.

    Raises
    ------
    ValueError, RuntimeError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> theta = tp.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> tp.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    nd = len(size) - 2
    if nd not in (2, 3) or theta.shape != (size[0], nd, nd + 1):
        raise ValueError(
            f"affine_grid(): size={list(size)} must have 4 or 5 entries and theta shape [batch, 2, 3] or "
            f"[batch, 3, 4], got {list(theta.shape)}"
        )
    if theta.dtype.kind != "f":
        raise ValueError(f"affine_grid(): theta must be floating-point, got {theta.dtype}")
    if min(size) < 1:
        raise ValueError(f"affine_grid(): sizes must be positive, got {list(size)}")
    lines = [_line(int(n), bool(align_corners)) for n in size[2:]]
    # coordinates come in the order of the last dim first, then a one for the shift
    places = np.stack([*reversed(np.meshgrid(*lines, indexing="ij")), np.ones(size[2:])], -1).astype(theta.dtype)
    spatial = "xyz"[:nd]
    return contract(places, theta, spec=(f"{spatial}k", "nik", f"n{spatial}i"))


def _line(count: int, align_corners: bool) -> Any:
    line = np.linspace(-1, 1, count) if count > 1 else np.zeros(1)
    return line if align_corners else line * (count - 1) / count


# ---- places in pixels ------------------------------------------------------------------------------------------------


def _in_pixels(place: Value, length: int, align_corners: bool) -> Value:
    """Places given in [-1, 1] as numbers of pixels."""
    if align_corners:
        return mul(add(place, 1), (length - 1) / 2)
    return mul(sub(mul(add(place, 1), length), 1), 0.5)


def _confined(place: Value, length: int) -> Value:
    """Places moved to the nearest pixel; the outermost pixels themselves count as outside, with derivative zero."""
    inside = logical_and(gt(place, 0), lt(place, length - 1))
    return where(inside, place, detach(clamp(place, 0, length - 1)))


def _reflected(place: Value, length: int, align_corners: bool) -> Value:
    """Places mirrored at the borders until they lie within."""
    low, span = (0.0, float(length - 1)) if align_corners else (-0.5, float(length))
    if span == 0:
        return mul(place, 0)
    distance = abs(sub(place, low))
    rest = fmod(distance, span)
    even = eq(fmod(round(mul(detach(sub(distance, rest)), 1 / span)), 2), 0)
    return add(where(even, rest, sub(span, rest)), low)


def _padded(place: Value, length: int, padding_mode: str, align_corners: bool) -> Value:
    if padding_mode == "zeros":
        return place
    if padding_mode == "reflection":
        place = _reflected(place, length, align_corners)
    return _confined(place, length)


# ---- sampling --------------------------------------------------------------------------------------------------------


def _taps(place: Value, mode: str) -> list[tuple[Value, Value | None]]:
    """Pixels around places along one dim, as whole numbers in floating point, and their weights (None: one)."""
    if mode == "nearest":
        return [(round(detach(place)), None)]
    low = floor(detach(place))
    part = sub(place, low)
    if mode == "bilinear":
        return [(low, sub(1, part)), (add(low, 1), part)]
    weights = cubic_weights(part, (add, mul))
    return [(add(low, float(k - 1)), weight) for k, weight in enumerate(weights)]


def _read(rows: Value, spatial: Shape, pixels: Sequence[Value]) -> Value:
    """Pixels [batch, places, channels] of images given as rows [batch, pixels, channels]; zeros outside."""
    flat: Value = np.zeros((), np.int64)
    inside: Value = np.ones((), bool)
    for pixel, length in zip(pixels, spatial, strict=True):
        here = logical_and(ge(pixel, 0), le(pixel, length - 1))
        inside = logical_and(inside, here)
        whole = cast(where(here, pixel, np.zeros((), pixel.dtype)), INT64)
        flat = families.add(families.mul(flat, np.asarray(length)), whole)
    batch = np.arange(rows.shape[0])[:, None]
    read = take(rows, batch, flat, start=0)
    return where(reshape(inside, shape=(*inside.shape, 1)), read, np.zeros((), rows.dtype))


def _check(input: Value, grid: Value, mode: str, padding_mode: str) -> None:
    if mode not in MODES:
        raise ValueError(f"grid_sample(): mode must be 'bilinear', 'nearest' or 'bicubic', got {shown(mode)}")
    if padding_mode not in PADDINGS:
        raise ValueError(
            f"grid_sample(): padding_mode must be 'zeros', 'border' or 'reflection', got {shown(padding_mode)}"
        )
    nd = input.ndim - 2
    if nd not in (2, 3) or grid.ndim != input.ndim or grid.shape[-1] != nd or grid.shape[0] != input.shape[0]:
        raise RuntimeError(
            f"grid_sample(): expected input [batch, channels, *spatial] with 2 or 3 spatial dims and grid "
            f"[batch, *out, 2 or 3], got shapes {list(input.shape)} and {list(grid.shape)}"
        )
    if mode == "bicubic" and nd == 3:
        raise RuntimeError("grid_sample(): mode 'bicubic' needs input with 2 spatial dims, got 3")
    if input.dtype != grid.dtype:
        raise RuntimeError(f"grid_sample(): input and grid must have one dtype, got {input.dtype} and {grid.dtype}")
    if 0 in input.shape[2:]:
        raise RuntimeError(f"grid_sample(): input must have pixels, got shape {list(input.shape)}")


def grid_sample(
    input: Value,
    grid: Value,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Value:
    """
    Images read at the places of a grid.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, channels, *spatial]`` with two or three spatial dims.
    grid : Tensor
        Places, of shape ``[batch, *out, 2]`` or ``[batch, *out, 3]``: the coordinate along the last spatial dim comes
        first, and -1 and 1 are the borders.
    mode : {"bilinear", "nearest", "bicubic"}, default "bilinear"
        How values between pixels come about; "bilinear" is trilinear for volumes.
    padding_mode : {"zeros", "border", "reflection"}, default "zeros"
        What lies outside.
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the outermost pixels rather than their outer edges.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *out]``.

    Raises
    ------
    ValueError, RuntimeError
        If arguments, shapes or dtypes do not fit.

    Examples
    --------
    >>> image = tp.tensor([[[[1.0, 3.0]]]])
    >>> tp.nn.functional.grid_sample(image, tp.tensor([[[[0.0, 0.0]]]]), align_corners=False)
    tensor([[[[2.]]]])
    """
    _check(input, grid, mode, padding_mode)
    batch, channels, *rest = input.shape
    spatial, out, nd = tuple(rest), grid.shape[1:-1], len(rest)
    rows = permute(reshape(input, shape=(batch, channels, math.prod(spatial))), dims=(0, 2, 1))
    places = reshape(grid, shape=(batch, math.prod(out), nd))
    align = bool(align_corners)
    per_dim = []
    for d, length in enumerate(spatial):
        coordinate = slice_key(places, key=(slice(None), slice(None), nd - 1 - d))
        place = _in_pixels(coordinate, length, align)
        # a cubic curve is drawn through the place itself, only the pixels around it are moved inside
        place = place if mode == "bicubic" else _padded(place, length, padding_mode, align)
        taps = _taps(place, mode)
        if mode == "bicubic":
            taps = [(_padded(pixel, length, padding_mode, align), weight) for pixel, weight in taps]
        per_dim.append(taps)
    total = None
    for corner in itertools.product(*per_dim):
        term = _read(rows, spatial, [pixel for pixel, _ in corner])
        for _, weight in corner:
            if weight is not None:
                term = mul(term, reshape(weight, shape=(*weight.shape, 1)))
        total = term if total is None else add(total, term)
    return reshape(permute(total, dims=(0, 2, 1)), shape=(batch, channels, *out))


def grid_sampler(input: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Value:
    """
    Images read at the places of a grid: `grid_sample` with numbers for its modes.

    Parameters
    ----------
    input, grid, align_corners
        As in `tensorplay.nn.functional.grid_sample`.
    interpolation_mode : {0, 1, 2}
        "bilinear", "nearest" or "bicubic".
    padding_mode : {0, 1, 2}
        "zeros", "border" or "reflection".

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *out]``.

    Raises
    ------
    ValueError, RuntimeError
        If arguments, shapes or dtypes do not fit.

    Examples
    --------
    >>> tp.grid_sampler(tp.tensor([[[[1.0, 3.0]]]]), tp.tensor([[[[0.0, 0.0]]]]), 0, 0, False)
    tensor([[[[2.]]]])
    """
    mode = _numbered(MODES, interpolation_mode, "interpolation_mode")
    return grid_sample(input, grid, mode, _numbered(PADDINGS, padding_mode, "padding_mode"), align_corners)


def _numbered(names: tuple[str, ...], number: int, argument: str) -> str:
    if number not in range(len(names)):
        raise ValueError(f"grid_sampler(): {argument} must be 0, 1 or 2 for {', '.join(names)}, got {shown(number)}")
    return names[number]


def grid_sampler_2d(
    input: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Value:
    """
    Images read at the places of a grid: `grid_sampler` for two spatial dims.

    Parameters
    ----------
    input, grid, interpolation_mode, padding_mode, align_corners
        As in `tensorplay.grid_sampler`.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *out]``.

    Raises
    ------
    ValueError, RuntimeError
        If arguments, shapes or dtypes do not fit.

    Examples
    --------
    >>> tp.grid_sampler_2d(tp.tensor([[[[1.0, 3.0]]]]), tp.tensor([[[[0.0, 0.0]]]]), 0, 0, False)
    tensor([[[[2.]]]])
    """
    _check_spatial("grid_sampler_2d", input, 2)
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_3d(
    input: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Value:
    """
    Volumes read at the places of a grid: `grid_sampler` for three spatial dims.

    Parameters
    ----------
    input, grid, interpolation_mode, padding_mode, align_corners
        As in `tensorplay.grid_sampler`.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *out]``.

    Raises
    ------
    ValueError, RuntimeError
        If arguments, shapes or dtypes do not fit.

    Examples
    --------
    >>> tp.grid_sampler_3d(tp.tensor([[[[[1.0, 3.0]]]]]), tp.zeros(1, 1, 1, 1, 3), 0, 0, False)
    tensor([[[[[2.]]]]])
    """
    _check_spatial("grid_sampler_3d", input, 3)
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def _check_spatial(name: str, input: Value, count: int) -> None:
    if input.ndim != count + 2:
        raise RuntimeError(
            f"{name}(): expected input [batch, channels, *spatial] with {count} spatial dims, got shape "
            f"{list(input.shape)}"
        )
