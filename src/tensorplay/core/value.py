"""What flows through the core: NumPy arrays, and traced values that wrap a value at some level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tensorplay.core.stack import Interpreter

# A NumPy array, a `Traced`, or (as an operand of elementwise ops only) a Python number, which is weak in promotion.
Value = Any
Shape = tuple[int, ...]


class Traced:
    """A value that an interpreter watches: `owner` says which one, `inner` is the value one level below."""

    __slots__ = ("dtype", "inner", "owner")

    def __init__(self, owner: Interpreter, inner: Value) -> None:
        self.owner = owner
        self.inner = inner
        self.dtype: np.dtype[Any] = inner.dtype

    @property
    def shape(self) -> Shape:
        """The shape that the function being transformed sees."""
        shape: Shape = self.inner.shape
        return shape

    @property
    def ndim(self) -> int:
        """Length of `shape`."""
        ndim: int = self.inner.ndim
        return ndim

    @property
    def size(self) -> int:
        """Number of elements that the function being transformed sees."""
        count = 1
        for length in self.shape:
            count *= length
        return count

    @property
    def extent(self) -> int:
        """Number of elements of the array at the bottom."""
        inner = self.inner
        extent: int = inner.extent if isinstance(inner, Traced) else inner.size
        return extent


def shape_of(value: Value) -> Shape:
    """Shape of a value; a Python number is 0-d."""
    return value.shape if hasattr(value, "shape") else ()


def ndim_of(value: Value) -> int:
    """Number of dims of a value; a Python number has none."""
    return getattr(value, "ndim", 0)


def ground(value: Value) -> Value:
    """The NumPy array (or Python number) at the bottom of `value`, with every batch dim in front."""
    while isinstance(value, Traced):
        value = value.inner
    return value


def is_inexact(value: Value) -> bool:
    """Whether derivatives may flow through `value`: it holds floating or complex numbers."""
    return value.dtype.kind in "fc" if hasattr(value, "dtype") else isinstance(value, float | complex)
