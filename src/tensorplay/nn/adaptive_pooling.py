"""Pooling to an output of a given size, and its inverse."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.arguments import as_tuple
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class _AdaptiveAvgPool(Module):
    """What adaptive average pools of all ranks share."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """
    Mean over as many windows of a sequence as the output needs.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Size of the output; None for a dim keeps that of the input.

    Examples
    --------
    >>> tp.nn.AdaptiveAvgPool1d(2)(tp.zeros(1, 3, 4)).shape
    tensorplay.Size([1, 3, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """
    Mean over as many windows of a image as the output needs.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Size of the output; None for a dim keeps that of the input.

    Examples
    --------
    >>> tp.nn.AdaptiveAvgPool2d(2)(tp.zeros(1, 3, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """
    Mean over as many windows of a volume as the output needs.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Size of the output; None for a dim keeps that of the input.

    Examples
    --------
    >>> tp.nn.AdaptiveAvgPool3d(2)(tp.zeros(1, 3, 4, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPool(Module):
    """What adaptive maximum pools of all ranks share."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """
    Maximum over as many windows of a sequence as the output needs.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Size of the output; None for a dim keeps that of the input.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.

    Examples
    --------
    >>> tp.nn.AdaptiveMaxPool1d(2)(tp.zeros(1, 3, 4)).shape
    tensorplay.Size([1, 3, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """
    Maximum over as many windows of a image as the output needs.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Size of the output; None for a dim keeps that of the input.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.

    Examples
    --------
    >>> tp.nn.AdaptiveMaxPool2d(2)(tp.zeros(1, 3, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """
    Maximum over as many windows of a volume as the output needs.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Size of the output; None for a dim keeps that of the input.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.

    Examples
    --------
    >>> tp.nn.AdaptiveMaxPool3d(2)(tp.zeros(1, 3, 4, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class MaxUnpool1d(Module):
    """
    A sequence of zeros with the maxima of `MaxPool1d` where they were.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.

    Examples
    --------
    >>> pooled, indices = tp.nn.MaxPool1d(2, return_indices=True)(tp.zeros(1, 3, 4))
    >>> tp.nn.MaxUnpool1d(2)(pooled, indices).shape
    tensorplay.Size([1, 3, 4])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = as_tuple(kernel_size, 1)
        self.stride = as_tuple(kernel_size if stride is None else stride, 1)
        self.padding = as_tuple(padding, 1)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool2d(Module):
    """
    A image of zeros with the maxima of `MaxPool2d` where they were.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.

    Examples
    --------
    >>> pooled, indices = tp.nn.MaxPool2d(2, return_indices=True)(tp.zeros(1, 3, 4, 4))
    >>> tp.nn.MaxUnpool2d(2)(pooled, indices).shape
    tensorplay.Size([1, 3, 4, 4])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = as_tuple(kernel_size, 2)
        self.stride = as_tuple(kernel_size if stride is None else stride, 2)
        self.padding = as_tuple(padding, 2)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool3d(Module):
    """
    A volume of zeros with the maxima of `MaxPool3d` where they were.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    stride : int or tuple of int, optional
        Step of the window; its size by default.
    padding : int or tuple of int, default 0
        Size of the margin on both sides.

    Examples
    --------
    >>> pooled, indices = tp.nn.MaxPool3d(2, return_indices=True)(tp.zeros(1, 3, 4, 4, 4))
    >>> tp.nn.MaxUnpool3d(2)(pooled, indices).shape
    tensorplay.Size([1, 3, 4, 4, 4])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = as_tuple(kernel_size, 3)
        self.stride = as_tuple(kernel_size if stride is None else stride, 3)
        self.padding = as_tuple(padding, 3)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class FractionalMaxPool2d(Module):
    """
    Maximum over windows of a image that start at random places.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    output_size : int or tuple of int, optional
        Size of the output.
    output_ratio : float or tuple of float, optional
        Size of the output as a fraction of the input's.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.
    _random_samples : Tensor, optional
        Where windows start, instead of draws.

    Notes
    -----
    Graham, Fractional max-pooling, 2014.

    Examples
    --------
    >>> tp.nn.FractionalMaxPool2d(2, output_size=2)(tp.zeros(1, 3, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2])
    """

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError("FractionalMaxPool2d: give either output_size or output_ratio")
        self.kernel_size = as_tuple(kernel_size, 2)
        self.output_size = None if output_size is None else as_tuple(output_size, 2)
        self.output_ratio = None if output_ratio is None else as_tuple(output_ratio, 2)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool3d(Module):
    """
    Maximum over windows of a volume that start at random places.

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the window, one for all dims or one each.
    output_size : int or tuple of int, optional
        Size of the output.
    output_ratio : float or tuple of float, optional
        Size of the output as a fraction of the input's.
    return_indices : bool, default False
        Return the flat positions of the maxima too, for unpooling.
    _random_samples : Tensor, optional
        Where windows start, instead of draws.

    Notes
    -----
    Graham, Fractional max-pooling, 2014.

    Examples
    --------
    >>> tp.nn.FractionalMaxPool3d(2, output_size=2)(tp.zeros(1, 3, 4, 4, 4)).shape
    tensorplay.Size([1, 3, 2, 2, 2])
    """

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError("FractionalMaxPool3d: give either output_size or output_ratio")
        self.kernel_size = as_tuple(kernel_size, 3)
        self.output_size = None if output_size is None else as_tuple(output_size, 3)
        self.output_ratio = None if output_ratio is None else as_tuple(output_ratio, 3)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )
