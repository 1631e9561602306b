"""Rearranging and resizing images: shuffles, upsampling, patches."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class PixelShuffle(Module):
    """
    Channels rearranged to a finer image: (C·r², H, W) becomes (C, H·r, W·r).

    Parameters
    ----------
    upscale_factor : int
        The r.

    Examples
    --------
    >>> tp.nn.PixelShuffle(2)(tp.zeros(1, 4, 3, 3)).shape
    tensorplay.Size([1, 1, 6, 6])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """
    Pixels rearranged to more channels: (C, H·r, W·r) becomes (C·r², H, W).

    Parameters
    ----------
    downscale_factor : int
        The r.

    Examples
    --------
    >>> tp.nn.PixelUnshuffle(2)(tp.zeros(1, 1, 6, 6)).shape
    tensorplay.Size([1, 4, 3, 3])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """
    Channels of several groups interleaved.

    Parameters
    ----------
    groups : int
        Number of groups.

    Examples
    --------
    >>> tp.nn.ChannelShuffle(2)(tp.arange(4.0).reshape(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Upsample(Module):
    """
    A sequence, image or volume, interpolated to another size.

    Parameters
    ----------
    size : int or tuple of int, optional
        Size of the output.
    scale_factor : float or tuple of float, optional
        Size of the output as a multiple of the input's.
    mode : {"nearest", "linear", "bilinear", "bicubic", "trilinear"}, default "nearest"
        How.
    align_corners : bool, optional
        Whether the corners of input and output coincide.
    recompute_scale_factor : bool, optional
        Use the ratio of the sizes instead of `scale_factor`.

    Examples
    --------
    >>> tp.nn.Upsample(scale_factor=2)(tp.zeros(1, 3, 2, 2)).shape
    tensorplay.Size([1, 3, 4, 4])
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = _floats(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        return (
            f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        ) + f", mode={self.mode!r}"


def _floats(factor: Any) -> Any:
    if isinstance(factor, tuple | list):
        return tuple([float(f) for f in factor])
    return float(factor) if factor else None


class UpsamplingNearest2d(Upsample):
    """
    An image, enlarged by repeating pixels.

    Parameters
    ----------
    size : int or tuple of int, optional
        Size of the output.
    scale_factor : float or tuple of float, optional
        Size of the output as a multiple of the input's.

    Examples
    --------
    >>> tp.nn.UpsamplingNearest2d(scale_factor=2)(tp.zeros(1, 3, 2, 2)).shape
    tensorplay.Size([1, 3, 4, 4])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """
    An image, interpolated bilinearly with corners aligned.

    Parameters
    ----------
    size : int or tuple of int, optional
        Size of the output.
    scale_factor : float or tuple of float, optional
        Size of the output as a multiple of the input's.

    Examples
    --------
    >>> tp.nn.UpsamplingBilinear2d(scale_factor=2)(tp.zeros(1, 3, 2, 2)).shape
    tensorplay.Size([1, 3, 4, 4])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", align_corners=True)


class Fold(Module):
    """
    The sum of patches, each put where it belongs in an image.

    Parameters
    ----------
    output_size : int or tuple of int
        Height and width of the image.
    kernel_size : int or tuple of int
        Size of a patch.
    dilation : int or tuple of int, default 1
        Step between the elements of a patch.
    padding : int or tuple of int, default 0
        Margin of zeros around the image.
    stride : int or tuple of int, default 1
        Step from patch to patch.

    Examples
    --------
    >>> tp.nn.Fold((3, 3), 2)(tp.ones(1, 4, 4)).shape
    tensorplay.Size([1, 1, 3, 3])
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """
    The patches of an image, one a column.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of a patch.
    dilation : int or tuple of int, default 1
        Step between the elements of a patch.
    padding : int or tuple of int, default 0
        Margin of zeros around the image.
    stride : int or tuple of int, default 1
        Step from patch to patch.

    Examples
    --------
    >>> tp.nn.Unfold(2)(tp.ones(1, 1, 3, 3)).shape
    tensorplay.Size([1, 4, 4])
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
