"""Reductions: sums, products, extremes, norms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample

inf, nan = np.inf, np.nan


def _axes(dim: Any) -> Any:
    """NumPy's axis for torch's dim."""
    return None if dim is None or dim == () else tuple(dim) if isinstance(dim, list | tuple) else dim


def _numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction of NumPy, called as torch calls it; 0-d arrays have a dim 0 there."""

    def reference(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return function(x, axis=None if x.ndim == 0 else _axes(dim), keepdims=keepdim)

    return reference


def _over_dims(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)),)),
        Sample((n((2, 3)), 0)),
        Sample((n((2, 3, 2)), (0, -1), True)),
        Sample((n(4), -1), {"keepdim": True}),
        Sample((n(()), 0)),
        Sample((n((2, 1)), ())),
    ]


def _sums(random: Random) -> list[Sample]:
    return [*_over_dims(random), Sample((np.zeros((0, 2)), 0)), Sample((np.zeros((0, 2)),))]


def _nans(random: Random) -> list[Sample]:
    holes = random.standard_normal((3, 3))
    holes[0, 1] = holes[2] = nan
    return [Sample((holes, 0), smooth=False), Sample((holes[:2], 1), smooth=False)]


def _products(random: Random) -> list[Sample]:
    n = random.standard_normal
    one, two = n((2, 4)), n((2, 4))
    one[0, 1] = two[0, 1] = two[0, 3] = 0
    rest = [Sample((n((2, 3)), 0)), Sample((n((2, 3)), 1, True)), Sample((n(()), 0)), Sample((n((2, 1, 2)),))]
    return [*rest, Sample((one, 1)), Sample((two, 1)), Sample((np.zeros(3),)), Sample((np.zeros((0, 2)), 0))]


def _edges(random: Random) -> list[Sample]:
    ties = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    holes = np.array([[1.0, nan, 3.0], [2.0, 0.0, 1.0]])
    return [Sample((edge, 1), smooth=False) for edge in (ties, holes, np.array([[inf, inf, 1.0], [-inf, 0.0, 2.0]]))]


def _with_empty(random: Random) -> list[Sample]:
    return [*_over_dims(random), Sample((np.zeros((0, 2)), 1))]


def _of_one_dim(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), 0)),
        Sample((n((2, 3, 2)), -2, True)),
        Sample((n(()), 0)),
        Sample((n(()), -1, True)),
        Sample((np.zeros((0, 2)), 1)),
    ]


def _select(best: Callable[..., Any]) -> Callable[..., Any]:
    """Values and first positions of an extreme."""

    def reference(x: Any, dim: int, keepdim: bool = False) -> Any:
        row = x if x.ndim else x[None]
        at = np.expand_dims(best(row, axis=dim), dim)
        both = np.take_along_axis(row, at, dim), at
        if x.ndim == 0:
            return tuple([v.reshape(()) for v in both])
        return both if keepdim else tuple([np.squeeze(v, dim) for v in both])

    return reference


def _positions(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal((2, 3)),)), Sample((random.standard_normal((2, 3)), None, True))] + [
        sample for sample in _of_one_dim(random) if sample.args[0].size
    ]


def _position(best: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return best(x, axis=None if x.ndim == 0 else dim, keepdims=keepdim and x.ndim > 0)

    return reference


def _truths(random: Random) -> list[Sample]:
    x = random.integers(0, 2, (2, 3, 2)).astype(float)
    return [
        Sample((x,)),
        Sample((x, 0)),
        Sample((x, (0, 2), True)),
        Sample((np.zeros((0, 2)), 0)),
        Sample((x > 0, 1)),
    ]


def _norms(order: float) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        n = random.standard_normal
        zero = n((3, 2))
        zero[1] = 0
        return [
            Sample((n((2, 3)), order)),
            Sample((n((2, 3)), order, 1, True)),
            Sample((n((2, 2, 2)), order, (0, 2))),
            Sample((n(()), order)),
            Sample((zero, order, 1), smooth=False),
        ]

    return samples


def _p_norm(x: Any, p: Any, dim: Any = None, keepdim: bool = False) -> Any:
    size, axis = np.abs(x), _axes(dim)
    if p == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdim).astype(size.dtype)
    if abs(p) == inf:
        return (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdim)
    return np.sum(size**p, axis=axis, keepdims=keepdim) ** (1 / p)


def _renorm(x: Any, p: float, dim: int, maxnorm: float) -> Any:
    others = tuple([d for d in range(x.ndim) if d != dim % x.ndim])
    size = _p_norm(x, p, others, True)
    return x * np.where(size > maxnorm, maxnorm / (size + 1e-7), 1.0)


def _renorms(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((3, 2)), 2.0, 0, 0.7)), Sample((n((2, 3, 2)), 1.0, -1, 3.0)), Sample((n((2, 2)), 3.0, 1, 9.0))]


def _distances(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), n(3))), Sample((n(3), n(3), 1.0)), Sample((n(3), n(3), 3.5))]


def _matrices(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal(shape),)) for shape in ((3, 3), (2, 3), (3, 2), (0, 2))]


_real = functools.partial(OpRecord, integer=True)
_any_number = functools.partial(OpRecord, complex=True, integer=True)

records = [
    _any_number("sum", _numpy(np.sum), _sums),
    _any_number("nansum", _numpy(np.nansum), _over_dims),
    OpRecord("nansum", _numpy(np.nansum), _nans, variant="nan", complex=True),
    OpRecord("mean", _numpy(np.mean), _over_dims, complex=True),
    OpRecord("nanmean", _numpy(np.nanmean), _over_dims, complex=True),
    OpRecord("nanmean", _numpy(np.nanmean), lambda r: _nans(r)[:1], variant="nan", complex=True),
    _any_number("prod", _numpy(np.prod), _products),
    _real("amax", _numpy(np.max), _with_empty),
    _real("amin", _numpy(np.min), _with_empty),
    OpRecord("amax", _numpy(np.max), _edges, variant="edges"),
    OpRecord("amin", _numpy(np.min), _edges, variant="edges"),
    _real("max", _numpy(np.max), lambda r: [Sample((r.standard_normal((2, 3)),)), Sample((r.standard_normal(()),))]),
    _real("min", _numpy(np.min), lambda r: [Sample((r.standard_normal((2, 3)),)), Sample((r.standard_normal(()),))]),
    _real("max", _select(np.argmax), _of_one_dim, variant="dim"),
    _real("min", _select(np.argmin), _of_one_dim, variant="dim"),
    _real(
        "max",
        np.maximum,
        lambda r: [Sample((r.standard_normal((2, 3)), r.standard_normal(3)))],
        variant="other",
    ),
    _real(
        "min",
        np.minimum,
        lambda r: [Sample((r.standard_normal((2, 3)), r.standard_normal(3)))],
        variant="other",
    ),
    _real(
        "aminmax",
        lambda x, *, dim=None, keepdim=False: (
            np.min(x, axis=dim, keepdims=keepdim),
            np.max(x, axis=dim, keepdims=keepdim),
        ),
        lambda r: [
            Sample((r.standard_normal((2, 3)),)),
            Sample((r.standard_normal((2, 3)),), {"dim": 1, "keepdim": True}),
        ],
    ),
    OpRecord("max", _select(np.argmax), _edges, variant="dim-edges"),
    OpRecord("min", _select(np.argmin), _edges, variant="dim-edges"),
    _real("argmax", _position(np.argmax), _positions, differentiable=False),
    _real("argmin", _position(np.argmin), _positions, differentiable=False),
    OpRecord("argmax", _position(np.argmax), _edges, variant="edges", differentiable=False),
    OpRecord("argmin", _position(np.argmin), _edges, variant="edges", differentiable=False),
    _any_number("any", _numpy(np.any), _truths, differentiable=False),
    _any_number("all", _numpy(np.all), _truths, differentiable=False),
    _any_number(
        "count_nonzero",
        lambda x, dim=None: np.sum(x != 0, axis=_axes(dim)),
        lambda r: [s for s in _truths(r) if len(s.args) < 3],
        differentiable=False,
    ),
    *[
        OpRecord("norm", _p_norm, _norms(order), variant=f"{order:g}", complex=True)
        for order in (2, 1, 3, 1.5, 0.5, -1, 4, inf, -inf)
    ],
    OpRecord("norm", _p_norm, _norms(0), variant="0", complex=True, differentiable=False),
    OpRecord(
        "norm",
        lambda x: _p_norm(x, 2),
        lambda r: [Sample((r.standard_normal((2, 3)),))],
        variant="default",
        complex=True,
    ),
    *[
        OpRecord("linalg.vector_norm", _p_norm, _norms(order), variant=f"order {order:g}", complex=True)
        for order in (2, 1, 3, inf)
    ],
    OpRecord("dist", lambda x, y, p=2: _p_norm(x - y, p), _distances, complex=True),
    OpRecord("renorm", _renorm, _renorms, complex=True, inplace=True),
    _any_number("trace", np.trace, _matrices),
]
