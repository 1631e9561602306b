"""When was this memory last written? The clock that guards values saved for a derivative."""

from __future__ import annotations

import threading
import weakref
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.value import Value, ground

latest = 0  # the time of the latest in-place write anywhere
_clock = threading.RLock()  # the clock never goes back; a finaliser that runs while it is held may write too
PARTS = 32  # written parts of one array that are told apart
EFFORT = 10_000  # how long to look for an element that two views share, before they are taken to share one


class Write(NamedTuple):
    """An in-place write: its time, and the operation as the user called it."""

    time: int
    what: str


class Part(NamedTuple):
    """Where the elements of a view lie. It holds no reference to the memory, which must be alive when it is asked."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "data": (self.address, True),
            "shape": self.shape,
            "strides": self.strides,
            "typestr": f"|V{self.itemsize}",
        }

    def overlaps(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether an element of `array` lies here."""
        try:
            return bool(np.shares_memory(np.asarray(self), array, max_work=EFFORT))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


class Written:
    """The writes to one owning array: the latest that may have touched all of it, and later ones to parts of it."""

    __slots__ = ("parts", "reference", "whole")

    def __init__(self, reference: weakref.ref[Any]) -> None:
        self.reference = reference  # its callback removes the entry
        self.whole = Write(0, "")
        self.parts: dict[Part, Write] = {}

    def add(self, part: Part, write: Write) -> None:
        """Note a write to a part; of too many, the oldest count as writes to all."""
        self.parts.pop(part, None)
        self.parts[part] = write
        if len(self.parts) > PARTS:
            for old in list(self.parts)[: PARTS // 2]:
                self.whole = self.parts.pop(old)


_written: dict[int, Written] = {}  # by the id of the owning array


def owner_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that holds the memory behind `array`."""
    base = array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            array = base
        base = getattr(base, "base", None)  # a view by strides stands behind an object of NumPy's own
    return array


def note_write(array: np.ndarray[Any, Any], what: str) -> None:
    """Say that `array` is being written in place, by the operation that the user calls `what`."""
    global latest
    owner = owner_of(array)
    key = id(owner)
    with _clock:
        latest += 1
        written = _written.get(key)
        if written is None:
            written = _written[key] = Written(weakref.ref(owner, lambda _: _written.pop(key, None)))
        if array.size == owner.size:
            written.whole = Write(latest, what)
            written.parts.clear()
        else:
            address = array.__array_interface__["data"][0]
            written.add(Part(address, array.shape, array.strides, array.itemsize), Write(latest, what))


def write_since(value: Value, time: int) -> str | None:
    """The operation, if any, that wrote to the memory of `value` after `time`."""
    array = ground(value)
    if not isinstance(array, np.ndarray):
        return None
    written = _written.get(id(owner_of(array)))
    if written is None:
        return None
    if written.whole.time > time:
        return written.whole.what
    for part, write in tuple(written.parts.items()):  # another thread may write meanwhile
        if write.time > time and part.overlaps(array):
            return write.what
    return None
