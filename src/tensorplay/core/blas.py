"""
The threads of BLAS libraries.

A thread of OpenBLAS that has nothing to do keeps its core for some hundredths of a second, in case more comes. NumPy
and SciPy may each carry an OpenBLAS of their own, and loops are shared among threads besides: where these follow each
other, threads of the one hold the cores that the other waits for, which costs far more than they help. So what is asked
of such a library here runs in one thread of it, and work is shared by our own.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from tensorplay.lazy import LazyModule

threadpoolctl = LazyModule("threadpoolctl")

Array = Any

FEW = 9216  # elements of a matrix or vector, of which OpenBLAS sums products in one thread anyway
_AFFIXES = tuple(itertools.product(("", "scipy_"), ("", "64_", "_64")))  # of OpenBLAS' functions, in its many builds


class Threads:
    """How many threads a BLAS library uses: one while anybody is within `with`, then as many as before."""

    def __init__(self, get: Callable[[], int], put: Callable[[int], Any]) -> None:
        self._get = get
        self._put = put
        self._guard = threading.Lock()
        self._inside = 0
        self._before = 1

    def __enter__(self) -> int:
        """How many it used before."""
        with self._guard:
            if not self._inside:
                self._before = self._get()
                if self._before != 1:
                    self._put(1)
            self._inside += 1
            return self._before

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self._inside -= 1
            if not self._inside and self._before != 1:
                self._put(self._before)

    def forget(self) -> None:
        """Begin anew in a forked process, which has no other thread that could be inside."""
        self._guard = threading.Lock()
        if self._inside:
            self._inside = 0
            self._put(self._before)


@functools.lru_cache(maxsize=2)
def threads_of(package: str) -> Threads | None:
    """Those of the OpenBLAS that "numpy" or "scipy" carries, or that NumPy alone loaded; None where there is none."""
    found = [library for library in threadpoolctl.ThreadpoolController().lib_controllers if _is_openblas(library)]
    own = [library for library in found if package in _carriers(library)]
    if not own and package == "numpy" and len(found) == 1 and "scipy" not in _carriers(found[0]):
        own = found
    if not own:
        return None
    # a library that keeps the interpreter's lock, as the calls take no time
    library = ctypes.PyDLL(own[0].filepath)
    threads = Threads(_function(library, "openblas_get_num_threads"), _function(library, "openblas_set_num_threads"))
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=threads.forget)
    return threads


def one_thread_in(package: str) -> AbstractContextManager[Any]:
    """Within it, the BLAS of a package uses one thread, if that can be had."""
    return threads_of(package) or nullcontext()


def dot(x: Array, y: Array) -> Any:
    """`np.dot` with a vector, in one thread."""
    if x.size <= FEW and y.size <= FEW:
        return x.dot(y)
    with one_thread_in("numpy"):
        return x.dot(y)


def _is_openblas(library: Any) -> bool:
    """Where OpenMP starts the threads, each of our threads would have a number of its own."""
    return library.internal_api == "openblas" and library.threading_layer == "pthreads"


def _carriers(library: Any) -> set[str]:
    """Names of packages whose folders hold a library: numpy.libs on Linux, numpy/.dylibs on macOS."""
    folder = Path(library.filepath).parent
    return {folder.name.removesuffix(".libs"), folder.parent.name}


def _function(library: ctypes.CDLL, name: str) -> Callable[..., int]:
    names = [before + name + after for before, after in _AFFIXES]
    found: Callable[..., int] = next(getattr(library, name) for name in names if hasattr(library, name))
    return found


def alone(routine: Callable[..., Any]) -> Callable[..., Any]:
    """A routine of SciPy's, in one thread."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with one_thread_in("scipy"):
            return routine(*args, **kwargs)

    return call
