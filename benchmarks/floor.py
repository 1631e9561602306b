"""What a large workload costs at least: its BLAS calls, and one pass over its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.workloads.workload import Call, Workload

Step = Callable[[], object]


def libraries() -> None:
    """Load what the calls need, so that no measurement does."""
    import scipy.linalg.lapack  # noqa: F401


def work(workload: Workload, input_bytes: int, output_bytes: int) -> Step:
    """The calls and the passes, into memory that is there already."""
    steps = [step for call in workload.calls() for step in [_prepared(call)] * call.count]
    source, target = np.ones(input_bytes // 4, np.float32), np.ones(output_bytes // 4, np.float32)

    def run() -> None:
        for step in steps:
            step()
        source.max()
        target.fill(2.0)

    return run


def _prepared(call: Call) -> Step:
    return {"matmul": _matmul, "cholesky": _cholesky, "inverse": _inverse}[call.kind](*call.shapes)


def _matmul(left: tuple[int, ...], right: tuple[int, ...]) -> Step:
    a, b = np.ones(left, np.float32), np.ones(right, np.float32)
    out = np.empty((*left[:-1], right[-1]), np.float32)
    return lambda: np.matmul(a, b, out=out)


def _cholesky(shape: tuple[int, ...]) -> Step:
    from scipy.linalg.lapack import spotrf

    matrix = _positive(shape)
    return lambda: spotrf(matrix, lower=True)


def _inverse(shape: tuple[int, ...]) -> Step:
    from scipy.linalg.lapack import spotrf, spotri

    factor, _ = spotrf(_positive(shape), lower=True)
    return lambda: spotri(factor, lower=True)


def _positive(shape: tuple[int, ...]) -> np.ndarray:
    """A well-conditioned matrix in LAPACK's memory order."""
    return np.asfortranarray(np.eye(*shape, dtype=np.float32) + 1 / shape[0], dtype=np.float32)
