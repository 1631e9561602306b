"""
Programs: the pull of a small record, written out as Python source once for every structure of records.

What a pull costs besides its arithmetic is to look at each node: which is next, what came for it, how its derivative is
made of primitives, and who gets the result. For records of one structure (the same ops on operands of the same shapes,
linked in the same way) the answers are the same. So they are written down: a program is a line of NumPy per primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from tensorplay.core import writes
from tensorplay.core.linear_map import computed
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Shape, Traced, Value
from tensorplay.interpreters.record import Link, Node, Record, Recorded, ancestors
from tensorplay.ops.families import add, scale

Program = Callable[[Node, Value], Sequence[Any]]  # the last node and its cotangent -> those of all leaves

SIGHTINGS = 4  # of a structure, after which its program is written: that costs as much as some dozens of pulls
MOST_NODES = 512
MOST_PROGRAMS = 256  # that are kept; then all are forgotten

# by the structure of the last node and the number of leaves: a program, None if there can be none, or how often the
# structure was met without one
_programs: dict[tuple[int, int], Program | int | None] = {}


def pull_by_program(level: Record, output: Recorded, ct: Value, leaves: Sequence[Link]) -> Sequence[Any] | None:
    """Cotangents of all leaves of a structured record, by plain products; None if there is no program for it."""
    if writes.latest != level.clock:
        return None  # each node must be asked whether what it kept was written
    node = output.link[0]
    key = node.structure, len(leaves)
    program = _programs.get(key, 0)
    if isinstance(program, int):
        program = _met(key, node, ct, leaves, program + 1)
    return None if program is None else program(node, ct)


def _met(key: tuple[int, int], node: Node, ct: Value, leaves: Sequence[Link], sightings: int) -> Program | None:
    """The program of a structure that was met so often, once that is often enough."""
    if len(_programs) >= MOST_PROGRAMS:
        _programs.clear()
    if sightings < SIGHTINGS:
        _programs[key] = sightings
        return None
    program = _programs[key] = Writer().program(node, ct, leaves)
    return program


class Symbol(Traced):
    """A value that has a name in a program. What it holds is for `Writer` alone: a program must not depend on it."""

    __slots__ = ("name", "sample")

    def __init__(self, owner: Writer, name: str, sample: Any) -> None:
        self.owner = owner
        self.name = name
        self.sample = sample
        self.dtype = sample.dtype

    @property
    def inner(self) -> Value:
        """Not to be seen."""
        raise DependsOnValues

    @property
    def shape(self) -> Shape:
        """Size of each dim."""
        shape: Shape = self.sample.shape
        return shape

    @property
    def ndim(self) -> int:
        """Number of dims."""
        return len(self.shape)


def _ways(last: Node) -> list[str]:
    """Lines that lead from the last node to all others."""
    lines, found = [], [last]
    for node in found:  # grows meanwhile
        for i, link in enumerate(node.parents):
            if link is not None and link[0].parents and link[0] not in found:
                found.append(link[0])
                lines.append(f"n{link[0].order} = n{node.order}.parents[{i}][0]")
    return lines


class DependsOnValues(Exception):
    """A derivative asks for elements of its operands before it is known which primitives it is made of."""


class Writer(Interpreter):
    """Lines of a program, one for each primitive."""

    __slots__ = ("_lines", "_names")

    def __init__(self) -> None:
        super().__init__("program")
        self._lines: list[str] = []
        self._names: dict[str, Any] = {"asarray": np.asarray}  # what the lines refer to

    def program(self, last: Node, ct: Value, leaves: Sequence[Link]) -> Program | None:
        """What pulls a cotangent of the `last` node back to the leaves; None if there can be none."""
        nodes = ancestors([last])
        if len(nodes) > MOST_NODES:
            return None
        try:
            cotangents = self._pulled(nodes, ct)
        except DependsOnValues:
            return None
        found = [cotangents.get(leaf) for leaf, _ in leaves]
        results = "".join(["None, " if ct is None else f"{self._operand(ct)}, " for ct in found])
        lines = [f"def program(n{last.order}, ct):", *_ways(last), *self._lines, f"return ({results})"]
        exec("\n    ".join(lines), self._names)
        program: Program = self._names.pop("program")
        return program

    def _pulled(self, nodes: Sequence[Node], ct: Value) -> dict[Node, Value]:
        cotangents = {nodes[-1]: Symbol(self, "ct", ct)}
        for node in reversed(nodes):
            ct = cotangents.get(node)
            if ct is None or node.args is None:
                continue
            name = f"n{node.order}"
            args = [
                Symbol(self, f"{name}.args[{i}]", arg) if arg.__class__ is np.ndarray else arg
                for i, arg in enumerate(node.args)
            ]
            linear_map = node.prim.linear_map("reverse", Symbol(self, f"{name}.out", node.out), args, node.params)
            for link, term in zip(node.parents, linear_map.pull_wanted(ct, node.parents), strict=True):
                if link is not None and term is not None:
                    have, more = cotangents.get(link[0]), computed(term)
                    cotangents[link[0]] = more if have is None else add(have, more)
        return cotangents

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Write a line that calls the kernel."""
        kernel = np.multiply if prim is scale else prim.impl
        sample = kernel(*[arg.sample if arg.__class__ is Symbol else arg for arg in args], **params)
        numbers = {arg.dtype for arg in args if arg.__class__ is Symbol} if prim.family == "elementwise" else set()
        operands = [self._operand(arg, numbers) for arg in args]
        options = [f"{name}={self._named(value)}" for name, value in params.items()]
        call = f"{self._named(kernel)}({', '.join([*operands, *options])})"
        out = f"t{len(self._lines)}"
        if sample.__class__ is tuple:
            self._lines.append(f"{out} = {call}")
            return tuple([Symbol(self, f"{out}[{i}]", entry) for i, entry in enumerate(sample)])
        self._lines.append(f"{out} = {call}" if sample.__class__ is np.ndarray else f"{out} = asarray({call})")
        return Symbol(self, out, np.asarray(sample))

    def _operand(self, arg: Value, dtypes: Collection[np.dtype[Any]] = ()) -> str:
        if arg.__class__ is Symbol:
            name: str = arg.name
            return name
        if arg.__class__ is np.ndarray:
            return f"{self._named(arg)}.copy()"  # the result may be that array, and may be written later
        if arg.__class__ is float and len(dtypes) == 1:
            (dtype,) = dtypes
            arg = np.asarray(arg, dtype)  # what NumPy would make of it at each call
        return self._named(arg)

    def _named(self, thing: Any) -> str:
        name = f"k{len(self._names)}"
        self._names[name] = thing
        return name
