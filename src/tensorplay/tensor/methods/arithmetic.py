"""Operators (`+`, `@`, `<`, ...) and what they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import elementwise as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ArithmeticMethods(Handle):
    """Operators (`+`, `@`, `<`, ...) and what they stand for."""

    __slots__ = ()

    def __add__(self, other: Any) -> Tensor:
        return functions.add(self, other)

    def __radd__(self, other: Any) -> Tensor:
        return functions.add(other, self)

    def __sub__(self, other: Any) -> Tensor:
        return functions.sub(self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return functions.sub(other, self)

    def __mul__(self, other: Any) -> Tensor:
        return functions.mul(self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return functions.mul(other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return functions.div(self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return functions.div(other, self)
