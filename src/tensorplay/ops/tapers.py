"""Windows of signal processing: vectors that taper a signal towards its ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype, default_float


def _positions(size: int, sym: bool, name: str) -> tuple[Any, int]:
    """Numbers of the points, and the period on which they lie: a periodic window is a symmetric one less a point."""
    if size < 0:
        raise ValueError(f"{name}(): the length must be non-negative, got {size}")
    return np.arange(size, dtype=np.float64), size - 1 if sym or size == 1 else size


def _finished(values: Any, dtype: NumpyDtype | None, name: str) -> Value:
    dtype = dtype or default_float()
    if dtype.kind != "f":
        raise ValueError(f"{name}(): expected a floating-point dtype, got {dtype}")
    return values.astype(dtype)


def _cosines(size: int, a: Sequence[float], sym: bool, dtype: NumpyDtype | None, name: str) -> Value:
    """Sum of cosines with coefficients of alternating sign; a single point is one."""
    if len(a) == 0:
        raise ValueError(f"{name}(): expected at least one coefficient, got none")
    n, period = _positions(size, sym, name)
    if size == 1:
        return _finished(np.ones(1), dtype, name)
    angles = 2 * np.pi * n / max(period, 1)
    return _finished(sum([(-1) ** k * c * np.cos(k * angles) for k, c in enumerate(a)]), dtype, name)


def bartlett(M: int, *, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The triangular window, zero at both ends.

    Parameters
    ----------
    M : int
        Number of points.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.bartlett(3)
    tensor([0., 1., 0.])
    """
    n, period = _positions(M, sym, "bartlett")
    values = 1 - np.abs(2 * n / period - 1) if period > 0 and M > 1 else np.ones(M)
    return _finished(values, dtype, "bartlett")


def blackman(M: int, *, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The Blackman window, three cosine terms.

    Parameters
    ----------
    M : int
        Number of points.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.blackman(3)[1]
    tensor(1.)
    """
    return _cosines(M, (0.42, 0.5, 0.08), sym, dtype, "blackman")


def hamming(M: int, *, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The Hamming window, a raised cosine that does not reach zero.

    Parameters
    ----------
    M : int
        Number of points.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.hamming(3)
    tensor([0.0800, 1.0000, 0.0800])
    """
    return _cosines(M, (0.54, 0.46), sym, dtype, "hamming")


def hann(M: int, *, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The Hann window, a raised cosine.

    Parameters
    ----------
    M : int
        Number of points.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _cosines(M, (0.5, 0.5), sym, dtype, "hann")


def nuttall(M: int, *, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The minimum 4-term Blackman-Harris window by Nuttall.

    Parameters
    ----------
    M : int
        Number of points.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.nuttall(3)
    tensor([3.6280e-04, 1.0000e+00, 3.6280e-04])
    """
    return _cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym, dtype, "nuttall")


def cosine(M: int, *, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    Half a period of a sine.

    Parameters
    ----------
    M : int
        Number of points.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.cosine(2)
    tensor([0.7071, 0.7071])
    """
    n, period = _positions(M, sym, "cosine")
    return _finished(np.sin(np.pi * (n + 0.5) / max(period + 1, 1)), dtype, "cosine")


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: NumpyDtype | None = None
) -> Value:
    """
    Exponential decay from a centre to both sides.

    Parameters
    ----------
    M : int
        Number of points.
    center : float, optional
        Position of the largest value, for windows that are not symmetric; by default the middle.
    tau : float, default 1
        Distance over which the window falls by a factor of e.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point, `tau` is not positive, or `center` is given for a
        symmetric window.

    Examples
    --------
    >>> tp.signal.windows.exponential(3)
    tensor([0.3679, 1.0000, 0.3679])
    """
    n, period = _positions(M, sym, "exponential")
    if tau <= 0:
        raise ValueError(f"exponential(): tau must be positive, got {tau}")
    if sym and center is not None:
        raise ValueError(f"exponential(): a symmetric window has its own centre; got center={center}")
    middle = period / 2 if center is None else center
    return _finished(np.exp(-np.abs(n - middle) / tau), dtype, "exponential")


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The normal density, one at its centre.

    Parameters
    ----------
    M : int
        Number of points.
    std : float, default 1
        Standard deviation.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point, or `std` is not positive.

    Examples
    --------
    >>> tp.signal.windows.gaussian(3)
    tensor([0.6065, 1.0000, 0.6065])
    """
    n, period = _positions(M, sym, "gaussian")
    if std <= 0:
        raise ValueError(f"gaussian(): std must be positive, got {std}")
    return _finished(np.exp(-0.5 * ((n - period / 2) / std) ** 2), dtype, "gaussian")


def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    A sum of cosines.

    Parameters
    ----------
    M : int
        Number of points.
    a : sequence of float
        Coefficients, which enter with alternating sign.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point, or there is no coefficient.

    Examples
    --------
    >>> tp.signal.windows.general_cosine(3, a=[0.5, 0.5])
    tensor([0., 1., 0.])
    """
    return _cosines(M, tuple(a), sym, dtype, "general_cosine")


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    A raised cosine.

    Parameters
    ----------
    M : int
        Number of points.
    alpha : float, default 0.54
        Its mean; the cosine has amplitude ``1 - alpha``.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.signal.windows.general_hamming(3, alpha=0.5)
    tensor([0., 1., 0.])
    """
    return _cosines(M, (alpha, 1 - alpha), sym, dtype, "general_hamming")


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: NumpyDtype | None = None) -> Value:
    """
    The Kaiser window.

    Parameters
    ----------
    M : int
        Number of points.
    beta : float, default 12
        Shape: 0 is a rectangle, larger values taper more.
    sym : bool, default True
        Whether the window is symmetric, for filters; otherwise one period of a periodic one, for spectra.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `M` points, the largest near 1.

    Raises
    ------
    ValueError
        If `M` is negative or the dtype is not floating-point, or `beta` is negative.

    Examples
    --------
    >>> tp.signal.windows.kaiser(3, beta=1.0)
    tensor([0.7898, 1.0000, 0.7898])
    """
    n, period = _positions(M, sym, "kaiser")
    if beta < 0:
        raise ValueError(f"kaiser(): beta must be non-negative, got {beta}")
    if M == 1:
        return _finished(np.ones(1), dtype, "kaiser")
    off_centre = 2 * n / max(period, 1) - 1
    values = np.i0(beta * np.sqrt(np.maximum(1 - off_centre**2, 0))) / np.i0(beta)
    return _finished(values, dtype, "kaiser")


def hann_window(window_length: int, periodic: bool = True, *, dtype: NumpyDtype | None = None) -> Value:
    """
    The Hann window, a raised cosine.

    Parameters
    ----------
    window_length : int
        Number of points.
    periodic : bool, default True
        One period of a periodic window, for spectra; otherwise a symmetric one, for filters.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `window_length` points.

    Raises
    ------
    ValueError
        If the length is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return hann(window_length, sym=not periodic, dtype=dtype)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: NumpyDtype | None = None,
) -> Value:
    """
    The Hamming window, a raised cosine that does not reach zero.

    Parameters
    ----------
    window_length : int
        Number of points.
    periodic : bool, default True
        One period of a periodic window, for spectra; otherwise a symmetric one, for filters.
    alpha, beta : float, default 0.54 and 0.46
        Mean and amplitude of the cosine.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `window_length` points.

    Raises
    ------
    ValueError
        If the length is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.hamming_window(2)
    tensor([0.0800, 1.0000])
    """
    return _cosines(window_length, (alpha, beta), not periodic, dtype, "hamming_window")


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: NumpyDtype | None = None) -> Value:
    """
    The triangular window, zero at its ends.

    Parameters
    ----------
    window_length : int
        Number of points.
    periodic : bool, default True
        One period of a periodic window, for spectra; otherwise a symmetric one, for filters.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `window_length` points.

    Raises
    ------
    ValueError
        If the length is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return bartlett(window_length, sym=not periodic, dtype=dtype)


def blackman_window(window_length: int, periodic: bool = True, *, dtype: NumpyDtype | None = None) -> Value:
    """
    The Blackman window, three cosine terms.

    Parameters
    ----------
    window_length : int
        Number of points.
    periodic : bool, default True
        One period of a periodic window, for spectra; otherwise a symmetric one, for filters.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `window_length` points.

    Raises
    ------
    ValueError
        If the length is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.blackman_window(4, dtype=tp.float32).shape
    tensorplay.Size([4])
    """
    return blackman(window_length, sym=not periodic, dtype=dtype)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: NumpyDtype | None = None
) -> Value:
    """
    The Kaiser window.

    Parameters
    ----------
    window_length : int
        Number of points.
    periodic : bool, default True
        One period of a periodic window, for spectra; otherwise a symmetric one, for filters.
    beta : float, default 12
        Shape: 0 is a rectangle, larger values taper more.
    dtype : dtype, optional
        A floating-point dtype, by default the default one.

    Returns
    -------
    Tensor
        A vector of `window_length` points.

    Raises
    ------
    ValueError
        If the length is negative or the dtype is not floating-point.

    Examples
    --------
    >>> tp.kaiser_window(2, beta=1.0)
    tensor([0.7898, 1.0000])
    """
    return kaiser(window_length, beta=beta, sym=not periodic, dtype=dtype)
