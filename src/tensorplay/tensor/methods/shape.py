"""Shape methods and views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import shape as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ShapeMethods(Handle):
    """Shape methods and views."""

    __slots__ = ()

    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape; see `tensorplay.reshape`."""
        return functions.reshape(self, *shape)

    def t(self) -> Tensor:
        """Transpose of a matrix; see `tensorplay.t`."""
        return functions.transpose(self, 0, 1)

    def clone(self) -> Tensor:
        """A copy; see `tensorplay.clone`."""
        return functions.clone(self)
