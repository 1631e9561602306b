"""Pull: cotangents go back through a record, from its outputs to what it was differentiated with respect to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy import ndarray

from tensorplay.core import writes
from tensorplay.core.hooks import hooks_of
from tensorplay.core.linear_map import computed
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.interpreters.programs import pull_by_program
from tensorplay.interpreters.record import Link, Node, Record, Recorded, entry_of
from tensorplay.interpreters.regions import LEAST, Region
from tensorplay.interpreters.sums import Sum, summed
from tensorplay.ops.kernels import is_finite, product

Taking = Callable[["Node", Any], Sequence[Any] | None]  # how the cotangents of a node's parents are found


def pull_back(
    outputs: Sequence[tuple[Recorded, Value]], wanted: Sequence[Link], *, consume: bool = False
) -> list[Value | None]:
    """
    Cotangents of the `wanted` outputs of nodes, given those of `outputs` of the same record; None is zero.

    With `consume`, each node lets go of what it kept once it was pulled.
    """
    return _pull(outputs, wanted, _through_map_once if consume else _through_map) or []


def pull_single(
    level: Record, outputs: Sequence[tuple[Recorded, Value]], wanted: Sequence[Link]
) -> Sequence[Value | None]:
    """Cotangents as of `pull_back`, where nothing else will be pulled from this record."""
    # Zero wins over infinity and NaN in every product. But of a few small arrays it is enough to look at the last ones:
    # what is neither there was neither on the way.
    cts = pull_by_program(level, *outputs[0], wanted) if level.structured and len(outputs) == 1 else None
    if cts is None and level.simple:
        cts = _pull(outputs, wanted, _unchecked)
    if cts is not None and (level.traced or all([ct is None or is_finite(ground(ct)) for ct in cts])):
        return cts
    return pull_back(outputs, wanted, consume=True)


def _through_map(node: Node, ct: Any) -> Sequence[Any]:
    return node.linear_map("reverse").pull_wanted(ct, node.parents)


def _through_map_once(node: Node, ct: Any) -> Sequence[Any]:
    pull_once = node.prim.pull_once
    if pull_once is None or node.args is None or writes.latest != node.clock or not node.level.keeps_maps:
        terms = _through_map(node, ct)
    else:
        terms = pull_once(node, ct, product)
    node.args = node.map = node.out = None
    return terms


def _unchecked(node: Node, ct: Any) -> Sequence[Any] | None:
    """Cotangents by plain products; None for the derivative of a user's own, which must not be asked twice."""
    prim = node.prim
    if prim.pull_once is not None and writes.latest == node.clock:
        return prim.pull_once(node, ct, np.multiply)
    return _through_map(node, ct) if prim.__class__ is Primitive else None


def _pull(outputs: Sequence[tuple[Recorded, Value]], wanted: Sequence[Link], take: Taking) -> list[Value | None] | None:
    """Nodes are pulled from the newest to the oldest."""
    gathered: dict[Node, Any] = {}  # the cotangent of a node's output, or a list of them
    waiting: list[tuple[int, Node]] = []  # a heap, newest first
    for value, ct in outputs:
        _gather(gathered, waiting, value.link, ct)
    asked = {node for node, _ in wanted}
    results: dict[Node, Any] = {}
    while waiting:
        node = heappop(waiting)[1]
        ct = gathered.pop(node)
        if not node.plain:
            ct = _received(node, ct, node.parents or node in asked)
        elif ct.__class__ is Sum:
            ct = ct.value()
        if node in asked:
            results[node] = ct
        if not node.parents:
            continue
        if ct.__class__ is ndarray and ct.size >= LEAST and take is _through_map_once:
            region = Region(node, ct, gathered, waiting, asked)
            if len(region) > 1:
                for end, term in region.pull().items():
                    _gather(gathered, waiting, end, term)
                continue
        terms = take(node, ct)
        if terms is None:
            return None
        for link, term in zip(node.parents, terms, strict=True):
            if link is None or term is None:
                continue
            source = link[0]
            if source in gathered or source.arity:
                _gather(gathered, waiting, link, term)
            else:
                gathered[source] = term if term.__class__ is ndarray else computed(term)
                heappush(waiting, (-source.order, source))
    return [entry_of(results.get(node), index) for node, index in wanted]


def _received(node: Node, ct: Any, seen: Any) -> Any:
    """The cotangent that arrived, of each output where there are several, as hooks leave it where it is `seen`."""
    entries = list(ct) if node.arity else [ct]
    entries = [entry.value() if entry.__class__ is Sum else entry for entry in entries]
    if node.hooks and seen:
        for hook in (*hooks_of(node.hooks, "change"), *hooks_of(node.hooks, "look")):
            hook(entries)
    return tuple(entries) if node.arity else entries[0]


def _gather(gathered: dict[Node, Any], waiting: list[tuple[int, Node]], link: Link, term: Any) -> None:
    node, index = link
    have = gathered.get(node)
    if have is None:
        heappush(waiting, (-node.order, node))
    if node.arity == 0:
        gathered[node] = summed(have, term)
        return
    if have is None:
        have = gathered[node] = [None] * node.arity
    have[index] = summed(have[index], term)
