"""checkpoint: of a function's run only its inputs are kept; what a derivative reads is computed again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.value import Traced, Value, ground
from tensorplay.func.arguments import Handles, title_of
from tensorplay.interpreters.batch import Batched
from tensorplay.interpreters.forward import Dual, Forward
from tensorplay.interpreters.pull import pull_back
from tensorplay.interpreters.record import Record, Recorded, outline
from tensorplay.interpreters.stage import Name, StagedOp, needed
from tensorplay.interpreters.tape import Tape, evaluate
from tensorplay.ops.families import expand
from tensorplay.tensor.custom_call import Map, Operation, Tensors
from tensorplay.tensor.handle import Pending, held_back, wrap
from tensorplay.tensor.tensor import Tensor


def checkpoint(func: Callable[..., Any]) -> Callable[..., Any]:
    """
    A function that computes what `func` does, and of which derivatives keep nothing but the inputs.

    What a derivative reads is computed again when it is taken: less memory for one more evaluation.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor, and anything else.

    Returns
    -------
    callable
        Takes the arguments of `func`, returns what it returns. Values are the same to the last bit, derivatives too but
        for the order in which cotangents are added, under every transform; checkpoints nest.

    Raises
    ------
    TypeError
        If `func` is not callable.

    Notes
    -----
    The function itself is called once: its operations are written down and run again, not the Python code. So side
    effects happen once, random numbers and the branches that were taken stay what they were, and tensors that it
    captures have their derivatives. Random numbers and what is computed from captured tensors alone are kept.

    Griewank & Walther, Evaluating Derivatives, chapter 12.

    Examples
    --------
    >>> layer = tp.func.checkpoint(lambda x: x.sin().exp())
    >>> tp.func.grad(lambda x: layer(layer(x)).sum())(tp.zeros(2))
    tensor([1.2534, 1.2534])
    """
    title = title_of("checkpoint", func)

    @functools.wraps(func)
    def remade(*args: Any, **kwargs: Any) -> Any:
        run = _Run(title, func, args, kwargs)
        try:
            return run.result()
        finally:
            run.close()

    return remade


class _Run:
    """One run of the function: its ops and what it gave."""

    def __init__(self, title: str, func: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> None:
        self._title = title
        self._tape = Tape(title)
        self._handles = Handles(*tree.flatten(args))
        self._inputs: dict[Name, Value] = {}
        self._written: list[Value] = []  # what arguments finally hold
        self._results: dict[int, Value] = {}  # id of a value of the tape -> the value below
        with self._tape, _writes_at_the_end(self._protect):
            for position, leaf in enumerate(self._handles.leaves):
                if isinstance(leaf, Tensor):
                    staged = self._tape.new(leaf.value)
                    self._tape.follow(staged)
                    self._inputs[Name(staged.name)] = leaf.value
                    self._handles.wrap(position, staged, self._below)
            self._out = self._handles.call(func, kwargs)
            for _, _, final in self._handles.written():
                final()  # notes the value
            self._leaves, self._spec = tree.flatten(self._out)
            self._values = [leaf.value for leaf in self._leaves if isinstance(leaf, Tensor)]
            self._ops = self._needed_ops()

    def _below(self, value: Value) -> Value:
        self._written.append(value)
        return self._results.get(id(value), value)

    def _outputs(self) -> list[Any]:
        """The values of the tape that are wanted."""
        return [value for value in (*self._values, *self._written) if isinstance(self._tape.operand(value), Name)]

    def _needed_ops(self) -> list[StagedOp]:
        """The ops that a result depends on; captured tensors are inputs of them too."""
        ops = needed(self._tape.ops, [self._tape.operand(value) for value in self._outputs()])
        captured: dict[int, Name] = {}
        for op in ops:
            op.operands = tuple([self._named(operand, captured) for operand in op.operands])
        return ops

    def _named(self, operand: Any, captured: dict[int, Name]) -> Any:
        if isinstance(operand, Name) or not isinstance(operand, np.ndarray | Traced):
            return operand
        if id(operand) not in captured:
            name = captured[id(operand)] = Name(self._tape.new(operand).name)
            self._inputs[name] = operand
        return captured[id(operand)]

    def _protect(self, memory: Sequence[np.ndarray[Any, Any]]) -> None:
        """Give the ops copies of what is about to be overwritten."""
        for name, value in self._inputs.items():
            array = ground(value)
            if isinstance(value, np.ndarray) and any([np.may_share_memory(array, other) for other in memory]):
                self._inputs[name] = value.copy()

    def result(self) -> Any:
        """What the user gets."""
        outputs = {value.name: value for value in self._outputs()}
        made = [value for name, value in outputs.items() if name not in self._inputs]
        read = {operand for op in self._ops for operand in op.operands if isinstance(operand, Name)}
        inputs = {name: value for name, value in self._inputs.items() if name in read}
        outs = _Checkpoint(self._title, self._ops, list(inputs), made).apply(list(map(wrap, inputs.values())))
        found = {int(name): value for name, value in self._inputs.items()}
        found.update({value.name: out for value, out in zip(made, outs, strict=True)})
        self._results.update({id(value): found[value.name] for value in self._outputs()})
        self._handles.write_back(self._title)
        leaves = [
            wrap(self._results.get(id(leaf.value), leaf.value)) if isinstance(leaf, Tensor) else leaf
            for leaf in self._leaves
        ]
        return tree.unflatten(self._spec, leaves)

    def close(self) -> None:
        """Let go of all tensors, at once."""
        del self._handles  # which refer to this run


@contextmanager
def _writes_at_the_end(before: Callable[[Sequence[np.ndarray[Any, Any]]], None]) -> Iterator[None]:
    """Context in which no memory is written; at the end, `before` is told of the memory that will be."""
    if held_back.get() is not None:
        yield
        return
    pending = Pending()
    token = held_back.set(pending)
    try:
        yield
    except BaseException:
        pending.discard()
        raise
    finally:
        held_back.reset(token)
    before([ground(value) for value in pending.originals.values()])
    pending.commit(None)


class _Checkpoint(Operation):
    """The ops as one operation, whose rules run them again."""

    has_push = has_pull = True

    def __init__(self, name: str, ops: list[StagedOp], inputs: list[Name], outputs: Sequence[Any]) -> None:
        self.name = name
        self._ops = ops
        self._inputs = inputs
        self._outputs = [Name(value.name) for value in outputs]
        self._known: list[Value] | None = [value.inner for value in outputs]
        self.reads = (frozenset(range(len(inputs))),)

    def known(self, maps: Sequence[Map]) -> tuple[Value, ...] | None:
        """The outputs of the run that wrote the ops down, the first time."""
        outs, self._known = self._known, None
        return None if outs is None else tuple([_with_leading_dims(value, maps) for value in outs])

    def _run(self, values: Sequence[Value]) -> list[Value]:
        known = dict(zip(self._inputs, values, strict=True))
        evaluate(self._ops, known)
        return [known[name] for name in self._outputs]

    def forward(self, inputs: Tensors) -> Tensors:
        """The outputs."""
        return list(map(wrap, self._run([tensor.value for tensor in inputs])))

    def push(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Tensors:
        """By another run on primals with their tangents."""
        level = Forward(self.name)
        pairs = zip(inputs, tangents, strict=True)
        with level:
            values = [x.value if dot is None else Dual(level, x.value, dot.value) for x, dot in pairs]
            dots = [level.split(out)[1] for out in self._run(values)]
        return [None if dot is None else wrap(dot) for dot in dots]

    def pull(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors, wanted: Sequence[bool]) -> Tensors:
        """By another run, which is recorded."""
        level = Record(self.name)
        with level:
            values = [level.leaf(x.value) if here else x.value for x, here in zip(inputs, wanted, strict=True)]
            outs = self._run(values)
        pairs = zip(outs, cotangents, strict=True)
        # of the outputs, only where they come from is needed
        pulled = [
            (Recorded(level, outline(out.inner), out.link), ct.value)
            for out, ct in pairs
            if ct is not None and level.is_recorded(out)
        ]
        links = [value.link for value, here in zip(values, wanted, strict=True) if here]
        del outs, values, pairs
        cts = iter(pull_back(pulled, links, consume=True))
        found = [next(cts) if here else None for here in wanted]
        return [None if ct is None else wrap(ct) for ct in found]


def _with_leading_dims(value: Value, maps: Sequence[Map]) -> Value:
    """A value without the levels above and between the maps, whose batch dims then lead."""
    for here in reversed(maps):
        level = here.original
        while isinstance(value, Traced) and not isinstance(value, Batched):
            value = value.inner
        if isinstance(value, Batched) and value.owner is level:
            value = value.inner
        else:
            value = expand(value, shape=(level.size, *value.shape))
    while isinstance(value, Traced):
        value = value.inner
    return value
