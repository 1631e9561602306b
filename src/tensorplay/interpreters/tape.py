"""Tape: what a function computes is written down, and the values in between are not kept; it can be run again."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.modes import paused_level, paused_up_to
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Traced, Value, is_inexact
from tensorplay.errors import user_line
from tensorplay.interpreters.batch import Batched
from tensorplay.interpreters.stage import Name, Stage, Staged, StagedOp
from tensorplay.interpreters.watch import at_line, watching


class Tape(Stage):
    """One active `checkpoint`: the ops so far, which no level below has recorded a derivative of."""

    __slots__ = ("followed", "sources")

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.followed: set[int] = set()  # names of the values that depend on what a derivative may be asked of,
        self.sources: dict[int, Traced] = {}  # and all that is: values from below, by their ids

    def follow(self, value: Value) -> bool:
        """Note what may be differentiated; whether `value` depends on such."""
        if value.__class__ is Staged and value.owner is self:
            if value.name not in self.followed and self.follow(value.inner):
                self.followed.add(value.name)
            return value.name in self.followed
        if not _is_differentiated(value):
            return False
        self.sources[id(value)] = value
        return True

    def after_exit(self, value: Traced) -> Value:
        """The value of one that the function kept, as far as no derivative is asked of it."""
        if not isinstance(value, Staged) or value.name not in self.followed:
            return value.inner
        return _kept(value.inner, *self.sources.values())

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Evaluate the op one level below, where derivatives rest, and write it down."""
        paused = paused_level.get()
        with paused_up_to(max(paused, self.level)):
            out = prim(*[self.lower(arg) for arg in args], **params)
        if (
            paused >= self.level
        ):  # what is computed under no_grad is a constant; so, for an enclosing tape, is all of this
            return out
        staged = self.write_down(prim, args, params, out, "" if watching() is None else user_line())
        # not the shortest `any`: each source is to be noted
        if prim.differentiable and any([self.follow(arg) for arg in args]):
            self.followed.update([made.name for made in (staged if staged.__class__ is tuple else (staged,))])
        return staged


def _is_differentiated(value: Value) -> bool:
    inexact = is_inexact(value)
    while isinstance(value, Traced):
        if inexact and value.owner.alive and value.__class__ is not Batched:
            return True
        value = value.inner
    return False


def _no_derivative(_out: Value, *_args: Value) -> LinearMap:
    def refuse(*_: Any) -> Any:
        raise RuntimeError(
            "checkpoint(): a tensor that was made inside of the function was kept and used outside of it, where its "
            "derivative is not known. Return it from the function, or keep x.detach()."
        )

    return LinearMap(refuse, refuse)


# A value that was made inside of a checkpoint, and what it may depend on.
_kept = Primitive("kept_by_checkpoint", lambda value, *_: value)
_kept.derivative(_no_derivative)
_kept.batch(lambda size, args, mapped: (_kept(*args), mapped[0]))


def evaluate(ops: Sequence[StagedOp], known: dict[Name, Value]) -> None:
    """Run ops, from the values that are known by name, and add the values of their results."""
    watched = watching() is not None
    for op in ops:
        operands = [known[operand] if isinstance(operand, Name) else operand for operand in op.operands]
        run = functools.partial(at_line, op.source, op.prim) if watched and op.source else op.prim
        result = run(*operands, **op.params)
        known.update(zip(op.names, result if op.several else (result,), strict=True))
