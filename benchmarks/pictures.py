"""The results as pictures: ratios of time and memory by workload, and how cost grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.libraries import FLOOR, JAX, JITTED, OURS, TORCH
from benchmarks.results import Row

COLOURS = {OURS: "#b5179e", TORCH: "#e07a1f", JAX: "#7d8597", JITTED: "#1f6fb2", FLOOR: "#2b2d42"}
INK = "#2b2d42"


def draw_ratios(rows: Sequence[Row], path: Path) -> None:
    """A row per workload; to the right of one, tensorplay takes less."""
    from matplotlib import pyplot

    figure, (times, memory) = pyplot.subplots(
        1, 2, figsize=(11, 1.6 + 0.3 * len(rows)), sharey=True, width_ratios=(3, 2), layout="constrained"
    )
    _bars(times, rows, Row.ratio, "time")
    _bars(memory, rows, Row.memory_ratio, "peak memory")
    times.set_yticks(range(len(rows)), [row.name.replace("_", " ") for row in rows])
    times.set_ylim(len(rows) - 0.5, -0.5)
    handles, labels = times.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _bars(axes: object, rows: Sequence[Row], ratio: Callable[[Row, str], float | None], what: str) -> None:
    """Bars from one to each peer's ratio, on a logarithmic scale."""
    peers = [peer for peer in (TORCH, JAX, JITTED) if any(ratio(row, peer) for row in rows)]
    height = 0.8 / max(1, len(peers))
    for number, peer in enumerate(peers):
        known = {place: found for place, row in enumerate(rows) if (found := ratio(row, peer))}
        places = [place - 0.4 + (number + 0.5) * height for place in known]
        widths = [found - 1 for found in known.values()]
        axes.barh(places, widths, height, left=1, color=COLOURS[peer], label=peer)  # type: ignore[attr-defined]
    axes.set_xscale("log")  # type: ignore[attr-defined]
    axes.axvline(1, color=INK, linewidth=1)  # type: ignore[attr-defined]
    axes.set_xlabel(f"{what}, times that of tensorplay")  # type: ignore[attr-defined]
    axes.xaxis.set_major_formatter("{x:g}")  # type: ignore[attr-defined]
    axes.grid(axis="x", alpha=0.3)  # type: ignore[attr-defined]
    axes.spines[["top", "right", "left"]].set_visible(False)  # type: ignore[attr-defined]
    axes.tick_params(axis="y", length=0)  # type: ignore[attr-defined]


def draw_growth(curves: dict[str, dict[int, Row]], path: Path) -> None:
    """Time over size, a panel for each size that grows."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(curves), figsize=(3.2 * len(curves), 3.4), squeeze=False, layout="constrained"
    )
    for axes, (curve, rows) in zip(panels[0], curves.items(), strict=True):
        for library in (OURS, TORCH, JAX, JITTED):
            points = {size: row.measurements[library] for size, row in rows.items() if library in row.measurements}
            if points:
                milliseconds = [1e3 * measurement.median for measurement in points.values()]
                axes.loglog(list(points), milliseconds, "o-", color=COLOURS[library], label=library, markersize=4)
        if max(rows) < 2000:  # sizes that fit under the axis
            axes.set_xticks(list(rows), [str(size) for size in rows])
        axes.minorticks_off()
        axes.set_xlabel(curve)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("milliseconds")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
