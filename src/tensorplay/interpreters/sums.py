"""Sums of cotangents, of which some wait until others of their kind can be computed with them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy import ndarray

from tensorplay.core.linear_map import Term, computed
from tensorplay.core.value import Value
from tensorplay.ops.families import FEW, add
from tensorplay.ops.many import add_to


def summed(have: Any, term: Any) -> Any:
    """A cotangent, or what came so far of it, and one more term."""
    if have is None:
        return computed(term)
    if have.__class__ is Sum:
        have.take(term)
        return have
    if isinstance(term, Term):
        total = Sum(have)
        total.take(term)
        return total
    out = add(have, term)
    return Sum(out, own=True) if out.__class__ is ndarray and out.size > FEW else out


MOST_WAITING = 64  # terms: enough for their sum to be quick, few enough for the memory that they keep


class Sum:
    """What came so far of a cotangent: a total, and terms that wait for others of their kind."""

    __slots__ = ("own", "total", "waiting")

    def __init__(self, total: Value, *, own: bool = False) -> None:
        self.total = total
        self.own = own  # whether nobody else knows the total, so that it may be added to in place
        self.waiting: dict[Hashable, list[Term]] = {}

    def take(self, term: Any) -> None:
        """Add one more cotangent, now or later."""
        kind = term.kind() if isinstance(term, Term) else None
        if kind is None:
            self._add(computed(term))
            return
        alike = self.waiting.setdefault(kind, [])
        alike.append(term)
        if len(alike) == MOST_WAITING:
            del self.waiting[kind]
            self._add(alike[0].sum_with(alike[1:]))

    def value(self) -> Value:
        """The sum."""
        for first, *others in self.waiting.values():
            self._add(first.sum_with(others))
        return self.total

    def _add(self, term: Value) -> None:
        if self.own and self.total.__class__ is ndarray and term.__class__ is ndarray:
            add_to(self.total, term)
        else:
            self.total = add(self.total, term)
            self.own = True
