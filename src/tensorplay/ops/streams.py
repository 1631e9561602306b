"""
Streams of random numbers.

A stream is drawn from by one thread at a time. What stands in for it in a context (a fork, a branch, a replay) leaves
the stream that other threads and tasks draw from alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
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

    def leap(self) -> None:
        """Go so far ahead that no number that comes up to there will be drawn again."""
        bits: Any = self.numpy.bit_generator
        bits.state = bits.jumped().state

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
        here = _forks.get().get(self)
        if here is None:
            part = _part.get()
            here = self if part is None else part.stream(self)
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

    def depart(self) -> bytes:
        """Where the stream stands here, which it leaves: what is drawn from there on is left to whoever asked."""

        def leave(source: Source) -> bytes:
            state = source.state
            source.leap()
            return state

        return self.act(leave)

    def copy(self) -> Stream:
        """A stream of its own that goes on from where this one stands here."""
        return stream_at(self.state)


class Generator(Protocol):
    """What ops take as `generator`: `tensorplay.random.Generator`."""

    _stream: Stream


def system_seed() -> int:
    """A seed that the system gives."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def stream_at(state: bytes) -> Stream:
    """A stream that goes on from a state."""
    return Stream(_at(state))


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


# ---- branches --------------------------------------------------------------------------------------------------------


class Branches:
    """
    Streams for the parts of a work that are done apart, in any order and by any number of threads or processes.

    Each part draws from streams of its own, which start from where the streams stood when the work began: there, if all
    parts are to draw the `same`, else from a seed that comes of that place and the number of the part. The streams
    themselves leap over all that.
    """

    def __init__(self, same: bool) -> None:
        self.same = same
        self._starts: dict[Stream, bytes] = {}
        self._prepare()

    def _prepare(self) -> None:
        self._lock = threading.Lock()
        self._outside = copy_context()

    def start_of(self, stream: Stream) -> bytes:
        """Where a stream stood when it was first asked for."""
        with self._lock:
            if stream not in self._starts:
                self._starts[stream] = self._outside.run(stream.depart)
            return self._starts[stream]

    @contextmanager
    def part(self, number: int) -> Iterator[None]:
        """Context in which one part of the work is done."""
        part, forks = _part.set(_Part(self, number)), _forks.set(MappingProxyType({}))
        try:
            yield
        finally:
            _forks.reset(forks)
            _part.reset(part)

    def __getstate__(self) -> dict[str, Any]:
        return {"same": self.same, "_starts": {default_stream: self.start_of(default_stream)}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()


class _Part:
    """The streams that one part of a work has met."""

    __slots__ = ("_branches", "_number", "_streams")

    def __init__(self, branches: Branches, number: int) -> None:
        self._branches = branches
        self._number = number
        self._streams: dict[Stream, Stream] = {}

    def stream(self, stream: Stream) -> Stream:
        """What stands in for a stream in this part."""
        if stream not in self._streams:
            start = self._branches.start_of(stream)
            self._streams[stream] = Stream(_at(start) if self._branches.same else _apart(start, self._number))
        return self._streams[stream]


def _apart(state: bytes, number: int) -> Source:
    """A source for one of many parts of what began at a state."""
    entropy = int.from_bytes(state, "little")
    return Source(int(np.random.SeedSequence(entropy, spawn_key=(number,)).generate_state(1, np.uint64)[0]))


_part: ContextVar[_Part | None] = ContextVar("part", default=None)


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
