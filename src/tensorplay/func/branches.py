"""Functions that only some samples take: conditions, and calls that leave no trace in the samples that do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core import writes
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Value, is_inexact
from tensorplay.func.arguments import describe, shown
from tensorplay.interpreters.watch import counting_where
from tensorplay.ops.gates import gate
from tensorplay.ops.indexing import is_mapped
from tensorplay.ops.shape import reshape
from tensorplay.tensor.handle import Pending, held_back, wrap
from tensorplay.tensor.tensor import Tensor


def need_callables(title: str, **functions: Any) -> None:
    """Raise unless all of the named arguments can be called."""
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{title}: {name} must be callable, got {describe(function)}")


def condition(title: str, what: str, pred: Any) -> bool | Value:
    """A condition as a bool, or as one bool per sample where the samples may disagree."""
    if isinstance(pred, bool | np.bool_):
        return bool(pred)
    if not isinstance(pred, Tensor) or pred.value.dtype.kind != "b" or pred.value.size != 1:
        raise RuntimeError(f"{title}: {what} must be a bool, or a tensor of a single bool, got {describe(pred)}")
    return reshape(pred.value, shape=()) if is_mapped(pred.value) else bool(pred)


def handed(leaves: Sequence[Any], flag: Value | None = None) -> list[Any]:
    """
    Leaves to call a function with: tensors as handles of its own.

    With a `flag`, derivatives pass only for the samples for which it holds.
    """
    return [_handed(leaf, flag) if isinstance(leaf, Tensor) else leaf for leaf in leaves]


def _handed(leaf: Tensor, flag: Value | None) -> Tensor:
    value = leaf.value
    return wrap(value if flag is None or not is_inexact(value) else gate(value, flag))


def called(title: str, name: str, function: Callable[..., Any], args: Sequence[Any], handles: Sequence[Any]) -> Any:
    """The result of a function, which must not write to its arguments; `handles` are the leaves of these."""
    before = writes.latest
    out = function(*args)
    for handle in handles:
        if isinstance(handle, Tensor) and _was_written(handle, before):
            raise RuntimeError(
                f"{title}: {name} writes in place to an argument, {describe(handle)}; return the new value, or write "
                "to a copy (x.clone())"
            )
    return out


def _was_written(handle: Tensor, before: int) -> bool:
    store = handle if handle._root is None else handle._root
    return bool(store._edition) or (writes.latest != before and writes.write_since(store._value, before) is not None)


def called_for_all(title: str, name: str, function: Callable[..., Any], args: Sequence[Any], flag: Value) -> Any:
    """
    The result of a function that runs for all samples, though only those for which `flag` holds take it.

    Its writes are held back, and refused where they reach a tensor that was made outside.
    """
    level = Interpreter(title)
    pending = Pending()
    token = held_back.set(pending)
    try:
        with level, counting_where(flag, True):
            out = function(*args)
        _need_no_writes(title, name, pending, level)
    except BaseException:
        pending.discard()
        raise
    finally:
        held_back.reset(token)
    return out


def _need_no_writes(title: str, name: str, pending: Pending, level: Interpreter) -> None:
    for handle in pending.originals:
        if handle._home < level.level:
            raise RuntimeError(
                f"{title}: {name} writes in place to {describe(handle)} made outside of it, and samples that do not "
                "take this function would see the write. Return the new value, or write to a copy (x.clone())."
            )


def unlike(new: Any, old: Any) -> bool:
    """Whether two leaves differ in shape or dtype, or are not both tensors."""
    if isinstance(new, Tensor) and isinstance(old, Tensor):
        return bool(new.value.shape != old.value.shape or new.value.dtype != old.value.dtype)
    return new.__class__ is not old.__class__


def need_structure(title: str, what: str, spec: tree.TreeSpec, other: tree.TreeSpec) -> None:
    """Raise unless two structures, which `what` tells of, are the same."""
    if spec != other:
        raise RuntimeError(f"{title}: {what} must have the same structure, got {shown(spec)} and {shown(other)}")
