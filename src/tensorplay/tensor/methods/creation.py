"""New tensors like this one, and this one filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay.ops.shape import copy
from tensorplay.tensor import factories
from tensorplay.tensor.functions import creation, shape
from tensorplay.tensor.handle import Handle, Self
from tensorplay.tensor.strides import each_once

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class CreationMethods(Handle):
    """New tensors like this one, and this one filled."""

    def new_zeros(self, *size: Any, dtype: Any = None, **options: Any) -> Tensor:
        """Zeros of a given shape in this tensor's dtype."""
        return creation.zeros(*size, dtype=dtype or self.value.dtype, **options)

    def new_ones(self, *size: Any, dtype: Any = None, **options: Any) -> Tensor:
        """Ones of a given shape in this tensor's dtype."""
        return creation.ones(*size, dtype=dtype or self.value.dtype, **options)

    def new_empty(self, *size: Any, dtype: Any = None, **options: Any) -> Tensor:
        """A tensor of a given shape in this tensor's dtype, whose elements are not set."""
        return creation.empty(*size, dtype=dtype or self.value.dtype, **options)

    def new_full(self, size: Any, fill_value: Any, *, dtype: Any = None, **options: Any) -> Tensor:
        """One number everywhere, of a given shape, in this tensor's dtype."""
        return creation.full(size, fill_value, dtype=dtype or self.value.dtype, **options)

    def new_tensor(self, data: Any, *, dtype: Any = None, **options: Any) -> Tensor:
        """A tensor with a copy of `data`, in this tensor's dtype."""
        return factories.tensor(data, dtype=dtype or self.value.dtype, **options)

    def fill_(self, value: Any) -> Self:
        """Set every element to one number."""
        target = self if self._root is None else each_once(self)
        target._write(shape.fill(target, value).value, "fill_")
        return self

    def zero_(self) -> Self:
        """Set every element to zero."""
        target = self if self._root is None else each_once(self)
        target._write(np.zeros(target.shape_tuple, target.value.dtype), "zero_")
        return self

    def copy_(self, src: Any, non_blocking: bool = False) -> Self:
        """Set the elements to those of `src`, which broadcasts to this tensor's shape."""
        new = factories.as_tensor(src).value
        if new.__class__ is not np.ndarray or self.value.__class__ is not np.ndarray:
            # the new value must not be the source's own, which may be written later
            new = copy(self._fit(new, "copy_"))
        return self._write(new, "copy_")
