"""Draws have the right distribution and are independent of one another, in one call and across the samples of maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay.func import vmap
from tests.func.support import Array

COUNT = 4096  # draws a test
SAMPLES = 64  # of maps
Draw = Callable[[int], tp.Tensor]


def fill(name: str, *args: Any) -> Draw:
    """A tensor filled in place."""
    return lambda n: getattr(tp.zeros(n, dtype=tp.float64), f"{name}_")(*args)


CONTINUOUS: dict[str, tuple[Draw, Any]] = {
    "rand": (lambda n: tp.rand(n), stats.uniform()),
    "rand-double": (lambda n: tp.rand(n, dtype=tp.float64), stats.uniform()),
    "rand_like": (lambda n: tp.rand_like(tp.ones(n)), stats.uniform()),
    "randn": (lambda n: tp.randn(n), stats.norm()),
    "randn_like": (lambda n: tp.randn_like(tp.ones(n, dtype=tp.float64)), stats.norm()),
    "randn-real-part": (lambda n: tp.randn(n, dtype=tp.complex128).real, stats.norm(0, 0.5**0.5)),
    "randn-imaginary-part": (lambda n: tp.randn(n, dtype=tp.complex64).imag, stats.norm(0, 0.5**0.5)),
    "normal": (lambda n: tp.normal(tp.full((n,), -1.0), 2.0), stats.norm(-1, 2)),
    "normal-numbers": (lambda n: tp.normal(3.0, 0.5, (n,)), stats.norm(3, 0.5)),
    "normal_": (fill("normal", 1.0, 3.0), stats.norm(1, 3)),
    "uniform_": (fill("uniform", -1.0, 3.0), stats.uniform(-1, 4)),
    "exponential_": (fill("exponential", 2.0), stats.expon(scale=0.5)),
    "cauchy_": (fill("cauchy", 1.0, 2.0), stats.cauchy(1, 2)),
    "log_normal_": (fill("log_normal", 0.5, 0.25), stats.lognorm(0.25, scale=np.exp(0.5))),
    "rrelu": (lambda n: -F.rrelu(-tp.ones(n), 0.2, 0.6, training=True), stats.uniform(0.2, 0.4)),
    "trunc_normal_": (
        lambda n: tp.nn.init.trunc_normal_(tp.empty(n), 1.0, 2.0, -1.0, 2.0),
        stats.truncnorm(-1, 0.5, 1, 2),
    ),
    "kaiming_uniform_": (
        lambda n: tp.nn.init.kaiming_uniform_(tp.empty(n, 6), nonlinearity="relu")[:, 0],
        stats.uniform(-1, 2),
    ),
}

WEIGHTS = [1.0, 0.0, 3.0, 4.0]
DISCRETE: dict[str, tuple[Draw, Callable[[Array], Array]]] = {
    "randint": (lambda n: tp.randint(-2, 5, (n,)), stats.randint(-2, 5).pmf),
    "randint_like": (lambda n: tp.randint_like(tp.ones(n), 3, 7), stats.randint(3, 7).pmf),
    "random_": (fill("random", 3, 9), stats.randint(3, 9).pmf),
    "randperm": (
        lambda n: vmap(lambda _: tp.randperm(5)[1], randomness="different")(tp.ones(n)),
        stats.randint(0, 5).pmf,
    ),
    "bernoulli": (lambda n: tp.bernoulli(tp.full((n,), 0.3)), stats.bernoulli(0.3).pmf),
    "bernoulli_": (fill("bernoulli", 0.7), stats.bernoulli(0.7).pmf),
    "poisson": (lambda n: tp.poisson(tp.full((n,), 2.5)), stats.poisson(2.5).pmf),
    "poisson-large": (lambda n: tp.poisson(tp.full((n,), 1e4)), stats.poisson(1e4).pmf),
    "binomial": (lambda n: tp.binomial(tp.full((n,), 9.0), tp.full((n,), 0.2)), stats.binom(9, 0.2).pmf),
    "geometric_": (fill("geometric", 0.3), stats.geom(0.3).pmf),
    "multinomial": (
        lambda n: tp.multinomial(tp.tensor(WEIGHTS), n, True),
        lambda k: np.where((k >= 0) & (k < 4), np.take(WEIGHTS, np.clip(k, 0, 3).astype(int)) / 8, 0),
    ),
    "dropout": (lambda n: F.dropout(tp.ones(n), 0.25) * 0.75, stats.bernoulli(0.75).pmf),
    "dropout1d": (lambda n: F.dropout1d(tp.ones(n, 3), 0.25)[:, 2] * 0.75, stats.bernoulli(0.75).pmf),
    "dropout2d": (lambda n: F.dropout2d(tp.ones(n, 1, 1, 2), 0.25)[:, 0, 0, 1] * 0.75, stats.bernoulli(0.75).pmf),
    "dropout3d": (lambda n: F.dropout3d(tp.ones(n, 1, 1, 1, 1), 0.25).reshape(n) * 0.75, stats.bernoulli(0.75).pmf),
    "gumbel_softmax": (
        lambda n: F.gumbel_softmax(tp.tensor(WEIGHTS).log().expand(n, 4), hard=True).argmax(1),
        lambda k: np.where((k >= 0) & (k < 4), np.take(WEIGHTS, np.clip(k, 0, 3).astype(int)) / 8, 0),
    ),
}

WAYS: dict[str, Callable[[Draw], tp.Tensor]] = {
    "plain": lambda draw: draw(COUNT),
    "one draw a sample": lambda draw: vmap(lambda _: draw(1), randomness="different")(tp.ones(COUNT)),
    "samples": lambda draw: vmap(lambda _: draw(COUNT // SAMPLES), randomness="different")(tp.ones(SAMPLES)),
    "chunks": lambda draw: vmap(lambda _: draw(COUNT // SAMPLES), randomness="different", chunk_size=5)(
        tp.ones(SAMPLES)
    ),
    "maps of maps": lambda draw: vmap(
        vmap(lambda _: draw(COUNT // SAMPLES), randomness="different"), randomness="different"
    )(tp.ones(8, SAMPLES // 8)),
    "the draws that all share": lambda draw: vmap(lambda _: draw(COUNT), randomness="same")(tp.ones(3))[1],
}
by_ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


@pytest.fixture(autouse=True)
def _seed() -> None:
    tp.manual_seed(20)


@pytest.mark.parametrize(("draw", "law"), CONTINUOUS.values(), ids=CONTINUOUS.keys())
@by_ways
def test_continuous_distributions(draw: Draw, law: Any, way: Callable[[Draw], tp.Tensor]) -> None:
    drawn = way(draw).numpy().reshape(-1).astype(np.float64)
    assert drawn.size == COUNT
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
    if np.isfinite(law.std()):
        assert abs(drawn.mean() - law.mean()) < 4 * law.std() / COUNT**0.5


@pytest.mark.parametrize(("draw", "mass"), DISCRETE.values(), ids=DISCRETE.keys())
@by_ways
def test_discrete_distributions(draw: Draw, mass: Callable[[Array], Array], way: Callable[[Draw], tp.Tensor]) -> None:
    drawn = way(draw).numpy().reshape(-1).astype(np.float64)
    assert drawn.size == COUNT
    values, counts = np.unique(drawn, return_counts=True)
    probability = mass(values)
    assert (probability > 0).all(), "a value that is impossible"
    likely = probability * COUNT >= 5
    observed = np.append(counts[likely], counts[~likely].sum())
    expected = np.append(probability[likely], 1 - probability[likely].sum()) * COUNT
    if expected[-1] < 5:  # what is rare counts with the last of the others
        observed, expected = [np.append(x[:-2], x[-2:].sum()) for x in (observed, expected)]
    assert stats.chisquare(observed, expected * (COUNT / expected.sum())).pvalue > 1e-3


@pytest.mark.parametrize("draw", [entry[0] for entry in CONTINUOUS.values()], ids=CONTINUOUS.keys())
@pytest.mark.parametrize("chunk_size", [None, 7])
def test_samples_are_independent(draw: Draw, chunk_size: int | None) -> None:
    """Rank correlations of all pairs of samples are those of independent draws."""
    drawn = vmap(lambda _: draw(512), randomness="different", chunk_size=chunk_size)(tp.ones(16)).numpy()
    correlation = stats.spearmanr(drawn, axis=1).statistic
    pairs = correlation[np.triu_indices(16, 1)] * 511**0.5
    assert np.abs(pairs).max() < 4.5
    assert stats.kstest(pairs, stats.norm.cdf).pvalue > 1e-3
    assert stats.kstest(drawn[0], drawn[1]).pvalue > 1e-3


def test_draws_of_one_call_are_independent() -> None:
    drawn = tp.rand(COUNT).numpy()
    for lag in (1, 2, 64):
        assert abs(np.corrcoef(drawn[:-lag], drawn[lag:])[0, 1]) * COUNT**0.5 < 4


def test_channels_are_dropped_as_a_whole() -> None:
    kept = vmap(lambda x: F.dropout2d(x, 0.5), randomness="different")(tp.ones(16, 4, 8, 3, 3)).numpy()
    assert set(np.unique(kept.reshape(16, 4, 8, 9).sum(-1))) == {0, 18}
    assert set(np.unique(F.feature_alpha_dropout(tp.ones(8, 8, 3), 0.5, True).numpy().var(-1))) == {0}


@pytest.mark.parametrize("drop", [F.alpha_dropout, F.feature_alpha_dropout])
def test_alpha_dropout_keeps_mean_and_variance(drop: Callable[..., tp.Tensor]) -> None:
    drawn = vmap(lambda x: drop(x, 0.3, training=True), randomness="different")(tp.randn(16, 256, 8)).numpy()
    assert abs(drawn.mean()) < 0.05
    assert abs(drawn.var() - 1) < 0.08


def test_rows_of_multinomial_without_replacement() -> None:
    """The first of the drawn is distributed by weight, the second by weight among the others."""
    drawn = vmap(lambda _: tp.multinomial(tp.tensor(WEIGHTS), 2), randomness="different")(tp.ones(COUNT)).numpy()
    share = np.array(WEIGHTS) / 8
    expected = {(i, j): share[i] * share[j] / (1 - share[i]) for i in (0, 2, 3) for j in (0, 2, 3) if i != j}
    pairs, counts = np.unique(drawn, axis=0, return_counts=True)
    assert {tuple(pair) for pair in pairs} == set(expected)
    assert stats.chisquare(counts, [expected[tuple(pair)] * COUNT for pair in pairs]).pvalue > 1e-3
