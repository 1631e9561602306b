"""What the transforms share: titles for messages, arguments as handles of a level, checks of trees."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core import writes
from tensorplay.core.stack import top_level
from tensorplay.core.value import Value, ground
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.errors import shown as told
from tensorplay.tensor.handle import Handle, give_back_elements, taken, title_at, wrap
from tensorplay.tensor.tensor import Tensor

RANDOMNESS = ("error", "different", "same")
LONGEST = 200  # characters of a structure in a message


def name_of(func: Callable[..., Any]) -> str:
    """How a message calls a function."""
    return getattr(func, "__name__", None) or type(func).__name__


def title_of(transform: str, func: Any, options: str = "") -> str:
    """How messages call a transform of `func`, which must be callable."""
    if not callable(func):
        raise TypeError(f"{transform}(): expected a callable as func, got {describe(func)}")
    return f"{transform}({name_of(func)}{options})"


def describe(leaf: Any) -> str:
    """What was given, for a message: shape and dtype of a tensor, else its type."""
    if isinstance(leaf, Tensor):
        return f"a {leaf.dtype} tensor of shape {list(leaf.shape)}"
    name = type(leaf).__name__
    article = "an" if name[0] in "aeioAEIO" or name == "ndarray" else "a"
    size = f" of {len(leaf)}" if isinstance(leaf, tuple | list) else ""
    return f"{article} {name}{size}"


def argnums_tuple(title: str, argnums: Any, count: int) -> tuple[int, ...]:
    """`argnums` as non-negative positions among `count` arguments."""
    if argnums.__class__ is int:
        if 0 <= argnums < count:
            return (argnums,)
        wanted: tuple[int, ...] = (argnums,)
    elif argnums.__class__ is tuple or argnums.__class__ is list:
        wanted = tuple(argnums)
    else:
        raise TypeError(f"{title}: argnums must be an int or a tuple of ints, got {argnums!r}")
    if not wanted:
        raise ValueError(f"{title}: argnums is empty; name at least one argument")
    for argnum in wanted:
        if argnum.__class__ is not int:
            raise TypeError(f"{title}: argnums must be an int or a tuple of ints, got {argnums!r}")
        if not -count <= argnum < count:
            raise IndexError(f"{title}: argnums {argnums} is out of range: the call has {counted(count)}")
    resolved = tuple([argnum % count for argnum in wanted])
    if len(set(resolved)) != len(resolved):
        raise ValueError(f"{title}: argnums {argnums} names an argument twice")
    return resolved


def need_option(title: str, name: str, given: Any, options: Sequence[str]) -> None:
    """Raise unless an option is one of those that there are."""
    if not isinstance(given, str) or given not in options:
        listed = f"{', '.join(map(repr, options[:-1]))} or {options[-1]!r}"
        raise ValueError(f"{title}: {name} must be {listed}, got {told(given)}")


def counted(count: int, one: str = "positional argument", many: str = "") -> str:
    """So many positional arguments, or other things, in words."""
    return f"{count} {one if count == 1 else many or one + 's'}"


class Handles:
    """
    Fresh handles for the tensors among a call's arguments.

    The function works on these; what it wrote to them is given to the caller's tensors when it has returned.
    """

    __slots__ = ("_pairs", "leaves", "spec")

    def __init__(self, leaves: Sequence[Any], spec: tree.TreeSpec) -> None:
        self.leaves = list(leaves)
        self.spec = spec
        self._pairs: list[tuple[Tensor, Tensor, Callable[[Value], Value]]] = []

    def wrap(self, position: int, value: Value, lower: Callable[[Value], Value]) -> None:
        """Give leaf `position` a handle on `value`; `lower` takes a final value back to the caller's level."""
        original = self.leaves[position]
        handle = wrap(value)
        handle._given = original
        self._pairs.append((original, handle, lower))
        self.leaves[position] = handle

    def call(self, func: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        """What `func` returns for the arguments with the handles in place."""
        before = writes.latest
        try:
            out = func(*tree.unflatten(self.spec, self.leaves), **kwargs)
        finally:
            if taken:
                give_back_elements()
        if writes.latest != before:
            self._check_captured(before)
        return out

    def _check_captured(self, since: int) -> None:
        """Raise if the function wrote to an argument's memory through a tensor that it captured."""
        for original, handle, _ in self._pairs:
            if isinstance(handle._value, np.ndarray):
                continue  # not traced: a write through either is seen by both
            what = writes.write_since(original.value, since)
            if what is not None:
                raise RuntimeError(
                    f"{title_at(handle._home)}: the function writes ({what}) to a captured tensor whose memory an "
                    f"argument, {describe(original)}, shares. Write to the argument instead, or capture a copy "
                    "(x.clone())."
                )

    def written(self) -> list[tuple[Tensor, Handle, Callable[[], Value]]]:
        """The caller's tensors that the function wrote to, the handle of each, and what gives its final value."""
        found: list[tuple[Tensor, Handle, Callable[[], Value]]] = []
        for original, handle, lower in self._pairs:
            # a tensor that was reshaped in place is a view of what it was
            store = handle if handle._root is None else handle._root
            if store._edition:
                found.append((original, store, functools.partial(lower, store._value)))
        return found

    def write_back(self, title: str) -> None:
        """Let the caller's tensors have what the function wrote to its arguments."""
        for _, handle, _ in self._pairs:
            if handle._edition or handle._root is not None:
                break
        else:
            return
        written = [(original, handle._leaves_memory, final) for original, handle, final in self.written()]
        write_into(title, written, [original for original, _, _ in self._pairs])


def write_into(
    title: str, written: Sequence[tuple[Tensor, bool, Callable[[], Value]]], arguments: Sequence[Tensor]
) -> None:
    """Let tensors among a call's arguments have final values that the function gave them, in their memory or not."""
    for original, _, _ in written:
        # the function saw two tensors, of which a write to one does not reach the other
        if sum([_overlap(original, other) for other in arguments]) > 1:
            raise RuntimeError(
                f"{title}: the function writes to an argument, {describe(original)}, whose memory another argument "
                "shares; pass one of them as a copy (x.clone())"
            )
    for original, leaves_memory, final in written:
        original._receive(final(), title, leaves_memory)


def _overlap(one: Tensor, other: Tensor) -> bool:
    return one is other or np.shares_memory(ground(one.value), ground(other.value))


def lowered_aux(lower: Callable[[Value], Value], aux: Any) -> Any:
    """A tree of anything, whose tensors get their value at the caller's level; those from outside are themselves."""
    leaves, spec = tree.flatten(aux)
    return tree.unflatten(spec, [_lowered(lower, leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves])


def _lowered(lower: Callable[[Value], Value], leaf: Tensor) -> Tensor:
    value = lower(leaf.value)
    return leaf if value is leaf.value and leaf._home <= top_level() else wrap(value)


def output_values(
    title: str, func: Callable[..., Any], out: Any, way_out: str = "Return other things with has_aux=True"
) -> tuple[list[Value], tree.TreeSpec]:
    """Values of the leaves of the output of `func`, all of which must be tensors."""
    if isinstance(out, Tensor):
        return [out.value], tree.LEAF
    leaves, spec = tree.flatten(out)
    for position, leaf in enumerate(leaves):
        if not isinstance(leaf, Tensor):
            where = tree.paths(out)[position]
            raise TypeError(
                f"{title}: {name_of(func)} must return tensors, got {describe(leaf)}"
                f"{' at output' + where if where else ''}. {way_out}."
            )
    return [leaf.value for leaf in leaves], spec


def split_aux(title: str, func: Callable[..., Any], out: Any) -> tuple[Any, Any]:
    """Output and aux of `func`, called with ``has_aux=True``."""
    if not isinstance(out, tuple) or len(out) != 2:
        raise RuntimeError(
            f"{title}: with has_aux=True {name_of(func)} must return a pair (output, aux), got {describe(out)}"
        )
    return out


def check_inexact(title: str, what: str, trees: Any, number: int, leaves: Sequence[Any]) -> None:
    """Raise unless every leaf of entry `number` of a tuple of trees is a floating or complex tensor."""
    for position, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.value.dtype.kind in "fc":
            continue
        found = f"{title}: {what}[{number}]{tree.paths(trees[number])[position]} is {describe(leaf)}"
        if isinstance(leaf, Tensor):
            raise RuntimeError(
                f"{found}, and derivatives exist only for floating and complex tensors. Convert it (x.to(tp.float32)), "
                "or leave it out of what is differentiated (argnums=)."
            )
        raise TypeError(
            f"{found}; only tensors can be differentiated. Make it a tensor, or leave it out of what is differentiated "
            f"(argnums=)."
        )


def matching_values(
    title: str, what: str, given: Any, like: Sequence[Value], spec: tree.TreeSpec, of: str
) -> list[Value]:
    """Values of a tree of (co)tangents that must match, leaf by leaf, values `like` of structure `spec`."""
    leaves, given_spec = tree.flatten(given)
    if given_spec != spec:
        raise ValueError(
            f"{title}: the structure of the {what} differs from that of the {of}: expected {shown(spec)}, got "
            f"{shown(given_spec)}"
        )
    for position, (leaf, value) in enumerate(zip(leaves, like, strict=True)):
        if isinstance(leaf, Tensor) and leaf.value.shape == value.shape and leaf.value.dtype == value.dtype:
            continue
        where = tree.paths(given)[position]
        raise ValueError(
            f"{title}: the {what}{where} must have the shape and dtype of the {of}: expected {list(value.shape)} "
            f"{from_numpy_dtype(value.dtype)}, got {describe(leaf)}"
        )
    return [leaf.value for leaf in leaves]


def shown(spec: tree.TreeSpec) -> str:
    """A structure for a message."""
    text = str(spec).removeprefix("PyTreeSpec(").split(", NoneIsLeaf")[0]
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
