"""Steps of Adadelta."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.optim.functional.stepping import Kept, Number, check_state, descent, filled, in_parts, no_steps, stepped
from tensorplay.tensor.functions.elementwise import sqrt
from tensorplay.tensor.tensor import Tensor


class AdadeltaState(NamedTuple):
    """
    State of `adadelta`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    square_avg : pytree of Tensor
        Running average of the squares of the gradients.
    acc_delta : pytree of Tensor
        Running average of the squares of the steps.

    Examples
    --------
    >>> tp.optim.functional.adadelta_init(tp.tensor([1.0])).square_avg
    tensor([0.])
    """

    step: Tensor
    square_avg: Any
    acc_delta: Any


def adadelta_init(params: Any) -> AdadeltaState:
    """
    State that `adadelta` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    AdadeltaState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.adadelta_init({"w": tp.ones(2)}).square_avg["w"]
    tensor([0., 0.])
    """
    return AdadeltaState(no_steps(), filled(params), filled(params))


def adadelta(
    params: Any,
    grads: Any,
    state: AdadeltaState,
    *,
    lr: Number = 1.0,
    rho: Number = 0.9,
    eps: float = 1e-6,
    weight_decay: Number = 0.0,
    maximize: bool = False,
) -> tuple[Any, AdadeltaState]:
    """
    Parameters and state after a step of Adadelta.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : AdadeltaState
        From `adadelta_init` or the step before.
    lr : float or Tensor, default 1.0
        Step size.
    rho : float or Tensor, default 0.9
        Share of the averages that is kept.
    eps : float, default 1e-6
        Added to the averages.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : AdadeltaState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Zeiler, Adadelta: an adaptive learning rate method, 2012.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.adadelta_init(params)
    >>> params, state = tp.optim.functional.adadelta(params, {"w": tp.tensor([2.0])}, state, rho=0.75, eps=1e-2)
    >>> params["w"]
    tensor([0.8010])
    """
    check_state("adadelta", state, AdadeltaState)
    return stepped(
        "adadelta",
        adadelta_step,
        params,
        grads,
        state,
        AdadeltaState._fields[1:],
        lr=lr,
        rho=rho,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
    )


@in_parts
def adadelta_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    rho: Number,
    eps: float,
    weight_decay: Number,
    maximize: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    grad = descent(param, grad, weight_decay, maximize)
    square_avg = kept["square_avg"] * rho + grad * grad * (1 - rho)
    move = sqrt(kept["acc_delta"] + eps) / sqrt(square_avg + eps) * grad
    acc_delta = kept["acc_delta"] * rho + move * move * (1 - rho)
    return param - lr * move, {"square_avg": square_avg, "acc_delta": acc_delta}
