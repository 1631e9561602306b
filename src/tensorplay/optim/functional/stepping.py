"""What all steps share: trees of parameters and what belongs to each, and real parts of complex ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorplay import tree
from tensorplay.dtypes import float64
from tensorplay.func.arguments import describe
from tensorplay.tensor.factories import tensor
from tensorplay.tensor.functions.creation import full_like
from tensorplay.tensor.functions.shape import view_as_complex, view_as_real
from tensorplay.tensor.tensor import Tensor

Number = float | Tensor
Kept = Mapping[str, Tensor]  # what an optimiser keeps for one parameter, by name
Step = Callable[..., tuple[Tensor, dict[str, Tensor]]]


def no_steps() -> Any:
    """The number of steps at first."""
    # a 0-d float64 keeps powers of the betas exact and widens no parameter
    return tensor(0.0, dtype=float64)


def filled(params: Any, number: Number = 0.0) -> Any:
    """A tree of tensors like the parameters that hold a number, in both parts of complex ones."""
    return tree.map_leaves(lambda param: filled_like(param, number), params)


def filled_like(param: Tensor, number: Number) -> Any:
    """A tensor like a parameter that holds a number, in both parts of a complex one."""
    if param.dtype.is_complex:
        return view_as_complex(full_like(view_as_real(param), number))
    return full_like(param, number)


def in_parts(step: Step) -> Step:
    """The step of complex parameters too: real and imaginary parts are parameters of their own."""

    def parted(param: Tensor, grad: Tensor, kept: Kept, count: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
        if not param.dtype.is_complex:
            return step(param, grad, kept, count, **options)
        parts = {name: view_as_real(entry) for name, entry in kept.items()}
        new, after = step(view_as_real(param), view_as_real(grad), parts, count, **options)
        return view_as_complex(new), {name: view_as_complex(entry) for name, entry in after.items()}

    return parted


def stepped(
    title: str, step: Step, params: Any, grads: Any, state: Any, names: tuple[str, ...], **options: Any
) -> tuple[Any, Any]:
    """
    Parameters and state after a step of each parameter.

    Of the state, `names` are trees with a tensor for each parameter; `options` are those of `step`.
    """
    count = state.step + 1

    def update(param: Tensor, grad: Tensor, *entries: Tensor) -> tuple[Tensor, ...]:
        new, after = step(param, grad, dict(zip(names, entries, strict=True)), count, **options)
        return new, *[after[name] for name in names]

    trees = {"grads": grads, **{f"state.{name}": getattr(state, name) for name in names}}
    new_params, *kept = map_updates(title, update, 1 + len(names), params, trees)
    return new_params, state._replace(step=count, **dict(zip(names, kept, strict=True)))


def is_on(factor: Number) -> bool:
    """Whether a factor matters; one that differs between the samples of a map always does."""
    return isinstance(factor, Tensor) or factor != 0


def descent(param: Tensor, grad: Tensor, weight_decay: Number, maximize: bool) -> Tensor:
    """The gradient to descend along."""
    grad = -grad if maximize else grad
    return grad + weight_decay * param if is_on(weight_decay) else grad


def decayed(
    param: Tensor, grad: Tensor, lr: Number, weight_decay: Number, maximize: bool, decoupled: bool
) -> tuple[Tensor, Tensor]:
    """A parameter and the gradient to descend along, of which weight decay changes one."""
    if decoupled and is_on(weight_decay):
        param = param * (1 - lr * weight_decay)
    return param, descent(param, grad, 0.0 if decoupled else weight_decay, maximize)


def moments(kept: Kept, grad: Tensor, betas: tuple[Number, Number]) -> dict[str, Any]:
    """The running averages of gradients and their squares."""
    first = kept["exp_avg"] + (grad - kept["exp_avg"]) * (1 - betas[0])
    second = kept["exp_avg_sq"] * betas[1] + grad * grad * (1 - betas[1])
    return {"exp_avg": first, "exp_avg_sq": second}


def check_state(title: str, state: Any, wanted: type) -> None:
    if not isinstance(state, wanted):
        init = wanted.__name__.removesuffix("State").lower() + "_init"
        raise TypeError(
            f"{title}(): state must be the {wanted.__name__} that {init}(params) or the step before gave, got "
            f"{type(state).__name__}"
        )


def map_updates(title: str, update: Any, count: int, params: Any, others: dict[str, Any]) -> list[Any]:
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
