"""Fourier transforms of torch's top level; `tensorplay.fft` holds the others."""

from __future__ import annotations

from tensorplay.ops import spectrogram
from tensorplay.tensor.lift import lift

__all__ = ["istft", "stft"]

stft = lift(spectrogram.stft)
istft = lift(spectrogram.istft)
