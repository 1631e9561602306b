"""Activation functions, softmax and its like, and dropout."""

from __future__ import annotations

import warnings
from typing import Any

import tensorplay as tp
from tensorplay.nn.functional.inplace import lift_inplace, lift_underscore
from tensorplay.ops import activation, exponential, trigonometry
from tensorplay.ops import dropout as _dropout
from tensorplay.ops import softmax as _softmax
from tensorplay.tensor.calls import explained
from tensorplay.tensor.lift import lift
from tensorplay.tensor.tensor import Tensor

__all__ = [
    "alpha_dropout",
    "celu",
    "celu_",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "feature_alpha_dropout",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]

celu = lift_inplace(activation.celu)
elu = lift_inplace(activation.elu)
hardsigmoid = lift_inplace(activation.hardsigmoid)
hardswish = lift_inplace(activation.hardswish)
hardtanh = lift_inplace(activation.hardtanh)
leaky_relu = lift_inplace(activation.leaky_relu)
mish = lift_inplace(activation.mish)
relu = lift_inplace(activation.relu)
relu6 = lift_inplace(activation.relu6)
rrelu = lift_inplace(activation.rrelu)
selu = lift_inplace(activation.selu)
silu = lift_inplace(activation.silu)
threshold = lift_inplace(activation.threshold)

celu_ = lift_underscore(activation.celu)
elu_ = lift_underscore(activation.elu)
hardtanh_ = lift_underscore(activation.hardtanh)
leaky_relu_ = lift_underscore(activation.leaky_relu)
relu_ = lift_underscore(activation.relu)
rrelu_ = lift_underscore(activation.rrelu)
selu_ = lift_underscore(activation.selu)
threshold_ = lift_underscore(activation.threshold)

gelu = lift(activation.gelu)
glu = lift(activation.glu)
hardshrink = lift(activation.hardshrink)
logsigmoid = lift(activation.logsigmoid)
prelu = lift(activation.prelu)
sigmoid = lift(exponential.sigmoid)
softplus = lift(activation.softplus)
softshrink = lift(activation.softshrink)
softsign = lift(activation.softsign)
tanh = lift(trigonometry.tanh)
tanhshrink = lift(activation.tanhshrink)

alpha_dropout = lift_inplace(_dropout.alpha_dropout)
dropout = lift_inplace(_dropout.dropout)
dropout1d = lift_inplace(_dropout.dropout1d)
dropout2d = lift_inplace(_dropout.dropout2d)
dropout3d = lift_inplace(_dropout.dropout3d)
feature_alpha_dropout = lift_inplace(_dropout.feature_alpha_dropout)


# ---- softmax ---------------------------------------------------------------------------------------------------------

_softmax_of, _softmin_of, _log_softmax_of = map(lift, (_softmax.softmax, _softmax.softmin, _softmax.log_softmax))


def _dim(name: str, dim: int | None, ndim: int) -> int:
    """The dim that was asked for, or the deprecated default."""
    if dim is not None:
        return dim
    warnings.warn(f"{name}(): the choice of a dim by default is deprecated; pass dim=", stacklevel=3)
    return 0 if ndim in (0, 1, 3) else 1


@explained
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """
    Exponentials divided by their sum along a dim.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    dim : int
        Along which the result sums to 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.softmax(tp.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _softmax_of(input, _dim("softmax", dim, input.ndim), dtype)


@explained
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """
    Softmax of the negated input.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    dim : int
        Along which the result sums to 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.softmin(tp.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _softmin_of(input, _dim("softmin", dim, input.ndim), dtype)


@explained
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """
    Logarithm of the softmax.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    dim : int
        Along which the exponentials of the result sum to 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.log_softmax(tp.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return _log_softmax_of(input, _dim("log_softmax", dim, input.ndim), dtype)


@explained
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """
    Sample of the Gumbel-softmax distribution.

    Parameters
    ----------
    logits : Tensor
        Logarithms of probabilities, up to a constant.
    tau : float, default 1
        Temperature.
    hard : bool, default False
        Whether the result is one-hot; the derivative is that of the soft sample all the same.
    eps : float
        Has no effect.
    dim : int, default -1
        Along which the result sums to 1.

    Returns
    -------
    Tensor
        Shape of `logits`.

    Examples
    --------
    >>> tp.nn.functional.gumbel_softmax(tp.zeros(2, 3)).shape
    tensorplay.Size([2, 3])
    """
    uniform = tp.rand_like(logits)
    noise = -tp.log(-tp.log1p(-uniform))
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    best = tp.amax(soft, dim, keepdim=True)
    first = (soft == best).to(soft.dtype)
    one_hot = first * (tp.cumsum(first, dim) == 1).to(soft.dtype)
    return one_hot - soft.detach() + soft
