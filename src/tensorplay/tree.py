"""Pytrees: flatten and unflatten nested containers, with key paths for messages. None is a leaf here."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any

import optree

NAMESPACE = "tensorplay"
TreeSpec = optree.PyTreeSpec


def register(cls: type, flatten: Callable[[Any], Any], unflatten: Callable[[Any, Any], Any]) -> None:
    """
    Make instances of a class containers that every transform looks into.

    Parameters
    ----------
    cls : type
        The class.
    flatten : callable
        ``flatten(instance) -> (children, auxiliary)``.
    unflatten : callable
        ``unflatten(auxiliary, children) -> instance``.

    Examples
    --------
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> tp.register_pytree_node(Pair, lambda p: ((p.a, p.b), None), lambda _, c: Pair(*c))
    >>> tp.func.grad(lambda p: p.a * p.b)(Pair(tp.tensor(2.0), tp.tensor(3.0))).a
    tensor(3.)
    """
    with _registering:
        optree.register_pytree_node(cls, flatten, unflatten, namespace=NAMESPACE)
        _containers.add(cls)
        _seen.discard(cls)


def flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """Leaves of `tree` in order, and its structure. Dataclass instances are containers."""
    cls = tree.__class__
    if cls in _seen:
        return [tree], LEAF
    if cls is tuple and len(tree) < len(_FLAT_TUPLES) and all([entry.__class__ in _seen for entry in tree]):
        return list(tree), _FLAT_TUPLES[len(tree)]
    leaves, spec = optree.tree_flatten(tree, none_is_leaf=True, namespace=NAMESPACE)
    for leaf in leaves:
        if leaf.__class__ not in _seen and _register_dataclasses(leaves):
            return flatten(tree)
    return leaves, spec


_seen: set[type] = set()  # classes of leaves that are known not to be dataclasses
_containers: set[type] = set()  # classes that were registered
_registering = threading.Lock()
_ANY_LEAF: Any = 0
LEAF = optree.tree_flatten(_ANY_LEAF, none_is_leaf=True, namespace=NAMESPACE)[1]
_flat: list[Any] = [(0,) * n for n in range(8)]
_FLAT_TUPLES = [optree.tree_flatten(entry, none_is_leaf=True, namespace=NAMESPACE)[1] for entry in _flat]


def _register_dataclasses(leaves: Sequence[Any]) -> bool:
    """Whether there are instances of dataclasses among leaves; these are containers from now on."""
    found = False
    for cls in {leaf.__class__ for leaf in leaves} - _seen:
        is_leaf: bool = not dataclasses.is_dataclass(cls)
        if is_leaf:
            _seen.add(cls)
            continue
        found = True
        with _registering:
            if cls not in _containers:  # another thread may have been here
                _register_dataclass(cls)
                _containers.add(cls)
    return found


def _register_dataclass(cls: Any) -> None:
    names = tuple(field.name for field in dataclasses.fields(cls))

    def take_apart(instance: Any) -> Any:
        return [getattr(instance, name) for name in names], None, names

    def put_together(_: Any, children: Any) -> Any:
        instance = object.__new__(cls)
        for name, child in zip(names, children, strict=True):
            object.__setattr__(instance, name, child)
        return instance

    optree.register_pytree_node(cls, take_apart, put_together, namespace=NAMESPACE)


def children(spec: TreeSpec) -> list[TreeSpec]:
    """Structures of what a container of structure `spec` holds."""
    return [LEAF if child.is_leaf() else child for child in spec.children()]


def of_bare_leaves(spec: TreeSpec, count: int) -> bool:
    """Whether `spec` is the structure that `flatten` gives to a tuple of so many leaves."""
    return count < len(_FLAT_TUPLES) and spec is _FLAT_TUPLES[count]


def unflatten(spec: TreeSpec, leaves: Sequence[Any]) -> Any:
    """The tree of structure `spec` with the given leaves."""
    if spec is LEAF:
        return leaves[0]
    if of_bare_leaves(spec, len(leaves)):
        return tuple(leaves)
    return optree.tree_unflatten(spec, leaves)


def paths(tree: Any) -> list[str]:
    """Key path of each leaf as a user would write it: ``[0]['w'].bias``; empty for a bare leaf."""
    accessors = optree.tree_accessors(tree, none_is_leaf=True, namespace=NAMESPACE)
    return [accessor.codify("") for accessor in accessors]


def map_leaves(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """`function` of each leaf of `tree` (and of the same leaf of trees of the same structure)."""
    return optree.tree_map(function, tree, *rest, none_is_leaf=True, namespace=NAMESPACE)


def first_difference(prefix: TreeSpec, full: TreeSpec, path: str = "") -> tuple[str, TreeSpec, TreeSpec]:
    """Key path of the first place where a structure that should be a prefix of another is not, and both from there."""
    inner = dict(zip(full.entries(), full.children(), strict=True))
    alike = prefix.type is full.type or (_is_dict(prefix) and _is_dict(full))
    if alike and prefix.entries() and set(prefix.entries()) == inner.keys():
        for entry, child in zip(prefix.entries(), prefix.children(), strict=True):
            if not child.is_prefix(inner[entry]):
                key = f"[{entry!r}]" if prefix.type in (tuple, list) or _is_dict(prefix) else f".{entry}"
                return first_difference(child, inner[entry], path + key)
    return path, prefix, full


def _is_dict(spec: TreeSpec) -> bool:
    return isinstance(spec.type, type) and issubclass(spec.type, dict)


def broadcast_prefix(prefix: Any, tree: Any) -> list[Any]:
    """
    One leaf of `prefix` for each leaf of `tree`, of which `prefix` gives the upper structure.

    Raises
    ------
    ValueError
        If `prefix` is no prefix of `tree`.
    """
    leaves, spec = flatten(tree)
    entries: list[Any] = [None] * len(leaves)

    def give(entry: Any, positions: Any) -> None:
        for position in flatten(positions)[0]:
            entries[position] = entry

    # by position, as a dict and an ordered dict with the same keys may list them in another order
    optree.tree_map_(give, prefix, unflatten(spec, range(len(leaves))), none_is_leaf=True, namespace=NAMESPACE)
    return entries
