"""Affine layers."""

from __future__ import annotations

import math
from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.module import Module
from tensorplay.nn.parameter import Parameter
from tensorplay.tensor.functions.creation import empty
from tensorplay.tensor.tensor import Tensor


def make_parameter(*shape: int, dtype: Any = None, device: Any = None) -> Parameter:
    """A parameter of a given shape whose contents are to be filled."""
    options: dict[str, Any] = {"dtype": dtype, "device": device}
    return Parameter(empty(*shape, **options))


class Identity(Module):
    """
    Its argument, unchanged.

    Parameters
    ----------
    *args, **kwargs
        Ignored.

    Examples
    --------
    >>> tp.nn.Identity(7)(tp.tensor(1.0))
    tensor(1.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """
    Affine map ``x Wᵀ + b`` of the last dim.

    Parameters
    ----------
    in_features, out_features : int
        Size of the last dim of input and output.
    bias : bool, default True
        Whether b is there.
    device, dtype
        Of the parameters.

    Notes
    -----
    Input (..., in_features), output (..., out_features). Both parameters start uniform in ±1/√in_features.

    Examples
    --------
    >>> tp.nn.Linear(3, 2)(tp.ones(5, 3)).shape
    tensorplay.Size([5, 2])
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = make_parameter(out_features, in_features, dtype=dtype, device=device)
        self.register_parameter("bias", make_parameter(out_features, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """
    Bilinear map ``x₁ᵀ A x₂ + b`` of the last dims of two inputs.

    Parameters
    ----------
    in1_features, in2_features, out_features : int
        Size of the last dim of the inputs and the output.
    bias : bool, default True
        Whether b is there.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> tp.nn.Bilinear(3, 4, 2)(tp.ones(5, 3), tp.ones(5, 4)).shape
    tensorplay.Size([5, 2])
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"Bilinear: in1_features must be positive, got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = make_parameter(out_features, in1_features, in2_features, dtype=dtype, device=device)
        self.register_parameter("bias", make_parameter(out_features, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Flatten(Module):
    """
    Consecutive dims merged into one.

    Parameters
    ----------
    start_dim, end_dim : int, default 1 and -1
        First and last dim to merge.

    Examples
    --------
    >>> tp.nn.Flatten()(tp.zeros(2, 3, 4)).shape
    tensorplay.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """
    One dim split into several.

    Parameters
    ----------
    dim : int
        The dim to split.
    unflattened_size : tuple of int
        What it becomes; one size may be -1.

    Examples
    --------
    >>> tp.nn.Unflatten(1, (3, 4))(tp.zeros(2, 12)).shape
    tensorplay.Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"Unflatten: dim must be an int, got {type(dim).__name__}: named dims are not supported")
        if not isinstance(unflattened_size, tuple | list) or not all(isinstance(n, int) for n in unflattened_size):
            raise TypeError(f"Unflatten: unflattened_size must be a tuple of ints, got {unflattened_size!r}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
