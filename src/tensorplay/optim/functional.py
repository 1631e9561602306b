"""Optimisers as pure functions: parameters, gradients and state in, new parameters and new state out."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorplay import tree
from tensorplay.dtypes import float64
from tensorplay.func.arguments import describe
from tensorplay.tensor.factories import tensor
from tensorplay.tensor.functions.creation import zeros_like
from tensorplay.tensor.functions.elementwise import maximum, sqrt, where
from tensorplay.tensor.functions.shape import view_as_complex, view_as_real
from tensorplay.tensor.tensor import Tensor

__all__ = ["AdamState", "SGDState", "adam", "adam_init", "adamw", "sgd", "sgd_init"]

Number = float | Tensor


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


def _no_steps() -> Tensor:
    # a 0-d float64 keeps powers of the betas exact and widens no parameter
    return tensor(0.0, dtype=float64)


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
    return SGDState(_no_steps(), tree.map_leaves(zeros_like, params))


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
    _check_state("sgd", state, SGDState)
    kept = 1 - dampening * where(state.step > 0, 1.0, 0.0) if _is_on(dampening) else 1.0

    def update(param: Tensor, grad: Tensor, buffer: Tensor) -> tuple[Tensor, Tensor]:
        return sgd_step(param, grad, buffer, lr, momentum, kept, weight_decay, nesterov, maximize)

    trees = {"grads": grads, "state.momentum_buffer": state.momentum_buffer}
    new_params, buffers = _map_updates("sgd", update, 2, params, trees)
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
    grad = _descent(param, grad, weight_decay, maximize)
    if not _is_on(momentum):
        return param - lr * grad, buffer
    buffer = grad if buffer is None else momentum * buffer + kept * grad
    return param - lr * (grad + momentum * buffer if nesterov else buffer), buffer


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
    zeros = [tree.map_leaves(zeros_like, params) for _ in range(2 + amsgrad)]
    return AdamState(_no_steps(), *zeros)


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
    _check_state(title, state, AdamState)
    if amsgrad != bool(tree.flatten(state.max_exp_avg_sq)[0]) and tree.flatten(params)[0]:
        raise ValueError(
            f"{title}(): amsgrad={amsgrad}, but the state was made with amsgrad={not amsgrad}; see adam_init"
        )
    step = state.step + 1

    def update(param: Tensor, grad: Tensor, *moments: Tensor) -> tuple[Tensor, ...]:
        return adam_step(param, grad, moments, step, lr, betas, eps, weight_decay, maximize, decoupled)

    names = AdamState._fields[1:4] if amsgrad else AdamState._fields[1:3]
    trees = {"grads": grads, **{f"state.{name}": getattr(state, name) for name in names}}
    new_params, *new_moments = _map_updates(title, update, 1 + len(names), params, trees)
    return new_params, AdamState(step, *new_moments)


def adam_step(
    param: Tensor,
    grad: Tensor,
    moments: tuple[Tensor, ...],
    step: Any,
    lr: Number,
    betas: tuple[Number, Number],
    eps: float,
    weight_decay: Number,
    maximize: bool,
    decoupled: bool,
) -> tuple[Tensor, ...]:
    """One tensor after a step, and its moments: the first, the second and, with amsgrad, the largest second one."""
    if param.dtype.is_complex:
        # real and imaginary parts are parameters of their own
        parts = (view_as_real(param), view_as_real(grad), tuple(map(view_as_real, moments)))
        results = adam_step(*parts, step, lr, betas, eps, weight_decay, maximize, decoupled)
        return tuple(map(view_as_complex, results))
    if decoupled and _is_on(weight_decay):
        param = param * (1 - lr * weight_decay)
    grad = _descent(param, grad, 0.0 if decoupled else weight_decay, maximize)
    first = moments[0] + (grad - moments[0]) * (1 - betas[0])
    second = moments[1] * betas[1] + grad * grad * (1 - betas[1])
    largest = tuple([maximum(largest, second) for largest in moments[2:]])
    spread = sqrt(largest[0] if largest else second) / (1 - betas[1] ** step) ** 0.5 + eps
    return param - (lr / (1 - betas[0] ** step)) * (first / spread), first, second, *largest


def _is_on(factor: Number) -> bool:
    """Whether a factor matters; one that differs between the samples of a map always does."""
    return isinstance(factor, Tensor) or factor != 0


def _descent(param: Tensor, grad: Tensor, weight_decay: Number, maximize: bool) -> Tensor:
    """The gradient to descend along."""
    grad = -grad if maximize else grad
    return grad + weight_decay * param if _is_on(weight_decay) else grad


def _check_state(title: str, state: Any, wanted: type) -> None:
    if not isinstance(state, wanted):
        init = wanted.__name__.removesuffix("State").lower() + "_init"
        raise TypeError(
            f"{title}(): state must be the {wanted.__name__} that {init}(params) or the step before gave, got "
            f"{type(state).__name__}"
        )


def _map_updates(title: str, update: Any, count: int, params: Any, others: dict[str, Any]) -> list[Any]:
    """Trees of the first, second, ... result of `update` of each parameter and what belongs to it."""
    leaves, spec = tree.flatten(params)
    columns = [leaves, *[_matching_leaves(title, name, other, params) for name, other in others.items()]]
    results = [update(*row) for row in zip(*columns, strict=True)]
    return [tree.unflatten(spec, [result[i] for result in results]) for i in range(count)]


def _matching_leaves(title: str, name: str, other: Any, params: Any) -> list[Tensor]:
    """Leaves of a tree, which must hold a tensor of the same shape for each parameter."""
    wanted, spec = tree.flatten(params)
    leaves, other_spec = tree.flatten(other)
    if other_spec != spec:
        raise ValueError(f"{title}(): {name} must have the structure of params: {_difference(params, name, other)}")
    for position, (param, leaf) in enumerate(zip(wanted, leaves, strict=True)):
        if isinstance(param, Tensor) and isinstance(leaf, Tensor) and param.shape == leaf.shape:
            continue
        path = tree.paths(params)[position]
        raise (ValueError if isinstance(param, Tensor) and isinstance(leaf, Tensor) else TypeError)(
            f"{title}(): {name}{path} must be a tensor of the shape of params{path}: params{path} is "
            f"{describe(param)}, {name}{path} is {describe(leaf)}"
        )
    return leaves


def _difference(params: Any, name: str, other: Any) -> str:
    """In which place a tree first has another structure than the parameters."""
    wanted, given = tree.paths(params), tree.paths(other)
    absent = [f"{name}{path}" for path in wanted if path not in given]
    absent += [f"params{path}" for path in given if path not in wanted]
    if not absent:
        return f"got {tree.flatten(other)[1]} for {tree.flatten(params)[1]}"
    return f"there is no {absent[0]}"
