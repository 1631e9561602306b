"""Progress of long work: a bar of tqdm's, or a function that is told how much is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from tensorplay.func.arguments import describe
from tensorplay.lazy import LazyModule

tqdm = LazyModule("tqdm.auto")

# True for a bar, or what is called with how much is done, and of how much
Progress = bool | Callable[[int, int], Any] | None


def check_progress(title: str, progress: Any) -> None:
    """Raise unless `progress` is something that can be shown."""
    if progress is True:
        if find_spec("tqdm") is None:
            raise ImportError(
                f"{title}: progress=True draws its bar with tqdm, which is not installed: pip install tqdm. Or pass a "
                "function, progress=lambda done, total: ..."
            )
    elif progress not in (None, False) and not callable(progress):
        raise TypeError(
            f"{title}: progress must be True for a bar, or a function that is called with what is done and the total, "
            f"got {describe(progress)}"
        )


@contextmanager
def shown(title: str, progress: Progress, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Context that gives what is to be called with each amount that has been done; no bar outlives it."""
    if progress is True:
        with tqdm.tqdm(total=total, desc=title, unit=f" {unit}") as bar:
            yield bar.update
    elif callable(progress):
        yield _Count(progress, total).add
    else:
        yield _ignore


class _Count:
    """How much is done, told to a function at every step."""

    def __init__(self, told: Callable[[int, int], Any], total: int) -> None:
        self._told = told
        self._total = total
        self._done = 0

    def add(self, amount: int) -> None:
        """So much more is done."""
        self._done += amount
        self._told(self._done, self._total)


def _ignore(amount: int) -> None:
    """Nobody asked."""
