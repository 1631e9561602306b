"""How many threads kernels may use, and work shared among them. NumPy's loops let other threads run meanwhile."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING

from tensorplay.core.cores import current_core, move_away
from tensorplay.core.modes import SILENT, float_errors
from tensorplay.lazy import LazyModule

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

futures = LazyModule("concurrent.futures")

Work = Callable[[int, int], None]  # does the items from start to stop


def _allowed() -> int:
    """What the environment says, as torch reads it, or else the cores that this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdigit() and int(given):
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Whether this thread is at work that is shared already: a kernel within a kernel does its work alone.
_sharing: ContextVar[bool] = ContextVar("sharing", default=False)


def _helper_starts() -> None:
    float_errors.set(SILENT)
    _sharing.set(True)


def _apart(core: int, work: Work, start: int, stop: int) -> None:
    move_away(core)
    work(start, stop)


class _Team:
    """The threads of this process: started when first needed, anew in a process that was forked."""

    def __init__(self) -> None:
        self.size = _allowed()
        self.pool: ThreadPoolExecutor | None = None
        self.lock = threading.Lock()

    def started(self) -> ThreadPoolExecutor:
        """The helpers; the calling thread does its share too."""
        with self.lock:
            if self.pool is None:
                self.pool = futures.ThreadPoolExecutor(max(self.size - 1, 1), "tensorplay", _helper_starts)
            return self.pool

    def forget(self) -> None:
        """Leave threads that the process does not have; those of a pool that nobody holds end by themselves."""
        self.pool = None
        self.lock = threading.Lock()


_team = _Team()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_team.forget)


def get_num_threads() -> int:
    """
    Number of threads that a kernel may use.

    Returns
    -------
    int
        What `set_num_threads` was given, else the environment's OMP_NUM_THREADS, else the cores this process may use.

    Examples
    --------
    >>> tp.get_num_threads() >= 1
    True
    """
    return _team.size


def set_num_threads(number: int) -> None:
    """
    Let kernels use so many threads.

    Parameters
    ----------
    number : int
        At least 1. It holds for tensorplay's own kernels; the BLAS library has a setting of its own.

    Raises
    ------
    RuntimeError
        If `number` is not positive.

    Examples
    --------
    >>> before = tp.get_num_threads()
    >>> tp.set_num_threads(1)
    >>> tp.get_num_threads()
    1
    >>> tp.set_num_threads(before)
    """
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise RuntimeError(f"set_num_threads(): expected a positive int, got {number!r}")
    if number != _team.size:
        _team.size = number
        _team.forget()


def share(work: Work, items: int, least: int) -> None:
    """Do the work on `items` items, by several threads where each gets at least `least`."""
    parts = min(_team.size, items // least)
    if parts < 2 or _sharing.get():
        work(0, items)
        return
    bounds = [items * part // parts for part in range(parts + 1)]
    pool, core = _team.started(), current_core()
    others = [pool.submit(_apart, core, work, start, stop) for start, stop in itertools.pairwise(bounds[1:])]
    token = _sharing.set(True)
    try:
        work(bounds[0], bounds[1])
    finally:
        _sharing.reset(token)
        for other in others:
            other.result()
