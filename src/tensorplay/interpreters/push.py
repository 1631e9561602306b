"""Push: tangents go along a record, from what it was differentiated with respect to, to its outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensorplay.core.value import Value
from tensorplay.interpreters.record import Node, Recorded, ancestors, entry_of

Course = Sequence[tuple[Node, Sequence[Node]]]


def course_to(outputs: Iterable[Node]) -> Course:
    """The nodes through which tangents get to `outputs`, oldest first; with each, those whose tangent it reads last."""
    needed = set(outputs)
    course = []
    for node in reversed(ancestors(needed)):
        done = {link[0] for link in node.parents if link is not None} - needed
        needed |= done
        if node.parents:
            course.append((node, tuple(done)))
    course.reverse()
    return course


def push_along(
    leaves: Sequence[tuple[Recorded, Value | None]],
    outputs: Sequence[Recorded],
    course: Course,
    *,
    consume: bool = False,
) -> list[Value | None]:
    """
    Tangents of recorded `outputs`, given those of the leaves and the course between them.

    With `consume`, each node lets go of what it kept once it was pushed.
    """
    tangents: dict[Node, Any] = {value.node: tangent for value, tangent in leaves if tangent is not None}
    for node, done in course:
        incoming = [None if link is None else entry_of(tangents.get(link[0]), link[1]) for link in node.parents]
        if any([tangent is not None for tangent in incoming]):
            tangents[node] = node.linear_map("forward").push(*incoming)
        for passed in done:
            tangents.pop(passed, None)
        if consume:
            node.args = node.map = node.out = None
    return [entry_of(tangents.get(value.link[0]), value.link[1]) for value in outputs]
