"""One library in one process: reads names of workloads, answers with times and a checksum."""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time

import numpy as np
from workloads import WORKLOADS


def leaves(result: object) -> list[np.ndarray]:
    """Arrays in nested containers of tensors."""
    if isinstance(result, tuple | list):
        return [leaf for entry in result for leaf in leaves(entry)]
    return [result.detach().numpy()]  # type: ignore[attr-defined]


def measure(name: str, lib: object) -> dict[str, float]:
    """Median and least time of a call in seconds, and the sum of the squares of what it returns."""
    job = WORKLOADS[name](lib)
    checksum = float(sum((leaf.astype(np.float64) ** 2).sum() for leaf in leaves(job())))
    started, calls = time.perf_counter(), 0
    while time.perf_counter() - started < 0.2 or calls < 3:
        job()
        calls += 1
    times = []
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(max(1, calls // 4)):
            job()
        times.append((time.perf_counter() - start) / max(1, calls // 4))
    return {"median": statistics.median(times), "least": min(times), "checksum": checksum}


def main() -> None:
    """Answer requests until the input ends."""
    start = time.perf_counter()
    lib = importlib.import_module(sys.argv[1])
    for name in ("func", "nn.functional"):
        importlib.import_module(f"{sys.argv[1]}.{name}")
    print(json.dumps({"import": time.perf_counter() - start}), flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(line.strip(), lib)), flush=True)


if __name__ == "__main__":
    main()
