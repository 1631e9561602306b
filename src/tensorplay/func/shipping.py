"""
What goes to other processes and comes back: a job once for each process, pieces of it with each chunk, results.

Threads see none of this: a task is pickled only by an executor that must.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tensorplay.core.modes import ALL_RECORD, paused_level, paused_up_to
from tensorplay.core.stack import settle
from tensorplay.core.value import Traced
from tensorplay.dtypes import get_default_dtype, set_default_dtype
from tensorplay.lazy import LazyModule
from tensorplay.ops.streams import Stream, default_stream, stream_at
from tensorplay.random.generator import Generator, generator_on
from tensorplay.tensor.handle import is_leaf, requires_grad
from tensorplay.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorplay.func.loop import Chunk, Job

cloudpickle = LazyModule("cloudpickle")
tempfile = LazyModule("tempfile")
KEPT = 2  # jobs that a process keeps, for chunks that may still come


# ---- where chunks are given out --------------------------------------------------------------------------------------


class Cargo:
    """A job on its way: given as it is to threads, and written down once for all processes, when the first needs it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._context = copy_context()
        self._lock = threading.Lock()
        self._payload: bytes | None = None
        self._key: str | None = None
        self._path: str | None = None
        self._removed = False

    @property
    def payload(self) -> bytes:
        """The job and its modes, written down."""
        with self._lock:
            if self._payload is None:
                self._payload = self._context.copy().run(self._written)
            return self._payload

    def _written(self) -> bytes:
        paused = paused_level.get() > ALL_RECORD
        return packed(self.job.title, (self.job, paused, get_default_dtype()), self.job.start_of)

    @property
    def key(self) -> str:
        """What processes know the job by: the same for the same content."""
        if self._key is None:
            self._key = hashlib.blake2b(self.payload, digest_size=16).hexdigest()
        return self._key

    @property
    def path(self) -> str | None:
        """A file that holds the payload for processes of this machine; None when all is over."""
        payload = self.payload
        with self._lock:
            if self._path is None and not self._removed:
                number, self._path = tempfile.mkstemp(prefix="tensorplay-")
                with os.fdopen(number, "wb") as file:
                    file.write(payload)
            return self._path

    def remove(self) -> None:
        """Remove the file."""
        with self._lock:
            path, self._path, self._removed = self._path, None, True
        if path is not None:
            with suppress(FileNotFoundError):
                os.remove(path)

    def task(self, chunk: Chunk, piece: Any) -> Task:
        """What an executor is given."""
        return Task(self, chunk, piece)

    def address(self, chunk: Chunk, piece: Any) -> Parcel:
        """A chunk, for a process that gets the payload in another way."""
        return Parcel(self.key, None, self._packed(chunk, piece))

    def parcel(self, chunk: Chunk, piece: Any) -> Parcel:
        """A chunk together with the payload."""
        return Parcel(self.key, self.payload, self._packed(chunk, piece))

    def _packed(self, chunk: Chunk, piece: Any) -> bytes:
        return self._context.copy().run(packed, self.job.title, (chunk, piece))


class Task:
    """A chunk's work. A thread calls it as it is, in the context of the caller; pickled, it becomes a parcel."""

    def __init__(self, cargo: Cargo, chunk: Chunk, piece: Any) -> None:
        self._cargo = cargo
        self._chunk = chunk
        self._piece = piece
        self._context = copy_context()

    def __call__(self) -> Any:
        return self._context.run(self._cargo.job.run, self._chunk, self._piece)

    def __reduce__(self) -> tuple[Any, ...]:
        cargo = self._cargo
        return Parcel, (cargo.key, cargo.path, cargo._packed(self._chunk, self._piece))


# ---- where chunks are worked on --------------------------------------------------------------------------------------


class Missing:
    """What a process answers that cannot find the job."""


class Returned:
    """Results on their way back."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def unpacked(self) -> Any:
        """The results."""
        return pickle.loads(self._data)


class Parcel:
    """A chunk for a process that may have the job, or finds it in a file of its machine, or is sent it."""

    def __init__(self, key: str, source: str | bytes | None, data: bytes) -> None:
        self._key = key
        self._source = source
        self._data = data

    def __call__(self) -> Returned | Missing:
        return self.opened_with(self._source)

    def opened_with(self, source: str | bytes | None) -> Returned | Missing:
        """The results of the chunk."""
        work = _job(self._key, source)
        return Missing() if work is None else Returned(work(self._data))


_jobs: OrderedDict[str, Callable[[bytes], bytes]] = OrderedDict()  # the last few that this process has unpacked
_lock = threading.Lock()


def _job(key: str, source: str | bytes | None) -> Callable[[bytes], bytes] | None:
    """The job of a key, from a file or the payload if it is not here; None if it is nowhere."""
    with _lock:
        if key not in _jobs:
            payload = _read(source) if isinstance(source, str) else source
            if payload is None:
                return None
            _jobs[key] = functools.partial(_work, *_unpacked(payload))
        _jobs.move_to_end(key)
        while len(_jobs) > KEPT:
            _jobs.popitem(last=False)
        return _jobs[key]


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # another machine's, or removed
        return None


def _work(job: Job, paused: bool, default: Any, data: bytes) -> bytes:
    """The results of a chunk, under the modes of the caller."""
    if get_default_dtype() is not default:
        set_default_dtype(default)
    chunk, piece = _unpacked(data)
    with paused_up_to(0 if paused else ALL_RECORD):
        return packed(job.title, job.run(chunk, piece), results=True)


# ---- pickles ---------------------------------------------------------------------------------------------------------


def packed(
    title: str, value: Any, start_of: Callable[[Stream], bytes] | None = None, *, results: bool = False
) -> bytes:
    """A pickle of functions, closures, tensors and generators; `start_of` says where streams are to start from."""
    file = io.BytesIO()
    pickler = _checked_pickler(title)(file, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.names = _Names(title, start_of, results)
    try:
        pickler.dump(value)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        what = "a result" if results else "the function, or something that it or an argument holds,"
        raise TypeError(
            f"{title}: {what} cannot be sent to another process: {error}. Make it inside of the function, or use "
            "threads (concurrent.futures.ThreadPoolExecutor)."
        ) from error
    return file.getvalue()


def _checked_pickler(title: str) -> Any:
    if find_spec("cloudpickle") is None:
        raise ImportError(
            f"{title}: functions are sent to other processes by cloudpickle, which is not installed: "
            "pip install cloudpickle. Threads (concurrent.futures.ThreadPoolExecutor) do without."
        )
    return _pickler()


@functools.cache
def _pickler() -> Any:
    """A pickler of functions by value that asks for the names of what is not pickled by itself."""

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc, name-defined]
        names: _Names

        def persistent_id(self, found: Any) -> Any:
            return self.names.name(found)

    return Pickler


class _Names:
    """What streams and generators are called in a pickle, and which tensors have no place there."""

    def __init__(self, title: str, start_of: Callable[[Stream], bytes] | None, results: bool) -> None:
        self._title = title
        self._start_of = start_of or (lambda stream: stream.state)
        self._results = results
        self._streams: list[Stream] = []

    def name(self, found: Any) -> Any:
        """A persistent name, or None for what is pickled as it is."""
        if isinstance(found, Tensor):
            self._check(found.value)
        elif isinstance(found, Traced):
            self._check(found)
        elif isinstance(found, Generator):
            return "generator", self._stream(found._stream)
        elif isinstance(found, Stream):
            return "stream", self._stream(found)
        return None

    def _stream(self, stream: Stream) -> tuple[int, bytes] | None:
        if stream is default_stream:
            return None
        if stream not in self._streams:
            self._streams.append(stream)
        return self._streams.index(stream), self._start_of(stream)

    def _check(self, value: Any) -> None:
        value = settle(value)
        if not isinstance(value, Traced):
            return
        if self._results:
            raise RuntimeError(
                f"{self._title}: a result requires grad, and the graph that it belongs to cannot leave the worker's "
                "process. Call it under tp.no_grad(), or with detached arguments and parameters (x.detach())."
            )
        if not is_leaf(value):
            raise RuntimeError(f"{self._title}: {_traced(value)}")


def _traced(value: Traced) -> str:
    if requires_grad(value) and not isinstance(value.inner, Traced):
        return (
            "a tensor that the function needs requires grad and was computed from others, and its graph cannot be sent "
            "to another process. Pass x.detach(), or use threads (concurrent.futures.ThreadPoolExecutor)."
        )
    return (
        f"a tensor that the function needs is traced by {value.owner.title}, and what is traced cannot be sent to "
        "another process. Give the executor to the outermost transform, or use threads "
        "(concurrent.futures.ThreadPoolExecutor)."
    )


class _Unpickler(pickle.Unpickler):
    """Finds streams and generators by their names, one each."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self._streams: dict[int, Stream] = {}

    def persistent_load(self, name: Any) -> Any:
        kind, stream = name[0], self._stream(name[1])
        return stream if kind == "stream" else generator_on(stream)

    def _stream(self, name: tuple[int, bytes] | None) -> Stream:
        if name is None:
            return default_stream
        number, state = name
        if number not in self._streams:
            self._streams[number] = stream_at(state)
        return self._streams[number]


def _unpacked(data: bytes) -> Any:
    return _Unpickler(data).load()
