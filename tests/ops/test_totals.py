"""Sums over dims, whichever way they are taken, against exact ones in Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.modes import quiet
from tensorplay.ops.totals import sum_over

CASES = [
    ((40, 30), (0,)),
    ((40, 30), (1,)),
    ((40, 30), (0, 1)),
    ((40, 30), ()),
    ((7, 20, 16), (1,)),
    ((7, 20, 15), (1,)),
    ((7, 20, 16), (2, 1)),
    ((7, 20, 16), (0, 2)),
    ((3, 1025), (1,)),
    ((3, 8192), (1,)),
    ((3, 8193), (1,)),
    ((8191,), (0,)),
    ((8193,), (0,)),
    ((1, 9000), (1,)),
    ((300, 1024), (1,)),
    ((300, 1024), (0, 1)),
    ((1025, 3), (0,)),
    ((600, 1), (1,)),
    ((1, 600), (0,)),
    ((600, 0), (1,)),
    ((0, 600), (0,)),
    ((2, 3), (1,)),
    ((), ()),
]


def exact(x: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    """Sums by `math.fsum`, which rounds once."""
    kept = [d for d in range(x.ndim) if d not in dims]
    rows = x.transpose(*kept, *dims).reshape(*[x.shape[d] for d in kept], math.prod([x.shape[d] for d in dims]))
    return np.array([math.fsum(rows[i]) for i in np.ndindex(*rows.shape[:-1])]).reshape(rows.shape[:-1])


@pytest.mark.parametrize(("shape", "dims"), CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_against_exact_sums(shape: tuple[int, ...], dims: tuple[int, ...], dtype: type) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    expected = exact(x, dims)
    rounding = 2 * min(max(math.prod(shape[d] for d in dims), 1), 2048) * np.finfo(dtype).eps
    for each in (x, x.copy("F"), np.stack([x, x], -1)[..., 0]):
        out = sum_over(each, dims)
        assert out.dtype == dtype
        assert out.shape == expected.shape
        np.testing.assert_allclose(out, expected, atol=rounding)
    kept = sum_over(x, dims, keep=True)
    assert kept.shape == tuple([1 if d in dims else n for d, n in enumerate(shape)])
    np.testing.assert_array_equal(kept.reshape(expected.shape), sum_over(x, dims))


def test_sums_of_many_by_any_number_of_threads() -> None:
    x = np.random.default_rng(1).random((700, 1024), np.float32)
    before = tp.get_num_threads()
    found = []
    for number in (1, 2, 3):
        tp.set_num_threads(number)
        found.append((sum_over(x, (0, 1)), sum_over(x, (1,))))
    tp.set_num_threads(before)
    for total, rows in found:
        np.testing.assert_allclose(total, x.astype(np.float64).sum(), rtol=1e-6)
        np.testing.assert_allclose(rows, found[0][1], rtol=1e-6)


def test_infinities_and_nan() -> None:
    x = np.ones((40, 30), np.float32)
    x[1, 2], x[3, 4], x[5, 6], x[5, 7] = np.inf, np.nan, np.inf, -np.inf
    rows = np.full(40, 30.0)
    rows[[1, 3, 5]] = np.inf, np.nan, np.nan
    with quiet():
        np.testing.assert_array_equal(sum_over(x, (1,)), rows)
    columns = np.full(30, 40.0)
    columns[[2, 4, 6, 7]] = np.inf, np.nan, np.inf, -np.inf
    with quiet():
        np.testing.assert_array_equal(sum_over(x, (0,)), columns)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.complex64, np.float16])
def test_other_dtypes_stay(dtype: type) -> None:
    out = sum_over(np.ones((40, 30), dtype), (1,))
    assert out.dtype == dtype
    np.testing.assert_array_equal(out, np.full(40, 30, dtype))
