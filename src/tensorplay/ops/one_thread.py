"""
SciPy's matrix routines in one thread each.

NumPy and SciPy may each carry an OpenBLAS of their own, and threads that have nothing to do keep their core for a
while, in case more comes. Where routines of the two follow each other, as in every gradient through a factorisation,
threads of the one thus hold the cores that the other waits for, which costs far more than they help.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PREFIXES, _SUFFIXES = ("scipy_openblas", "openblas"), ("", "64_")


class Threads:
    """How many threads a BLAS library uses: one while anybody is within `with`, then as many as before."""

    def __init__(self, get: Callable[[], int], put: Callable[[int], Any]) -> None:
        self._get = get
        self._put = put
        self._guard = threading.Lock()
        self._inside = 0
        self._before = 1

    def __enter__(self) -> None:
        with self._guard:
            if not self._inside:
                self._before = self._get()
                if self._before != 1:
                    self._put(1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self._inside -= 1
            if not self._inside and self._before != 1:
                self._put(self._before)


@functools.lru_cache(maxsize=1)
def scipy_threads() -> Threads | None:
    """Those of the OpenBLAS that SciPy carries; None where it shares one with others."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    for folder in (package.with_name("scipy.libs"), package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            found = _threads_of(ctypes.CDLL(str(path)))
            if found is not None:
                return found
    return None


def _threads_of(library: ctypes.CDLL) -> Threads | None:
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            get = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
            put = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
            if get is not None and put is not None:
                return Threads(get, put)
    return None


def alone(routine: Callable[..., Any]) -> Callable[..., Any]:
    """A routine of SciPy's, in one thread."""
    threads = scipy_threads()
    if threads is None:
        return routine

    def call(*args: Any, **kwargs: Any) -> Any:
        with threads:
            return routine(*args, **kwargs)

    return call
