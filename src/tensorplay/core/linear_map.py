"""The derivative of a primitive at a point: a linear map that can be pushed and pulled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any


class LinearMap:
    """
    A linear map given by its two directions.

    `push(*tangents)` takes one tangent per argument (None is zero) to the tangent of the output (None is zero).
    `pull(ct)` takes the cotangent of the output to one cotangent per argument (None: no dependence).
    An entry of the latter may be a function without arguments, which is called only if its value is wanted.
    Ops with several outputs give and take a tuple, None for a zero entry.
    """

    __slots__ = ("pull", "push")

    def __init__(self, push: Callable[..., Any], pull: Callable[[Any], tuple[Any, ...]]) -> None:
        self.push = push
        self.pull = pull

    def pull_wanted(self, ct: Any, wanted: Sequence[Any]) -> Sequence[Any]:
        """Cotangents of those arguments whose entry of `wanted` is not None."""
        entries = self.pull(ct)
        return [
            entry() if entry.__class__ is FunctionType and w is not None else entry
            for entry, w in zip(entries, wanted, strict=True)
        ]
