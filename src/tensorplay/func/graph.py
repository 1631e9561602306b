"""make_graph: a function as a graph of primitives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.stack import running
from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype
from tensorplay.func.arguments import Handles, matching_values, name_of
from tensorplay.interpreters.stage import Name, Stage, StagedOp
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor


class Graph:
    """
    A pure graph of primitives, made by `make_graph`.

    Call it with arguments of the structure, shapes and dtypes it was made with to run it again; it passes through every
    transform. Print it to read it. `ops` lists its operations in order, each with primitive, operands, parameters,
    shapes, dtypes and source line.

    Examples
    --------
    >>> graph = tp.func.make_graph(lambda x: (x * x).sum())(tp.ones(3))
    >>> graph(tp.tensor([1.0, 2.0, 3.0]))
    tensor(14.)
    >>> [op.prim.name for op in graph.ops]
    ['mul', 'sum']
    """

    def __init__(
        self,
        title: str,
        inputs: list[tuple[Name, Value]],
        spec: tree.TreeSpec,
        ops: list[StagedOp],
        out: list[Any],
        out_spec: Any,
    ) -> None:
        self.title = title
        self.ops = ops
        self._inputs = inputs
        self._spec = spec
        self._out = out
        self._out_spec = out_spec

    def __call__(self, *args: Any) -> Any:
        given, _ = tree.flatten(args)
        tensors = [leaf for leaf in given if isinstance(leaf, Tensor)]
        like = [value for _, value in self._inputs]
        _, spec = tree.flatten(tuple(tensors))
        values = matching_values(
            self.title, "argument", tuple(tensors), like, self._flat_spec(spec, len(like)), "example"
        )
        known: dict[int, Value] = {int(name): v for (name, _), v in zip(self._inputs, values, strict=True)}
        for op in self.ops:
            result = op.prim(*[_look_up(known, operand) for operand in op.operands], **op.params)
            for name, value in zip(op.names, result if op.several else (result,), strict=True):
                known[int(name)] = value
        return tree.unflatten(self._out_spec, [self._output(known, out) for out in self._out])

    def _flat_spec(self, spec: tree.TreeSpec, count: int) -> tree.TreeSpec:
        return spec if spec.num_leaves == count else tree.flatten((None,) * count)[1]

    def _output(self, known: dict[int, Value], out: Any) -> Any:
        if isinstance(out, Name):
            return wrap(known[int(out)])
        return out

    def __str__(self) -> str:
        lines = [f"{self.title}:"]
        lines += [f"    {_letter(name)}: {_type(value.shape, value.dtype)} = argument" for name, value in self._inputs]
        lines += [f"    {_line(op)}" for op in self.ops]
        shown = ", ".join(_operand(out) for out in self._out)
        return "\n".join([*lines, f"    return {shown}"])

    __repr__ = __str__


def make_graph(func: Callable[..., Any]) -> Callable[..., Graph]:
    """
    A function that traces `func` at example arguments and returns the graph of what it computes.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor.

    Returns
    -------
    callable
        Takes the arguments of `func`; returns a `Graph`. Arguments that are no tensors, captured tensors and random
        draws become constants of the graph, and of each ``if`` the branch that the example takes.

    Examples
    --------
    >>> graph = tp.func.make_graph(tp.func.grad(lambda x: x.sin()))(tp.tensor(0.0))
    >>> graph(tp.tensor(0.0))
    tensor(1.)
    """
    title = f"make_graph({name_of(func)})"

    def traced(*args: Any, **kwargs: Any) -> Graph:
        level = Stage(title)
        handles = Handles(args)
        inputs: list[tuple[Name, Value]] = []
        with running(level):
            for position, leaf in enumerate(handles.leaves):
                if isinstance(leaf, Tensor):
                    staged = level.new(leaf.value)
                    inputs.append((Name(staged.name), _outline(leaf.value)))
                    handles.wrap(position, staged, level.lower)
            leaves, spec = tree.flatten(func(*handles.tree(), **kwargs))
            out = [level.operand(leaf.value) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        out = [
            wrap(o) if isinstance(leaf, Tensor) and not isinstance(o, Name) else o
            for o, leaf in zip(out, leaves, strict=True)
        ]
        handles.write_back(title)
        return Graph(title, inputs, handles.spec, _needed(level.ops, out), out, spec)

    return traced


def _outline(value: Value) -> Value:
    """Shape and dtype, without the memory."""
    return np.broadcast_to(np.zeros((), value.dtype), value.shape)


def _needed(ops: Sequence[StagedOp], out: Sequence[Any]) -> list[StagedOp]:
    """The ops that an output depends on."""
    wanted = {int(o) for o in out if isinstance(o, Name)}
    kept = []
    for op in reversed(ops):
        if wanted.intersection(map(int, op.names)):
            kept.append(op)
            wanted.update(int(o) for o in op.operands if isinstance(o, Name))
    return kept[::-1]


def _look_up(known: dict[int, Value], operand: Any) -> Value:
    return known[int(operand)] if isinstance(operand, Name) else operand


def _letter(name: Name) -> str:
    """a, b, ..., z, ba, bb, ..."""
    number, text = int(name), ""
    while True:
        number, digit = divmod(number, 26)
        text = chr(ord("a") + digit) + text
        if not number:
            return text


def _type(shape: Sequence[int], dtype: NumpyDtype) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _operand(operand: Any) -> str:
    if isinstance(operand, Name):
        return _letter(operand)
    if isinstance(operand, np.ndarray) and operand.size > 1:
        return f"constant {_type(operand.shape, operand.dtype)}"
    return str(operand)


def _line(op: StagedOp) -> str:
    results = ", ".join(
        f"{_letter(name)}: {_type(shape, dtype)}"
        for name, shape, dtype in zip(op.names, op.shapes, op.dtypes, strict=True)
    )
    params = ", ".join(f"{key}={value}" for key, value in op.params.items())
    call = f"{op.prim.name}({', '.join(map(_operand, op.operands))}{', ' + params if params else ''})"
    return f"{results} = {call}  # {op.source}"
