"""
Which core a thread runs on.

Linux wakes a thread on the core of the one that wakes it if it takes the others for busy, and a machine of two cores
looks busy as soon as both worked a moment ago, or a thread of BLAS still waits for work. A helper would then take turns
with the thread that it is to help, or wait for milliseconds until the scheduler lets it run.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable


def _find_current() -> Callable[[], int]:
    found = getattr(ctypes.PyDLL(None), "sched_getcpu", None) if hasattr(os, "sched_setaffinity") else None
    return found or (lambda: -1)


# Number of the core that the calling thread runs on; -1 where the system does not say, or cannot be told another one.
current_core: Callable[[], int] = _find_current()


def keep_off(core: int, thread: int) -> None:
    """Let a thread, a helper, run on any core of the process but this one; where that is all, it stays."""
    others = os.sched_getaffinity(os.getpid()) - {core}
    if others:
        os.sched_setaffinity(thread, others)
