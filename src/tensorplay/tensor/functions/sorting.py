"""Order statistics and cumulative functions."""

from __future__ import annotations

from tensorplay.tensor.lift import lift  # noqa: F401

__all__: list[str] = []
