"""Short-time Fourier transforms: spectra of windows that slide over a signal, and the signal of such spectra."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tensorplay.core.value import Shape, Value, ground
from tensorplay.dtypes import from_numpy_dtype, real_dtype
from tensorplay.ops.arithmetic import div, mul
from tensorplay.ops.bits import as_real
from tensorplay.ops.families import expand, reshape
from tensorplay.ops.fourier import from_half, inexact, to_half, whole
from tensorplay.ops.padding import pad
from tensorplay.ops.promotion import cast
from tensorplay.ops.reducing import whole as whole_number
from tensorplay.ops.shape import embed, slice_dim
from tensorplay.ops.windows import Windows, overlap_add, windows

SMALLEST_ENVELOPE = 1e-11  # what overlapping windows must at least add up to, everywhere


class Frames(NamedTuple):
    """Length of the transforms, from one to the next, and length of the window in the middle of each."""

    n_fft: int
    hop: int
    window: int

    def over(self, count: int) -> Windows:
        """`count` frames that slide over the last dim."""
        return Windows((self.n_fft,), (self.hop,), (1,), (0,), (count,))

    @property
    def margins(self) -> tuple[int, int]:
        """How many points of a frame lie before the window, and how many behind."""
        before = (self.n_fft - self.window) // 2
        return before, self.n_fft - self.window - before


def _frames(name: str, n_fft: int, hop_length: int | None, win_length: int | None) -> Frames:
    n = whole_number(n_fft, name, "n_fft")
    hop = n // 4 if hop_length is None else whole_number(hop_length, name, "hop_length")
    length = n if win_length is None else whole_number(win_length, name, "win_length")
    if n < 1:
        raise RuntimeError(f"{name}(): n_fft must be positive, got {n}")
    if hop < 1:
        raise RuntimeError(f"{name}(): hop_length (n_fft // 4 unless given) must be positive, got {hop}")
    if not 0 < length <= n:
        raise RuntimeError(f"{name}(): win_length must be between 1 and n_fft={n}, got {length}")
    return Frames(n, hop, length)


def _taper(name: str, window: Value, frames: Frames, like: Value) -> Value:
    """The window as a column of `n_fft` factors, zero outside of it."""
    if window is None:
        window = np.ones(frames.window, real_dtype(like.dtype))
    if window.shape != (frames.window,):
        raise RuntimeError(
            f"{name}(): window must have one dim of size win_length={frames.window}, got shape {list(window.shape)}"
        )
    if window.dtype.kind not in "fc":
        window = cast(window, real_dtype(like.dtype))
    before, behind = frames.margins
    if before or behind:
        window = embed(window, shape=(frames.n_fft,), key=(slice(before, before + frames.window),))
    return reshape(window, shape=(frames.n_fft, 1))


def _norm(normalized: bool) -> str:
    return "ortho" if normalized else "backward"


# ---- forward ---------------------------------------------------------------------------------------------------------


def stft(
    input: Value,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Value = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Value:
    """
    Spectra of windows that slide over a signal.

    Parameters
    ----------
    input : Tensor
        Shape ``[time]`` or ``[batch, time]``, floating-point or complex.
    n_fft : int
        Length of a frame, of which the spectrum is taken.
    hop_length : int, optional
        From the start of one frame to the next; by default ``n_fft // 4``.
    win_length : int, optional
        Length of the window in the middle of each frame; by default `n_fft`.
    window : Tensor, optional
        Factors, of shape ``[win_length]``; by default ones.
    center : bool, default True
        Whether frame t is centred at ``t * hop_length``, for which the signal is padded, rather than starts there.
    pad_mode : str, default "reflect"
        How `tensorplay.nn.functional.pad` pads.
    normalized : bool, default False
        Whether to divide by ``sqrt(n_fft)``.
    onesided : bool, optional
        Whether to keep frequencies 0 to ``n_fft // 2`` only; by default if signal and window are real.
    return_complex : bool, optional
        Whether the result is complex, rather than real with a last dim of size 2. Needed for real signals.
    align_to_window : bool, optional
        Without `center`: whether the first window, rather than the first frame, starts where the signal does.

    Returns
    -------
    Tensor
        Shape ``[frequency, frame]`` or ``[batch, frequency, frame]``.

    Raises
    ------
    RuntimeError
        If shapes, dtypes or lengths do not fit, or arguments exclude each other.

    Examples
    --------
    >>> tp.stft(tp.ones(8), 4, 2, center=False, return_complex=True).abs()
    tensor([[4., 4., 4.],
            [0., 0., 0.],
            [0., 0., 0.]])
    """
    _check_signal(input)
    frames = _frames("stft", n_fft, hop_length, win_length)
    taper = _taper("stft", window, frames, input)
    is_real = input.dtype.kind == taper.dtype.kind == "f"
    if return_complex is None and is_real:
        raise RuntimeError("stft(): return_complex must be given for a real signal; use return_complex=True")
    half = is_real if onesided is None else onesided
    if half and not is_real:
        raise RuntimeError("stft(): onesided=True is for real signals and windows; one of them is complex")
    signals = _extended(input, frames, center, pad_mode, align_to_window)
    parts = mul(windows(signals, w=frames.over(_count(signals.shape, frames))), taper)  # [batch, n_fft, frames]
    norm = _norm(normalized)
    out = to_half(parts, dims=(1,), norm=norm) if half else whole(parts, dims=(1,), inverse=False, norm=norm)
    out = reshape(out, shape=(*input.shape[:-1], *out.shape[1:]))
    return as_real(out) if return_complex is False else out


def _check_signal(input: Value) -> None:
    if input.dtype.kind not in "fc":
        raise RuntimeError(f"stft(): expected a floating-point or complex signal, got {from_numpy_dtype(input.dtype)}")
    inexact("stft", input)
    if input.ndim not in (1, 2):
        raise RuntimeError(f"stft(): expected a signal of shape [time] or [batch, time], got {list(input.shape)}")


def _extended(input: Value, frames: Frames, center: bool, pad_mode: str, align_to_window: bool | None) -> Value:
    """Signals [batch, time] with what the first and the last frames read beyond their ends."""
    signals = input if input.ndim == 2 else reshape(input, shape=(1, *input.shape))
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft(): align_to_window is for center=False")
        side = frames.n_fft // 2
        if pad_mode == "reflect" and side >= signals.shape[1]:
            raise RuntimeError(
                f"stft(): a signal of {signals.shape[1]} points cannot be reflected by n_fft // 2 = {side} points at "
                f"its ends; use a shorter n_fft, another pad_mode or center=False"
            )
        return pad(signals, (side, side), pad_mode)
    return pad(signals, frames.margins) if align_to_window else signals


def _count(shape: Shape, frames: Frames) -> int:
    """How many frames there are in signals of a shape."""
    if frames.n_fft > shape[1]:
        raise RuntimeError(f"stft(): n_fft={frames.n_fft} is longer than the signal, which has {shape[1]} points")
    return (shape[1] - frames.n_fft) // frames.hop + 1


# ---- inverse ---------------------------------------------------------------------------------------------------------


def istft(
    input: Value,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Value = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Value:
    """
    Signal of spectra of windows that slide over it: the least-squares inverse of `stft`.

    Parameters
    ----------
    input : Tensor
        Complex, of shape ``[frequency, frame]`` or ``[batch, frequency, frame]``.
    n_fft, hop_length, win_length, window, center, normalized
        As for `stft`; a hop must not be longer than the window.
    onesided : bool, optional
        Whether there are only frequencies 0 to ``n_fft // 2``; by default if there are not `n_fft`.
    length : int, optional
        Length of the signal, which is cut off or filled up with zeros; by default as long as the frames reach.
    return_complex : bool, default False
        Whether the signal is complex.

    Returns
    -------
    Tensor
        Shape ``[time]`` or ``[batch, time]``.

    Raises
    ------
    RuntimeError
        If shapes, dtypes or lengths do not fit, arguments exclude each other, or the windows, squared and overlapped,
        add up to zero somewhere.

    Notes
    -----
    The frames, multiplied by the window once more, are added where they came from, and divided by the sum of the
    squared windows there (Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984).

    Examples
    --------
    >>> spectra = tp.stft(tp.tensor([1.0, 2.0, 3.0, 4.0]), 2, 1, return_complex=True)
    >>> tp.istft(spectra, 2, 1)
    tensor([1., 2., 3., 4.])
    """
    _check_spectra(input)
    frames = _frames("istft", n_fft, hop_length, win_length)
    if frames.hop > frames.window:
        raise RuntimeError(f"istft(): hop_length={frames.hop} must not be longer than win_length={frames.window}")
    half = _is_half(input, frames.n_fft, onesided)
    taper = _taper("istft", window, frames, input)
    _check_complex(return_complex, half, taper)
    spectra = input if input.ndim == 3 else reshape(input, shape=(1, *input.shape))
    parts = mul(_parts(spectra, frames.n_fft, half, return_complex, _norm(normalized)), taper)  # [batch, n_fft, frames]
    count = parts.shape[2]
    start, stop, end = _range(frames, count, center, length)
    summed = _overlapped(parts, frames, start, stop)
    squares = expand(mul(taper, taper), shape=(frames.n_fft, count))
    envelope = _overlapped(squares, frames, start, stop)
    _check_envelope(envelope)
    out = div(summed, envelope)
    if end > stop:
        out = embed(out, shape=(out.shape[0], end - start), key=(slice(None), slice(0, stop - start)))
    return reshape(out, shape=(*input.shape[:-2], out.shape[1]))


def _check_spectra(input: Value) -> None:
    if input.dtype.kind != "c":
        raise RuntimeError(
            f"istft(): expected complex spectra, as stft with return_complex=True gives them, got "
            f"{from_numpy_dtype(input.dtype)}"
        )
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            f"istft(): expected spectra of shape [frequency, frame] or [batch, frequency, frame], none empty, got "
            f"{list(input.shape)}"
        )


def _is_half(input: Value, n_fft: int, onesided: bool | None) -> bool:
    have = input.shape[-2]
    half = have != n_fft if onesided is None else bool(onesided)
    need = n_fft // 2 + 1 if half else n_fft
    if have != need:
        raise RuntimeError(
            f"istft(): with n_fft={n_fft} and onesided={onesided}, expected {need} frequencies, got spectra of shape "
            f"{list(input.shape)}"
        )
    return half


def _check_complex(return_complex: bool, half: bool, taper: Value) -> None:
    if return_complex and half:
        raise RuntimeError("istft(): a complex signal needs all n_fft frequencies; this is a onesided spectrum")
    if not return_complex and taper.dtype.kind == "c":
        raise RuntimeError("istft(): a complex window needs return_complex=True")


def _parts(spectra: Value, n_fft: int, half: bool, return_complex: bool, norm: str) -> Value:
    """Spectra [batch, frequency, frame] as pieces of signals [batch, n_fft, frame]."""
    if return_complex:
        return whole(spectra, dims=(1,), inverse=True, norm=norm)
    kept = spectra if half else slice_dim(spectra, 1, 0, n_fft // 2 + 1)
    return from_half(kept, dims=(1,), n=n_fft, norm=norm)


def _range(frames: Frames, count: int, center: bool, length: int | None) -> tuple[int, int, int]:
    """Where in the overlapped frames the signal starts, where the frames stop, and where the signal ends."""
    total = frames.n_fft + frames.hop * (count - 1)
    side = frames.n_fft // 2 if center else 0
    if length is None:
        return side, total - side, total - side
    wanted = whole_number(length, "istft", "length")
    if wanted < 0:
        raise RuntimeError(f"istft(): length must not be negative, got {wanted}")
    return side, min(side + wanted, total), side + wanted


def _overlapped(parts: Value, frames: Frames, start: int, stop: int) -> Value:
    """Frames [..., n_fft, frame] added where they come from, from `start` to `stop`."""
    count = parts.shape[-1]
    total = frames.n_fft + frames.hop * (count - 1)
    summed = overlap_add(parts, w=frames.over(count), spatial=(total,))
    return slice_dim(summed, summed.ndim - 1, start, stop)


def _check_envelope(envelope: Value) -> None:
    sizes = np.abs(ground(envelope))
    if sizes.size and not sizes.min() > SMALLEST_ENVELOPE:
        raise RuntimeError(
            f"istft(): the squared windows add up to {sizes.min():.3g} somewhere, too little to divide by; "
            f"use a shorter hop_length, another window, or center=True"
        )
