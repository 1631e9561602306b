"""
Record: ops leave nodes that link to what they came from, to be pulled back (reverse mode) or pushed along.

`grad`, `vjp`, `jacrev` pull a record back; `linearize` and `jacfwd` push tangents forward over one; ordinary autograd
is the record at level 0, which is always active.
"""

from __future__ import annotations

import itertools
import operator
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from tensorplay.core import writes
from tensorplay.core.hooks import HooksByKind, RemovableHandle, add_hook
from tensorplay.core.linear_map import LinearMap
from tensorplay.core.modes import SILENT, errors_now, paused_level, paused_now, paused_up_to
from tensorplay.core.primitive import MANY, Primitive, as_arrays
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Shape, Traced, Value, is_inexact
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.structure import MOST_OUTPUTS, form_of, number_if_known, number_of
from tensorplay.ops.families import OUT

LITTLE = 1 << 11  # elements; to keep so few costs less than to find out whether they must be kept
SMALL = 3 << 14  # elements; with so few, what an op costs besides its arithmetic is most of its time
NO_PARAMS: dict[str, Any] = {}
new_object = object.__new__
Link = tuple["Node", int]  # one output of a node


class Recorded(Traced):
    """A primal (`inner`) and the output of a node that made it (`link`)."""

    __slots__ = ("link",)
    owner: Record

    def __init__(self, owner: Record, primal: Value, link: Link) -> None:
        self.owner = owner
        self.inner = primal
        self.dtype = primal.dtype
        self.link = link

    @property
    def node(self) -> Node:
        """The node that made this value."""
        return self.link[0]


class Outline:
    """Shape and dtype of a value that a derivative does not read, kept in its stead."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype

    @property
    def ndim(self) -> int:
        """Length of `shape`."""
        return len(self.shape)


def outline(value: Any) -> Any:
    """Shape and dtype of a value, or of each of several; a Python number is kept as it is."""
    if value.__class__ is ndarray or isinstance(value, Traced):
        return Outline(value.shape, value.dtype)
    return tuple(map(outline, value)) if value.__class__ is tuple else value


class Node:
    """One recorded op: its parents, and what its derivative reads."""

    arity = 0  # number of outputs, 0 for an op with a single one
    structure = 0  # its number, where the record is structured
    plain = True  # whether a cotangent is one value, which no hook looks at
    hooks: HooksByKind | None = None
    map: LinearMap | None = None

    level: Record
    prim: Primitive
    params: dict[str, Any]
    parents: Sequence[Link | None]
    out: Any
    args: Sequence[Value] | None
    order: int
    clock: int

    def __repr__(self) -> str:
        return f"<recorded {self.prim.name}>"

    def keep_what_is_read(self) -> None:
        """Of what the derivative does not read, keep only the outline."""
        read = self.prim.read_for(self.parents)
        if read is None or self.args is None:
            return
        if OUT not in read:
            self.out = outline(self.out)
        self.args = [arg if i in read else outline(arg) for i, arg in enumerate(self.args)]

    def linear_map(self, mode: str) -> LinearMap:
        """The op's derivative at the recorded point."""
        if self.args is None or writes.latest != self.clock:
            self.check_unwritten()
        if self.map is None:
            made = self.prim.linear_map(mode, self.level.saved_output(self), self.args or (), self.params)
            if not self.level.keeps_maps:
                return made
            self.map = made
        return self.map

    def check_unwritten(self) -> None:
        """Raise if what the derivative reads is gone, or its memory was written in place after the op ran."""
        if self.args is None:
            raise RuntimeError(
                "backward: the graph was freed by an earlier backward. Pass retain_graph=True to the first call if you "
                "want to go through the graph again."
            )
        outs = self.out if self.out.__class__ is tuple else (self.out,)
        read = self.prim.read_for(self.parents)
        kept = [*outs, *self.args]
        if read is not None:
            kept = [*(outs if OUT in read else ()), *[arg for i, arg in enumerate(self.args) if i in read]]
        for value in kept:
            what = writes.write_since(value, self.clock)
            if what is not None:
                raise RuntimeError(
                    f"{self.prim.name}: a tensor of shape {list(value.shape)} that its derivative needs was modified "
                    f"in place afterwards, by {what}. Write to a copy (x.clone()), or use the out-of-place form of the "
                    "operation."
                )


class Leaf(Node):
    """Where a derivative ends: an argument of a transform, or a tensor that requires grad (`target`, weakly)."""

    prim: Any = None
    parents: Sequence[Link | None] = ()
    args = None

    def __init__(self, level: Record, target: weakref.ref[Any] | None = None) -> None:
        self.order = next(level.orders)
        self.target = target

    def __repr__(self) -> str:
        return "<leaf>"


class Record(Interpreter):
    """
    One active `vjp`, `grad` or `linearize`.

    A `structured` one tells the structure of each node, as long as there is a program for what it records.
    """

    __slots__ = ("batch", "clock", "hooked", "orders", "simple", "structured", "traced")
    joins = True
    keeps_maps = True  # the derivative at a recorded point is made once, from values one level below

    def __init__(self, title: str, structured: bool = False) -> None:
        super().__init__(title)
        self.orders = itertools.count()
        self.structured = structured
        self.batch: Batch | None = None  # of which samples are recorded
        self.traced = False  # whether another level traces what is recorded
        self.clock = writes.latest
        self.simple = True  # whether all that was recorded are small arrays
        self.hooked = False  # whether a hook was registered on a tensor, which needs a pull

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Evaluate the op one level below and note how its output came about."""
        primals: list[Value] = []
        parents: list[Link | None] = []
        operands: list[Hashable] = []
        plain = errors_now() is SILENT
        impl = prim.impl
        if not prim.lasting:
            self.structured = False
        for arg in args:
            link = None
            if arg.__class__ is Recorded and arg.owner is self:
                arg, link = arg.inner, arg.link
            primals.append(arg)
            parents.append(link)
            if arg.__class__ is ndarray:
                if arg.size > MANY:
                    impl = prim.many
            elif isinstance(arg, Traced):
                plain = False
                if arg.owner is not self.batch or arg.inner.__class__ is not ndarray:
                    self._note_tracer(arg)
            if self.structured:
                operands.append(form_of(arg) if link is None else link[0].structure + link[1])
        if plain:  # nothing below watches: straight to the kernel
            out = impl(*primals, **params) if params else impl(*primals)
            if out.__class__ is not ndarray:
                out = as_arrays(out)
        else:
            out = prim(*primals, **params)
        if not (prim.differentiable or self.records_zeros(prim)) or paused_now() >= self.level:
            return out
        if not (any(map(is_inexact, out)) if out.__class__ is tuple else out.dtype.kind in "fc"):
            return out
        if self.structured:
            operands += params.items()
            # which elements may have decided
            operands += [o.shape for o in out] if out.__class__ is tuple else [out.shape]
        return self._recorded(prim, parents, out, primals if self.keeps_maps else args, params, tuple(operands))

    def unary(self, prim: Primitive, value: Value) -> Value:
        """The same in fewer steps."""
        if errors_now() is not SILENT or paused_now() >= self.level:
            return self.process(prim, (value,), {})
        x, link = value.inner, value.link
        if x.__class__ is ndarray and x.size <= SMALL:
            out = prim.impl(x)
            if out.__class__ is not ndarray:
                out = as_arrays(out)
        elif x.__class__ is ndarray:
            out = prim(x)
        else:
            if x.owner is not self.batch or x.inner.__class__ is not ndarray:
                self._note_tracer(x)
            out = x.owner.unary(prim, x) if x.owner.alive else prim(x)
        return self._recorded(prim, (link,), out, (x,), NO_PARAMS, link[0].structure + link[1])

    def binary(self, prim: Primitive, first: Value, other: Value) -> Value:
        """The same in fewer steps."""
        if errors_now() is not SILENT or paused_now() >= self.level:
            return self.process(prim, (first, other), {})
        x, y, link, other_link = first, other, None, None
        if first.__class__ is Recorded and first.owner is self:
            x, link = first.inner, first.link
        if other.__class__ is Recorded and other.owner is self:
            y, other_link = other.inner, other.link
        if (x.size <= SMALL if x.__class__ is ndarray else not isinstance(x, Traced)) and (
            y.size <= SMALL if y.__class__ is ndarray else not isinstance(y, Traced)
        ):
            out = prim.impl(x, y)
            if out.__class__ is not ndarray:
                out = as_arrays(out)
        else:
            for value in (x, y):
                if isinstance(value, Traced) and (
                    value.owner is not self.batch or value.inner.__class__ is not ndarray
                ):
                    self._note_tracer(value)
            out = prim(x, y)
        operands: Hashable = None
        if self.structured:
            form = form_of(x) if link is None else link[0].structure + link[1]
            if other_link is not None:
                operands = (form, other_link[0].structure + other_link[1])
            else:  # mostly a number: `form_of` in place
                operands = (form, (y.shape, y.dtype.char) if y.__class__ is ndarray else form_of(y))
        return self._recorded(prim, (link, other_link), out, (x, y), NO_PARAMS, operands)

    def planned(self, prim: Primitive, args: Sequence[Value], params: dict[str, Any]) -> Value:
        """The same in fewer steps."""
        if errors_now() is not SILENT or paused_now() >= self.level:
            return self.process(prim, tuple(args), params)
        primals: list[Value] = []
        parents: list[Link | None] = []
        operands: list[Hashable] = []
        for arg in args:
            link = None
            if arg.__class__ is Recorded:
                arg, link = arg.inner, arg.link
            if arg.__class__ is not ndarray or arg.size > SMALL:
                return self.process(prim, tuple(args), params)
            primals.append(arg)
            parents.append(link)
            operands.append(form_of(arg) if link is None else link[0].structure + link[1])
        out = prim.impl(*primals, **params)
        if out.__class__ is not ndarray:
            out = as_arrays(out)
        return self._recorded(prim, parents, out, primals, params, (*operands, *params.items()))

    def _note_tracer(self, value: Value) -> None:
        """Note who traces what is recorded: nobody, one `vmap`, or others too."""
        self.simple = False
        if value.__class__ is Batched and value.inner.__class__ is ndarray and self.batch in (None, value.owner):
            self.batch = value.owner
        else:
            self.traced = True

    def _recorded(
        self,
        prim: Primitive,
        parents: Sequence[Link | None],
        out: Any,
        args: Sequence[Value],
        params: dict[str, Any],
        operands: Hashable,
    ) -> Any:
        """The output of an op as a value of this level; `operands` tells the structure of these."""
        node = new_object(Node)  # `__init__` would cost as much again
        node.level = self
        node.prim = prim
        node.params = params
        node.parents = parents
        node.out = out
        node.args = args
        node.order = next(self.orders)
        node.clock = writes.latest
        if self.structured:
            structure = (prim, operands, node.order)
            try:
                node.structure = number_if_known(structure) or number_of(structure)
            except TypeError:  # a parameter that can change
                self.structured = False
        if out.__class__ is tuple:
            return self._outputs_of(node)
        size = out.size if out.__class__ is ndarray else out.extent
        if size > LITTLE:
            node.keep_what_is_read()
            if size > SMALL:
                self.simple = self.structured = False
        recorded = new_object(Recorded)
        recorded.owner = self
        recorded.inner = out
        recorded.dtype = out.dtype
        recorded.link = (node, 0)
        return recorded

    def _outputs_of(self, node: Node) -> tuple[Value, ...]:
        """The outputs of an op with several."""
        outs: tuple[Value, ...] = node.out
        node.arity = len(outs)
        node.plain = False
        if (
            len(outs) > MOST_OUTPUTS
            or max([o.size if o.__class__ is ndarray else o.extent for o in outs], default=0) > SMALL
        ):
            self.simple = self.structured = False
        node.keep_what_is_read()
        return tuple([Recorded(self, out, (node, i)) if is_inexact(out) else out for i, out in enumerate(outs)])

    def records_zeros(self, prim: Primitive) -> bool:
        """Whether an op that is constant almost everywhere leaves a node."""
        return False

    def saved_output(self, node: Node) -> Any:
        """The output that a node kept, as its derivative is to read it."""
        return node.out

    def hook(self, node: Node, kind: str, look: Callable[[list[Any]], None]) -> RemovableHandle:
        """
        Let `look` see the cotangents that arrive at a node of this level, as a list, in which it may put others.

        Hooks of the kind "change" are called before those of the kind "look".
        """
        node.hooks = {} if node.hooks is None else node.hooks
        node.plain = False
        self.simple = self.structured = False
        return add_hook(node.hooks, kind, look)

    def leaf(self, primal: Value) -> Recorded:
        """A value to differentiate with respect to."""
        leaf = Leaf(self)
        if primal.__class__ is not ndarray:
            self._note_tracer(primal)
        if self.structured:
            leaf.structure = number_of((form_of(primal), leaf.order))
        return Recorded(self, primal, (leaf, 0))

    def is_recorded(self, value: Value) -> bool:
        """Whether this level watches `value`."""
        return value.__class__ is Recorded and value.owner is self

    def lower(self, value: Value) -> Value:
        """`value` one level below."""
        return value.inner if self.is_recorded(value) else value


class RootRecord(Record):
    """
    Ordinary autograd: always active, at level 0.

    Its derivatives can be recorded at the same level (`create_graph`), so nodes keep recorded values, and the
    derivative at a recorded point is made anew for each pull.
    """

    __slots__ = ()
    joins = False  # what it records is shown, op by op
    keeps_maps = False

    def __init__(self) -> None:
        super().__init__("autograd")
        self.level = 0

    # values are kept as they are, not as they are below
    unary, binary, planned = Interpreter.unary, Interpreter.binary, Interpreter.planned

    def records_zeros(self, prim: Primitive) -> bool:
        """A tensor computed from one that requires grad has a gradient, be it zero."""
        return not prim.constant

    def saved_output(self, node: Node) -> Any:
        """The output as a recorded value; a node that held that itself would never be freed."""
        if node.arity == 0:
            return Recorded(self, node.out, (node, 0))
        return tuple([Recorded(self, o, (node, i)) if is_inexact(o) else o for i, o in enumerate(node.out)])


root = RootRecord()


_order_of = operator.attrgetter("order")


def ancestors(nodes: Iterable[Node]) -> list[Node]:
    """`nodes` and all they came from, in the order in which they were recorded."""
    found = set(nodes)
    pending = list(found)
    while pending:
        for link in pending.pop().parents:
            if link is not None and link[0] not in found:
                found.add(link[0])
                pending.append(link[0])
    return sorted(found, key=_order_of)


def entry_of(per_output: Any, index: int) -> Value | None:
    """What is known of one output of a node: an entry, or all there is where the op has a single output."""
    return per_output[index] if per_output.__class__ in (tuple, list) else per_output


def without_recording() -> Any:
    """Context in which ordinary autograd records nothing, whatever the enclosing mode."""
    return paused_up_to(max(paused_level.get(), root.level))
