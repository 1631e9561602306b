"""Elementwise ops on many elements are pulled piece by piece, and give what they give node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, hessian, vjp, vmap
from tensorplay.interpreters import regions
from tests.func.support import array

SIZE = regions.LEAST + 12345
F = tp.nn.functional


@pytest.fixture(autouse=True)
def lengths() -> Iterator[list[int]]:
    """How many ops were pulled together."""
    found: list[int] = []
    pull = regions.Region.pull

    def noted(region: regions.Region) -> Any:
        found.append(len(region))
        return pull(region)

    with patch.object(regions.Region, "pull", noted), patch.dict(regions._programs, clear=True):
        yield found


def numbers(seed: int = 0, *shape: int) -> tp.Tensor:
    return tp.tensor(np.random.default_rng(seed).standard_normal(shape or (SIZE,)))


def check(f: Callable[..., tp.Tensor], *args: tp.Tensor) -> None:
    """`vjp`, which may be called again, goes node by node."""
    out, pull = vjp(f, *args)
    for got, expected in zip(grad(f, tuple(range(len(args))))(*args), pull(tp.ones_like(out)), strict=True):
        np.testing.assert_allclose(array(got), array(expected), rtol=1e-12, atol=1e-300)


def test_a_chain(lengths: list[int]) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y = (x * 0.5).sin() + x
        return ((y.tanh() * x).exp() + 1.0).log().sum()

    for seed in (0, 1):
        check(f, numbers(seed))
    assert lengths == [8, 8]
    assert len(regions._programs) == 1


def test_against_differences(lengths: list[int]) -> None:
    x = numbers()
    got = array(grad(lambda x: (x.sin() * x.exp() / (x * x + 1.0)).sum())(x))
    high, low = (np.sin(a) * np.exp(a) / (a * a + 1) for a in (array(x) + 1e-6, array(x) - 1e-6))
    np.testing.assert_allclose(got, (high - low) / 2e-6, rtol=1e-6, atol=1e-8)
    assert lengths == [6]


def test_activations_choices_and_parameters(lengths: list[int]) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y = F.gelu(x) + F.leaky_relu(x, 0.1) - F.softplus(x, beta=2.0)
        return tp.where(y > 0, y.clamp(max=2.0) ** 3, F.silu(y).abs()).sum()

    check(f, numbers())
    check(f, numbers(0, 37, SIZE // 37))
    assert min(lengths) >= 4


def test_what_comes_from_outside_and_goes_there(lengths: list[int]) -> None:
    """Of two sums, one in the middle; another argument; rows that are broadcast; a matrix product on the way."""

    def f(x: tp.Tensor, y: tp.Tensor, row: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
        a = x.sin() * y
        b = a.exp() + a
        total = a.sum() * b.cos().sum()
        c = (b * row).tanh() * x
        return total + ((c @ w).sin() * c).sum() + (y * 2.0).sum()

    wide = (-(-SIZE // 300), 300)
    check(f, numbers(0, *wide), numbers(1, *wide), numbers(2, 300), numbers(3, 300, 300))
    assert sum(lengths) >= 5


def test_what_is_constant(lengths: list[int]) -> None:
    mask = numbers(3) > 0
    c, scale = numbers(2), tp.tensor(3.0, dtype=tp.float64)

    def f(x: tp.Tensor) -> tp.Tensor:
        return ((x * c).masked_fill(mask, 0.0) * scale + c - x.detach() * x.floor()).square().sum()

    check(f, numbers())


def test_zero_wins_over_infinity(lengths: list[int]) -> None:
    x = numbers().abs()
    x[5] = 0.0
    x[-1] = 0.0

    def f(x: tp.Tensor) -> tp.Tensor:
        return tp.where(x > 0, (x.sqrt() * 2.0).exp(), x * 0.0).sum()

    check(f, x)
    assert np.isfinite(array(grad(f)(x))).all()
    assert lengths


def test_threads_do_not_change_results() -> None:
    f = grad(lambda x: ((x.sin() * x).exp().tanh() * x).sum())
    x = numbers().float()
    before = tp.get_num_threads()
    try:
        tp.set_num_threads(1)
        alone = array(f(x))
        tp.set_num_threads(3)
        np.testing.assert_array_equal(array(f(x)), alone)
    finally:
        tp.set_num_threads(before)


def test_other_layouts_and_dtypes() -> None:
    x = numbers(0, 400, 400)
    check(lambda x: (x.t().sin() * x.t()).exp().sum(), x)
    check(lambda x: (x[:, ::2].sin() * 2.0).exp().repeat(1, 2).sum(), x)
    check(lambda z: ((z * z).exp() * z.conj()).real.sum(), tp.complex(numbers(0), numbers(1)))


def test_writes_are_seen() -> None:
    def f(x: tp.Tensor, c: tp.Tensor) -> tp.Tensor:
        y = (x * c).sin() * 2.0
        c.add_(1.0)
        return y.sum()

    with pytest.raises(RuntimeError, match="modified"):
        grad(f)(numbers(), numbers(1))


def test_within_other_transforms() -> None:
    x = numbers(0, 3, SIZE)

    def f(x: tp.Tensor) -> tp.Tensor:
        return ((x.sin() * x).exp() * 0.5).sum()

    rows = array(vmap(grad(f))(x))
    np.testing.assert_allclose(rows[1], array(grad(f)(x[1])), rtol=1e-12)
    second = hessian(lambda s: f(x[0] * s))(tp.tensor(0.5, dtype=tp.float64))
    s = np.array([0.5 - 1e-4, 0.5, 0.5 + 1e-4])
    a = array(x[0])[:, None] * s
    low, middle, high = (np.exp(np.sin(a) * a) * 0.5).sum(0)
    np.testing.assert_allclose(array(second), (low - 2 * middle + high) / 1e-8, rtol=1e-4)
