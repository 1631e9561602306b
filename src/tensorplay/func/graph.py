"""make_graph: a function as a graph of primitives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype
from tensorplay.func.arguments import Handles, describe, title_of
from tensorplay.func.drawing import Box, picture
from tensorplay.func.layout import Edge
from tensorplay.interpreters.stage import Name, Stage, StagedOp, needed
from tensorplay.interpreters.tape import evaluate
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor


class Example:
    """The arguments a graph was made with: outlines of the tensors, which may change, and all else, which may not."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        leaves, self.spec = tree.flatten((args, kwargs))
        paths = _paths(args, kwargs)
        self.options = {name: entry for name, entry in kwargs.items() if not _holds_tensors(entry)}
        self.fixed = [None if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        self.positions = [position for position, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        self.paths = [paths[position] for position in self.positions]
        self.outlines = [_outline(leaves[position].value) for position in self.positions]
        self.names: list[Name] = []  # one per tensor

    def values_of(self, title: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[Name, Value]:
        """The values of a call's tensors by name, if the call fits the example."""
        kwargs = {**self.options, **kwargs}
        leaves, spec = tree.flatten((args, kwargs))
        if spec != self.spec:
            count = sum([part.num_children for part in self.spec.children()])
            raise ValueError(
                f"{title}: the structure of the arguments differs from the example's: the graph was made with "
                f"{count} arguments of {self.spec.num_leaves} leaves, got {len(args) + len(kwargs)} of {len(leaves)}"
            )
        for position, leaf in enumerate(leaves):
            if position not in self.positions and not _same(leaf, self.fixed[position]):
                path = _paths(args, kwargs)[position]
                raise ValueError(
                    f"{title}: argument{path} was {self.fixed[position]!r} when the graph was made, got {leaf!r}. "
                    "What is no tensor is fixed in a graph: make another one."
                )
        values = []
        for position, outline, path in zip(self.positions, self.outlines, self.paths, strict=True):
            leaf = leaves[position]
            if not isinstance(leaf, Tensor) or leaf.value.shape != outline.shape or leaf.value.dtype != outline.dtype:
                raise ValueError(
                    f"{title}: argument{path} must be as in the example: expected {_type(outline)}, got "
                    f"{describe(leaf)}"
                )
            values.append(leaf.value)
        return dict(zip(self.names, values, strict=True))


def _paths(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """Key path of each leaf: ``[0]['w']`` in a positional argument, ``['rate']`` in one given by name."""
    return [*tree.paths(args), *tree.paths(kwargs)]


def _holds_tensors(entry: Any) -> bool:
    return any([isinstance(leaf, Tensor) for leaf in tree.flatten(entry)[0]])


def _same(leaf: Any, fixed: Any) -> bool:
    return leaf is fixed or (leaf.__class__ is fixed.__class__ and np.array_equal(leaf, fixed))


class Graph:
    """
    A pure graph of primitives, made by `make_graph`.

    Call it with arguments of the structure, shapes and dtypes it was made with to run it again; keyword arguments
    without tensors may be left out. It passes through every transform. Print it to read it; `svg` draws it, `save`
    writes the drawing to a file, and notebooks show it. `ops` lists its operations in order, each with primitive,
    operands, parameters, shapes, dtypes and source line; `outputs` has what is returned by key path.

    Examples
    --------
    >>> graph = tp.func.make_graph(lambda x: (x * x).sum())(tp.ones(3))
    >>> graph(tp.tensor([1.0, 2.0, 3.0]))
    tensor(14.)
    >>> [op.prim.name for op in graph.ops]
    ['mul', 'sum']
    """

    def __init__(
        self, title: str, example: Example, ops: list[StagedOp], out: list[Any], out_spec: tree.TreeSpec
    ) -> None:
        self.title = title
        self.ops = ops
        self._example = example
        self._out = out
        self._out_spec = out_spec

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        known = self._example.values_of(self.title, args, kwargs)
        evaluate(self.ops, known)
        return tree.unflatten(self._out_spec, [wrap(known[o]) if isinstance(o, Name) else o for o in self._out])

    @property
    def outputs(self) -> dict[str, Any]:
        """What is returned, by key path: a `Name` of a value of the graph, or a constant."""
        paths = tree.paths(tree.unflatten(self._out_spec, self._out))
        return {f"output{path}": out for path, out in zip(paths, self._out, strict=True)}

    def _inputs(self) -> Iterator[tuple[Name, str, str]]:
        """Name, key path and type of each argument that is a tensor."""
        example = self._example
        for name, path, outline in zip(example.names, example.paths, example.outlines, strict=True):
            yield name, f"argument{path}", _type(outline)

    def _letters(self) -> dict[Name, str]:
        made = [*self._example.names, *[name for op in self.ops for name in op.names]]
        return {name: _letter(number) for number, name in enumerate(made)}

    def __str__(self) -> str:
        letters = self._letters()
        lines = [f"{letters[name]}: {type_} = {path}" for name, path, type_ in self._inputs()]
        lines += [_line(op, letters) for op in self.ops]
        shown = ", ".join([_operand(out, letters) for out in self._out])
        return "\n    ".join([f"{self.title}:", *lines, f"return {shown}"])

    __repr__ = __str__

    def svg(self) -> str:
        """
        The graph as a picture: boxes from the arguments at the top to the outputs at the bottom.

        Returns
        -------
        str
            An SVG document. Each box of an operation shows operator and operands, parameters, the results with dtype
            and shape, and the source line.
        """
        letters, boxes, edges = self._letters(), list[Box](), list[Edge]()
        made: dict[Any, tuple[int, int]] = {}  # the box, and which of its results
        for name, path, type_ in self._inputs():
            made[name] = (len(boxes), 0)
            boxes.append(Box("input", (path, f"{letters[name]}: {type_}"), f"{letters[name]}: {type_} = {path}"))
        for op in self.ops:
            edges += [Edge(*made[operand], len(boxes)) for operand in op.operands if isinstance(operand, Name)]
            made |= {name: (len(boxes), number) for number, name in enumerate(op.names)}
            boxes.append(_box(op, letters))
        for path, out in self.outputs.items():
            edges += [Edge(*made[out], len(boxes))] if isinstance(out, Name) else []
            boxes.append(Box("output", (path, _operand(out, letters)), f"{path} = {_operand(out, letters)}"))
        return picture(self.title, boxes, edges)

    _repr_svg_ = svg  # notebooks ask for it

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the picture to a file.

        Parameters
        ----------
        path : str or path
            Its name ends in ``.svg``.

        Raises
        ------
        ValueError
            If it ends otherwise: that is the only format.
        """
        file = Path(path)
        if file.suffix != ".svg":
            raise ValueError(f"{self.title}.save(): {file.name} must end in .svg, the format of the picture")
        file.write_text(self.svg(), encoding="utf-8")


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
        Takes the arguments of `func`, positional and keyword ones; returns a `Graph`. Captured tensors and random draws
        become constants of the graph, as they are now; arguments that are no tensors are fixed in it, and of each
        ``if`` the branch that the example takes.

    Examples
    --------
    >>> graph = tp.func.make_graph(tp.func.grad(lambda x: x.sin()))(tp.tensor(0.0))
    >>> graph(tp.tensor(0.0))
    tensor(1.)
    """
    title = title_of("make_graph", func)

    def traced(*args: Any, **kwargs: Any) -> Graph:
        level = Stage(title)
        example = Example(args, kwargs)
        handles = Handles(*tree.flatten((args, kwargs)))
        with level:
            for position in example.positions:
                staged = level.new(handles.leaves[position].value)
                example.names.append(Name(staged.name))
                handles.wrap(position, staged, level.lower)
            leaves, spec = tree.flatten(handles.call(lambda args, kwargs: func(*args, **kwargs), {}))
            values = [level.operand(leaf.value) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        out = [
            wrap(value) if isinstance(leaf, Tensor) and not isinstance(value, Name) else value
            for value, leaf in zip(values, leaves, strict=True)
        ]
        ops = needed(level.ops, out)
        _copy_constants(ops)
        handles.write_back(title)
        return Graph(title, example, ops, out, spec)

    return traced


def _outline(value: Value) -> Value:
    """Shape and dtype, without the memory."""
    return np.broadcast_to(np.zeros((), value.dtype), value.shape)


def _copy_constants(ops: Sequence[StagedOp]) -> None:
    """Give the graph arrays of its own: captured ones may be written later."""
    copies: dict[int, Value] = {}
    for op in ops:
        for operand in op.operands:
            if isinstance(operand, np.ndarray) and id(operand) not in copies:
                copies[id(operand)] = operand.copy()
        op.operands = tuple([copies.get(id(o), o) if isinstance(o, np.ndarray) else o for o in op.operands])


def _letter(number: int) -> str:
    """a, b, ..., z, ba, bb, ..."""
    text = ""
    while True:
        number, digit = divmod(number, 26)
        text = chr(ord("a") + digit) + text
        if not number:
            return text


def _type(value: Any) -> str:
    return _typed(value.shape, value.dtype)


def _typed(shape: Sequence[int], dtype: NumpyDtype) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _operand(operand: Any, letters: dict[Name, str]) -> str:
    if isinstance(operand, Name):
        return letters[operand]
    if isinstance(operand, Tensor):
        operand = operand.value
    if isinstance(operand, np.ndarray) and operand.size == 1:
        return str(operand.item())
    return f"constant {_type(operand)}" if hasattr(operand, "dtype") else str(operand)


def _results(op: StagedOp, letters: dict[Name, str]) -> list[str]:
    return [
        f"{letters[name]}: {_typed(shape, dtype)}"
        for name, shape, dtype in zip(op.names, op.shapes, op.dtypes, strict=True)
    ]


def _params(op: StagedOp) -> list[str]:
    return [f"{key}={value}" for key, value in op.params.items()]


def _line(op: StagedOp, letters: dict[Name, str]) -> str:
    given = [*[_operand(operand, letters) for operand in op.operands], *_params(op)]
    return f"{', '.join(_results(op, letters))} = {op.prim.name}({', '.join(given)})  # {op.source}"


def _box(op: StagedOp, letters: dict[Name, str]) -> Box:
    call = f"{op.prim.name}({', '.join([_operand(operand, letters) for operand in op.operands])})"
    params = [", ".join(_params(op))] if op.params else []
    return Box("op", (call, *params, *_results(op, letters), op.source), _line(op, letters))
