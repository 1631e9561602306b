"""New tensors like this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class CreationMethods(Handle):
    """New tensors like this one."""

    __slots__ = ()
