"""assert_close: what it lets pass, what it refuses, and what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close

ONES = tp.ones(3)


@pytest.mark.parametrize(
    ("actual", "expected", "options"),
    [
        (ONES, ONES + 1e-6, {}),
        (ONES, ONES.numpy() + np.float32(1e-6), {}),
        (ONES.half(), ONES.half() * 1.001, {}),
        (ONES.double(), ONES.double() + 1e-8, {}),
        (ONES.cfloat(), ONES.cfloat() + 1e-6j, {}),
        (ONES, ONES.double() + 1e-6, {"check_dtype": False}),
        (ONES, ONES + 0.5, {"rtol": 0.0, "atol": 0.6}),
        (tp.tensor([1, 2]), tp.tensor([2, 3]), {"rtol": 0.0, "atol": 1.0}),
        (tp.tensor([tp.inf, -tp.inf]), tp.tensor([tp.inf, -tp.inf]), {}),
        (tp.tensor([tp.nan]), tp.tensor([tp.nan]), {"equal_nan": True}),
        (tp.ones(0, 2), tp.ones(0, 2), {}),
        (tp.tensor(True), tp.tensor(True), {}),
        ({"a": [ONES, 2.0]}, {"a": (ONES, 2.0 + 1e-8)}, {}),
        (tp.ones(2, 3).t(), tp.ones(3, 2), {}),
        (ONES.clone().requires_grad_(), ONES, {}),
        (3, 3, {}),
    ],
)
def test_what_is_close(actual: Any, expected: Any, options: Any) -> None:
    assert_close(actual, expected, **options)


@pytest.mark.parametrize(
    ("words", "actual", "expected", "options"),
    [
        (("1 of 3", "0.5", "at [1]", "got 1.0, expected 1.5"), ONES, tp.tensor([1.0, 1.5, 1.0]), {}),
        (("3 of 3", "atol=1e-07"), ONES.double(), ONES.double() + 1e-6, {}),
        (("shapes differ", "[3] != [3, 1]"), ONES, tp.ones(3, 1), {}),
        (("dtypes differ", "float32 != tensorplay.float64"), ONES, ONES.double(), {}),
        (("strides differ", "(1, 3) != (2, 1)"), tp.ones(2, 3).t(), tp.ones(3, 2), {"check_stride": True}),
        (("at ['a'][1]", "2.5"), {"a": [ONES, 2.0]}, {"a": [ONES, 2.5]}, {}),
        (("keys differ", "missing ['b']", "unexpected ['a']"), {"a": ONES}, {"b": ONES}, {}),
        (("lengths differ", "1 != 2"), [ONES], [ONES, ONES], {}),
        (("types differ", "int != float"), 1, 1.0, {}),
        (("1 of 1", "nan"), tp.tensor(tp.nan), tp.tensor(tp.nan), {}),
        (("1 of 2",), tp.tensor([1.0, tp.inf]), tp.tensor([1.0, 3.0]), {}),
        (("2 of 2",), tp.tensor([1.0, tp.inf]), tp.tensor([tp.inf, -tp.inf]), {"rtol": 0.1, "atol": 0.1}),
        (("got 9007199254740993",), tp.tensor([2**53 + 1]), tp.tensor([2**53]), {}),
        (("1 of 1",), tp.tensor([0], dtype=tp.uint8), tp.tensor([255], dtype=tp.uint8), {"rtol": 0.0, "atol": 1.0}),
        (("1 of 1",), tp.tensor([True]), tp.tensor([False]), {}),
    ],
)
def test_what_is_not(words: tuple[str, ...], actual: Any, expected: Any, options: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected, **options)
    for word in words:
        assert word in str(caught.value)


def test_messages_of_ones_own() -> None:
    for msg, shown in (("mine", "mine"), (lambda usual: f"{usual[:7]}: mine", "tensors: mine")):
        with pytest.raises(AssertionError, match=f"^{shown}$"):
            assert_close(ONES, ONES * 2, msg=msg)


def test_what_cannot_be_compared() -> None:
    for actual, expected in ((ONES, 1.0), ("a", "a"), ([ONES], ONES), (None, None)):
        with pytest.raises(TypeError, match=r"^assert_close\(\): cannot compare"):
            assert_close(actual, expected)
    with pytest.raises(ValueError, match=r"both rtol and atol.*rtol=0.1 and atol=None"):
        assert_close(ONES, ONES, rtol=0.1)
