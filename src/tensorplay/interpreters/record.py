"""
Record: ops leave nodes that link to what they came from, to be pulled back (reverse mode) or pushed along.

`grad`, `vjp`, `jacrev` pull a record back; `linearize` and `jacfwd` push tangents forward over one; ordinary autograd
is the record at level 0, which is always active.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any

from tensorplay.core import writes
from tensorplay.core.linear_map import LinearMap
from tensorplay.core.modes import paused_level, paused_up_to
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter, bind
from tensorplay.core.value import Shape, Traced, Value, is_inexact
from tensorplay.ops.families import OUT, add

_orders = itertools.count()
Link = tuple["Node", int]  # one output of a node


class Recorded(Traced):
    """A primal (`inner`) and the node it came from, as its output number `index`."""

    __slots__ = ("index", "source")

    def __init__(self, owner: Record, primal: Value, source: Node | weakref.ref[Node], index: int = 0) -> None:
        self.owner = owner
        self.inner = primal
        self.source = source
        self.index = index

    @property
    def node(self) -> Node:
        """The node that made this value."""
        source = self.source
        if source.__class__ is weakref.ref:
            node = source()
            assert node is not None, "a saved output is read only through its living node"
            return node
        return source  # type: ignore[return-value]


class Outline:
    """Shape and dtype of a value that a derivative does not read, kept in its stead."""

    __slots__ = ("dtype", "shape")

    def __init__(self, value: Value) -> None:
        self.shape: Shape = value.shape
        self.dtype = value.dtype

    @property
    def ndim(self) -> int:
        """Length of `shape`."""
        return len(self.shape)


def outline(value: Any) -> Any:
    """Shape and dtype of a value, or of each of several; a Python number is kept."""
    if value.__class__ is tuple:
        return tuple(map(outline, value))
    return Outline(value) if hasattr(value, "shape") else value


class Node:
    """One recorded op: its parents, and what its derivative reads."""

    __slots__ = ("__weakref__", "args", "arity", "clock", "map", "order", "out", "params", "parents", "prim", "reusable")

    def __init__(self, prim: Primitive | None, params: dict[str, Any], parents: tuple[Any, ...], arity: int) -> None:
        self.prim = prim
        self.params = params
        self.parents = parents  # one (node, output index) or None per argument
        self.arity = arity  # number of outputs, 0 for an op with a single one
        self.order = next(_orders)
        self.clock = writes.now()
        self.args: tuple[Any, ...] | None = ()
        self.out: Any = None
        self.map: LinearMap | None = None
        self.reusable = True  # whether the map may be kept for the next pull

    def linear_map(self, mode: str) -> LinearMap:
        """The op's derivative at the recorded point."""
        assert self.prim is not None
        if self.args is None:
            raise RuntimeError(
                "backward: the graph was freed by an earlier backward. Pass retain_graph=True to the first call if you "
                "want to go through the graph again."
            )
        if writes.now() != self.clock:
            self.check_unwritten()
        if self.map is not None:
            return self.map
        made = self.prim.linear_map(mode, self.out, self.args, self.params)
        if self.reusable:
            self.map = made
        return made

    def check_unwritten(self) -> None:
        """Raise if memory that the derivative reads was written in place after the op ran."""
        assert self.prim is not None
        assert self.args is not None
        outs = self.out if self.out.__class__ is tuple else (self.out,)
        for value in (*self.args, *outs):
            if writes.written_since(value, self.clock):
                raise RuntimeError(
                    f"{self.prim.name}: a tensor of shape {list(value.shape)} that its derivative needs was modified in "
                    f"place afterwards. Write to a copy (x.clone()), or use the out-of-place form of the operation."
                )

    def release(self) -> None:
        """Let go of everything the derivative kept alive."""
        self.args = self.map = None
        self.out = None


class Leaf(Node):
    """Where a derivative ends: an argument of a transform, or a tensor that requires grad (`target`, weakly)."""

    __slots__ = ("target",)

    def __init__(self, target: weakref.ref[Any] | None = None) -> None:
        super().__init__(None, {}, (), 0)
        self.target = target


class Record(Interpreter):
    """One active `vjp`, `grad` or `linearize`."""

    __slots__ = ()

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Evaluate the op one level below and note how its output came about."""
        here = [arg.__class__ is Recorded and arg.owner is self for arg in args]
        primals = tuple([arg.inner if h else arg for arg, h in zip(args, here, strict=True)])
        out = bind(prim, primals, params)
        if not prim.differentiable or paused_level.get() >= self.level:
            return out
        if out.__class__ is tuple:
            if not any(map(is_inexact, out)):
                return out
        elif not is_inexact(out):
            return out
        parents = tuple([(arg.node, arg.index) if h else None for arg, h in zip(args, here, strict=True)])
        node = Node(prim, params, parents, len(out) if out.__class__ is tuple else 0)
        self.save(node, out, args, primals, here)
        if out.__class__ is tuple:
            return tuple([Recorded(self, o, node, i) if is_inexact(o) else o for i, o in enumerate(out)])
        return Recorded(self, out, node)

    def save(
        self, node: Node, out: Any, args: tuple[Value, ...], primals: tuple[Value, ...], here: Sequence[bool]
    ) -> None:
        """Keep what the derivative reads; of the rest, the outline."""
        read = node.prim.read_for(here)  # type: ignore[union-attr]
        if read is None:
            node.out, node.args = out, primals
            return
        node.out = out if OUT in read else outline(out)
        node.args = tuple([primal if i in read else outline(primal) for i, primal in enumerate(primals)])

    def leaf(self, primal: Value) -> Recorded:
        """A value to differentiate with respect to."""
        return Recorded(self, primal, Leaf())

    def is_recorded(self, value: Value) -> bool:
        """Whether this level watches `value`."""
        return value.__class__ is Recorded and value.owner is self

    def lower(self, value: Value) -> Value:
        """`value` one level below."""
        return value.inner if self.is_recorded(value) else value


class RootRecord(Record):
    """Ordinary autograd: always active, at level 0; its derivatives can be recorded at the same level."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("autograd")
        self.level = 0

    def save(
        self, node: Node, out: Any, args: tuple[Value, ...], primals: tuple[Value, ...], here: Sequence[bool]
    ) -> None:
        """Keep recorded values, so that `create_graph` can differentiate the derivative once more."""
        # The node must not hold itself: its own output is kept through a weak reference.
        if out.__class__ is tuple:
            alias: Any = tuple(
                [Recorded(self, o, weakref.ref(node), i) if is_inexact(o) else o for i, o in enumerate(out)]
            )
        else:
            alias = Recorded(self, out, weakref.ref(node))
        super().save(node, alias, args, args, here)
        node.reusable = False


root = RootRecord()


def ancestors(nodes: Iterable[Node]) -> list[Node]:
    """`nodes` and all they came from, in the order in which they were recorded."""
    found = set(nodes)
    pending = list(found)
    while pending:
        for link in pending.pop().parents:
            if link is not None and link[0] not in found:
                found.add(link[0])
                pending.append(link[0])
    return sorted(found, key=lambda node: node.order)


class Sums:
    """Cotangents gathered per node and output; what is absent is zero."""

    __slots__ = ("_by_node",)

    def __init__(self) -> None:
        self._by_node: dict[Node, Any] = {}

    def add(self, node: Node, index: int, term: Value) -> None:
        """Add a term to output `index` of `node`."""
        have = self._by_node.get(node)
        if node.arity == 0:
            self._by_node[node] = term if have is None else add(have, term)
            return
        if have is None:
            have = self._by_node[node] = [None] * node.arity
        have[index] = term if have[index] is None else add(have[index], term)

    def take(self, node: Node) -> Any:
        """All that was gathered for `node` (a tuple for several outputs), which is forgotten here."""
        have = self._by_node.pop(node, None)
        return tuple(have) if have.__class__ is list else have


def pull_back(
    outputs: Sequence[tuple[Recorded, Value]], wanted: Sequence[Link], *, consume: bool = False
) -> list[Value | None]:
    """
    Cotangents of the `wanted` outputs of nodes, given those of `outputs` of the same record; None is zero.

    With `consume`, each node lets go of what it kept as soon as it was pulled.
    """
    sums = Sums()
    for value, ct in outputs:
        sums.add(value.node, value.index, ct)
    asked = {node for node, _ in wanted}
    results: dict[Node, Any] = {}
    order = ancestors(value.node for value, _ in outputs)
    while order:
        node = order.pop()
        ct = sums.take(node)
        if ct is None:
            continue
        if node in asked:
            results[node] = ct
        if node.prim is None:
            continue
        contributions = node.linear_map("reverse").pull(ct)
        if consume:
            node.release()
        for link, term in zip(node.parents, contributions, strict=True):
            if link is None or term is None:
                continue
            # an entry may be a thunk, so that nothing is computed that nobody asks for
            sums.add(link[0], link[1], term() if term.__class__ is FunctionType else term)
    return [_entry(results.get(node), index) for node, index in wanted]


def _entry(gathered: Any, index: int) -> Value | None:
    return gathered[index] if gathered.__class__ is tuple else gathered


def push_along(
    leaves: Sequence[tuple[Recorded, Value | None]], outputs: Sequence[Recorded], order: Sequence[Node]
) -> list[Value | None]:
    """Tangents of recorded `outputs`, given those of the leaves; `order` lists their ancestors, oldest first."""
    tangents: dict[Node, Any] = {value.node: tangent for value, tangent in leaves if tangent is not None}
    for node in order:
        if node.prim is None:
            continue
        incoming = [None if link is None else _entry(tangents.get(link[0]), link[1]) for link in node.parents]
        if any(tangent is not None for tangent in incoming):
            tangents[node] = node.linear_map("forward").push(*incoming)
    return [_entry(tangents.get(value.node), value.index) for value in outputs]


def without_recording() -> Any:
    """Context in which ordinary autograd records nothing, whatever the enclosing mode."""
    return paused_up_to(max(paused_level.get(), root.level))
