"""
One library in a process of its own: reads requests, a line of JSON each, and answers each with one line.

A request names an action of `Session` and its arguments. Between requests the process sleeps.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks import measuring
from benchmarks.libraries import MODULES, Library, leaves, library
from benchmarks.workloads import named


class Session:
    """The library and the workload it is at."""

    def __init__(self, lib: Library) -> None:
        self.library = lib
        self.job: Callable[[], Any] | None = None

    def prepare(self, workload: str, result_bytes: int, file: str | None) -> dict[str, Any]:
        """Time of the first call, which compiles where a library does; its result goes to a file."""
        self.job = self.library.prepared(named(workload), result_bytes)
        start = time.perf_counter()
        result = self.job()
        first = time.perf_counter() - start
        arrays = [] if result is None else [np.asarray(leaf) for leaf in leaves(result)]
        if file:
            np.savez(file, *arrays)
        return {"first": first, "bytes": sum(array.nbytes for array in arrays)}

    def seconds(self, budget: float) -> dict[str, Any]:
        """Times per call."""
        assert self.job is not None
        return {"times": measuring.seconds(self.job, budget)}

    def memory(self) -> dict[str, Any]:
        """Peak memory of one call."""
        assert self.job is not None
        return {"peak": measuring.peak_bytes(self.job)}

    def drop(self) -> dict[str, Any]:
        """Forget the workload and its memory."""
        self.job = None
        return {}


def main(name: str, cores: int) -> None:
    """Answer requests until the input ends."""
    if hasattr(os, "sched_setaffinity"):
        # before the library starts its threads: not every library takes a number of threads
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    answers = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    session = Session(library(name))
    print(json.dumps({"version": version(MODULES[name])}), file=answers, flush=True)
    for line in sys.stdin:
        action, arguments = json.loads(line)
        try:
            answer = getattr(session, action)(**arguments)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
