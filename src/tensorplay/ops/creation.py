"""Values made from data, shapes and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype, default_float, result_dtype
from tensorplay.ops.promotion import NUMBERS
from tensorplay.ops.shape import sizes


def array_from(data: Any, dtype: NumpyDtype | None = None) -> Any:
    """A new array with the elements of nested sequences, numbers or an array; floats get the default dtype."""
    if dtype is not None:
        return np.array(data, dtype=dtype)
    array = np.array(data)
    if not isinstance(data, np.ndarray | np.generic):
        array = array.astype(_dtype_of_data(array), copy=False)
    return array


def _dtype_of_data(array: np.ndarray[Any, Any]) -> NumpyDtype:
    """Dtype for Python data: the default of its category."""
    if array.dtype.kind == "O":
        raise TypeError("tensor(): expected numbers in nested sequences of equal lengths")
    number = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}.get(array.dtype.kind)
    if number is None:
        raise TypeError(f"tensor(): cannot hold elements of NumPy type {array.dtype}")
    if array.size == 0 and array.dtype.kind == "f":
        return default_float()
    return result_dtype((number,))


def zeros(*size: Any, dtype: NumpyDtype | None = None) -> Value:
    return np.zeros(sizes(size), dtype or default_float())


def ones(*size: Any, dtype: NumpyDtype | None = None) -> Value:
    return np.ones(sizes(size), dtype or default_float())


def full(size: Sequence[int], fill_value: Any, *, dtype: NumpyDtype | None = None) -> Value:
    if dtype is None:
        dtype = result_dtype((fill_value,)) if isinstance(fill_value, NUMBERS) else fill_value.dtype
    return np.full(sizes((size,)), fill_value, dtype)


def zeros_like(input: Value, *, dtype: NumpyDtype | None = None) -> Value:
    return np.zeros(input.shape, dtype or input.dtype)


def ones_like(input: Value, *, dtype: NumpyDtype | None = None) -> Value:
    return np.ones(input.shape, dtype or input.dtype)
