"""Kernels on sliding windows give the same numbers, bit by bit, however many threads share them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.value import Shape
from tensorplay.ops import windows
from tensorplay.ops.windows import Windows

OVERLAPPING = Windows((3, 2), (2, 1), (1, 2), (1, 0), (4, 5))
IMAGE = (7, 7)


def with_ties() -> Any:
    x = np.random.default_rng(0).integers(-3, 3, (5, 2, *IMAGE)).astype(np.float32)
    x[2, 1, 3] = np.nan
    x[4, 0, :, 2] = np.inf
    return x


X, Y = with_ties(), np.random.default_rng(1).normal(size=(5, 2, *OVERLAPPING.out)).astype(np.float32)
BEST = windows._window_max_impl(X, OVERLAPPING)
TAPS = windows._window_argmax_impl(X, BEST, OVERLAPPING)
UNPADDED = windows.unpadded((3, 2), (2, 1), (1, 2), IMAGE)
CUT = np.random.default_rng(2).normal(size=(5, 2, 3, 2, *UNPADDED.out)).astype(np.float32)

KERNELS: dict[str, Callable[[], Any]] = {
    "overlap_add": lambda: windows._overlap_add_impl(CUT, UNPADDED, IMAGE),
    "sum": lambda: windows._window_sum_impl(X, OVERLAPPING),
    "spread": lambda: windows._window_spread_impl(Y, OVERLAPPING, IMAGE),
    "take": lambda: windows._window_take_impl(X, TAPS, OVERLAPPING),
    "put": lambda: windows._window_put_impl(Y, TAPS, OVERLAPPING, IMAGE),
    "max": lambda: windows._window_max_impl(X, OVERLAPPING),
    "argmax": lambda: windows._window_argmax_impl(X, BEST, OVERLAPPING),
}


@pytest.mark.parametrize("name", KERNELS)
def test_threads_change_no_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tp.get_num_threads()
    with np.errstate(all="ignore"):
        alone = KERNELS[name]()
        monkeypatch.setattr(windows, "ENOUGH", 1)
        try:
            tp.set_num_threads(3)
            shared = KERNELS[name]()
        finally:
            tp.set_num_threads(before)
    assert shared.dtype == alone.dtype
    np.testing.assert_array_equal(shared, alone)


def taps_of(w: Windows, image: Shape) -> Any:
    """Per window, number and place of each tap that lies within the image."""
    for at in np.ndindex(w.out):
        inside = []
        for number, tap in enumerate(np.ndindex(w.kernel)):
            place = tuple(
                o * s + t * d - p for o, s, t, d, p in zip(at, w.stride, tap, w.dilation, w.padding, strict=True)
            )
            if all(0 <= i < n for i, n in zip(place, image, strict=True)):
                inside.append((number, place))
        yield at, inside


def test_the_tap_of_a_maximum_is_the_first_but_the_last_nan() -> None:
    for sample in np.ndindex(X.shape[:2]):
        for at, inside in taps_of(OVERLAPPING, IMAGE):
            values = [X[(*sample, *place)] for _, place in inside]
            undefined = [number for (number, _), value in zip(inside, values, strict=True) if np.isnan(value)]
            first = inside[int(np.argmax(values))][0]
            assert TAPS[(*sample, *at)] == (undefined[-1] if undefined else first)
            np.testing.assert_equal(BEST[(*sample, *at)], np.nan if undefined else max(values))
