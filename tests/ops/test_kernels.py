"""Elementwise kernels of our own against SciPy in double precision, at every size, layout and number of threads."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import scipy.special

import tensorplay as tp
from tensorplay.ops import kernels
from tensorplay.ops.many import BLOCK, in_pieces

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38, 88.7, -88.7, -103.9, -1.0, 1.0]

REFERENCES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], float]] = {
    # the kernel, in double precision, and the relative error allowed, in units of single precision
    "log1p": (kernels.log1p, np.log1p, 4),
    "expm1": (kernels.expm1, np.expm1, 4),
    "sigmoid": (kernels.sigmoid, scipy.special.expit, 4),
    "softplus": (kernels.softplus, lambda x: np.logaddexp(x, 0.0), 4),
    "erf": (kernels.erf, scipy.special.erf, 4),
    "silu": (kernels.silu, lambda x: x * scipy.special.expit(x), 5),
    # the square of x is rounded before its exponential is taken
    "gelu": (kernels.gelu, lambda x: x * scipy.special.ndtr(x), 200),
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = tp.get_num_threads()
    with np.errstate(all="ignore"):
        yield
    tp.set_num_threads(before)


def numbers() -> Any:
    rng = np.random.default_rng(0)
    scales = np.logspace(-40, 35, 2000)
    parts = [rng.normal(size=3 * BLOCK), np.linspace(-40, 40, 20001), scales, -scales, np.array(SPECIAL)]
    return np.concatenate(parts).astype(np.float32)


def agree(found: Any, exact: Any, units: float) -> None:
    rounded = exact.astype(np.float32)
    assert found.dtype == np.float32
    assert np.array_equal(np.isnan(found), np.isnan(rounded))
    normal = np.isfinite(rounded) & (np.abs(rounded) > 1.2e-38)
    assert np.all(np.abs(found[normal] - exact[normal]) <= units * 2.0**-23 * np.abs(exact[normal]))
    rest = ~normal & ~np.isnan(rounded)
    assert np.all((found[rest] == rounded[rest]) | (np.abs(found[rest] - exact[rest]) < 1.2e-38))


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("threads", [1, 3])
def test_single_precision(name: str, threads: int) -> None:
    kernel, reference, units = REFERENCES[name]
    tp.set_num_threads(threads)
    x = numbers()
    agree(in_pieces(kernel)(x), reference(x.astype(np.float64)), units)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts_and_sizes(name: str, dtype: Any) -> None:
    kernel, reference, _ = REFERENCES[name]
    rng = np.random.default_rng(1)
    block = rng.normal(size=(600, 4)).astype(dtype)
    for x in (block, block.T, block[::2, ::-1], block[:0], block[0, 0].reshape(()), np.broadcast_to(block[:1], (9, 4))):
        out = kernel(x)
        assert out.shape == x.shape
        assert out.dtype == dtype
        np.testing.assert_allclose(out, reference(x.astype(np.float64)), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", REFERENCES)
def test_threads_change_no_bit(name: str) -> None:
    kernel = in_pieces(REFERENCES[name][0])
    x = numbers()
    results = []
    for threads in (1, 2, 8):
        tp.set_num_threads(threads)
        results.append(kernel(x).view(np.int32))
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int16, np.complex64, np.bool])
def test_select(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    size = 5 * BLOCK
    condition = rng.random(size) < 0.5
    x, y = [rng.normal(size=size).astype(dtype) for _ in range(2)]
    if np.dtype(dtype).kind == "f":
        x[:3], y[:3] = [np.nan, -0.0, np.inf], [-np.inf, 0.0, np.nan]
    for first, second in ((x, y), (x[0], y), (x, np.zeros((), dtype)), (x[::-1], y), (2, y)):
        found, expected = kernels.select(condition, first, second), np.where(condition, first, second)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
    grid = (100, -1)
    found = kernels.select(condition[:1000].reshape(grid), x[:1000].reshape(grid), y[:10])
    assert np.array_equal(
        found, np.where(condition[:1000].reshape(grid), x[:1000].reshape(grid), y[:10]), equal_nan=True
    )


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (tp.nn.functional.gelu, lambda x: scipy.special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)),
        (
            tp.nn.functional.silu,
            lambda x: scipy.special.expit(x) * (1 + x * (1 - scipy.special.expit(x))),
        ),
    ],
)
def test_slopes_of_many(function: Any, slope: Any) -> None:
    x = np.concatenate([np.linspace(-6, 6, 4001), [0.0, -0.0, 1e-30]]).astype(np.float32)
    found = tp.func.grad(lambda v: function(v).sum())(tp.tensor(x)).numpy()
    np.testing.assert_allclose(found, slope(x.astype(np.float64)), rtol=3e-6, atol=2e-7)


def test_many_at_once() -> None:
    tp.set_num_threads(2)
    x = np.concatenate([numbers()] * 4)
    expected = in_pieces(kernels.gelu)(x)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: tp.nn.functional.gelu(tp.tensor(x)), range(8), timeout=120))
    assert all([f.numpy().tobytes() == expected.tobytes() for f in found])
