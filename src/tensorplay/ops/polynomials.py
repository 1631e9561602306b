"""Orthogonal polynomials of integer degree, by their recurrences; derivatives are polynomials of a related family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops.arithmetic import add, mul, sub
from tensorplay.ops.operands import check_broadcast, inexact_arrays, only, parametric
from tensorplay.ops.rounding import trunc

Step = Callable[[int, Any, Any, Any], Any]  # (k, x, P_k, P_k-1) -> P_k+1


def _by_recurrence(first: Callable[[Any], Any], step: Step, x: Any, n: Any) -> Any:
    """P_n of a sequence that starts 1, first(x): each element picks its own degree; zero for a negative one."""
    x, n = np.broadcast_arrays(x, n)
    before, now = np.ones_like(x), np.asarray(first(x)).astype(x.dtype)
    out = np.where(n == 0, before, np.where(n == 1, now, 0)).astype(x.dtype)
    for k in range(1, int(np.max(n, initial=0))):
        before, now = now, step(k, x, now, before).astype(x.dtype)
        out = np.where(n == k + 1, now, out)
    return out


def _gegenbauer_impl(x: Any, n: Any, twice: int) -> Any:
    a = twice / 2
    return _by_recurrence(
        lambda x: 2 * a * x,
        lambda k, x, now, before: (2 * (k + a) * x * now - (k + 2 * a - 1) * before) / (k + 1),
        x,
        n,
    )


# Gegenbauer polynomials with parameter twice/2: of the second Chebyshev kind for 1, of Legendre for 1/2.
_gegenbauer: Primitive = parametric(
    "gegenbauer",
    _gegenbauer_impl,
    [lambda _out, x, n, twice: mul(_gegenbauer(x, sub(n, 1), twice=twice + 2), twice), None],
)


def _chebyshev_impl(x: Any, n: Any) -> Any:
    return _by_recurrence(lambda x: x, lambda k, x, now, before: 2 * x * now - before, x, n)


_chebyshev = parametric(
    "chebyshev_polynomial_t", _chebyshev_impl, [lambda _out, x, n: mul(n, _gegenbauer(x, sub(n, 1), twice=2)), None]
)


def _hermite_impl(x: Any, n: Any, scale: int) -> Any:
    return _by_recurrence(lambda x: scale * x, lambda k, x, now, before: scale * (x * now - k * before), x, n)


# Hermite polynomials of the physicists (scale 2) and of the probabilists (scale 1).
_hermite: Primitive = parametric(
    "hermite_polynomial",
    _hermite_impl,
    [lambda _out, x, n, scale: mul(mul(n, scale), _hermite(x, sub(n, 1), scale=scale)), None],
)


def _laguerre_impl(x: Any, n: Any, order: int) -> Any:
    return _by_recurrence(
        lambda x: 1 + order - x,
        lambda k, x, now, before: ((2 * k + 1 + order - x) * now - (k + order) * before) / (k + 1),
        x,
        n,
    )


_laguerre: Primitive = parametric(
    "laguerre_polynomial",
    _laguerre_impl,
    [lambda _out, x, n, order: mul(_laguerre(x, sub(n, 1), order=order + 1), -1), None],
)

# ---- public ----------------------------------------------------------------------------------------------------------


def _polynomial(
    name: str, compute: Callable[[Value, Value], Value], summary: str, value: str
) -> Callable[[Value, Value], Value]:
    shifted = name.startswith("shifted_")

    def op(input: Value, n: Value) -> Value:
        input, n = inexact_arrays(name, input, n)
        only("f", name, input)
        check_broadcast(name, input, n)
        return compute(sub(mul(input, 2), 1) if shifted else input, trunc(n))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = _DOC.format(summary=summary + (", at ``2 * input - 1``." if shifted else "."), name=name, value=value)
    return op


_DOC = """
    {summary}

    Parameters
    ----------
    input : Tensor or number
        Where to evaluate.
    n : Tensor or number
        Degree, rounded towards zero; broadcasts against `input`. The polynomial of a negative degree is zero.

    Returns
    -------
    Tensor
        In the broadcast shape; floating-point.

    Examples
    --------
    >>> tp.special.{name}(tp.tensor([0.5]), 2)
    tensor([{value}])
    """


def _chebyshev_u(x: Value, n: Value) -> Value:
    return _gegenbauer(x, n, twice=2)


def _chebyshev_v(x: Value, n: Value) -> Value:
    return sub(_chebyshev_u(x, n), _chebyshev_u(x, sub(n, 1)))


def _chebyshev_w(x: Value, n: Value) -> Value:
    return add(_chebyshev_u(x, n), _chebyshev_u(x, sub(n, 1)))


_KIND = "Chebyshev polynomial of the {} kind"
chebyshev_polynomial_t = _polynomial("chebyshev_polynomial_t", _chebyshev, _KIND.format("first"), "-0.5000")
chebyshev_polynomial_u = _polynomial("chebyshev_polynomial_u", _chebyshev_u, _KIND.format("second"), "0.")
chebyshev_polynomial_v = _polynomial("chebyshev_polynomial_v", _chebyshev_v, _KIND.format("third"), "-1.")
chebyshev_polynomial_w = _polynomial("chebyshev_polynomial_w", _chebyshev_w, _KIND.format("fourth"), "1.")
shifted_chebyshev_polynomial_t = _polynomial("shifted_chebyshev_polynomial_t", _chebyshev, _KIND.format("first"), "-1.")
shifted_chebyshev_polynomial_u = _polynomial(
    "shifted_chebyshev_polynomial_u", _chebyshev_u, _KIND.format("second"), "-1."
)
shifted_chebyshev_polynomial_v = _polynomial(
    "shifted_chebyshev_polynomial_v", _chebyshev_v, _KIND.format("third"), "-1."
)
shifted_chebyshev_polynomial_w = _polynomial(
    "shifted_chebyshev_polynomial_w", _chebyshev_w, _KIND.format("fourth"), "-1."
)
hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h", lambda x, n: _hermite(x, n, scale=2), "Hermite polynomial of the physicists", "-1."
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he", lambda x, n: _hermite(x, n, scale=1), "Hermite polynomial of the probabilists", "-0.7500"
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l", lambda x, n: _laguerre(x, n, order=0), "Laguerre polynomial", "0.1250"
)
legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p", lambda x, n: _gegenbauer(x, n, twice=1), "Legendre polynomial", "-0.1250"
)
