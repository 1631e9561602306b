"""What all in-place methods share."""

from __future__ import annotations

from typing import Any, TypeVar

from tensorplay.dtypes import category_of, from_numpy_dtype
from tensorplay.tensor.handle import Handle

T = TypeVar("T", bound=Handle)


def store(tensor: T, result: Any, name: str) -> T:
    """Write a result into the tensor it was computed for, unless its category of dtype is too high."""
    value = result.value
    if category_of(value) > category_of(tensor.value):
        raise RuntimeError(
            f"{name}: the result has dtype {from_numpy_dtype(value.dtype)}, which does not fit into a tensor of dtype "
            f"{from_numpy_dtype(tensor.value.dtype)}"
        )
    return tensor._write(value, name)
