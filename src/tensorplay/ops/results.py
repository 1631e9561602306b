"""Named tuples that ops with several results return."""

from __future__ import annotations

from typing import NamedTuple

from tensorplay.core.value import Value


class ValuesIndices(NamedTuple):
    """Selected elements, and their positions along the dim."""

    values: Value
    indices: Value


class MinMax(NamedTuple):
    """Least and greatest elements."""

    min: Value
    max: Value


class Histogram(NamedTuple):
    """What fell into each bin, and the edges of the bins (of each dim)."""

    hist: Value
    bin_edges: Value
