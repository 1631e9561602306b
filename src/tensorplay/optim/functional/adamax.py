"""Steps of Adamax."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.optim.functional.stepping import Kept, Number, check_state, descent, filled, in_parts, no_steps, stepped
from tensorplay.tensor.functions.elementwise import maximum
from tensorplay.tensor.tensor import Tensor


class AdamaxState(NamedTuple):
    """
    State of `adamax`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    exp_avg : pytree of Tensor
        Running average of the gradients.
    exp_inf : pytree of Tensor
        Largest absolute gradients, which fade.

    Examples
    --------
    >>> tp.optim.functional.adamax_init(tp.tensor([1.0])).exp_avg
    tensor([0.])
    """

    step: Tensor
    exp_avg: Any
    exp_inf: Any


def adamax_init(params: Any) -> AdamaxState:
    """
    State that `adamax` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    AdamaxState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.adamax_init({"w": tp.ones(2)}).exp_avg["w"]
    tensor([0., 0.])
    """
    return AdamaxState(no_steps(), filled(params), filled(params))


def adamax(
    params: Any,
    grads: Any,
    state: AdamaxState,
    *,
    lr: Number = 2e-3,
    betas: tuple[Number, Number] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Number = 0.0,
    maximize: bool = False,
) -> tuple[Any, AdamaxState]:
    """
    Parameters and state after a step of Adamax.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : AdamaxState
        From `adamax_init` or the step before.
    lr : float or Tensor, default 2e-3
        Step size.
    betas : tuple of float or Tensor, default (0.9, 0.999)
        Share of the average that is kept, and of the largest gradients.
    eps : float, default 1e-8
        Added to the absolute gradients.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : AdamaxState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Kingma & Ba, Adam: a method for stochastic optimization, 2015.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.adamax_init(params)
    >>> params, state = tp.optim.functional.adamax(params, {"w": tp.tensor([2.0])}, state, lr=0.5)
    >>> params["w"]
    tensor([0.5000])
    """
    check_state("adamax", state, AdamaxState)
    return stepped(
        "adamax",
        adamax_step,
        params,
        grads,
        state,
        AdamaxState._fields[1:],
        lr=lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
    )


@in_parts
def adamax_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    betas: tuple[Number, Number],
    eps: float,
    weight_decay: Number,
    maximize: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    grad = descent(param, grad, weight_decay, maximize)
    exp_avg = kept["exp_avg"] + (grad - kept["exp_avg"]) * (1 - betas[0])
    exp_inf = maximum(kept["exp_inf"] * betas[1], grad.abs() + eps)
    return param - lr / (1 - betas[0] ** count) * (exp_avg / exp_inf), {"exp_avg": exp_avg, "exp_inf": exp_inf}
