"""The derivative of a primitive at a point: a linear map that can be pushed and pulled."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from types import FunctionType
from typing import Any


class Term:
    """A cotangent that is yet to be computed: summed with others like it, it may cost less than they do one by one."""

    __slots__ = ()

    def value(self) -> Any:
        """The cotangent."""
        raise NotImplementedError

    def kind(self) -> Hashable:
        """What is equal for terms that should be summed by `sum_with`; None where nothing is gained by it."""
        raise NotImplementedError

    def sum_with(self, others: Sequence[Any]) -> Any:
        """Sum of this cotangent and of others of its kind."""
        raise NotImplementedError


def computed(entry: Any) -> Any:
    """The cotangent that an entry of a pull stands for."""
    return entry.value() if isinstance(entry, Term) else entry


class LinearMap:
    """
    A linear map given by its two directions.

    `push(*tangents)` takes one tangent per argument (None is zero) to the tangent of the output (None is zero).
    `pull(ct)` takes the cotangent of the output to one cotangent per argument (None: no dependence).
    An entry of the latter may be a `Term`, or a function that is called only if its value is wanted.
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
