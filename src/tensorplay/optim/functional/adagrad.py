"""Steps of Adagrad."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.optim.functional.stepping import Kept, Number, check_state, descent, filled, in_parts, no_steps, stepped
from tensorplay.tensor.functions.elementwise import sqrt
from tensorplay.tensor.tensor import Tensor


class AdagradState(NamedTuple):
    """
    State of `adagrad`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    sum : pytree of Tensor
        Sum of the squares of the gradients.

    Examples
    --------
    >>> tp.optim.functional.adagrad_init(tp.tensor([1.0])).sum
    tensor([0.])
    """

    step: Tensor
    sum: Any


def adagrad_init(params: Any, initial_accumulator_value: float = 0.0) -> AdagradState:
    """
    State that `adagrad` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.
    initial_accumulator_value : float, default 0
        What the sum starts from.

    Returns
    -------
    AdagradState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.adagrad_init({"w": tp.ones(2)}).sum["w"]
    tensor([0., 0.])
    """
    return AdagradState(no_steps(), filled(params, initial_accumulator_value))


def adagrad(
    params: Any,
    grads: Any,
    state: AdagradState,
    *,
    lr: Number = 1e-2,
    lr_decay: Number = 0.0,
    weight_decay: Number = 0.0,
    eps: float = 1e-10,
    maximize: bool = False,
) -> tuple[Any, AdagradState]:
    """
    Parameters and state after a step of Adagrad.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : AdagradState
        From `adagrad_init` or the step before.
    lr : float or Tensor, default 1e-2
        Step size.
    lr_decay : float or Tensor, default 0
        By how much of itself the step size shrinks with each step.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    eps : float, default 1e-10
        Added to the root of the sum.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : AdagradState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Duchi, Hazan & Singer, Adaptive subgradient methods for online learning and stochastic optimization, 2011.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.adagrad_init(params)
    >>> params, state = tp.optim.functional.adagrad(params, {"w": tp.tensor([2.0])}, state, lr=0.5)
    >>> params["w"]
    tensor([0.5000])
    """
    check_state("adagrad", state, AdagradState)
    return stepped(
        "adagrad",
        adagrad_step,
        params,
        grads,
        state,
        AdagradState._fields[1:],
        lr=lr,
        lr_decay=lr_decay,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
    )


@in_parts
def adagrad_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    lr_decay: Number,
    weight_decay: Number,
    eps: float,
    maximize: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    grad = descent(param, grad, weight_decay, maximize)
    total = kept["sum"] + grad * grad
    return param - lr / (1 + (count - 1) * lr_decay) * (grad / (sqrt(total) + eps)), {"sum": total}
