"""A line search for steps that satisfy the strong Wolfe conditions, by cubic interpolation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from tensorplay.tensor.tensor import Tensor

# by which share of the slope at the start the loss must fall, and to which its own slope
ENOUGH, FLAT = 1e-4, 0.9


class Point(NamedTuple):
    """What is known of a function at some distance along a direction."""

    size: float
    loss: float
    gradient: Tensor
    slope: float


Evaluate = Callable[[float], Point]


def strong_wolfe(
    evaluate: Evaluate, start: Point, size: float, reach: float, tolerance: float, most: int
) -> tuple[Point, int]:
    """
    A point that satisfies the conditions, or the best that was found, and how many were evaluated.

    `reach` is the largest entry of the direction; brackets in which no entry moves by `tolerance` are not refined. At
    most `most` points are evaluated after the first, whose distance is `size`.
    """
    before, new = start, evaluate(size)
    for count in range(most):
        rises = _is_too_high(new, start) or (count > 1 and new.loss >= before.loss)
        if not rises and _is_flat(new, start):
            return new, count + 1
        if rises or new.slope >= 0:
            return _zoomed(evaluate, start, before, new, reach, tolerance, count, most)
        bounds = (new.size + 0.01 * (new.size - before.size), new.size * 10)
        before, new = new, evaluate(_lowest(before, new, bounds))
    return min(start, new, key=lambda point: point.loss), most + 1


def _zoomed(
    evaluate: Evaluate, start: Point, one: Point, other: Point, reach: float, tolerance: float, count: int, most: int
) -> tuple[Point, int]:
    """The same, within a bracket."""
    low, high = (one, other) if one.loss <= other.loss else (other, one)
    near_an_end = False
    while count < most and abs(high.size - low.size) * reach >= tolerance:
        size, near_an_end = _inside(_lowest(low, high), low, high, near_an_end)
        new = evaluate(size)
        count += 1
        if _is_too_high(new, start) or new.loss >= low.loss:
            low, high = (low, new) if low.loss <= new.loss else (new, low)
            continue
        if _is_flat(new, start):
            return new, count + 1
        low, high = new, (low if new.slope * (high.size - low.size) >= 0 else high)
    return low, count + 1


def _is_too_high(new: Point, start: Point) -> bool:
    return new.loss > start.loss + ENOUGH * new.size * start.slope


def _is_flat(new: Point, start: Point) -> bool:
    return abs(new.slope) <= -FLAT * start.slope


def _inside(size: float, low: Point, high: Point, near_an_end: bool) -> tuple[float, bool]:
    """A distance that is not near an end of the bracket a second time, and whether it is near one now."""
    least, largest = sorted((low.size, high.size))
    margin = 0.1 * (largest - least)
    if min(largest - size, size - least) >= margin:
        return size, False
    if not near_an_end and least < size < largest:
        return size, True
    return (largest - margin if abs(size - largest) < abs(size - least) else least + margin), False


def _lowest(one: Point, other: Point, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two points is lowest, within bounds (by default, between them)."""
    left, right = (one, other) if one.size <= other.size else (other, one)
    least, largest = bounds or (left.size, right.size)
    bend = left.slope + right.slope - 3 * (left.loss - right.loss) / (left.size - right.size)
    square = bend**2 - left.slope * right.slope
    if not square >= 0:
        return (least + largest) / 2
    root = math.sqrt(square)
    share = (right.slope + root - bend) / (right.slope - left.slope + 2 * root)
    return min(max(right.size - (right.size - left.size) * share, least), largest)
