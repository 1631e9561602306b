"""
The stack of active transforms.

Levels are numbered by birth, so that an inner transform always stands above an outer one, in every thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from tensorplay.core.modes import SILENT, float_errors
from tensorplay.core.value import Traced, Value

if TYPE_CHECKING:
    from tensorplay.core.primitive import Primitive

_levels = itertools.count(1)
_stack: ContextVar[tuple[Interpreter, ...]] = ContextVar("stack", default=())


class Interpreter:
    """
    One transform: what an op means at its level.

    It is active, on the stack, within ``with``; afterwards it is dead, whatever happened.

    Parameters
    ----------
    title : str
        How the user wrote the transform, for error messages.
    """

    __slots__ = ("__weakref__", "_errors", "_token", "alive", "level", "title")

    joins = False  # whether it may take a row of primitives as one

    def __init__(self, title: str) -> None:
        self.title = title
        self.level = next(_levels)
        self.alive = True

    def __enter__(self) -> None:
        self._errors = float_errors.set(SILENT)
        self._token = _stack.set((*_stack.get(), self))

    def __exit__(self, *_: object) -> None:
        self.alive = False
        _stack.reset(self._token)
        float_errors.reset(self._errors)
        del self._token, self._errors  # which hold the context

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Result of an op of which at least one argument is traced at this level."""
        raise NotImplementedError

    def unary(self, prim: Primitive, value: Value) -> Value:
        """The same for a differentiable elementwise op on a value of this level."""
        return self.process(prim, (value,), {})

    def binary(self, prim: Primitive, first: Value, other: Value) -> Value:
        """The same for such an op on two operands, one of them of this level and none of a higher one."""
        return self.process(prim, (first, other), {})

    def planned(self, prim: Primitive, args: Sequence[Value], params: dict[str, Any]) -> Value:
        """The same for an op with parameters that can be hashed and decide, with the operands' shapes, the result's."""
        return self.process(prim, tuple(args), params)

    def samples_to_draw(self, name: str) -> int | None:
        """How many independent draws the random op `name` makes for this transform; None: a single one."""
        return None

    def wrap_draws(self, value: Value) -> Value:
        """Independent draws, along dim 0, as a value of this level."""
        return value

    def after_exit(self, value: Traced) -> Value:
        """What a value of this level stands for once the transform has returned."""
        return value.inner


# The active transforms, outermost first.
active = _stack.get


def top_level() -> int:
    """Level of the innermost active transform, 0 outside all transforms."""
    stack = _stack.get()
    return stack[-1].level if stack else 0


class seeing:
    """Context in which other interpreters than the active ones are asked what random ops draw."""

    __slots__ = ("_stack", "_token")

    def __init__(self, stack: tuple[Interpreter, ...]) -> None:
        self._stack = stack

    def __enter__(self) -> None:
        self._token = _stack.set(self._stack)

    def __exit__(self, *_: object) -> None:
        _stack.reset(self._token)


def settle(value: Value) -> Value:
    """`value` without the levels of transforms that have returned."""
    while isinstance(value, Traced) and not value.owner.alive:
        value = value.owner.after_exit(value)
    return value
