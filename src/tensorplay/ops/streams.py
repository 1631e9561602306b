"""
Streams of random numbers.

A stream is drawn from by one thread at a time. What stands in for it in a context (a fork, a replay) leaves the stream
that other threads and tasks draw from alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np

T = TypeVar("T")
STATE_BYTES = 64


class Source:
    """NumPy's generator, and the seed that it was started from."""

    __slots__ = ("numpy", "seed")

    def __init__(self, seed: int) -> None:
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Start from a seed."""
        self.seed = seed % 2**64
        self.numpy = np.random.Generator(np.random.PCG64(self.seed))

    @property
    def state(self) -> bytes:
        """Where it stands, seed included."""
        state: Any = self.numpy.bit_generator.state
        half = state["has_uint32"] << 64 | state["uinteger"]
        numbers = (state["state"]["state"], state["state"]["inc"], half, self.seed)
        return b"".join([number.to_bytes(16, "little") for number in numbers])

    @state.setter
    def state(self, state: bytes) -> None:
        number, inc, half, self.seed = [int.from_bytes(state[i : i + 16], "little") for i in range(0, STATE_BYTES, 16)]
        self.numpy.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": number, "inc": inc},
            "has_uint32": half >> 64,
            "uinteger": half % 2**64,
        }


def _at(state: bytes) -> Source:
    source = Source(0)
    source.state = state
    return source


class Stream:
    """A source that many threads share."""

    __slots__ = ("_lock", "_source")

    def __init__(self, source: Source) -> None:
        self._lock = threading.Lock()
        self._source = source

    def act(self, action: Callable[[Source], T]) -> T:
        """What `action` gives for the source of this stream, or of what stands in for it here."""
        here = _forks.get().get(self, self)
        runs = _runs.get()
        if runs:
            return _act_in_runs(here, action, runs)
        with here._lock:
            return action(here._source)

    def act_noting_state(self, action: Callable[[Source], T]) -> tuple[bytes, T]:
        """Where this very stream stood before `action`, and what that gives."""
        with self._lock:
            return self._source.state, action(self._source)

    @property
    def state(self) -> bytes:
        """Where the stream stands here."""
        return self.act(lambda source: source.state)

    def copy(self) -> Stream:
        """A stream of its own that goes on from where this one stands here."""
        return Stream(_at(self.state))


class Generator(Protocol):
    """What ops take as `generator`: `tensorplay.random.Generator`."""

    _stream: Stream


def system_seed() -> int:
    """A seed that the system gives."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


default_stream = Stream(Source(system_seed()))


def stream_of(name: str, generator: Generator | None) -> Stream:
    """The stream that the op `name` is to draw from."""
    if generator is None:
        return default_stream
    stream = getattr(generator, "_stream", None)
    if not isinstance(stream, Stream):
        raise TypeError(f"{name}: generator must be a tp.Generator or None, got {type(generator).__name__}")
    return stream


# ---- forks -----------------------------------------------------------------------------------------------------------

_forks: ContextVar[Mapping[Stream, Stream]] = ContextVar("forks", default=MappingProxyType({}))


@contextmanager
def forked(stream: Stream) -> Iterator[None]:
    """Context in which a copy stands in for a stream."""
    token = _forks.set({**_forks.get(), stream: stream.copy()})
    try:
        yield
    finally:
        _forks.reset(token)


# ---- replays ---------------------------------------------------------------------------------------------------------


class Replay:
    """
    What a function that runs several times needs in order to meet the same random numbers each time.

    It holds where a stream stood before each action of the first run. Later runs take the same actions on sources that
    start there, so that the stream itself goes on once, and draws of other threads in between do not matter.
    """

    __slots__ = ("states",)

    def __init__(self) -> None:
        self.states: dict[Stream, list[bytes]] = {}

    @contextmanager
    def run(self) -> Iterator[None]:
        """Context of one run of the function."""
        token = _runs.set((*_runs.get(), _Run(self)))
        try:
            yield
        finally:
            _runs.reset(token)


class _Run:
    """One run of a replay: how many actions it has taken on each stream."""

    __slots__ = ("_replay", "_taken")

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._taken: dict[Stream, int] = {}

    def next_state(self, stream: Stream) -> bytes | None:
        """Where the stream stood before the action that comes now; None for one that no run has taken so far."""
        states, number = self._replay.states.get(stream, ()), self._taken.get(stream, 0)
        self._taken[stream] = number + 1
        return states[number] if number < len(states) else None

    def note(self, stream: Stream, state: bytes) -> None:
        """Say where the stream stood before an action that is taken for the first time."""
        self._replay.states.setdefault(stream, []).append(state)


_runs: ContextVar[tuple[_Run, ...]] = ContextVar("runs", default=())


def _act_in_runs(stream: Stream, action: Callable[[Source], T], runs: tuple[_Run, ...]) -> T:
    """Take an action as the innermost replay that knows it says, and let those inside of that one know it too."""
    unaware = []
    for run in reversed(runs):
        state = run.next_state(stream)
        if state is not None:
            result = action(_at(state))
            break
        unaware.append(run)
    else:
        state, result = stream.act_noting_state(action)
    for run in unaware:
        run.note(stream, state)
    return result
