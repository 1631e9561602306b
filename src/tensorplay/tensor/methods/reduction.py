"""Reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import reduction as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ReductionMethods(Handle):
    """Reductions."""

    __slots__ = ()

    def sum(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """Sum of the elements; see `tensorplay.sum`."""
        return functions.sum(self, dim, keepdim, dtype=dtype)
