"""Operators (`+`, `<`, `&`, ...) and what they stand for."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops import elementwise
from tensorplay.tensor.handle import Handle, wrap
from tensorplay.tensor.lift import operator_of, reflected_of
from tensorplay.tensor.methods.inplace import store

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor

_NUMBERS = frozenset({int, float, bool, complex})


def _operand(other: Any) -> Any:
    """An operand as ops take it, or NotImplemented where another type must know what to do."""
    if other.__class__ in _NUMBERS:
        return other
    if isinstance(other, Handle):
        return other.value
    if isinstance(other, np.generic):
        return other.item()  # a number, which does not decide the dtype
    return other if isinstance(other, np.ndarray | int | float | complex) else NotImplemented


def _operator(op: Callable[[Value, Value], Value]) -> Callable[[Any, Any], Tensor]:
    def method(self: Handle, other: Any) -> Any:
        other = _operand(other)
        return other if other is NotImplemented else wrap(op(self.value, other))

    operator = operator_of(op, method)
    operator.__doc__ = op.__doc__
    return operator


def _reflected(op: Callable[[Value, Value], Value]) -> Callable[[Any, Any], Tensor]:
    def method(self: Handle, other: Any) -> Any:
        other = _operand(other)
        return other if other is NotImplemented else wrap(op(other, self.value))

    operator = reflected_of(op, method)
    operator.__doc__ = op.__doc__
    return operator


def _inplace(op: Callable[[Value, Value], Value], name: str) -> Callable[[Any, Any], Any]:
    def method(self: Handle, other: Any) -> Any:
        other = _operand(other)
        return other if other is NotImplemented else store(self, wrap(op(self.value, other)), name)

    method.__doc__ = op.__doc__
    return method


class ArithmeticMethods(Handle):
    """Operators (`+`, `<`, `&`, ...) and what they stand for."""

    __add__ = _operator(elementwise.add)
    __radd__ = __add__
    __iadd__ = _inplace(elementwise.add, "+=")
    __sub__ = _operator(elementwise.sub)
    __rsub__ = _reflected(elementwise.sub)
    __isub__ = _inplace(elementwise.sub, "-=")
    __mul__ = _operator(elementwise.mul)
    __rmul__ = __mul__
    __imul__ = _inplace(elementwise.mul, "*=")
    __truediv__ = _operator(elementwise.div)
    __rtruediv__ = _reflected(elementwise.div)
    __rdiv__ = _reflected(elementwise.div)
    __itruediv__ = _inplace(elementwise.div, "/=")
    __floordiv__ = _operator(elementwise.floor_divide)
    __rfloordiv__ = _reflected(elementwise.floor_divide)
    __ifloordiv__ = _inplace(elementwise.floor_divide, "//=")
    __mod__ = _operator(elementwise.remainder)
    __rmod__ = _reflected(elementwise.remainder)
    __imod__ = _inplace(elementwise.remainder, "%=")

    def __divmod__(self, other: Any) -> Any:
        return NotImplemented if _operand(other) is NotImplemented else (self // other, self % other)

    def __rdivmod__(self, other: Any) -> Any:
        return NotImplemented if _operand(other) is NotImplemented else (other // self, other % self)

    __pow__ = _operator(elementwise.pow)
    __rpow__ = _reflected(elementwise.pow)
    __ipow__ = _inplace(elementwise.pow, "**=")

    __and__ = _operator(elementwise.bitwise_and)
    __rand__ = _reflected(elementwise.bitwise_and)
    __iand__ = _inplace(elementwise.bitwise_and, "&=")
    __or__ = _operator(elementwise.bitwise_or)
    __ror__ = _reflected(elementwise.bitwise_or)
    __ior__ = _inplace(elementwise.bitwise_or, "|=")
    __xor__ = _operator(elementwise.bitwise_xor)
    __rxor__ = _reflected(elementwise.bitwise_xor)
    __ixor__ = _inplace(elementwise.bitwise_xor, "^=")
    __lshift__ = _operator(elementwise.bitwise_left_shift)
    __rlshift__ = _reflected(elementwise.bitwise_left_shift)
    __ilshift__ = _inplace(elementwise.bitwise_left_shift, "<<=")
    __rshift__ = _operator(elementwise.bitwise_right_shift)
    __rrshift__ = _reflected(elementwise.bitwise_right_shift)
    __irshift__ = _inplace(elementwise.bitwise_right_shift, ">>=")

    __eq__ = _operator(elementwise.eq)  # type: ignore[assignment]
    __ne__ = _operator(elementwise.ne)  # type: ignore[assignment]
    __lt__ = _operator(elementwise.lt)
    __le__ = _operator(elementwise.le)
    __gt__ = _operator(elementwise.gt)
    __ge__ = _operator(elementwise.ge)
    __hash__ = object.__hash__  # a tensor is itself, whatever its elements

    def __neg__(self) -> Tensor:
        return wrap(elementwise.neg(self.value))

    def __pos__(self) -> Tensor:
        elementwise.positive(self.value)
        return self  # type: ignore[return-value]

    def __round__(self, ndigits: int | None = None) -> Tensor:
        return wrap(elementwise.round(self.value, decimals=ndigits or 0))

    def __abs__(self) -> Tensor:
        return wrap(elementwise.abs(self.value))

    def __invert__(self) -> Tensor:
        return wrap(elementwise.bitwise_not(self.value))
