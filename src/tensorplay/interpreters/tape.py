"""Tape: what a function computes is written down, and the values in between are not kept; it can be run again."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tensorplay.core.modes import paused_level, paused_up_to
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.errors import user_line
from tensorplay.interpreters.stage import Name, Stage, StagedOp
from tensorplay.interpreters.watch import at_line, watching


class Tape(Stage):
    """One active `checkpoint`: the ops so far, which no level below has recorded a derivative of."""

    __slots__ = ()

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Evaluate the op one level below, where derivatives rest, and write it down."""
        paused = paused_level.get()
        with paused_up_to(max(paused, self.level)):
            out = prim(*[self.lower(arg) for arg in args], **params)
        if (
            paused >= self.level
        ):  # what is computed under no_grad is a constant; so, for an enclosing tape, is all of this
            return out
        return self.write_down(prim, args, params, out, "" if watching() is None else user_line())


def evaluate(ops: Sequence[StagedOp], known: dict[Name, Value]) -> None:
    """Run ops, from the values that are known by name, and add the values of their results."""
    watched = watching() is not None
    for op in ops:
        operands = [known[operand] if isinstance(operand, Name) else operand for operand in op.operands]
        run = functools.partial(at_line, op.source, op.prim) if watched and op.source else op.prim
        result = run(*operands, **op.params)
        known.update(zip(op.names, result if op.several else (result,), strict=True))
