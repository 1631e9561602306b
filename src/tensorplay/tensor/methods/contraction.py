"""Products and linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import contraction as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ContractionMethods(Handle):
    """Products and linear algebra."""

    __slots__ = ()

    def __matmul__(self, other: Any) -> Tensor:
        return functions.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return functions.matmul(other, self)
