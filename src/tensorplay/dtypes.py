"""Data types with torch's names and torch's promotion rules, and devices."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorplay.errors import shown

NumpyDtype = np.dtype[Any]


class dtype:
    """
    A data type, such as ``tensorplay.float32``.

    NumPy takes it wherever it takes a dtype.

    Parameters
    ----------
    name : str
        NumPy's name of the type.

    Examples
    --------
    >>> tp.float32.is_floating_point, tp.int64.itemsize
    (True, 8)
    """

    __slots__ = ("dtype", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.dtype = np.dtype(name)

    def __repr__(self) -> str:
        return f"tensorplay.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_by_name, (self.name,))

    @property
    def is_floating_point(self) -> builtins.bool:
        """Whether elements are real floating-point numbers."""
        return self.dtype.kind == "f"

    @property
    def is_complex(self) -> builtins.bool:
        """Whether elements are complex numbers."""
        return self.dtype.kind == "c"

    @property
    def is_signed(self) -> builtins.bool:
        """Whether elements can be negative."""
        return self.dtype.kind in "ifc"

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    def to_real(self) -> dtype:
        """Type of the real part of an element."""
        return from_numpy_dtype(real_dtype(self.dtype))

    def to_complex(self) -> dtype:
        """Complex type of the same precision."""
        return from_numpy_dtype(complex_dtype(self.dtype))


def _by_name(name: str) -> dtype:
    return _ALL[np.dtype(name)]


float16, float32, float64 = dtype("float16"), dtype("float32"), dtype("float64")
complex64, complex128 = dtype("complex64"), dtype("complex128")
int8, int16, int32, int64 = dtype("int8"), dtype("int16"), dtype("int32"), dtype("int64")
uint8, uint16, uint32, uint64 = dtype("uint8"), dtype("uint16"), dtype("uint32"), dtype("uint64")
bool = dtype("bool")

_ALL = {
    d.dtype: d
    for d in (
        *(float16, float32, float64, complex64, complex128),
        *(int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool),
    )
}
BOOL, INT64, FLOAT32, FLOAT64 = bool.dtype, int64.dtype, float32.dtype, float64.dtype
COMPLEX64, COMPLEX128 = complex64.dtype, complex128.dtype


def from_numpy_dtype(numpy_dtype: NumpyDtype) -> dtype:
    """The dtype object for a NumPy dtype."""
    try:
        return _ALL[numpy_dtype]
    except KeyError:
        raise TypeError(f"no tensorplay dtype holds elements of NumPy type {numpy_dtype}") from None


def to_numpy_dtype(wanted: Any) -> NumpyDtype:
    """NumPy dtype of a tensorplay dtype, a NumPy dtype or a Python number type."""
    if isinstance(wanted, dtype):
        return wanted.dtype
    if wanted is float:
        return _default
    if wanted is complex:
        return complex_dtype(_default)
    try:
        return np.dtype(wanted)
    except (TypeError, ValueError):
        raise TypeError(f"expected a dtype such as tp.float32, got {shown(wanted)}") from None


_default = FLOAT32


def get_default_dtype() -> dtype:
    """
    Data type that floating-point tensors get when none is asked for.

    Returns
    -------
    dtype
        ``float32`` unless `set_default_dtype` changed it.

    Examples
    --------
    >>> tp.get_default_dtype()
    tensorplay.float32
    """
    return from_numpy_dtype(_default)


def set_default_dtype(d: dtype) -> None:
    """
    Set the data type that floating-point tensors get when none is asked for.

    Parameters
    ----------
    d : dtype
        A floating-point type.

    Raises
    ------
    TypeError
        If `d` is not a floating-point type.

    Examples
    --------
    >>> tp.set_default_dtype(tp.float32)
    """
    global _default
    if to_numpy_dtype(d).kind != "f":
        raise TypeError(f"set_default_dtype(): expected a floating-point dtype, got {d}")
    _default = to_numpy_dtype(d)


def default_float() -> NumpyDtype:
    """NumPy dtype of a floating-point tensor for which no type was asked."""
    return _default


def complex_dtype(d: NumpyDtype) -> NumpyDtype:
    """Complex type of the precision of `d`."""
    if d.kind == "c":
        return d
    return COMPLEX128 if d == FLOAT64 else COMPLEX64


def real_dtype(d: NumpyDtype) -> NumpyDtype:
    """Type of the real part of an element of type `d`."""
    return d if d.kind != "c" else FLOAT64 if d == COMPLEX128 else FLOAT32


_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def category_of(value: Any) -> int:
    """0 bool, 1 integer, 2 floating, 3 complex: of a value or a Python number."""
    if hasattr(value, "dtype"):
        return _CATEGORY[value.dtype.kind]
    return (
        0
        if value is True or value is False
        else 1
        if isinstance(value, int)
        else 3
        if isinstance(value, complex)
        else 2
    )


def _default_of_category(category: int) -> NumpyDtype:
    return (BOOL, INT64, _default, complex_dtype(_default))[category]


def _promote_arrays(dtypes: Iterable[NumpyDtype]) -> NumpyDtype | None:
    result: NumpyDtype | None = None
    for d in dtypes:
        result = d if result is None else _promote_pair(result, d)
    return result


def _promote_pair(a: NumpyDtype, b: NumpyDtype) -> NumpyDtype:
    """Torch's rule: an integer never widens a float, however large the integer type."""
    if a == b:
        return a
    if a.kind in "fc" and b.kind in "bui":
        return a
    if b.kind in "fc" and a.kind in "bui":
        return b
    if {a.kind, b.kind} == {"f", "c"}:
        real, cplx = (a, b) if a.kind == "f" else (b, a)
        return COMPLEX128 if real == FLOAT64 else cplx
    return np.promote_types(a, b)


def result_dtype(values: Iterable[Any]) -> NumpyDtype:
    """
    Common NumPy dtype of operands by torch's rule.

    Tensors with dims decide; a 0-d tensor counts only if it is of a higher category (bool < integer < floating <
    complex), a Python number likewise, and then with the default type of its category.
    """
    ranked: tuple[list[NumpyDtype], list[NumpyDtype]] = ([], [])
    numbers = -1
    for value in values:
        if hasattr(value, "dtype"):
            ranked[value.ndim == 0].append(value.dtype)
        else:
            numbers = max(numbers, category_of(value))
    result = _promote_arrays(ranked[0])
    zero_dim = _promote_arrays(ranked[1])
    if zero_dim is not None and (result is None or _CATEGORY[zero_dim.kind] > _CATEGORY[result.kind]):
        if result is not None and zero_dim.kind == "c" and result.kind == "f":
            zero_dim = complex_dtype(result)
        result = zero_dim
    if result is None:
        return _default_of_category(numbers)
    if numbers > _CATEGORY[result.kind]:
        return complex_dtype(result) if numbers == 3 and result.kind == "f" else _default_of_category(numbers)
    return result


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """
    Smallest type that tensors of two types become when they are combined.

    Parameters
    ----------
    type1, type2 : dtype
        An integer type never widens a floating-point one.

    Returns
    -------
    dtype
        Of the result.

    Raises
    ------
    TypeError
        If one of them is no dtype.

    Examples
    --------
    >>> tp.promote_types(tp.int64, tp.float16)
    tensorplay.float16
    """
    return from_numpy_dtype(_promote_pair(_checked("promote_types", type1), _checked("promote_types", type2)))


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """
    Whether a type's kind allows results of it to be written to tensors of another type.

    Parameters
    ----------
    from_, to : dtype
        Of the result, and of the tensor.

    Returns
    -------
    bool
        False where `to` is of a lower category: bool < integer < floating < complex.

    Raises
    ------
    TypeError
        If one of them is no dtype.

    Examples
    --------
    >>> tp.can_cast(tp.float64, tp.float16), tp.can_cast(tp.float16, tp.int64)
    (True, False)
    """
    return _CATEGORY[_checked("can_cast", from_).kind] <= _CATEGORY[_checked("can_cast", to).kind]


def _checked(title: str, given: Any) -> NumpyDtype:
    if not isinstance(given, dtype):
        raise TypeError(f"{title}(): expected a dtype, got {shown(given)}")
    return given.dtype


class finfo:
    """
    Limits of a floating-point type.

    Parameters
    ----------
    type : dtype, optional
        Floating-point or complex, which counts as its real part; the default dtype if left out.

    Raises
    ------
    TypeError
        For any other type.

    Examples
    --------
    >>> tp.finfo(tp.float64).eps == 2.0**-52, tp.finfo(tp.float16).max
    (True, 65504.0)
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtype | None = None) -> None:
        kind = _default if type is None else _checked("finfo", type)
        if kind.kind not in "fc":
            raise TypeError(f"finfo(): expected a floating or complex dtype, got {shown(type)}; see iinfo for integers")
        info = np.finfo(kind)
        self.bits, self.dtype = int(info.bits), str(info.dtype)
        self.eps, self.resolution = float(info.eps), float(info.resolution)
        self.min, self.max = float(info.min), float(info.max)
        self.smallest_normal = self.tiny = float(info.smallest_normal)

    def __repr__(self) -> str:
        limits = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join([f'{name}={getattr(self, name):g}' for name in limits])}, dtype={self.dtype})"


class iinfo:
    """
    Limits of an integer type.

    Parameters
    ----------
    type : dtype
        Of integers.

    Raises
    ------
    TypeError
        For any other type.

    Examples
    --------
    >>> tp.iinfo(tp.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: dtype) -> None:
        kind = _checked("iinfo", type)
        if kind.kind not in "iu":
            raise TypeError(f"iinfo(): expected an integer dtype, got {shown(type)}; see finfo for floating-point ones")
        info = np.iinfo(kind)
        self.bits, self.dtype = int(info.bits), str(info.dtype)
        self.min, self.max = int(info.min), int(info.max)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


class device:
    """
    Where a tensor lives: always the CPU.

    Parameters
    ----------
    type : str or device
        "cpu"; an index may follow ("cpu:0").
    index : int, optional
        Kept, and of no effect.

    Raises
    ------
    RuntimeError
        For any other device.

    Examples
    --------
    >>> tp.device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    def __init__(self, type: str | device = "cpu", index: int | None = None) -> None:
        name = type.type if isinstance(type, device) else str(type).partition(":")[0]
        if name != "cpu":
            raise RuntimeError(f"device {type!r} is not available: tensorplay computes on the CPU; use device='cpu'")
        self.type = "cpu"
        self.index = index

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __eq__(self, other: object) -> Any:
        return isinstance(other, device) or other == "cpu"

    def __hash__(self) -> int:
        return hash("cpu")


CPU = device("cpu")
