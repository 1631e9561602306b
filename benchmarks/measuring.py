"""Time and memory of a call in this process."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLE_SECONDS = 2e-3  # calls are timed in rows that take at least this long, so that the clock does not matter


def seconds(job: Callable[[], Any], budget: float) -> list[float]:
    """Times per call, of rows of calls, until the budget is spent; the first row is not counted."""
    calls, end = _row(job), time.perf_counter() + budget
    times: list[float] = []
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            job()
        times.append((time.perf_counter() - start) / calls)
    return times


def _row(job: Callable[[], Any]) -> int:
    """How many calls take long enough; after the pause that the others' turns were, this warms up too."""
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            job()
        spent = time.perf_counter() - start
        if spent >= SAMPLE_SECONDS:
            return calls
        calls *= 2


def peak_bytes(job: Callable[[], Any]) -> int | None:
    """How far memory in use rises during a call, its result included; None where the system does not tell."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    reset.write_text("5")
    before = _field(status, "VmRSS")
    result = job()
    peak = _field(status, "VmHWM")
    del result
    return max(0, peak - before)


def _field(status: Path, name: str) -> int:
    line = next(line for line in status.read_text().splitlines() if line.startswith(name))
    return 1024 * int(line.split()[1])
