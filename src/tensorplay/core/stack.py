"""
The stack of active transforms, and `bind`, the one door through which every op passes.

`bind` looks at the op's arguments: the interpreter of the highest level among them handles the op, and its rule works
on the values one level below, so the rule's own ops go to the levels beneath without any bookkeeping. Levels are
numbered by birth, so that an inner transform always stands above an outer one, in every thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay.core.modes import execute, quiet
from tensorplay.core.value import Traced, Value

if TYPE_CHECKING:
    from tensorplay.core.primitive import Primitive

_levels = itertools.count(1)
_stack: ContextVar[tuple[Interpreter, ...]] = ContextVar("stack", default=())


class Interpreter:
    """
    One active transform: what an op means at its level.

    Parameters
    ----------
    title : str
        How the user wrote the transform, for error messages.
    """

    __slots__ = ("__weakref__", "alive", "level", "title")

    def __init__(self, title: str) -> None:
        self.title = title
        self.level = next(_levels)
        self.alive = True

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Result of an op of which at least one argument is traced at this level."""
        raise NotImplementedError

    def samples_to_draw(self, name: str) -> int | None:
        """How many independent draws the random op `name` makes for this transform; None: a single one."""
        return None

    def wrap_draws(self, value: Value) -> Value:
        """Independent draws, along dim 0, as a value of this level."""
        return value

    def after_exit(self, value: Traced) -> Value:
        """What a value of this level stands for once the transform has returned."""
        return value.inner


def active() -> tuple[Interpreter, ...]:
    """The active transforms, outermost first."""
    return _stack.get()


def top_level() -> int:
    """Level of the innermost active transform, 0 outside all transforms."""
    stack = _stack.get()
    return stack[-1].level if stack else 0


@contextmanager
def running(interpreter: Interpreter) -> Iterator[None]:
    """Keep `interpreter` on the stack; afterwards it is dead, whatever happened."""
    token = _stack.set((*_stack.get(), interpreter))
    try:
        with quiet():
            yield
    finally:
        interpreter.alive = False
        _stack.reset(token)


def bind(prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
    """Result of `prim`, as the innermost transform among its arguments interprets it."""
    top: Interpreter | None = None
    for arg in args:
        if isinstance(arg, Traced):
            owner = arg.owner
            if not owner.alive:
                return bind(prim, tuple(map(settle, args)), params)
            if top is None or owner.level > top.level:
                top = owner
    if top is not None:
        return top.process(prim, args, params)
    out = execute(prim.impl, args, params)
    # NumPy turns 0-d results into scalars
    if out.__class__ is np.ndarray:
        return out
    return tuple(map(np.asarray, out)) if out.__class__ is tuple else np.asarray(out)


def settle(value: Value) -> Value:
    """`value` without the levels of transforms that have returned."""
    while isinstance(value, Traced) and not value.owner.alive:
        value = value.owner.after_exit(value)
    return value
