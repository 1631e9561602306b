"""Bringing operands to one dtype by torch's rules, before an op is bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import FLOAT32, NumpyDtype, category_of, default_float, from_numpy_dtype, result_dtype
from tensorplay.ops.families import structural
from tensorplay.ops.many import filling_itself, in_pieces

NUMBERS = (int, float, complex, bool)


@filling_itself
def _cast(x: Any, dtype: NumpyDtype, out: Any = None) -> Any:
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    if out is None:
        return x.astype(dtype)
    np.copyto(out, x, casting="unsafe")
    return out


_to = structural(
    "to",
    _cast,
    transpose=lambda ct, x, dtype: cast(ct, x.dtype),
    batch=lambda size, args, mapped, dtype: (_to(args[0], dtype=dtype), True),
)
_to.many = in_pieces(_cast)


def cast(value: Value, dtype: NumpyDtype) -> Value:
    """`value` with elements of `dtype`, itself if it has them already."""
    if not hasattr(value, "dtype"):
        return number_in(value, dtype)
    return value if value.dtype == dtype else _to(value, dtype=dtype)


def number_in(number: Any, dtype: NumpyDtype) -> Value:
    """A Python number as a 0-d array; negative integers count from the top of an unsigned dtype."""
    try:
        return np.asarray(number, dtype)
    except (OverflowError, ValueError, TypeError):
        if dtype.kind == "u" and isinstance(number, int) and -(2 ** (8 * dtype.itemsize)) < number < 0:
            return np.asarray(number).astype(dtype)
        if not isinstance(number, NUMBERS):
            raise TypeError(f"expected a tensor or a number, got {type(number).__name__}") from None
        raise RuntimeError(f"{number} does not fit into a tensor of {from_numpy_dtype(dtype)}") from None


def filler(name: str, value: Any, dtype: NumpyDtype) -> Value:
    """The number, or the 0-d value, that a function writes into a tensor of `dtype`."""
    if getattr(value, "ndim", 0) != 0:
        raise RuntimeError(f"{name}(): value must be a number or a 0-d tensor, got shape {list(value.shape)}")
    if category_of(value) == 3 and dtype.kind != "c":
        raise RuntimeError(f"{name}(): {value} does not fit into a tensor of {from_numpy_dtype(dtype)}")
    return cast(value, dtype)


def wide(value: Value) -> Value:
    """`value`, in float32 if it is float16, whose sums of products lose too many digits."""
    return cast(value, FLOAT32) if value.dtype == np.float16 else value


def as_value(value: Value) -> Value:
    """A value for an operand: a Python number becomes a 0-d array of the default dtype of its category."""
    return np.asarray(value, result_dtype((value,))) if value.__class__ in NUMBERS else value


def promote(*operands: Value) -> tuple[Value, ...]:
    """The operands in their common dtype; a Python number that NumPy treats as weak stays as it is."""
    dtypes = [operand.dtype for operand in operands if hasattr(operand, "dtype")]
    if len(dtypes) == len(operands):
        first = dtypes[0]
        if all([d is first for d in dtypes]):
            return operands
    dtype = result_dtype(operands)
    return tuple([_operand(operand, dtype) for operand in operands])


def of_one_dtype(name: str, *operands: Value) -> tuple[Value, ...]:
    """
    The operands of a product of tensors, which are not brought to a common dtype.

    That would cost a copy and, for a float64 array that slipped in, half the speed of all that follows.
    """
    first = operands[0].dtype
    if any([operand.dtype != first for operand in operands]):
        found = [from_numpy_dtype(operand.dtype) for operand in operands]
        raise RuntimeError(
            f"{name}(): expected operands of the same dtype, got {', '.join(map(str, found))}. Convert what differs, "
            f"as in x.to({found[-1]}); module.to() converts all parameters."
        )
    return operands


def _operand(operand: Value, dtype: NumpyDtype) -> Value:
    if operand.__class__ in (float, complex) or (operand.__class__ in (int, bool) and dtype.kind in "fc"):
        return operand if dtype.kind in "fc" else np.asarray(operand).astype(dtype)
    if hasattr(operand, "dtype"):
        return cast(operand, dtype)
    return np.asarray(operand).astype(dtype)


def to_inexact(value: Value) -> Value:
    """`value` in floating or complex numbers: an integer or bool tensor in the default dtype."""
    if not hasattr(value, "dtype"):
        return np.asarray(value, default_float()) if category_of(value) < 3 else as_value(value)
    return value if value.dtype.kind in "fc" else cast(value, default_float())
