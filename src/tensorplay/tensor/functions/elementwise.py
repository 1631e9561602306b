"""Elementwise functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tensorplay.ops import activation, elementwise, special_functions
from tensorplay.tensor.calls import explained
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.lift import lift, lift_view

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "addcdiv",
    "addcmul",
    "allclose",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "celu",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "complex",
    "conj",
    "conj_physical",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "div",
    "divide",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frexp",
    "gcd",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hardshrink",
    "heaviside",
    "hypot",
    "i0",
    "igamma",
    "igammac",
    "imag",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "mvlgamma",
    "nan_to_num",
    "ne",
    "neg",
    "negative",
    "nextafter",
    "not_equal",
    "polar",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "rad2deg",
    "real",
    "reciprocal",
    "relu",
    "remainder",
    "resolve_conj",
    "resolve_neg",
    "round",
    "rrelu",
    "rsqrt",
    "rsub",
    "selu",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "subtract",
    "tan",
    "tanh",
    "threshold",
    "true_divide",
    "trunc",
    "where",
    "xlogy",
]


F = TypeVar("F", bound=Callable[..., Any])


def _itself_if_real(function: F) -> F:
    """`function` on tensors; a real tensor is returned itself, as torch does."""
    lifted = lift(function)

    @explained
    @functools.wraps(function)
    def public(input: Any, *, out: Any = None) -> Any:
        if out is None and isinstance(input, Handle) and input.value.dtype.kind != "c":
            return input
        return lifted(input) if out is None else lifted(input, out=out)

    return public  # type: ignore[return-value]


abs = lift(elementwise.abs)
acos = lift(elementwise.acos)
acosh = lift(elementwise.acosh)
add = lift(elementwise.add)
addcdiv = lift(elementwise.addcdiv)
addcmul = lift(elementwise.addcmul)
allclose = lift(elementwise.allclose)
angle = lift(elementwise.angle)
asin = lift(elementwise.asin)
asinh = lift(elementwise.asinh)
atan = lift(elementwise.atan)
atan2 = lift(elementwise.atan2)
atanh = lift(elementwise.atanh)
bitwise_and = lift(elementwise.bitwise_and)
bitwise_left_shift = lift(elementwise.bitwise_left_shift)
bitwise_not = lift(elementwise.bitwise_not)
bitwise_or = lift(elementwise.bitwise_or)
bitwise_right_shift = lift(elementwise.bitwise_right_shift)
bitwise_xor = lift(elementwise.bitwise_xor)
ceil = lift(elementwise.ceil)
clamp = lift(elementwise.clamp)
clamp_max = lift(elementwise.clamp_max)
clamp_min = lift(elementwise.clamp_min)
complex = lift(elementwise.complex)
conj = _itself_if_real(elementwise.conj)
conj_physical = _itself_if_real(elementwise.conj_physical)
copysign = lift(elementwise.copysign)
cos = lift(elementwise.cos)
cosh = lift(elementwise.cosh)
deg2rad = lift(elementwise.deg2rad)
div = lift(elementwise.div)
eq = lift(elementwise.eq)
equal = lift(elementwise.equal)
exp = lift(elementwise.exp)
exp2 = lift(elementwise.exp2)
expm1 = lift(elementwise.expm1)
float_power = lift(elementwise.float_power)
floor = lift(elementwise.floor)
floor_divide = lift(elementwise.floor_divide)
fmax = lift(elementwise.fmax)
fmin = lift(elementwise.fmin)
fmod = lift(elementwise.fmod)
frac = lift(elementwise.frac)
frexp = lift(elementwise.frexp)
gcd = lift(elementwise.gcd)
ge = lift(elementwise.ge)
gt = lift(elementwise.gt)
heaviside = lift(elementwise.heaviside)
hypot = lift(elementwise.hypot)
imag = lift_view(elementwise.imag)
isclose = lift(elementwise.isclose)
isfinite = lift(elementwise.isfinite)
isinf = lift(elementwise.isinf)
isnan = lift(elementwise.isnan)
isneginf = lift(elementwise.isneginf)
isposinf = lift(elementwise.isposinf)
isreal = lift(elementwise.isreal)
lcm = lift(elementwise.lcm)
ldexp = lift(elementwise.ldexp)
le = lift(elementwise.le)
lerp = lift(elementwise.lerp)
log = lift(elementwise.log)
log10 = lift(elementwise.log10)
log1p = lift(elementwise.log1p)
log2 = lift(elementwise.log2)
logaddexp = lift(elementwise.logaddexp)
logaddexp2 = lift(elementwise.logaddexp2)
logical_and = lift(elementwise.logical_and)
logical_not = lift(elementwise.logical_not)
logical_or = lift(elementwise.logical_or)
logical_xor = lift(elementwise.logical_xor)
logit = lift(elementwise.logit)
lt = lift(elementwise.lt)
maximum = lift(elementwise.maximum)
minimum = lift(elementwise.minimum)
mul = lift(elementwise.mul)
nan_to_num = lift(elementwise.nan_to_num)
ne = lift(elementwise.ne)
neg = lift(elementwise.neg)
nextafter = lift(elementwise.nextafter)
polar = lift(elementwise.polar)
positive = lift_view(elementwise.positive)
pow = lift(elementwise.pow)
rad2deg = lift(elementwise.rad2deg)
real = lift_view(elementwise.real)
reciprocal = lift(elementwise.reciprocal)
remainder = lift(elementwise.remainder)
resolve_conj = lift_view(elementwise.resolve_conj)
resolve_neg = lift_view(elementwise.resolve_neg)
round = lift(elementwise.round)
rsqrt = lift(elementwise.rsqrt)
rsub = lift(elementwise.rsub)
sgn = lift(elementwise.sgn)
sigmoid = lift(elementwise.sigmoid)
sign = lift(elementwise.sign)
signbit = lift(elementwise.signbit)
sin = lift(elementwise.sin)
sinc = lift(elementwise.sinc)
sinh = lift(elementwise.sinh)
sqrt = lift(elementwise.sqrt)
square = lift(elementwise.square)
sub = lift(elementwise.sub)
tan = lift(elementwise.tan)
tanh = lift(elementwise.tanh)
true_divide = lift(elementwise.true_divide)
trunc = lift(elementwise.trunc)
where = lift(elementwise.where)
xlogy = lift(elementwise.xlogy)

digamma = lift(special_functions.digamma)
erf = lift(special_functions.erf)
erfc = lift(special_functions.erfc)
erfinv = lift(special_functions.erfinv)
i0 = lift(special_functions.i0)
igamma = lift(special_functions.igamma)
igammac = lift(special_functions.igammac)
lgamma = lift(special_functions.lgamma)
mvlgamma = lift(special_functions.mvlgamma)
polygamma = lift(special_functions.polygamma)

celu = lift(activation.celu)
hardshrink = lift(activation.hardshrink)
prelu = lift(activation.prelu)
relu = lift(activation.relu)
rrelu = lift(activation.rrelu)
selu = lift(activation.selu)
threshold = lift(activation.threshold)

absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
clip = clamp
divide = div
fix = trunc
greater = gt
greater_equal = ge
less = lt
less_equal = le
multiply = mul
negative = neg
not_equal = ne
subtract = sub
