"""Steps of Adam, and of Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay import tree
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
from tensorplay.tensor.functions.elementwise import maximum, sqrt
from tensorplay.tensor.tensor import Tensor


class AdamState(NamedTuple):
    """
    State of `adam` and `adamw`.

    Parameters
    ----------
    step : Tensor
        How many steps were taken.
    exp_avg, exp_avg_sq : pytree of Tensor
        Running averages of the gradients and their squares.
    max_exp_avg_sq : pytree of Tensor
        Largest averages of the squares; empty without amsgrad.

    Examples
    --------
    >>> tp.optim.functional.adam_init(tp.tensor([1.0])).exp_avg
    tensor([0.])
    """

    step: Tensor
    exp_avg: Any
    exp_avg_sq: Any
    max_exp_avg_sq: Any = ()


def adam_init(params: Any, amsgrad: bool = False) -> AdamState:
    """
    State that `adam` and `adamw` start from.

    Parameters
    ----------
    params : pytree of Tensor
        What will be optimised.
    amsgrad : bool, default False
        Whether the steps use the largest second moments so far.

    Returns
    -------
    AdamState
        A pytree of tensors.

    Examples
    --------
    >>> state = tp.optim.functional.adam_init({"w": tp.ones(2)})
    >>> state.exp_avg_sq["w"]
    tensor([0., 0.])
    """
    return AdamState(no_steps(), *[filled(params) for _ in range(2 + amsgrad)])


def adam(
    params: Any,
    grads: Any,
    state: AdamState,
    *,
    lr: Number = 1e-3,
    betas: tuple[Number, Number] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Number = 0.0,
    amsgrad: bool = False,
    maximize: bool = False,
) -> tuple[Any, AdamState]:
    """
    Parameters and state after a step of Adam.

    Parameters
    ----------
    params, grads : pytree of Tensor
        Of one structure.
    state : AdamState
        From `adam_init` or the step before.
    lr : float or Tensor, default 1e-3
        Step size.
    betas : tuple of float or Tensor, default (0.9, 0.999)
        Shares of the first and second moments that are kept.
    eps : float, default 1e-8
        Added to the root of the second moments.
    weight_decay : float or Tensor, default 0
        Factor of the parameters that is added to the gradient.
    amsgrad : bool, default False
        Use the largest second moments so far, as `adam_init` was told.
    maximize : bool, default False
        Ascend.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : AdamState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ, or the state was made for another `amsgrad`.

    Notes
    -----
    Kingma & Ba, Adam: a method for stochastic optimization, 2015; Reddi et al., On the convergence of Adam and beyond,
    2018.

    Examples
    --------
    >>> params = {"w": tp.tensor([1.0])}
    >>> state = tp.optim.functional.adam_init(params)
    >>> params, state = tp.optim.functional.adam(params, {"w": tp.tensor([2.0])}, state, lr=0.5)
    >>> params["w"]
    tensor([0.5000])
    """
    return _adam(params, grads, state, lr, betas, eps, weight_decay, amsgrad, maximize, False)


def adamw(
    params: Any,
    grads: Any,
    state: AdamState,
    *,
    lr: Number = 1e-3,
    betas: tuple[Number, Number] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: Number = 1e-2,
    amsgrad: bool = False,
    maximize: bool = False,
) -> tuple[Any, AdamState]:
    """
    Parameters and state after a step of Adam with decoupled weight decay.

    Parameters
    ----------
    params, grads, state, lr, betas, eps
        As for `adam`.
    weight_decay : float or Tensor, default 1e-2
        Factor, times `lr`, by which the parameters shrink.
    amsgrad, maximize
        As for `adam`.

    Returns
    -------
    params : pytree of Tensor
        New ones; nothing is written in place.
    state : AdamState
        For the next step.

    Raises
    ------
    TypeError
        If `state` is none of this optimiser, or an entry is no tensor.
    ValueError
        If structures or shapes differ, or the state was made for another `amsgrad`.

    Notes
    -----
    Loshchilov & Hutter, Decoupled weight decay regularization, 2019.

    Examples
    --------
    >>> params = tp.tensor([1.0])
    >>> state = tp.optim.functional.adam_init(params)
    >>> params, state = tp.optim.functional.adamw(params, tp.tensor([2.0]), state, lr=0.5, weight_decay=0.5)
    >>> params
    tensor([0.2500])
    """
    return _adam(params, grads, state, lr, betas, eps, weight_decay, amsgrad, maximize, True)


def _adam(
    params: Any,
    grads: Any,
    state: AdamState,
    lr: Number,
    betas: tuple[Number, Number],
    eps: float,
    weight_decay: Number,
    amsgrad: bool,
    maximize: bool,
    decoupled: bool,
) -> tuple[Any, AdamState]:
    title = "adamw" if decoupled else "adam"
    check_state(title, state, AdamState)
    if amsgrad != bool(tree.flatten(state.max_exp_avg_sq)[0]) and tree.flatten(params)[0]:
        raise ValueError(
            f"{title}(): amsgrad={amsgrad}, but the state was made with amsgrad={not amsgrad}; see adam_init"
        )
    names = AdamState._fields[1:4] if amsgrad else AdamState._fields[1:3]
    return stepped(
        title,
        adam_step,
        params,
        grads,
        state,
        names,
        lr=lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
        amsgrad=amsgrad,
        maximize=maximize,
        decoupled_weight_decay=decoupled,
    )


@in_parts
def adam_step(
    param: Tensor,
    grad: Tensor,
    kept: Kept,
    count: Any,
    *,
    lr: Number,
    betas: tuple[Number, Number],
    eps: float,
    weight_decay: Number,
    amsgrad: bool,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> tuple[Any, dict[str, Any]]:
    """One tensor after a step, and its moments."""
    param, grad = decayed(param, grad, lr, weight_decay, maximize, decoupled_weight_decay)
    after = moments(kept, grad, betas)
    second = after["exp_avg_sq"]
    if amsgrad:
        second = after["max_exp_avg_sq"] = maximum(kept["max_exp_avg_sq"], second)
    spread = sqrt(second) / (1 - betas[1] ** count) ** 0.5 + eps
    return param - (lr / (1 - betas[0] ** count)) * (after["exp_avg"] / spread), after
