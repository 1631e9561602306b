"""Convolution, pooling, padding and the rearrangement of pixels."""

from __future__ import annotations

from tensorplay.ops import convolution, padding, pooling
from tensorplay.tensor.lift import lift

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "pad",
    "unfold",
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
