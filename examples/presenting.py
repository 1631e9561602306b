"""What the tutorials share: options of the command line, progress, times, tables, and the look of pictures."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from tqdm import trange

mpl.use("Agg")
import matplotlib.pyplot as plt

# colours that are told apart by everybody (Okabe and Ito, 2008)
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f"

plt.rcParams.update(
    {
        "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, GREY]),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.constrained_layout.use": True,
        "font.size": 10,
        "legend.frameon": False,
        "savefig.dpi": 150,
    }
)


class Options(argparse.Namespace):
    """What the command line says: a small run or the full one, and the folder for pictures."""

    quick: bool
    folder: Path


def options() -> Options:
    """Options that every tutorial has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small sizes and few steps, to see that it runs")
    parser.add_argument("--folder", type=Path, default=Path(), help="where pictures go")
    return parser.parse_args(namespace=Options())


def progress(count: int, what: str, unit: str = "step") -> trange:
    """Numbers from 0 below count, with a bar in the terminal."""
    return trange(count, desc=what, unit=unit)


def milliseconds(function: Callable[[], object], repeats: int = 5) -> float:
    """Shortest time that a call takes."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def table(*rows: Sequence[str]) -> None:
    """Print rows of cells, the first of which is the header: texts to the left, all else to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join([first.strip().ljust(widths[0]), *others]))


def save(figure: plt.Figure, folder: Path, name: str) -> None:
    """Save a picture in the folder and say so."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / name, pil_kwargs={"optimize": True})
    plt.close(figure)
    print(f"picture: {name}")
