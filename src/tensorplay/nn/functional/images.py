"""Convolution, pooling, padding and the rearrangement of pixels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorplay.ops import convolution, grids, interpolation, padding, pooling, unpooling
from tensorplay.tensor.calls import explained
from tensorplay.tensor.lift import lift
from tensorplay.tensor.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "grid_sample",
    "interpolate",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

conv1d = lift(convolution.conv1d)
conv2d = lift(convolution.conv2d)
conv3d = lift(convolution.conv3d)
conv_transpose1d = lift(convolution.conv_transpose1d)
conv_transpose2d = lift(convolution.conv_transpose2d)
conv_transpose3d = lift(convolution.conv_transpose3d)
unfold = lift(convolution.unfold)
fold = lift(convolution.fold)

avg_pool1d = lift(pooling.avg_pool1d)
avg_pool2d = lift(pooling.avg_pool2d)
avg_pool3d = lift(pooling.avg_pool3d)
max_pool1d = lift(pooling.max_pool1d)
max_pool2d = lift(pooling.max_pool2d)
max_pool3d = lift(pooling.max_pool3d)
adaptive_avg_pool1d = lift(pooling.adaptive_avg_pool1d)
adaptive_avg_pool2d = lift(pooling.adaptive_avg_pool2d)
adaptive_avg_pool3d = lift(pooling.adaptive_avg_pool3d)
adaptive_max_pool1d = lift(pooling.adaptive_max_pool1d)
adaptive_max_pool2d = lift(pooling.adaptive_max_pool2d)
adaptive_max_pool3d = lift(pooling.adaptive_max_pool3d)

pad = lift(padding.pad)

fractional_max_pool2d = lift(unpooling.fractional_max_pool2d)
fractional_max_pool3d = lift(unpooling.fractional_max_pool3d)
lp_pool1d = lift(unpooling.lp_pool1d)
lp_pool2d = lift(unpooling.lp_pool2d)
lp_pool3d = lift(unpooling.lp_pool3d)
max_unpool1d = lift(unpooling.max_unpool1d)
max_unpool2d = lift(unpooling.max_unpool2d)
max_unpool3d = lift(unpooling.max_unpool3d)

channel_shuffle = lift(interpolation.channel_shuffle)
interpolate = lift(interpolation.interpolate)
pixel_shuffle = lift(interpolation.pixel_shuffle)
pixel_unshuffle = lift(interpolation.pixel_unshuffle)

affine_grid = lift(grids.affine_grid)
grid_sample = lift(grids.grid_sample)


@explained
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Any:
    """
    Images of another size: an older name of `interpolate`.

    Parameters
    ----------
    input, size, scale_factor, mode, align_corners
        As in `interpolate`.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *size]``.

    Examples
    --------
    >>> tp.nn.functional.upsample(tp.tensor([[[1.0, 3.0]]]), size=4)
    tensor([[[1., 1., 3., 3.]]])
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


@explained
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Any:
    """
    Images of another size, each value that of the nearest pixel.

    Parameters
    ----------
    input, size, scale_factor
        As in `interpolate`.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *size]``.

    Examples
    --------
    >>> tp.nn.functional.upsample_nearest(tp.tensor([[[1.0, 3.0]]]), size=4)
    tensor([[[1., 1., 3., 3.]]])
    """
    return interpolate(input, size, scale_factor, "nearest")


@explained
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Any:
    """
    Images of another size, bilinear between pixels, whose corners stay in place.

    Parameters
    ----------
    input, size, scale_factor
        As in `interpolate`.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *size]``.

    Examples
    --------
    >>> tp.nn.functional.upsample_bilinear(tp.tensor([[[[1.0, 3.0]]]]), size=(1, 3))
    tensor([[[[1., 2., 3.]]]])
    """
    return interpolate(input, size, scale_factor, "bilinear", True)


def _with_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with ``return_indices=True``."""

    @functools.wraps(function)
    def public(*args: Any, return_indices: bool = True, **kwargs: Any) -> Any:
        return function(*args, return_indices=True, **kwargs)

    public.__name__ = public.__qualname__ = f"{function.__name__}_with_indices"
    public.__doc__ = f"Pair of maxima and their positions: `{function.__name__}` with ``return_indices=True``."
    return public


max_pool1d_with_indices = _with_indices(max_pool1d)
max_pool2d_with_indices = _with_indices(max_pool2d)
max_pool3d_with_indices = _with_indices(max_pool3d)
adaptive_max_pool1d_with_indices = _with_indices(adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _with_indices(adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _with_indices(adaptive_max_pool3d)
fractional_max_pool2d_with_indices = _with_indices(fractional_max_pool2d)
fractional_max_pool3d_with_indices = _with_indices(fractional_max_pool3d)
