"""Hooks: functions that are called when something happens, by kind, and handles that remove them."""

from __future__ import annotations

import itertools
from typing import Any

_keys = itertools.count()

HooksByKind = dict[str, dict[int, Any]]


class RemovableHandle:
    """
    What registering a hook returns; ``remove()`` takes the hook away.

    Examples
    --------
    >>> m = tp.nn.Identity()
    >>> handle = m.register_forward_hook(lambda module, args, out: out * 2)
    >>> m(tp.tensor(1.0))
    tensor(2.)
    >>> handle.remove()
    >>> m(tp.tensor(1.0))
    tensor(1.)
    """

    def __init__(self, hooks: HooksByKind, kind: str, key: int) -> None:
        self._hooks = hooks
        self._kind = kind
        self.id = key

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        of_kind = self._hooks.get(self._kind, {})
        of_kind.pop(self.id, None)
        if not of_kind:
            self._hooks.pop(self._kind, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def add_hook(hooks: HooksByKind, kind: str, hook: Any, *, prepend: bool = False) -> RemovableHandle:
    """Note a hook, behind the others of its kind or before them."""
    key = next(_keys)
    others = hooks.get(kind, {})
    hooks[kind] = {key: hook, **others} if prepend else {**others, key: hook}
    return RemovableHandle(hooks, kind, key)


def hooks_of(hooks: HooksByKind, kind: str) -> tuple[Any, ...]:
    """Hooks of a kind as they stand now, whatever they add or remove while they are called."""
    return tuple(hooks.get(kind, {}).values())
