"""
Writer: pulls as Python source, a line of NumPy for each primitive of which the nodes' derivatives are made.

The linear maps of nodes are run on symbols, which have shapes and dtypes of values and refuse to show their elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import computed
from tensorplay.core.primitive import Primitive, as_arrays
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Shape, Traced, Value
from tensorplay.errors import PACKAGE
from tensorplay.interpreters.batch import Batched
from tensorplay.interpreters.record import Link, Node
from tensorplay.ops.families import FEW, add, scale


class Symbol(Traced):
    """A value that has a name in a program. What it holds is for `Writer` alone: a program must not depend on it."""

    __slots__ = ("name", "sample")

    def __init__(self, owner: Writer, name: str, sample: Any) -> None:
        self.owner = owner
        self.name = name
        self.sample = sample
        self.dtype = sample.dtype

    @property
    def inner(self) -> Value:
        """Not to be seen."""
        raise DependsOnValues

    @property
    def extent(self) -> int:
        """Number of elements."""
        extent: int = self.sample.size
        return extent

    @property
    def shape(self) -> Shape:
        """Size of each dim."""
        shape: Shape = self.sample.shape
        return shape

    @property
    def ndim(self) -> int:
        """Number of dims."""
        return len(self.shape)


class DependsOnValues(Exception):
    """A derivative asks for elements of its operands before it is known which primitives it is made of."""


_NAMES = re.compile(r"\w+")
MOST_LINES = 2048


class Line(NamedTuple):
    """``out = kernel(*operands, *options)``, by names; `fresh` is the form of a result that is nobody else's memory."""

    out: str
    kernel: str
    operands: Sequence[str]
    options: Sequence[str]
    size: int
    fresh: Any
    is_scalar: bool

    def names(self) -> set[str]:
        """What the line reads."""
        return {operand.partition("[")[0] for operand in self.operands}

    def text(self, *more: str) -> str:
        """The line as Python, with more options."""
        call = f"{self.kernel}({', '.join([*self.operands, *self.options, *more])})"
        return f"{self.out} = asarray({call})" if self.is_scalar else f"{self.out} = {call}"


def defined(lines: Sequence[str], names: dict[str, Any]) -> Any:
    """The function `program` of these lines, which knows `names`; messages do not take it for the user's code."""
    exec(compile("\n    ".join(lines), f"{PACKAGE}/program", "exec"), names)
    return names.pop("program")


def pull_in_order(
    nodes: Sequence[Node],
    cotangents: dict[Link, Value],
    kept: Callable[[Node], tuple[Any, Sequence[Any]]],
) -> None:
    """
    Pull `nodes`, newest first, and add to `cotangents` those of what they came from.

    ``kept(node)`` gives output and operands as the derivative is to see them.
    """
    for node in nodes:
        ct: Any = cotangents.get((node, 0))
        if node.arity:
            ct = tuple([cotangents.get((node, i)) for i in range(node.arity)])
        if node.args is None or ct is None or (node.arity and not any([entry is not None for entry in ct])):
            continue
        out, args = kept(node)
        linear_map = node.prim.linear_map("reverse", out, args, node.params)
        for link, term in zip(node.parents, linear_map.pull_wanted(ct, node.parents), strict=True):
            if link is not None and term is not None:
                have, more = cotangents.get(link), computed(term)
                cotangents[link] = more if have is None else add(have, more)


Result = tuple[str, Any]  # a name, and what it stands for where the program is written


class Writer(Interpreter):
    """The lines so far, and what they refer to. Products with derivatives are plain ones, in which no zero wins."""

    __slots__ = ("_known", "_lines", "_names")

    times: Callable[..., Any] = np.multiply  # the kernel of `scale`

    def __init__(self) -> None:
        super().__init__("program")
        self.level = 0  # below that of samples
        self._lines: list[Line] = []
        self._known: dict[Hashable, Result] = {}  # of what was written
        self._names: dict[str, Any] = {"asarray": np.asarray, "Batched": Batched}

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Write a line that calls the primitive, unless there is that line already."""
        key: Hashable = (prim, *[_key(arg) for arg in args], *params.items())
        try:
            hash(key)
        except TypeError:  # a parameter that can change: this line is like no other
            key = object()
        result = self._known.get(key) or self._known.setdefault(key, self.write(prim, args, params))
        out, sample = result
        if sample.__class__ is tuple:
            return tuple([Symbol(self, f"{out}[{i}]", entry) for i, entry in enumerate(sample)])
        return Symbol(self, out, np.asarray(sample))

    def write(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Result:
        """Write a line that calls the kernel."""
        kernel = self.__class__.times if prim is scale else prim.impl
        sample = kernel(*[arg.sample if arg.__class__ is Symbol else arg for arg in args], **params)
        return self._line(kernel, sample, prim, args, params)

    def _line(
        self, called: Any, sample: Any, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]
    ) -> Result:
        numbers = {arg.dtype for arg in args if arg.__class__ is Symbol} if prim.family == "elementwise" else set()
        operands = [self._operand(arg, numbers) for arg in args]
        options = [f"{name}={self._named(value)}" for name, value in params.items()]
        out = f"t{len(self._lines)}"
        is_array = sample.__class__ is np.ndarray
        fresh = (sample.shape, sample.dtype) if is_array and isinstance(called, np.ufunc) else None
        size = sample.size if is_array else 0
        is_scalar = not is_array and sample.__class__ is not tuple
        self._lines.append(Line(out, self._named(called), operands, options, size, fresh, is_scalar))
        return out, sample

    def drop_unread(self, results: Sequence[Value]) -> set[str]:
        """Drop the lines that results do not depend on; all names that the others read."""
        read = {name for value in results for name in _NAMES.findall(self._result(value))}
        kept = []
        for line in reversed(self._lines):
            if line.out in read:
                kept.append(line)
                read |= line.names()
        self._lines = kept[::-1]
        if len(kept) > MOST_LINES:
            raise DependsOnValues
        return read

    def function(self, head: Sequence[str], results: Sequence[Value | None], *, keep: int = FEW) -> Any:
        """
        The lines as a function that returns a tuple of the results; its `head` gives the symbols their values.

        Arrays of more elements than to `keep` are freed, or written to, when no later line reads them.
        """
        found = "".join([f"{self._result(value)}, " for value in results])
        lines = self._freeing(set(_NAMES.findall(found)), keep)
        return defined([*head, *lines, f"return ({found})"], self._names)

    def _result(self, value: Value | None) -> str:
        if value.__class__ is Batched:
            return f"Batched(batch, {self._operand(value.inner)})"
        return "None" if value is None else self._operand(value)

    def _freeing(self, read: set[str], keep: int) -> list[str]:
        """The lines as Python, given what is `read` after the last."""
        large = {line.out: line for line in self._lines if line.size > keep}
        seen = {name for line in self._lines if not line.fresh for name in line.names()}  # there may be views of it
        texts: list[str] = []
        for line in reversed(self._lines):
            done = sorted([name for name in line.names() - read if name in large])
            own = [name for name in done if name not in seen and line.fresh and line.fresh == large[name].fresh]
            text = line.text(f"out={own[0]}") if own else line.text()
            texts.append(f"{text}; del {', '.join(done)}" if done else text)
            read = read | line.names()
        return texts[::-1]

    def _operand(self, arg: Value, dtypes: Collection[np.dtype[Any]] = ()) -> str:
        if arg.__class__ is Symbol:
            name: str = arg.name
            return name
        if arg.__class__ is np.ndarray:
            return f"{self._named(arg)}.copy()"  # the result may be that array, and may be written later
        if (arg.__class__ is float or arg.__class__ is int) and len(dtypes) == 1:
            (dtype,) = dtypes
            if dtype.kind == "f":
                arg = np.asarray(arg, dtype)  # what NumPy would make of it at each call
        return self._named(arg)

    def _named(self, thing: Any) -> str:
        name = f"k{len(self._names)}"
        self._names[name] = thing
        return name


def _key(operand: Value) -> Hashable:
    if operand.__class__ is Symbol:
        return operand.name
    return id(operand) if operand.__class__ is np.ndarray else (operand.__class__, str(operand))


class CarefulWriter(Writer):
    """Writes products with derivatives in which zero wins."""

    __slots__ = ()

    times = scale.impl


class PrimitiveWriter(Writer):
    """Writes calls of primitives, which may be given values of any level, instead of kernels."""

    __slots__ = ()

    def write(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Result:
        """Write a line that calls the primitive; what comes out has the form of the kernel's result of ones."""
        if not prim.formal:
            raise DependsOnValues
        sample = prim.impl(*[arg.sample if arg.__class__ is Symbol else arg for arg in args], **params)
        return self._line(prim, as_arrays(sample), prim, args, params)
