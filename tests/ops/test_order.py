"""Order of many elements: ties keep their order, NaN comes last, and distinct elements are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp

DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


def _many(dtype: str, kind: str, shape: tuple[int, ...]) -> Any:
    random = np.random.default_rng(0)
    if dtype.startswith("float"):
        x = random.integers(-3, 3, shape) * 1.0 if kind == "ties" else random.standard_normal(shape)
        for odd in (np.nan, np.inf, -np.inf, -0.0, 0.0):
            x[random.random(shape) < 0.05] = odd
        return x.astype(dtype)
    if dtype == "bool":
        return random.random(shape) < 0.5
    info = np.iinfo(dtype)
    low, high = (0, 5) if kind == "ties" else (info.min, info.max)
    x = random.integers(low, high, shape, dtype=dtype)
    x[..., :2] = low, high
    return x


@pytest.mark.parametrize("kind", ["ties", "wide"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_is_stable_whatever_the_size(dtype: str, kind: str) -> None:
    for shape, dim in (((90, 70), 0), ((90, 70), 1), ((7000,), 0), ((9, 30, 20), 1), ((5000, 0), 1)):
        x = _many(dtype, kind, shape) if 0 not in shape else np.zeros(shape, dtype)
        values, indices = tp.sort(tp.tensor(x), dim)
        expected = np.argsort(x, axis=dim, kind="stable")
        assert indices.dtype == tp.int64
        assert np.array_equal(indices.numpy(), expected)
        assert np.array_equal(values.numpy(), np.take_along_axis(x, expected, dim), equal_nan=x.dtype.kind == "f")
        turned = np.flip(x.shape[dim] - 1 - np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)
        assert np.array_equal(tp.argsort(tp.tensor(x), dim, descending=True).numpy(), turned)


@pytest.mark.parametrize("kind", ["ties", "wide"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_with_and_without_what_else_it_can_tell(dtype: str, kind: str) -> None:
    x = _many(dtype, kind, (60, 100))
    values, inverse, counts = tp.unique(tp.tensor(x), return_inverse=True, return_counts=True)
    expected, expected_counts = np.unique(x, return_counts=True, equal_nan=False)
    assert np.array_equal(values.numpy(), expected, equal_nan=x.dtype.kind == "f")
    assert np.array_equal(counts.numpy(), expected_counts)
    assert np.array_equal(values[inverse].numpy(), x, equal_nan=x.dtype.kind == "f")
    assert np.array_equal(tp.unique(tp.tensor(x)).numpy(), values.numpy(), equal_nan=x.dtype.kind == "f")


@pytest.mark.parametrize("zeros", [[0.0, -0.0, 1.0], [-0.0, 0.0, 1.0]])
def test_of_equal_elements_unique_gives_the_first(zeros: list[float]) -> None:
    x = tp.tensor(zeros)
    for found in (tp.unique(x), tp.unique(x, return_counts=True)[0], tp.unique(x.clone().requires_grad_()).detach()):
        assert tp.signbit(found).tolist() == tp.signbit(x[[0, 2]]).tolist()
