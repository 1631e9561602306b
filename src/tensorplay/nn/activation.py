"""Smooth activations, gates, and the softmax family."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor

F: Any = functional  # where a function takes `inplace`, its type does not say so


class SiLU(Module):
    """
    Each element times its sigmoid.

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.SiLU()(tp.tensor([0.0]))
    tensor([0.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Mish(Module):
    """
    Each element times the tanh of its softplus.

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Mish()(tp.tensor([0.0]))
    tensor([0.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """
    Logistic function of each element.

    Examples
    --------
    >>> tp.nn.Sigmoid()(tp.tensor([0.0]))
    tensor([0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class Tanh(Module):
    """
    Hyperbolic tangent of each element.

    Examples
    --------
    >>> tp.nn.Tanh()(tp.tensor([0.0]))
    tensor([0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class LogSigmoid(Module):
    """
    Logarithm of the logistic function of each element.

    Examples
    --------
    >>> tp.nn.LogSigmoid()(tp.tensor([0.0]))
    tensor([-0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softsign(Module):
    """
    Quotient ``x / (1 + |x|)`` of each element.

    Examples
    --------
    >>> tp.nn.Softsign()(tp.tensor([1.0]))
    tensor([0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """
    Each element less its tanh.

    Examples
    --------
    >>> tp.nn.Tanhshrink()(tp.tensor([0.0]))
    tensor([0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softplus(Module):
    """
    Smooth ReLU of each element: log(1 + exp(βx)) / β.

    Parameters
    ----------
    beta : float, default 1.0
        Sharpness.
    threshold : float, default 20.0
        Where βx exceeds it, the element itself.

    Examples
    --------
    >>> tp.nn.Softplus()(tp.tensor([0.0]))
    tensor([0.6931])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class GELU(Module):
    """
    Each element times the normal distribution function at it.

    Parameters
    ----------
    approximate : {"none", "tanh"}, default "none"
        "tanh" approximates the distribution function.

    Notes
    -----
    Hendrycks & Gimpel, Gaussian error linear units, 2016.

    Examples
    --------
    >>> tp.nn.GELU()(tp.tensor([0.0]))
    tensor([0.])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """
    First half along a dim times the sigmoid of the second half.

    Parameters
    ----------
    dim : int, default -1
        Which dim to halve.

    Examples
    --------
    >>> tp.nn.GLU()(tp.zeros(2, 4)).shape
    tensorplay.Size([2, 2])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Module):
    """
    Exponentials along a dim, scaled to sum one.

    Parameters
    ----------
    dim : int, optional
        Which dim.

    Examples
    --------
    >>> tp.nn.Softmax(0)(tp.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """
    Logarithms of softmax along a dim.

    Parameters
    ----------
    dim : int, optional
        Which dim.

    Examples
    --------
    >>> tp.nn.LogSoftmax(0)(tp.zeros(2))
    tensor([-0.6931, -0.6931])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(Module):
    """
    Softmax of the negative elements along a dim.

    Parameters
    ----------
    dim : int, optional
        Which dim.

    Examples
    --------
    >>> tp.nn.Softmin(0)(tp.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """
    Softmax over the channels at every position of an image.

    Examples
    --------
    >>> tp.nn.Softmax2d()(tp.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected (C, H, W) or (N, C, H, W), got shape {list(input.shape)}")
        return F.softmax(input, -3)
