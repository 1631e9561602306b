"""Steps of averaged gradient descent."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay.dtypes import float64
from tensorplay.optim.functional.stepping import Kept, Number, check_state, descent, filled, in_parts, no_steps, stepped
from tensorplay.tensor.factories import as_tensor
from tensorplay.tensor.functions.elementwise import where
from tensorplay.tensor.tensor import Tensor


class ASGDState(NamedTuple):
    """
    State of `asgd`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    ax : pytree of Tensor
        Average of the parameters since `t0`; before, the parameters.

    Examples
    --------
    >>> tp.optim.functional.asgd_init(tp.tensor([1.0])).ax
    tensor([0.])
    """

    step: Tensor
    ax: Any


def asgd_init(params: Any) -> ASGDState:
    """
    State that `asgd` starts from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.

    Returns
    -------
    ASGDState
        A pytree of tensors.

    Examples
    --------
    >>> tp.optim.functional.asgd_init({"w": tp.ones(2)}).ax["w"]
    tensor([0., 0.])
    """
    return ASGDState(no_steps(), filled(params))


def asgd(
    params: Any,
    grads: Any,
    state: ASGDState,
    *,
    lr: Number = 1e-2,
    lambd: Number = 1e-4,
    alpha: Number = 0.75,
    t0: float = 1e6,
    weight_decay: Number = 0.0,
    maximize: bool = False,
) -> tuple[Any, ASGDState]:
    """
    Parameters and state after a step of averaged gradient descent.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : ASGDState
        From `asgd_init` or the step before.
    lr : float or Tensor, default 1e-2
        Step size.
    lambd : float or Tensor, default 1e-4
        Factor, times the step size, by which the parameters shrink.
    alpha : float or Tensor, default 0.75
        Power of the shrinking of steps.
    t0 : float, default 1e6
        Step from which on the parameters are averaged.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : ASGDState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Polyak & Juditsky, Acceleration of stochastic approximation by averaging, 1992. The size of each step follows
    from `lr` as it is then.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.asgd_init(params)
    >>> params, state = tp.optim.functional.asgd(params, {"w": tp.tensor([2.0])}, state, lr=0.25, lambd=0.0)
    >>> params["w"]
    tensor([0.5000])
    """
    check_state("asgd", state, ASGDState)
    return stepped(
        "asgd",
        asgd_step,
        params,
        grads,
        state,
        ASGDState._fields[1:],
        lr=lr,
        lambd=lambd,
        alpha=alpha,
        t0=t0,
        weight_decay=weight_decay,
        maximize=maximize,
    )


@in_parts
def asgd_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    lambd: Number,
    alpha: Number,
    t0: float,
    weight_decay: Number,
    maximize: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and what is kept for it."""
    grad = descent(param, grad, weight_decay, maximize)
    done = as_tensor(count, dtype=float64) - 1
    eta = lr / (1 + lambd * lr * done) ** alpha
    param = param * (1 - lambd * eta) - eta * grad
    share = 1 / where(done - t0 > 1, done - t0, 1.0)
    return param, {"ax": kept["ax"] + (param - kept["ax"]) * share}
