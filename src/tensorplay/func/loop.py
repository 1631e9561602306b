"""How a transform goes through its chunks: who does the work, and who is told of its progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any, Protocol

from tensorplay.func.executors import check_executor, in_order
from tensorplay.func.progress import Progress, check_progress, shown
from tensorplay.ops.streams import Stream


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive items, from `start` to `stop`, of one of several ranges, the one with the number `part`."""

    number: int
    start: int
    stop: int
    part: int = 0


def chunks_of(sizes: Sequence[int], chunk_size: int) -> list[Chunk]:
    """The chunks of ranges of the given sizes, at most `chunk_size` items each; an empty range is one chunk."""
    chunks: list[Chunk] = []
    for part, size in enumerate(sizes):
        for start in range(0, max(size, 1), chunk_size):
            chunks.append(Chunk(len(chunks), start, min(start + chunk_size, size), part))
    return chunks


class Job(Protocol):
    """What is done for each chunk. Pickled, it is what all chunks share and another process needs."""

    title: str
    unit: str  # what chunks consist of

    def piece(self, chunk: Chunk) -> Any:
        """What this chunk alone needs; it travels with it."""

    def run(self, chunk: Chunk, piece: Any) -> Any:
        """The work, done in any thread or process, in any order."""

    def finish(self, piece: Any, result: Any) -> Any:
        """What comes of the result of a chunk, in the caller's thread, in order."""

    def start_of(self, stream: Stream) -> bytes:
        """From where a stream is to go on in another process."""


class Loop:
    """How one transform goes through chunks."""

    __slots__ = ("_chunk_size", "_progress", "_title", "executor", "plain")

    def __init__(self, title: str, chunk_size: Any, progress: Progress, executor: Any) -> None:
        check_progress(title, progress)
        check_executor(title, executor, chunk_size)
        self._title = title
        self._chunk_size = chunk_size
        self._progress = progress
        self.executor = executor
        self.plain = executor is None and progress in (None, False)  # nobody is told, and the caller does the work

    def shown(self, total: int, unit: str) -> AbstractContextManager[Callable[[int], None]]:
        """Context that gives what is to be called with each amount that has been done."""
        return shown(self._title, self._progress, total, unit)

    def give_out(
        self, job: Job, sizes: Sequence[int], take: Callable[[Any], None], advance: Callable[[int], None]
    ) -> None:
        """Let `take` have the results of all chunks of ranges of the given sizes, in order, from the executor."""
        chunks = chunks_of(sizes, self._chunk_size)
        with closing(in_order(self.executor, job, chunks)) as results:
            for chunk in chunks:
                take(next(results))  # which no name holds while the next is awaited
                advance(chunk.stop - chunk.start)


AS_IT_COMES = Loop("", None, None, None)
