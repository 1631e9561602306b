"""autograd.Function: an operation with a derivative of its own, under every transform."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay import tree
from tensorplay.core import writes
from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import active, seeing
from tensorplay.core.value import Traced, Value, is_inexact
from tensorplay.interpreters.batch import Batch
from tensorplay.interpreters.record import without_recording
from tensorplay.ops.families import sum_to
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import detach
from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.calls import described
from tensorplay.tensor.custom_call import Call, Operation, Tensors
from tensorplay.tensor.handle import Handle, wrap


class FunctionContext:
    """
    What `forward` or `setup_context` leaves for `backward` and `jvp`; attributes may be added.

    Parameters
    ----------
    needs_input_grad : tuple of bool
        Which inputs are tensors that a derivative flows to.

    Attributes
    ----------
    saved_tensors : tuple of Tensor
        What `save_for_backward` (in `jvp`: `save_for_forward`, if that was called) was given.
    needs_input_grad : tuple of bool
        Which inputs are tensors that a derivative flows to.

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
        self.needs_input_grad = needs_input_grad
        self.materialize_grads = True
        self._for_backward: tuple[Any, ...] | None = None
        self._for_forward: tuple[Any, ...] | None = None
        self._forward_mode = False
        self._dirty: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved."""
        first, second = self._for_backward, self._for_forward
        if self._forward_mode:
            first, second = second, first
        return first if first is not None else second or ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `backward`."""
        self._for_backward = _checked("save_for_backward", tensors)

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `jvp`."""
        self._for_forward = _checked("save_for_forward", tensors)

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent cotangents and tangents arrive as zeros (the default) or as None."""
        self.materialize_grads = value

    def mark_dirty(self, *inputs: Any) -> None:
        """Say which inputs `forward` wrote to; they must be returned."""
        self._dirty = _checked("mark_dirty", inputs)

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """Say which outputs no derivative flows through."""
        self._constant = _checked("mark_non_differentiable", outputs)


def _checked(method: str, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    for position, tensor in enumerate(tensors):
        if tensor is not None and not isinstance(tensor, Handle):
            raise TypeError(
                f"ctx.{method}(): expected tensors, but argument {position} is {described(tensor)}; keep other things "
                "as attributes of ctx"
            )
    return tensors


class VmapInfo(NamedTuple):
    """What a `vmap` rule is told of the map: its size and its randomness."""

    batch_size: int
    randomness: str


class Function:
    """
    Base class of operations with a derivative of their own.

    Subclasses define the static methods ``forward(*inputs)`` and, as far as they are used, ``setup_context(ctx, inputs,
    output)``, ``backward(ctx, *cotangents)``, ``jvp(ctx, *tangents)`` and ``vmap(info, in_dims, *inputs)``; with
    ``generate_vmap_rule = True`` batching is derived. Without `setup_context`, it is ``forward(ctx, *inputs)``.
    ``Subclass.apply(*inputs)`` runs it.

    Raises
    ------
    NotImplementedError
        When a transform needs a method that the subclass does not define; the message names it.
    RuntimeError
        If a method returns what does not fit: a wrong number of gradients, or one of a shape that cannot be that of its
        input.

    Notes
    -----
    Of `backward` and `jvp` one is enough: the other is its transpose. Both are made of tensorplay's operations, so that
    they can be mapped and differentiated again. As in torch, `forward` itself is not recorded: derivatives flow to its
    inputs alone.

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
        return Application(cls, inputs).result()

    @classmethod
    def _missing_rule(cls, what: str) -> NotImplementedError:
        """The error for a rule that the subclass does not have."""
        remedies = {
            "batching rule": "Set generate_vmap_rule = True, or define the static method vmap.",
            "reverse-mode derivative": "Define the static method backward (or jvp, of which it is the transpose).",
            "forward-mode derivative": "Define the static method jvp (or backward, of which it is the transpose).",
        }
        return NotImplementedError(f"{cls.__name__}: this Function has no {what}. {remedies[what]}")


def _defined(cls: type, name: str) -> bool:
    return getattr(cls, name, None) is not None


class Saved(NamedTuple):
    """Where a tensor that a context holds is found again: `number` among "inputs", "outputs" or "computed" ones."""

    kind: str
    number: int


class Application(Operation):
    """One application of a `Function`: its inputs, of which some are no tensors, and what its context holds."""

    def __init__(self, function: type[Function], inputs: tuple[Any, ...]) -> None:
        if not _defined(function, "forward"):
            raise NotImplementedError(f"{function.__name__}: define the static method forward")
        self.function = function
        self.name = function.__name__
        self.has_push = _defined(function, "jvp")
        self.has_pull = _defined(function, "backward")
        self.separate = _defined(function, "setup_context")
        self.given = inputs
        self.positions = [i for i, entry in enumerate(inputs) if isinstance(entry, Handle)]
        self.lowest = 0 if self.positions else None  # no transform differentiates or maps what is no input
        self.needs = tuple([isinstance(entry, Handle) and _is_differentiated(entry.value) for entry in inputs])
        self._context: tuple[list[Any], tree.TreeSpec] | None = None
        self._noted = False
        self._single = True
        self._layout: list[Any] = []  # of the output: the number of a tensor as `Saved`, other things as they are
        self._dirty: dict[int, int] = {}  # number of an output -> number of the input that it is
        self._constant: list[int] = []

    # ---- running it

    def result(self) -> Any:
        """What the user gets."""
        inputs = [self.given[i] for i in self.positions]
        tensors = [wrap(value) for value in self.apply(inputs)]
        if self.separate and not self._noted:
            self._note_from_outside(inputs, tensors)
        for number in self._constant:
            tensors[number] = wrap(detach(tensors[number].value))
        for number, source in self._dirty.items():
            original = self.given[self.positions[source]]
            tensors[number] = original._write(tensors[number].value, f"{self.name}.apply")
        # what the rules need, the context holds
        self.given = tuple([None if isinstance(entry, Handle) else entry for entry in self.given])
        return self._output(tensors)

    def _note_from_outside(self, inputs: Tensors, outputs: Tensors) -> None:
        """Remember what the context marks, where the function's own batching rule ran in place of `forward`."""
        ctx = FunctionContext(self.needs)
        with no_grad():
            self.function.setup_context(ctx, self.arguments(inputs), self._output(outputs))
        self._note_marks(ctx, inputs, outputs)

    def _note_marks(self, ctx: FunctionContext, inputs: Tensors, outputs: Tensors) -> None:
        self._dirty = {_number_of(t, outputs, self, "mark_dirty"): _index(t, inputs) for t in ctx._dirty}
        self._constant = [_number_of(t, outputs, self, "mark_non_differentiable") for t in ctx._constant]
        ctx._dirty = ctx._constant = ()
        self._noted = True

    def arguments(self, tensors: Tensors) -> tuple[Any, ...]:
        """The inputs, with these in place of the tensors."""
        arguments = list(self.given)
        for position, tensor in zip(self.positions, tensors, strict=True):
            arguments[position] = tensor
        return tuple(arguments)

    def forward(self, inputs: Tensors) -> Tensors:
        """The outputs, and with a context that `forward` itself fills, what it saved."""
        ctx, before = FunctionContext(self.needs), writes.latest
        arguments = self.arguments(inputs)
        with without_recording():
            out = self.function.forward(*arguments) if self.separate else self.function.forward(ctx, *arguments)
            tensors = self._take_output(out)
            if self.separate:
                self.function.setup_context(ctx, arguments, out)
        saved = self._note(ctx, inputs, tensors)
        if writes.latest != before or any([tensor._version for tensor in inputs]):
            self._refuse_unmarked(inputs, before)
        return [*tensors, *saved]

    def _take_output(self, out: Any) -> list[Any]:
        """The tensors of the output."""
        self._single = not isinstance(out, tuple)
        entries = (out,) if self._single else out
        tensors = [entry for entry in entries if isinstance(entry, Handle)]
        numbers = iter(range(len(tensors)))
        self._layout = [Saved("outputs", next(numbers)) if isinstance(e, Handle) else e for e in entries]
        self.count = len(tensors)
        return tensors

    def _note(self, ctx: FunctionContext, inputs: Tensors, outputs: Tensors) -> list[Any]:
        """Remember the context; the result is what the derivative needs as further outputs."""
        self._note_marks(ctx, inputs, outputs)
        leaves, spec = tree.flatten(vars(ctx))
        computed: list[Any] = []
        held = [_reference(leaf, inputs, outputs, computed) for leaf in leaves]
        read = {entry.number for entry in held if isinstance(entry, Saved) and entry.kind == "inputs"}
        if computed and self.separate:
            # what setup_context computes, it computes anew for each derivative, which then follows
            self._context, self.reads = None, None
            return []
        self._context = (held, spec)
        if computed or any([isinstance(entry, Saved) and entry.kind == "outputs" for entry in held]):
            read.add(-1)
        self.reads = (frozenset(read),)
        return computed

    def _refuse_unmarked(self, inputs: Tensors, before: int) -> None:
        for number, tensor in enumerate(inputs):
            written = tensor._version or writes.write_since(tensor.value, before) is not None
            if written and number not in self._dirty.values() and self.floor is not None:
                raise RuntimeError(
                    f"{self.name}: forward wrote to input {self.positions[number]} in place, and its derivative would "
                    "not know. Say so with ctx.mark_dirty(input) and return the input, or write to a copy."
                )

    # ---- its derivative

    def _restored(self, inputs: Tensors, outputs: Tensors, *, forward_mode: bool) -> FunctionContext:
        """The context as it was left, on tensors as they are where the derivative is taken."""
        ctx = FunctionContext(self.needs)
        if self._context is not None:
            leaves, spec = self._context
            places = {"inputs": inputs, "outputs": outputs, "computed": outputs[self.count :]}
            found = [places[e.kind][e.number] if isinstance(e, Saved) else e for e in leaves]
            ctx.__dict__.update(tree.unflatten(spec, found))
        elif self.separate:
            self.function.setup_context(ctx, self.arguments(inputs), self._output(outputs))
        else:
            raise NotImplementedError(
                f"{self.name}: a Function with a vmap rule needs setup_context for derivatives inside of vmap. Define "
                "the static method setup_context(ctx, inputs, output), and forward without ctx."
            )
        ctx._forward_mode = forward_mode
        return ctx

    def _output(self, tensors: Tensors) -> Any:
        entries = [tensors[entry.number] if isinstance(entry, Saved) else entry for entry in self._layout]
        return entries[0] if self._single else tuple(entries)

    def push(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Tensors:
        """What `jvp` returns."""
        ctx = self._restored(inputs, outputs, forward_mode=True)
        dots: list[Any] = [None] * len(self.given)
        filled = _filled(tangents, inputs) if ctx.materialize_grads else tangents
        for position, dot in zip(self.positions, filled, strict=True):
            dots[position] = dot
        returned = self.function.jvp(ctx, *dots)
        entries = returned if isinstance(returned, tuple) else (returned,)
        if len(entries) != len(self._layout):
            raise RuntimeError(
                f"{self.name}.jvp must return one tangent per output of forward ({len(self._layout)}), got "
                f"{len(entries)}"
            )
        found = [e for e, here in zip(entries, self._layout, strict=True) if isinstance(here, Saved)]
        pairs = zip(found, outputs[: self.count], strict=True)
        return [self._tangent(number, entry, output.value) for number, (entry, output) in enumerate(pairs)]

    def _tangent(self, number: int, entry: Any, like: Value) -> Any:
        if entry is None or number in self._constant or not is_inexact(like):
            return None
        if not isinstance(entry, Handle) or entry.value.shape != like.shape:
            raise RuntimeError(
                f"{self.name}.jvp must return for output {number} a tensor of shape {list(like.shape)} or None, got "
                f"{described(entry)}"
            )
        return wrap(_in_dtype(entry.value, like))

    def pull(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors, wanted: Sequence[bool]) -> Tensors:
        """What `backward` returns."""
        ctx = self._restored(inputs, outputs, forward_mode=False)
        needs = [False] * len(self.given)
        for position, flag in zip(self.positions, wanted, strict=True):
            needs[position] = flag
        ctx.needs_input_grad = tuple(needs)
        cts = [None if number in self._constant else ct for number, ct in enumerate(cotangents)]
        cts = _filled(cts, outputs) if ctx.materialize_grads else cts
        arranged = [cts[e.number] if isinstance(e, Saved) else None for e in self._layout]
        returned = self.function.backward(ctx, *arranged)
        entries = list(returned) if isinstance(returned, tuple | list) else [returned]
        while len(entries) > len(self.given) and entries[-1] is None:
            entries.pop()
        if len(entries) != len(self.given):
            raise RuntimeError(
                f"{self.name}.backward returned an incorrect number of gradients (expected one per input of forward, "
                f"{len(self.given)}, got {len(entries)})"
            )
        for position, entry in enumerate(entries):
            if entry is not None and position not in self.positions:
                raise RuntimeError(
                    f"{self.name}.backward returned a gradient different from None at position {position}, but the "
                    "corresponding input of forward is no tensor"
                )
        pairs = zip(self.positions, inputs, strict=True)
        return [self._cotangent(position, entries[position], tensor.value) for position, tensor in pairs]

    def _cotangent(self, position: int, entry: Any, like: Value) -> Any:
        if entry is None or not is_inexact(like):
            return None
        if not isinstance(entry, Handle):
            raise TypeError(
                f"{self.name}.backward must return a tensor or None for input {position}, got {described(entry)}"
            )
        value = entry.value
        if value.shape != like.shape and not _is_broadcast(value.shape, like.shape):
            raise RuntimeError(
                f"{self.name}.backward returned a gradient of shape {list(value.shape)} for input {position} of shape "
                f"{list(like.shape)}"
            )
        return wrap(_in_dtype(sum_to(value, like.shape), like))

    def missing(self, what: str) -> NotImplementedError:
        """The error for a method that is not defined."""
        return self.function._missing_rule(what)

    def captured(self, title: str) -> RuntimeError:
        """The error for a tensor that is no input."""
        return RuntimeError(
            f"{self.name}.forward: the result depends on a tensor that {title} traces and that is no input of forward. "
            "Pass all tensors to apply()."
        )

    # ---- its batching

    def batch(self, call: Call, level: Batch, args: Sequence[Value], mapped: tuple[bool, ...]) -> Any:
        """By the function's own rule, or the derived one."""
        own = _defined(self.function, "vmap")
        if own and self.function.generate_vmap_rule:
            raise RuntimeError(
                f"{self.name}: this Function has both generate_vmap_rule = True and a static method vmap; give one of "
                "them"
            )
        if own:
            return self._own_batch(level, args, mapped)
        if not self.function.generate_vmap_rule:
            raise self.missing("batching rule")
        return super().batch(call, level, args, mapped)

    def _own_batch(self, level: Batch, args: Sequence[Value], mapped: Sequence[bool]) -> Any:
        in_dims: list[int | None] = [None] * len(self.given)
        for position, here in zip(self.positions, mapped, strict=True):
            in_dims[position] = 0 if here else None
        info = VmapInfo(level.size, level.randomness)
        inputs = [wrap(arg) for arg in args]
        with seeing(tuple([other for other in active() if other is not level])):
            returned = self.function.vmap(info, tuple(in_dims), *self.arguments(inputs))
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise RuntimeError(
                f"{self.name}.vmap must return a pair, the output and its out_dims, got {described(returned)}"
            )
        out, out_dims = returned
        tensors = self._take_output(out)
        dims = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(self._layout)
        if len(dims) != len(self._layout):
            raise RuntimeError(
                f"{self.name}.vmap must return one entry of out_dims per output ({len(self._layout)}), got {len(dims)}"
            )
        chosen = [dim for dim, entry in zip(dims, self._layout, strict=True) if isinstance(entry, Saved)]
        pairs = [self._batch_first(t, d, level.size) for t, d in zip(tensors, chosen, strict=True)]
        return tuple([value for value, _ in pairs]), tuple([here for _, here in pairs])

    def _batch_first(self, tensor: Any, dim: Any, size: int) -> tuple[Value, bool]:
        if dim is None:
            return tensor.value, False
        ndim = tensor.value.ndim
        if dim.__class__ is not int or not -ndim <= dim < ndim or tensor.value.shape[dim] != size:
            raise RuntimeError(
                f"{self.name}.vmap says that dim {dim!r} of a tensor of shape {list(tensor.value.shape)} is that of "
                f"the {size} samples"
            )
        return tensor.movedim(dim, 0).value, True


def _is_differentiated(value: Value) -> bool:
    """Whether a transform (or ordinary autograd) computes derivatives with respect to what `value` comes from."""
    inexact = is_inexact(value)
    while isinstance(value, Traced):
        if inexact and value.owner.alive and not isinstance(value.owner, Batch):
            return True
        value = value.inner
    return False


def _index(tensor: Any, tensors: Tensors) -> int:
    return next((number for number, other in enumerate(tensors) if other is tensor), -1)


def _number_of(tensor: Any, outputs: Tensors, application: Application, method: str) -> int:
    number = _index(tensor, outputs)
    if number < 0:
        raise RuntimeError(f"{application.name}: ctx.{method} names a tensor that forward does not return")
    return number


def _reference(leaf: Any, inputs: Tensors, outputs: Tensors, computed: list[Any]) -> Any:
    """Where a tensor of a context is found again; anything else as it is."""
    if not isinstance(leaf, Handle):
        return leaf
    for kind, tensors in (("inputs", inputs), ("outputs", outputs), ("computed", computed)):
        number = _index(leaf, tensors)
        if number >= 0:
            return Saved(kind, number)
    computed.append(leaf)
    return Saved("computed", len(computed) - 1)


def _filled(tangents: Tensors, like: Tensors) -> list[Any]:
    """(Co)tangents with zeros in place of None."""
    return [
        wrap(np.zeros(of.value.shape, of.value.dtype)) if dot is None and is_inexact(of.value) else dot
        for dot, of in zip(tangents, like, strict=False)
    ]


def _is_broadcast(shape: Sequence[int], of: Sequence[int]) -> bool:
    """Whether a tensor of shape `of` broadcasts to `shape`."""
    return len(of) <= len(shape) and all([n in (1, m) for n, m in zip(of[::-1], shape[::-1], strict=False)])


def _in_dtype(value: Value, like: Value) -> Value:
    """`value` in the dtype of `like`; of a complex number, a real one wants the real part."""
    if value.dtype == like.dtype:
        return value
    if value.dtype.kind == "c" and like.dtype.kind != "c":
        value = wrap(value).real.value
    return cast(value, like.dtype)


# ---- once_differentiable ---------------------------------------------------------------------------------------------


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """
    A `backward` whose result cannot be differentiated again: it may compute on the memory of its tensors.

    Parameters
    ----------
    backward : callable
        The static method of a `Function`.

    Returns
    -------
    callable
        Runs it under `no_grad`. Differentiating what it returned is an error.

    Examples
    --------
    >>> class Double(tp.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...
    ...     @staticmethod
    ...     @tp.autograd.function.once_differentiable
    ...     def backward(ctx, ct):
    ...         return 2 * ct
    >>> tp.func.grad(Double.apply)(tp.tensor(1.0))
    tensor(2.)
    """

    @functools.wraps(backward)
    def once(ctx: FunctionContext, *cotangents: Any) -> Any:
        held = [*cotangents, *tree.flatten(vars(ctx))[0]]
        sources = [tensor.value for tensor in held if isinstance(tensor, Handle)]
        ctx.__dict__.update(tree.map_leaves(_as_constant, vars(ctx)))
        with no_grad():
            returned = backward(ctx, *map(_as_constant, cotangents))
        entries = returned if isinstance(returned, tuple | list) else (returned,)
        return tuple([wrap(_once(e.value, *sources)) if isinstance(e, Handle) else e for e in entries])

    return once


def _as_constant(leaf: Any) -> Any:
    return wrap(detach(leaf.value)) if isinstance(leaf, Handle) else leaf


def _refuse_second(_out: Value, *_args: Value) -> LinearMap:
    def refuse(*_: Any) -> Any:
        raise RuntimeError(
            "a backward that is marked with @once_differentiable is differentiated again, or transposed for forward "
            "mode. Make it of tensorplay's operations and drop the mark, or define jvp."
        )

    return LinearMap(refuse, refuse)


_once = Primitive("once_differentiable", lambda gradient, *_: gradient)
_once.derivative(_refuse_second)
_once.batch(
    lambda size, args, mapped: (_once(*args), mapped[0]),
)
