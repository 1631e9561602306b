"""Normalisation by statistics of a sample: layer, group, RMS and local response norm."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.linear import make_parameter
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class LayerNorm(Module):
    """
    Normalisation over the last dims of each sample, then a learned scale and shift of each element.

    Parameters
    ----------
    normalized_shape : int or tuple of int
        Sizes of the dims to normalise over.
    eps : float, default 1e-5
        Added to the variance.
    elementwise_affine : bool, default True
        Whether there is a scale (and a shift).
    bias : bool, default True
        Whether there is a shift.
    device, dtype
        Of the parameters.

    Notes
    -----
    Ba, Kiros & Hinton, Layer normalization, 2016.

    Examples
    --------
    >>> tp.nn.LayerNorm(4)(tp.ones(2, 4)).detach()
    tensor([[0., 0., 0., 0.],
            [0., 0., 0., 0.]])
    """

    weight: Tensor | None
    bias: Tensor | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        add_affine(self, self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def reset_parameters(self) -> None:
        """Set the scale to one and the shift to zero."""
        reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """
    Division by the root of the mean square over the last dims of each sample, then a learned scale of each element.

    Parameters
    ----------
    normalized_shape : int or tuple of int
        Sizes of the dims to normalise over.
    eps : float, optional
        Added to the mean square; the smallest step of the dtype by default.
    elementwise_affine : bool, default True
        Whether there is a scale.
    device, dtype
        Of the parameter.

    Notes
    -----
    Zhang & Sennrich, Root mean square layer normalization, 2019.

    Examples
    --------
    >>> tp.nn.RMSNorm(2)(tp.tensor([3.0, 3.0])).detach()
    tensor([1., 1.])
    """

    weight: Tensor | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        scale = make_parameter(*self.normalized_shape, dtype=dtype, device=device) if elementwise_affine else None
        self.register_parameter("weight", scale)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the scale to one."""
        reset_affine(self.weight, None)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """
    Normalisation over groups of channels of each sample, then a learned scale and shift of each channel.

    Parameters
    ----------
    num_groups : int
        Number of groups; divides the number of channels.
    num_channels : int
        Size of dim 1.
    eps : float, default 1e-5
        Added to the variance.
    affine : bool, default True
        Whether there is a scale (and a shift).
    device, dtype
        Of the parameters.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Wu & He, Group normalization, 2018.

    Examples
    --------
    >>> tp.nn.GroupNorm(2, 4)(tp.zeros(1, 4, 3)).shape
    tensorplay.Size([1, 4, 3])
    """

    weight: Tensor | None
    bias: Tensor | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"GroupNorm: num_channels={num_channels} must be divisible by num_groups={num_groups}")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        add_affine(self, (num_channels,), affine, affine and bias, device, dtype)

    def reset_parameters(self) -> None:
        """Set the scale to one and the shift to zero."""
        reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        groups = f"{self.num_groups}, {self.num_channels}"
        return f"{groups}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """
    Each element divided by a power of the mean square of the neighbouring channels.

    Parameters
    ----------
    size : int
        Number of neighbouring channels.
    alpha : float, default 1e-4
        Factor of the mean square.
    beta : float, default 0.75
        Exponent.
    k : float, default 1.0
        Added to the mean square.

    Examples
    --------
    >>> tp.nn.LocalResponseNorm(2)(tp.zeros(1, 4, 3)).shape
    tensorplay.Size([1, 4, 3])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


def add_affine(
    module: Any, shape: tuple[int, ...], scale: bool, shift: bool, device: Any = None, dtype: Any = None
) -> None:
    """Give a module the parameters `weight` and `bias`, or their names alone, at their initial values."""
    for name, wanted in (("weight", scale), ("bias", shift)):
        module.register_parameter(name, make_parameter(*shape, dtype=dtype, device=device) if wanted else None)
    module.reset_parameters()


def reset_affine(weight: Tensor | None, bias: Tensor | None) -> None:
    """Fill a scale with ones and a shift with zeros, where they are there."""
    if weight is not None:
        init.ones_(weight)
    if bias is not None:
        init.zeros_(bias)
