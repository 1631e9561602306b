"""The driver's side of a worker: a process to which work is sent, and the environment that is the same for all."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from benchmarks.libraries import MODULES

ROOT = Path(__file__).parents[1]
PAUSE = 0.05  # threads of a BLAS spin for some ten milliseconds after their work; the next worker should not meet them
# a BLAS that is told of another processor than it runs on may choose slow kernels
UNWANTED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONDONTWRITEBYTECODE")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


# an allocator that keeps what is freed hides what the next call needs; without the habit, calls are slower
FORGETFUL = {"MALLOC_MMAP_THRESHOLD_": "65536"}


def environment(cores: int) -> dict[str, str]:
    """The environment of every worker."""
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return {**kept, **dict.fromkeys(THREADS, str(cores)), "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}


def has(python: str, module: str) -> bool:
    """Whether an interpreter finds a module."""
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def import_seconds(python: str, module: str, cores: int) -> float:
    """Time that an import takes in a new process, without the start of the interpreter."""
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    run = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True, env=environment(cores))
    return float(run.stdout)


class Failure(RuntimeError):
    """A worker could not do its work."""


class Worker:
    """A library in a process of its own."""

    def __init__(self, library: str, python: str, cores: int, forgetful: bool = False) -> None:
        self.library, self.python, self.module = library, python, MODULES[library]
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", library, str(cores)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(cores) | (FORGETFUL if forgetful else {}),
        )
        self.version: str = self._answer()["version"]

    def ask(self, action: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a request, while all other workers sleep."""
        assert self._process.stdin is not None
        print(json.dumps([action, arguments]), file=self._process.stdin, flush=True)
        answer = self._answer()
        time.sleep(PAUSE)
        return answer

    def stop(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Failure(f"the process of {self.library} ended; what it printed stands above")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(f"{self.library}: {answer['error']}")
        return answer
