"""Elementwise arithmetic: sums, products, quotients and remainders."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.families import elementwise
from tensorplay.ops.operands import arrays, call, checked, common, direct, documented, floats, inexact_arrays, only
from tensorplay.ops.promotion import cast

# ---- sums ------------------------------------------------------------------------------------------------------------

_sub = elementwise("sub", np.subtract, [1, -1])


@direct(families.add, 2, "biufc")
def add(input: Value, other: Value, *, alpha: complex = 1) -> Value:
    """
    Sum of two tensors, element by element.

    Parameters
    ----------
    input : Tensor or number
        First term.
    other : Tensor or number
        Second term; broadcasts against `input`.
    alpha : number, default 1
        Factor of `other`.

    Returns
    -------
    Tensor
        ``input + alpha * other``, in the broadcast shape of the operands. The sum of bools is their disjunction.

    Raises
    ------
    RuntimeError
        If the shapes do not broadcast, or `alpha` is of a higher category than the operands' dtype.

    Examples
    --------
    >>> tp.add(tp.tensor([1.0, 2.0]), 10, alpha=2)
    tensor([21., 22.])
    """
    input, other = common("add", input, other)
    return call(families.add, input, other if alpha == 1 else _times_alpha("add", input, other, alpha))


def _times_alpha(name: str, input: Value, other: Value, alpha: complex) -> Value:
    kind = (input if hasattr(input, "dtype") else other).dtype.kind
    if kind in "bui" and not isinstance(alpha, int | np.integer):
        raise RuntimeError(f"{name}(): for integer tensors alpha must be an integer, got {alpha}")
    if kind == "f" and isinstance(alpha, complex):
        raise RuntimeError(f"{name}(): for floating tensors alpha must not be complex, got {alpha}")
    if not hasattr(other, "dtype"):
        return other * alpha
    return mul(other, bool(alpha) if kind == "b" else alpha)


@direct(_sub, 2, "iufc")
def sub(input: Value, other: Value, *, alpha: complex = 1) -> Value:
    """
    Difference of two tensors, element by element.

    Parameters
    ----------
    input : Tensor or number
        What to subtract from.
    other : Tensor or number
        What to subtract; broadcasts against `input`.
    alpha : number, default 1
        Factor of `other`.

    Returns
    -------
    Tensor
        ``input - alpha * other``, in the broadcast shape of the operands.

    Raises
    ------
    RuntimeError
        If an operand is bool (use `logical_xor` or `logical_not`), or as for `add`.

    Examples
    --------
    >>> tp.sub(tp.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    return _difference("sub", input, other, alpha)


def _difference(name: str, input: Value, other: Value, alpha: complex) -> Value:
    _no_bool(name, input, other)
    input, other = common(name, input, other)
    return call(_sub, input, other if alpha == 1 else _times_alpha(name, input, other, alpha))


def _no_bool(name: str, *operands: Value) -> None:
    for operand in operands:
        if hasattr(operand, "dtype") and operand.dtype.kind == "b":
            raise RuntimeError(f"{name}(): bool tensors are not supported; use logical_not, logical_xor, ~ or ^")


def rsub(input: Value, other: Value, *, alpha: complex = 1) -> Value:
    """
    Difference of two tensors, the second minus the first.

    Parameters
    ----------
    input : Tensor
        What to subtract.
    other : Tensor or number
        What to subtract from; broadcasts against `input`.
    alpha : number, default 1
        Factor of `input`.

    Returns
    -------
    Tensor
        ``other - alpha * input``.

    Examples
    --------
    >>> tp.rsub(tp.tensor([1.0, 2.0]), 10)
    tensor([9., 8.])
    """
    return _difference("rsub", other, input, alpha)


@documented("The tensor with its sign changed.", ">>> tp.neg(tp.tensor([1.0, -2.0]))\ntensor([-1.,  2.])")
@direct(families.negative, 1, "iufc")
def neg(input: Value) -> Value:
    _no_bool("neg", input)
    return families.negative(*checked("neg", input))


@documented("The tensor itself.", ">>> tp.positive(tp.tensor([1.0, -2.0]))\ntensor([ 1., -2.])")
def positive(input: Value) -> Value:
    _no_bool("positive", input)
    return checked("positive", input)[0]


# ---- products and quotients ------------------------------------------------------------------------------------------


@documented("Product of two tensors, element by element.", ">>> tp.mul(tp.tensor([1.0, 2.0]), 3)\ntensor([3., 6.])")
@direct(families.mul, 2, "biufc")
def mul(input: Value, other: Value) -> Value:
    return call(families.mul, *common("mul", input, other))


_square = elementwise("square", np.square, [lambda _out, x: families.mul(x, 2)])


@documented("Square of each element.", ">>> tp.square(tp.tensor([2.0, -3.0]))\ntensor([4., 9.])")
@direct(_square, 1, "iufc")
def square(input: Value) -> Value:
    (input,) = checked("square", input)
    return _square(cast(input, np.dtype("int64")) if input.dtype.kind == "b" else input)


_reciprocal = elementwise("reciprocal", np.reciprocal, [lambda out, _x: neg(_square(out))])


def _inverse(y: Value) -> Value:
    """One over a value or a Python number, of which an integer would be divided without remainder."""
    return _reciprocal(y) if hasattr(y, "dtype") else _div(1, y).item()


_div: Primitive = elementwise(
    "div", np.true_divide, [lambda _out, _x, y: _inverse(y), lambda out, _x, y: neg(_div(out, y))]
)


@documented(
    "One over each element.", ">>> tp.reciprocal(tp.tensor([2.0, 4.0]))\ntensor([0.5000, 0.2500])", takes_integers=False
)
def reciprocal(input: Value) -> Value:
    return _reciprocal(floats("reciprocal", input))


@direct(_div, 2, "fc")
def div(input: Value, other: Value, *, rounding_mode: str | None = None) -> Value:
    """
    Quotient of two tensors, element by element.

    Parameters
    ----------
    input : Tensor or number
        Dividend.
    other : Tensor or number
        Divisor; broadcasts against `input`.
    rounding_mode : {None, "trunc", "floor"}
        Whether the quotient is rounded, towards zero or down. Rounded quotients of integers are integers, and constant
        almost everywhere for derivatives.

    Returns
    -------
    Tensor
        Quotient, in the broadcast shape; without rounding, that of integers is floating-point.

    Raises
    ------
    RuntimeError
        If the shapes do not broadcast, `rounding_mode` is none of the above, or integers are divided by zero with
        rounding.

    Examples
    --------
    >>> tp.div(tp.tensor([-3, 3]), 2)
    tensor([-1.5000,  1.5000])
    >>> tp.div(tp.tensor([-3, 3]), 2, rounding_mode="floor")
    tensor([-2,  1])
    """
    if rounding_mode is None:
        return call(_div, *inexact_arrays("div", input, other))
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(f"div(): rounding_mode must be None, 'trunc' or 'floor', got {shown(rounding_mode)}")
    input, other = arrays("div", input, other)
    only("uif" if input.dtype.kind != "b" else "b", "div with rounding", input)
    return call(_div_floor if rounding_mode == "floor" else _div_trunc, input, other)


def true_divide(input: Value, other: Value) -> Value:
    """
    Quotient of two tensors, element by element; see `div`.

    Parameters
    ----------
    input : Tensor or number
        Dividend.
    other : Tensor or number
        Divisor; broadcasts against `input`.

    Returns
    -------
    Tensor
        Quotient, in the broadcast shape; floating-point for integers.

    Examples
    --------
    >>> tp.true_divide(tp.tensor([1, 3]), 2)
    tensor([0.5000, 1.5000])
    """
    return div(input, other)


def _no_zero_divisor(name: str, y: Any) -> None:
    if y.dtype.kind in "bui" and not np.all(y):
        raise RuntimeError(f"{name}: integer division by zero")


def _floor_impl(x: Any, y: Any) -> Any:
    _no_zero_divisor("floor_divide", y)
    return np.floor_divide(x, y)


def _trunc_impl(x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return np.trunc(np.true_divide(x, y))
    _no_zero_divisor("div", y)
    down = np.floor_divide(x, y)
    return down + ((down < 0) & (down * y != x)) if x.dtype.kind == "i" else down


_div_floor = elementwise("floor_divide", _floor_impl, None)
_div_trunc = elementwise("trunc_divide", _trunc_impl, None)


@documented("Quotient rounded down.", ">>> tp.floor_divide(tp.tensor([-3, 3]), 2)\ntensor([-2,  1])")
def floor_divide(input: Value, other: Value) -> Value:
    return div(input, other, rounding_mode="floor")


# ---- remainders ------------------------------------------------------------------------------------------------------


def _remainder_impl(x: Any, y: Any) -> Any:
    _no_zero_divisor("remainder", y)
    return np.remainder(x, y)


def _fmod_impl(x: Any, y: Any) -> Any:
    _no_zero_divisor("fmod", y)
    return np.fmod(x, y)


_remainder = elementwise("remainder", _remainder_impl, [1, lambda _out, x, y: neg(_div_floor(x, y))])
_fmod = elementwise("fmod", _fmod_impl, [1, lambda _out, x, y: neg(_div_trunc(x, y))])


@documented(
    "Remainder with the sign of the divisor, as of Python's ``%``.",
    ">>> tp.remainder(tp.tensor([-3.0, 3.0]), 2)\ntensor([1., 1.])",
)
def remainder(input: Value, other: Value) -> Value:
    input, other = arrays("remainder", input, other)
    only("uif", "remainder", input)
    return call(_remainder, input, other)


@documented(
    "Remainder with the sign of the dividend, as of C's ``fmod``.",
    ">>> tp.fmod(tp.tensor([-3.0, 3.0]), 2)\ntensor([-1.,  1.])",
)
def fmod(input: Value, other: Value) -> Value:
    input, other = arrays("fmod", input, other)
    only("uif", "fmod", input)
    return call(_fmod, input, other)


# ---- combinations ----------------------------------------------------------------------------------------------------


def addcmul(input: Value, tensor1: Value, tensor2: Value, *, value: float = 1) -> Value:
    """
    A tensor plus a multiple of a product of two others.

    Parameters
    ----------
    input : Tensor
        What to add to.
    tensor1, tensor2 : Tensor
        Factors; all three broadcast against each other.
    value : number, default 1
        Factor of the product.

    Returns
    -------
    Tensor
        ``input + value * tensor1 * tensor2``.

    Examples
    --------
    >>> tp.addcmul(tp.tensor([1.0]), tp.tensor([2.0]), tp.tensor([3.0]), value=10)
    tensor([61.])
    """
    input, tensor1, tensor2 = arrays("addcmul", input, tensor1, tensor2)
    return add(input, mul(tensor1, tensor2), alpha=int(value) if input.dtype.kind in "bui" else value)


def addcdiv(input: Value, tensor1: Value, tensor2: Value, *, value: complex = 1) -> Value:
    """
    A tensor plus a multiple of a quotient of two others.

    Parameters
    ----------
    input : Tensor
        What to add to.
    tensor1, tensor2 : Tensor
        Dividend and divisor, not both integers; all three broadcast against each other.
    value : number, default 1
        Factor of the quotient.

    Returns
    -------
    Tensor
        ``input + value * tensor1 / tensor2``.

    Raises
    ------
    RuntimeError
        If both dividend and divisor are integers.

    Examples
    --------
    >>> tp.addcdiv(tp.tensor([1.0]), tp.tensor([3.0]), tp.tensor([2.0]), value=10)
    tensor([16.])
    """
    if tensor1.dtype.kind in "bui" and tensor2.dtype.kind in "bui":
        raise RuntimeError("addcdiv(): tensor1 and tensor2 are both integers; make one of them floating-point")
    input, tensor1, tensor2 = arrays("addcdiv", input, tensor1, tensor2)
    return add(input, div(tensor1, tensor2), alpha=value)


def lerp(input: Value, end: Value, weight: Value) -> Value:
    """
    Linear interpolation between two tensors.

    Parameters
    ----------
    input, end : Tensor
        Values at weight 0 and 1; floating or complex, of one dtype.
    weight : Tensor or number
        Where in between; broadcasts against the others.

    Returns
    -------
    Tensor
        ``input + weight * (end - input)``.

    Raises
    ------
    RuntimeError
        If the dtypes differ.
    NotImplementedError
        If they are integers.

    Examples
    --------
    >>> tp.lerp(tp.tensor([0.0, 1.0]), tp.tensor([10.0, 11.0]), 0.5)
    tensor([5., 6.])
    """
    for name, value in (("end", end), ("weight", weight)):
        if hasattr(value, "dtype") and value.dtype != input.dtype:
            raise RuntimeError(f"lerp(): expected {name} of dtype {input.dtype}, got {value.dtype}")
    only("fc", "lerp", input)
    return add(input, mul(sub(end, input), weight))
