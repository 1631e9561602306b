"""Freed memory is kept for the next result: pages that the system must find anew cost more than arithmetic on them."""

from __future__ import annotations

import ctypes
import os

# of glibc's malloc.h
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_MOST = 1 << 30
# what says that someone else has decided
_SETTINGS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def bytes_to_keep() -> int:
    """TENSORPLAY_KEEP_MEMORY in bytes, else a sixteenth of the memory there is, at most a gibibyte."""
    given = os.environ.get("TENSORPLAY_KEEP_MEMORY", "")
    if given.isdigit():
        return min(int(given), (1 << 31) - 1)
    if any([name in os.environ for name in _SETTINGS]) or not hasattr(os, "sysconf"):
        return 0
    return min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 16, _MOST)


def keep_freed_memory(number: int) -> bool:
    """
    Let this process keep so many freed bytes for its next arrays, instead of giving them back to the system at once.

    Returns whether the C library can be asked to: glibc can. By default it returns every array of more than 128 KiB, or
    what lies free at the end of its heap, and gets new pages, zeroed one by one, for the next array of that size.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is None or number <= 0:
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, number) and mallopt(_M_TRIM_THRESHOLD, number))
