"""Activations that are linear in pieces, and their exponential kin."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional
from tensorplay.nn.init import constant_
from tensorplay.nn.linear import make_parameter
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor

F: Any = functional  # where a function takes `inplace`, its type does not say so


def _shown(inplace: bool) -> str:
    return ", inplace=True" if inplace else ""


class ReLU(Module):
    """
    The larger of each element and zero.

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.ReLU()(tp.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU6(Module):
    """
    Each element clamped to [0, 6].

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.ReLU6()(tp.tensor([-1.0, 3.0, 9.0]))
    tensor([0., 3., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """
    Each element, scaled down where it is negative.

    Parameters
    ----------
    negative_slope : float, default 0.01
        Factor of negative elements.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.LeakyReLU(0.5)(tp.tensor([-1.0, 2.0]))
    tensor([-0.5000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}{_shown(self.inplace)}"


class PReLU(Module):
    """
    Each element, scaled by a learned slope where it is negative.

    Parameters
    ----------
    num_parameters : int, default 1
        One slope for all, or one per channel (dim 1).
    init : float, default 0.25
        Slope to start from.
    device, dtype
        Of the parameter.

    Notes
    -----
    He et al., Delving deep into rectifiers, 2015.

    Examples
    --------
    >>> tp.nn.PReLU(init=0.5)(tp.tensor([-1.0, 2.0])).detach()
    tensor([-0.5000,  2.0000])
    """

    weight: Tensor

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = make_parameter(num_parameters, dtype=dtype, device=device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to where they start."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """
    Each element, scaled where it is negative: by random slopes in training, by their mean in evaluation.

    Parameters
    ----------
    lower : float, default 1.0 / 8
        Smallest slope.
    upper : float, default 1.0 / 3
        Largest slope.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.RReLU(0.5, 0.5)(tp.tensor([-1.0, 2.0]))
    tensor([-0.5000,  2.0000])
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{_shown(self.inplace)}"


class ELU(Module):
    """
    Each element, or α(exp(x) − 1) where it is negative.

    Parameters
    ----------
    alpha : float, default 1.0
        Scale of the negative part.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.ELU()(tp.tensor([0.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{_shown(self.inplace)}"


class CELU(Module):
    """
    Each element, or α(exp(x/α) − 1) where it is negative.

    Parameters
    ----------
    alpha : float, default 1.0
        Scale of the negative part.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.CELU()(tp.tensor([0.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{_shown(self.inplace)}"


class SELU(Module):
    """
    Scaled exponential linear unit of each element.

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Notes
    -----
    Klambauer et al., Self-normalizing neural networks, 2017.

    Examples
    --------
    >>> tp.nn.SELU()(tp.tensor([0.0]))
    tensor([0.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Hardtanh(Module):
    """
    Each element clamped to an interval.

    Parameters
    ----------
    min_val : float, default -1.0
        Lower bound.
    max_val : float, default 1.0
        Upper bound.
    inplace : bool, default False
        Write the result into the input.
    min_value : float, optional
        Old name of `min_val`.
    max_value : float, optional
        Old name of `max_val`.

    Examples
    --------
    >>> tp.nn.Hardtanh()(tp.tensor([-3.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise ValueError(f"Hardtanh: max_val must exceed min_val, got {self.min_val} and {self.max_val}")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}{_shown(self.inplace)}"


class Hardsigmoid(Module):
    """
    Piecewise linear sigmoid of each element: x/6 + 1/2 clamped to [0, 1].

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Hardsigmoid()(tp.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """
    Each element times its hard sigmoid.

    Parameters
    ----------
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Hardswish()(tp.tensor([-4.0, 0.0, 4.0]))
    tensor([-0., 0., 4.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class Threshold(Module):
    """
    Each element that exceeds a threshold, another value for the rest.

    Parameters
    ----------
    threshold : float
        Elements up to it are replaced.
    value : float
        By what.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Threshold(1.0, 9.0)(tp.tensor([0.0, 2.0]))
    tensor([9., 2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}{_shown(self.inplace)}"


class Hardshrink(Module):
    """
    Each element; zero where its magnitude is at most λ.

    Parameters
    ----------
    lambd : float, default 0.5
        Bound of what becomes zero.

    Examples
    --------
    >>> tp.nn.Hardshrink(1.0)(tp.tensor([-3.0, 0.5]))
    tensor([-3.,  0.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """
    Each element moved towards zero by λ; zero where it is smaller.

    Parameters
    ----------
    lambd : float, default 0.5
        How far.

    Examples
    --------
    >>> tp.nn.Softshrink(1.0)(tp.tensor([-3.0, 0.5]))
    tensor([-2.,  0.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)
