"""Elementwise functions: tensorplay's, under the standard's names and promotion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorplay as tp
from tensorplay.array_api.types import result_type

_OF_ONE = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log log10 log1p log2
    logical_not negative positive reciprocal round signbit sin sinh sqrt square tan tanh trunc
"""
_OF_TWO = """
    add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide floor_divide
    greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply
    nextafter not_equal pow remainder subtract
"""
_WHOLE = ("ceil", "floor", "round", "trunc")  # which leave integers as they are


def common(*operands: Any) -> list[Any]:
    """Operands as tensors of the dtype that the standard promotes them to."""
    kind = result_type(*operands)
    return [x.to(kind) if isinstance(x, tp.Tensor) else tp.full((), x, dtype=kind) for x in operands]


def _of_one(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def computed(x: Any, /) -> Any:
        if name in _WHOLE and not (x.is_floating_point() or x.is_complex()):
            return x.clone()
        return function(x)

    return _named(name, computed)


def _of_two(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def computed(x1: Any, x2: Any, /) -> Any:
        return function(*common(x1, x2))

    return _named(name, computed)


def _named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of the array API standard."
    return function


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    bounds = [bound if bound is None or not isinstance(bound, tp.Tensor) else bound.to(x.dtype) for bound in (min, max)]
    if bounds == [None, None]:
        return x.clone()
    low, high = [bound if bound is None else common(x, bound)[1].to(x.dtype) for bound in bounds]
    return tp.clamp(x, low, high)


def conj(x: Any, /) -> Any:
    return tp.conj(x)


def real(x: Any, /) -> Any:
    return tp.real(x)


def imag(x: Any, /) -> Any:
    return tp.imag(x) if x.is_complex() else tp.zeros_like(x)


_MADE = {name: _of_one(name, getattr(tp, name)) for name in _OF_ONE.split()}
_MADE |= {name: _of_two(name, getattr(tp, name)) for name in _OF_TWO.split()}
_MADE |= {"bitwise_invert": _of_one("bitwise_invert", tp.bitwise_not), "sign": _of_one("sign", tp.sgn)}
_MADE |= {"equal": _of_two("equal", tp.eq)}
globals().update(_MADE)

__all__ = [*_MADE, "clip", "conj", "imag", "real"]
