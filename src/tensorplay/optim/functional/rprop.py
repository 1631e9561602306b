"""Steps of Rprop."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.optim.functional.stepping import Kept, Number, check_state, descent, filled, in_parts, no_steps, stepped
from tensorplay.tensor.functions.elementwise import sign, where
from tensorplay.tensor.tensor import Tensor


class RpropState(NamedTuple):
    """
    State of `rprop`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    prev : pytree of Tensor
        Last gradients; zero where the sign had changed.
    step_size : pytree of Tensor
        Size of the step of each element.

    Examples
    --------
    >>> tp.optim.functional.rprop_init(tp.tensor([1.0])).prev
    tensor([0.])
    """

    step: Tensor
    prev: Any
    step_size: Any


def rprop_init(params: Any, lr: Number = 1e-2) -> RpropState:
    """
    State that `rprop` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.
    lr : float or Tensor, default 1e-2
        Size of the first step.

    Returns
    -------
    RpropState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.rprop_init({"w": tp.ones(2)}).prev["w"]
    tensor([0., 0.])
    """
    return RpropState(no_steps(), filled(params), filled(params, lr))


def rprop(
    params: Any,
    grads: Any,
    state: RpropState,
    *,
    etas: tuple[Number, Number] = (0.5, 1.2),
    step_sizes: tuple[Number, Number] = (1e-6, 50.0),
    maximize: bool = False,
) -> tuple[Any, RpropState]:
    """
    Parameters and state after a step of Rprop.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : RpropState
        From `rprop_init` or the step before.
    etas : tuple of float or Tensor, default (0.5, 1.2)
        By what sizes shrink and grow.
    step_sizes : tuple of float or Tensor, default (1e-6, 50)
        Smallest and largest size.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : RpropState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Riedmiller & Braun, A direct adaptive method for faster backpropagation learning, 1993.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.rprop_init(params, lr=0.25)
    >>> params, state = tp.optim.functional.rprop(params, {"w": tp.tensor([2.0])}, state)
    >>> params["w"]
    tensor([0.7500])
    """
    check_state("rprop", state, RpropState)
    return stepped(
        "rprop",
        rprop_step,
        params,
        grads,
        state,
        RpropState._fields[1:],
        etas=etas,
        step_sizes=step_sizes,
        maximize=maximize,
    )


@in_parts
def rprop_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    etas: tuple[Number, Number],
    step_sizes: tuple[Number, Number],
    maximize: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    grad = descent(param, grad, 0.0, maximize)
    agreement = grad * kept["prev"]
    before = kept["step_size"]
    step_size = where(agreement > 0, before * etas[1], where(agreement < 0, before * etas[0], before))
    step_size = step_size.clamp(*step_sizes)
    grad = where(agreement < 0, 0.0, grad)
    return param - sign(grad) * step_size, {"prev": grad, "step_size": step_size}
