"""Chunks given to an executor: at most so many at a time, results in order, and errors that say which chunk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tensorplay.func.arguments import describe
from tensorplay.func.shipping import Cargo, Missing, Returned
from tensorplay.lazy import LazyModule

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tensorplay.func.loop import Chunk, Job

futures = LazyModule("concurrent.futures")
AHEAD = 2  # chunks that are given out for each worker: one that it works on, and one that waits


def check_executor(title: str, executor: Any, chunk_size: Any) -> None:
    """Raise unless `executor` is None, or can be given chunks."""
    if executor is None:
        return
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"{title}: executor must have the methods of concurrent.futures.Executor, got {describe(executor)}"
        )
    if hasattr(executor, "get_executor"):
        raise TypeError(f"{title}: executor is {describe(executor)}; pass what its get_executor() returns")
    if not isinstance(chunk_size, int):
        raise ValueError(
            f"{title}: executor= gives out chunks, so chunk_size must say how large they are, got {chunk_size!r}"
        )


def in_order(executor: Any, job: Job, chunks: Sequence[Chunk]) -> Generator[Any, None, None]:
    """
    The results of all chunks, in order, of which only a window is under way.

    Closed early, by an error or an interruption, it cancels what has not begun and waits for nothing.
    """
    sender = _sender(executor, job)
    window = AHEAD * _workers(executor)
    ahead = iter(chunks)
    waiting: deque[_Sent] = deque()
    try:
        while True:
            _fill(waiting, window, ahead, sender)
            if not waiting:
                return
            yield _received(waiting, sender)  # which no name holds while the next is awaited
    finally:
        for sent in waiting:
            sent.future.cancel()
        sender.close()


class _Sent:
    """A chunk that is under way."""

    __slots__ = ("chunk", "future", "piece")

    def __init__(self, chunk: Chunk, piece: Any, future: Future[Any]) -> None:
        self.chunk = chunk
        self.piece = piece
        self.future = future


def _fill(waiting: deque[_Sent], window: int, ahead: Iterator[Chunk], sender: _Sender) -> None:
    while len(waiting) < window:
        chunk = next(ahead, None)
        if chunk is None:
            return
        with _named(sender.job, waiting[0].chunk if waiting else chunk, chunk):
            piece = sender.job.piece(chunk)
            waiting.append(_Sent(chunk, piece, sender.send(chunk, piece)))


def _received(waiting: deque[_Sent], sender: _Sender) -> Any:
    """The result of the first of the chunks that are under way, which is one no more."""
    sent = waiting[0]
    with _named(sender.job, sent.chunk, waiting[-1].chunk):
        result = sender.job.finish(sent.piece, sender.receive(sent))
    waiting.popleft()
    return result


@contextmanager
def _named(job: Job, first: Chunk, last: Chunk) -> Iterator[None]:
    """Context whose errors say which chunk they are about, or between which two a worker was lost."""
    try:
        yield
    except futures.BrokenExecutor as error:
        lost = _which(job, first) if first is last else f"one from {_which(job, first)} to {_which(job, last)}"
        raise type(error)(
            f"{job.title}: a worker of the executor died while it worked on {lost}. Make a new executor, as this one "
            "is broken; if it happens again, a smaller chunk_size needs less memory, and without an executor you see "
            "how far it gets."
        ) from error
    except Exception as error:
        error.add_note(f"This was in {_which(job, first)} of {job.title}.")
        raise


def _which(job: Job, chunk: Chunk) -> str:
    return f"chunk {chunk.number} ({job.unit} {chunk.start} to {max(chunk.stop - 1, chunk.start)})"


def _workers(executor: Any) -> int:
    """How many chunks an executor works on at once, as far as it tells."""
    client = _dask_client(executor)
    if client is not None:
        return max(sum(client.nthreads().values()), 1)
    for name in ("_max_workers", "num_workers"):
        number = getattr(executor, name, None)
        if isinstance(number, int) and number > 0:
            return number
    return os.cpu_count() or 1


# ---- ways to send ----------------------------------------------------------------------------------------------------


class _Sender:
    """Sends chunks through any executor: as they are where threads do the work, else pickled."""

    def __init__(self, executor: Any, job: Job) -> None:
        self.executor = executor
        self.job = job
        self.cargo = Cargo(job)

    def send(self, chunk: Chunk, piece: Any) -> Future[Any]:
        """The result of a chunk, later."""
        future: Future[Any] = self.executor.submit(self.cargo.task(chunk, piece))
        return future

    def receive(self, sent: _Sent) -> Any:
        """The result of a chunk. A worker that cannot find what all chunks share is sent it."""
        result = sent.future.result()
        while isinstance(result, Missing):
            sent.future = self.executor.submit(self.cargo.parcel(sent.chunk, sent.piece))
            result = sent.future.result()
        return result.unpacked() if isinstance(result, Returned) else result

    def close(self) -> None:
        """Remove what was left for workers to find."""
        self.cargo.remove()


class _DaskSender(_Sender):
    """
    Sends chunks through Dask, whose workers pass on to each other what all chunks share.

    It asks the client that the executor stands for: a failed task that is cancelled is an error in the executor.
    """

    def __init__(self, executor: Any, job: Job) -> None:
        super().__init__(executor, job)
        self._client = _dask_client(executor)
        self._options = {"pure": False} | getattr(executor, "_kwargs", {})
        self._shared = self._scattered()

    def _scattered(self) -> Any:
        return self._client.scatter(self.cargo.payload, broadcast=True, hash=False)

    def _submit(self, *call: Any) -> Future[Any]:
        future: Future[Any] = self._client.submit(*call, **self._options)
        return future

    def send(self, chunk: Chunk, piece: Any) -> Future[Any]:
        """The result of a chunk, later."""
        if self._shared.status != "finished":
            self._shared = self._scattered()
        return self._submit(self.cargo.address(chunk, piece).opened_with, self._shared)

    def receive(self, sent: _Sent) -> Any:
        """The result of a chunk, which is sent anew if all workers died that held what chunks share."""
        try:
            return super().receive(sent)
        except futures.CancelledError:
            sent.future = self._submit(self.cargo.parcel(sent.chunk, sent.piece))
            return super().receive(sent)


def _dask_client(executor: Any) -> Any:
    client = getattr(executor, "_client", None)
    return client if hasattr(client, "scatter") and hasattr(client, "nthreads") else None


def _sender(executor: Any, job: Job) -> _Sender:
    return (_Sender if _dask_client(executor) is None else _DaskSender)(executor, job)
