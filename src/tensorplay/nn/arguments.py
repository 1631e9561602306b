"""Arguments of layers: one number for all dims, or one each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def as_tuple(value: Any, count: int) -> tuple[Any, ...]:
    """One entry a dim."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count
