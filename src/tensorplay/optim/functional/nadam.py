"""Steps of NAdam."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.dtypes import float64
from tensorplay.optim.functional.stepping import (
    Kept,
    Number,
    check_state,
    decayed,
    filled,
    in_parts,
    moments,
    no_steps,
    stepped,
)
from tensorplay.tensor.factories import tensor
from tensorplay.tensor.functions.elementwise import sqrt
from tensorplay.tensor.tensor import Tensor


class NAdamState(NamedTuple):
    """
    State of `nadam`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    mu_product : Tensor
        Product of the momenta of all steps.
    exp_avg : pytree of Tensor
        Running average of the gradients.
    exp_avg_sq : pytree of Tensor
        Running average of their squares.

    Examples
    --------
    >>> tp.optim.functional.nadam_init(tp.tensor([1.0])).exp_avg
    tensor([0.])
    """

    step: Tensor
    mu_product: Tensor
    exp_avg: Any
    exp_avg_sq: Any


def nadam_init(params: Any) -> NAdamState:
    """
    State that `nadam` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    NAdamState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.nadam_init({"w": tp.ones(2)}).exp_avg["w"]
    tensor([0., 0.])
    """
    return NAdamState(no_steps(), tensor(1.0, dtype=float64), filled(params), filled(params))


def nadam(
    params: Any,
    grads: Any,
    state: NAdamState,
    *,
    lr: Number = 2e-3,
    betas: tuple[Number, Number] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Number = 0.0,
    momentum_decay: Number = 4e-3,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> tuple[Any, NAdamState]:
    """
    Parameters and state after a step of NAdam.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : NAdamState
        From `nadam_init` or the step before.
    lr : float or Tensor, default 2e-3
        Step size.
    betas : tuple of float or Tensor, default (0.9, 0.999)
        Shares of the first and second moments that are kept.
    eps : float, default 1e-8
        Added to the root of the second moments.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    momentum_decay : float or Tensor, default 4e-3
        How quickly the momentum grows to the first of `betas`.
    decoupled_weight_decay : bool, default False
        Shrink the parameters instead of changing the gradient.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : NAdamState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Dozat, Incorporating Nesterov momentum into Adam, 2016.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.nadam_init(params)
    >>> params, state = tp.optim.functional.nadam(params, {"w": tp.tensor([2.0])}, state, lr=0.25)
    >>> params["w"]
    tensor([0.7359])
    """
    check_state("nadam", state, NAdamState)
    product, weights = nesterov_weights(state.step + 1, state.mu_product, betas[0], momentum_decay)
    new_params, new_state = stepped(
        "nadam",
        nadam_step,
        params,
        grads,
        state,
        NAdamState._fields[2:],
        lr=lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
        weights=weights,
    )
    return new_params, new_state._replace(mu_product=product)


def nesterov_weights(count: Any, product: Any, beta: Number, decay: Number) -> tuple[Any, tuple[Any, Any]]:
    """The product of the momenta up to a step, and the weights of the gradient and of its average there."""
    here, ahead = (beta * (1 - 0.5 * 0.96 ** (step * decay)) for step in (count, count + 1))
    product = product * here
    return product, ((1 - here) / (1 - product), ahead / (1 - product * ahead))


@in_parts
def nadam_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    betas: tuple[Number, Number],
    eps: float,
    weight_decay: Number,
    decoupled_weight_decay: bool,
    maximize: bool,
    weights: tuple[Number, Number],
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    param, grad = decayed(param, grad, lr, weight_decay, maximize, decoupled_weight_decay)
    after = moments(kept, grad, betas)
    spread = sqrt(after["exp_avg_sq"] / (1 - betas[1] ** count)) + eps
    return param - lr * ((weights[0] * grad + weights[1] * after["exp_avg"]) / spread), after
