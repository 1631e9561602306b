"""Steps of RAdam."""

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
from tensorplay.tensor.factories import as_tensor
from tensorplay.tensor.functions.elementwise import sqrt, where
from tensorplay.tensor.tensor import Tensor


class RAdamState(NamedTuple):
    """
    State of `radam`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    exp_avg : pytree of Tensor
        Running average of the gradients.
    exp_avg_sq : pytree of Tensor
        Running average of their squares.

    Examples
    --------
    >>> tp.optim.functional.radam_init(tp.tensor([1.0])).exp_avg
    tensor([0.])
    """

    step: Tensor
    exp_avg: Any
    exp_avg_sq: Any


def radam_init(params: Any) -> RAdamState:
    """
    State that `radam` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    RAdamState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.radam_init({"w": tp.ones(2)}).exp_avg["w"]
    tensor([0., 0.])
    """
    return RAdamState(no_steps(), filled(params), filled(params))


def radam(
    params: Any,
    grads: Any,
    state: RAdamState,
    *,
    lr: Number = 1e-3,
    betas: tuple[Number, Number] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Number = 0.0,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> tuple[Any, RAdamState]:
    """
    Parameters and state after a step of RAdam.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : RAdamState
        From `radam_init` or the step before.
    lr : float or Tensor, default 1e-3
        Step size.
    betas : tuple of float or Tensor, default (0.9, 0.999)
        Shares of the first and second moments that are kept.
    eps : float, default 1e-8
        Added to the root of the second moments.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    decoupled_weight_decay : bool, default False
        Shrink the parameters instead of changing the gradient.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : RAdamState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Liu et al., On the variance of the adaptive learning rate and beyond, 2020.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.radam_init(params)
    >>> params, state = tp.optim.functional.radam(params, {"w": tp.tensor([2.0])}, state, lr=0.25)
    >>> params["w"]
    tensor([0.5000])
    """
    check_state("radam", state, RAdamState)
    return stepped(
        "radam",
        radam_step,
        params,
        grads,
        state,
        RAdamState._fields[1:],
        lr=lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
    )


@in_parts
def radam_step(
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
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    param, grad = decayed(param, grad, lr, weight_decay, maximize, decoupled_weight_decay)
    after = moments(kept, grad, betas)
    count = as_tensor(count, dtype=float64)
    power = betas[1] ** count
    last = 2 / (1 - betas[1]) - 1
    length = last - 2 * count * power / (1 - power)  # how many gradients the second moments are worth
    known = length > 5
    worth = where(known, length, 6.0)
    scale = ((worth - 4) * (worth - 2) * last / ((last - 4) * (last - 2) * worth) * (1 - power)) ** 0.5
    factor = where(known, scale / (sqrt(after["exp_avg_sq"]) + eps), 1.0)
    return param - lr / (1 - betas[0] ** count) * (after["exp_avg"] * factor), after
