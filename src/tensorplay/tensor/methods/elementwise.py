"""Elementwise methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import elementwise as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ElementwiseMethods(Handle):
    """Elementwise methods."""

    __slots__ = ()

    def sin(self) -> Tensor:
        """Sine of each element; see `tensorplay.sin`."""
        return functions.sin(self)

    def sin_(self) -> Self:
        """In-place `sin`."""
        return self._write(functions.sin(self).value, "sin_")

    def add_(self, other: Any, *, alpha: Any = 1) -> Self:
        """In-place `add`."""
        return self._write(functions.add(self, other, alpha=alpha).value, "add_")

    def mul_(self, other: Any) -> Self:
        """In-place `mul`."""
        return self._write(functions.mul(self, other).value, "mul_")
