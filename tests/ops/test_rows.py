"""Greatest and least elements of rows, and softmax of many numbers, against NumPy element by element."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.ops.rows import greatest, least

rng = np.random.default_rng(0)
SHAPES = [(700, 1), (700, 2), (90, 7), (40, 32), (40, 33), (30, 65), (20, 128), (20, 129), (9, 10, 11), (4, 3)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_extremes_of_rows(shape: tuple[int, ...], dtype: type) -> None:
    x = (100 * rng.standard_normal(shape)).astype(dtype)
    dims = [(len(shape) - 1,), (0,), tuple(range(len(shape))), tuple(range(1, len(shape)))]
    for d in dims:
        np.testing.assert_array_equal(greatest(x, d), x.max(axis=d))
        np.testing.assert_array_equal(least(x, d), x.min(axis=d))
    turned = x.T
    np.testing.assert_array_equal(greatest(turned, (0,)), turned.max(axis=0))


@pytest.mark.parametrize("shape", [(90, 7), (30, 65), (20, 129)])
def test_extremes_of_rows_with_nan_and_infinity(shape: tuple[int, ...]) -> None:
    x = rng.standard_normal(shape)
    x[0, 1], x[1, 0], x[2], x[3, -1] = np.nan, np.inf, -np.inf, -np.inf
    for found, right in ((greatest(x, (1,)), x.max(1)), (least(x, (1,)), x.min(1))):
        np.testing.assert_array_equal(found, right)


def reference(x: np.ndarray) -> np.ndarray:
    """Softmax over the last dim, row by row, in long double."""
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        powers = np.exp(wide - wide.max(-1, keepdims=True))
        return (powers / powers.sum(-1, keepdims=True)).astype(np.float64)


@pytest.mark.parametrize("dtype", [tp.float32, tp.float64])
@pytest.mark.parametrize("size", [1.0, 30.0, 43.9, 44.5, 300.0, 360.0, 1e4])
@pytest.mark.parametrize("shift", [0.0, 40.0, -40.0, 350.0, -1e3])
def test_softmax_of_large_and_small_numbers(dtype: tp.dtype, size: float, shift: float) -> None:
    x = tp.tensor(size * rng.uniform(-1, 1, (60, 11)) + shift, dtype=dtype)
    exact = reference(x.numpy())
    found = np.finfo(x.numpy().dtype)
    least_normal, rtol = float(found.tiny), float(found.eps) * (8 + 2 * size)  # a difference is rounded to its size
    np.testing.assert_allclose(tp.softmax(x, -1).numpy(), exact, rtol=rtol, atol=least_normal)
    np.testing.assert_allclose(tp.softmax(x.T, 0).numpy().T, exact, rtol=rtol, atol=least_normal)


def test_softmax_of_what_is_not_finite() -> None:
    x = rng.standard_normal((200, 5))
    x[0, 1], x[1, 2], x[2, 3], x[3] = np.nan, np.inf, -np.inf, -np.inf
    np.testing.assert_allclose(tp.softmax(tp.tensor(x), 1).numpy(), reference(x), rtol=1e-14)
