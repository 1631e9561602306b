"""Values made from data, shapes and ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import INT64, NumpyDtype, complex_dtype, default_float, result_dtype
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arithmetic import div
from tensorplay.ops.exponential import pow
from tensorplay.ops.indexing import concrete
from tensorplay.ops.promotion import NUMBERS, as_value, cast, filler, number_in
from tensorplay.ops.shape import cat, copy, sizes

# ---- from data -------------------------------------------------------------------------------------------------------


def array_from(data: Any, dtype: NumpyDtype | None = None) -> Any:
    """A new array with the elements of nested sequences, numbers or an array; floats get the default dtype."""
    if data.__class__ in NUMBERS and dtype is not None:
        return number_in(data, dtype)
    if isinstance(data, np.ndarray | np.generic):
        if data.dtype.kind not in "biufc":
            raise TypeError(f"tensor(): expected numbers, got an array of NumPy type {data.dtype}")
        return np.array(data, dtype=dtype)
    array = _array_of_numbers(data)
    if dtype is None:
        return array.astype(_dtype_of_data(array), copy=False)
    try:
        return np.array(data, dtype=dtype)
    except OverflowError as error:
        raise RuntimeError(f"tensor(): {error}") from None


def _array_of_numbers(data: Any) -> np.ndarray[Any, Any]:
    """NumPy's array of Python data, which must be numbers in sequences of equal lengths."""
    try:
        array = np.array(data)
    except ValueError as error:
        raise ValueError(f"tensor(): {_first_uneven(data) or error}") from None
    if array.dtype.kind in "biufc":
        return array
    # of None NumPy makes NaN, and of strings numbers, where a dtype is given
    for position, entry in np.ndenumerate(np.array(data, dtype=object)):
        if not isinstance(entry, Number | np.bool):
            where = "".join([f"[{i}]" for i in position])
            raise TypeError(f"tensor(): expected numbers, got {type(entry).__name__}{' at ' + where if where else ''}")
    return array


def _first_uneven(data: Any) -> str:
    """Which entry of nested sequences has another length than the first one beside it."""
    level = [("", data)]
    for _ in range(64):  # NumPy's limit of dims
        lengths = [_length(entry) for _, entry in level]
        for (path, _), length in zip(level, lengths, strict=True):
            if length != lengths[0]:
                first, other = [f"has length {n}" if n is not None else "is no sequence" for n in (lengths[0], length)]
                return f"nested sequences must have equal lengths: entry {level[0][0]} {first}, entry {path} {other}"
        level = [(f"{path}[{i}]", e) for path, entry in level if _length(entry) for i, e in enumerate(entry)]
        if not level:
            break
    return ""


def _length(entry: Any) -> int | None:
    if hasattr(entry, "ndim"):
        return len(entry) if entry.ndim else None
    return len(entry) if isinstance(entry, Sequence) and not isinstance(entry, str | bytes) else None


def _dtype_of_data(array: np.ndarray[Any, Any]) -> NumpyDtype:
    """Dtype for Python data: the default of its category."""
    if array.dtype.kind == "O" or (array.dtype == np.uint64 and array.size and array.max() > np.iinfo(INT64).max):
        raise RuntimeError("tensor(): a number does not fit into int64; give a dtype that holds it")
    number = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}[array.dtype.kind]
    if array.size == 0 and array.dtype.kind == "f":
        return default_float()
    return result_dtype((number,))


# ---- one number everywhere -------------------------------------------------------------------------------------------


def _checked(size: Sequence[Any], name: str) -> tuple[int, ...]:
    try:
        shape = sizes(size)
    except TypeError:
        raise TypeError(f"{name}(): sizes must be integers, got {shown(size)}") from None
    if min(shape, default=0) < 0:
        raise RuntimeError(f"{name}(): sizes must be non-negative, got {list(shape)}")
    return shape


def zeros(*size: int | Sequence[int], dtype: NumpyDtype | None = None) -> Value:
    """
    A tensor of zeros.

    Parameters
    ----------
    *size : int or tuple of int
        The shape.
    dtype : dtype, optional
        By default the default floating-point dtype.

    Returns
    -------
    Tensor
        Of that shape.

    Examples
    --------
    >>> tp.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return np.zeros(_checked(size, "zeros"), dtype or default_float())


def ones(*size: int | Sequence[int], dtype: NumpyDtype | None = None) -> Value:
    """
    A tensor of ones.

    Parameters
    ----------
    *size : int or tuple of int
        The shape.
    dtype : dtype, optional
        By default the default floating-point dtype.

    Returns
    -------
    Tensor
        Of that shape.

    Examples
    --------
    >>> tp.ones(2)
    tensor([1., 1.])
    """
    return np.ones(_checked(size, "ones"), dtype or default_float())


def empty(*size: int | Sequence[int], dtype: NumpyDtype | None = None) -> Value:
    """
    A tensor whose elements are not set: whatever was in the memory.

    Parameters
    ----------
    *size : int or tuple of int
        The shape.
    dtype : dtype, optional
        By default the default floating-point dtype.

    Returns
    -------
    Tensor
        Of that shape.

    Examples
    --------
    >>> tp.empty(2, 3).shape
    tensorplay.Size([2, 3])
    """
    return np.empty(_checked(size, "empty"), dtype or default_float())


def full(size: Sequence[int], fill_value: Value | complex, *, dtype: NumpyDtype | None = None) -> Value:
    """
    A tensor with one number everywhere.

    Parameters
    ----------
    size : tuple of int
        The shape.
    fill_value : number or 0-d Tensor
        The number.
    dtype : dtype, optional
        By default that of the number: bool, int64, or the default floating-point or complex dtype.

    Returns
    -------
    Tensor
        Of that shape.

    Examples
    --------
    >>> tp.full((2,), 3)
    tensor([3, 3])
    """
    return _filled(_checked((size,), "full"), fill_value, dtype, "full")


def _filled(shape: tuple[int, ...], number: Any, dtype: NumpyDtype | None, name: str) -> Value:
    if number.__class__ in NUMBERS:
        return np.full(shape, number_in(number, dtype or result_dtype((number,))))
    number = as_value(number) if hasattr(number, "dtype") else np.asarray(number)
    if number.ndim:
        raise TypeError(f"{name}(): fill_value must be a number or a 0-d tensor, got shape {list(number.shape)}")
    return copy(families.expand(filler(name, number, dtype or number.dtype), shape=shape))


def zeros_like(input: Value, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Zeros in the shape and dtype of a tensor.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dtype : dtype, optional
        Another dtype.

    Returns
    -------
    Tensor
        New memory.

    Examples
    --------
    >>> tp.zeros_like(tp.tensor([1, 2]))
    tensor([0, 0])
    """
    return np.zeros(input.shape, dtype or input.dtype)


def ones_like(input: Value, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Ones in the shape and dtype of a tensor.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dtype : dtype, optional
        Another dtype.

    Returns
    -------
    Tensor
        New memory.

    Examples
    --------
    >>> tp.ones_like(tp.tensor([1, 2]))
    tensor([1, 1])
    """
    return np.ones(input.shape, dtype or input.dtype)


def empty_like(input: Value, *, dtype: NumpyDtype | None = None) -> Value:
    """
    A tensor in the shape and dtype of another, whose elements are not set.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dtype : dtype, optional
        Another dtype.

    Returns
    -------
    Tensor
        New memory.

    Examples
    --------
    >>> tp.empty_like(tp.tensor([1, 2])).dtype
    tensorplay.int64
    """
    return np.empty(input.shape, dtype or input.dtype)


def full_like(input: Value, fill_value: Value | complex, *, dtype: NumpyDtype | None = None) -> Value:
    """
    One number everywhere, in the shape and dtype of a tensor.

    Parameters
    ----------
    input : Tensor
        Any shape.
    fill_value : number or 0-d Tensor
        The number.
    dtype : dtype, optional
        Another dtype.

    Returns
    -------
    Tensor
        New memory.

    Examples
    --------
    >>> tp.full_like(tp.tensor([1, 2]), 7)
    tensor([7, 7])
    """
    return _filled(input.shape, fill_value, dtype or input.dtype, "full_like")


def scalar_tensor(s: Any, *, dtype: NumpyDtype | None = None) -> Value:
    """
    A 0-d tensor.

    Parameters
    ----------
    s : number
        Its element.
    dtype : dtype, optional
        By default the default floating-point dtype.

    Returns
    -------
    Tensor
        Shape [].

    Examples
    --------
    >>> tp.scalar_tensor(2)
    tensor(2.)
    """
    if dtype is None:
        dtype = complex_dtype(default_float()) if isinstance(s, complex) else default_float()
    return _filled((), s, dtype, "scalar_tensor")


def eye(n: int, m: int | None = None, *, dtype: NumpyDtype | None = None) -> Value:
    """
    The identity matrix, or a larger or smaller part of it.

    Parameters
    ----------
    n : int
        Number of rows.
    m : int, optional
        Number of columns, by default `n`.
    dtype : dtype, optional
        By default the default floating-point dtype.

    Returns
    -------
    Tensor
        Shape [n, m].

    Raises
    ------
    RuntimeError
        If a size is negative.

    Examples
    --------
    >>> tp.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    rows, columns = _checked((n, n if m is None else m), "eye")
    return np.eye(rows, columns, dtype=dtype or default_float())


# ---- ranges ----------------------------------------------------------------------------------------------------------


def _number(value: Any, name: str) -> Any:
    return concrete(value, f"{name}()").item() if hasattr(value, "dtype") else value


def arange(
    start: float | None = None, end: float | None = None, step: float = 1, *, dtype: NumpyDtype | None = None
) -> Value:
    """
    Numbers at equal distances, from a start (inclusive) to an end (exclusive).

    Parameters
    ----------
    start : number, default 0
        The first number; a single argument is the end.
    end : number
        Where the range ends.
    step : number, default 1
        The distance.
    dtype : dtype, optional
        By default int64 if all arguments are integers, else the default floating-point dtype.

    Returns
    -------
    Tensor
        A vector.

    Raises
    ------
    RuntimeError
        If the step is zero or leads away from the end.

    Examples
    --------
    >>> tp.arange(3)
    tensor([0, 1, 2])
    >>> tp.arange(1, 2, 0.5)
    tensor([1.0000, 1.5000])
    """
    if end is None:
        start, end = 0, start
    first, last, by = [_number(v, "arange") for v in (0 if start is None else start, end, step)]
    if last is None or isinstance(last, complex) or isinstance(first, complex) or isinstance(by, complex):
        raise TypeError(f"arange(): expected real numbers, got start={first}, end={last}, step={by}")
    if not all(map(math.isfinite, (first, last, by))):
        raise RuntimeError(f"arange(): needs finite numbers, got start={first}, end={last}, step={by}")
    if dtype is None:
        dtype = INT64 if all([isinstance(v, int) for v in (first, last, by)]) else default_float()
    if dtype == INT64:
        first, last, by = int(first), int(last), int(by)
    if by == 0:
        raise RuntimeError("arange(): the step must not be zero")
    if (last - first) * by < 0:
        raise RuntimeError(f"arange(): step {by} leads away from the end: start is {first}, end is {last}")
    count = -(-(last - first) // by) if dtype == INT64 else math.ceil((last - first) / by)
    if dtype.kind in "iu":
        first, by = int(first), int(by)
    return (first + by * np.arange(count)).astype(dtype, copy=False)


def linspace(start: Value | complex, end: Value | complex, steps: int, *, dtype: NumpyDtype | None = None) -> Value:
    """
    A given number of numbers at equal distances, both ends included.

    Parameters
    ----------
    start, end : number or 0-d Tensor
        First and last number.
    steps : int
        How many.
    dtype : dtype, optional
        By default the default floating-point dtype, or a complex one for complex ends.

    Returns
    -------
    Tensor
        A vector.

    Raises
    ------
    RuntimeError
        If `steps` is negative.

    Examples
    --------
    >>> tp.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    dtype = dtype or _dtype_of_ends(start, end)
    return cast(_spaced(start, end, steps, dtype, "linspace"), dtype)


def _dtype_of_ends(start: Any, end: Any) -> NumpyDtype:
    kinds = [v.dtype.kind == "c" if hasattr(v, "dtype") else isinstance(v, complex) for v in (start, end)]
    return complex_dtype(default_float()) if any(kinds) else default_float()


def _spaced(start: Any, end: Any, steps: int, dtype: NumpyDtype, name: str) -> Value:
    """Points from both ends inwards, in double precision: `start` and `end` are met exactly."""
    if steps < 0:
        raise RuntimeError(f"{name}(): the number of steps must be non-negative, got {steps}")
    first, last = [_end(v, dtype, name) for v in (start, end)]
    number = np.arange(steps)
    half = 1 if steps == 1 else steps // 2
    near, far = number[:half], number[half:] - (steps - 1)
    span = families.add(last, families.negative(first))
    step = div(span, max(steps - 1, 1))
    return cat([families.add(first, families.mul(step, near)), families.add(last, families.mul(step, far))])


def _end(value: Any, dtype: NumpyDtype, name: str) -> Value:
    """One end of a range, as the dtype of the result holds it, in double precision."""
    value = as_value(value) if hasattr(value, "dtype") else np.asarray(value)
    if value.ndim:
        raise RuntimeError(f"{name}(): start and end must be 0-d, got shape {list(value.shape)}")
    if dtype.kind in "iu":
        value = cast(value, dtype)
    return cast(value, np.dtype(np.complex128 if dtype.kind == "c" else np.float64))


def logspace(
    start: Value | complex, end: Value | complex, steps: int, base: float = 10.0, *, dtype: NumpyDtype | None = None
) -> Value:
    """
    Powers of a base whose exponents lie at equal distances, both ends included.

    Parameters
    ----------
    start, end : number or 0-d Tensor
        First and last exponent.
    steps : int
        How many.
    base : float, default 10
        The base.
    dtype : dtype, optional
        By default the default floating-point dtype, or a complex one for complex ends.

    Returns
    -------
    Tensor
        A vector.

    Raises
    ------
    RuntimeError
        If `steps` is negative.

    Examples
    --------
    >>> tp.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    dtype = dtype or _dtype_of_ends(start, end)
    exponents = _spaced(start, end, steps, dtype, "logspace")
    return cast(pow(np.asarray(base, exponents.dtype), exponents), dtype)


# ---- indices ---------------------------------------------------------------------------------------------------------


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Positions of the lower triangle of a matrix.

    Parameters
    ----------
    row, col : int
        Size of the matrix.
    offset : int, default 0
        The last diagonal that belongs to it.
    dtype : dtype, optional
        By default int64.

    Returns
    -------
    Tensor
        Rows and columns, shape [2, number of positions].

    Examples
    --------
    >>> tp.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    rows, columns = _checked((row, col), "tril_indices")
    return np.stack(np.nonzero(np.tri(rows, columns, offset, dtype=bool))).astype(dtype or INT64, copy=False)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Positions of the upper triangle of a matrix.

    Parameters
    ----------
    row, col : int
        Size of the matrix.
    offset : int, default 0
        The first diagonal that belongs to it.
    dtype : dtype, optional
        By default int64.

    Returns
    -------
    Tensor
        Rows and columns, shape [2, number of positions].

    Examples
    --------
    >>> tp.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    rows, columns = _checked((row, col), "triu_indices")
    return np.stack(np.nonzero(~np.tri(rows, columns, offset - 1, dtype=bool))).astype(dtype or INT64, copy=False)
