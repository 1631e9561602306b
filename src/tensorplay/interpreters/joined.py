"""
Joined: a row of primitives as one primitive, which an interpreter handles in one step.

It is given as a function on values that calls primitives and asks for no elements. What interpreters need to know, the
kernel, derivatives and batches, follows from that function: each is the function, run on symbols by an interpreter of
the kind concerned, and written down as a kernel or as a row of primitives in turn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.modes import quiet
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Traced, Value
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.forward import Dual, Forward
from tensorplay.interpreters.record import Link, Node, Record, ancestors
from tensorplay.interpreters.writer import (
    CarefulWriter,
    DependsOnValues,
    PrimitiveWriter,
    Symbol,
    Writer,
    pull_in_order,
)
from tensorplay.ops.families import add, expand
from tensorplay.ops.kernels import is_finite

Function = Callable[..., Sequence[Value | None]]  # of values
Form = tuple[Shape, np.dtype[Any]]


def form(value: Value) -> Form:
    """Shape and dtype."""
    return value.shape, value.dtype


class Joined(Primitive):
    """
    A row of primitives as one.

    Parameters
    ----------
    run : callable
        Calls the primitives, on values of the given forms; returns a tuple of values.
    forms : sequence of (shape, dtype)
        Of its arguments.
    """

    __slots__ = ("_rules", "run")

    def __init__(self, run: Function, forms: Sequence[Form]) -> None:
        # not registered: it lives as long as what holds it
        self.name = self.family = "joined"
        self.reads = (frozenset(range(len(forms))),)
        self.differentiable = self.formal = True
        self.constant = False
        self.arity = 0
        self.derivative_rule = self.batch_rule = self.pull_once = None
        self.run = run
        self.impl = self.many = _kernel(run, forms)
        self._rules: dict[Hashable, Function] = {}

    def __call__(self, *args: Value, **_: Any) -> Any:
        """The result of the whole where each level takes it as one primitive, else of the primitives."""
        for arg in args:
            if isinstance(arg, Traced) and not arg.owner.joins:
                return _single(self.run(*args))
        return super().__call__(*args)

    def linear_map(self, mode: str, out: Any, args: Sequence[Value], params: dict[str, Any]) -> LinearMap:
        """Derivative at a point."""
        return JoinedMap(self, args)

    def push_once(self, primals: Sequence[Value], tangents: Sequence[Value | None]) -> tuple[Any, Any]:
        """Output and its tangent, which share what both compute."""
        given = tuple([tangent is not None for tangent in tangents])
        found = self.by_rule(_pushed, (given, True), [*primals, *[dot for dot in tangents if dot is not None]])
        half = len(found) // 2
        return _single(found[:half]), _single(found[half:])

    def batched(self, level: Any, args: tuple[Value, ...], mapped: tuple[bool, ...], params: dict[str, Any]) -> Any:
        """``(out, out_mapped)`` over the batch of a level."""
        return _single(self.by_rule(_batched, (level.size, mapped), args)), True

    def by_rule(self, way: Callable[..., Any], pattern: tuple[Hashable, ...], values: Sequence[Value]) -> Any:
        """What a derivative or batch of this row gives for values, whose forms the pattern decides."""
        rule = self._rules.get((way, pattern))
        if rule is None:
            function = functools.partial(way, self.run, *pattern)
            try:
                rule = joined(function, [form(value) for value in values])
            except DependsOnValues:
                rule = function
            self._rules[way, pattern] = rule
        return rule(*values)


class JoinedMap(LinearMap):
    """Tangents and cotangents go through the row written for those that there are."""

    __slots__ = ("args", "prim")

    def __init__(self, prim: Joined, args: Sequence[Value]) -> None:
        self.prim = prim
        self.args = args

    def push(self, *tangents: Value | None) -> Any:
        """Tangents of the outputs."""
        given = tuple([tangent is not None for tangent in tangents])
        values = [*self.args, *[tangent for tangent in tangents if tangent is not None]]
        return _single(self.prim.by_rule(_pushed, (given, False), values))

    def pull_wanted(self, ct: Any, wanted: Sequence[Any]) -> Sequence[Value | None]:
        """Cotangents of the arguments that are wanted."""
        cts = ct if ct.__class__ is tuple else (ct,)
        asked = tuple([w is not None for w in wanted])
        given = tuple([ct is not None for ct in cts])
        values = [*self.args, *[ct for ct in cts if ct is not None]]
        found: Sequence[Value | None] = self.prim.by_rule(_pulled, (asked, given), values)
        return found


def _single(outs: Sequence[Any]) -> Any:
    return outs[0] if len(outs) == 1 else tuple(outs)


# ---- what is written down --------------------------------------------------------------------------------------------


def joined(function: Function, forms: Sequence[Form]) -> Function:
    """
    A function of values of some forms, its primitives joined in one.

    Raises `DependsOnValues` where that cannot be.
    """
    writer = PrimitiveWriter()
    names = [f"a{i}" for i in range(len(forms))]
    with quiet():
        results = function(*_symbols(writer, names, forms))
        there = [value for value in results if value is not None]
        if not there:
            return lambda *_: [None] * len(results)
        read = writer.drop_unread(there)
        used = [i for i, name in enumerate(names) if name in read]
        head = f"def program({', '.join([names[i] for i in used])}):"
        prim = Joined(writer.function([head], there), [forms[i] for i in used])
    if len(there) == len(results) > 1:
        return lambda *values: prim(*[values[i] for i in used])
    places = [None if value is None else sum([v is not None for v in results[:i]]) for i, value in enumerate(results)]

    def call(*values: Value) -> Sequence[Value | None]:
        outs = prim(*[values[i] for i in used])
        outs = outs if outs.__class__ is tuple else (outs,)
        return [None if place is None else outs[place] for place in places]

    return call


def _symbols(writer: Writer, names: Sequence[str], forms: Sequence[Form]) -> list[Symbol]:
    """Symbols of ones; of integers and bools, which may be places, of zeros."""
    return [
        Symbol(writer, name, (np.ones if dtype.kind in "fc" else np.zeros)(shape, dtype))
        for name, (shape, dtype) in zip(names, forms, strict=True)
    ]


def _kernel(run: Function, forms: Sequence[Form]) -> Callable[..., Any]:
    plain = _lines(Writer(), run, forms)
    careful: list[Callable[..., Any]] = []

    def kernel(*arrays: Any) -> Any:
        # what is not in the results was neither on the way: zero and infinity met nowhere
        outs = plain(*arrays)
        for out in outs:
            if not is_finite(out):
                if not careful:
                    careful.append(_lines(CarefulWriter(), run, forms))
                outs = careful[0](*arrays)
                break
        return outs if len(outs) > 1 else outs[0]

    return kernel


def _lines(writer: Writer, run: Function, forms: Sequence[Form]) -> Callable[..., Any]:
    """A function on arrays, of kernels only."""
    names = [f"a{i}" for i in range(len(forms))]
    results = run(*_symbols(writer, names, forms))
    writer.drop_unread(results)
    lines: Callable[..., Any] = writer.function([f"def program({', '.join(names)}):"], results)
    return lines


# ---- derivatives and batches -----------------------------------------------------------------------------------------


def _pulled(run: Function, asked: Sequence[bool], given: Sequence[bool], *values: Value) -> Sequence[Value | None]:
    """Cotangents of all arguments, of which some are asked for, from those of the outputs that are given."""
    level = Record("pull")
    arguments: list[Any] = [level.leaf(value) if here else value for value, here in zip(values, asked, strict=False)]
    outs: list[Any] = [out for out, here in zip(run(*arguments), given, strict=True) if here]
    cotangents: dict[Link, Value] = {}
    for out, ct in zip(outs, values[len(asked) :], strict=True):
        if level.is_recorded(out):
            have = cotangents.get(out.link)
            cotangents[out.link] = ct if have is None else add(have, ct)
    nodes = ancestors([node for node, _ in cotangents])
    pull_in_order(nodes[::-1], cotangents, _kept)
    return [cotangents.get(argument.link) if here else None for argument, here in zip(arguments, asked, strict=True)]


def _kept(node: Node) -> tuple[Any, Sequence[Value]]:
    return node.out, node.args or ()


def _pushed(run: Function, given: Sequence[bool], with_primals: bool, *values: Value) -> Sequence[Value | None]:
    """Tangents of the outputs, after the outputs if these are asked for; those that are given follow the arguments."""
    level = Forward("push")
    tangents = iter(values[len(given) :])
    arguments = [
        Dual(level, value, next(tangents)) if here else value for value, here in zip(values, given, strict=False)
    ]
    pairs = [level.split(out) for out in run(*arguments)]
    return [*[primal for primal, _ in pairs if with_primals], *[tangent for _, tangent in pairs]]


def _batched(run: Function, size: int, mapped: Sequence[bool], *values: Value) -> Sequence[Value]:
    """Outputs for all samples."""
    level = Batch("joined", size)
    outs: Sequence[Any] = run(
        *[Batched(level, value) if here else value for value, here in zip(values, mapped, strict=True)]
    )
    return [
        out.inner if out.__class__ is Batched and out.owner is level else expand(out, shape=(size, *out.shape))
        for out in outs
    ]
