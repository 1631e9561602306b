"""New tensors: in the form of another one, or where `like=` names one."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.dtypes import to_numpy_dtype
from tensorplay.numpy_protocol.calling import axes_of, cast, dtype_of, like, numpys, tensor, tensors_in, weak

# ---- in the form of another ------------------------------------------------------------------------------------------


def _form(a: Any, dtype: Any, shape: Any) -> tuple[tuple[int, ...], Any]:
    a = tensor(a)
    sizes = a.shape if shape is None else (shape,) if isinstance(shape, int) else shape
    return tuple(sizes), dtype_of(dtype) or a.dtype


@numpys("zeros_like")
def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    sizes, dtype = _form(a, dtype, shape)
    return tp.zeros(sizes, dtype=dtype)


@numpys("ones_like")
def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    sizes, dtype = _form(a, dtype, shape)
    return tp.ones(sizes, dtype=dtype)


@numpys("empty_like")
def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Any:
    sizes, dtype = _form(prototype, dtype, shape)
    return tp.empty(sizes, dtype=dtype)


@numpys("full_like")
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    sizes, dtype = _form(a, dtype, shape)
    return _filled(sizes, fill_value, dtype)


def _filled(sizes: tuple[int, ...], fill: Any, dtype: Any) -> Any:
    """A tensor of its own whose elements are those of `fill`, broadcast."""
    return tp.broadcast_to(tensor(fill).to(dtype), sizes).clone()


@numpys("copy")
def copy(a: Any) -> Any:
    return tensor(a).clone()


@numpys("astype")
def astype(x: Any, dtype: Any) -> Any:
    return cast(tensor(x), dtype)


# ---- like= -----------------------------------------------------------------------------------------------------------

_DEFAULT = np.dtype(float)  # of NumPy's factories


def _sizes(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)


@numpys("zeros")
def zeros(shape: Any, dtype: Any = None) -> Any:
    return tp.zeros(_sizes(shape), dtype=dtype_of(dtype or _DEFAULT))


@numpys("ones")
def ones(shape: Any, dtype: Any = None) -> Any:
    return tp.ones(_sizes(shape), dtype=dtype_of(dtype or _DEFAULT))


@numpys("empty")
def empty(shape: Any, dtype: Any = None) -> Any:
    return tp.empty(_sizes(shape), dtype=dtype_of(dtype or _DEFAULT))


@numpys("full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    fill = tensor(fill_value)
    return _filled(_sizes(shape), fill, dtype_of(dtype) or fill.dtype)


@numpys("eye")
def eye(N: int, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    return tp.from_numpy(np.eye(N, M, k, _numpys(dtype)))


@numpys("identity")
def identity(n: int, dtype: Any = None) -> Any:
    return eye(n, dtype=dtype or float)


@numpys("tri")
def tri(N: int, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    return tp.from_numpy(np.tri(N, M, k, _numpys(dtype)))


def _numpys(dtype: Any) -> Any:
    return to_numpy_dtype(dtype_of(dtype))


@numpys("arange")
def arange(start_or_stop: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    bounds = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    wanted = None if dtype is None else _numpys(dtype)
    places: Any = np.arange
    return tp.from_numpy(places(*bounds, step, dtype=wanted))


@numpys("array", "asarray", "asanyarray", "ascontiguousarray", "require")
def array(object: Any = None, dtype: Any = None, ndmin: int = 0, a: Any = None) -> Any:
    given = a if object is None else object
    out = cast(_nested(given), dtype)
    out = out.clone() if out is given else out
    return out.reshape(*[1] * (ndmin - out.ndim), *out.shape) if out.ndim < ndmin else out


def _nested(given: Any) -> tp.Tensor:
    """Nested lists of numbers and tensors as one tensor."""
    if isinstance(given, list | tuple) and any(True for _ in tensors_in(given)):
        return tp.stack([_nested(entry) for entry in given])
    return tensor(given)


# ---- steps -----------------------------------------------------------------------------------------------------------


@numpys("linspace")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    start, stop = _ends(start, stop)
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    places = tp.arange(num, dtype=step.real.dtype).reshape(-1, *[1] * step.ndim)
    out = start + places * step
    if endpoint and num > 1:
        out = tp.cat([out[:-1], (stop + tp.zeros_like(step)).unsqueeze(0)])
    out = cast(tp.movedim(out, 0, axis), dtype)
    return (out, step) if retstep else out


def _ends(start: Any, stop: Any) -> tuple[tp.Tensor, tp.Tensor]:
    """Both ends as tensors of floating or complex numbers."""
    known = next(tensors_in([start, stop]))
    ends = [like(weak(end), known) for end in (start, stop)]
    wanted = tp.result_type(ends[0], ends[1])
    wanted = wanted if wanted.is_floating_point or wanted.is_complex else tp.get_default_dtype()
    return ends[0].to(wanted), ends[1].to(wanted)


@numpys("logspace")
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    known = next(tensors_in([start, stop, base]))
    exponents = linspace(like(weak(start), known), stop, num, endpoint)
    return cast(tp.movedim(tp.pow(weak(base), exponents), 0, axis), dtype)


@numpys("geomspace")
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    start, stop = _ends(start, stop)
    shares = linspace(tp.zeros_like(start), tp.ones_like(stop), num, endpoint)
    return cast(tp.movedim(start * (stop / start) ** shares, 0, axis), dtype)


# ---- positions and dtypes --------------------------------------------------------------------------------------------


@numpys("diag_indices_from")
def diag_indices_from(arr: Any) -> Any:
    return tuple([tp.from_numpy(part) for part in np.diag_indices_from(_shadow(arr))])


@numpys("tril_indices_from")
def tril_indices_from(arr: Any, k: int = 0) -> Any:
    return tuple([tp.from_numpy(part) for part in np.tril_indices_from(_shadow(arr), k)])


@numpys("triu_indices_from")
def triu_indices_from(arr: Any, k: int = 0) -> Any:
    return tuple([tp.from_numpy(part) for part in np.triu_indices_from(_shadow(arr), k)])


def _shadow(arr: Any) -> Any:
    """An array of a tensor's shape and dtype."""
    arr = tensor(arr)
    return np.broadcast_to(np.zeros((), _numpys(arr.dtype)), tuple(arr.shape))


@numpys("result_type")
def result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(*[_shadow(arg) if isinstance(arg, tp.Tensor) else arg for arg in arrays_and_dtypes])


@numpys("can_cast")
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    return np.can_cast(_numpys(from_.dtype), _numpys(to) if isinstance(to, type(tp.float32)) else to, casting)


@numpys("common_type")
def common_type(*arrays: Any) -> Any:
    return np.common_type(*map(_shadow, arrays))


@numpys("apply_over_axes")
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    a = tensor(a)
    for dim in axes_of(a, axes):
        out = func(a, dim)
        a = out if out.ndim == a.ndim else out.unsqueeze(dim)
    return a
