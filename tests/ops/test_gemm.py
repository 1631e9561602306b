"""Products that threads share against products of Python's own, at every layout, dtype and number of threads."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core import blas
from tensorplay.ops import contraction, gemm


@pytest.fixture(autouse=True, params=[1, 3])
def _threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every product is worth a thread, and every copy is made in parts."""
    before = tp.get_num_threads()
    tp.set_num_threads(request.param)
    for module, name in ((gemm, "FEW"), (gemm, "ENOUGH"), (gemm, "WRITTEN"), (contraction, "MANY")):
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(contraction, "BLOCK", 64)
    monkeypatch.setattr(gemm, "BLOCK", 10)
    monkeypatch.setattr(contraction, "SMALL", 1)
    monkeypatch.setattr(blas, "threads_of", lambda _: blas.Threads(lambda: 4, lambda _: None))
    monkeypatch.setattr(gemm, "threads_of", blas.threads_of)
    yield
    tp.set_num_threads(before)


def numbers(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    values = np.random.default_rng(seed).normal(size=shape) * 4
    return (values + 1j * values[..., ::-1]).astype(dtype) if dtype == np.complex64 else values.astype(dtype)


def layouts(x: Any) -> list[Any]:
    """The same numbers, lying in several ways."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return [
        x,
        np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
        wide[..., ::2],
        x[..., ::-1].copy()[..., ::-1],
    ]


def by_hand(x: Any, y: Any) -> Any:
    """Sums of products, element by element."""
    wide = np.complex128 if x.dtype.kind == "c" else np.float64 if x.dtype.kind == "f" else np.int64
    return (x.astype(wide)[..., :, :, None] * y.astype(wide)[..., None, :, :]).sum(-2).astype(x.dtype)


SHAPES = [
    ((5, 7), (7, 4)),
    ((70, 3), (3, 5)),
    ((4, 3), (3, 70)),
    ((3, 90), (90, 4)),  # a long sum
    ((6, 5, 7), (6, 7, 4)),
    ((1, 40, 7), (1, 7, 4)),
    ((6, 5, 7), (7, 4)),
    ((5, 7), (6, 7, 4)),
    ((2, 6, 5, 7), (2, 6, 7, 4)),
    ((2, 20), (20, 4)),  # few rows
    ((6, 2, 20), (6, 20, 4)),
    ((6, 2, 20), (20, 4)),
    ((2, 20), (6, 20, 4)),
    ((0, 5, 7), (0, 7, 4)),
    ((6, 0, 7), (6, 7, 4)),
    ((5, 0), (0, 4)),
    ((6, 5, 1), (6, 1, 4)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
def test_products(left: Any, right: Any, dtype: Any) -> None:
    x, y = numbers(*left, dtype=dtype), numbers(*right, dtype=dtype, seed=1)
    expected = by_hand(x, y)
    for a in layouts(x):
        for b in layouts(y):
            out = gemm.product(a, b)
            assert out.dtype == dtype
            assert out.shape == expected.shape
            np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("shape", [(40, 3), (3, 40), (6, 20, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_products_with_their_own_transpose(shape: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gemm, "MIRRORED", 5)
    x = numbers(*shape, dtype=dtype)
    before = x.copy()
    for a in layouts(x):
        turned = a.swapaxes(-1, -2)
        np.testing.assert_allclose(gemm.product(a, turned), by_hand(x, x.swapaxes(-1, -2)), rtol=1e-5, atol=1e-3)
        np.testing.assert_allclose(gemm.product(turned, a), by_hand(x.swapaxes(-1, -2), x), rtol=1e-5, atol=1e-3)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("columns", [5, gemm.WIDE])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.int16])
def test_outer_products(columns: int, dtype: Any) -> None:
    x, y = numbers(6, 3, dtype=dtype), numbers(6, columns, dtype=dtype, seed=1)
    out = gemm.outer_products(x, y)
    assert out.dtype == dtype
    np.testing.assert_allclose(out, x[:, :, None] * y[:, None, :], rtol=1e-6)
    assert gemm.outer_products(x[:0], y[:0]).shape == (0, 3, columns)
    assert gemm.outer_products(x, y[:, :0]).shape == (6, 3, 0)


def test_infinity_and_nan_stay_where_they_are() -> None:
    x, y = numbers(6, 40, 7), numbers(6, 7, 4, seed=1)
    x[2, 30, 1], x[3, 39, 2] = np.inf, np.nan
    with np.errstate(all="ignore"):
        out = gemm.product(x, y)
    wrong = ~np.isfinite(out)
    assert sorted(map(tuple, np.argwhere(wrong.any(-1)))) == [(2, 30), (3, 39)]


def windows(x: Any) -> Any:
    """Windows of 3×2 of the last two dims: [..., 3, 2, height, width], a view."""
    return np.moveaxis(np.lib.stride_tricks.sliding_window_view(x, (3, 2), (-2, -1)), (-2, -1), (-4, -3))


IMAGES, KERNELS, OUTPUTS = windows(numbers(7, 4, 6, 6)), numbers(5, 4, 3, 2, seed=1), numbers(7, 5, 4, 5, seed=2)
TWO = np.stack([KERNELS, -KERNELS])


@pytest.mark.parametrize(
    ("spec", "x", "y"),
    [
        ("ocij,ncijxy->noxy", KERNELS, IMAGES),
        ("noxy,ncijxy->ocij", OUTPUTS, IMAGES),
        ("ncijxy,noxy->ocij", IMAGES, OUTPUTS),
        ("noxy,ncijxy->cijo", OUTPUTS, IMAGES),
        ("noxy,ncijxy->nocij", OUTPUTS, IMAGES),
        ("noxy,ncijxy->ncijo", OUTPUTS, IMAGES),
        ("ocij,noxy->ncijxy", KERNELS, OUTPUTS),
        ("ocij,cijxy->oxy", KERNELS, IMAGES[0]),
        ("oxy,cijxy->ocij", OUTPUTS[0], IMAGES[0]),
        ("nocij,ncijxy->noxy", np.broadcast_to(KERNELS, (7, *KERNELS.shape)), IMAGES),
        ("gocij,ngcijxy->ngoxy", TWO, np.stack([IMAGES, IMAGES + 1], 1)),
        ("Aocij,Ancijxy->Anoxy", TWO, np.stack([IMAGES, IMAGES + 1])),
        ("ocij,Ancijxy->nAoxy", KERNELS, np.stack([IMAGES, IMAGES + 1])),
        ("ocij,ncijxy->noxy", KERNELS, IMAGES[:0]),
        ("noxy,ncijxy->ocij", OUTPUTS[:0], IMAGES[:0]),
        ("noxy,ncijxy->ocij", OUTPUTS[:1], IMAGES[:1]),
        ("ocij,ncijxy->noxy", KERNELS[:0], IMAGES),
        ("ocij,noxy->ncijxy", KERNELS[:, :0], OUTPUTS),
        ("ij,njk->nik", numbers(0, 4), numbers(3, 4, 5)),
    ],
)
def test_contractions_of_windows(spec: str, x: Any, y: Any) -> None:
    left, _, rest = spec.partition(",")
    right, _, out = rest.partition("->")
    found = contraction.contract(x, y, spec=(left, right, out))
    expected = np.einsum(spec, x.astype(np.float64), y.astype(np.float64))
    assert found.shape == expected.shape
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-3)
