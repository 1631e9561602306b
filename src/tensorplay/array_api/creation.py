"""New tensors, from data or of a form."""

from __future__ import annotations

from typing import Any

import tensorplay as tp
from tensorplay.array_api.elementwise import common


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
    return tp.asarray(obj, dtype=dtype, device=device, copy=copy)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    made = tp.from_dlpack(x)
    return made.clone() if copy else made


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.empty(shape, dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.zeros(shape, dtype=dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.ones(shape, dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype, device=device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.empty_like(x, dtype=dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.ones_like(x, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return tp.full_like(x, fill_value, dtype=dtype, device=device)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Any:
    first, last = (0, start) if stop is None else (start, stop)
    if (last - first) * step <= 0:  # torch's arange refuses a step that leads away
        return tp.arange(first, first, step, dtype=dtype, device=device)
    return tp.arange(first, last, step, dtype=dtype, device=device)


def linspace(start: Any, stop: Any, /, num: Any, *, dtype: Any = None, device: Any = None, endpoint: Any = True) -> Any:
    places = tp.linspace(start, stop, num if endpoint else num + 1, dtype=dtype, device=device)
    return places if endpoint else places[:-1]


def eye(n_rows: Any, n_cols: Any = None, /, *, k: Any = 0, dtype: Any = None, device: Any = None) -> Any:
    cols = n_rows if n_cols is None else n_cols
    places = tp.arange(cols) - tp.arange(n_rows).unsqueeze(-1)
    return (places == k).to(dtype or tp.get_default_dtype())


def meshgrid(*arrays: Any, indexing: Any = "xy") -> Any:
    return list(tp.meshgrid(*common(*arrays), indexing=indexing)) if arrays else []


def tril(x: Any, /, *, k: Any = 0) -> Any:
    return tp.tril(x, k)


def triu(x: Any, /, *, k: Any = 0) -> Any:
    return tp.triu(x, k)
