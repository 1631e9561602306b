"""
How many threads kernels may use, and work shared among them. NumPy's loops let other threads run meanwhile.

A hand-over takes some ten microseconds: each helper waits at a queue of its own, and the caller at one for answers.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from queue import SimpleQueue

from tensorplay.core.cores import current_core, keep_off
from tensorplay.core.modes import SILENT, float_errors

Work = Callable[[int, int], None]  # does the items from start to stop
Answers = SimpleQueue[BaseException | None]  # what a part of the work raised
Task = tuple[Work, int, int, Answers]
Tasks = SimpleQueue[Task | None]  # None: there will be no more


def _allowed() -> int:
    """What the environment says, as torch reads it, or else the cores that this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdigit() and int(given):
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Whether this thread is at work that is shared already: a kernel within a kernel does its work alone.
_sharing: ContextVar[bool] = ContextVar("sharing", default=False)


def _help(tasks: Tasks) -> None:
    """What a helper does all its life."""
    float_errors.set(SILENT)
    _sharing.set(True)
    while (task := tasks.get()) is not None:
        answers = task[-1]
        error = _error_of(*task[:-1])
        del task  # what the work holds is the caller's again
        answers.put(error)
        del answers, error


def _error_of(work: Work, start: int, stop: int) -> BaseException | None:
    try:
        work(start, stop)
    except BaseException as error:
        return error
    return None


class _Helper:
    """A thread that is at work, or waits for it, until the process ends or it is told that there is no more."""

    def __init__(self) -> None:
        self.tasks: Tasks = SimpleQueue()
        self.thread = threading.Thread(target=_help, args=(self.tasks,), name="tensorplay", daemon=True)
        self.thread.start()
        self.kept_off = -1  # the core where the work came from last

    def keep_off(self, core: int) -> None:
        """Run on another core: told before it is woken, as the system may wake it on the one of the calling thread."""
        if core != self.kept_off and self.thread.native_id is not None:
            keep_off(core, self.thread.native_id)
            self.kept_off = core


class _Team:
    """The helpers of this process: started when first needed, anew in a process that was forked."""

    def __init__(self) -> None:
        self.size = _allowed()
        self.forget()

    def forget(self) -> None:
        """Begin without helpers: a forked process has none of those that its parent had."""
        self.helpers: list[_Helper] = []
        self.lock = threading.RLock()  # a finaliser that shares work may run while it is held

    def ask(self, work: Work, bounds: Sequence[int], answers: Answers) -> None:
        """Hand over all parts of the work but the first."""
        core = current_core()
        with self.lock:
            while len(self.helpers) < len(bounds) - 2:
                self.helpers.append(_Helper())
            for helper, (start, stop) in zip(self.helpers, itertools.pairwise(bounds[1:]), strict=False):
                helper.keep_off(core)
                helper.tasks.put((work, start, stop, answers))

    def dismiss(self) -> None:
        """Let helpers go once they have done what they were asked; others start when needed."""
        with self.lock:
            for helper in self.helpers:
                helper.tasks.put(None)
            self.helpers = []


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
        At least 1. Products of matrices use no more than one where NumPy's BLAS is set to one thread.

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
        _team.dismiss()


def workers(items: int, least: int) -> int:
    """How many threads would share work on `items` items of which each is to get at least `least`."""
    return 1 if _sharing.get() else max(1, min(_team.size, items // least))


def in_steps(start: int, stop: int, step: int) -> list[slice]:
    """Slices from start to stop, of `step` items each but for the last."""
    return [slice(at, min(at + step, stop)) for at in range(start, stop, step)]


def share(work: Work, items: int, least: int) -> None:
    """
    Do the work on `items` items, by several threads where each gets at least `least`.

    Parts should be few and large: between NumPy's loops, threads wait for each other.
    """
    parts = workers(items, least)
    if parts == 1:
        work(0, items)
        return
    bounds = [items * part // parts for part in range(parts + 1)]
    answers: Answers = SimpleQueue()
    _team.ask(work, bounds, answers)
    token = _sharing.set(True)
    try:
        work(0, bounds[1])
    finally:
        _sharing.reset(token)
        errors = [error for error in [answers.get() for _ in bounds[2:]] if error is not None]
    if errors:
        raise errors.pop(0)  # which this frame then does not hold: there would be a cycle
