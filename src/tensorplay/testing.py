"""assert_close: tensors that are equal but for rounding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorplay.dtypes import real_dtype
from tensorplay.tensor.factories import as_tensor
from tensorplay.tensor.tensor import Tensor

__all__ = ["assert_close"]

Array = np.ndarray[Any, Any]

# rtol and atol by precision; integers and bools must be equal
_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """
    Raise unless all elements satisfy ``|actual - expected| <= atol + rtol * |expected|``.

    Parameters
    ----------
    actual, expected : Tensor, ndarray, number, or nested sequences and mappings of them
        What is compared, entry by entry.
    allow_subclasses : bool, default True
        Whether one tensor may be of a subclass of the other's class.
    rtol, atol : float, optional
        Both or neither; by default those of the dtype: 1e-3 and 1e-5 for float16, 1.3e-6 and 1e-5 for float32, 1e-7
        and 1e-7 for float64, zero for integers and bools; complex numbers as their parts.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    check_device, check_layout : bool, default True
        Accepted for torch's sake; there is one of each.
    check_dtype : bool, default True
        Whether dtypes must be equal. If not, the wider tolerances of the two hold.
    check_stride : bool, default False
        Whether strides must be equal.
    msg : str or callable, optional
        The message, or what makes it of the usual one.

    Raises
    ------
    AssertionError
        If they are not close, or differ in structure, shape or dtype.
    TypeError
        If something cannot be compared.
    ValueError
        If one of `rtol` and `atol` is given without the other.

    Examples
    --------
    >>> tp.testing.assert_close(tp.tensor([0.1]) + 0.2, tp.tensor([0.3]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError(f"assert_close(): give both rtol and atol or neither, got rtol={rtol} and atol={atol}")
    tolerances = None if rtol is None or atol is None else (rtol, atol)
    comparison = _Comparison(tolerances, equal_nan, check_dtype, check_stride, allow_subclasses)
    fault = comparison.fault(actual, expected, "")
    if fault:
        raise AssertionError(fault if msg is None else msg(fault) if callable(msg) else msg)


@dataclass(frozen=True)
class _Comparison:
    """What counts as close; `fault` says in which way two things differ, and nothing if they do not."""

    tolerances: tuple[float, float] | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool
    allow_subclasses: bool

    def fault(self, actual: Any, expected: Any, path: str) -> str:
        if isinstance(actual, Mapping) and isinstance(expected, Mapping):
            return self._fault_of_mappings(actual, expected, path)
        if _is_sequence(actual) and _is_sequence(expected):
            if len(actual) != len(expected):
                return f"lengths differ{_at(path)}: {len(actual)} != {len(expected)}"
            pairs = [(f"{path}[{i}]", a, e) for i, (a, e) in enumerate(zip(actual, expected, strict=True))]
            return next(filter(None, (self.fault(a, e, where) for where, a, e in pairs)), "")
        if isinstance(actual, bool | int | float | complex) and isinstance(expected, bool | int | float | complex):
            return self._fault_of_numbers(actual, expected, path)
        if isinstance(actual, Tensor | np.ndarray) and isinstance(expected, Tensor | np.ndarray):
            return self._fault_of_tensors(actual, expected, path)
        raise TypeError(
            f"assert_close(): cannot compare {type(actual).__name__} with {type(expected).__name__}{_at(path)}; both "
            "must be tensors, or both numbers, sequences or mappings"
        )

    def _fault_of_mappings(self, actual: Mapping[Any, Any], expected: Mapping[Any, Any], path: str) -> str:
        missing = [key for key in expected if key not in actual]
        unexpected = [key for key in actual if key not in expected]
        if missing or unexpected:
            return f"keys differ{_at(path)}: missing {missing}, unexpected {unexpected}"
        return next(filter(None, (self.fault(actual[k], expected[k], f"{path}[{k!r}]") for k in expected)), "")

    def _fault_of_numbers(self, actual: complex, expected: complex, path: str) -> str:
        if self.check_dtype and type(actual) is not type(expected):
            return f"types differ{_at(path)}: {type(actual).__name__} != {type(expected).__name__}"
        return self._fault_of_elements("numbers", np.asarray(actual), np.asarray(expected), path)

    def _fault_of_tensors(self, actual: Any, expected: Any, path: str) -> str:
        if not self.allow_subclasses and type(actual) is not type(expected):
            return f"types differ{_at(path)}: {type(actual).__name__} != {type(expected).__name__}"
        one, other = as_tensor(actual), as_tensor(expected)
        if one.shape != other.shape:
            return f"shapes differ{_at(path)}: {list(one.shape)} != {list(other.shape)}"
        if self.check_dtype and one.dtype != other.dtype:
            return f"dtypes differ{_at(path)}: {one.dtype} != {other.dtype}"
        if self.check_stride and one.stride() != other.stride():
            return f"strides differ{_at(path)}: {one.stride()} != {other.stride()}"
        return self._fault_of_elements("tensors", one.detach().numpy(), other.detach().numpy(), path)

    def _fault_of_elements(self, what: str, actual: Array, expected: Array, path: str) -> str:
        rtol, atol = self.tolerances or _default_tolerances(actual.dtype, expected.dtype)
        wide = np.result_type(actual.dtype, expected.dtype, np.float64)
        close = np.asarray(actual == expected)  # large integers have no float64 of their own
        with np.errstate(all="ignore"):
            size = np.abs(expected.astype(wide))
            difference = np.abs(actual.astype(wide) - expected.astype(wide))
            if rtol or atol:
                close = close | ((difference <= atol + rtol * size) & np.isfinite(size))
            if self.equal_nan:
                close = close | ((actual != actual) & (expected != expected))
            if close.all():
                return ""
            relative = difference / size
        lines = [
            f"{what} are not close{_at(path)}: {close.size - close.sum()} of {close.size} differ by more than "
            f"atol={atol} + rtol={rtol} * |expected|"
        ]
        for name, measure in (("absolute", difference), ("relative", relative)):
            worst = np.unravel_index(np.argmax(np.where(close, -1.0, measure)), close.shape)
            where = f" at {[int(i) for i in worst]}" if worst else ""
            lines.append(
                f"largest {name} difference: {measure[worst]}{where}: got {actual[worst]}, expected {expected[worst]}"
            )
        return "\n".join(lines)


def _default_tolerances(*dtypes: np.dtype[Any]) -> tuple[float, float]:
    """The wider ones of two dtypes."""
    pairs = [_TOLERANCES[real_dtype(d).name] if d.kind in "fc" else (0.0, 0.0) for d in dtypes]
    return max(rtol for rtol, _ in pairs), max(atol for _, atol in pairs)


def _is_sequence(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _at(path: str) -> str:
    return f" at {path}" if path else ""
