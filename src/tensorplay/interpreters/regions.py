"""
Regions: elementwise ops on many elements that follow each other are pulled piece by piece.

A cotangent that passes through ten ops on a million elements would be written to memory and read again at each. What
all of them need for a piece of the elements fits in the cache of a core, and threads take pieces each. Threads have to
take turns between NumPy's calls, so that the pull of a piece is written down, with next to nothing between the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from tensorplay.core import writes
from tensorplay.core.primitive import Primitive
from tensorplay.core.threads import in_steps, share
from tensorplay.core.value import Value
from tensorplay.interpreters.record import Link, Node, Outline
from tensorplay.interpreters.structure import form_of
from tensorplay.interpreters.writer import DependsOnValues, Symbol, Writer, pull_in_order
from tensorplay.ops.kernels import is_finite

LEAST = 1 << 17  # elements of arrays of which some do not fit in the cache of a core
PIECE = 1 << 16
MOST_PROGRAMS = 256  # that are kept; then all are forgotten

Array = np.ndarray[Any, Any]
Waiting = list[tuple[int, Node]]  # a heap, newest first
Program = Callable[..., Sequence[Array]]  # pieces of all arrays that are read -> those of the cotangents

# by the structure of a region; None where its derivatives are not made of elementwise primitives alone
_programs: dict[Hashable, Program | None] = {}


class Region:
    """
    A node and those that it came from, as far as all act on the elements of arrays of one shape.

    What is older than the first that does not belong to it is left alone, as it may have to wait for that one. For its
    nodes that wait already, the region takes what was `gathered`.
    """

    __slots__ = ("_like", "_nodes", "_received")

    def __init__(self, first: Node, ct: Array, gathered: dict[Node, Any], waiting: Waiting, asked: set[Node]) -> None:
        self._like = ct
        self._nodes: list[Node] = []
        self._received: dict[Node, Array] = {first: ct}  # cotangents that came from outside
        reached = {first}
        newest = [(-first.order, first)]
        while newest:
            node = min(newest[0], waiting[0])[1] if waiting else newest[0][1]
            came = gathered.get(node, ct)
            if node in asked or not self._fits(node) or came.__class__ is not np.ndarray or came.shape != ct.shape:
                break
            if node in gathered:
                heappop(waiting)
                self._received[node] = gathered.pop(node)
            if node in reached:
                heappop(newest)
            self._nodes.append(node)
            for link in node.parents:
                if link is not None and link[0] not in reached:
                    reached.add(link[0])
                    heappush(newest, (-link[0].order, link[0]))

    def __len__(self) -> int:
        return len(self._nodes)

    def _fits(self, node: Node) -> bool:
        prim = node.prim
        return (
            prim.__class__ is Primitive
            and prim.family == "elementwise"
            and node.plain
            and node.level.keeps_maps
            and node.args is not None
            and self._is_alike(node.out)
            and all(map(self._may_be_operand, node.args, node.parents))
        )

    def _may_be_operand(self, arg: Any, link: Link | None) -> bool:
        if isinstance(arg, np.ndarray | Outline):
            return self._is_alike(arg) or (link is None and not arg.ndim)
        return isinstance(arg, int | float)

    def _is_alike(self, value: Any) -> bool:
        if value.__class__ is np.ndarray:
            return bool(value.shape == self._like.shape and value.flags.c_contiguous)
        return value.__class__ is Outline and value.shape == self._like.shape

    def pull(self) -> dict[Link, Value]:
        """Cotangents of what the region came from; its nodes let go of what they kept."""
        for node in self._nodes:
            if writes.latest != node.clock:
                node.check_unwritten()
        received = {node: _flat(ct) for node, ct in self._received.items()}
        found = {link: np.empty(self._like.size, ct.dtype) for link, ct in self._checked(received, slice(0, 1)).items()}
        arrays, program = self._program(received, list(found))

        def work(start: int, stop: int) -> None:
            for here in in_steps(start, stop, PIECE):
                cts = () if program is None else program(*[array[here] if array.ndim else array for array in arrays])
                if program is None or not all(map(is_finite, cts)):  # zero wins over infinity and NaN
                    cts = list(self._checked(received, here).values())
                for whole, ct in zip(found.values(), cts, strict=True):
                    whole[here] = ct

        share(work, self._like.size, LEAST // 2)
        for node in self._nodes:
            node.args = node.map = node.out = None
        return {link: ct.reshape(self._like.shape) for link, ct in found.items()}

    def _checked(self, received: dict[Node, Array], here: slice) -> dict[Link, Array]:
        """Some elements of the cotangents, node by node."""

        def kept(node: Node) -> tuple[Any, list[Any]]:
            return _cut(node.out, here), [_cut(arg, here) for arg in node.args or ()]

        cts: dict[Link, Value] = {(node, 0): ct[here] for node, ct in received.items()}
        pull_in_order(self._nodes, cts, kept)
        for node in self._nodes:
            cts.pop((node, 0), None)
        return cts

    def _program(self, received: dict[Node, Array], links: Sequence[Link]) -> tuple[list[Array], Program | None]:
        """The arrays that a program reads, and what makes pieces of cotangents of pieces of them."""
        arrays: dict[int, Array] = {}
        values = [value for node in self._nodes for value in (node.out, *(node.args or ()))]
        for value in (*received.values(), *values):
            if value.__class__ is np.ndarray:
                arrays.setdefault(id(value), value.reshape(-1) if value.ndim else value)
        places = {key: place for place, key in enumerate(arrays)}
        ends = {link: end for end, link in enumerate([*[(node, 0) for node in self._nodes], *links])}
        structure = (
            *[(ends[node, 0], places[id(ct)]) for node, ct in received.items()],
            *[(array.dtype.char, array.ndim) for array in arrays.values()],
            *[places[id(value)] if id(value) in places else _form(value) for value in values],
            *[(node.prim, *node.params.items()) for node in self._nodes],
            *[link and ends.get(link) for node in self._nodes for link in node.parents],
            len(links),
        )
        try:
            if structure in _programs:
                return list(arrays.values()), _programs[structure]
        except TypeError:  # a parameter that can change
            return [], None
        if len(_programs) >= MOST_PROGRAMS:
            _programs.clear()
        program = _programs[structure] = self._written(received, arrays, places, links)
        return list(arrays.values()), program

    def _written(
        self, received: dict[Node, Array], arrays: dict[int, Array], places: dict[int, int], links: Sequence[Link]
    ) -> Program | None:
        writer = PieceWriter()
        some = slice(0, 2)
        symbols = {key: Symbol(writer, f"a{places[key]}", _cut(array, some)) for key, array in arrays.items()}

        def kept(node: Node) -> tuple[Any, list[Any]]:
            out, *args = [symbols.get(id(v)) or _cut(v, some) for v in (node.out, *(node.args or ()))]
            return out, args

        cts: dict[Link, Value] = {(node, 0): symbols[id(ct)] for node, ct in received.items()}
        try:
            pull_in_order(self._nodes, cts, kept)
        except DependsOnValues:
            return None
        head = [f"def program({', '.join([symbol.name for symbol in symbols.values()])}):"]
        program: Program = writer.function(head, [cts[link] for link in links], keep=0)
        return program


class PieceWriter(Writer):
    """Writes what serves pieces of any number of elements."""

    __slots__ = ()

    def write(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Write a line that calls an elementwise kernel on symbols and numbers."""
        if prim.family != "elementwise" or any([arg.__class__ is np.ndarray and arg.ndim for arg in args]):
            raise DependsOnValues
        return super().write(prim, args, params)


def _form(value: Any) -> Hashable:
    return value.dtype.char if value.__class__ is Outline else form_of(value)


def _cut(kept: Any, here: slice) -> Any:
    if not np.ndim(kept):
        return kept
    return Outline((here.stop - here.start,), kept.dtype) if kept.__class__ is Outline else kept.reshape(-1)[here]


def _flat(ct: Array) -> Array:
    """A cotangent with one dim; one that is the same everywhere stays a view of a single element."""
    return ct.reshape(-1) if any(ct.strides) else np.broadcast_to(ct[(0,) * ct.ndim], ct.size)
