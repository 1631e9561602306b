"""
A user's operation with rules of its own, as a primitive: lifted under derived maps, transposed where a mode is missing.

`Operation` says, on tensors, what is computed and which rules there are; `Call` makes a primitive of one application.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.modes import ALL_RECORD, paused_level, paused_up_to
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter, active, seeing, settle
from tensorplay.core.value import Traced, Value, ground, is_inexact
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.pull import pull_back
from tensorplay.interpreters.record import Record, root
from tensorplay.interpreters.tape import Tape
from tensorplay.ops import joining
from tensorplay.ops.families import expand, sum_dims
from tensorplay.ops.indexing import where
from tensorplay.ops.shape import slice_key
from tensorplay.ops.streams import Replay
from tensorplay.tensor.handle import Handle, wrap

Tensors = Sequence[Any]  # of Tensor, with None for a zero (co)tangent


class Operation:
    """
    One application of what a user defined: its value and its rules, on flat lists of tensors.

    Attributes
    ----------
    name : str
        How messages call it.
    batching : str
        "derived": the function and its rules are run on all samples at once; "loop": the function is run for each.
    has_push, has_pull : bool
        Which of the rules there are; the other is derived by transposing.
    count : int or None
        How many outputs have derivatives; any further ones are what `forward` saved for the rules.
    reads : tuple of frozenset of int or None
        As for a primitive.
    lowest : int or None
        The lowest level that `floor` can be where nothing traces an input; None: no level is too low.
    floor : int or None
        The lowest level that traces an input. What levels from there on trace must be an input. Inside of a checkpoint,
        whose rules run the operation again on its inputs, that is every level.
    paused : int
        Which levels record nothing where the operation is called.
    """

    name: str
    batching: str = "derived"
    has_push: bool = False
    has_pull: bool = False
    count: int | None = None
    reads: tuple[frozenset[int], ...] | None = None
    lowest: int | None = None
    floor: int | None = None
    paused: int = ALL_RECORD

    def forward(self, inputs: Tensors) -> Tensors:
        """The outputs."""
        raise NotImplementedError

    def known(self, maps: Sequence[Map]) -> tuple[Value, ...] | None:
        """The outputs, with the batch dims of the maps in front, if they need not be computed."""
        return None

    def push(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Tensors:
        """Tangents of the outputs."""
        raise NotImplementedError

    def pull(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors, wanted: Sequence[bool]) -> Tensors:
        """Cotangents of the inputs."""
        raise NotImplementedError

    def missing(self, what: str) -> NotImplementedError:
        """The error for a rule that there is not; it says how to give one."""
        raise NotImplementedError

    def batch(self, call: Call, level: Batch, args: Sequence[Value], mapped: tuple[bool, ...]) -> Any:
        """``(outs, outs_mapped)`` over a batch, as the batching rule of a primitive."""
        if self.batching == "loop":
            return call.looped(level, args, mapped), True
        return Call(self, (Map(level, mapped), *call.maps))(*args), True

    def apply(self, inputs: Tensors) -> list[Value]:
        """The outputs on the inputs as the user sees them, under every active transform."""
        values = [tensor.value for tensor in inputs]
        owners = [owner for value in values for owner in _owners_of(value)]
        levels = [root.level if isinstance(owner, Tape) else owner.level for owner in owners]
        self.floor = min(levels, default=self.lowest)
        self.paused = paused_level.get()
        return list(self._on_samples(values))

    def _on_samples(self, values: list[Value]) -> tuple[Value, ...]:
        """The outputs; for each sample of a map that draws for each, though nothing that it is given is mapped."""
        try:
            outs: tuple[Value, ...] = Call(self)(*values)
        except _DrawsPerSample as draws:
            each = Batched(draws.level, np.ones(draws.level.size, np.bool_))
            return self._on_samples([where(each, values[0], values[0]), *values[1:]])
        return outs

    def captured(self, title: str) -> RuntimeError:
        """The error for a tensor that a transform of that title traces and that is no input."""
        return RuntimeError(
            f"{self.name}: the result depends on a tensor that {title} traces and that is not among its arguments, so "
            "that its rules do not cover it. Pass the tensor as a positional argument, or detach it."
        )


def _owners_of(value: Value) -> list[Interpreter]:
    owners = []
    while isinstance(value, Traced):
        if value.owner.alive:
            owners.append(value.owner)
        value = value.inner
    return owners


class _DrawsPerSample(Exception):
    """A function draws for each sample of a map of which no input of it knows."""

    def __init__(self, level: Batch) -> None:
        super().__init__(level.title)
        self.level = level


class _Unseen(Interpreter):
    """In the place of a map of which no input of a function knows, and below which it cannot draw."""

    __slots__ = ("original",)

    def __init__(self, original: Batch) -> None:
        super().__init__(original.title)
        self.original = original

    def samples_to_draw(self, name: str) -> int | None:
        """The function is to be run for each sample."""
        raise _DrawsPerSample(self.original)


class Map(NamedTuple):
    """A map that a call is under: the level whose work is done, and which inputs it maps over."""

    original: Batch
    mapped: tuple[bool, ...]


class _lifted(seeing):
    """Context of `Lift.active`, after which the levels are dead, whatever the user's function kept."""

    __slots__ = ("_levels",)

    def __init__(self, stack: tuple[Interpreter, ...], levels: Sequence[Batch]) -> None:
        super().__init__(stack)
        self._levels = levels

    def __exit__(self, *_: object) -> None:
        for level in self._levels:
            level.alive = False
        super().__exit__(*_)


class Lift:
    """
    Values of a call as its function sees them, under fresh levels for the maps that were derived for it.

    The levels are made for each use, so that they stand above all that traces the values.
    """

    __slots__ = ("_levels", "_maps")

    def __init__(self, maps: Sequence[Map]) -> None:
        self._maps = maps
        self._levels = [Batch(here.original.title, here.original.size, here.original.randomness) for here in maps]

    def active(self) -> Any:
        """Context in which random ops and new tensors know the levels in place of those whose work they do."""
        return _lifted(self._among(active()), self._levels) if self._maps else contextlib.nullcontext()

    def active_above(self, floor: int | None) -> Any:
        """The same, in which what draws for each sample of another map from the level `floor` on is told so."""
        stack = active()
        if floor is None or not stack:
            return self.active()
        seen = [_Unseen(level) if _draws_each(level, floor) else level for level in stack]
        return _lifted(self._among(seen, stack), self._levels)

    def _among(self, stack: Sequence[Interpreter], before: Sequence[Interpreter] = ()) -> tuple[Interpreter, ...]:
        originals = [here.original for here in self._maps]
        others = [level for level, was in zip(stack, before or stack, strict=True) if was not in originals]
        return (*others, *self._levels)

    def inputs(self, values: Sequence[Value | None]) -> list[Any]:
        """Tensors for the inputs, or for tangents of theirs."""
        return [None if value is None else wrap(self._input(value, number)) for number, value in enumerate(values)]

    def _input(self, value: Value, number: int) -> Value:
        for level, here in zip(self._levels, self._maps, strict=True):
            value = Batched(level, value) if here.mapped[number] else value
        return value

    def outputs(self, values: Sequence[Value | None]) -> list[Any]:
        """Tensors for the outputs, or for cotangents of theirs."""
        return [None if value is None else wrap(self._output(value)) for value in values]

    def _output(self, value: Value) -> Value:
        for level in self._levels:
            value = Batched(level, value)
        return value

    def lowered(self, tensor: Any) -> Value | None:
        """A result without the levels, whose batch dims then lead."""
        if tensor is None:
            return None
        value = tensor.value
        for level in reversed(self._levels):
            if value.__class__ is Batched and value.owner is level:
                value = value.inner
            else:
                value = expand(value, shape=(level.size, *value.shape))
        return value

    def lowered_input(self, tensor: Any, number: int) -> Value | None:
        """A cotangent for one input; an input that the samples share receives the sum over them."""
        value = self.lowered(tensor)
        shared = tuple([dim for dim, here in enumerate(self._maps) if not here.mapped[number]])
        return sum_dims(value, dims=shared) if shared and value is not None else value


def _draws_each(level: Interpreter, floor: int) -> TypeGuard[Batch]:
    return isinstance(level, Batch) and level.randomness == "different" and level.level >= floor


class Call(Primitive):
    """One application of an operation, as a primitive of its tensor inputs; the result is always a tuple."""

    __slots__ = ("maps", "operation")

    lasting = False

    def __init__(self, operation: Operation, maps: tuple[Map, ...] = ()) -> None:
        # not registered: it lives as long as the graph that holds it
        self.name = operation.name
        self.family = "general"
        self.reads = None
        self.differentiable = True
        self.constant = False
        self.derivative_rule = None
        self.batch_rule = None
        self.pull_once = None
        self.arity = 0
        self.formal = False
        self.operation = operation
        self.maps = maps

    def __call__(self, *args: Value, **params: Any) -> Any:
        out = super().__call__(*args, **params)
        self.reads = self.operation.reads
        return out

    def impl(self, *values: Value) -> tuple[Value, ...]:
        """The operation on plain values."""
        outs = self.operation.known(self.maps)
        if outs is None:
            outs = self._computed(values)
            self._refuse_captured(outs)
        self.reads = self.operation.reads
        return outs

    many = impl

    def _computed(self, values: Sequence[Value]) -> tuple[Value, ...]:
        lift = Lift(self.maps)
        # a checkpoint lets all derivatives rest, which would hide what the function captures
        with lift.active_above(self.operation.floor), paused_up_to(self.operation.paused):
            return tuple([settle(lift.lowered(out)) for out in self.operation.forward(lift.inputs(values))])

    def _refuse_captured(self, outs: Sequence[Value]) -> None:
        """What traces an input cannot trace a captured tensor too: there is no rule for that."""
        floor = self.operation.floor
        for out in outs:
            if floor is not None and isinstance(out, Traced) and out.owner.level >= floor:
                raise self.operation.captured(out.owner.title)

    def linear_map(self, mode: str, out: Any, args: Sequence[Value], params: dict[str, Any]) -> LinearMap:
        """The rules at a point."""
        if not self.operation.has_push and not self.operation.has_pull:
            raise self.operation.missing(f"{mode}-mode derivative")
        return _CallMap(self, out, args)

    def batched(self, level: Batch, args: tuple[Value, ...], mapped: tuple[bool, ...], params: dict[str, Any]) -> Any:
        """The operation over a batch."""
        return self.operation.batch(self, level, args, mapped)

    def looped(self, level: Batch, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, ...]:
        """The operation on each sample, one after the other."""
        columns = []
        replay = Replay()
        others = tuple([other for other in active() if other is not level or level.randomness == "error"])
        for i in range(level.size):
            with seeing(others), replay.run() if level.randomness == "same" else contextlib.nullcontext():
                columns.append(self(*[_sample(arg, i, here) for arg, here in zip(args, mapped, strict=True)]))
        if columns:
            return tuple([joining.stack(column, 0) for column in zip(*columns, strict=True)])
        # what the result of a sample would look like is known by running one
        likely = [np.zeros(arg.shape[1:], arg.dtype) if here else arg for arg, here in zip(args, mapped, strict=True)]
        return tuple([np.zeros((0, *out.shape), out.dtype) for out in self(*likely)])


def _sample(arg: Value, i: int, mapped: bool) -> Value:
    return slice_key(arg, key=(i, *(slice(None),) * (arg.ndim - 1))) if mapped else arg


class _CallMap(LinearMap):
    """The rules of an operation at a point; what is missing is the transpose of what there is."""

    __slots__ = ("_call", "_outs", "_values")

    def __init__(self, call: Call, outs: Sequence[Value], values: Sequence[Value]) -> None:
        self._call = call
        self._outs = outs
        self._values = values

    def push(self, *tangents: Value | None) -> Any:
        """Tangents of the outputs."""
        operation, lift = self._call.operation, Lift(self._call.maps)
        count = len(self._outs) if operation.count is None else operation.count
        with lift.active():
            inputs, outputs, dots = lift.inputs(self._values), lift.outputs(self._outs), lift.inputs(tangents)
            if operation.has_push:
                results = operation.push(inputs, outputs, dots)
            else:
                everything = [True] * len(inputs)
                results = transposed(
                    f"the transpose of {operation.name}'s backward rule",
                    lambda cts: operation.pull(inputs, outputs, cts, everything),
                    outputs[:count],
                    dots,
                )
            pushed = [lift.lowered(result) for result in results]
        return (*pushed, *[Refusal.of(operation, out) for out in self._outs[count:]])

    def pull(self, ct: Any) -> tuple[Any, ...]:
        """Cotangents of all inputs."""
        return tuple(self.pull_wanted(ct, [True] * len(self._values)))

    def pull_wanted(self, ct: Any, wanted: Sequence[Any]) -> Sequence[Value | None]:
        """Cotangents of those inputs whose entry of `wanted` is not None."""
        operation, lift = self._call.operation, Lift(self._call.maps)
        count = len(self._outs) if operation.count is None else operation.count
        if any([entry is not None for entry in ct[count:]]):
            raise Refusal.error(operation)
        with lift.active():
            inputs, outputs, cts = lift.inputs(self._values), lift.outputs(self._outs), lift.outputs(ct[:count])
            flags = [w is not None and is_inexact(value) for w, value in zip(wanted, self._values, strict=True)]
            if operation.has_pull:
                results = operation.pull(inputs, outputs, cts, flags)
            else:
                results = transposed(
                    f"the transpose of {operation.name}'s forward rule",
                    lambda dots: operation.push(inputs, outputs, dots),
                    inputs,
                    cts,
                )
            return [
                lift.lowered_input(result, number) if flag else None
                for number, (result, flag) in enumerate(zip(results, flags, strict=True))
            ]


def transposed(title: str, linear: Callable[[Tensors], Tensors], like: Tensors, given: Tensors) -> list[Any]:
    """
    The transpose of a linear function of tensors, applied to what is `given`.

    `linear` takes tensors shaped as `like` and returns tensors shaped as `given`; None is zero.
    """
    level = Record(title)
    with level:
        # the derivative of a linear function is the same everywhere; ones show what does not depend on them
        leaves = [
            level.leaf(np.ones(tensor.value.shape, tensor.value.dtype)) if is_inexact(tensor.value) else None
            for tensor in like
        ]
        results = linear([None if leaf is None else wrap(leaf) for leaf in leaves])
        outputs = []
        for result, entry in zip(results, given, strict=True):
            if isinstance(result, Handle) and not level.is_recorded(result.value):
                _refuse_hidden(title, result.value)
            elif result is not None and entry is not None:
                outputs.append((result.value, entry.value))
    wanted = [leaf for leaf in leaves if leaf is not None]
    pulled = iter(pull_back(outputs, [leaf.link for leaf in wanted]))
    cts = [None if leaf is None else next(pulled) for leaf in leaves]
    return [None if ct is None else wrap(ct) for ct in cts]


def _refuse_hidden(title: str, value: Value) -> None:
    """A result that is linear in what it is given and does not depend on it is zero."""
    if np.any(ground(value)):
        raise RuntimeError(
            f"{title} cannot be taken: the rule's result does not follow from what it is given by tensorplay's "
            "operations (detach, no_grad, item or NumPy hide it). Give the other rule too."
        )


def as_tensor(out: Any) -> Any:
    """An output of a user's function; what NumPy made is a tensor on it."""
    return wrap(np.asarray(out)) if isinstance(out, np.ndarray | np.generic) else out


def apart(tensor: Any, inputs: Sequence[Handle]) -> Any:
    """An output that can be written to without changing an input."""
    array = ground(tensor.value)
    shared = any([np.may_share_memory(array, ground(other.value)) for other in inputs])
    return tensor.clone() if shared else tensor


class Refusal(Interpreter):
    """A tangent that nobody knows: whatever is computed from it is an error."""

    __slots__ = ("_operation",)

    def __init__(self, operation: Operation) -> None:
        super().__init__(operation.name)
        self._operation = operation

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Raise."""
        raise self.error(self._operation)

    @classmethod
    def of(cls, operation: Operation, like: Value) -> Traced:
        """A tangent of `like` that cannot be used."""
        return Traced(cls(operation), np.zeros(like.shape, like.dtype))

    @staticmethod
    def error(operation: Operation) -> RuntimeError:
        """What is raised."""
        return RuntimeError(
            f"{operation.name}: its derivative is differentiated again, by a tensor that forward saved and that is "
            "neither an input nor an output; there is no rule for that. Define setup_context, which may compute what "
            "it saves, or save inputs and outputs only."
        )
