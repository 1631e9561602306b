"""Losses of regression: distances of predictions from targets, and likelihoods of numbers and counts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tensorplay.core.value import Value, ground
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.activation import logsigmoid
from tensorplay.ops.arithmetic import add, div, mul, neg, sub
from tensorplay.ops.comparison import clamp_min, le
from tensorplay.ops.complex_numbers import abs
from tensorplay.ops.exponential import exp, log, xlogy
from tensorplay.ops.families import elementwise
from tensorplay.ops.indexing import where
from tensorplay.ops.promotion import promote, to_inexact
from tensorplay.ops.shape import detach
from tensorplay.ops.sums import mean, sum

# ---- arguments -------------------------------------------------------------------------------------------------------


def reduction_of(name: str, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """ "none", "mean" or "sum", also from the two deprecated flags."""
    if size_average is not None or reduce is not None:
        average = size_average is None or size_average
        reduction = "none" if reduce is False else "mean" if average else "sum"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{name}(): reduction must be 'none', 'mean' or 'sum', got {shown(reduction)}")
    return reduction


def reduced(loss: Value, reduction: str) -> Value:
    """The mean or the sum of a loss, or the loss itself."""
    return loss if reduction == "none" else mean(loss) if reduction == "mean" else sum(loss)


def _broadcast(name: str, input: Value, target: Value) -> tuple[Value, ...]:
    """Both operands in one dtype; shapes that differ broadcast, which is seldom what was meant."""
    if input.shape != target.shape:
        warnings.warn(
            f"{name}(): target has shape {list(target.shape)} and input {list(input.shape)}; they broadcast "
            f"against each other, which is probably not what you want. Give them the same shape.",
            stacklevel=4,
        )
    return promote(input, target)


def _weighted(name: str, loss: Value, weight: Value | None, reduction: str, normalised: bool = True) -> Value:
    """A loss reduced, with the elements weighted; a normalised mean is divided by the sum of the weights."""
    if weight is None:
        return reduced(loss, reduction)
    if weight.shape != loss.shape:
        raise ValueError(f"{name}(): weight must have the shape of input, {list(loss.shape)}, got {list(weight.shape)}")
    loss = mul(loss, weight)
    if reduction == "mean" and normalised:
        return div(sum(loss), sum(weight))
    return reduced(loss, reduction)


def positive_part(value: Value) -> Value:
    """The larger of each element and zero."""
    return clamp_min(value, 0)


def softplus(value: Value) -> Value:
    """``log(1 + exp(value))``, accurately for all values."""
    return neg(logsigmoid(neg(value)))


# ---- distances -------------------------------------------------------------------------------------------------------


def _smooth_square(difference: Value, threshold: float) -> Value:
    """Half the square up to a threshold, from there on a line that continues it."""
    size = abs(difference)
    square = mul(mul(difference, difference), 0.5)
    return where(le(size, threshold), square, mul(sub(size, 0.5 * threshold), threshold))


_squared_difference = elementwise(
    "squared_difference",
    lambda x, y: np.square(x - y),
    [lambda _out, x, y: mul(sub(x, y), 2), lambda _out, x, y: mul(sub(y, x), 2)],
)


def mse_loss(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Value | None = None,
) -> Value:
    """
    Squared differences.

    Parameters
    ----------
    input, target : Tensor
        Floating-point, of one shape.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.
    weight : Tensor, optional
        Weights of the elements, of the same shape; the mean is then divided by their sum.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Examples
    --------
    >>> tp.nn.functional.mse_loss(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(2.)
    """
    how = reduction_of("mse_loss", reduction, size_average, reduce)
    return _weighted("mse_loss", _squared_difference(*_broadcast("mse_loss", input, target)), weight, how)


def l1_loss(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Value | None = None,
) -> Value:
    """
    Absolute differences.

    Parameters
    ----------
    input, target : Tensor
        Floating-point or complex, of one shape.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.
    weight : Tensor, optional
        Weights of the elements, of the same shape; the mean is then divided by their sum.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Examples
    --------
    >>> tp.nn.functional.l1_loss(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(1.)
    """
    how = reduction_of("l1_loss", reduction, size_average, reduce)
    return _weighted("l1_loss", abs(sub(*_broadcast("l1_loss", input, target))), weight, how)


def smooth_l1_loss(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Value:
    """
    Absolute differences, rounded to a parabola near zero.

    Parameters
    ----------
    input, target : Tensor
        Floating-point, of one shape.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.
    beta : float, default 1
        Where the parabola ends; with 0 this is `l1_loss`.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If `beta` is negative.

    Examples
    --------
    >>> tp.nn.functional.smooth_l1_loss(tp.tensor([1.0, 2.0]), tp.tensor([1.5, 4.0]), reduction="none")
    tensor([0.1250, 1.5000])
    """
    how = reduction_of("smooth_l1_loss", reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss(): beta must not be negative, got {beta}")
    difference = sub(*_broadcast("smooth_l1_loss", input, target))
    if beta == 0:
        return reduced(abs(difference), how)
    return reduced(mul(_smooth_square(difference, beta), 1 / beta), how)


def huber_loss(
    input: Value, target: Value, reduction: str = "mean", delta: float = 1.0, weight: Value | None = None
) -> Value:
    """
    Half the squared differences near zero, continued by lines.

    Parameters
    ----------
    input, target : Tensor
        Floating-point, of one shape.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.
    delta : float, default 1
        Where the parabola ends.
    weight : Tensor, optional
        Weights of the elements, of the same shape.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If `delta` is not positive.

    Examples
    --------
    >>> tp.nn.functional.huber_loss(tp.tensor([1.0, 2.0]), tp.tensor([2.0, 6.0]), reduction="none", delta=2.0)
    tensor([0.5000, 6.0000])
    """
    how = reduction_of("huber_loss", reduction)
    if delta <= 0:
        raise RuntimeError(f"huber_loss(): delta must be positive, got {delta}")
    loss = _smooth_square(sub(*_broadcast("huber_loss", input, target)), delta)
    return _weighted("huber_loss", loss, weight, how, normalised=False)


# ---- likelihoods of counts and numbers -------------------------------------------------------------------------------


def poisson_nll_loss(
    input: Value,
    target: Value,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-08,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    Negative log-likelihood of counts under Poisson distributions.

    Parameters
    ----------
    input : Tensor
        The expected counts, or their logarithms.
    target : Tensor
        Counts.
    log_input : bool, default True
        Whether `input` holds logarithms.
    full : bool, default False
        Whether to add Stirling's approximation of the logarithm of the factorial of the counts.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    eps : float, default 1e-8
        Added to the expected counts before the logarithm.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Examples
    --------
    >>> tp.nn.functional.poisson_nll_loss(tp.tensor([0.0]), tp.tensor([2.0]))
    tensor(1.)
    """
    how = reduction_of("poisson_nll_loss", reduction, size_average, reduce)
    expected, logs = (exp(input), input) if log_input else (input, log(add(input, eps)))
    loss = sub(expected, mul(target, logs))
    return reduced(add(loss, _log_factorial(to_inexact(target))) if full else loss, how)


def _log_factorial(count: Value) -> Value:
    """Stirling's approximation, zero up to 1."""
    small = le(count, 1)
    safe = where(small, np.ones((), count.dtype), count)
    stirling = add(sub(mul(safe, log(safe)), safe), mul(log(mul(safe, 2 * np.pi)), 0.5))
    return where(small, np.zeros((), count.dtype), stirling)


def gaussian_nll_loss(
    input: Value, target: Value, var: Value, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Value:
    """
    Negative log-likelihood of targets under normal distributions.

    Parameters
    ----------
    input : Tensor
        Expected values.
    target : Tensor
        Of the same shape, or one that broadcasts.
    var : Tensor or float
        Variances: of the shape of `input`, or without its last dim, or with size 1 in one dim.
    full : bool, default False
        Whether to add the constant of the normal distribution.
    eps : float, default 1e-6
        The least variance; the derivative ignores it.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Raises
    ------
    ValueError
        If a variance is negative, or their shape does not fit.

    Examples
    --------
    >>> tp.nn.functional.gaussian_nll_loss(tp.tensor([1.0]), tp.tensor([3.0]), tp.tensor([1.0]))
    tensor(2.)
    """
    how = reduction_of("gaussian_nll_loss", reduction)
    var = _variances(input, var)
    var = add(var, detach(sub(clamp_min(var, eps), var)))
    difference = sub(input, target)
    loss = mul(add(log(var), div(mul(difference, difference), var)), 0.5)
    return reduced(add(loss, 0.5 * float(np.log(2 * np.pi))) if full else loss, how)


def _variances(input: Value, var: Any) -> Value:
    if np.any(ground(var) < 0):
        raise ValueError("gaussian_nll_loss(): var must not be negative")
    if not hasattr(var, "shape"):
        return np.full(input.shape, var, input.dtype)
    if var.shape == input.shape:
        return var
    if var.shape == input.shape[:-1]:
        return families.reshape(var, shape=(*var.shape, 1))
    differing = [v for n, v in zip(input.shape, var.shape, strict=False) if n != v]
    if var.ndim != input.ndim or differing != [1]:
        raise ValueError(
            f"gaussian_nll_loss(): var of shape {list(var.shape)} does not fit input of shape {list(input.shape)}"
        )
    return var


def kl_div(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Value:
    """
    Divergence of Kullback and Leibler of target from input, element by element.

    Parameters
    ----------
    input : Tensor
        Logarithms of probabilities.
    target : Tensor
        Probabilities, or their logarithms, of a shape that broadcasts.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "batchmean", "sum", "none"}, default "mean"
        What becomes of the elements; "batchmean" divides the sum by the size of dim 0.
    log_target : bool, default False
        Whether `target` holds logarithms.

    Returns
    -------
    Tensor
        ``target * (log(target) - input)``, reduced.

    Examples
    --------
    >>> tp.nn.functional.kl_div(tp.tensor([0.0, -1.0]), tp.tensor([0.0, 1.0]), reduction="sum")
    tensor(1.)
    """
    per_batch = reduction == "batchmean" and size_average is None and reduce is None
    how = "sum" if per_batch else reduction_of("kl_div", reduction, size_average, reduce)
    entropy, probabilities = (mul(exp(target), target), exp(target)) if log_target else (xlogy(target, target), target)
    total = reduced(sub(entropy, mul(probabilities, input)), how)
    return div(total, input.shape[0]) if per_batch and input.ndim else total
