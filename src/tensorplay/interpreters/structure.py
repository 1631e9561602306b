"""
Structure: a number for each op of a record, which tells how it came about.

Ops of two records have the same number if, and only if, these consist of the same ops up to there, on operands of the
same shapes and dtypes, linked in the same way.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np

from tensorplay.core.value import Traced
from tensorplay.interpreters.batch import Batched

MOST = 1 << 14  # structures that are remembered; then all are forgotten

MOST_OUTPUTS = 1 << 10  # of an op: the number of an output is that of the op and its place

_numbers = itertools.count(MOST_OUTPUTS, MOST_OUTPUTS)  # a number is never given again
_known: dict[Hashable, int] = {}

# the number of a structure that is remembered
number_if_known = _known.get


def number_of(structure: Hashable) -> int:
    """The number of a structure, a new one if it is not remembered."""
    number = number_if_known(structure)
    if number is None:
        if len(_known) >= MOST:
            _known.clear()
        number = _known.setdefault(structure, next(_numbers))
    return number


def forget() -> None:
    """Forget all structures, and with them the primitives that they are made of."""
    _known.clear()


def form_of(operand: Any) -> Hashable:
    """What the structure of an op tells of an operand that is not recorded: not the elements of an array."""
    if operand.__class__ is np.ndarray:
        return operand.shape, operand.dtype.char
    if operand.__class__ is Batched:
        return operand.inner.shape, operand.dtype.char, "mapped"
    if isinstance(operand, Traced):
        return operand.shape, operand.dtype.char, "traced"
    return operand.__class__, str(operand)  # which tells zeros of different signs apart
