"""Whether a peer's result is ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

# where the input of a ReLU is zero but for rounding, libraries may take either side: a row of a gradient may differ
EXEMPT = 1e-3  # of an array's entries
DISTANCE = 1e-2  # of all that differs together, of the array's norm


def disagreements(ours: Path, theirs: Path, tolerance: float) -> Iterator[str]:
    """A sentence per leaf that differs; nearly every entry must agree to `tolerance` of the leaf's largest entry."""
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
        difference, scale = np.abs(mine - other), max(float(np.abs(mine).max()), 1e-6)
        wrong = np.count_nonzero(difference > tolerance * scale)
        if (
            wrong > EXEMPT * mine.size
            or np.linalg.norm(difference) > DISTANCE * np.linalg.norm(mine) + tolerance * scale
        ):
            worst = f"by up to {difference.max():.2g}, where the largest is {scale:.2g}"
            yield f"{name}: {wrong} of {mine.size} entries differ {worst}"
