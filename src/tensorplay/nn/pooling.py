"""Pooling over windows of a fixed size."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.arguments import as_tuple
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class _MaxPool(Module):
    """What maximum pools of all ranks share."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """
    Maximum over windows of a sequence.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.
    dilation : int or tuple of int, default 1
        Step between the elements of a window.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.
    ceil_mode : bool, default False
        Let the last window stick out.

    Examples
    --------
    >>> tp.nn.MaxPool1d(2)(tp.zeros(1, 3, 4)).shape
    tensorplay.Size([1, 3, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool2d(_MaxPool):
    """
    Maximum over windows of a image.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.
    dilation : int or tuple of int, default 1
        Step between the elements of a window.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.
    ceil_mode : bool, default False
        Let the last window stick out.

    Examples
    --------
    >>> tp.nn.MaxPool2d(2)(tp.zeros(1, 3, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool3d(_MaxPool):
    """
    Maximum over windows of a volume.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.
    dilation : int or tuple of int, default 1
        Step between the elements of a window.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.
    ceil_mode : bool, default False
        Let the last window stick out.

    Examples
    --------
    >>> tp.nn.MaxPool3d(2)(tp.zeros(1, 3, 4, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class AvgPool1d(Module):
    """
    Mean over windows of a sequence.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.
    ceil_mode : bool, default False
        Let the last window stick out.
    count_include_pad : bool, default True
        Whether the margin counts in the average.

    Examples
    --------
    >>> tp.nn.AvgPool1d(2)(tp.zeros(1, 3, 4)).shape
    tensorplay.Size([1, 3, 2])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = as_tuple(kernel_size, 1)
        self.stride = as_tuple(kernel_size if stride is None else stride, 1)
        self.padding = as_tuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Module):
    """What average pools of images and volumes share."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """
    Mean over windows of a image.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.
    ceil_mode : bool, default False
        Let the last window stick out.
    count_include_pad : bool, default True
        Whether the margin counts in the average.
    divisor_override : int, optional
        Divide by this instead of the size of the window.

    Examples
    --------
    >>> tp.nn.AvgPool2d(2)(tp.zeros(1, 3, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(_AvgPool):
    """
    Mean over windows of a volume.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.
    ceil_mode : bool, default False
        Let the last window stick out.
    count_include_pad : bool, default True
        Whether the margin counts in the average.
    divisor_override : int, optional
        Divide by this instead of the size of the window.

    Examples
    --------
    >>> tp.nn.AvgPool3d(2)(tp.zeros(1, 3, 4, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class _LPPool(Module):
    """What power-average pools of all ranks share."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        window = f"kernel_size={self.kernel_size}, stride={self.stride}"
        return f"norm_type={self.norm_type}, {window}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPool):
    """
    Norm over windows of a sequence.

    Parameters
    ----------
    norm_type : float
        Order of the norm.
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    ceil_mode : bool, default False
        Let the last window stick out.

    Examples
    --------
    >>> tp.nn.LPPool1d(2, 2)(tp.zeros(1, 3, 4)).shape
    tensorplay.Size([1, 3, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """
    Norm over windows of a image.

    Parameters
    ----------
    norm_type : float
        Order of the norm.
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    ceil_mode : bool, default False
        Let the last window stick out.

    Examples
    --------
    >>> tp.nn.LPPool2d(2, 2)(tp.zeros(1, 3, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPool):
    """
    Norm over windows of a volume.

    Parameters
    ----------
    norm_type : float
        Order of the norm.
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    ceil_mode : bool, default False
        Let the last window stick out.

    Examples
    --------
    >>> tp.nn.LPPool3d(2, 2)(tp.zeros(1, 3, 4, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
