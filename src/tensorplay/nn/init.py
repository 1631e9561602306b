"""Initial values of parameters: functions that fill a tensor in place, outside of autograd, and return it."""

from __future__ import annotations

import math
from typing import Any

from tensorplay import linalg
from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.functions.creation import eye
from tensorplay.tensor.functions.elementwise import sgn
from tensorplay.tensor.functions.random import rand
from tensorplay.tensor.functions.shape import diagonal
from tensorplay.tensor.functions.sorting import argsort
from tensorplay.tensor.tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = {
    "linear",
    "sigmoid",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
}
_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """
    Factor by which a nonlinearity asks initial weights to be larger.

    Parameters
    ----------
    nonlinearity : str
        Name in `tensorplay.nn.functional`: "linear", "conv1d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", ...
    param : float, optional
        Negative slope of "leaky_relu"; 0.01 by default.

    Returns
    -------
    float
        The gain.

    Raises
    ------
    ValueError
        If the name is unknown or `param` is no number.

    Examples
    --------
    >>> tp.nn.init.calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"calculate_gain(): the negative slope must be a number, got {param!r}")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"calculate_gain(): unknown nonlinearity {nonlinearity!r}")
    return _GAINS[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """
    The tensor, filled with draws from the uniform distribution on [a, b).

    Parameters
    ----------
    tensor : Tensor
        Filled in place.
    a, b : float
        Bounds.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Examples
    --------
    >>> bool((tp.nn.init.uniform_(tp.empty(3), 2.0, 3.0) >= 2).all())
    True
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """
    The tensor, filled with draws from a normal distribution.

    Parameters
    ----------
    tensor : Tensor
        Filled in place.
    mean, std : float
        Of the distribution.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Examples
    --------
    >>> tp.nn.init.normal_(tp.empty(2), mean=1.0, std=0.0)
    tensor([1., 1.])
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """
    The tensor, filled with draws from a normal distribution restricted to [a, b].

    Parameters
    ----------
    tensor : Tensor
        Filled in place.
    mean, std : float
        Of the distribution before it is restricted.
    a, b : float
        Bounds of the values.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Notes
    -----
    The inverse of the distribution function, applied to uniform draws between its values at the bounds.

    Examples
    --------
    >>> bool((tp.nn.init.trunc_normal_(tp.empty(9)).abs() <= 2).all())
    True
    """
    low, high = math.erf((a - mean) / (std * math.sqrt(2))), math.erf((b - mean) / (std * math.sqrt(2)))
    with no_grad():
        tensor.uniform_(low, high, generator=generator)
        return tensor.erfinv_().mul_(std * math.sqrt(2)).add_(mean).clamp_(a, b)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """
    The tensor, filled with one value.

    Parameters
    ----------
    tensor : Tensor
        Filled in place.
    val : float
        The value.

    Returns
    -------
    Tensor
        `tensor`.

    Examples
    --------
    >>> tp.nn.init.constant_(tp.empty(2), 3.0)
    tensor([3., 3.])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """
    The tensor, filled with ones.

    Parameters
    ----------
    tensor : Tensor
        Filled in place.

    Returns
    -------
    Tensor
        `tensor`.

    Examples
    --------
    >>> tp.nn.init.ones_(tp.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1)


def zeros_(tensor: Tensor) -> Tensor:
    """
    The tensor, filled with zeros.

    Parameters
    ----------
    tensor : Tensor
        Filled in place.

    Returns
    -------
    Tensor
        `tensor`.

    Examples
    --------
    >>> tp.nn.init.zeros_(tp.empty(2))
    tensor([0., 0.])
    """
    return constant_(tensor, 0)


def eye_(tensor: Tensor) -> Tensor:
    """
    The matrix, filled with the identity.

    Parameters
    ----------
    tensor : Tensor
        A matrix, filled in place.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it is no matrix.

    Examples
    --------
    >>> tp.nn.init.eye_(tp.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndim != 2:
        raise ValueError(f"eye_(): expected a matrix, got shape {list(tensor.shape)}")
    with no_grad():
        return tensor.copy_(eye(*tensor.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """
    The kernel of a convolution, filled so that the convolution passes its channels through.

    Parameters
    ----------
    tensor : Tensor
        Shape (out channels, in channels per group, size of the kernel in one to three dims), filled in place.
    groups : int, default 1
        Each group passes its channels through.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If the tensor is no such kernel, or groups do not divide its channels.

    Examples
    --------
    >>> tp.nn.init.dirac_(tp.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError(f"dirac_(): expected a kernel of 3, 4 or 5 dims, got shape {list(tensor.shape)}")
    out_channels, in_channels, *kernel = tensor.shape
    if out_channels % groups:
        raise ValueError(f"dirac_(): groups={groups} does not divide the {out_channels} output channels")
    per_group = out_channels // groups
    centre = tuple([size // 2 for size in kernel])
    with no_grad():
        tensor.fill_(0)
        for group in range(groups):
            for channel in range(min(per_group, in_channels)):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


def _fans(tensor: Tensor) -> tuple[int, int]:
    """Numbers of inputs and outputs of one unit."""
    if tensor.ndim < 2:
        raise ValueError(f"fan in and fan out need a tensor of at least 2 dims, got shape {list(tensor.shape)}")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode must be 'fan_in' or 'fan_out', got {mode!r}")
    return _fans(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """
    The tensor, filled with uniform draws whose variance balances forward and backward signals.

    Parameters
    ----------
    tensor : Tensor
        Of at least two dims, filled in place.
    gain : float, default 1.0
        Factor; see `calculate_gain`.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it has fewer than two dims.

    Notes
    -----
    Glorot & Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.

    Examples
    --------
    >>> bool((tp.nn.init.xavier_uniform_(tp.empty(3, 3)).abs() <= 1).all())
    True
    """
    bound = gain * math.sqrt(6 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """
    The tensor, filled with normal draws whose variance balances forward and backward signals.

    Parameters
    ----------
    tensor : Tensor
        Of at least two dims, filled in place.
    gain : float, default 1.0
        Factor; see `calculate_gain`.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it has fewer than two dims.

    Notes
    -----
    Glorot & Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.

    Examples
    --------
    >>> tp.nn.init.xavier_normal_(tp.empty(3, 3)).shape
    tensorplay.Size([3, 3])
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """
    The tensor, filled with uniform draws whose variance suits rectifiers.

    Parameters
    ----------
    tensor : Tensor
        Of at least two dims, filled in place.
    a : float, default 0
        Negative slope of the rectifier that follows.
    mode : {"fan_in", "fan_out"}, default "fan_in"
        Keep the variance of the forward or of the backward signal.
    nonlinearity : str, default "leaky_relu"
        What follows; see `calculate_gain`.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it has fewer than two dims, or a name is unknown.

    Notes
    -----
    He et al., Delving deep into rectifiers, 2015.

    Examples
    --------
    >>> bool((tp.nn.init.kaiming_uniform_(tp.empty(3, 6)).abs() <= 1).all())
    True
    """
    if 0 in tensor.shape:
        return tensor
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / _fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """
    The tensor, filled with normal draws whose variance suits rectifiers.

    Parameters
    ----------
    tensor : Tensor
        Of at least two dims, filled in place.
    a : float, default 0
        Negative slope of the rectifier that follows.
    mode : {"fan_in", "fan_out"}, default "fan_in"
        Keep the variance of the forward or of the backward signal.
    nonlinearity : str, default "leaky_relu"
        What follows; see `calculate_gain`.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it has fewer than two dims, or a name is unknown.

    Notes
    -----
    He et al., Delving deep into rectifiers, 2015.

    Examples
    --------
    >>> tp.nn.init.kaiming_normal_(tp.empty(3, 6)).shape
    tensorplay.Size([3, 6])
    """
    if 0 in tensor.shape:
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """
    The tensor, filled with a random matrix of orthonormal rows or columns; dims after the first count as one.

    Parameters
    ----------
    tensor : Tensor
        Of at least two dims, filled in place.
    gain : float, default 1
        Factor.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it has fewer than two dims.

    Notes
    -----
    The QR decomposition of a normal matrix, with signs chosen so that every orthogonal matrix is as likely: Mezzadri,
    How to generate random matrices from the classical compact groups, 2007.

    Examples
    --------
    >>> q = tp.nn.init.orthogonal_(tp.empty(2, 2))
    >>> tp.allclose(q @ q.mT, tp.eye(2), atol=1e-6)
    True
    """
    if tensor.ndim < 2:
        raise ValueError(f"orthogonal_(): expected a tensor of at least 2 dims, got shape {list(tensor.shape)}")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    with no_grad():
        draws = normal_(tensor.new_empty(max(rows, columns), min(rows, columns)).detach(), generator=generator)
        q, r = linalg.qr(draws)
        q = q * sgn(diagonal(r))
        return tensor.copy_((q.mT if rows < columns else q).reshape(tensor.shape) * gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """
    The matrix, filled with normal draws and, in every column, a fraction of zeros.

    Parameters
    ----------
    tensor : Tensor
        A matrix, filled in place.
    sparsity : float
        Fraction of each column that is zero.
    std : float, default 0.01
        Standard deviation of the other elements.
    generator : Generator, optional
        Source of the draws.

    Returns
    -------
    Tensor
        `tensor`.

    Raises
    ------
    ValueError
        If it is no matrix.

    Notes
    -----
    Martens, Deep learning via Hessian-free optimization, 2010.

    Examples
    --------
    >>> int((tp.nn.init.sparse_(tp.empty(10, 2), 0.3) == 0).sum())
    6
    """
    if tensor.ndim != 2:
        raise ValueError(f"sparse_(): expected a matrix, got shape {list(tensor.shape)}")
    zeros = math.ceil(sparsity * tensor.shape[0])
    with no_grad():
        order = argsort(rand(*tensor.shape, generator=generator), dim=0)
        return normal_(tensor, 0.0, std, generator).scatter_(0, order[:zeros], 0.0)
