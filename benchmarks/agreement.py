"""Whether a peer's result is ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np


def disagreements(ours: Path, theirs: Path, tolerance: float) -> Iterator[str]:
    """A sentence per leaf that differs; `tolerance` is a fraction of the leaf's largest entry."""
    with np.load(ours) as mine, np.load(theirs) as other:
        if len(mine) != len(other):
            yield f"{len(mine)} arrays and {len(other)}"
            return
        for name in mine:
            yield from _differences(name, mine[name], other[name], tolerance)


def _differences(name: str, mine: np.ndarray, other: np.ndarray, tolerance: float) -> Iterator[str]:
    if mine.shape != other.shape:
        yield f"{name}: shapes {mine.shape} and {other.shape}"
    elif not (np.isfinite(mine).all() and np.isfinite(other).all()):
        yield f"{name}: an entry is not finite"
    elif mine.size:
        difference, scale = float(np.abs(mine - other).max()), float(np.abs(mine).max())
        if difference > tolerance * max(scale, 1e-6):
            yield f"{name}: entries differ by up to {difference:.2g}, the largest is {scale:.2g}"
