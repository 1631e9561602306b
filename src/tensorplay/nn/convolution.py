"""Convolutions and transposed convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorplay.errors import shown
from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.arguments import as_tuple
from tensorplay.nn.linear import make_parameter
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What the layers below share: arguments, parameters, printing."""

    spatial_dims: int
    transposed = False
    padding: Any
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = as_tuple(kernel_size, self.spatial_dims)
        self.stride = as_tuple(stride, self.spatial_dims)
        self.padding = padding if isinstance(padding, str) else as_tuple(padding, self.spatial_dims)
        self.dilation = as_tuple(dilation, self.spatial_dims)
        self.output_padding = as_tuple(output_padding, self.spatial_dims)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_arguments()
        ends = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = make_parameter(*ends, *self.kernel_size, dtype=dtype, device=device)
        self.register_parameter("bias", make_parameter(out_channels, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def _check_arguments(self) -> None:
        name = type(self).__name__
        if self.groups <= 0:
            raise ValueError(f"{name}: groups must be positive, got {self.groups}")
        for what in ("in_channels", "out_channels"):
            if getattr(self, what) % self.groups:
                raise ValueError(f"{name}: {what}={getattr(self, what)} must be divisible by groups={self.groups}")
        if isinstance(self.padding, str) and self.padding not in ("same", "valid"):
            raise ValueError(f"{name}: padding must be 'same', 'valid' or sizes, got {self.padding!r}")
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError(f"{name}: padding='same' needs stride 1, got {self.stride}")
        modes = ("zeros",) if self.transposed else PADDING_MODES
        if self.padding_mode not in modes:
            raise ValueError(f"{name}: padding_mode must be one of {modes}, got {self.padding_mode!r}")

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = self.weight.shape[1] * math.prod(self.kernel_size)
        if self.bias is not None and fan_in:
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        none = (0,) * self.spatial_dims
        shown += [f"padding={self.padding}"] if self.padding != none else []
        shown += [f"dilation={self.dilation}"] if self.dilation != (1,) * self.spatial_dims else []
        shown += [f"output_padding={self.output_padding}"] if self.output_padding != none else []
        shown += [f"groups={self.groups}"] if self.groups != 1 else []
        shown += ["bias=False"] if self.bias is None else []
        shown += [f"padding_mode={self.padding_mode}"] if self.padding_mode != "zeros" else []
        return ", ".join(shown)


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input and what padding is left to the convolution."""
        if self.padding_mode == "zeros":
            return input, self.padding
        return F.pad(input, self._margins(), self.padding_mode), 0

    def _margins(self) -> list[int]:
        """Padding before and after each dim, the last dim first."""
        if self.padding == "same":
            totals = [step * (size - 1) for step, size in zip(self.dilation, self.kernel_size, strict=True)]
            return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
        sizes = (0,) * self.spatial_dims if self.padding == "valid" else self.padding
        return [side for size in reversed(sizes) for side in (size, size)]


class _ConvTranspose(_ConvNd):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """What must be added to reach the output size that is asked for."""
        if output_size is None:
            return self.output_padding
        dims = self.spatial_dims
        wanted = tuple(output_size)
        if len(wanted) not in (dims, input.ndim):
            raise ValueError(
                f"{type(self).__name__}: output_size must have {dims} or {input.ndim} entries, got {wanted}"
            )
        wanted = wanted[-dims:]
        smallest = tuple(
            [
                (n - 1) * stride - 2 * pad + dilation * (size - 1) + 1
                for n, stride, pad, dilation, size in zip(
                    input.shape[-dims:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
                )
            ]
        )
        added = tuple([want - least for want, least in zip(wanted, smallest, strict=True)])
        if any(not 0 <= more < stride for more, stride in zip(added, self.stride, strict=True)):
            largest = tuple([least + stride - 1 for least, stride in zip(smallest, self.stride, strict=True)])
            raise ValueError(
                f"{type(self).__name__}: output_size {shown(wanted)} is out of reach for an input of shape "
                f"{list(input.shape)}: expected from {smallest} to {largest}"
            )
        return added


class Conv1d(_Conv):
    """
    Convolution (cross-correlation) of a sequence with learned kernels.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of input and output.
    kernel_size : int or tuple of int
        Size of the kernel, one for all dims or one each.
    stride : int or tuple of int, default 1
        Step of the kernel.
    padding : int, tuple of int, "valid" or "same", default 0
        Margin on both sides.
    dilation : int or tuple of int, default 1
        Step between the elements of the kernel.
    groups : int, default 1
        Groups of channels that are convolved separately.
    bias : bool, default True
        Whether something is added to each output channel.
    padding_mode : {"zeros", "reflect", "replicate", "circular"}, default "zeros"
        What the margin holds.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (N, C, L) or (C, L).

    Examples
    --------
    >>> tp.nn.Conv1d(3, 8, 3, padding=1)(tp.zeros(2, 3, 4)).shape
    tensorplay.Size([2, 8, 4])
    """

    spatial_dims = 1

    def forward(self, input: Tensor) -> Tensor:
        padded, padding = self._padded(input)
        return F.conv1d(padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """
    Convolution (cross-correlation) of a image with learned kernels.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of input and output.
    kernel_size : int or tuple of int
        Size of the kernel, one for all dims or one each.
    stride : int or tuple of int, default 1
        Step of the kernel.
    padding : int, tuple of int, "valid" or "same", default 0
        Margin on both sides.
    dilation : int or tuple of int, default 1
        Step between the elements of the kernel.
    groups : int, default 1
        Groups of channels that are convolved separately.
    bias : bool, default True
        Whether something is added to each output channel.
    padding_mode : {"zeros", "reflect", "replicate", "circular"}, default "zeros"
        What the margin holds.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (N, C, H, W) or (C, H, W).

    Examples
    --------
    >>> tp.nn.Conv2d(3, 8, 3, padding=1)(tp.zeros(2, 3, 4, 4)).shape
    tensorplay.Size([2, 8, 4, 4])
    """

    spatial_dims = 2

    def forward(self, input: Tensor) -> Tensor:
        padded, padding = self._padded(input)
        return F.conv2d(padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(_Conv):
    """
    Convolution (cross-correlation) of a volume with learned kernels.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of input and output.
    kernel_size : int or tuple of int
        Size of the kernel, one for all dims or one each.
    stride : int or tuple of int, default 1
        Step of the kernel.
    padding : int, tuple of int, "valid" or "same", default 0
        Margin on both sides.
    dilation : int or tuple of int, default 1
        Step between the elements of the kernel.
    groups : int, default 1
        Groups of channels that are convolved separately.
    bias : bool, default True
        Whether something is added to each output channel.
    padding_mode : {"zeros", "reflect", "replicate", "circular"}, default "zeros"
        What the margin holds.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (N, C, D, H, W) or (C, D, H, W).

    Examples
    --------
    >>> tp.nn.Conv3d(3, 8, 3, padding=1)(tp.zeros(2, 3, 4, 4, 4)).shape
    tensorplay.Size([2, 8, 4, 4, 4])
    """

    spatial_dims = 3

    def forward(self, input: Tensor) -> Tensor:
        padded, padding = self._padded(input)
        return F.conv3d(padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class ConvTranspose1d(_ConvTranspose):
    """
    Transposed convolution of a sequence with learned kernels.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of input and output.
    kernel_size : int or tuple of int
        Size of the kernel, one for all dims or one each.
    stride : int or tuple of int, default 1
        Step of the kernel.
    padding : int or tuple of int, default 0
        Margin that the convolution it transposes has.
    output_padding : int or tuple of int, default 0
        Added to one side of the output.
    groups : int, default 1
        Groups of channels that are convolved separately.
    bias : bool, default True
        Whether something is added to each output channel.
    dilation : int or tuple of int, default 1
        Step between the elements of the kernel.
    padding_mode : {"zeros"}, default "zeros"
        What the margin holds.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (N, C, L) or (C, L).

    Examples
    --------
    >>> tp.nn.ConvTranspose1d(3, 8, 2, stride=2)(tp.zeros(2, 3, 4)).shape
    tensorplay.Size([2, 8, 8])
    """

    spatial_dims = 1

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        added = self._output_padding(input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, added, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTranspose):
    """
    Transposed convolution of a image with learned kernels.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of input and output.
    kernel_size : int or tuple of int
        Size of the kernel, one for all dims or one each.
    stride : int or tuple of int, default 1
        Step of the kernel.
    padding : int or tuple of int, default 0
        Margin that the convolution it transposes has.
    output_padding : int or tuple of int, default 0
        Added to one side of the output.
    groups : int, default 1
        Groups of channels that are convolved separately.
    bias : bool, default True
        Whether something is added to each output channel.
    dilation : int or tuple of int, default 1
        Step between the elements of the kernel.
    padding_mode : {"zeros"}, default "zeros"
        What the margin holds.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (N, C, H, W) or (C, H, W).

    Examples
    --------
    >>> tp.nn.ConvTranspose2d(3, 8, 2, stride=2)(tp.zeros(2, 3, 4, 4)).shape
    tensorplay.Size([2, 8, 8, 8])
    """

    spatial_dims = 2

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        added = self._output_padding(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, added, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTranspose):
    """
    Transposed convolution of a volume with learned kernels.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of input and output.
    kernel_size : int or tuple of int
        Size of the kernel, one for all dims or one each.
    stride : int or tuple of int, default 1
        Step of the kernel.
    padding : int or tuple of int, default 0
        Margin that the convolution it transposes has.
    output_padding : int or tuple of int, default 0
        Added to one side of the output.
    groups : int, default 1
        Groups of channels that are convolved separately.
    bias : bool, default True
        Whether something is added to each output channel.
    dilation : int or tuple of int, default 1
        Step between the elements of the kernel.
    padding_mode : {"zeros"}, default "zeros"
        What the margin holds.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (N, C, D, H, W) or (C, D, H, W).

    Examples
    --------
    >>> tp.nn.ConvTranspose3d(3, 8, 2, stride=2)(tp.zeros(2, 3, 4, 4, 4)).shape
    tensorplay.Size([2, 8, 8, 8, 8])
    """

    spatial_dims = 3

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        added = self._output_padding(input, output_size)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, added, self.groups, self.dilation
        )
