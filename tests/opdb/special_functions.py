"""Special functions and orthogonal polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from tests.opdb.elementwise import points, unary
from tests.opdb.record import OpRecord, Random, Sample


def _special(name: str, reference: Callable[..., Any], low: float, high: float, **flags: Any) -> OpRecord:
    return OpRecord(f"special.{name}", reference, points(low, high), **flags)


def _degrees(random: Random) -> list[Sample]:
    x = random.uniform(-0.9, 0.9, (2, 5))
    return [Sample((x, np.arange(5))), Sample((x, 3)), Sample((x[:, :1], np.array([0, 1, 7])))]


def _polynomial(name: str, reference: Callable[..., Any]) -> OpRecord:
    def at(x: Any, n: Any) -> Any:
        return reference(n, x)

    return OpRecord(f"special.{name}", at, _degrees)


def _third_kind(n: Any, x: Any) -> Any:
    return np.cos((n + 0.5) * np.arccos(x)) / np.cos(np.arccos(x) / 2)


def _fourth_kind(n: Any, x: Any) -> Any:
    return np.sin((n + 0.5) * np.arccos(x)) / np.sin(np.arccos(x) / 2)


def _shifted_degrees(random: Random) -> list[Sample]:
    return [Sample((random.uniform(0.1, 0.9, (2, 5)), np.arange(5)))]


def _shifted_polynomial(name: str, reference: Callable[..., Any]) -> OpRecord:
    return OpRecord(f"special.shifted_{name}", lambda x, n: reference(n, 2 * x - 1), _shifted_degrees)


def _second_argument(low: float, high: float, first: np.ndarray[Any, Any]) -> Callable[[Random], list[Sample]]:
    """Integer first arguments: the derivative with respect to them is not known."""
    return lambda random: [Sample((first, random.uniform(low, high, (2, 3))))]


PARAMETERS = np.array([1, 2, 4])

gamma = [
    unary("lgamma", special.gammaln, points(0.5, 4, edges=(0.0, -1.0))),
    unary("digamma", special.digamma, points(0.5, 4), integer=False),
    OpRecord(
        "polygamma", special.polygamma, lambda r: [Sample((n, r.uniform(0.5, 3, 3))) for n in (0, 1, 3)], method=False
    ),
    OpRecord(
        "mvlgamma",
        lambda x, p: p * (p - 1) / 4 * np.log(np.pi) + sum(special.gammaln(x - i / 2) for i in range(p)),
        points(2, 4, 3),
        inplace=True,
    ),
    OpRecord("igamma", special.gammainc, _second_argument(0.5, 3, PARAMETERS)),
    OpRecord("igammac", special.gammaincc, _second_argument(0.5, 3, PARAMETERS)),
    OpRecord("special.zeta", special.zeta, _second_argument(0.5, 3, PARAMETERS + 1)),
]

errors = [
    unary("erf", special.erf, points(-2, 2)),
    unary("erfc", special.erfc, points(-2, 2)),
    unary("erfinv", special.erfinv, points(-0.9, 0.9, edges=(1.0, -1.0, 2.0)), integer=False),
    _special("erfcx", special.erfcx, -1, 3),
    _special("ndtr", special.ndtr, -2, 2),
    _special("ndtri", special.ndtri, 0.1, 0.9),
    _special("log_ndtr", special.log_ndtr, -3, 3),
    _special("entr", special.entr, 0.2, 2),
]

bessel = [
    unary("i0", special.i0, points(-2, 2)),
    _special("i0e", special.i0e, 0.3, 3),
    _special("i1", special.i1, -2, 2),
    _special("i1e", special.i1e, 0.3, 3),
    _special("modified_bessel_i0", special.i0, -2, 2),
    _special("modified_bessel_i1", special.i1, -2, 2),
    _special("modified_bessel_k0", special.k0, 0.5, 3),
    _special("modified_bessel_k1", special.k1, 0.5, 3),
    _special("scaled_modified_bessel_k0", special.k0e, 0.5, 3),
    _special("scaled_modified_bessel_k1", special.k1e, 0.5, 3),
    _special("bessel_j0", special.j0, -4, 4),
    _special("bessel_j1", special.j1, -4, 4),
    _special("bessel_y0", special.y0, 0.5, 4),
    _special("bessel_y1", special.y1, 0.5, 4),
    _special("spherical_bessel_j0", lambda x: np.sin(x) / x, -4, 4),
    _special("airy_ai", lambda x: special.airy(x)[0], -3, 2),
]

polynomials = [
    _polynomial("chebyshev_polynomial_t", special.eval_chebyt),
    _polynomial("chebyshev_polynomial_u", special.eval_chebyu),
    _polynomial("chebyshev_polynomial_v", _third_kind),
    _polynomial("chebyshev_polynomial_w", _fourth_kind),
    _polynomial("hermite_polynomial_h", special.eval_hermite),
    _polynomial("hermite_polynomial_he", special.eval_hermitenorm),
    _polynomial("laguerre_polynomial_l", special.eval_laguerre),
    _polynomial("legendre_polynomial_p", special.eval_legendre),
    _shifted_polynomial("chebyshev_polynomial_t", special.eval_chebyt),
    _shifted_polynomial("chebyshev_polynomial_u", special.eval_chebyu),
    _shifted_polynomial("chebyshev_polynomial_v", _third_kind),
    _shifted_polynomial("chebyshev_polynomial_w", _fourth_kind),
]

records = [*gamma, *errors, *bessel, *polynomials]
