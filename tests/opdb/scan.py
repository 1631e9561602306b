"""Cumulative functions, differences and integrals along a dim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from .record import OpRecord, Random, Sample

inf, nan = np.inf, np.nan


def _along(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), 0)),
        Sample((n((2, 3, 2)), -2)),
        Sample((n(5), 0)),
        Sample((n(()), 0)),
        Sample((np.zeros((2, 0)), 1)),
    ]


def _with_zeros(random: Random) -> list[Sample]:
    x = random.standard_normal((2, 5))
    x[0, 1] = x[1, 0] = x[1, 3] = 0
    return [*_along(random), Sample((x, 1)), Sample((x[1], 0))]


def _with_ties(random: Random) -> list[Sample]:
    edge = np.array([[1.0, 1.0, 3.0, 3.0], [2.0, nan, 5.0, nan]])
    return [*_along(random), Sample((edge, 1), smooth=False)]


def _with_infinities(random: Random) -> list[Sample]:
    edge = np.array([[-inf, -inf, 1.0, 2.0], [3.0, -inf, 900.0, -900.0]])
    return [*_along(random), Sample((edge, 1), smooth=False)]


def _accumulated(ufunc: np.ufunc) -> Callable[[Any, int], Any]:
    def reference(x: Any, dim: int) -> Any:
        return ufunc.accumulate(x, axis=dim) if x.ndim else x

    return reference


def _extreme(better: Callable[[Any, Any], bool]) -> Callable[[Any, int], Any]:
    """Values and latest positions, found element by element."""

    def reference(x: Any, dim: int) -> Any:
        row = np.moveaxis(x if x.ndim else x[None], dim, -1)
        values, places = row.copy(), np.zeros(row.shape, np.int64)
        for at in np.ndindex(row.shape[:-1]):
            best = 0
            for k in range(row.shape[-1]):
                if np.isnan(row[at][k]) or (not np.isnan(row[at][best]) and better(row[at][k], row[at][best])):
                    best = k
                values[at][k], places[at][k] = row[at][best], best
        back = [np.moveaxis(v, -1, dim).reshape(x.shape) for v in (values, places)]
        return back[0], back[1]

    return reference


def _logcumsumexp(x: Any, dim: int) -> Any:
    if x.dtype.kind == "c":
        return np.log(np.cumsum(np.exp(x), axis=dim)) if x.ndim else x
    return np.logaddexp.accumulate(x, axis=dim) if x.ndim else x


def _differences(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n(4),)),
        Sample((n((2, 4)), 2, -1)),
        Sample((n((3, 2)), 1, 0, n((1, 2)), n((2, 2)))),
        Sample((n(3), 0)),
        Sample((n(3), 5)),
    ]


def _diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [part for part in (prepend, x, append) if part is not None]
    return np.diff(np.concatenate(parts, axis=dim), n=n, axis=dim)


def _heights(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n(4),)),
        Sample((n((2, 4)),), {"dx": 0.5}),
        Sample((n((3, 2)),), {"dim": 0}),
        Sample((n((2, 4)), n(4))),
        Sample((n((2, 4)), n((2, 4)))),
        Sample((n((3, 2)), n(3)), {"dim": 0}),
    ]


def _trapezoid(y: Any, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    return scipy.integrate.trapezoid(y, x, dx, dim)


def _cumulative(y: Any, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    return scipy.integrate.cumulative_trapezoid(y, x, dx, dim)


def _gradients(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n(5),)),
        Sample((n((3, 4)),), {"spacing": 0.5}),
        Sample((n((3, 4)),), {"spacing": [0.5, 2.0], "edge_order": 2}),
        Sample((n((3, 4)),), {"dim": 1, "edge_order": 2}),
        Sample((n((3, 3)),), {"spacing": np.array([0.0, 1.0, 3.0]), "dim": 1}),
        Sample((n((3, 3)),), {"spacing": np.array([0.0, 1.0, 3.0]), "dim": 0, "edge_order": 2}),
        Sample((n(2),)),
    ]


def _gradient(x: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    given = spacing if isinstance(spacing, list | tuple) else [spacing]
    out = np.gradient(x, *given, axis=dim, edge_order=edge_order)
    return tuple(out) if isinstance(out, list | tuple) else (out,)


records = [
    OpRecord("cumsum", _accumulated(np.add), _along, complex=True, integer=True, inplace=True),
    OpRecord("cumprod", _accumulated(np.multiply), _with_zeros, complex=True, integer=True, inplace=True),
    OpRecord("cummax", _extreme(lambda a, b: bool(a >= b)), _with_ties),
    OpRecord("cummin", _extreme(lambda a, b: bool(a <= b)), _with_ties),
    OpRecord("logcumsumexp", _logcumsumexp, _with_infinities),
    OpRecord(
        "logcumsumexp",
        _logcumsumexp,
        lambda r: [Sample((0.3 * r.standard_normal((2, 3)), 1))],
        variant="complex",
        complex=True,
    ),
    OpRecord("diff", _diff, _differences, complex=True, integer=True),
    OpRecord("trapezoid", _trapezoid, _heights, complex=True, integer=True, method=False),
    OpRecord("trapz", _trapezoid, _heights, method=False),
    OpRecord("cumulative_trapezoid", _cumulative, _heights, complex=True, integer=True, method=False),
    OpRecord("gradient", _gradient, _gradients, complex=True, integer=True, method=False),
]
