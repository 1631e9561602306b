"""The results as text: a line while they come, and Markdown tables at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.goals import GOALS, large, shown, small
from benchmarks.libraries import FLOOR, JAX, JITTED, LIBRARIES, OURS, TORCH
from benchmarks.results import Measurement, Row, geometric_mean

PEERS = (TORCH, JAX, JITTED)
MEANS = (("geometric mean of small", small), ("geometric mean of large", large))


def line(row: Row) -> str:
    """One row while the run goes on."""
    ours = row.measurements.get(OURS)
    ratios = [f"{peer} {shown(ratio)}" for peer in (*PEERS, FLOOR) if (ratio := row.ratio(peer))]
    return f"{row.name:<24}{time(ours.median) if ours else '':>12}   {'   '.join(ratios)}"


def report(rows: Sequence[Row], versions: dict[str, str]) -> str:
    """All tables and the goals."""
    libraries = [library for library in LIBRARIES if any(library in row.measurements for row in rows)]
    parts = [
        "## Times",
        "Medians over rounds, with their quartiles.",
        _times(rows, libraries),
        "## Ratios",
        "How many times as long, and as much memory, as tensorplay; the last columns are tensorplay's own. "
        "Peaks below a megabyte are not compared.",
        _ratios(rows, libraries),
    ]
    if any(row.measurements.get(JITTED, Measurement()).first for row in rows):
        parts += ["## First calls", "Compilation included, where a library compiles.", _first_calls(rows, libraries)]
    verdicts = [f"- {verdict}" for goal in GOALS if (verdict := goal.verdict(rows))]
    if verdicts:
        parts += ["## Goals", "\n".join(verdicts)]
    return "\n\n".join([_heading(versions), *parts])


def growth(curves: dict[str, dict[int, Row]]) -> str:
    """A table for each size that grows."""
    parts = ["## Growth"]
    for curve, rows in curves.items():
        libraries = [library for library in LIBRARIES if any(library in row.measurements for row in rows.values())]
        body = [[str(size), *(_median(row, library) for library in libraries)] for size, row in rows.items()]
        parts.append(_table([curve, *libraries], body))
    return "\n\n".join(parts)


def time(seconds: float) -> str:
    """A time with its unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _heading(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    ruler = [":--", *["--:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ruler, *body))


def _times(rows: Sequence[Row], libraries: Sequence[str]) -> str:
    return _table(["workload", *libraries], ([row.name, *(_spread(row, name) for name in libraries)] for row in rows))


def _spread(row: Row, library: str) -> str:
    if library not in row.measurements:
        return ""
    lower, upper = row.measurements[library].quartiles
    return f"{_median(row, library)} [{time(lower)}, {time(upper)}]"


def _median(row: Row, library: str) -> str:
    return time(row.measurements[library].median) if library in row.measurements else ""


def _ratios(rows: Sequence[Row], libraries: Sequence[str]) -> str:
    peers = [peer for peer in PEERS if peer in libraries]
    head = ["workload", *peers, *(f"memory: {peer}" for peer in peers), "over the floor", "peak MB"]
    body = [_ratios_of(row, peers) for row in rows]
    for title, chosen in MEANS:
        means = [_mean(row.ratio(peer) for row in rows if chosen(row)) for peer in peers]
        memory = [_mean(row.memory_ratio(peer) for row in rows if chosen(row)) for peer in peers]
        body.append([title, *means, *memory, "", ""])
    return _table(head, body)


def _ratios_of(row: Row, peers: Sequence[str]) -> list[str]:
    floor, peak = row.ratio(FLOOR), row.measurements.get(OURS, Measurement()).peak
    return [
        row.name,
        *(_cell(row.ratio(peer)) for peer in peers),
        *(_cell(row.memory_ratio(peer)) for peer in peers),
        _cell(1 / floor if floor else None),
        "" if peak is None else f"{peak / 1e6:.3g}",
    ]


def _mean(ratios: Iterable[float | None]) -> str:
    known = [ratio for ratio in ratios if ratio]
    return _cell(geometric_mean(known) if known else None)


def _cell(ratio: float | None) -> str:
    return "" if ratio is None else shown(ratio)


def _first_calls(rows: Sequence[Row], libraries: Sequence[str]) -> str:
    timed = [library for library in libraries if library != FLOOR]
    body = []
    for row in rows:
        firsts = [row.measurements.get(library, Measurement()).first for library in timed]
        if any(firsts):
            body.append([row.name, *(time(first) if first else "" for first in firsts)])
    return _table(["workload", *timed], body)
