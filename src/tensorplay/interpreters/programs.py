"""
Programs: the pull of a small record, written out as Python source once for every structure of records.

What a pull costs besides its arithmetic is to look at each node: which is next, what came for it, how its derivative is
made of primitives, and who gets the result. For records of one structure (the same ops on operands of the same shapes,
linked in the same way) the answers are the same. So they are written down: a program is a line of NumPy per primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core import writes
from tensorplay.core.value import Traced, Value
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.joined import form, joined
from tensorplay.interpreters.record import Link, Node, Record, Recorded, ancestors
from tensorplay.interpreters.structure import forget
from tensorplay.interpreters.writer import DependsOnValues, Symbol, Writer, defined, pull_in_order

# the last node, its cotangent and the level of its samples -> cotangents of all leaves
Program = Callable[[Node, Value, Batch | None], Sequence[Any]]

SIGHTINGS = 4  # of a structure, after which its program is written: that costs as much as some dozens of pulls
MOST_NODES = 512
MOST_PROGRAMS = 256  # that are kept; then all are forgotten

# the structure of the output, the number of leaves, and whether others than a single map trace what is recorded
Key = tuple[int, int, bool]

# a program, None if there can be none, or how often the structure was met without one
_programs: dict[Key, Program | int | None] = {}


def pull_by_program(level: Record, output: Recorded, ct: Value, leaves: Sequence[Link]) -> Sequence[Any] | None:
    """
    Cotangents of all leaves of a structured record; None if there is no program for it.

    By plain products, unless a level traces what is recorded.
    """
    if writes.latest != level.clock:
        return None  # each node must be asked whether what it kept was written
    node, index = output.link
    key = node.structure + index, len(leaves), level.traced
    program = _programs.get(key, 0)
    if isinstance(program, int):
        program = _met(key, level, output.link, ct, leaves, program + 1)
    return None if program is None else program(node, ct, level.batch)


def _met(key: Key, level: Record, end: Link, ct: Value, leaves: Sequence[Link], sightings: int) -> Program | None:
    """The program of a structure that was met so often, once that is often enough."""
    if len(_programs) >= MOST_PROGRAMS:
        _programs.clear()
        forget()
    if sightings < SIGHTINGS:
        _programs[key] = sightings
        return None
    program = _programs[key] = _written(level, end, ct, leaves)
    return program


def _written(level: Record, end: Link, ct: Value, leaves: Sequence[Link]) -> Program | None:
    """What pulls a cotangent of the `end` back to the leaves; None if there can be none."""
    nodes = ancestors([end[0]])
    if len(nodes) > MOST_NODES:
        return None
    try:
        return (_joined if level.traced else _of_kernels)(nodes, end, ct, leaves)
    except DependsOnValues:
        return None


def _of_kernels(nodes: Sequence[Node], end: Link, ct: Value, leaves: Sequence[Link]) -> Program:
    """A line of NumPy per primitive, on arrays or those of samples."""
    writer = Writer()

    def kept(node: Node) -> tuple[Any, list[Any]]:
        name = f"n{node.order}"
        args = [_named(writer, f"{name}.args[{i}]", arg) for i, arg in enumerate(node.args or ())]
        return _named(writer, f"{name}.out", node.out), args

    cotangents: dict[Link, Value] = {end: _named(writer, "ct", ct)}
    pull_in_order(nodes[::-1], cotangents, kept)
    head = [f"def program(n{end[0].order}, ct, batch):", *_ways(end[0])]
    program: Program = writer.function(head, [cotangents.get(leaf) for leaf in leaves])
    return program


def _named(writer: Writer, name: str, value: Value) -> Value:
    if value.__class__ is tuple:
        return tuple([_named(writer, f"{name}[{i}]", entry) for i, entry in enumerate(value)])
    if value.__class__ is Batched:
        return Batched(value.owner, Symbol(writer, f"{name}.inner", value.inner))
    return Symbol(writer, name, value) if value.__class__ is np.ndarray else value


def _joined(nodes: Sequence[Node], end: Link, ct: Value, leaves: Sequence[Link]) -> Program:
    """One primitive, on what the nodes kept, whatever traces that."""
    operands = _Operands(ct)
    kept = {
        node: (
            operands.place((node, 0), f"n{node.order}.out", node.out),
            [
                operands.place(link or (node, 0, i), f"n{node.order}.args[{i}]", arg)
                for i, (arg, link) in enumerate(zip(node.args or (), node.parents, strict=True))
            ],
        )
        for node in nodes
        if node.parents
    }

    def function(*symbols: Value) -> Sequence[Value | None]:
        cotangents: dict[Link, Value] = {end: symbols[0]}
        pull_in_order(nodes[::-1], cotangents, lambda node: _found(kept[node], symbols))
        return [cotangents.get(leaf) for leaf in leaves]

    made = joined(function, [form(value) for value in operands.values])
    call = f"return made({', '.join(operands.names)})"
    program: Program = defined([f"def program(n{end[0].order}, ct, batch):", *_ways(end[0]), call], {"made": made})
    return program


class _Constant(NamedTuple):
    """What a node kept that is no value: a number, or an outline."""

    value: Any


class _Operands:
    """What nodes kept as operands of one primitive: each value once, and its name for one who has the last node."""

    def __init__(self, ct: Value) -> None:
        self.names, self.values = ["ct"], [ct]
        self._places: dict[tuple[Any, ...], int] = {}  # of an output of a node, or of what only one node kept

    def place(self, key: tuple[Any, ...], name: str, value: Value) -> Any:
        """The place of a value among the operands, of each of several; what is no value stands for itself."""
        if value.__class__ is tuple:
            return tuple([self.place((key[0], i), f"{name}[{i}]", entry) for i, entry in enumerate(value)])
        if not isinstance(value, Traced | np.ndarray):
            return _Constant(value)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.names.append(name)
            self.values.append(value)
        return self._places[key]


def _found(place: Any, symbols: Sequence[Value]) -> Any:
    """The symbols at some places, which may be nested."""
    if place.__class__ is tuple or place.__class__ is list:
        return place.__class__([_found(entry, symbols) for entry in place])
    return place.value if place.__class__ is _Constant else symbols[place]


def _ways(last: Node) -> list[str]:
    """Lines that lead from the last node to all others."""
    lines, found = [], [last]
    for node in found:  # grows meanwhile
        for i, link in enumerate(node.parents):
            if link is not None and link[0].parents and link[0] not in found:
                found.append(link[0])
                lines.append(f"n{link[0].order} = n{node.order}.parents[{i}][0]")
    return lines
