"""Order statistics and cumulative methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class SortingMethods(Handle):
    """Order statistics and cumulative methods."""

    __slots__ = ()
