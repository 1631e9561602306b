"""Pooling against loops over windows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def _each(value: Any, count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


def _pooled(x: Any, nd: int, bounds: Any, reduce: Callable[[Any], Any]) -> Any:
    """`reduce` over the last `nd` dims of windows given by (start, stop, step) along each dim."""
    out = np.zeros((*x.shape[: x.ndim - nd], *[len(b) for b in bounds]))
    for place in itertools.product(*[range(len(b)) for b in bounds]):
        window = x[(..., *[slice(*b[p]) for b, p in zip(bounds, place, strict=True)])]
        out[(..., *place)] = reduce(window)
    return out


def _bounds(length: int, k: int, s: int, p: int, d: int, ceil: bool) -> list[tuple[int, int, int]]:
    room = length + 2 * p - d * (k - 1) - 1
    count = (math.ceil(room / s) if ceil else room // s) + 1
    starts = [i * s for i in range(count) if not (ceil and i * s >= length + p)]
    return [(start, start + d * (k - 1) + 1, d) for start in starts]


def _maximum(nd: int) -> Callable[..., Any]:
    def reference(
        x: Any, kernel: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        k, p, d = _each(kernel, nd), _each(padding, nd), _each(dilation, nd)
        s = k if stride is None else _each(stride, nd)
        spatial = x.shape[x.ndim - nd :]
        bounds = [_bounds(*each, ceil_mode) for each in zip(spatial, k, s, p, d, strict=True)]
        around = [(0, 0)] * (x.ndim - nd) + [(q, q + 9) for q in p]
        padded = np.pad(x, around, constant_values=-np.inf)
        return _pooled(padded, nd, bounds, lambda window: window.max(axis=tuple(range(-nd, 0))))

    return reference


def _average(nd: int) -> Callable[..., Any]:
    def reference(x: Any, kernel: Any, stride: Any = None, padding: Any = 0, count_include_pad: bool = True) -> Any:
        k, p = _each(kernel, nd), _each(padding, nd)
        s = k if stride is None else _each(stride, nd)
        spatial = x.shape[x.ndim - nd :]
        bounds = [_bounds(*each, 1, False) for each in zip(spatial, k, s, p, strict=True)]
        around = [(0, 0)] * (x.ndim - nd) + [(q, q) for q in p]
        dims = tuple(range(-nd, 0))
        ones = np.ones(x.shape) if not count_include_pad else None
        total = _pooled(np.pad(x, around), nd, bounds, lambda window: window.sum(axis=dims))
        if ones is None:
            return total / math.prod(k)
        return total / _pooled(np.pad(ones, around), nd, bounds, lambda window: window.sum(axis=dims))

    return reference


def _adaptive(nd: int, reduce: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Any, size: Any) -> Any:
        spatial = x.shape[x.ndim - nd :]
        bounds = [
            [(i * n // m, math.ceil((i + 1) * n / m), 1) for i in range(m)]
            for n, m in zip(spatial, _each(size, nd), strict=True)
        ]
        return _pooled(x, nd, bounds, lambda window: reduce(window, axis=tuple(range(-nd, 0))))

    return reference


def _distinct(random: Random, shape: tuple[int, ...]) -> Any:
    return random.permutation(math.prod(shape)).reshape(shape) / 3.0


def _maximum_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        size = (5, 4, 3)[:nd]
        return [
            Sample((_distinct(random, (2, 1, *size)), 2)),
            Sample((_distinct(random, (1, *size)), 3), {"stride": 2, "padding": 1, "ceil_mode": True}),
            Sample((_distinct(random, (1, 1, *size)), 2), {"stride": 1, "dilation": 2}),
            Sample((np.full((1, 1, *size), -np.inf), 2), {"padding": 1}, smooth=False),
            Sample((np.zeros((0, 1, *size)), 2)),
        ]

    return samples


def _average_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        n, size = random.standard_normal, (5, 4, 3)[:nd]
        return [
            Sample((n((2, 1, *size)), 2)),
            Sample((n((1, *size)), 3), {"stride": 1, "padding": 1}),
            Sample((n((1, 1, *size)), 3), {"stride": 2, "padding": 1, "count_include_pad": False}),
        ]

    return samples


def _adaptive_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        return [
            Sample((_distinct(random, (2, 1, *(4, 2, 2)[:nd])), 2)),
            Sample((_distinct(random, (1, *(5, 3, 2)[:nd])), (3, 2, 1)[:nd])),
        ]

    return samples


def _norm(nd: int) -> Callable[..., Any]:
    def reference(x: Any, p: float, kernel: int) -> Any:
        bounds = [_bounds(n, kernel, kernel, 0, 1, False) for n in x.shape[x.ndim - nd :]]
        return _pooled(x**p, nd, bounds, lambda window: window.sum(axis=tuple(range(-nd, 0)))) ** (1 / p)

    return reference


def _norm_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        n, size = random.standard_normal, (4, 3, 2)[:nd]
        return [Sample((n((1, 2, *size)), 2.0, 2)), Sample((np.abs(n((2, *size))), 3.0, 2))]

    return samples


def _unpool(nd: int) -> Callable[..., Any]:
    def reference(x: Any, index: Any, kernel: int) -> Any:
        lead, spatial = x.shape[: x.ndim - nd], x.shape[x.ndim - nd :]
        out = np.zeros((*lead, math.prod(spatial) * kernel**nd))
        np.put_along_axis(out, index.reshape(*lead, -1), x.reshape(*lead, -1), axis=-1)
        return out.reshape(*lead, *[n * kernel for n in spatial])

    return reference


def _unpool_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        shape = (1, 2, *(2, 2, 1)[:nd])
        x, places = random.standard_normal(shape), 2**nd * math.prod(shape[2:])
        index = np.stack([random.permutation(places)[: math.prod(shape[2:])] for _ in range(2)]).reshape(shape)
        again = np.array(index)
        again[0, 0].flat[1] = again[0, 0].flat[0]
        return [Sample((x, index, 2)), Sample((x, again, 2))]

    return samples


def _interval(u: float, length: int, kernel: int, count: int) -> list[int]:
    """Where `count` windows start: steps of almost equal size, shifted by a random number (Graham, 2014)."""
    step = (length - kernel) / (count - 1) if count > 1 else 0.0
    return [int((i + u) * step) - int(u * step) for i in range(count - 1)] + [length - kernel]


def _fractional(nd: int) -> Callable[..., Any]:
    def reference(x: Any, kernel: int, size: Any, ratio: Any, indices: bool, samples: Any) -> Any:
        out = np.zeros((*x.shape[:2], *size))
        for n, c in np.ndindex(x.shape[:2]):
            numbers = samples[n, c][::-1] if nd == 2 else samples[n, c]
            bounds = [
                [(start, start + kernel, 1) for start in _interval(u, length, kernel, count)]
                for u, length, count in zip(numbers, x.shape[2:], size, strict=True)
            ]
            out[n, c] = _pooled(x[n, c], nd, bounds, np.max)
        return out

    return reference


def _fractional_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        x = _distinct(random, (1, 2, *(6, 5, 4)[:nd]))
        size = (3, 2, 1)[:nd]
        return [Sample((x, 2, size, None, False, random.random((1, 2, nd))))]

    return samples


def _record(name: str, reference: Any, samples: Any) -> OpRecord:
    return OpRecord(f"nn.functional.{name}", reference, samples, method=False)


records = [
    *[_record(f"max_pool{nd}d", _maximum(nd), _maximum_samples(nd)) for nd in (1, 2, 3)],
    *[_record(f"avg_pool{nd}d", _average(nd), _average_samples(nd)) for nd in (1, 2, 3)],
    *[_record(f"adaptive_max_pool{nd}d", _adaptive(nd, np.max), _adaptive_samples(nd)) for nd in (1, 2, 3)],
    *[_record(f"adaptive_avg_pool{nd}d", _adaptive(nd, np.mean), _adaptive_samples(nd)) for nd in (1, 2, 3)],
    *[_record(f"lp_pool{nd}d", _norm(nd), _norm_samples(nd)) for nd in (1, 2, 3)],
    *[_record(f"max_unpool{nd}d", _unpool(nd), _unpool_samples(nd)) for nd in (1, 2, 3)],
    *[_record(f"fractional_max_pool{nd}d", _fractional(nd), _fractional_samples(nd)) for nd in (2, 3)],
]
