"""Positions, orders, distinct elements, and elements by position."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorplay as tp
from tensorplay.array_api.elementwise import common
from tensorplay.numpy_protocol.calling import mapped


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    return tp.where(condition, *common(x1, x2))


def nonzero(x: Any, /) -> Any:
    if not x.ndim:
        raise ValueError("nonzero(): a tensor without dims has no positions; expected at least one dim")
    return tp.nonzero(x, as_tuple=True)


def searchsorted(x1: Any, x2: Any, /, *, side: Any = "left", sorter: Any = None) -> Any:
    return tp.searchsorted(*common(x1, x2), side=side, sorter=sorter)


def take(x: Any, indices: Any, /, *, axis: Any = None) -> Any:
    return mapped["take"](x, indices, axis)


def take_along_axis(x: Any, indices: Any, /, *, axis: Any = -1) -> Any:
    return mapped["take_along_axis"](x, indices, axis)


def sort(x: Any, /, *, axis: Any = -1, descending: Any = False, stable: Any = True) -> Any:
    return tp.sort(x, dim=axis, descending=descending, stable=stable).values


def argsort(x: Any, /, *, axis: Any = -1, descending: Any = False, stable: Any = True) -> Any:
    return tp.argsort(x, dim=axis, descending=descending, stable=stable)


# ---- distinct elements -----------------------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """Distinct elements, where each is first, which of them each element is, and how often."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Distinct elements, and how often each occurs."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Distinct elements, and which of them each element is."""

    values: Any
    inverse_indices: Any


def _unique(x: Any) -> Any:
    return tp.unique(x.reshape(-1), return_inverse=True, return_counts=True)


def unique_values(x: Any, /) -> Any:
    return _unique(x)[0]


def unique_counts(x: Any, /) -> Any:
    values, _, counts = _unique(x)
    return UniqueCounts(values, counts)


def unique_inverse(x: Any, /) -> Any:
    values, inverse, _ = _unique(x)
    return UniqueInverse(values, inverse.reshape(x.shape))


def unique_all(x: Any, /) -> Any:
    values, inverse, counts = _unique(x)
    by_value = tp.argsort(inverse, stable=True)  # equal elements stand together, the first of them first
    return UniqueAll(values, by_value[tp.cumsum(counts, 0) - counts], inverse.reshape(x.shape), counts)
