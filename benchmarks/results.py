"""What was measured: a row per workload, with a measurement per library."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks.libraries import OURS

COMPARABLE_BYTES = 1_000_000  # the system counts pages, and libraries keep some in hand


@dataclass
class Measurement:
    """One library at one workload: the median time of each round, the first call, and the peak of memory."""

    rounds: list[float] = field(default_factory=list)
    first: float | None = None
    peak: int | None = None

    @property
    def median(self) -> float:
        """Median over rounds, in seconds."""
        return statistics.median(self.rounds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """What a quarter, and three quarters, of the rounds took at most."""
        if len(self.rounds) < 2:
            return self.median, self.median
        lower, _, upper = statistics.quantiles(self.rounds, n=4, method="inclusive")
        return lower, upper


@dataclass
class Row:
    """One workload."""

    name: str
    group: str
    measurements: dict[str, Measurement] = field(default_factory=dict)

    def ratio(self, peer: str) -> float | None:
        """How many times as long as ours a peer takes."""
        if not {OURS, peer} <= self.measurements.keys():
            return None
        return self.measurements[peer].median / self.measurements[OURS].median

    def memory_ratio(self, peer: str) -> float | None:
        """How many times as much memory as ours a peer needs; None where that is noise."""
        ours, theirs = (self.measurements.get(library, Measurement()).peak for library in (OURS, peer))
        return theirs / ours if ours and theirs and min(ours, theirs) >= COMPARABLE_BYTES else None


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean of ratios."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))
