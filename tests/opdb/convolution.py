"""Convolutions against loops over output positions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def _each(value: Any, count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


def _convolve(
    x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    nd = w.ndim - 2
    if x.ndim == nd + 1:
        return _convolve(x[None], w, b, stride, padding, dilation, groups)[0]
    kernel, steps, gaps = w.shape[2:], _each(stride, nd), _each(dilation, nd)
    spread = [g * (k - 1) for g, k in zip(gaps, kernel, strict=True)]
    if padding == "same":
        around = [(s // 2, s - s // 2) for s in spread]
    else:
        around = [(p, p) for p in _each(0 if padding == "valid" else padding, nd)]
    x = np.pad(x, [(0, 0), (0, 0), *around])
    size = [(n - s - 1) // t + 1 for n, s, t in zip(x.shape[2:], spread, steps, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *size), np.result_type(x, w))
    wide, per_group = w.shape[0] // groups, w.shape[1]
    for o in range(w.shape[0]):
        first = o // wide * per_group
        for place in itertools.product(*map(range, size)):
            at = [slice(p * t, p * t + s + 1, g) for p, t, s, g in zip(place, steps, spread, gaps, strict=True)]
            block = x[(slice(None), slice(first, first + per_group), *at)]
            out[(slice(None), o, *place)] = (block * w[o]).sum(axis=tuple(range(1, nd + 2)))
    return out if b is None else out + b.reshape(-1, *(1,) * nd)


def _transposed(
    x: Any,
    w: Any,
    b: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    nd = w.ndim - 2
    if x.ndim == nd + 1:
        return _transposed(x[None], w, b, stride, padding, output_padding, groups, dilation)[0]
    kernel, steps, gaps = w.shape[2:], _each(stride, nd), _each(dilation, nd)
    crop, extra = _each(padding, nd), _each(output_padding, nd)
    full = [
        (n - 1) * t + g * (k - 1) + 1 + e for n, t, g, k, e in zip(x.shape[2:], steps, gaps, kernel, extra, strict=True)
    ]
    out = np.zeros((x.shape[0], w.shape[1] * groups, *full), np.result_type(x, w))
    for c in range(x.shape[1]):
        first = c // (x.shape[1] // groups) * w.shape[1]
        for place in itertools.product(*map(range, x.shape[2:])):
            at = [
                slice(p * t, p * t + g * (k - 1) + 1, g) for p, t, g, k in zip(place, steps, gaps, kernel, strict=True)
            ]
            value = x[(slice(None), c, *place)].reshape(-1, *(1,) * (nd + 1))
            out[(slice(None), slice(first, first + w.shape[1]), *at)] += value * w[c]
    out = out[(..., *[slice(p, f - p) for p, f in zip(crop, full, strict=True)])]
    return out if b is None else out + b.reshape(-1, *(1,) * nd)


def _samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        n = random.standard_normal
        size = (4, 3, 3)[:nd]
        return [
            Sample((n((2, 2, *size)), n((3, 2, *(2,) * nd)), n(3))),
            Sample((n((2, *size)), n((2, 1, *(2,) * nd))), {"groups": 2, "padding": 1, "stride": 2}),
            Sample((n((1, 1, *size)), n((2, 1, *(2,) * nd))), {"dilation": 2}),
            Sample((n((1, 2, *size)), n((2, 2, *(1,) * nd)), n(2)), {"stride": 2}),
            Sample((n((1, 1, *size)), n((1, 1, *(2,) * nd))), {"padding": "same"}),
            Sample((np.zeros((0, 2, *size)), n((3, 2, *(2,) * nd)))),
        ]

    return samples


def _transposed_samples(nd: int) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        n = random.standard_normal
        size = (3, 2, 2)[:nd]
        return [
            Sample((n((2, 2, *size)), n((2, 3, *(2,) * nd)), n(3))),
            Sample(
                (n((2, *size)), n((2, 1, *(2,) * nd))), {"groups": 2, "padding": 1, "stride": 2, "output_padding": 1}
            ),
            Sample((n((1, 1, *size)), n((1, 2, *(2,) * nd))), {"dilation": 2}),
        ]

    return samples


def _unfold(x: Any, kernel: Any, dilation: int = 1, padding: int = 0, stride: int = 1) -> Any:
    n, c, i, j = *x.shape[:2], *kernel
    eye = np.eye(c * i * j).reshape(c * i * j, c, i, j)
    return _convolve(x, eye, None, stride, padding, dilation).reshape(n, c * i * j, -1)


def _unfold_samples(random: Random) -> list[Sample]:
    return [
        Sample((random.standard_normal((2, 2, 3, 4)), (2, 3))),
        Sample((random.standard_normal((1, 1, 4, 3)), (2, 2)), {"dilation": 2, "padding": 1, "stride": 2}),
    ]


def _fold(x: Any, size: Any, kernel: Any, padding: int = 0) -> Any:
    n, rows, _ = x.shape
    c = rows // (kernel[0] * kernel[1])
    padded = [s + 2 * padding for s in size]
    counts = [p - k + 1 for p, k in zip(padded, kernel, strict=True)]
    blocks = x.reshape(n, c, *kernel, *counts)
    out = np.zeros((n, c, *padded))
    for a, b in itertools.product(*map(range, counts)):
        out[:, :, a : a + kernel[0], b : b + kernel[1]] += blocks[..., a, b]
    return out[:, :, padding : padded[0] - padding, padding : padded[1] - padding]


def _fold_samples(random: Random) -> list[Sample]:
    return [
        Sample((random.standard_normal((2, 4, 6)), (3, 4), (2, 2))),
        Sample((random.standard_normal((1, 4, 12)), (2, 3), (2, 2)), {"padding": 1}),
    ]


records = [
    *[
        OpRecord(f"nn.functional.conv{nd}d", _convolve, _samples(nd), complex=True, method=False, rtol=1e-6)
        for nd in (1, 2, 3)
    ],
    *[
        OpRecord(f"nn.functional.conv_transpose{nd}d", _transposed, _transposed_samples(nd), method=False, rtol=1e-6)
        for nd in (1, 2, 3)
    ],
    OpRecord("nn.functional.unfold", _unfold, _unfold_samples, method=False),
    OpRecord("nn.functional.fold", _fold, _fold_samples, method=False),
]
