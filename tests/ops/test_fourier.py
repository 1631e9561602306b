"""Fourier transforms: what their arguments may be, and inverses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp

x = tp.arange(12.0).reshape(3, 4)
z = x + 1j
window = tp.ones(4)

REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no points": (lambda: tp.fft.fft(x, 0), RuntimeError, r"fft\(\).*0 points along dim 1"),
    "no points in the input": (lambda: tp.fft.fftn(tp.zeros(0, 2)), RuntimeError, "at least one point"),
    "one frequency": (lambda: tp.fft.irfft(x[:, :1]), RuntimeError, r"irfft\(\).*0 points"),
    "complex input": (lambda: tp.fft.rfft(z), RuntimeError, "expected a real tensor"),
    "half precision": (lambda: tp.fft.fft(x.half()), RuntimeError, "float16"),
    "0-d": (lambda: tp.fft.fft(tp.tensor(1.0)), IndexError, "0-d"),
    "dim out of range": (lambda: tp.fft.fft(x, dim=2), IndexError, "out of range"),
    "norm": (lambda: tp.fft.fft(x, norm="both"), RuntimeError, "'both'"),
    "type of norm": (lambda: tp.fft.fft(x, norm=1), TypeError, "norm must be a str"),  # type: ignore[arg-type]
    "type of n": (lambda: tp.fft.fft(x, 4.0), TypeError, "n must be an int"),  # type: ignore[arg-type]
    "dims twice": (lambda: tp.fft.fft2(x, dim=(0, 0)), RuntimeError, "must differ"),
    "lengths": (lambda: tp.fft.fftn(x, s=(2,), dim=(0, 1)), RuntimeError, "same length"),
    "too many sizes": (lambda: tp.fft.fftn(x, s=(2, 2, 2)), RuntimeError, "more entries"),
    "no dims": (lambda: tp.fft.rfftn(x, dim=()), RuntimeError, "at least one dim"),
    "integers": (lambda: tp.fft.fftfreq(4, dtype=tp.int64), RuntimeError, "dtype"),
    "negative": (lambda: tp.fft.rfftfreq(-1), RuntimeError, "negative"),
    "return_complex": (lambda: tp.stft(x, 4), RuntimeError, "return_complex"),
    "onesided": (lambda: tp.stft(z, 4, onesided=True), RuntimeError, "onesided"),
    "window": (lambda: tp.stft(z, 4, 1, 3, window), RuntimeError, r"win_length=3, got shape \[4\]"),
    "long window": (lambda: tp.stft(z, 4, 1, 5), RuntimeError, "between 1 and n_fft=4"),
    "long frame": (lambda: tp.stft(z, 5, center=False), RuntimeError, "longer than the signal"),
    "reflection": (lambda: tp.stft(z, 8), RuntimeError, "cannot be reflected"),
    "alignment": (lambda: tp.stft(z, 4, align_to_window=True), RuntimeError, "center=False"),
    "real spectra": (lambda: tp.istft(x, 4), RuntimeError, "complex"),
    "frequencies": (lambda: tp.istft(z, 8), RuntimeError, "expected 5 frequencies"),
    "windows apart": (lambda: tp.istft(z, 4, 4, window=tp.hann_window(4)), RuntimeError, "add up to 0"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_arguments_that_do_not_fit_are_refused(what: str) -> None:
    call, error, message = REFUSED[what]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_inverses(n: int, norm: str) -> None:
    signal = np.random.default_rng(n).standard_normal((2, n))
    for there, back in (("fft", "ifft"), ("rfft", "irfft"), ("ihfft", "hfft")):
        spectrum = getattr(tp.fft, there)(tp.tensor(signal), norm=norm)
        again = getattr(tp.fft, back)(spectrum, n, norm=norm).real
        np.testing.assert_allclose(again.numpy(), signal, atol=1e-12)


def test_short_time_inverse_under_a_mapped_window() -> None:
    signal = tp.tensor(np.random.default_rng(0).standard_normal((2, 16)))
    windows = tp.rand(3, 8, dtype=tp.float64) + 0.5

    def there_and_back(w: Any) -> Any:
        return tp.istft(tp.stft(signal, 8, window=w, return_complex=True), 8, window=w)

    again = tp.func.vmap(there_and_back)(windows)
    np.testing.assert_allclose(again.numpy(), np.broadcast_to(signal.numpy(), (3, 2, 16)), atol=1e-12)


def test_imaginary_parts_that_a_real_signal_cannot_have_are_ignored() -> None:
    spectrum = np.array([1 + 2j, 3 + 4j, 5 + 6j])
    np.testing.assert_allclose(tp.fft.irfft(tp.tensor(spectrum)).numpy(), np.fft.irfft([1, 3 + 4j, 5]))
    ct = tp.tensor(np.arange(4.0))
    (pulled,) = tp.func.vjp(tp.fft.irfft, tp.tensor(spectrum))[1](ct)
    assert pulled.imag.numpy()[[0, 2]].tolist() == [0, 0]
