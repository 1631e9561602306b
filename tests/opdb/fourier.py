"""Fourier transforms against NumPy's, and short-time ones against a loop over frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample

# ---- one dim, and several --------------------------------------------------------------------------------------------


def _one(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n(5),)),
        Sample((n((2, 4)),), {"norm": "ortho"}),
        Sample((n((4, 2)), 3, 0, "forward")),
        Sample((n((2, 3)), 6)),
        Sample((n((2, 3)), 5, -1, "backward")),
        Sample((n((3, 2)),), {"n": 1, "dim": -2}),
        Sample((n((0, 3)),)),
    ]


def _several(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)),)),
        Sample((n((2, 3, 2)),), {"norm": "ortho"}),
        Sample((n((4, 2)), (3, 4), (1, 0), "forward")),
        Sample((n((2, 3)), (-1, 2))),
        Sample((n((2, 2, 3)),), {"s": (3, 5), "dim": (0, -1)}),
        Sample((n((3, 3)),), {"dim": (0,)}),
    ]


def _any(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [*_several(random), Sample((n((2, 2, 3)), (4,))), Sample((n((3, 2)),), {"dim": 0})]


def _numpys(name: str) -> Callable[..., Any]:
    """NumPy's function of one dim."""
    return lambda x, n=None, dim=-1, norm=None: getattr(np.fft, name)(x, n, dim, norm)


def _dims(x: Any, s: Any, dim: Any) -> list[int]:
    if dim is None:
        return list(range(-(x.ndim if s is None else len(s)), 0))
    return [dim] if isinstance(dim, int) else list(dim)


def _in_turn(last: str, others: str, last_first: bool, default: Any) -> Callable[..., Any]:
    """Several dims, one after the other: the last one with one function, the others with another."""

    def reference(x: Any, s: Any = None, dim: Any = default, norm: Any = None) -> Any:
        dims = _dims(x, s, dim)
        points = [None] * len(dims) if s is None else [None if n == -1 else n for n in s]
        steps = [(others, n, d) for n, d in zip(points, dims, strict=True)]
        steps[-1] = (last, *steps[-1][1:])
        for name, n, d in steps[::-1] if last_first else steps:
            x = getattr(np.fft, name)(x, n, d, norm)
        return x

    return reference


# ---- short time ------------------------------------------------------------------------------------------------------


def _spectra_samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    window = random.random(4) + 0.5
    made = {"return_complex": True}
    return [
        Sample((n(9), 4, 2, None, window), made),
        Sample((n((2, 7)), 5, 2, 4, window), {**made, "normalized": True, "pad_mode": "constant"}),
        Sample((n((2, 7)), 4), {**made, "center": False, "onesided": False}),
        Sample((n(8), 7, 1, 4, window), {**made, "center": False, "align_to_window": True}),
        Sample((n(6), 4, 3), {"return_complex": False}),
    ]


def _placed(window: Any, n_fft: int, win_length: int) -> Any:
    placed = np.zeros(n_fft, float if window is None else window.dtype)
    before = (n_fft - win_length) // 2
    placed[before : before + win_length] = 1 if window is None else window
    return placed


def _stft(
    x: Any,
    n_fft: int,
    hop: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: Any = None,
    return_complex: Any = None,
    align_to_window: Any = None,
) -> Any:
    hop, win_length = hop or n_fft // 4, win_length or n_fft
    taper = _placed(window, n_fft, win_length)
    before = (n_fft - win_length) // 2
    ends = (n_fft // 2,) * 2 if center else (before, n_fft - win_length - before) if align_to_window else (0, 0)
    x = np.pad(x, [*[(0, 0)] * (x.ndim - 1), ends], pad_mode if center else "constant")
    starts = range(0, x.shape[-1] - n_fft + 1, hop)
    half = not np.iscomplexobj(x * taper[0]) if onesided is None else onesided
    transform = np.fft.rfft if half else np.fft.fft
    norm = "ortho" if normalized else None
    out = np.stack([transform(x[..., t : t + n_fft] * taper, norm=norm) for t in starts], -1)
    return np.stack([out.real, out.imag], -1) if return_complex is False else out


def _signal_samples(random: Random) -> list[Sample]:
    def spectra(*shape: int) -> Any:
        return random.standard_normal(shape) + 1j * random.standard_normal(shape)

    window = random.random(4) + 0.5
    return [
        Sample((spectra(3, 4), 4, 2, None, window)),
        Sample((spectra(2, 3, 3), 5, 2, 4, window), {"normalized": True, "length": 3}),
        Sample((spectra(4, 3), 4, 2, None, window), {"center": False, "length": 10}),
        Sample((spectra(2, 4, 2), 4, 1), {"return_complex": True}),
        Sample((spectra(3, 1), 4), {"length": 0}),
    ]


def _istft(
    x: Any,
    n_fft: int,
    hop: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: Any = None,
    length: Any = None,
    return_complex: bool = False,
) -> Any:
    hop = hop or n_fft // 4
    taper = _placed(window, n_fft, win_length or n_fft)
    norm = "ortho" if normalized else None
    total = n_fft + hop * (x.shape[-1] - 1)
    out = np.zeros((*x.shape[:-2], total), complex if return_complex else float)
    envelope = np.zeros(total)
    for t in range(x.shape[-1]):
        frame = x[..., t]
        if return_complex:
            part = np.fft.ifft(frame, norm=norm)
        else:
            part = np.fft.irfft(frame[..., : n_fft // 2 + 1], n_fft, norm=norm)
        out[..., t * hop : t * hop + n_fft] += part * taper
        envelope[t * hop : t * hop + n_fft] += taper**2
    side = n_fft // 2 if center else 0
    stop = total - side if length is None else side + length
    kept = out[..., side:stop] / envelope[side:stop]
    missing = stop - side - kept.shape[-1]
    return np.pad(kept, [*[(0, 0)] * (kept.ndim - 1), (0, missing)])


# ---- frequencies -----------------------------------------------------------------------------------------------------


def _arrangements(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 4)),)),
        Sample((n((3, 4)), 1)),
        Sample((n((3, 2, 5)), (0, -1))),
        Sample((n(()),)),
        Sample((n((2, 0)),)),
    ]


def _rearranged(numpys: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim=None: numpys(x, dim) if x.ndim else x


def _of_several(base: str, last: str, others: str, last_first: bool, is_complex: bool) -> list[OpRecord]:
    """The records of a transform of two dims and of any."""
    return [
        OpRecord(
            f"fft.{base}{suffix}",
            _in_turn(last, others, last_first, default),
            samples,
            complex=is_complex,
            method=False,
            integer=True,
        )
        for suffix, samples, default in (("2", _several, (-2, -1)), ("n", _any, None))
    ]


records = [
    *[
        OpRecord(
            f"fft.{name}",
            _numpys(name),
            _one,
            complex=name not in ("rfft", "ihfft"),
            method=False,
            integer=True,
        )
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    ],
    *_of_several("fft", "fft", "fft", False, True),
    *_of_several("ifft", "ifft", "ifft", False, True),
    *_of_several("rfft", "rfft", "fft", True, False),
    *_of_several("irfft", "irfft", "ifft", False, True),
    *_of_several("hfft", "hfft", "fft", False, True),
    *_of_several("ihfft", "ihfft", "ifft", True, False),
    OpRecord("fft.fftshift", _rearranged(np.fft.fftshift), _arrangements, complex=True, method=False),
    OpRecord("fft.ifftshift", _rearranged(np.fft.ifftshift), _arrangements, complex=True, method=False),
    OpRecord("fft.fftfreq", np.fft.fftfreq, lambda _: [Sample((n, 0.5)) for n in (1, 4, 5)], method=False, rtol=1e-6),
    OpRecord("fft.rfftfreq", np.fft.rfftfreq, lambda _: [Sample((n, 2)) for n in (1, 4, 5)], method=False, rtol=1e-6),
    OpRecord("stft", _stft, _spectra_samples),
    OpRecord("istft", _istft, _signal_samples),
]
