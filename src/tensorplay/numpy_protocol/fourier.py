"""`np.fft`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorplay as tp
from tensorplay.numpy_protocol.calling import numpys, tensor


def _of_one_dim(function: Callable[..., Any]) -> Callable[..., Any]:
    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return function(tensor(a), n, axis, norm)

    return transform


def _of_many_dims(function: Callable[..., Any], default: Any) -> Callable[..., Any]:
    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        return function(tensor(a), s, axes, norm)

    return transform


def _shift(function: Callable[..., Any]) -> Callable[..., Any]:
    def shift(x: Any, axes: Any = None) -> Any:
        return function(tensor(x), axes)

    return shift


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    numpys(f"fft.{_name}")(_of_one_dim(getattr(tp.fft, _name)))
for _name in ("fft", "ifft", "rfft", "irfft"):
    numpys(f"fft.{_name}2")(_of_many_dims(getattr(tp.fft, f"{_name}2"), (-2, -1)))
    numpys(f"fft.{_name}n")(_of_many_dims(getattr(tp.fft, f"{_name}n"), None))
for _name in ("fftshift", "ifftshift"):
    numpys(f"fft.{_name}")(_shift(getattr(tp.fft, _name)))
