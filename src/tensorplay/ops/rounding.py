"""Rounding and what is left of it. Rounded numbers are constant almost everywhere: their derivative is zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops.arithmetic import div, mul, neg, sub
from tensorplay.ops.families import elementwise
from tensorplay.ops.operands import call, check_broadcast, checked, documented, only


def _rounding(name: str, ufunc: Callable[..., Any], summary: str, example: str) -> Callable[[Value], Value]:
    # integers are whole already
    prim = elementwise(name, lambda x: ufunc(x) if x.dtype.kind == "f" else x.copy(), None)

    def op(input: Value) -> Value:
        (input,) = checked(name, input)
        only("uif", name, input)
        return prim(input)

    op.__name__ = op.__qualname__ = name
    return documented(summary, f">>> tp.{name}(tp.tensor([-1.5, 1.5, 2.5]))\n{example}")(op)


floor = _rounding(
    "floor", np.floor, "Largest whole number that is no larger than each element.", "tensor([-2.,  1.,  2.])"
)
ceil = _rounding(
    "ceil", np.ceil, "Smallest whole number that is no smaller than each element.", "tensor([-1.,  2.,  3.])"
)
trunc = _rounding("trunc", np.trunc, "Whole part of each element.", "tensor([-1.,  1.,  2.])")
_round_whole = _rounding("round", np.rint, "Nearest whole number.", "tensor([-2.,  2.,  2.])")


def round(input: Value, *, decimals: int = 0) -> Value:
    """
    Elements rounded to a number of decimals, halves to the even neighbour.

    Parameters
    ----------
    input : Tensor
        Any shape.
    decimals : int, default 0
        Digits after the point; a negative number rounds to tens, hundreds, ...

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    NotImplementedError
        If `input` is complex or bool, or holds integers and `decimals` is not 0.

    Examples
    --------
    >>> tp.round(tp.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    >>> tp.round(tp.tensor([1234.567]), decimals=-2)
    tensor([1200.])
    """
    if decimals == 0:
        return _round_whole(input)
    only("f", "round with decimals", input)
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return div(_round_whole(mul(input, factor)), factor)
    return mul(_round_whole(div(input, factor)), factor)


@documented("Each element minus its whole part.", ">>> tp.frac(tp.tensor([-1.5, 2.25]))\ntensor([-0.5000,  0.2500])")
def frac(input: Value) -> Value:
    (input,) = checked("frac", input)
    only("f", "frac", input)
    return sub(input, trunc(input))


# ---- the parts of a floating-point number ----------------------------------------------------------------------------


class FrexpResult(NamedTuple):
    """Mantissa and exponent of each element."""

    mantissa: Any
    exponent: Any


FrexpResult.__name__ = FrexpResult.__qualname__ = "frexp"

_scaled_by_power: Primitive = elementwise(
    "times_power_of_two",
    lambda x, n: np.ldexp(x, n),
    [lambda _out, x, n: _scaled_by_power(np.ones((), x.dtype), n), None],
)
_frexp = Primitive("frexp", lambda x: tuple(np.frexp(x)))
_frexp.batch(lambda size, args, mapped: (_frexp(args[0]), True))


@_frexp.derivative
def _frexp_derivative(out: Any, x: Value) -> LinearMap:
    down = neg(out[1])
    return LinearMap(
        lambda x_dot: (_scaled_by_power(x_dot, down), None),
        lambda ct: (None if ct[0] is None else _scaled_by_power(ct[0], down),),
    )


def frexp(input: Value) -> FrexpResult:
    """
    Mantissa and exponent of each element.

    Parameters
    ----------
    input : Tensor
        Floating-point.

    Returns
    -------
    mantissa : Tensor
        Of absolute value in [0.5, 1), or zero.
    exponent : Tensor
        int32; ``input == mantissa * 2**exponent``.

    Raises
    ------
    RuntimeError
        If `input` is not floating-point.

    Examples
    --------
    >>> tp.frexp(tp.tensor([4.0])).exponent
    tensor([3], dtype=tensorplay.int32)
    """
    (input,) = checked("frexp", input)
    if input.dtype.kind != "f":
        raise RuntimeError(f"frexp(): needs a floating-point tensor, got {input.dtype}")
    return FrexpResult(*_frexp(input))


_nextafter = elementwise("nextafter", np.nextafter, [1, None])


@documented(
    "Next floating-point number after each element, in the direction of another.",
    ">>> tp.nextafter(tp.tensor([1.0]), tp.tensor([2.0])) > 1\ntensor([True])",
)
def nextafter(input: Value, other: Value) -> Value:
    input, other = checked("nextafter", input, other)
    only("f", "nextafter", input, other)
    check_broadcast("nextafter", input, other)
    return call(_nextafter, input, other)
