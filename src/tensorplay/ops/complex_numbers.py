"""Complex numbers: their parts, and what is only real-linear in them; absolute values and signs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import complex_dtype
from tensorplay.ops import families
from tensorplay.ops.arithmetic import mul
from tensorplay.ops.families import align_ranks, elementwise, structural, sum_to
from tensorplay.ops.operands import (
    call,
    check_broadcast,
    checked,
    direct,
    documented,
    floats,
    inexact_arrays,
    only,
    refuse,
)
from tensorplay.ops.promotion import cast
from tensorplay.ops.trigonometry import atan2, cos, hypot, ratio, sin

# ---- parts -----------------------------------------------------------------------------------------------------------

real_part: Primitive = structural(
    "real",
    lambda x: x.real,
    transpose=lambda ct, x: cast(ct, x.dtype),
    batch=lambda size, args, mapped: (real_part(args[0]), True),
)
imag_part: Primitive = structural(
    "imag",
    lambda x: x.imag,
    transpose=lambda ct, x: mul(cast(ct, x.dtype), 1j),
    batch=lambda size, args, mapped: (imag_part(args[0]), True),
)


def _complex_impl(real: Any, imag: Any) -> Any:
    out = np.empty(np.broadcast_shapes(real.shape, imag.shape), complex_dtype(real.dtype))
    out.real = real
    out.imag = imag
    return out


_complex = Primitive("complex", _complex_impl, "elementwise", (frozenset(), frozenset()))


@_complex.derivative
def _complex_derivative(out: Value, real: Value, imag: Value) -> LinearMap:
    zero = np.zeros((), real.dtype)

    def push(real_dot: Value | None, imag_dot: Value | None) -> Value:
        made = _complex(zero if real_dot is None else real_dot, zero if imag_dot is None else imag_dot)
        return made if made.shape == out.shape else families.expand(made, shape=out.shape)

    def pull(ct: Value) -> tuple[Any, ...]:
        return (lambda: sum_to(real_part(ct), real.shape), lambda: sum_to(imag_part(ct), imag.shape))

    return LinearMap(push, pull)


_complex.batch(lambda size, args, mapped: (_complex(*align_ranks(args, mapped)), True))


@documented(
    "Real part of each element; a real tensor itself.",
    ">>> tp.real(tp.tensor([1.0 + 2.0j]))\ntensor([1.])",
    returns="Of the real dtype of the same precision; a view.",
)
def real(input: Value) -> Value:
    (input,) = checked("real", input)
    return real_part(input) if input.dtype.kind == "c" else input


@documented(
    "Imaginary part of each element.",
    ">>> tp.imag(tp.tensor([1.0 + 2.0j]))\ntensor([2.])",
    returns="Of the real dtype of the same precision; a view.",
)
def imag(input: Value) -> Value:
    (input,) = checked("imag", input)
    if input.dtype.kind != "c":
        raise RuntimeError(f"imag(): needs a complex tensor, got {input.dtype}")
    return imag_part(input)


def _pair(name: str, first: Value, second: Value) -> None:
    for value in (first, second):
        if value.dtype.kind != "f":
            raise RuntimeError(f"{name}(): needs floating-point tensors, got {first.dtype} and {second.dtype}")
    if first.dtype != second.dtype:
        raise RuntimeError(f"{name}(): both tensors must have one dtype, got {first.dtype} and {second.dtype}")
    check_broadcast(name, first, second)


def complex(real: Value, imag: Value) -> Value:
    """
    Complex tensor from its real and imaginary parts.

    Parameters
    ----------
    real, imag : Tensor
        Floating-point, of one dtype; they broadcast against each other.

    Returns
    -------
    Tensor
        ``real + 1j * imag``.

    Raises
    ------
    RuntimeError
        If the dtypes differ or are not floating-point.

    Examples
    --------
    >>> tp.complex(tp.tensor([1.0]), tp.tensor([2.0]))
    tensor([1.+2.j])
    """
    _pair("complex", real, imag)
    return _complex(real, imag)


def polar(abs: Value, angle: Value) -> Value:
    """
    Complex tensor from absolute values and angles.

    Parameters
    ----------
    abs, angle : Tensor
        Floating-point, of one dtype; they broadcast against each other. Angles are in radians.

    Returns
    -------
    Tensor
        ``abs * exp(1j * angle)``.

    Raises
    ------
    RuntimeError
        If the dtypes differ or are not floating-point.

    Examples
    --------
    >>> tp.polar(tp.tensor([2.0]), tp.tensor([0.0]))
    tensor([2.+0.j])
    """
    _pair("polar", abs, angle)
    return _complex(mul(abs, cos(angle)), mul(abs, sin(angle)))


@documented(
    "Complex conjugate of each element; a real tensor itself.", ">>> tp.conj(tp.tensor([1.0 + 2.0j]))\ntensor([1.-2.j])"
)
def conj(input: Value) -> Value:
    return families.conj(*checked("conj", input))


@documented(
    "Complex conjugate of each element; a real tensor itself.",
    ">>> tp.conj_physical(tp.tensor([1.0 + 2.0j]))\ntensor([1.-2.j])",
)
def conj_physical(input: Value) -> Value:
    return conj(input)


@documented(
    "The tensor itself: conjugates are always carried out here.",
    ">>> tp.resolve_conj(tp.tensor([1.0 + 2.0j]).conj())\ntensor([1.-2.j])",
)
def resolve_conj(input: Value) -> Value:
    return checked("resolve_conj", input)[0]


@documented(
    "The tensor itself: signs are always carried out here.",
    ">>> tp.resolve_neg(tp.tensor([1.0 + 2.0j]).conj().imag)\ntensor([-2.])",
)
def resolve_neg(input: Value) -> Value:
    return checked("resolve_neg", input)[0]


# ---- size and direction ----------------------------------------------------------------------------------------------


def _sign_impl(x: Any) -> Any:
    if x.dtype.kind == "b":
        return x.copy()
    if x.dtype.kind == "f":
        return np.where(np.isnan(x), np.zeros((), x.dtype), np.sign(x))
    return np.sign(x)


_sign = elementwise("sign", _sign_impl, None)
_abs = elementwise("abs", np.absolute, [lambda _out, x: _sign(x)])


@documented(
    "Absolute value of each element, real for complex ones. The derivative at zero is zero.",
    ">>> tp.abs(tp.tensor([-1.0, 2.0]))\ntensor([1., 2.])",
)
@direct(_abs, 1, "iuf")
def abs(input: Value) -> Value:
    (input,) = checked("abs", input)
    if input.dtype.kind == "c":
        return hypot(real_part(input), imag_part(input))
    if input.dtype.kind == "b":
        refuse("iufc", "abs", input)
    return _abs(input)


@documented("Sign of each element: -1, 0 or 1.", ">>> tp.sign(tp.tensor([-3.0, 0.0, 2.0]))\ntensor([-1.,  0.,  1.])")
def sign(input: Value) -> Value:
    (input,) = checked("sign", input)
    only("buif", "sign", input)
    return _sign(input)


@documented(
    "Sign of each element; of a complex one, the number of absolute value one in its direction. Zero at zero.",
    ">>> tp.sgn(tp.tensor([3.0 + 4.0j, 0.0]))\ntensor([0.6000+0.8000j, 0.0000+0.0000j])",
)
def sgn(input: Value) -> Value:
    (input,) = checked("sgn", input)
    if input.dtype.kind != "c":
        return _sign(input)
    size = abs(input)
    return _complex(ratio(real_part(input), size), ratio(imag_part(input), size))


_half_turns = elementwise(
    "angle", lambda x: np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0))), None
)


@documented(
    "Angle of each element in the complex plane, in radians. The derivative at zero is zero.",
    ">>> tp.angle(tp.tensor([1.0 + 0.0j, 2.0]))\ntensor([0., 0.])",
    returns="Real.",
)
def angle(input: Value) -> Value:
    input = floats("angle", input)
    if input.dtype.kind == "c":
        return atan2(imag_part(input), real_part(input))
    return _half_turns(input)


_copysign = elementwise("copysign", np.copysign, [lambda out, x, _y: mul(_sign(out), _sign(x)), None])


@documented(
    "Absolute values of one tensor with the signs of another. The derivative at zero is zero.",
    ">>> tp.copysign(tp.tensor([1.0, -2.0]), tp.tensor([-1.0, 1.0]))\ntensor([-1.,  2.])",
)
def copysign(input: Value, other: Value) -> Value:
    operands = inexact_arrays("copysign", input, other)
    only("f", "copysign", *operands)
    return call(_copysign, *operands)
