"""When was this memory last written? The clock that guards values saved for a derivative."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from tensorplay.core.value import Value, ground

latest = 0  # the time of the latest in-place write anywhere
_clock = threading.RLock()  # the clock never goes back; a finaliser that runs while it is held may write too
# id of an owning array -> (its last write, a weak reference whose callback removes the entry)
_last_write: dict[int, tuple[int, weakref.ref[Any]]] = {}


def owner_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that holds the memory behind `array`."""
    base = array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            array = base
        base = getattr(base, "base", None)  # a view by strides stands behind an object of NumPy's own
    return array


def note_write(array: np.ndarray[Any, Any]) -> None:
    """Say that the memory behind `array` is being written in place."""
    global latest
    owner = owner_of(array)
    key = id(owner)
    with _clock:
        latest += 1
        _last_write[key] = (latest, weakref.ref(owner, lambda _: _last_write.pop(key, None)))


def written_since(value: Value, time: int) -> bool:
    """Whether the memory behind `value` was written in place after `time`."""
    array = ground(value)
    if not isinstance(array, np.ndarray):
        return False
    entry = _last_write.get(id(owner_of(array)))
    return entry is not None and entry[0] > time
