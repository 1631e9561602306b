"""Stage: ops are evaluated and written down, as a graph of primitives that can be read and run again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorplay.core.modes import paused_level, views_copied
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Shape, Traced, Value
from tensorplay.dtypes import NumpyDtype
from tensorplay.errors import user_line
from tensorplay.ops.aliasing import copies
from tensorplay.ops.shape import detach


class Staged(Traced):
    """A value (`inner`) and the name under which the graph knows it."""

    __slots__ = ("name",)

    def __init__(self, owner: Stage, inner: Value, name: int) -> None:
        super().__init__(owner, inner)
        self.name = name


class Name(int):
    """Reference to a value of the graph, as an operand; any other operand is a constant."""


class StagedOp:
    """
    One primitive of a graph.

    Attributes
    ----------
    prim : Primitive
        What is computed.
    operands : tuple
        `Name` of a value of the graph, or a constant.
    params : dict
        Keyword parameters of the primitive.
    names : tuple of Name
        The results.
    shapes, dtypes : tuple
        Of the results.
    source : str
        File and line of the user's code.
    """

    __slots__ = ("dtypes", "names", "operands", "params", "prim", "several", "shapes", "source")

    def __init__(
        self,
        prim: Primitive,
        operands: tuple[Any, ...],
        params: dict[str, Any],
        names: tuple[Name, ...],
        outs: Sequence[Value],
        several: bool,
        source: str,
    ) -> None:
        self.prim = prim
        self.operands = operands
        self.params = params
        self.names = names
        self.shapes: tuple[Shape, ...] = tuple([out.shape for out in outs])
        self.dtypes: tuple[NumpyDtype, ...] = tuple([out.dtype for out in outs])
        self.several = several
        self.source = source


class Stage(Interpreter):
    """One active `make_graph`: the ops so far, in order."""

    __slots__ = ("count", "ops")

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.ops: list[StagedOp] = []
        self.count = 0

    def new(self, value: Value) -> Staged:
        """`value` under the next free name."""
        self.count += 1
        return Staged(self, value, self.count - 1)

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Evaluate the op one level below and write it down."""
        if views_copied.get():
            prim = copies.get(prim, prim)
        out = prim(*[self.lower(arg) for arg in args], **params)
        staged = self.write_down(prim, args, params, out, user_line())
        if prim.constant or paused_level.get() < self.level:
            return staged
        # what is computed under no_grad is a constant wherever the graph runs
        return tuple(map(detach, staged)) if staged.__class__ is tuple else detach(staged)

    def write_down(
        self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any], out: Any, source: str
    ) -> Any:
        """Note an op that gave `out` one level below."""
        several = out.__class__ is tuple
        staged = tuple([self.new(o) for o in (out if several else (out,))])
        names = tuple([Name(s.name) for s in staged])
        operands = tuple([self.operand(arg) for arg in args])
        self.ops.append(StagedOp(prim, operands, params, names, [s.inner for s in staged], several, source))
        return staged if several else staged[0]

    def lower(self, value: Value) -> Value:
        """`value` one level below."""
        return value.inner if value.__class__ is Staged and value.owner is self else value

    def operand(self, value: Value) -> Any:
        """A value as an operand of the graph."""
        return Name(value.name) if value.__class__ is Staged and value.owner is self else value


def needed(ops: Sequence[StagedOp], out: Sequence[Any]) -> list[StagedOp]:
    """The ops that an output depends on."""
    wanted = {int(o) for o in out if isinstance(o, Name)}
    kept = []
    for op in reversed(ops):
        if wanted.intersection(map(int, op.names)):
            kept.append(op)
            wanted.update(int(o) for o in op.operands if isinstance(o, Name))
    return kept[::-1]
