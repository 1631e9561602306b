"""Dtypes of the standard, their limits, kinds and promotion."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.dtypes import (
    bool,
    complex64,
    complex128,
    dtype,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

KINDS = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
NAMES = {kind.name: kind for kind in (bool, *KINDS["numeric"])}


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    return x.to(dtype, device=device, copy=copy)


def isdtype(dtype: Any, kind: Any) -> Any:
    if isinstance(kind, tuple):
        return any([isdtype(dtype, entry) for entry in kind])
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype(): expected one of the kinds {', '.join(KINDS)}, got {kind!r}")
        return dtype in KINDS[kind]
    return dtype is kind


def can_cast(from_: Any, to: Any, /) -> Any:
    given = _dtype(from_)
    return promoted(given, to) is to and np.can_cast(given.dtype, to.dtype, "same_kind")


def result_type(*arrays_and_dtypes: Any) -> Any:
    known = [_dtype(entry) for entry in arrays_and_dtypes if not _is_number(entry)]
    if not known:
        raise ValueError("result_type(): expected at least one array or dtype, got numbers alone")
    common = promoted(*known)
    return functools.reduce(_with_number, filter(_is_number, arrays_and_dtypes), common)


def promoted(*dtypes: Any) -> Any:
    """The dtype that dtypes promote to, whatever the dims of their arrays."""
    return functools.reduce(tp.promote_types, dtypes)


def _with_number(kind: Any, number: Any) -> Any:
    """The dtype of arithmetic with a Python number, which counts only where it is of a higher kind."""
    return tp.result_type(tp.empty(1, dtype=kind), number)


def _dtype(entry: Any) -> Any:
    return entry if isinstance(entry, dtype) else entry.dtype


def _is_number(entry: Any) -> Any:
    return isinstance(entry, int | float | complex)


class _Limits:
    """Limits of a type, with the type itself, of which torch gives the name."""

    def __init__(self, limits: Any, kind: Any) -> None:
        for name in ("bits", "eps", "max", "min", "smallest_normal"):
            if hasattr(limits, name):
                setattr(self, name, getattr(limits, name))
        self.dtype = kind


def finfo(type: Any, /) -> Any:
    kind = _dtype(type)
    return _Limits(tp.finfo(kind), kind.to_real() if kind.is_complex else kind)


def iinfo(type: Any, /) -> Any:
    kind = _dtype(type)
    return _Limits(tp.iinfo(kind), kind)
