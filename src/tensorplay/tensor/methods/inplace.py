"""What all in-place methods share, and those that no function has a name for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tensorplay.core.stack import settle
from tensorplay.ops import shape as views
from tensorplay.ops.creation import zeros
from tensorplay.ops.families import reshape
from tensorplay.ops.indexing import concrete
from tensorplay.tensor.handle import Handle, Self, check_dtype, requires_grad

T = TypeVar("T", bound=Handle)


def store(tensor: T, result: Any, name: str) -> T:
    """Write a result into the tensor it was computed for, unless its category of dtype is too high."""
    value = result.value
    check_dtype(name, value, tensor.value)
    return tensor._write(value, name)


class InplaceMethods(Handle):
    """Other shapes in place, and Python functions of single elements."""

    def resize_(self, *sizes: Any, memory_format: Any = None) -> Self:
        """Take another shape in place: the elements in order, as many as fit; what is new is zero."""
        if requires_grad(self.value):
            raise RuntimeError("resize_(): a tensor that requires grad cannot be resized; use reshape, or pad")
        shape = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
        if not all([isinstance(size, int) and size >= 0 for size in shape]):
            raise RuntimeError(f"resize_(): sizes must be ints that are not negative, got {shape}")
        if shape == self.shape_tuple:
            return self
        count, wanted = self.value.size, math.prod(shape)
        if wanted <= count and self.layout().flags.c_contiguous:
            return self._become_view(lambda value: _leading(value, shape), "resize_")
        elements = reshape(self.value, shape=(count,))
        if wanted > count:
            elements = views.cat([elements, zeros(wanted - count, dtype=elements.dtype)])
        return self._replace(_leading(elements, shape), "resize_")

    def resize_as_(self, the_template: Any, *, memory_format: Any = None) -> Self:
        """Take the shape of another tensor in place; see `resize_`."""
        return self.resize_(*the_template.value.shape)

    def apply_(self, callable: Callable[[Any], Any]) -> Self:
        """Replace each element, a Python number, by what a Python function makes of it."""
        return self._map("apply_", callable)

    def map_(self, tensor: Any, callable: Callable[[Any, Any], Any]) -> Self:
        """Replace each element by what a Python function makes of it and of the element of another tensor."""
        return self._map("map_", callable, tensor)

    def map2_(self, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Self:
        """Replace each element by what a Python function makes of it and of the elements of two other tensors."""
        return self._map("map2_", callable, x, y)

    def _map(self, name: str, function: Callable[..., Any], *others: Handle) -> Self:
        what = f"{name} (a Python function of each element)"
        tensors: tuple[Handle, ...] = (self, *others)
        arrays = [concrete(settle(tensor.value), what) for tensor in tensors]
        try:
            columns = [np.broadcast_to(array, self.shape_tuple).ravel().tolist() for array in arrays]
        except ValueError:
            shapes = ", ".join([str(list(array.shape)) for array in arrays[1:]])
            raise RuntimeError(f"{name}(): shapes {shapes} do not expand to {list(self.shape_tuple)}") from None
        made = np.array([function(*row) for row in zip(*columns, strict=True)], dtype=arrays[0].dtype)
        return self._write(made.reshape(self.shape_tuple), name)


def _leading(value: Any, shape: tuple[int, ...]) -> Any:
    """As many of the elements, in order, as a shape has, in that shape."""
    flat = reshape(value, shape=(value.size,))
    return reshape(views.slice_key(flat, key=(slice(0, math.prod(shape), 1),)), shape=shape)
