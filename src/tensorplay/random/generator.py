"""Generator: a stream of random numbers in the hands of a user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.dtypes import device as Device
from tensorplay.ops.streams import STATE_BYTES, Source, Stream, default_stream, system_seed
from tensorplay.tensor.handle import wrap


class Generator:
    """
    A stream of random numbers.

    Parameters
    ----------
    device : device or str, default "cpu"
        Only "cpu".

    Raises
    ------
    RuntimeError
        For another device.

    Notes
    -----
    Threads may share a generator: each draw is made by one thread at a time. Which of them comes first is not
    determined, so that threads which are to be reproducible need a generator each.

    Examples
    --------
    >>> g = tp.Generator().manual_seed(0)
    >>> tp.equal(tp.rand(2, generator=g), tp.rand(2, generator=g.manual_seed(0)))
    True
    """

    __slots__ = ("__weakref__", "_stream")

    def __init__(self, device: Any = "cpu") -> None:
        if device is not None:
            Device(device)
        self._stream = Stream(Source(system_seed()))

    @property
    def device(self) -> Device:
        """Where numbers are drawn: the CPU."""
        return Device("cpu")

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream from a seed, any int; returns this generator."""
        number = _whole_number("Generator.manual_seed()", seed)
        self._stream.act(lambda source: source.restart(number))
        return self

    def seed(self) -> int:
        """Restart the stream from a seed of the system, which is returned."""
        number = system_seed()
        self._stream.act(lambda source: source.restart(number))
        return number

    def initial_seed(self) -> int:
        """The seed that the stream was last started from."""
        return self._stream.act(lambda source: source.seed)

    def get_state(self) -> Any:
        """State of the stream, for `set_state`: a tensor of bytes."""
        return wrap(np.frombuffer(self._stream.state, np.uint8).copy())

    def set_state(self, new_state: Any) -> None:
        """Continue the stream from a state that `get_state` returned."""
        state = _checked_state("Generator.set_state()", new_state)

        def restore(source: Source) -> None:
            source.state = state

        self._stream.act(restore)

    def clone_state(self) -> Generator:
        """A generator of its own that goes on from where this one stands."""
        return generator_on(self._stream.copy())

    def __reduce__(self) -> tuple[Callable[[bytes], Generator], tuple[bytes]]:
        return _at, (self._stream.state,)


def generator_on(stream: Stream) -> Generator:
    """A generator that draws from a given stream."""
    generator = Generator.__new__(Generator)
    generator._stream = stream
    return generator


def _at(state: bytes) -> Generator:
    generator = Generator()
    generator.set_state(np.frombuffer(state, np.uint8))
    return generator


def _whole_number(name: str, seed: Any) -> int:
    try:
        return int(seed)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: the seed must be an int, got {seed!r}") from None


def _checked_state(name: str, state: Any) -> bytes:
    data = np.asarray(state) if hasattr(state, "__array__") else None
    if data is None or data.dtype != np.uint8 or data.shape != (STATE_BYTES,):
        found = type(state).__name__ if data is None else f"dtype {data.dtype} and shape {list(data.shape)}"
        raise RuntimeError(f"{name}: expected what get_state() returned, {STATE_BYTES} bytes of uint8; got {found}")
    return data.tobytes()


default_generator = generator_on(default_stream)
