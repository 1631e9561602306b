"""stack_module_state: the states of several models of one kind as batched tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tensorplay.func.functional_call import names_by_tensor
from tensorplay.tensor.functions.shape import stack
from tensorplay.tensor.tensor import Tensor

NAME = "stack_module_state"


def stack_module_state(models: Iterable[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """
    Parameters and buffers of several models, stacked along a new dim 0.

    Parameters
    ----------
    models : sequence of Module
        Of one class and structure, in the same mode (training or evaluation).

    Returns
    -------
    params, buffers : dict of str to Tensor
        Leaves with memory of their own, which require grad where those of the models do.

    Raises
    ------
    RuntimeError
        If there is no model, or models differ in class, mode, names, shared tensors, shapes, dtypes or in what requires
        grad.

    Examples
    --------
    >>> models = [tp.nn.Linear(3, 2) for _ in range(4)]
    >>> params, buffers = tp.func.stack_module_state(models)
    >>> params["weight"].shape
    tensorplay.Size([4, 2, 3])
    """
    if not isinstance(models, Iterable) or hasattr(models, "shape"):
        raise TypeError(f"{NAME}: expected a sequence of tensorplay.nn.Modules, got {type(models).__name__}")
    listed = list(models)
    if not listed:
        raise RuntimeError(f"{NAME}: expected at least one model, got none")
    for position, model in enumerate(listed):
        _check_alike(listed[0], model, position)
    params = _stacked("parameter", [dict(model.named_parameters()) for model in listed])
    buffers = _stacked("buffer", [dict(model.named_buffers()) for model in listed])
    return params, buffers


def _check_alike(first: Any, model: Any, position: int) -> None:
    if not hasattr(model, "_slots"):
        raise TypeError(f"{NAME}: expected tensorplay.nn.Modules, got {type(model).__name__} at position {position}")
    if type(model) is not type(first):
        raise RuntimeError(
            f"{NAME}: all models must be of one class: model 0 is {type(first).__name__}, model {position} is "
            f"{type(model).__name__}"
        )
    for (name, mine), other in zip(first.named_modules(), model.modules(), strict=False):
        if mine.training != other.training:
            raise RuntimeError(
                f"{NAME}: all models must be in the same training or evaluation mode: model 0 and model {position} "
                f"differ{f' in {name!r}' if name else ''}"
            )
    mine, other = _groups(first), _groups(model)
    differing = [group for group in (*mine, *other) if (group in mine) != (group in other)]
    if differing:
        raise RuntimeError(
            f"{NAME}: all models must have the same parameters and buffers and share the same tensors among them: "
            f"model 0 and model {position} differ in {', '.join(map(repr, differing[0]))}"
        )


def _groups(model: Any) -> list[list[str]]:
    """Names of the parameters and buffers that there are; those of one tensor together."""
    return names_by_tensor({name: slot for name, slot in model._slots().items() if slot[2] is not None})


def _stacked(what: str, states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    return {name: _stack_one(what, name, [state[name] for state in states]) for name in states[0]}


def _stack_one(what: str, name: str, tensors: Sequence[Tensor]) -> Tensor:
    first = tensors[0]
    for position, tensor in enumerate(tensors):
        for aspect in ("shape", "dtype", "requires_grad"):
            have, want = [
                list(a) if aspect == "shape" else a for a in (getattr(tensor, aspect), getattr(first, aspect))
            ]
            if have != want:
                raise RuntimeError(
                    f"{NAME}: {what} {name!r} has {aspect} {want} in model 0 and {have} in model {position}; all "
                    f"models must agree"
                )
    stacked: Tensor = stack([tensor.detach() for tensor in tensors])
    return stacked.requires_grad_() if first.requires_grad else stacked
