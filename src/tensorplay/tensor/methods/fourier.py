"""Fourier transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import fourier as functions
from tensorplay.tensor.handle import Handle

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class FourierMethods(Handle):
    """Fourier transforms."""

    def stft(
        self,
        n_fft: int,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Any = None,
        center: bool = True,
        pad_mode: str = "reflect",
        normalized: bool = False,
        onesided: bool | None = None,
        return_complex: bool | None = None,
        align_to_window: bool | None = None,
    ) -> Tensor:
        """Spectra of windows that slide over a signal; see `tensorplay.stft`."""
        return functions.stft(
            self,
            n_fft,
            hop_length,
            win_length,
            window,
            center,
            pad_mode,
            normalized,
            onesided,
            return_complex,
            align_to_window,
        )

    def istft(
        self,
        n_fft: int,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Any = None,
        center: bool = True,
        normalized: bool = False,
        onesided: bool | None = None,
        length: int | None = None,
        return_complex: bool = False,
    ) -> Tensor:
        """Signal of spectra of windows that slide over it; see `tensorplay.istft`."""
        return functions.istft(
            self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex
        )
