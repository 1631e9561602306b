"""Steps of gradient descent."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.optim.functional.stepping import Number, check_state, descent, filled, is_on, map_updates, no_steps
from tensorplay.tensor.functions.elementwise import where
from tensorplay.tensor.tensor import Tensor


class SGDState(NamedTuple):
    """
    State of `sgd`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    momentum_buffer : pytree of Tensor
        Last direction of each parameter.

    Examples
    --------
    >>> tp.optim.functional.sgd_init(tp.tensor([1.0])).momentum_buffer
    tensor([0.])
    """

    step: Tensor
    momentum_buffer: Any


def sgd_init(params: Any) -> SGDState:
    """
    State that `sgd` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    SGDState
        A pytree of tensors.

    Examples
    --------
    >>> state = tp.optim.functional.sgd_init({"w": tp.ones(2)})
    >>> state.momentum_buffer["w"]
    tensor([0., 0.])
    """
    return SGDState(no_steps(), filled(params))


def sgd(
    params: Any,
    grads: Any,
    state: SGDState,
    *,
    lr: Number = 1e-3,
    momentum: Number = 0.0,
    dampening: Number = 0.0,
    weight_decay: Number = 0.0,
    nesterov: bool = False,
    maximize: bool = False,
) -> tuple[Any, SGDState]:
    """
    Parameters and state after a step of gradient descent.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : SGDState
        From `sgd_init` or the step before.
    lr : float or Tensor, default 1e-3
        Step size.
    momentum, dampening, weight_decay : float or Tensor, default 0
        Share of the last direction that is kept, share of the gradient that is left out of it, factor of the parameters
        that is added to the gradient.
    nesterov : bool, default False
        Look ahead along the momentum.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : SGDState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.sgd_init(params)
    >>> params, state = tp.optim.functional.sgd(params, {"w": tp.tensor([2.0])}, state, lr=0.25)
    >>> params["w"]
    tensor([0.5000])
    """
    check_state("sgd", state, SGDState)
    kept = 1 - dampening * where(state.step > 0, 1.0, 0.0) if is_on(dampening) else 1.0

    def update(param: Tensor, grad: Tensor, buffer: Tensor) -> tuple[Tensor, Tensor]:
        return sgd_step(param, grad, buffer, lr, momentum, kept, weight_decay, nesterov, maximize)

    trees = {"grads": grads, "state.momentum_buffer": state.momentum_buffer}
    new_params, buffers = map_updates("sgd", update, 2, params, trees)
    return new_params, SGDState(state.step + 1, buffers)


def sgd_step(
    param: Tensor,
    grad: Tensor,
    buffer: Tensor | None,
    lr: Number,
    momentum: Number,
    kept: Number,
    weight_decay: Number,
    nesterov: bool,
    maximize: bool,
) -> tuple[Tensor, Any]:
    """One tensor after a step, and its momentum; `kept` is the share of the gradient that enters the momentum."""
    grad = descent(param, grad, weight_decay, maximize)
    if not is_on(momentum):
        return param - lr * grad, buffer
    buffer = grad if buffer is None else momentum * buffer + kept * grad
    return param - lr * (grad + momentum * buffer if nesterov else buffer), buffer
