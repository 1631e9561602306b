"""Activation functions of neural networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.errors import shown
from tensorplay.ops import kernels, random, shape
from tensorplay.ops.arithmetic import add, div, mul, square, sub
from tensorplay.ops.comparison import clamp, clamp_max, ge, gt, le, logical_and, lt, where
from tensorplay.ops.complex_numbers import abs, sign
from tensorplay.ops.exponential import exp, expm1, sigmoid
from tensorplay.ops.families import elementwise, reshape
from tensorplay.ops.many import filling_itself
from tensorplay.ops.operands import direct, only, tensor_argument
from tensorplay.ops.trigonometry import tanh

_DOC = """
    {summary}

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    {example}
    """


def _activation(
    name: str, compute: Callable[[Value], Value], kinds: str, summary: str, example: str
) -> Callable[[Value], Value]:
    """An activation without settings, with its documentation; bools in `kinds` never count."""

    def op(input: Value) -> Value:
        input = tensor_argument(name, input)
        if input.dtype.kind not in kinds:
            only(kinds, name, input)
        return compute(input)

    op.__name__ = op.__qualname__ = name
    lines = f">>> tp.nn.functional.{name}(tp.tensor({example}".replace("\n", "\n    ")
    op.__doc__ = _DOC.format(summary=summary, example=lines)
    return direct(compute, 1, kinds)(op) if isinstance(compute, Primitive) else op


# ---- piecewise linear ------------------------------------------------------------------------------------------------


@filling_itself
def _relu_impl(x: Any, out: Any = None) -> Any:
    return np.maximum(x, kernels.number(0, x.dtype.char), out=out)


_relu = elementwise("relu", _relu_impl, [lambda out, _x: gt(out, 0)])
relu = _activation(
    "relu",
    _relu,
    "fiu",
    "Elements that are positive, zero in place of the others. The derivative at zero is zero.",
    "[-1.0, 2.0]))\ntensor([0., 2.])",
)


def hardtanh(input: Value, min_val: float = -1.0, max_val: float = 1.0) -> Value:
    """
    Elements confined to an interval. The derivative at the bounds is zero.

    Parameters
    ----------
    input : Tensor
        Any shape.
    min_val, max_val : float
        Bounds.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    ValueError
        If `min_val` exceeds `max_val`.

    Examples
    --------
    >>> tp.nn.functional.hardtanh(tp.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh(): min_val must not exceed max_val, got {min_val} and {max_val}")
    only("fiu", "hardtanh", input)
    low, high = [np.asarray(bound).astype(input.dtype) for bound in (min_val, max_val)]
    inside = logical_and(gt(input, low), lt(input, high))
    return where(inside, input, shape.detach(clamp(input, low, high)))


relu6 = _activation(
    "relu6",
    lambda x: hardtanh(x, 0, 6),
    "fiu",
    "Elements confined to the interval from 0 to 6. The derivative at the bounds is zero.",
    "[-1.0, 2.0, 7.0]))\ntensor([0., 2., 6.])",
)


def leaky_relu(input: Value, negative_slope: float = 0.01) -> Value:
    """
    Elements that are positive, a fraction of the others.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    negative_slope : float, default 0.01
        The fraction.

    Returns
    -------
    Tensor
        Shape of `input`. The derivative at zero is `negative_slope`.

    Examples
    --------
    >>> tp.nn.functional.leaky_relu(tp.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    only("f", "leaky_relu", input)
    return where(gt(input, 0), input, mul(input, negative_slope))


def prelu(input: Value, weight: Value) -> Value:
    """
    Elements that are positive, a learned fraction of the others.

    Parameters
    ----------
    input : Tensor
        Floating-point; dim 1 is the channels.
    weight : Tensor
        The fraction: one for all, or one per channel.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `weight` has more than one dim, or not one element per channel.

    Examples
    --------
    >>> tp.nn.functional.prelu(tp.tensor([-1.0, 2.0]), tp.tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    only("f", "prelu", input, weight)
    if weight.ndim > 1:
        raise RuntimeError(f"prelu(): weight must have at most one dim, got shape {list(weight.shape)}")
    if weight.size != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.size != channels:
            raise RuntimeError(
                f"prelu(): weight has {weight.size} elements, but input of shape {list(input.shape)} has "
                f"{channels} channels"
            )
        weight = reshape(weight, shape=(channels, *(1,) * (input.ndim - 2)))
    elif weight.ndim > input.ndim:
        weight = reshape(weight, shape=())
    return where(gt(input, 0), input, mul(input, weight))


def rrelu(
    input: Value,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Any = None,
) -> Value:
    """
    Elements that are positive, a random fraction of the others.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    lower, upper : float
        Bounds of the fraction, which is uniform between them.
    training : bool, default False
        Otherwise the fraction is the mean of the bounds.
    generator : Generator, optional
        Source of the random numbers.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `lower` exceeds `upper`, or if it is random under a `vmap` whose `randomness` is "error".

    Examples
    --------
    >>> tp.nn.functional.rrelu(tp.tensor([-1.0, 2.0]), 0.5, 0.5)
    tensor([-0.5000,  2.0000])
    """
    if lower > upper:
        raise RuntimeError(f"rrelu(): lower must not exceed upper, got {lower} and {upper}")
    only("f", "rrelu", input)
    if not training:
        return leaky_relu(input, (lower + upper) / 2)
    slope = random.draw("rrelu", lambda g, s: g.uniform(lower, upper, s).astype(input.dtype), input.shape, generator)
    return where(gt(input, 0), input, mul(input, slope))


def threshold(input: Value, threshold: float, value: float) -> Value:
    """
    Elements above a threshold, a fixed value in place of the others.

    Parameters
    ----------
    input : Tensor
        Any shape.
    threshold : float
        What elements must exceed.
    value : float
        In place of those that do not.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.threshold(tp.tensor([0.0, 2.0]), 1.0, 20.0)
    tensor([20.,  2.])
    """
    only("fiu", "threshold", input)
    # NaN stays
    return where(le(input, threshold), np.asarray(value).astype(input.dtype), input)


def softshrink(input: Value, lambd: float = 0.5) -> Value:
    """
    Elements moved towards zero by a fixed amount; zero for those that are closer.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    lambd : float, default 0.5
        The amount, not negative.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `lambd` is negative.

    Examples
    --------
    >>> tp.nn.functional.softshrink(tp.tensor([-2.0, 0.2, 1.0]))
    tensor([-1.5000,  0.0000,  0.5000])
    """
    if lambd < 0:
        raise RuntimeError(f"softshrink(): lambd must not be negative, got {lambd}")
    only("f", "softshrink", input)
    return where(le(abs(input), lambd), 0.0, sub(input, mul(sign(input), lambd)))


def hardshrink(input: Value, lambd: float = 0.5) -> Value:
    """
    Elements beyond a distance from zero, zero in place of the others.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    lambd : float, default 0.5
        The distance.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.hardshrink(tp.tensor([-2.0, 0.2, 1.0]))
    tensor([-2.,  0.,  1.])
    """
    only("f", "hardshrink", input)
    return where(logical_and(ge(input, -lambd), le(input, lambd)), 0.0, input)


hardsigmoid = _activation(
    "hardsigmoid",
    lambda x: div(hardtanh(add(x, 3), 0, 6), 6),
    "f",
    "Piecewise linear approximation of the logistic function, ``min(max(x + 3, 0), 6) / 6``.",
    "[-4.0, 0.0, 4.0]))\ntensor([0.0000, 0.5000, 1.0000])",
)
hardswish = _activation(
    "hardswish",
    lambda x: mul(x, hardsigmoid(x)),
    "f",
    "Each element times its `hardsigmoid`.",
    "[-4.0, 0.0, 4.0]))\ntensor([-0., 0., 4.])",
)

# ---- smooth ----------------------------------------------------------------------------------------------------------


def elu(input: Value, alpha: float = 1.0) -> Value:
    """
    Elements that are positive, ``alpha * (exp(x) - 1)`` of the others.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    alpha : float, default 1.0
        Where the function saturates, with the sign changed.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.elu(tp.tensor([0.0, 2.0]))
    tensor([0., 2.])
    """
    return _elu(floats_only("elu", input), alpha, 1.0, 1.0)


def floats_only(name: str, input: Value) -> Value:
    """`input`, which must be floating-point."""
    input = tensor_argument(name, input)
    only("f", name, input)
    return input


def _elu(x: Value, alpha: float, scale: float, input_scale: float) -> Value:
    # the branch not taken must not overflow
    below = mul(expm1(mul(clamp_max(x, 0), input_scale)), alpha * scale)
    return where(gt(x, 0), mul(x, scale), below)


def celu(input: Value, alpha: float = 1.0) -> Value:
    """
    Elements that are positive, ``alpha * (exp(x / alpha) - 1)`` of the others.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    alpha : float, default 1.0
        Where the function saturates, with the sign changed; not zero.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `alpha` is zero.

    Examples
    --------
    >>> tp.nn.functional.celu(tp.tensor([0.0, 2.0]), 2.0)
    tensor([0., 2.])
    """
    if alpha == 0:
        raise RuntimeError("celu(): alpha must not be zero")
    return _elu(floats_only("celu", input), alpha, 1.0, 1.0 / alpha)


_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946

selu = _activation(
    "selu",
    lambda x: _elu(x, _SELU_ALPHA, _SELU_SCALE, 1.0),
    "f",
    "Scaled `elu` that keeps mean 0 and variance 1 from layer to layer.",
    "[0.0, 1.0]))\ntensor([0.0000, 1.0507])",
)

_silu = elementwise(
    "silu",
    kernels.silu,
    [lambda out, x: _silu_slope(out, x)],
)


def _silu_curvature(_out: Value, _product: Value, x: Value) -> Value:
    s = sigmoid(x)
    return mul(mul(s, sub(1, s)), add(mul(x, sub(1, mul(s, 2))), 2))


# of the product and x; as the one follows from the other, the derivative by x is the whole of it
_silu_slope = elementwise("silu_slope", kernels.silu_slope, [None, _silu_curvature])


silu = _activation(
    "silu",
    lambda x: _silu(x) if x.dtype.kind == "f" else mul(x, sigmoid(x)),
    "fc",
    "Each element times its logistic function, ``x * sigmoid(x)``.",
    "[0.0]))\ntensor([0.])",
)

_softplus = elementwise("softplus", kernels.softplus, [lambda _out, x: sigmoid(x)])


def softplus(input: Value, beta: float = 1.0, threshold: float = 20.0) -> Value:
    """
    Smooth approximation of `relu`, ``log(1 + exp(beta * x)) / beta``.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    beta : float, default 1.0
        Sharpness.
    threshold : float, default 20.0
        The function is linear where ``beta * x`` is above.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.softplus(tp.tensor([0.0]))
    tensor([0.6931])
    """
    input = floats_only("softplus", input)
    scaled = input if beta == 1 else mul(input, beta)
    soft = _softplus(scaled) if beta == 1 else div(_softplus(scaled), beta)
    if input.dtype.itemsize <= 4 and threshold >= 20:
        return soft  # beyond, rounding makes it linear
    return where(gt(scaled, threshold), input, soft)


_logsigmoid = elementwise(
    "logsigmoid",
    lambda x: -kernels.softplus(-x),
    [lambda _out, x: sigmoid(mul(x, -1))],
)
logsigmoid = _activation(
    "logsigmoid",
    _logsigmoid,
    "f",
    "Logarithm of the logistic function, without overflow.",
    "[0.0, -1000.0]))\ntensor([-6.9315e-01, -1.0000e+03])",
)


_gelu = elementwise("gelu", kernels.gelu, [lambda out, x: _gelu_slope(out, x)])
_gelu_slope = elementwise(
    "gelu_slope", kernels.gelu_slope, [None, lambda _out, _product, x: mul(_normal_density(x), sub(2, square(x)))]
)


def _normal_density(x: Value) -> Value:
    return mul(exp(mul(square(x), -0.5)), 1 / math.sqrt(2 * math.pi))


@direct(_gelu, 1, "f")
def gelu(input: Value, *, approximate: str = "none") -> Value:
    """
    Each element times the probability that a standard normal variable is smaller.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    approximate : {"none", "tanh"}
        Whether the probability is approximated with a hyperbolic tangent.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `approximate` is none of the above.

    Examples
    --------
    >>> tp.nn.functional.gelu(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8413])
    """
    input = floats_only("gelu", input)
    if approximate == "none":
        return _gelu(input)
    if approximate != "tanh":
        raise RuntimeError(f"gelu(): approximate must be 'none' or 'tanh', got {shown(approximate)}")
    inner = mul(mul(input, add(mul(square(input), 0.044715), 1)), math.sqrt(2 / math.pi))
    return mul(mul(input, 0.5), add(tanh(inner), 1))


mish = _activation(
    "mish",
    lambda x: mul(x, tanh(softplus(x))),
    "f",
    "Each element times the hyperbolic tangent of its `softplus`.",
    "[0.0]))\ntensor([0.])",
)
softsign = _activation(
    "softsign",
    lambda x: div(x, add(abs(x), 1)),
    "fciu",
    "Each element divided by one plus its absolute value.",
    "[-1.0, 3.0]))\ntensor([-0.5000,  0.7500])",
)
tanhshrink = _activation(
    "tanhshrink",
    lambda x: sub(x, tanh(x)),
    "fciu",
    "Each element minus its hyperbolic tangent.",
    "[0.0]))\ntensor([0.])",
)


def glu(input: Value, dim: int = -1) -> Value:
    """
    First half of a tensor times the logistic function of the second.

    Parameters
    ----------
    input : Tensor
        Floating-point.
    dim : int, default -1
        Dim that is halved; its size is even.

    Returns
    -------
    Tensor
        Shape of `input` with half the size along `dim`.

    Raises
    ------
    RuntimeError
        If the size is odd or there is no dim.

    Examples
    --------
    >>> tp.nn.functional.glu(tp.tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    only("f", "glu", input)
    if input.ndim == 0:
        raise RuntimeError("glu(): needs a tensor with at least one dim, got a 0-d one")
    axis = shape.one_dim(dim, input.ndim, "glu")
    half, odd = divmod(input.shape[axis], 2)
    if odd:
        raise RuntimeError(f"glu(): size {input.shape[axis]} of dim {dim} of {list(input.shape)} must be even")
    first, second = [
        shape.slice_key(input, key=(*(slice(None),) * axis, part, *(slice(None),) * (input.ndim - axis - 1)))
        for part in (slice(0, half, 1), slice(half, 2 * half, 1))
    ]
    return mul(first, sigmoid(second))
