"""How quick tensorplay is to be, next to its peers and to what the machine allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.libraries import FLOOR, JAX, JITTED, TORCH
from benchmarks.results import Row, geometric_mean

AHEAD_OF_JITTED = {"per_sample_mlp", "per_sample_cnn", "ensemble_forward", "ensemble_step"}


def every(row: Row) -> bool:
    """All workloads."""
    return True


def small(row: Row) -> bool:
    """Workloads that cost overhead."""
    return row.group == "small"


def large(row: Row) -> bool:
    """Workloads that cost arithmetic and memory."""
    return row.group == "large"


@dataclass(frozen=True)
class Goal:
    """A peer takes `least` times as long as tensorplay, or more, on each of some workloads or on their mean."""

    sentence: str
    peer: str
    least: float
    chosen: Callable[[Row], bool] = every
    mean: bool = False

    def verdict(self, rows: Sequence[Row]) -> str | None:
        """Whether it holds, and where it does not; None where the peer was not measured."""
        ratios = {row.name: ratio for row in rows if self.chosen(row) and (ratio := row.ratio(self.peer))}
        if not ratios:
            return None
        if self.mean:
            mean = geometric_mean(ratios.values())
            return f"{'holds' if mean >= self.least else 'FAILS'}: {self.sentence}: {shown(mean)}"
        short = sorted((ratio, name) for name, ratio in ratios.items() if ratio < self.least)
        worst = ", ".join(f"{name} {shown(ratio)}" for ratio, name in short)
        end = f": {len(short)} of {len(ratios)} fall short: {worst}" if short else ""
        return f"{'FAILS' if short else 'holds'}: {self.sentence}{end}"


def shown(ratio: float) -> str:
    """A ratio for a reader."""
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x"


GOALS = (
    Goal("at least 1.2x as quick as torch everywhere", TORCH, 1.2),
    Goal("at least 5x as quick as torch on small workloads, by geometric mean", TORCH, 5.0, small, mean=True),
    Goal("at least 1.5x as quick as torch on large workloads, by geometric mean", TORCH, 1.5, large, mean=True),
    Goal("at least 5x as quick as JAX op by op everywhere", JAX, 5.0),
    Goal("at most 3x as slow as jitted JAX everywhere", JITTED, 1 / 3),
    Goal(
        "ahead of jitted JAX on per-sample gradients of MLP and CNN, and on ensembles",
        JITTED,
        1.0,
        lambda row: row.name in AHEAD_OF_JITTED,
    ),
    Goal("large workloads at most 2x as slow as their floor", FLOOR, 0.5, large),
)
