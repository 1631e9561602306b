"""functional_call: a module as a function of its parameters and buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorplay.errors import need_flags
from tensorplay.func.deferred import in_this_context
from tensorplay.tensor.tensor import Tensor

# name -> (owner, attribute, tensor): the parameters and buffers of a tree of modules, as `Module._slots` gives them
Slots = Mapping[str, tuple[Any, str, Any]]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """
    Output of a module that runs with the given parameters and buffers instead of its own.

    Parameters
    ----------
    module : Module
        Never changed, not even while it runs: other threads may call it at the same time.
    parameter_and_buffer_dicts : dict of str to Tensor, or tuple of such dicts
        By dotted name. What is not given is the module's own. In-place writes of the forward reach the given tensors;
        an attribute that the forward assigns anew holds until the call returns.
    args : tuple or object, optional
        Positional arguments of the module; a single one that is no tuple may stand alone.
    kwargs : dict, optional
        Keyword arguments of the module.
    tie_weights : bool, default True
        Whether a value for one name of a shared parameter or buffer counts for all its names.
    strict : bool, default False
        Whether every parameter and buffer must be given.

    Returns
    -------
    object
        What the module's forward returns. A coroutine or generator runs with the given tensors, whenever it runs.

    Raises
    ------
    RuntimeError
        If a name is unknown or, with `strict`, one is missing.
    ValueError
        If two dicts hold the same name, or two names of one shared tensor get different values.
    TypeError
        If an argument is of the wrong type.

    Examples
    --------
    >>> model = tp.nn.Linear(2, 1)
    >>> params = {"weight": tp.tensor([[1.0, 2.0]]), "bias": tp.tensor([0.5])}
    >>> tp.func.functional_call(model, params, (tp.tensor([1.0, 1.0]),))
    tensor([3.5000])
    """
    if not hasattr(module, "_slots"):
        raise TypeError(f"functional_call: expected a tensorplay.nn.Module, got {type(module).__name__}")
    title = f"functional_call({type(module).__name__})"
    need_flags(title, tie_weights=tie_weights, strict=strict)
    given = _merged(title, parameter_and_buffer_dicts)
    slots = module._slots()
    _check_names(title, slots, given)
    groups = names_by_tensor(slots) if tie_weights else _names_by_place(slots)
    chosen = _spread(title, groups, given)
    if not isinstance(kwargs, Mapping | None):
        raise TypeError(f"{title}: kwargs must be a dict of names to arguments, got {type(kwargs).__name__}")
    if strict:
        _check_complete(title, slots, chosen)
    with module._substituted([(*slots[name][:2], tensor) for name, tensor in chosen.items()]):
        return in_this_context(module(*_positional(args), **(kwargs or {})))


def _positional(args: Any) -> tuple[Any, ...]:
    if args is None:
        return ()
    return args if isinstance(args, tuple) else (args,)


def _merged(title: str, dicts: Any) -> dict[str, Tensor]:
    """All the given tensors in one dict."""
    if not isinstance(dicts, Mapping | tuple | list) or not all(
        isinstance(entry, Mapping) for entry in ([] if isinstance(dicts, Mapping) else dicts)
    ):
        raise ValueError(
            f"{title}: expected a dict of names to tensors, or a tuple of such dicts, got {type(dicts).__name__}"
        )
    merged: dict[str, Tensor] = {}
    twice: list[str] = []
    for entry in [dicts] if isinstance(dicts, Mapping) else dicts:
        twice += [name for name in entry if name in merged]
        merged.update(entry)
    if twice:
        raise ValueError(f"{title}: {twice} appear in more than one of the dicts; give each name once")
    return merged


def _check_names(title: str, slots: Slots, given: Mapping[str, Any]) -> None:
    unknown = [name for name in given if name not in slots]
    if unknown:
        raise RuntimeError(
            f"{title}: unexpected key(s) {unknown}: the module has no parameter or buffer of that name. It has "
            f"{list(slots)}."
        )
    for name, tensor in given.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{title}: {name!r} must be a tensor, got {type(tensor).__name__}")


def names_by_tensor(slots: Slots) -> list[list[str]]:
    """Names that the module lets share one tensor together."""
    groups: dict[Any, list[str]] = {}
    for name, (owner, attribute, tensor) in slots.items():
        groups.setdefault((id(owner), attribute) if tensor is None else id(tensor), []).append(name)
    return list(groups.values())


def _names_by_place(slots: Slots) -> list[list[str]]:
    """Names of the same attribute of the same module together."""
    groups: dict[Any, list[str]] = {}
    for name, (owner, attribute, _) in slots.items():
        groups.setdefault((id(owner), attribute), []).append(name)
    return list(groups.values())


def _spread(title: str, groups: Sequence[Sequence[str]], given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The given tensors under all names of their group."""
    chosen: dict[str, Tensor] = {}
    for group in groups:
        names = [name for name in group if name in given]
        if not names:
            continue
        first = given[names[0]]
        different = [name for name in names if given[name] is not first]
        if different:
            raise ValueError(
                f"{title}: {list(group)} are tied: they name one tensor of the module, but {names[0]!r} and "
                f"{different[0]!r} got different values. Give one of them, or the same tensor for all (or "
                f"tie_weights=False where the module holds them under different attributes)."
            )
        chosen.update(dict.fromkeys(group, first))
    return chosen


def _check_complete(title: str, slots: Slots, chosen: Mapping[str, Tensor]) -> None:
    missing = [name for name, (_, _, tensor) in slots.items() if tensor is not None and name not in chosen]
    if missing:
        raise RuntimeError(
            f"{title}: missing key(s) {missing}; strict=True demands every parameter and buffer, strict=False "
            "takes the module's own"
        )
