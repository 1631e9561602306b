"""Random numbers: a generator, and draws that follow the randomness of the active maps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.stack import active
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import NumpyDtype, default_float
from tensorplay.ops.shape import sizes


class Generator:
    """
    A stream of random numbers.

    Parameters
    ----------
    device : str, optional
        Only "cpu".

    Examples
    --------
    >>> g = tp.Generator().manual_seed(0)
    >>> tp.equal(tp.rand(2, generator=g), tp.rand(2, generator=g.manual_seed(0)))
    True
    """

    __slots__ = ("_lock", "_numpy", "_seed")

    def __init__(self, device: Any = None) -> None:
        self._lock = threading.Lock()
        self.manual_seed(np.random.SeedSequence().entropy)  # type: ignore[arg-type]

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream from a seed; returns this generator."""
        self._seed = int(seed)
        self._numpy = np.random.Generator(np.random.PCG64(self._seed % 2**64))
        return self

    def seed(self) -> int:
        """Restart the stream from a seed of the system, which is returned."""
        self.manual_seed(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the stream was last started from."""
        return self._seed

    def get_state(self) -> Any:
        """State of the stream, for `set_state`."""
        return self._numpy.bit_generator.state

    def set_state(self, state: Any) -> None:
        """Continue the stream from a state."""
        self._numpy.bit_generator.state = state

    def draw(self, kernel: Callable[[np.random.Generator, Shape], Any], shape: Shape) -> Any:
        """``kernel(numpy generator, shape)``, one thread at a time."""
        with self._lock:
            return kernel(self._numpy, shape)


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """
    Restart the default stream of random numbers from a seed.

    Parameters
    ----------
    seed : int
        Any int; the same seed gives the same numbers.

    Returns
    -------
    Generator
        The default one.

    Examples
    --------
    >>> _ = tp.manual_seed(0)
    """
    return default_generator.manual_seed(seed)


def draw(
    name: str, kernel: Callable[[np.random.Generator, Shape], Any], shape: Shape, generator: Generator | None = None
) -> Value:
    """Draws of the given shape: per sample or for all, as the active maps want."""
    different, extra = [], []
    for level in active():
        count = level.samples_to_draw(name)
        if count is not None:
            different.append(level)
            extra.append(count)
    value = np.asarray((generator or default_generator).draw(kernel, (*extra, *shape)))
    for level in different:
        value = level.wrap_draws(value)
    return value


def _floats(dtype: NumpyDtype) -> Any:
    """NumPy draws float32 and float64; others are made from float32."""
    return dtype if dtype in (np.float32, np.float64) else np.float32


def rand(*size: Any, dtype: NumpyDtype | None = None, generator: Generator | None = None) -> Value:
    dtype = dtype or default_float()
    return draw("rand", lambda g, s: g.random(s, _floats(dtype)).astype(dtype, copy=False), sizes(size), generator)


def randn(*size: Any, dtype: NumpyDtype | None = None, generator: Generator | None = None) -> Value:
    dtype = dtype or default_float()
    return draw("randn", lambda g, s: g.standard_normal(s, _floats(dtype)).astype(dtype, copy=False), sizes(size), generator)
