"""autograd.Function: an operation with a derivative of its own, under every transform."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter, active, seeing
from tensorplay.core.value import Traced, Value, is_inexact
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.record import without_recording
from tensorplay.ops.families import expand, sum_dims
from tensorplay.ops.indexing import where
from tensorplay.ops.streams import Replay
from tensorplay.tensor.handle import Handle, wrap


class FunctionContext:
    """
    What `setup_context` leaves for `backward` and `jvp`.

    Parameters
    ----------
    needs_input_grad : tuple of bool
        Which inputs are tensors that a derivative may flow to.

    Attributes
    ----------
    saved_tensors : tuple of Tensor
        What `save_for_backward` (or `save_for_forward`) was given.
    needs_input_grad : tuple of bool
        Which inputs are tensors that a derivative may flow to.

    Examples
    --------
    >>> class Double(tp.autograd.Function):
    ...     @staticmethod
    ...     def forward(x):
    ...         return 2 * x
    ...
    ...     @staticmethod
    ...     def setup_context(ctx, inputs, output):
    ...         ctx.save_for_backward(inputs[0])
    ...
    ...     @staticmethod
    ...     def backward(ctx, ct):
    ...         return 2 * ct
    >>> tp.func.grad(Double.apply)(tp.tensor(1.0))
    tensor(2.)
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self.needs_input_grad = needs_input_grad
        self.materialize_grads = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs or outputs for `backward`."""
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep inputs or outputs for `jvp`."""
        self.saved_tensors = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent cotangents and tangents arrive as zeros (the default) or as None."""
        self.materialize_grads = value


class VmapInfo(NamedTuple):
    """What a `vmap` rule is told of the map: its size and its randomness."""

    batch_size: int
    randomness: str


class Function:
    """
    Base class of operations with a derivative of their own.

    Subclasses define the static methods ``forward(*inputs)`` and, as far as they are used, ``setup_context(ctx, inputs,
    output)``, ``backward(ctx, *cotangents)``, ``jvp(ctx, *tangents)`` and ``vmap(info, in_dims, *inputs)``; with
    ``generate_vmap_rule = True`` batching is derived. ``Subclass.apply(*inputs)`` runs it.

    Raises
    ------
    NotImplementedError
        When a transform needs a method that the subclass does not define; the message names it.

    Examples
    --------
    >>> class Cube(tp.autograd.Function):
    ...     generate_vmap_rule = True
    ...
    ...     @staticmethod
    ...     def forward(x):
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def setup_context(ctx, inputs, output):
    ...         ctx.save_for_backward(inputs[0])
    ...
    ...     @staticmethod
    ...     def backward(ctx, ct):
    ...         return 3 * ctx.saved_tensors[0] ** 2 * ct
    >>> tp.func.vmap(tp.func.grad(Cube.apply))(tp.tensor([1.0, 2.0]))
    tensor([ 3., 12.])
    """

    generate_vmap_rule = False

    forward: Callable[..., Any]
    backward: Callable[..., Any]
    jvp: Callable[..., Any]
    vmap: Callable[..., Any]
    setup_context: Callable[..., None]

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """
        Output of the operation.

        Parameters
        ----------
        *inputs : object
            Passed to `forward`; derivatives flow to the tensors among them.

        Returns
        -------
        Tensor or tuple of Tensor
            What `forward` returns.
        """
        call = _Call(cls, inputs)
        values = [inputs[position].value for position in call.positions]
        if not values:  # no derivative to define
            return call.run_forward(inputs)
        out = _call_on_samples(call, values)
        return tuple(map(wrap, out)) if isinstance(out, tuple) else wrap(out)


def _call_on_samples(call: _Call, values: list[Value]) -> Any:
    """The call; on each sample of a map where it draws for each, though nothing that it is given is mapped."""
    try:
        return call(*values)
    except _DrawsPerSample as draws:
        each = Batched(draws.level, np.ones(draws.level.size, np.bool_))
        return _call_on_samples(call, [where(each, values[0], values[0]), *values[1:]])


class _DrawsPerSample(Exception):
    """A function draws for each sample of a map of which no input of it knows."""

    def __init__(self, level: Batch) -> None:
        super().__init__(level.title)
        self.level = level


class _Unseen(Interpreter):
    """In the place of a map of which no input of a function knows."""

    __slots__ = ("original",)

    def __init__(self, original: Batch) -> None:
        super().__init__(original.title)
        self.original = original
        self.level = original.level

    def samples_to_draw(self, name: str) -> int | None:
        """The function is to be run for each sample."""
        raise _DrawsPerSample(self.original)


def _defined(cls: type, name: str) -> bool:
    return getattr(cls, name, None) is not None


class _Call(Primitive):
    """One application of a `Function`, as a primitive of its tensor inputs; the others are fixed."""

    __slots__ = ("function", "inputs", "levels", "positions", "replay")

    def __init__(
        self,
        function: type[Function],
        inputs: tuple[Any, ...],
        levels: tuple[_Map, ...] = (),
        replay: Replay | None = None,
    ) -> None:
        # not registered: it lives as long as the graph that holds it
        self.name = function.__name__
        self.family = "general"
        self.impl = self._forward
        self.reads = None
        self.differentiable, self.constant = True, False
        self.derivative_rule = self._derivative
        self.batch_rule = None
        self.pull_once = None
        self.function = function
        self.inputs = inputs
        self.positions = [i for i, entry in enumerate(inputs) if isinstance(entry, Handle)]
        self.levels = levels
        # where there is no setup_context, the derivative calls forward once more, which is to draw the same
        self.replay = replay or Replay()

    def _arguments(self, values: Sequence[Value]) -> tuple[Any, ...]:
        """The inputs as the function sees them, under the maps that were derived for it."""
        arguments = list(self.inputs)
        for number, (position, value) in enumerate(zip(self.positions, values, strict=True)):
            arguments[position] = wrap(self._lifted(value, number))
        return tuple(arguments)

    def _seeing_its_maps(self) -> seeing:
        """Context for a derivative: a random op in it draws for the samples of the derived maps too."""
        return _seeing(active(), [level.interpreter for level in self.levels])

    def _lifted(self, value: Value, number: int) -> Value:
        for level in self.levels:
            value = Batched(level.interpreter, value) if level.mapped[number] else value
        return value

    def _lowered(self, out: Any) -> Any:
        """A result of the function without the levels of the derived maps, which then are leading dims."""
        if isinstance(out, tuple | list):
            return tuple([self._lowered(entry) for entry in out])
        if out is None:
            return None
        value = out.value
        for level in reversed(self.levels):
            here = level.interpreter
            if value.__class__ is Batched and value.owner is here:
                value = value.inner
            else:
                value = expand(value, shape=(here.size, *value.shape))
        return value

    def _forward(self, *values: Value) -> Any:
        arguments = self._arguments(values)
        with _seeing(map(_as_seen, active()), _maps_of(arguments)), without_recording():
            out = self._lowered(self.run_forward(arguments))
        self._check_level(out)
        return out

    def run_forward(self, arguments: tuple[Any, ...]) -> Any:
        """What `forward` returns for its inputs."""
        if _defined(self.function, "setup_context"):
            return self.function.forward(*arguments)
        with self.replay.run():
            return self.function.forward(self._context(), *arguments)

    def _check_level(self, out: Any) -> None:
        """Raise if the kernel gives what is traced: its arguments are arrays."""
        if isinstance(out, tuple):
            for entry in out:
                self._check_level(entry)
        elif isinstance(out, Traced):
            raise RuntimeError(
                f"{self.name}.forward: the result depends on a tensor that {out.owner.title} traces and that is no "
                "input of forward. Pass all tensors to apply()."
            )

    def _context(self) -> FunctionContext:
        return FunctionContext(tuple([i in self.positions and is_inexact(e.value) for i, e in enumerate(self.inputs)]))

    def _derivative(self, out: Any, *values: Value) -> LinearMap:
        ctx = self._context()
        arguments = self._arguments(values)
        outs = out if isinstance(out, tuple) else (out,)
        wrapped = [wrap(self._lifted_output(o)) for o in outs]
        with _seeing(_maps_of(arguments)):
            if _defined(self.function, "setup_context"):
                self.function.setup_context(ctx, arguments, tuple(wrapped) if isinstance(out, tuple) else wrapped[0])
            else:
                with self.replay.run():
                    self.function.forward(ctx, *arguments)

        def push(*tangents: Value | None) -> Any:
            self._require("jvp", "forward")
            dots: list[Any] = [None] * len(self.inputs)
            for number, (position, dot) in enumerate(zip(self.positions, tangents, strict=True)):
                like = values[number]
                if dot is None and ctx.materialize_grads and is_inexact(like):
                    dot = np.zeros(like.shape, like.dtype)
                dots[position] = None if dot is None else wrap(self._lifted(dot, number))
            with self._seeing_its_maps():
                return self._lowered(self.function.jvp(ctx, *dots))

        def pull(ct: Any) -> tuple[Value | None, ...]:
            self._require("backward", "reverse")
            given = ct if isinstance(ct, tuple) else (ct,)
            if ctx.materialize_grads:
                given = tuple(
                    [np.zeros(o.shape, o.dtype) if c is None else c for c, o in zip(given, outs, strict=True)]
                )
            with self._seeing_its_maps():
                cts = self.function.backward(ctx, *[None if c is None else wrap(self._lifted_output(c)) for c in given])
            entries = cts if isinstance(cts, tuple | list) else (cts,)
            if len(entries) != len(self.inputs):
                raise RuntimeError(
                    f"{self.name}.backward must return one entry per input of forward ({len(self.inputs)}), got "
                    f"{len(entries)}"
                )
            return tuple([self._lowered_input(entries[p], n, values[n]) for n, p in enumerate(self.positions)])

        return LinearMap(push, pull)

    def _lowered_input(self, entry: Any, number: int, like: Value) -> Value | None:
        """A cotangent for one input; an input that a derived map shares receives the sum over the samples."""
        if entry is None:
            return None
        value = self._lowered(entry)
        shared = tuple([dim for dim, level in enumerate(self.levels) if not level.mapped[number]])
        value = sum_dims(value, dims=shared) if shared else value
        if value.shape != like.shape:
            raise RuntimeError(
                f"{self.name}.backward returned a gradient of shape {list(value.shape)} for an input of shape "
                f"{list(like.shape)}"
            )
        return value

    def _lifted_output(self, value: Value) -> Value:
        for level in self.levels:
            value = Batched(level.interpreter, value)
        return value

    def _require(self, method: str, direction: str) -> None:
        if not _defined(self.function, method):
            raise NotImplementedError(
                f"{self.name}: this Function has no {direction}-mode derivative. Define the static method {method}."
            )

    def batched(self, level: Batch, args: tuple[Value, ...], mapped: tuple[bool, ...], params: dict[str, Any]) -> Any:
        """The function's own batching rule, or one that is derived."""
        if _defined(self.function, "vmap"):
            with seeing(tuple([interpreter for interpreter in active() if interpreter is not level])):
                return self._user_batch(level, args, mapped)
        if not self.function.generate_vmap_rule:
            raise NotImplementedError(
                f"{self.name}: this Function has no batching rule. Set generate_vmap_rule = True, or define the static "
                "method vmap."
            )
        inner = _Call(self.function, self.inputs, (_Map(level.twin(), mapped), *self.levels), self.replay)
        return inner(*args), True

    def _user_batch(self, level: Batch, args: tuple[Value, ...], mapped: tuple[bool, ...]) -> tuple[Any, Any]:
        in_dims: list[int | None] = [None] * len(self.inputs)
        inputs = list(self.inputs)
        for position, arg, here in zip(self.positions, args, mapped, strict=True):
            inputs[position] = wrap(arg)
            in_dims[position] = 0 if here else None
        out, out_dims = self.function.vmap(VmapInfo(level.size, level.randomness), tuple(in_dims), *inputs)
        if not isinstance(out, tuple):
            return _batch_first(out, out_dims)
        dims = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(out)
        pairs = [_batch_first(o, d) for o, d in zip(out, dims, strict=True)]
        return tuple([value for value, _ in pairs]), tuple([here for _, here in pairs])


def _maps_of(arguments: Iterable[Any]) -> Iterator[Batch]:
    """The maps that the tensors among some arguments know of."""
    for argument in arguments:
        value = argument.value if isinstance(argument, Handle) else None
        while isinstance(value, Traced):
            if isinstance(value, Batched):
                yield value.owner
            value = value.inner


def _seeing(*stacks: Iterable[Interpreter]) -> seeing:
    """Context in which random ops draw as some interpreters want, of each level the one that is named last."""
    by_level = {interpreter.level: interpreter for stack in stacks for interpreter in stack}
    return seeing(tuple([by_level[level] for level in sorted(by_level)]))


def _as_seen(interpreter: Interpreter) -> Interpreter:
    """An active interpreter as a function sees it none of whose inputs it maps over."""
    unseen = isinstance(interpreter, Batch) and interpreter.randomness == "different"
    return _Unseen(interpreter) if unseen else interpreter  # type: ignore[arg-type]


class _Map(NamedTuple):
    """A map that was derived for a function: its interpreter, and which inputs it maps over."""

    interpreter: Batch
    mapped: tuple[bool, ...]


def _batch_first(out: Any, dim: int | None) -> tuple[Value, bool]:
    return (out.value, False) if dim is None else (out.movedim(dim, 0).value, True)
