"""The extension `fft`: tensorplay's transforms with the standard's names of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorplay as tp


def _of_one_dim(function: Callable[..., Any]) -> Callable[..., Any]:
    def transform(x: Any, /, *, n: Any = None, axis: Any = -1, norm: Any = "backward") -> Any:
        return function(x, n, axis, norm)

    return transform


def _of_many_dims(function: Callable[..., Any]) -> Callable[..., Any]:
    def transform(x: Any, /, *, s: Any = None, axes: Any = None, norm: Any = "backward") -> Any:
        return function(x, s, axes, norm)

    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(
    _of_one_dim, (tp.fft.fft, tp.fft.ifft, tp.fft.rfft, tp.fft.irfft, tp.fft.hfft, tp.fft.ihfft)
)
fftn, ifftn, rfftn, irfftn = map(_of_many_dims, (tp.fft.fftn, tp.fft.ifftn, tp.fft.rfftn, tp.fft.irfftn))


def fftfreq(n: Any, /, *, d: Any = 1.0, dtype: Any = None, device: Any = None) -> Any:
    return tp.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: Any, /, *, d: Any = 1.0, dtype: Any = None, device: Any = None) -> Any:
    return tp.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Any, /, *, axes: Any = None) -> Any:
    return tp.fft.fftshift(x, axes)


def ifftshift(x: Any, /, *, axes: Any = None) -> Any:
    return tp.fft.ifftshift(x, axes)
