"""Other tensors in the place of a module's parameters and buffers, for one call, while the module stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from tensorplay.tensor.tensor import Tensor


class Cell:
    """What stands in for one parameter or buffer; assigning the attribute changes the cell, not the module."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor | None) -> None:
        self.tensor = tensor


Cells = dict[str, Cell]
# id of a module -> its substitutes. Context-local: other threads see the module as it is.
_active: ContextVar[Mapping[int, Cells]] = ContextVar("substitutes", default=MappingProxyType({}))


def substitutes_of(module: Any) -> Cells | None:
    """What stands in for parameters and buffers of a module here, by attribute name."""
    return _active.get().get(id(module))


@contextmanager
def substituted(entries: Sequence[tuple[Any, str, Tensor]]) -> Iterator[None]:
    """Let each ``(module, attribute, tensor)`` hold inside; what an outer one put elsewhere stays there."""
    table = dict(_active.get())
    own = {id(module): dict(table.get(id(module), {})) for module, _, _ in entries}
    for module, name, tensor in entries:
        own[id(module)][name] = Cell(tensor)
    token = _active.set(table | own)
    try:
        yield
    finally:
        _active.reset(token)
