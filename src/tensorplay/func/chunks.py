"""How a transform splits its samples into chunks, with a size given or found for a budget of memory."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, TypeVar

import numpy as np

from tensorplay.core.meter import Meter
from tensorplay.core.value import Value
from tensorplay.errors import shown as told
from tensorplay.errors import user_line
from tensorplay.ops.shape import cat

T = TypeVar("T")
ChunkSize = int | Literal["auto"] | None

_budget: ContextVar[int | None] = ContextVar("memory_budget", default=None)


class set_memory_budget(contextlib.AbstractContextManager[None]):
    """
    Say how much memory a transform with ``chunk_size="auto"`` may use, at once, and until the end of a ``with`` block.

    The budget bounds what is alive at a time besides arguments and results, for each call of a transform. It holds for
    the current thread or task.

    Parameters
    ----------
    bytes : int or None
        None, as at the start, is no bound: then all samples are computed at once.

    Raises
    ------
    ValueError
        If `bytes` is no positive number.

    See Also
    --------
    vmap, jacrev, jacfwd, hessian : Take ``chunk_size="auto"``.

    Notes
    -----
    What a sample takes is measured, with Python's tracemalloc: the first chunks are of one sample, later ones of as
    many as the budget allows. Where a single sample takes more, samples are computed one at a time, and a warning says
    so.

    Examples
    --------
    >>> x = tp.ones(1000, 100)
    >>> with tp.func.set_memory_budget(200_000):
    ...     tuple(tp.func.vmap(lambda row: row.exp().sum(), chunk_size="auto")(x).shape)
    (1000,)
    """

    def __init__(self, bytes: int | None) -> None:
        if bytes is not None and (not isinstance(bytes, int) or isinstance(bytes, bool) or bytes < 1):
            raise ValueError(f"set_memory_budget(): bytes must be a positive int or None, got {told(bytes)}")
        self._token = _budget.set(bytes)

    def __exit__(self, *_: object) -> None:
        _budget.reset(self._token)


def check_chunk_size(title: str, chunk_size: Any) -> None:
    """Raise unless `chunk_size` is one."""
    if chunk_size is None or (isinstance(chunk_size, str) and chunk_size == "auto"):
        return
    if not isinstance(chunk_size, int) or isinstance(chunk_size, bool) or chunk_size < 1:
        raise ValueError(f"{title}: chunk_size must be a positive int, 'auto' or None, got {told(chunk_size)}")


class Chunks:
    """
    Context of one call of a transform that computes its samples in chunks.

    Entering it starts the measurement where a budget is to be kept.
    """

    def __init__(self, title: str, size: ChunkSize, sample: str = "sample") -> None:
        self._title = title
        self._sample = sample
        self._budget = _budget.get() if size == "auto" else None
        self._size = None if size == "auto" else size
        self._meter = Meter(self._budget // 8) if self._budget else None
        self._results = 0  # bytes of results so far

    def __enter__(self) -> Chunks:
        if self._meter is not None:
            self._meter.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._meter is not None:
            self._meter.__exit__()

    def at_once(self, count: int) -> bool:
        """Whether so many samples are a single chunk."""
        return count <= 1 or (self._meter is None and (self._size is None or self._size >= count))

    def run(self, count: int, compute: Callable[[int, int], T], take: Callable[[T], None]) -> None:
        """Let `take` have what `compute` gives for the samples from start to stop, chunk by chunk."""
        if self.at_once(count):
            take(compute(0, count))
            return
        fit = None if self._budget is None else _Fit(self._title, self._budget, self._sample)
        start = 0
        while start < count:
            stop = min(start + (self._size or 1 if fit is None else fit.size), count)
            # no name may hold what a chunk gave while the next one is computed
            take(compute(start, stop) if fit is None else self._observed(fit, compute, start, stop))
            start = stop

    def _observed(self, fit: _Fit, compute: Callable[[int, int], T], start: int, stop: int) -> T:
        meter = self._meter
        assert meter is not None
        meter.mark()
        before = meter.in_use
        fit.note_held(max(before - self._results, 0))
        result = compute(start, stop)
        most, known = meter.most()
        fit.learn(stop - start, most - before, known)
        return result

    def column(self, count: int, dim: int) -> Column:
        """A result that grows along `dim`, chunk by chunk."""
        return Column(self, count, dim)

    def note_result(self, nbytes: int) -> None:
        """Say that so much of the memory in use is for results."""
        self._results += nbytes


class _Fit:
    """The size of chunks that fits a budget, found from what chunks have taken."""

    def __init__(self, title: str, budget: int, sample: str) -> None:
        self.budget = budget
        self.size = 1
        self._held = 0
        self._title = title
        self._sample = sample
        self._target = budget - budget // 16
        self._runs = 0
        self._shrunk = False
        self._smaller: tuple[int, int] | None = None  # what a smaller chunk took

    def note_held(self, held: int) -> None:
        """
        Say what is in use as a chunk starts.

        At first that is what all chunks share; later, an outer transform may have kept parts of each.
        """
        if self._runs < 2:
            self._held = held

    def learn(self, size: int, more: int, known: bool) -> None:
        """Choose the next size: a chunk of this one took so much more at a time (at most, unless that is known)."""
        self._runs += 1
        took = more + self._held
        if self._runs == 1 or size < self.size:  # the first run fills caches, the last one may be of what is left
            return
        if took > self.budget:
            self._shrink(size, took)
        elif not self._shrunk:
            self.size = self._grown(size, max(took, 1))
            if known and self.size > size:
                self._smaller = size, took

    def _shrink(self, size: int, took: int) -> None:
        if size > 1:
            self._shrunk = True
            self.size = max(1, size * self._target // took)
        elif not self._shrunk:
            self._shrunk = True
            warnings.warn(
                f"{self._title}: one {self._sample} takes {took:,} bytes, more than the memory budget of "
                f"{self.budget:,}; {self._sample}s are computed one at a time (at {user_line()})",
                RuntimeWarning,
                stacklevel=2,
            )

    def _grown(self, size: int, took: int) -> int:
        """The size that is expected to take the whole budget; at most twice this one, or what is in proportion."""
        safe = self._target if size > 1 else self.budget // 8  # a single sample may not be like many
        return max(size, min(self._expected(size, took), max(2 * size, size * safe // took)))

    def _expected(self, size: int, took: int) -> int:
        """The size that takes the budget, if a part is for all samples together, and one for each."""
        if self._smaller is not None and took > self._smaller[1]:
            return size + (self._target - took) * (size - self._smaller[0]) // (took - self._smaller[1])
        return size * self._target // took


class Column:
    """One result of all chunks: an array that they are written into, or pieces to be joined where they are traced."""

    def __init__(self, chunks: Chunks, count: int, dim: int) -> None:
        self._chunks = chunks
        self._count = count
        self._dim = dim
        self._whole: Value = None
        self._filled = 0
        self._pieces: list[Value] = []

    def add(self, piece: Value) -> None:
        """Append the result of the next chunk."""
        start, self._filled = self._filled, self._filled + piece.shape[self._dim]
        if start == 0 and isinstance(piece, np.ndarray):
            self._begin(piece)
        if self._pieces or not self._placed(piece, start):
            if not self._pieces and start:
                self._pieces.append(self._part(0, start))
            self._pieces.append(piece)

    def _begin(self, piece: np.ndarray[Any, Any]) -> None:
        if self._filled == self._count:
            self._whole = piece
        else:
            shape = list(piece.shape)
            shape[self._dim] = self._count
            self._whole = np.empty(shape, piece.dtype)
        self._chunks.note_result(self._whole.nbytes)

    def _part(self, start: int, stop: int) -> Any:
        return self._whole[(*(slice(None),) * (self._dim % self._whole.ndim), slice(start, stop))]

    def _placed(self, piece: Value, start: int) -> bool:
        """Whether `piece` is in its place now: not if it is traced, or not like the first one."""
        if self._whole is piece:
            return True
        if not isinstance(piece, np.ndarray) or self._whole is None or piece.dtype != self._whole.dtype:
            return False
        place = self._part(start, self._filled)
        if place.shape != piece.shape:
            return False
        place[...] = piece
        return True

    def joined(self) -> Value:
        """The whole result."""
        if len(self._pieces) == 1:
            return self._pieces[0]
        return cat(self._pieces, self._dim) if self._pieces else self._whole
