"""Slices of tensors as steps of a loop, and what the steps give as slices of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core import writes
from tensorplay.core.value import Value
from tensorplay.errors import shown as told
from tensorplay.func.arguments import describe
from tensorplay.func.branches import need_structure
from tensorplay.ops.promotion import NUMBERS, as_value
from tensorplay.ops.shape import one_dim
from tensorplay.ops.stacking import slices, stacked
from tensorplay.ops.streams import default_stream, forked
from tensorplay.tensor.handle import Pending, held_back, wrap
from tensorplay.tensor.tensor import Tensor


class Slices:
    """
    The slices along `dim` of a tree of tensors, by their number; None gives `length` times nothing.

    All slices are taken at once, so that the derivative puts them together at once.
    """

    __slots__ = ("_columns", "_spec", "length", "values")

    def __init__(self, title: str, xs: Any, dim: int, length: int | None) -> None:
        self.values, dims, self._spec, self.length = sliceable(title, xs, dim, length)
        take = slices if self.length else _one_like
        self._columns = [take(value, dim=d) for value, d in zip(self.values, dims, strict=True)]

    def handles(self, number: int) -> list[Tensor | None]:
        """Tensors on the slices of that number."""
        return [wrap(column[number]) for column in self._columns] or [None] * self._spec.num_leaves

    def tree(self, handles: list[Tensor | None]) -> Any:
        """Slices in the structure of what they are of."""
        return tree.unflatten(self._spec, handles)


def sliceable(title: str, xs: Any, dim: int, length: int | None) -> tuple[list[Value], list[int], tree.TreeSpec, int]:
    """Values of the leaves of a tree, the dim of each to go along, the structure, and the size along these dims."""
    if not isinstance(dim, int | np.integer) or isinstance(dim, bool):
        raise TypeError(f"{title}: dim must be an int, got {told(dim)}")
    leaves, spec = ([], tree.LEAF) if xs is None else tree.flatten(xs)
    values = [_tensor_value(title, xs, position, leaf) for position, leaf in enumerate(leaves)]
    dims = [one_dim(dim, value.ndim, title.removesuffix("()")) for value in values]
    sizes = [value.shape[d] for value, d in zip(values, dims, strict=True)]
    return values, dims, spec, _length(title, xs, sizes, length)


def _one_like(value: Value, dim: int) -> tuple[Value]:
    """Zeros that are like a slice."""
    return (np.zeros((*value.shape[:dim], *value.shape[dim + 1 :]), value.dtype),)


def _tensor_value(title: str, xs: Any, position: int, leaf: Any) -> Value:
    if not isinstance(leaf, Tensor) or not leaf.ndim:
        raise RuntimeError(
            f"{title}: xs{tree.paths(xs)[position]} must be a tensor with at least one dim, got {describe(leaf)}"
        )
    return leaf.value


def _length(title: str, xs: Any, sizes: list[int], length: int | None) -> int:
    """The number of steps that all leaves, and `length`, agree on."""
    if length is not None and (not isinstance(length, int) or isinstance(length, bool) or length < 0):
        raise ValueError(f"{title}: length must be a non-negative int, got {length!r}")
    found = set(sizes) if length is None else {*sizes, length}
    if len(found) == 1:
        return found.pop()
    if not found:
        raise ValueError(f"{title}: without tensors among xs, give the number of steps, length=")
    listed = [f"{size} for xs{path}" for size, path in zip(sizes, tree.paths(xs) if sizes else (), strict=True)]
    raise ValueError(
        f"{title}: expected one size along dim, got {', '.join([*listed, *([] if length is None else [f'{length=}'])])}"
    )


class Results:
    """What the steps give, to be stacked: trees of one structure, with leaves of one shape and dtype."""

    __slots__ = ("_columns", "_name", "_spec", "_title", "_tree")

    def __init__(self, title: str, name: str) -> None:
        self._title = title
        self._name = name  # what messages call the result of a step
        self._spec: tree.TreeSpec | None = None

    def add(self, out: Any, written: bool) -> None:
        """Take the next result; where there was a write, a later one may go to the same memory."""
        leaves, spec = tree.flatten(out)
        values = [self._value(leaf, out, position) for position, leaf in enumerate(leaves)]
        if self._spec is None:
            self._tree, self._spec = out, spec
            self._columns: list[list[Value]] = [[] for _ in values]
        need_structure(self._title, f"{self._name} of all steps", self._spec, spec)
        for position, (column, value) in enumerate(zip(self._columns, values, strict=True)):
            if column and not _alike(column[0], value):
                self._refuse(position, column, value)
            column.append(value.copy() if written and value.__class__ is np.ndarray else value)

    def _value(self, leaf: Any, out: Any, position: int) -> Value:
        if leaf is None or isinstance(leaf, Tensor):
            return None if leaf is None else leaf.value
        if leaf.__class__ in NUMBERS:
            return as_value(leaf)
        raise TypeError(
            f"{self._title}: {self._name} must consist of tensors, got {describe(leaf)} at "
            f"{self._name}{tree.paths(out)[position]}"
        )

    def _refuse(self, position: int, column: list[Value], value: Value) -> None:
        first, other = [describe(None if v is None else wrap(v)) for v in (column[0], value)]
        raise RuntimeError(
            f"{self._title}: {self._name} of all steps must have the same shape and dtype, got {first} at first and "
            f"{other} at {self._name}{tree.paths(self._tree)[position]} of step {len(column)}"
        )

    def stacked(self, dim: int, backwards: bool = False, empty: bool = False) -> Any:
        """The results of all steps along a new dim; those of none if they are `empty`."""
        assert self._spec is not None
        leaves = [None if column[0] is None else wrap(self._joined(column, dim, backwards)) for column in self._columns]
        if empty:
            leaves = [None if leaf is None else leaf.narrow(dim, 0, 0) for leaf in leaves]
        return tree.unflatten(self._spec, leaves)

    def _joined(self, column: list[Value], dim: int, backwards: bool) -> Value:
        d = one_dim(dim, column[0].ndim + 1, self._title.removesuffix("()"))
        return stacked(*(reversed(column) if backwards else column), dim=d)


def _alike(one: Value, other: Value) -> bool:
    if one is None or other is None:
        return one is other
    return bool(one.shape == other.shape and one.dtype == other.dtype)


def taken(step: Callable[[list[Tensor | None]], Any], xs: Slices, results: Results, backwards: bool = False) -> None:
    """Let `results` have what `step` gives of each slice; of none, what it gives of zeros, leaving no trace."""
    if not xs.length:
        _rehearsed(lambda: results.add(step(xs.handles(0)), True))
        return
    for number in _numbers(xs.length, backwards):
        before = writes.latest
        results.add(step(xs.handles(number)), writes.latest != before)


def _numbers(length: int, backwards: bool) -> Iterator[int]:
    return iter(range(length - 1, -1, -1) if backwards else range(length))


def _rehearsed(call: Callable[[], Any]) -> None:
    """Call a function whose writes and draws are forgotten."""
    pending = Pending()
    token = held_back.set(pending)
    try:
        with forked(default_stream):
            call()
    finally:
        held_back.reset(token)
        pending.discard()
