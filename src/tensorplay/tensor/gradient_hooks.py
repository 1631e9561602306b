"""Hooks on gradients: functions that see, and may change, what arrives at a tensor on its way back."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.hooks import RemovableHandle
from tensorplay.core.modes import paused_level
from tensorplay.core.stack import Interpreter, settle
from tensorplay.core.value import Traced, Value
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.interpreters.record import Record, Recorded, root
from tensorplay.ops.gates import boundary
from tensorplay.tensor.autograd import accumulate
from tensorplay.tensor.handle import Handle, is_leaf, wrap

Hook = Callable[[Any], Any]


def register(tensor: Handle, hook: Hook) -> RemovableHandle:
    """Call `hook` with each gradient that arrives at a tensor."""
    value = recorded("register_hook()", tensor.value)
    index = value.link[1]

    def change(cts: list[Any]) -> None:
        if cts[index] is not None:
            cts[index] = seen(hook, cts[index])

    handle = _hook(value, "change", change)
    _level(value).hooked = True
    return handle


def retain(tensor: Handle) -> None:
    """Let `backward` fill the ``.grad`` of a tensor that is no leaf."""
    value = recorded("retain_grad()", tensor.value)
    if value.owner is not root:
        raise RuntimeError(
            f"retain_grad() was called on a tensor that {value.owner.title} traces, and .grad is ordinary autograd's. "
            "Make the tensor an argument of what is differentiated, or look at its gradient with register_hook."
        )
    if is_leaf(value) or tensor._revalued is not None:
        return
    follower = _Follower(tensor)
    follower.attach()
    tensor._revalued = follower.attach


class _Follower:
    """What fills the ``.grad`` of a tensor, whichever operation wrote it last."""

    __slots__ = ("_handle", "_tensor")

    def __init__(self, tensor: Handle) -> None:
        self._tensor = weakref.ref(tensor)
        self._handle: RemovableHandle | None = None

    def attach(self) -> None:
        """Look at the gradients of what the tensor is now, and no longer at those of what it was."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        tensor = self._tensor()
        value = None if tensor is None else tensor._value
        if value.__class__ is Recorded and value.owner is root and not is_leaf(value):
            index = value.link[1]
            self._handle = _hook(value, "look", lambda cts: self._fill(cts[index]))

    def _fill(self, ct: Value | None) -> None:
        tensor = self._tensor()
        if tensor is not None and ct is not None:
            create_graph = paused_level.get() < root.level
            accumulate(tensor, ct if create_graph else root.lower(ct), create_graph)


def bounded(tensors: Sequence[Handle], look: Callable[[list[Any]], Sequence[Any]]) -> list[Any]:
    """
    The same tensors, such that `look` sees their gradients together, and says what these are to be.

    It is given one tensor each, or None where nothing depends on that one.
    """
    outs = boundary(*[tensor.value for tensor in tensors])
    value = recorded("a module's backward hook", outs[0])

    def change(cts: list[Any]) -> None:
        given = [None if ct is None else _as_given(ct) for ct in cts]
        for number, (new, old) in enumerate(zip(look(given), cts, strict=True)):
            cts[number] = None if new is None else _fitting(new, old, outs[number], look)

    _hook(value, "change", change)
    return [wrap(out) for out in outs]


def is_recorded(tensor: Handle) -> bool:
    """Whether reverse mode, of whatever transform, computes gradients with respect to a tensor."""
    return _innermost(tensor.value) is not None


def recorded(what: str, value: Value) -> Recorded:
    """The value as reverse mode recorded it innermost."""
    value = settle(value)
    if isinstance(value, Recorded):
        return value
    if isinstance(value, Traced):
        within = _innermost(value)
        if within is not None:
            raise RuntimeError(
                f"{what}: {value.owner.title} traces this tensor, and {within.title} outside of it computes gradients "
                "of what it gives. Register the hook outside, or differentiate inside (vmap of grad)."
            )
    raise RuntimeError(
        f"{what}: a tensor of shape {list(value.shape)} does not require grad and was not computed from one that does, "
        "so that no gradient arrives there"
    )


def _hook(value: Recorded, kind: str, look: Callable[[list[Any]], None]) -> RemovableHandle:
    return _level(value).hook(value.node, kind, look)


def _level(value: Recorded) -> Record:
    assert isinstance(value.owner, Record)
    return value.owner


def _innermost(value: Value) -> Interpreter | None:
    """The innermost of what records a value."""
    while isinstance(value, Traced):
        if value.__class__ is Recorded and value.owner.alive:
            return value.owner
        value = value.inner
    return None


def seen(hook: Hook, ct: Value) -> Value:
    """A cotangent as a hook leaves it: what it returns, or what it wrote into what it was given."""
    given = _as_given(ct)
    out = hook(given)
    return _fitting(given if out is None else out, ct, ct, hook)


def _as_given(ct: Value) -> Any:
    """A cotangent as a tensor that a hook may write to."""
    if paused_level.get() >= root.level:
        ct = root.lower(ct)
    return wrap(ct.copy() if isinstance(ct, np.ndarray) else ct)


def _fitting(new: Any, old: Any, like: Value, hook: Any) -> Value:
    """What a hook gives in the place of a cotangent."""
    name = getattr(hook, "__qualname__", type(hook).__name__)
    if not isinstance(new, Handle):
        raise TypeError(f"hook {name}: expected a tensor or None, got {type(new).__name__}")
    value = new.value
    if value.shape != like.shape or value.dtype != like.dtype:
        raise RuntimeError(
            f"hook {name}: the gradient it returns must be like the one it got: expected shape {list(like.shape)} and "
            f"{from_numpy_dtype(like.dtype)}, got {list(value.shape)} and {from_numpy_dtype(value.dtype)}"
        )
    return value
