"""
Programs: the pull of a small record, written out as Python source once for every structure of records.

What a pull costs besides its arithmetic is to look at each node: which is next, what came for it, how its derivative is
made of primitives, and who gets the result. For records of one structure (the same ops on operands of the same shapes,
linked in the same way) the answers are the same. So they are written down: a program is a line of NumPy per primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core import writes
from tensorplay.core.value import Traced, Value
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.record import Link, Node, Record, Recorded, ancestors
from tensorplay.interpreters.writer import DependsOnValues, PrimitiveWriter, Symbol, Writer, pull_in_order

# the last node, its cotangent and the level of its samples -> cotangents of all leaves
Program = Callable[[Node, Value, Batch | None], Sequence[Any]]

SIGHTINGS = 4  # of a structure, after which its program is written: that costs as much as some dozens of pulls
MOST_NODES = 512
MOST_PROGRAMS = 256  # that are kept; then all are forgotten

# the structure of the last node, the number of leaves, and whether others than a single map trace what is recorded
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
    node = output.link[0]
    key = node.structure, len(leaves), level.traced
    program = _programs.get(key, 0)
    if isinstance(program, int):
        program = _met(key, level, node, ct, leaves, program + 1)
    return None if program is None else program(node, ct, level.batch)


def _met(key: Key, level: Record, node: Node, ct: Value, leaves: Sequence[Link], sightings: int) -> Program | None:
    """The program of a structure that was met so often, once that is often enough."""
    if len(_programs) >= MOST_PROGRAMS:
        _programs.clear()
    if sightings < SIGHTINGS:
        _programs[key] = sightings
        return None
    program = _programs[key] = _written(level, node, ct, leaves)
    return program


def _written(level: Record, last: Node, ct: Value, leaves: Sequence[Link]) -> Program | None:
    """What pulls a cotangent of the `last` node back to the leaves; None if there can be none."""
    nodes = ancestors([last])
    if len(nodes) > MOST_NODES:
        return None
    writer = PrimitiveWriter() if level.traced else Writer()

    def named(name: str, value: Value) -> Value:
        if level.traced and isinstance(value, Traced | np.ndarray):
            return Symbol(writer, name, np.ones(value.shape, value.dtype))
        if value.__class__ is Batched:
            return Batched(value.owner, Symbol(writer, f"{name}.inner", value.inner))
        return Symbol(writer, name, value) if value.__class__ is np.ndarray else value

    def kept(node: Node) -> tuple[Any, list[Any]]:
        name = f"n{node.order}"
        args = [named(f"{name}.args[{i}]", arg) for i, arg in enumerate(node.args or ())]
        return named(f"{name}.out", node.out), args

    cotangents: dict[Link, Value] = {(last, 0): named("ct", ct)}
    try:
        pull_in_order(nodes[::-1], cotangents, kept)
    except DependsOnValues:
        return None
    head = [f"def program(n{last.order}, ct, batch):", *_ways(last)]
    program: Program = writer.function(head, [cotangents.get(leaf) for leaf in leaves])
    return program


def _ways(last: Node) -> list[str]:
    """Lines that lead from the last node to all others."""
    lines, found = [], [last]
    for node in found:  # grows meanwhile
        for i, link in enumerate(node.parents):
            if link is not None and link[0].parents and link[0] not in found:
                found.append(link[0])
                lines.append(f"n{link[0].order} = n{node.order}.parents[{i}][0]")
    return lines
