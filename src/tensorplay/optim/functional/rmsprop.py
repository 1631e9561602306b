"""Steps of RMSprop."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.optim.functional.stepping import (
    Kept,
    Number,
    check_state,
    descent,
    filled,
    in_parts,
    is_on,
    no_steps,
    stepped,
)
from tensorplay.tensor.functions.elementwise import sqrt
from tensorplay.tensor.tensor import Tensor


class RMSpropState(NamedTuple):
    """
    State of `rmsprop`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    square_avg : pytree of Tensor
        Running average of the squares of the gradients.
    momentum_buffer : pytree of Tensor
        Last step of each parameter.
    grad_avg : pytree of Tensor
        Running average of the gradients.

    Examples
    --------
    >>> tp.optim.functional.rmsprop_init(tp.tensor([1.0])).square_avg
    tensor([0.])
    """

    step: Tensor
    square_avg: Any
    momentum_buffer: Any
    grad_avg: Any


def rmsprop_init(params: Any) -> RMSpropState:
    """
    State that `rmsprop` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    RMSpropState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.rmsprop_init({"w": tp.ones(2)}).square_avg["w"]
    tensor([0., 0.])
    """
    return RMSpropState(no_steps(), filled(params), filled(params), filled(params))


def rmsprop(
    params: Any,
    grads: Any,
    state: RMSpropState,
    *,
    lr: Number = 1e-2,
    alpha: Number = 0.99,
    eps: float = 1e-8,
    weight_decay: Number = 0.0,
    momentum: Number = 0.0,
    centered: bool = False,
    maximize: bool = False,
) -> tuple[Any, RMSpropState]:
    """
    Parameters and state after a step of RMSprop.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : RMSpropState
        From `rmsprop_init` or the step before.
    lr : float or Tensor, default 1e-2
        Step size.
    alpha : float or Tensor, default 0.99
        Share of the average that is kept.
    eps : float, default 1e-8
        Added to the root of the average.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    momentum : float or Tensor, default 0
        Share of the last step that is kept.
    centered : bool, default False
        Scale by the variance of the gradients: subtract the square of their average.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : RMSpropState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Tieleman & Hinton, lecture 6.5 of Neural networks for machine learning, 2012; for `centered`, Graves, Generating
    sequences with recurrent neural networks, 2013.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.rmsprop_init(params)
    >>> params, state = tp.optim.functional.rmsprop(params, {"w": tp.tensor([2.0])}, state, lr=0.05, alpha=0.75)
    >>> params["w"]
    tensor([0.9000])
    """
    check_state("rmsprop", state, RMSpropState)
    return stepped(
        "rmsprop",
        rmsprop_step,
        params,
        grads,
        state,
        RMSpropState._fields[1:],
        lr=lr,
        alpha=alpha,
        eps=eps,
        weight_decay=weight_decay,
        momentum=momentum,
        centered=centered,
        maximize=maximize,
    )


@in_parts
def rmsprop_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    alpha: Number,
    eps: float,
    weight_decay: Number,
    momentum: Number,
    centered: bool,
    maximize: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    grad = descent(param, grad, weight_decay, maximize)
    after = dict(kept)
    after["square_avg"] = kept["square_avg"] * alpha + grad * grad * (1 - alpha)
    spread = after["square_avg"]
    if centered:
        after["grad_avg"] = kept["grad_avg"] + (grad - kept["grad_avg"]) * (1 - alpha)
        spread = spread - after["grad_avg"] ** 2
    move = grad / (sqrt(spread) + eps)
    if is_on(momentum):
        move = after["momentum_buffer"] = kept["momentum_buffer"] * momentum + move
    return param - lr * move, after
