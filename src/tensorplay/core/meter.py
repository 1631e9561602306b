"""How much memory a computation takes: arrays and Python objects, as tracemalloc sees them."""

from __future__ import annotations

import threading
import tracemalloc

_lock = threading.Lock()
_running: list[Meter] = []  # of all threads, which share one peak
_started = False  # whether the first of them has started tracemalloc


class Meter:
    """
    Context in which memory is measured: what is in use above what was at its start, and the most since a mark.

    Who watches tracemalloc's peak too loses an earlier one only where that is more than `spare` bytes away.
    """

    __slots__ = ("_base", "_marked", "_most", "_spare")

    def __init__(self, spare: int) -> None:
        self._spare = spare

    def __enter__(self) -> Meter:
        global _started
        self._most = 0
        with _lock:
            if not _running:
                _started = not tracemalloc.is_tracing()
                if _started:
                    tracemalloc.start()
            _running.append(self)
            self._base, peak = tracemalloc.get_traced_memory()
            if peak - self._base > self._spare:
                _reset_peak(peak)
        self.mark()
        return self

    def __exit__(self, *_: object) -> None:
        with _lock:
            _running.remove(self)
            if _started and not _running:
                tracemalloc.stop()

    @property
    def in_use(self) -> int:
        """Bytes in use."""
        return max(tracemalloc.get_traced_memory()[0] - self._base, 0)

    def mark(self) -> None:
        """Measure the most from here on."""
        with _lock:
            if _started:
                _reset_peak(tracemalloc.get_traced_memory()[1])
            self._marked = tracemalloc.get_traced_memory()[1]
            self._most = 0

    def most(self) -> tuple[int, bool]:
        """The most bytes that were in use since the mark, and whether that is known or only a bound."""
        peak = max(self._most, tracemalloc.get_traced_memory()[1])
        return max(peak - self._base, 0), peak > self._marked


def _reset_peak(peak: int) -> None:
    """Start tracemalloc's peak anew, of which each meter takes note; the lock is held."""
    for meter in _running:
        meter._most = max(meter._most, peak)
    tracemalloc.reset_peak()
