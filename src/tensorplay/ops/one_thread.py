"""
SciPy's matrix routines in one thread each.

NumPy and SciPy may each carry an OpenBLAS of their own, and threads that have nothing to do keep their core for a
while, in case more comes. Where routines of the two follow each other, as in every gradient through a factorisation,
threads of the one thus hold the cores that the other waits for, which costs far more than they help.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorplay.lazy import LazyModule

threadpoolctl = LazyModule("threadpoolctl")


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
    for library in threadpoolctl.ThreadpoolController().lib_controllers:
        if library.internal_api == "openblas" and {"scipy.libs", "scipy"} & set(Path(library.filepath).parts):
            return Threads(library.get_num_threads, library.set_num_threads)
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
