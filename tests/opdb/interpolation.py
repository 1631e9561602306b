"""Resizing, grids, and the rearrangement of pixels and channels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def _matrix(length: int, count: int, mode: str, align: bool) -> Any:
    """Weights [count, length] of one dim."""
    weights = np.zeros((count, length))
    for i in range(count):
        if mode == "nearest":
            weights[i, i * length // count] = 1
            continue
        place = i * (length - 1) / max(count - 1, 1) if align else (i + 0.5) * length / count - 0.5
        if mode == "bicubic":
            low = math.floor(place)
            for j in range(low - 1, low + 3):
                weights[i, min(max(j, 0), length - 1)] += _keys(place - j)
            continue
        place = min(max(place, 0), length - 1)
        for j in (math.floor(place), math.floor(place) + 1):
            if abs(place - j) < 1:
                weights[i, min(j, length - 1)] += 1 - abs(place - j)
    return weights


def _keys(x: float, a: float = -0.75) -> float:
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a


def _resize(x: Any, size: Any, mode: str = "nearest", align_corners: bool = False) -> Any:
    for d, count in enumerate(size):
        weights = _matrix(x.shape[d + 2], count, mode, align_corners)
        x = np.moveaxis(np.tensordot(weights, x, (1, d + 2)), 0, d + 2)
    return x


def _resize_samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((1, 2, 3)), (5,))),
        Sample((n((1, 1, 3)), (5,)), {"mode": "linear"}),
        Sample((n((1, 1, 2, 3)), (3, 2)), {"mode": "bilinear"}),
        Sample((n((1, 1, 2, 3)), (3, 5)), {"mode": "bilinear", "align_corners": True}),
        Sample((n((1, 1, 3, 2)), (4, 4)), {"mode": "bicubic"}),
        Sample((n((1, 1, 2, 2, 2)), (3, 2, 3)), {"mode": "trilinear"}),
    ]


def _upsample(x: Any, size: Any, scale: Any = None, mode: str = "nearest") -> Any:
    return _resize(x, [n * scale for n in x.shape[2:]] if size is None else size, mode)


def _upsample_aligned(x: Any, size: Any, scale: Any = None) -> Any:
    return _resize(x, [n * scale for n in x.shape[2:]] if size is None else size, "bilinear", True)


def _upsamples(*mode: str) -> Any:
    def samples(random: Random) -> list[Sample]:
        n = random.standard_normal
        return [Sample((n((1, 2, 2, 3)), (3, 5), None, *mode)), Sample((n((1, 1, 2, 2)), None, 2, *mode))]

    return samples


def _sample(x: Any, grid: Any, align_corners: bool = False) -> Any:
    spatial = x.shape[2:]
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for n, *at in np.ndindex(grid.shape[:-1]):
        place = [
            (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
            for g, size in zip(grid[(n, *at)][::-1], spatial, strict=True)
        ]
        for pixel in np.ndindex(spatial):
            weight = math.prod([max(1 - abs(p - q), 0) for p, q in zip(place, pixel, strict=True)])
            out[(n, slice(None), *at)] += weight * x[(n, slice(None), *pixel)]
    return out


def _grids(random: Random) -> list[Sample]:
    grid = random.uniform(-1.1, 1.1, (1, 2, 2, 2))
    x = random.standard_normal((1, 2, 3, 2))
    return [Sample((x, grid), {"align_corners": align}) for align in (False, True)]


def _by_number(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    return _sample(x, grid, align_corners)


def _volumes(random: Random) -> list[Sample]:
    grid = random.uniform(-1.1, 1.1, (1, 1, 2, 1, 3))
    x = random.standard_normal((1, 1, 2, 3, 2))
    return [Sample((x, grid, 0, 0, align)) for align in (False, True)]


def _affine(theta: Any, size: Any, align_corners: bool = False) -> Any:
    out = np.zeros((size[0], *size[2:], 2))
    for n, i, j in np.ndindex(out.shape[:3]):
        ends = [s - 1 if align_corners else s for s in size[2:]]
        shift = 0 if align_corners else 0.5
        y, x = [2 * (p + shift) / e - 1 for p, e in zip((i, j), ends, strict=True)]
        out[n, i, j] = theta[n] @ np.array([x, y, 1.0])
    return out


def _affine_samples(random: Random) -> list[Sample]:
    theta = random.standard_normal((2, 2, 3))
    return [Sample((theta, (2, 1, 2, 3)), {"align_corners": align}) for align in (False, True)]


def _shuffle(x: Any, r: int) -> Any:
    *lead, c, h, w = x.shape
    out = np.zeros((*lead, c // (r * r), h * r, w * r))
    for k in range(c):
        out[..., k // (r * r), k // r % r :: r, k % r :: r] = x[..., k, :, :]
    return out


def _unshuffle(x: Any, r: int) -> Any:
    return np.concatenate(
        [x[..., c : c + 1, i::r, j::r] for c in range(x.shape[-3]) for i in range(r) for j in range(r)], axis=-3
    )


def _channels(x: Any, groups: int) -> Any:
    size = x.shape[1] // groups
    return x[:, [g * size + i for i in range(size) for g in range(groups)]]


def _one(*args: Any) -> Any:
    return lambda random: [Sample((random.standard_normal(args[0]), *args[1:]))]


records = [
    OpRecord("nn.functional.interpolate", _resize, _resize_samples, method=False),
    OpRecord("nn.functional.upsample", _upsample, _upsamples("bilinear"), method=False),
    OpRecord("nn.functional.upsample_nearest", _upsample, _upsamples(), method=False),
    OpRecord("nn.functional.upsample_bilinear", _upsample_aligned, _upsamples(), method=False),
    OpRecord("nn.functional.grid_sample", _sample, _grids, method=False, rtol=1e-6),
    *[
        OpRecord(
            name,
            _by_number,
            lambda r: [Sample((*s.args, 0, 0, s.kwargs["align_corners"])) for s in _grids(r)],
            method=False,
            rtol=1e-6,
        )
        for name in ("grid_sampler", "grid_sampler_2d")
    ],
    OpRecord("grid_sampler_3d", _by_number, _volumes, method=False, rtol=1e-6),
    OpRecord("nn.functional.affine_grid", _affine, _affine_samples, method=False),
    OpRecord("nn.functional.pixel_shuffle", _shuffle, _one((1, 4, 2, 1), 2), method=False),
    OpRecord("nn.functional.pixel_unshuffle", _unshuffle, _one((1, 2, 2, 4), 2), method=False),
    OpRecord("nn.functional.channel_shuffle", _channels, _one((1, 4, 2), 2), method=False),
]
