"""Hooks of modules: how they want to be called, and those that see gradients around one call of a module."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorplay.core.hooks import hooks_of
from tensorplay.tensor.gradient_hooks import bounded, is_recorded
from tensorplay.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorplay.nn.module import Module

Gradients = tuple[Tensor | None, ...]


class Hook(NamedTuple):
    """A function and how it wants to be called."""

    function: Callable[..., Any]
    with_kwargs: bool = False
    always_call: bool = False


class BackwardHooks:
    """The hooks on gradients of one call of a module, at its inputs and outputs."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._before = hooks_of(module._hooks, "full_backward_pre")
        self._after = hooks_of(module._hooks, "full_backward")
        self._received = threading.local()  # the gradients of the outputs, until those of the inputs arrive
        self._count = 0  # positional arguments
        self._reaches_inputs = False

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, at which gradients that leave the module are seen."""
        self._count = len(args)
        if not self._after:
            return args
        args, self._reaches_inputs = _with_boundary(args, self._leaving)
        return args

    def outputs(self, out: Any) -> Any:
        """What the module returns, at which gradients that come to it are seen."""
        entries = out if isinstance(out, tuple) else (out,)
        if not any([isinstance(entry, Tensor) for entry in entries]):
            warnings.warn(
                f"{type(self._module).__name__}: a backward hook is called only where the output is a tensor or a "
                f"tuple of tensors, got {type(out).__name__}",
                stacklevel=4,
            )
            return out
        entries, _ = _with_boundary(entries, self._coming)
        return entries if isinstance(out, tuple) else entries[0]

    def _coming(self, grads: Gradients) -> Gradients:
        for hook in self._before:
            grads = _changed(grads, hook.function(self._module, grads), "grad_output")
        self._received.grads = grads
        if not self._reaches_inputs:
            self._leaving((None,) * self._count)
        return grads

    def _leaving(self, grads: Gradients) -> Gradients:
        received = getattr(self._received, "grads", None)
        for hook in self._after if received is not None else ():
            grads = _changed(grads, hook.function(self._module, grads, received), "grad_input")
        return grads


def _with_boundary(entries: tuple[Any, ...], look: Callable[[Gradients], Gradients]) -> tuple[tuple[Any, ...], bool]:
    """The entries, such that `look` sees the gradients of the tensors among them; and whether there are any."""
    places = [i for i, entry in enumerate(entries) if isinstance(entry, Tensor) and is_recorded(entry)]
    if not places:
        return entries, False

    def look_at_all(cts: Sequence[Any]) -> Sequence[Any]:
        grads: list[Any] = [None] * len(entries)
        for place, ct in zip(places, cts, strict=True):
            grads[place] = ct
        seen = look(tuple(grads))
        return [seen[place] for place in places]

    new = list(entries)
    for place, tensor in zip(places, bounded([entries[place] for place in places], look_at_all), strict=True):
        new[place] = tensor
    return tuple(new), True


def _changed(grads: Gradients, returned: Any, name: str) -> Gradients:
    """Gradients as a hook returns them; None leaves them as they are."""
    if returned is None:
        return grads
    new = returned if isinstance(returned, tuple) else (returned,)
    if len(new) != len(grads):
        raise RuntimeError(f"backward hook: expected {len(grads)} {name} (a tuple) or None, got {len(new)}")
    return new
