"""Special functions on SciPy's kernels. Where a function belongs to a series of functions, so do its derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops import kernels
from tensorplay.ops.arithmetic import add, div, mul, neg, square, sub
from tensorplay.ops.comparison import eq, gt, where
from tensorplay.ops.complex_numbers import sign
from tensorplay.ops.exponential import exp, log, xlogy
from tensorplay.ops.families import elementwise
from tensorplay.ops.operands import (
    UnaryOp,
    call,
    documented,
    float_unary,
    floats,
    inexact_arrays,
    on_floats,
    only,
    parametric,
    real_only,
    scipy_kernel,
)
from tensorplay.ops.operands import (
    scipy_special as special,
)

# ---- error functions -------------------------------------------------------------------------------------------------

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


def _bell(x: Value, factor: float) -> Value:
    """factor * exp(-x**2)"""
    return mul(exp(neg(square(x))), factor)


erf = float_unary(
    "erf",
    real_only("erf", kernels.erf),
    lambda _out, x: _bell(x, _TWO_OVER_ROOT_PI),
    "Error function of each element.",
    ">>> tp.erf(tp.tensor([0.0]))\ntensor([0.])",
)
erfc = float_unary(
    "erfc",
    scipy_kernel("erfc"),
    lambda _out, x: _bell(x, -_TWO_OVER_ROOT_PI),
    "One minus the error function of each element, accurate where that is small.",
    ">>> tp.erfc(tp.tensor([0.0]))\ntensor([1.])",
)
erfinv = float_unary(
    "erfinv",
    scipy_kernel("erfinv"),
    lambda out, _x: mul(exp(square(out)), 1 / _TWO_OVER_ROOT_PI),
    "Inverse of the error function of each element.",
    ">>> tp.erfinv(tp.tensor([0.0, 1.0]))\ntensor([0., inf])",
)
erfcx = float_unary(
    "erfcx",
    scipy_kernel("erfcx"),
    lambda out, x: sub(mul(mul(x, out), 2), _TWO_OVER_ROOT_PI),
    "Scaled complementary error function ``exp(x**2) * erfc(x)`` of each element.",
    ">>> tp.special.erfcx(tp.tensor([0.0]))\ntensor([1.])",
)
ndtr = float_unary(
    "ndtr",
    scipy_kernel("ndtr"),
    lambda _out, x: mul(exp(mul(square(x), -0.5)), 1 / _ROOT_TWO_PI),
    "Cumulative distribution function of the standard normal distribution.",
    ">>> tp.special.ndtr(tp.tensor([0.0]))\ntensor([0.5000])",
)
ndtri = float_unary(
    "ndtri",
    scipy_kernel("ndtri"),
    lambda out, _x: mul(exp(mul(square(out), 0.5)), _ROOT_TWO_PI),
    "Inverse of the cumulative distribution function of the standard normal distribution.",
    ">>> tp.special.ndtri(tp.tensor([0.5]))\ntensor([0.])",
)
log_ndtr = float_unary(
    "log_ndtr",
    scipy_kernel("log_ndtr"),
    # density over distribution, which keeps its precision far out on both sides
    lambda _out, x: div(math.sqrt(2 / math.pi), erfcx(mul(x, -math.sqrt(0.5)))),
    "Logarithm of the cumulative distribution function of the standard normal distribution.",
    ">>> tp.special.log_ndtr(tp.tensor([0.0]))\ntensor([-0.6931])",
)
entr = float_unary(
    "entr",
    scipy_kernel("entr"),
    lambda _out, x: where(gt(x, 0), sub(-1, log(x)), where(eq(x, 0), math.inf, math.nan)),
    "Entropy ``-x * log(x)`` of each element: zero at zero, -inf below.",
    ">>> tp.special.entr(tp.tensor([0.0, 1.0, -1.0]))\ntensor([0., -0., -inf])",
)

# ---- gamma functions -------------------------------------------------------------------------------------------------

lgamma = float_unary(
    "lgamma",
    scipy_kernel("gammaln", "lgamma"),
    lambda _out, x: digamma(x),
    "Logarithm of the absolute value of the gamma function.",
    ">>> tp.lgamma(tp.tensor([1.0, 2.0]))\ntensor([0., 0.])",
)


def _digamma_impl(x: Any) -> Any:
    out = scipy_kernel("digamma")(x)
    return np.where(x == 0, np.copysign(np.inf, -x), out).astype(x.dtype)


_digamma = elementwise("digamma", _digamma_impl, [lambda _out, x: _polygamma(x, n=1)])
digamma: UnaryOp = on_floats(
    _digamma,
    "digamma",
    "Derivative of the logarithm of the gamma function.",
    ">>> tp.digamma(tp.tensor([1.0]))\ntensor([-0.5772])",
)


def _polygamma_impl(x: Any, n: int) -> Any:
    wide = x.astype(np.float64)
    values = (-1.0) ** (n + 1) * special.gamma(n + 1.0) * special.zeta(n + 1.0, wide)
    return np.asarray(values).astype(x.dtype)


_polygamma: Primitive = parametric("polygamma", _polygamma_impl, [lambda _out, x, n: _polygamma(x, n=n + 1)])


def polygamma(n: int, input: Value) -> Value:
    """
    Derivative of some order of the digamma function.

    Parameters
    ----------
    n : int
        Order, not negative; 0 is the digamma function itself.
    input : Tensor
        Any shape.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `n` is negative.

    Examples
    --------
    >>> tp.polygamma(1, tp.tensor([1.0]))
    tensor([1.6449])
    """
    if n < 0:
        raise RuntimeError(f"polygamma(): n must not be negative, got {n}")
    input = floats("polygamma", input)
    only("f", "polygamma", input)
    return digamma(input) if n == 0 else _polygamma(input, n=int(n))


def mvlgamma(input: Value, p: int) -> Value:
    """
    Logarithm of the multivariate gamma function of dimension `p`.

    Parameters
    ----------
    input : Tensor
        Any shape.
    p : int
        Dimension, at least 1.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If `p` is less than 1.

    Notes
    -----
    It is ``p * (p - 1) / 4 * log(pi)`` plus the sum of ``lgamma(input - i / 2)`` over i from 0 to p - 1.

    Examples
    --------
    >>> tp.mvlgamma(tp.tensor([1.0]), 1)
    tensor([0.])
    """
    if p < 1:
        raise RuntimeError(f"mvlgamma(): p must be at least 1, got {p}")
    input = floats("mvlgamma", input)
    total = add(lgamma(input), p * (p - 1) / 4 * math.log(math.pi))
    for i in range(1, p):
        total = add(total, lgamma(sub(input, i / 2)))
    return total


def _unknown(name: str, argument: str) -> Callable[..., NoReturn]:
    def partial(_out: Value, _x: Value, _y: Value) -> NoReturn:
        raise NotImplementedError(
            f"{name}(): the derivative with respect to `{argument}` has no closed form and is not known"
        )

    return partial


def _gamma_density(x: Value, a: Value) -> Value:
    """exp(-x) * x**(a - 1) / gamma(a)"""
    return exp(sub(sub(xlogy(sub(a, 1), x), x), lgamma(a)))


_igamma = elementwise(
    "igamma", scipy_kernel("gammainc", "igamma"), [_unknown("igamma", "input"), lambda _out, a, x: _gamma_density(x, a)]
)
_igammac = elementwise(
    "igammac",
    scipy_kernel("gammaincc", "igammac"),
    [_unknown("igammac", "input"), lambda _out, a, x: neg(_gamma_density(x, a))],
)


@documented(
    "Regularized lower incomplete gamma function of parameter `input`, at `other`.",
    ">>> tp.igamma(tp.tensor([1.0]), tp.tensor([0.0]))\ntensor([0.])",
)
def igamma(input: Value, other: Value) -> Value:
    return call(_igamma, *inexact_arrays("igamma", input, other))


@documented(
    "Regularized upper incomplete gamma function of parameter `input`, at `other`.",
    ">>> tp.igammac(tp.tensor([1.0]), tp.tensor([0.0]))\ntensor([1.])",
)
def igammac(input: Value, other: Value) -> Value:
    return call(_igammac, *inexact_arrays("igammac", input, other))


_zeta: Primitive = elementwise(
    "zeta",
    scipy_kernel("zeta"),
    [_unknown("zeta", "input"), lambda _out, s, q: neg(mul(s, _zeta(add(s, 1), q)))],
)


@documented(
    "Hurwitz zeta function: sum of ``(k + other) ** -input`` over k from 0 on; derivable with respect to `other`.",
    ">>> tp.special.zeta(tp.tensor([2.0]), tp.tensor([1.0]))\ntensor([1.6449])",
)
def zeta(input: Value, other: Value) -> Value:
    return call(_zeta, *inexact_arrays("zeta", input, other))


# ---- Bessel functions ------------------------------------------------------------------------------------------------
#
# Each kind is a series in the order n, and the derivative is a combination of the two neighbours.


def _by_order(known: dict[int, str], general: str) -> Callable[..., Any]:
    """Kernel that is quicker for the orders in `known`."""
    quick = {n: scipy_kernel(name) for n, name in known.items()}

    def impl(x: Any, n: int) -> Any:
        if n in quick:
            return quick[n](x)
        values = np.asarray(getattr(special, general)(n, x))
        # far out SciPy's kernel gives up, where all orders tend to that of order 0
        far = quick[0](x) * np.where(x < 0, (-1.0) ** n, 1.0)
        return np.where(np.isnan(values), far, values).astype(x.dtype)

    return impl


def _half(first: Value, second: Value) -> Value:
    return mul(add(first, second), 0.5)


# SciPy's general kernels know negative orders too.
_bessel_i: Primitive = parametric(
    "modified_bessel_i",
    _by_order({0: "i0", 1: "i1", -1: "i1"}, "iv"),
    [lambda _out, x, n: _half(_bessel_i(x, n=n - 1), _bessel_i(x, n=n + 1))],
)
_scaled_bessel_i: Primitive = parametric(
    "scaled_modified_bessel_i",
    _by_order({0: "i0e", 1: "i1e", -1: "i1e"}, "ive"),
    [lambda out, x, n: sub(_half(_scaled_bessel_i(x, n=n - 1), _scaled_bessel_i(x, n=n + 1)), mul(sign(x), out))],
)
_bessel_j: Primitive = parametric(
    "bessel_j",
    _by_order({0: "j0", 1: "j1"}, "jv"),
    [lambda _out, x, n: _half(_bessel_j(x, n=n - 1), neg(_bessel_j(x, n=n + 1)))],
)


_bessel_y: Primitive = parametric(
    "bessel_y",
    _by_order({0: "y0", 1: "y1"}, "yv"),
    [lambda _out, x, n: _half(_bessel_y(x, n=n - 1), neg(_bessel_y(x, n=n + 1)))],
)
_bessel_k: Primitive = parametric(
    "modified_bessel_k",
    _by_order({0: "k0", 1: "k1", -1: "k1"}, "kv"),
    [lambda _out, x, n: neg(_half(_bessel_k(x, n=n - 1), _bessel_k(x, n=n + 1)))],
)
_scaled_bessel_k: Primitive = parametric(
    "scaled_modified_bessel_k",
    _by_order({0: "k0e", 1: "k1e", -1: "k1e"}, "kve"),
    [lambda out, x, n: sub(out, _half(_scaled_bessel_k(x, n=n - 1), _scaled_bessel_k(x, n=n + 1)))],
)


def _airy_impl(x: Any, order: int) -> Any:
    # beyond 200 it is less than the smallest number
    return np.where(x > 200, 0, special.airy(x)[order]).astype(x.dtype, copy=False)


_airy: Primitive = parametric(
    "airy_ai",
    _airy_impl,
    [lambda _out, x, order: _airy(x, order=1) if order == 0 else mul(x, _airy(x, order=0))],
)


def _bessel(
    name: str, prim: Callable[..., Value], summary: str, example: str, **params: int
) -> Callable[[Value], Value]:
    def op(input: Value) -> Value:
        input = floats(name, input)
        only("f", name, input)
        return prim(input, **params)

    op.__name__ = op.__qualname__ = name
    at = "i0" if name == "i0" else f"special.{name}"
    return documented(summary, f">>> tp.{at}(tp.tensor([{example}])", takes_integers=False)(op)


_FIRST = "Bessel function of the first kind of order {}."
_SECOND = "Bessel function of the second kind of order {}."
_MODIFIED = "Modified Bessel function of the first kind of order {}."
_SCALED = "``exp(-abs(x))`` times the modified Bessel function of the first kind of order {}."
_SCALED_SECOND = "``exp(x)`` times the modified Bessel function of the second kind of order {}."
_MODIFIED_SECOND = "Modified Bessel function of the second kind of order {}."

i0 = _bessel("i0", _bessel_i, _MODIFIED.format(0), "0.0]))\ntensor([1.", n=0)
i1 = _bessel("i1", _bessel_i, _MODIFIED.format(1), "0.0]))\ntensor([0.", n=1)
i0e = _bessel("i0e", _scaled_bessel_i, _SCALED.format(0), "0.0]))\ntensor([1.", n=0)
i1e = _bessel("i1e", _scaled_bessel_i, _SCALED.format(1), "0.0]))\ntensor([0.", n=1)
modified_bessel_i0 = _bessel("modified_bessel_i0", _bessel_i, _MODIFIED.format(0), "0.0]))\ntensor([1.", n=0)
modified_bessel_i1 = _bessel("modified_bessel_i1", _bessel_i, _MODIFIED.format(1), "0.0]))\ntensor([0.", n=1)
modified_bessel_k0 = _bessel("modified_bessel_k0", _bessel_k, _MODIFIED_SECOND.format(0), "0.0]))\ntensor([inf", n=0)
modified_bessel_k1 = _bessel("modified_bessel_k1", _bessel_k, _MODIFIED_SECOND.format(1), "0.0]))\ntensor([inf", n=1)
scaled_modified_bessel_k0 = _bessel(
    "scaled_modified_bessel_k0", _scaled_bessel_k, _SCALED_SECOND.format(0), "0.0]))\ntensor([inf", n=0
)
scaled_modified_bessel_k1 = _bessel(
    "scaled_modified_bessel_k1", _scaled_bessel_k, _SCALED_SECOND.format(1), "0.0]))\ntensor([inf", n=1
)
bessel_j0 = _bessel("bessel_j0", _bessel_j, _FIRST.format(0), "0.0]))\ntensor([1.", n=0)
bessel_j1 = _bessel("bessel_j1", _bessel_j, _FIRST.format(1), "0.0]))\ntensor([0.", n=1)
bessel_y0 = _bessel("bessel_y0", _bessel_y, _SECOND.format(0), "0.0]))\ntensor([-inf", n=0)
bessel_y1 = _bessel("bessel_y1", _bessel_y, _SECOND.format(1), "0.0]))\ntensor([-inf", n=1)
airy_ai = _bessel("airy_ai", _airy, "Airy function Ai.", "0.0]))\ntensor([0.3550", order=0)
