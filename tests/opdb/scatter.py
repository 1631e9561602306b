"""Gather, scatter and the `index_*` family; references write element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample

COMBINE: dict[str, Callable[[Any], Any]] = {
    "sum": np.sum,
    "prod": np.prod,
    "mean": np.mean,
    "amax": np.max,
    "amin": np.min,
}


def _targets(index: Any, dim: int) -> Any:
    """For each element of an index along `dim`, its place there and the place it points to."""
    for place in np.ndindex(index.shape):
        target = list(place)
        target[dim % index.ndim] = int(index[place])
        yield place, tuple(target)


def _gather(x: Any, dim: int, index: Any) -> Any:
    if x.ndim == 0:
        return np.broadcast_to(x, index.shape).copy()
    out = np.zeros(index.shape, x.dtype)
    for place, source in _targets(index, dim):
        out[place] = x[source]
    return out


def _scatter(x: Any, dim: int, index: Any, src: Any) -> Any:
    out = x.copy()
    for place, target in _targets(index, dim):
        out[target] = src[place] if isinstance(src, np.ndarray) else src
    return out


def _scatter_reduce(x: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    groups: dict[Any, list[Any]] = {}
    for place, target in _targets(index, dim):
        groups.setdefault(target, []).append(src[place])
    out = x.copy()
    for target, group in groups.items():
        combined = COMBINE[reduce]([x[target], *group] if include_self else group)
        out[target] = np.floor(combined) if x.dtype.kind == "i" else combined
    return out


def _gathers(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 4)), 1, random.integers(0, 4, (3, 2)))),
        Sample((n((3, 4)), 0, random.integers(0, 3, (5, 2)))),
        Sample((n((2, 3, 2)), -2, random.integers(0, 3, (1, 4, 2)))),
        Sample((n((3, 4)), 1, np.zeros((3, 0), np.int64))),
        Sample((n(()), 0, np.zeros((), np.int64))),
    ]


def _permutations(random: Random, shape: tuple[int, ...], dim: int) -> Any:
    return np.argsort(random.random(shape), axis=dim)


def _scatters(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 4)), 1, _permutations(random, (2, 4), 1), n((3, 5)))),
        Sample((n((3, 4)), 0, _permutations(random, (3, 2), 0), n((3, 2)))),
        Sample((n((3, 4)), -1, random.integers(0, 4, (3, 6)), 2.5)),
        Sample((n((3, 4)), 1, np.zeros((3, 0), np.int64), n((3, 0)))),
    ]


def _adds(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 4)), 1, random.integers(0, 4, (2, 6)), n((3, 6)))),
        Sample((n((3, 4)), 0, np.zeros((5, 2), np.int64), n((5, 2)))),
        Sample((n((3, 4)), 1, np.zeros((3, 0), np.int64), n((3, 0)))),
    ]


def _reduces(reduce: str) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        found = [
            Sample((*_apart(random, sample).args, reduce), {"include_self": i > 0})
            for i, sample in enumerate(_adds(random))
        ]
        found.append(
            Sample((random.standard_normal((2, 3)), 1, np.array([[1, 1, 1]]), np.array([[1.0, 0.0, 0.0]]), reduce))
        )
        ties = Sample((np.ones((2, 3)), 0, np.zeros((3, 2), np.int64), np.ones((3, 2)), reduce), smooth=False)
        whole = Sample((np.array([[4, -7, 1]]), 1, np.array([[0, 0, 1]]), np.array([[1, 2, 2]]), reduce))
        return [*found[:-1], ties, whole, *(found[-1:] if reduce == "prod" else [])]

    return samples


# ---- index_* ---------------------------------------------------------------------------------------------------------


def _index_write(combine: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def reference(x: Any, dim: int, index: Any, source: Any, **options: Any) -> Any:
        out = np.moveaxis(x.copy(), dim, 0)
        rows = np.moveaxis(source, dim, 0)
        for i, at in enumerate(index):
            out[at] = combine(out[at], rows[i], **options)
        return np.moveaxis(out, 0, dim)

    return reference


def _apart(random: Random, sample: Sample) -> Sample:
    """The sample with values far from ties: derivatives of extremes have kinks there."""
    x, dim, index, source = sample.args
    values = random.permutation(np.arange(1.0, x.size + source.size + 1)) / 7
    return Sample((values[: x.size].reshape(x.shape), dim, index, values[x.size :].reshape(source.shape)))


def _index_reduce(x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    shape = [1] * x.ndim
    shape[dim] = len(index)
    wide = np.broadcast_to(np.reshape(index, shape), source.shape)
    return _scatter_reduce(x, dim, wide, source, reduce, include_self=include_self)


def _rows(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((4, 3)), 0, np.array([2, 0, 2]), n((3, 3)))),
        Sample((n((2, 4, 2)), 1, np.array([3, 3]), n((2, 2, 2)))),
        Sample((n((2, 4)), -1, np.zeros(0, np.int64), n((2, 0)))),
    ]


def _row_reduces(reduce: str) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        return [
            Sample((*_apart(random, sample).args, reduce), {"include_self": i > 0})
            for i, sample in enumerate(_rows(random))
        ]

    return samples


def _row_copies(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((4, 3)), 0, np.array([2, 0, 3]), n((3, 3)))),
        Sample((n((2, 4)), -1, np.array([1]), n((2, 1)))),
        Sample((n((4, 2)), 0, np.array([2, 2]), n((2, 2)))),
    ]


def _row_fills(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((4, 3)), 0, np.array([2, -1]), 2.5)),
        Sample((n((2, 4)), 1, np.array([1, 1]), n(()))),
        Sample((n((2, 4)), 1, np.zeros(0, np.int64), 1.0)),
    ]


def _index_fill(x: Any, dim: int, index: Any, value: Any) -> Any:
    out = np.moveaxis(x.copy(), dim, 0)
    for at in index:
        out[at] = value
    return np.moveaxis(out, 0, dim)


def _selects(random: Random) -> list[Sample]:
    return [Sample(sample.args[:3]) for sample in _rows(random)]


# ---- flat positions --------------------------------------------------------------------------------------------------


def _takes(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), np.array([[0, -1], [5, 0]]))),
        Sample((n((2, 3)), np.zeros(0, np.int64))),
        Sample((n(()), np.array([0, 0]))),
    ]


def _puts(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), np.array([[0, -1], [3, 1]]), n((2, 2)))),
        Sample((n((2, 3)), np.array([1, 1, 4]), n(3), True)),
        Sample((n((2, 3)), np.array([1, 1, 4]), n(3))),
    ]


def _put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    out = x.ravel().copy()
    for at, value in zip(index.ravel(), source.ravel(), strict=True):
        out[at] = out[at] + value if accumulate else value
    return out.reshape(x.shape)


def _along(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 4)), random.integers(0, 4, (3, 2)), 1)),
        Sample((n((3, 4)), random.integers(0, 3, (2, 1)), 0)),
        Sample((n((3, 1)), random.integers(-3, 3, (2, 4)), 0)),
        Sample((n((2, 3)), np.array([5, 0]))),
    ]


def _take_along(x: Any, index: Any, dim: int | None = None) -> Any:
    if dim is None:
        return x.ravel()[index.ravel()]
    return np.take_along_axis(x, index, dim)


records = [
    OpRecord("gather", _gather, _gathers, complex=True, integer=True),
    OpRecord("scatter", _scatter, _scatters, complex=True, inplace=True),
    OpRecord(
        "scatter_add",
        lambda x, dim, index, src: _scatter_reduce(x, dim, index, src, "sum"),
        _adds,
        complex=True,
        integer=True,
        inplace=True,
    ),
    *[OpRecord("scatter_reduce", _scatter_reduce, _reduces(how), variant=how, inplace=True) for how in COMBINE],
    OpRecord("index_select", lambda x, dim, index: np.take(x, index, dim), _selects, complex=True, integer=True),
    OpRecord("index_add", _index_write(lambda old, new: old + new), _rows, complex=True, integer=True, inplace=True),
    OpRecord("index_copy", _index_write(lambda old, new: new), _row_copies, complex=True, integer=True, inplace=True),
    OpRecord("index_fill", _index_fill, _row_fills, complex=True, inplace=True),
    *[
        OpRecord("index_reduce", _index_reduce, _row_reduces(how), variant=how, inplace=True)
        for how in ("prod", "mean", "amax", "amin")
    ],
    OpRecord("take", lambda x, index: x.ravel()[index], _takes, complex=True, integer=True),
    OpRecord("put", _put, _puts, complex=True, integer=True, inplace=True),
    OpRecord("take_along_dim", _take_along, _along, complex=True, integer=True),
]
