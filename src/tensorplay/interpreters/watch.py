"""
Watch: the first operator that makes a NaN (or an infinity) is named, with its line, mode and sample.

While somebody watches, in whatever thread, the methods through which ops pass are replaced by ones that look at what
comes out; a context variable says who watches. At all other times nothing of this is on an op's way.

An op that is called by another op's rule is part of that one, the event: what it makes may be put right before the
event is over, so only results of events are looked at.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap, computed
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Traced, Value
from tensorplay.errors import PACKAGE, AnomalyError, user_line
from tensorplay.interpreters import pull, push, sums
from tensorplay.interpreters.batch import Basis, Batch, Batched, Portion
from tensorplay.interpreters.forward import Dual, Forward
from tensorplay.interpreters.record import Node, Record, Recorded
from tensorplay.interpreters.stage import Stage

Array = np.ndarray[Any, Any]


class Origin(NamedTuple):
    """What an op is part of: the operator that the user called, its line, and which derivative of it (0: its value)."""

    operator: str
    line: str
    order: int = 0
    part: str = ""


@dataclass(frozen=True)
class Watch:
    """What is looked for, which event goes on, at which line if not the caller's, and in which samples it counts."""

    nan: bool = True
    inf: bool = False
    event: Origin | None = None
    line: str = ""
    taken: tuple[tuple[Array, tuple[Batch, ...]], ...] = ()


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
watching = _watch.get
# whose derivative was taken last: cotangents are added up between events
_latest: ContextVar[Origin | None] = ContextVar("latest", default=None)


# ---- who watches -----------------------------------------------------------------------------------------------------

_lock = threading.Lock()
_count = 0
_changes = 0
MOST_CHANGES = 200  # Python stops caching the attributes of a class that is changed very often


def watch(new: Watch | None) -> Watch | None:
    """Let this context watch for something, or for nothing; what it watched for until now."""
    global _count
    old = watching()
    _watch.set(new)
    with _lock:
        _count += (new is not None) - (old is not None)
        _replace_methods(_count > 0)
    return old


@contextmanager
def _event(here: Watch, origin: Origin) -> Iterator[None]:
    token = _watch.set(replace(here, event=origin))
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def counting_where(condition: Value, wanted: bool) -> Iterator[None]:
    """A branch that samples take whose `condition` is as `wanted`; what the others compute is not looked at."""
    here = watching()
    if here is None:
        yield
        return
    (part,) = parts(condition)
    token = _watch.set(replace(here, taken=(*here.taken, (part.array == wanted, part.levels))))
    try:
        yield
    finally:
        _watch.reset(token)


def at_line(line: str, prim: Primitive, *args: Value, **params: Any) -> Any:
    """Result of an op that was written at some other line than the one that asks for it now."""
    here = watching()
    if here is None:
        return prim(*args, **params)
    token = _watch.set(replace(here, line=line))
    try:
        return prim(*args, **params)
    finally:
        _watch.reset(token)


# ---- the methods -----------------------------------------------------------------------------------------------------

_call = Primitive.__call__
_batch, _forward, _record, _stage = Batch.process, Forward.process, Record.process, Stage.process
_short_ways = [
    (cls, name, getattr(cls, name)) for cls in (Batch, Forward, Record) for name in ("unary", "binary", "planned")
]
_linear_map = Node.linear_map


def _watched_call(prim: Primitive, *args: Value, **params: Any) -> Any:
    return _observed(prim, args, params, lambda: _call(prim, *args, **params))


def _watched_process(plain: Callable[..., Any]) -> Callable[..., Any]:
    def process(level: Any, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        return _observed(prim, args, params, lambda: plain(level, prim, args, params))

    return process


def _noting_batch(level: Batch, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
    """Values know which operator made them, and where, in case that they escape."""
    out = _batch(level, prim, args, params)
    here = watching()
    if here is not None and here.event is not None:
        for entry in out if out.__class__ is tuple else (out,):
            if entry.__class__ is Batched and entry.owner is level:
                entry.made = f"{here.event.operator} at {here.event.line}"
    return out


def _noting_record(level: Record, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
    """Nodes know what they are part of."""
    out = _record(level, prim, args, params)
    here = watching()
    if here is not None and here.event is not None:
        for entry in out if out.__class__ is tuple else (out,):
            if entry.__class__ is Recorded and entry.owner is level and entry.node.prim.__class__ is not Noted:
                entry.node.prim = Noted(entry.node.prim, here.event)
    return out


def _watched_linear_map(node: Node, mode: str) -> LinearMap:
    here = watching()
    if here is None or here.event is not None:
        return _linear_map(node, mode)
    origin = _derivative_of(node.prim)
    values = [*(node.out if node.arity else (node.out,)), *(node.args or ())]
    with _event(here, origin):
        return WatchedMap(_linear_map(node, mode), node.prim, origin, values)


def _replace_methods(watched: bool) -> None:
    global _changes
    if watched == (vars(Primitive)["__call__"] is _watched_call) or (not watched and _changes > MOST_CHANGES):
        return
    _changes += 1
    for cls, name, plain, replacement in (
        (Primitive, "__call__", _call, _watched_call),
        (Batch, "process", _batch, _watched_process(_noting_batch)),
        (Forward, "process", _forward, _watched_process(_forward)),
        (Record, "process", _record, _watched_process(_noting_record)),
        *[(cls, name, short, getattr(Interpreter, name)) for cls, name, short in _short_ways],
        (Stage, "process", _stage, _watched_process(_stage)),
        (Node, "linear_map", _linear_map, _watched_linear_map),
    ):
        setattr(cls, name, replacement if watched else plain)


# ---- derivatives -----------------------------------------------------------------------------------------------------


class Noted(Primitive):
    """A node's primitive that knows what it is part of; its derivative is always taken by the linear map."""

    __slots__ = ("noted", "origin")

    lasting = False

    def __init__(self, prim: Primitive, origin: Origin) -> None:
        for name in Primitive.__slots__:
            setattr(self, name, getattr(prim, name))
        self.pull_once = None
        self.noted = prim
        self.origin = origin

    def linear_map(self, mode: str, out: Any, args: Sequence[Value], params: dict[str, Any]) -> LinearMap:
        """Derivative at a point."""
        return self.noted.linear_map(mode, out, args, params)


def _derivative_of(prim: Primitive) -> Origin:
    if not isinstance(prim, Noted):
        return Origin(prim.name, "called before it was watched", 1)
    origin = prim.origin
    return origin._replace(order=origin.order + 1, part="" if prim.name == origin.operator else prim.name)


class WatchedMap(LinearMap):
    """A derivative of which every tangent and cotangent is looked at."""

    __slots__ = ("made", "origin", "prim", "values")

    def __init__(self, made: LinearMap, prim: Primitive, origin: Origin, values: Sequence[Value]) -> None:
        self.made = made
        self.prim = prim
        self.origin = origin
        self.values = values

    def push(self, *tangents: Value | None) -> Any:
        """Tangent of the output."""
        return self._look("tangent", tangents, lambda: self.made.push(*tangents))

    def pull_wanted(self, ct: Any, wanted: Sequence[Any]) -> Sequence[Any]:
        """Cotangents of the wanted arguments."""
        return self._look("cotangent", listed(ct), lambda: [*map(computed, self.made.pull_wanted(ct, wanted))])

    def _look(self, what: str, given: Sequence[Value | None], compute: Callable[[], Any]) -> Any:
        here = watching()
        if here is None or here.event is not None:
            return compute()
        _latest.set(self.origin)
        with _event(here, self.origin):
            out = compute()
        elementwise = self.prim.family == "elementwise"
        operands = [*[("operand", value) for value in self.values[1:]], *[(what, value) for value in given]]
        _look_at(here, self.origin, out, operands, [*self.values, *given], elementwise)
        return out


# ---- looking ---------------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """An array inside a value: which levels its leading dims stand for, and of how many tangents it is one."""

    array: Array
    levels: tuple[Batch, ...]
    order: int


def parts(value: Any, levels: tuple[Batch, ...] = (), order: int = 0) -> Iterator[Part]:
    """The arrays of which a value is made, tangents last."""
    if isinstance(value, Traced):
        levels = (value.owner, *levels) if isinstance(value, Batched) else levels
        yield from parts(value.inner, levels, order)
        if isinstance(value, Dual):
            yield from parts(value.tangent, levels, order + 1)
    elif isinstance(value, np.ndarray | np.generic | float | complex):
        yield Part(np.asarray(value), levels, order)
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from parts(entry, levels, order)


def listed(out: Any) -> Sequence[Any]:
    """Entries of what may be one value or several."""
    return out if isinstance(out, tuple | list) else (out,)


def _observed(prim: Primitive, args: tuple[Value, ...], params: dict[str, Any], run: Callable[[], Any]) -> Any:
    """Result of an op that is looked at, unless another is going on of which it is part."""
    here = watching()
    if here is None or here.event is not None:
        return run()
    origin = Origin(prim.name, here.line or user_line())
    with _event(here, origin):
        out = run()
    operands = [("operand", arg) for arg in args]
    _look_at(here, origin, out, operands, [*args, *params.values()], prim.family == "elementwise")
    return out


def _look_at(
    here: Watch, origin: Origin, out: Any, operands: Sequence[Any], given: Sequence[Any], elementwise: bool
) -> None:
    """Raise if an op made of what it was given, which was none, what is looked for."""
    for wrong, is_wrong, excuses in (("nan", np.isnan, np.isnan), ("inf", np.isinf, _not_finite)):
        if not getattr(here, wrong):
            continue
        for entry in listed(out):
            for part in parts(entry):
                if part.array.dtype.kind in "fc" and (found := is_wrong(part.array)).any():
                    found &= ~_excused(part, given, excuses, elementwise)
                    for taken, levels in here.taken:
                        found &= _aligned(taken, levels, part)
                    if found.any():
                        _blame(origin, wrong, part, found, operands, elementwise)


def _not_finite(array: Array) -> Any:
    return ~np.isfinite(array)


def _excused(part: Part, given: Sequence[Any], excuses: Callable[[Array], Any], elementwise: bool) -> Any:
    """Where one of the operands is an excuse: in the same element of an elementwise op, else in the same sample."""
    excused: Any = np.zeros((), bool)
    for operand in given:
        for array, levels, order in parts(operand):
            if array.dtype.kind not in "fc" or order > part.order:
                continue
            wrong = excuses(array)
            by_element = elementwise and _fits(array.shape[len(levels) :], part.array.shape[len(part.levels) :])
            if not by_element:
                wrong = wrong.any(axis=tuple(range(len(levels), wrong.ndim)))
            excused = excused | _aligned(wrong, levels, part)
    return excused


def _fits(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    tail = wanted[len(wanted) - len(shape) :]
    return len(shape) <= len(wanted) and all(a in (1, b) for a, b in zip(shape, tail, strict=True))


def _aligned(array: Any, levels: tuple[Batch, ...], part: Part) -> Array:
    """Truths over some levels, and perhaps a sample's dims, as they broadcast against a part; of other levels, any."""
    foreign = tuple([dim for dim, level in enumerate(levels) if level not in part.levels])
    array = array.any(axis=foreign) if foreign else array
    own = [level for level in levels if level in part.levels]
    sizes = iter(array.shape)
    lead = [next(sizes) if level in own else 1 for level in part.levels]
    rest = list(sizes)
    gap = part.array.ndim - len(part.levels) - len(rest)
    return array.reshape((*lead, *(1,) * gap, *rest))


# ---- telling ---------------------------------------------------------------------------------------------------------


def _blame(
    origin: Origin, wrong: str, part: Part, found: Array, operands: Sequence[tuple[str, Any]], elementwise: bool
) -> None:
    first = tuple(map(int, np.unravel_index(int(np.argmax(found)), found.shape)))
    count = len(part.levels)
    places, sample = _places(part.levels, first[:count])
    index = first[count:]
    values = _values_there(operands, part, first, elementwise)
    order, what = origin.order + part.order, ""
    if not origin.order and _within_derivative():
        origin, values, what = _latest.get() or origin, [], "the sum of cotangents after "
        order = max(origin.order, 1)
    what += f"the {_derivative(order)} of {origin.operator}"
    what += f" (its part {origin.part})" if origin.part else ""
    where = ", ".join([f"{wrong}", *[f"in {place}" for place in places]])
    where += f", at element {list(index)} of shape {list(part.array.shape[count:])}" if index else ""
    shown = f" ({', '.join(values)})" if values else ""
    raise AnomalyError(
        f"detect_anomaly: {what}, {origin.line}, is {where}, though nothing it was computed from is{shown}. Where this "
        "is deliberate, compute it in `with tp.autograd.set_detect_anomaly(False):`.",
        origin.operator,
        origin.line,
        "derivative" if order else "value",
        sample,
        index,
    )


def _derivative(order: int) -> str:
    names = ("value", "derivative", "second derivative", "third derivative")
    return names[order] if order < len(names) else f"derivative of order {order}"


def _places(levels: Sequence[Batch], first: Sequence[int]) -> tuple[list[str], Any]:
    """In which samples, in words and as numbers."""
    words, samples = [], []
    for level, number in zip(levels, first, strict=True):
        number += level.first if isinstance(level, Portion) else 0
        if isinstance(level, Basis):
            words.append(f"direction {number} of {level.title}")
        else:
            words.append(f"sample {number} of {level.title}")
            samples.append(number)
    return words, samples[0] if len(samples) == 1 else tuple(samples) or None


def _values_there(
    operands: Sequence[tuple[str, Any]], part: Part, first: tuple[int, ...], elementwise: bool
) -> list[str]:
    """The operands' numbers where the first wrong one is, as far as that is one number each."""
    texts = []
    count = len(part.levels)
    where = dict(zip(part.levels, first[:count], strict=True))
    for name, value in operands:
        for array, levels, order in parts(value):
            array = array[tuple([where.get(level, 0) for level in levels])]
            if array.size > 1:
                if not (elementwise and _fits(array.shape, part.array.shape[count:])):
                    continue
                inner = first[count:][len(first) - count - array.ndim :]
                array = array[tuple([i if n > 1 else 0 for i, n in zip(inner, array.shape, strict=True)])]
            if array.size:
                texts.append(f"{'tangent' if order else name} {array.item()!r}")
    return texts


def _within_derivative() -> bool:
    """Whether a pull or a push is what goes on: it adds up cotangents itself."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        if any([frame.f_globals is vars(module) for module in (pull, push, sums)]):
            return True
        frame = frame.f_back
    return False


# ---- a second look ---------------------------------------------------------------------------------------------------


def looked_at_whole(operator: str, error: AnomalyError, compute: Callable[[], Any]) -> Any:
    """
    Result of an operator of which a part was found to be wrong, if the operator itself puts it right.

    Raises the error, which then names the operator, if it does not.
    """
    here = watching()
    if here is None:
        raise error
    with _event(here, Origin(operator, error.line)):
        out = compute()
    for wrong, is_wrong in (("nan", np.isnan), ("inf", np.isinf)):
        if getattr(here, wrong) and any(
            [part.array.dtype.kind in "fc" and is_wrong(part.array).any() for part in parts(out)]
        ):
            raise error.within(operator) from None
    return out
