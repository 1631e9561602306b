"""Hooks on the gradients of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.core.hooks import RemovableHandle, add_hook
from tensorplay.tensor import gradient_hooks
from tensorplay.tensor.handle import Handle, is_leaf


class HookMethods(Handle):
    """What calls a function with a gradient, or keeps it."""

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """
        Call ``hook(grad)`` with each gradient that arrives here.

        It returns None, or the gradient to go on with. Inside `grad`, `vjp` and `jacrev` it sees the gradients of the
        innermost of these. The result has a method ``remove()``.
        """
        return gradient_hooks.register(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], None]) -> RemovableHandle:
        """Call ``hook(self)`` whenever `backward` has added to the ``.grad`` of this leaf."""
        value = gradient_hooks.recorded("register_post_accumulate_grad_hook()", self.value)
        if not is_leaf(value):
            raise RuntimeError(
                "register_post_accumulate_grad_hook(): only leaf tensors have a gradient added to them; use "
                "register_hook"
            )
        self._hooks = {} if self._hooks is None else self._hooks
        return add_hook(self._hooks, "accumulated", hook)

    def retain_grad(self) -> None:
        """Let `backward` fill the ``.grad`` of this tensor, though it is no leaf."""
        gradient_hooks.retain(self)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this tensor, which is no leaf."""
        return self._revalued is not None
