"""Random ops follow the randomness of every active map, and derivatives use the draws of the forward pass."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay.func import chunk_vmap, functionalize, grad, grad_and_value, jacfwd, jvp, linearize, vjp, vmap
from tensorplay.interpreters.batch import Batch
from tests.func.random_ops import OPS, Op

by_ops = pytest.mark.parametrize("op", OPS.values(), ids=OPS.keys())


def distinct(draws: tp.Tensor, dims: int = 1) -> int:
    """How many different samples there are along the first dims; rounding makes no difference."""
    found: list[Any] = []
    for row in draws.detach().numpy().reshape(int(np.prod(draws.shape[:dims])), -1):
        if not any(np.allclose(row, other, rtol=1e-4, atol=1e-5) for other in found):
            found.append(row)
    return len(found)


# ---- the three modes -------------------------------------------------------------------------------------------------


@by_ops
def test_error_refuses(op: Op) -> None:
    with pytest.raises(RuntimeError, match="'error' forbids") as caught:
        vmap(op)(tp.ones(4, 8))
    assert "randomness='different'" in str(caught.value)
    assert "randomness='same'" in str(caught.value)
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(vmap(op, randomness="different"))(tp.ones(2, 2, 8))


@by_ops
@pytest.mark.parametrize("chunk_size", [None, 1, 2, 4])
def test_different_and_same(op: Op, chunk_size: int | None) -> None:
    x = tp.ones(5, 8)
    assert distinct(vmap(op, randomness="different", chunk_size=chunk_size)(x)) == 5
    assert distinct(vmap(op, randomness="same", chunk_size=chunk_size)(x)) == 1


@by_ops
@pytest.mark.parametrize("outer", ["different", "same"])
@pytest.mark.parametrize("inner", ["different", "same"])
def test_nested_maps(op: Op, outer: str, inner: str) -> None:
    """Each map decides for its own dim."""
    for in_dim in (0, 1):
        x = tp.ones(3, 2, 8) if in_dim == 0 else tp.ones(8, 3, 2)
        mapped = vmap(vmap(op, in_dims=in_dim, randomness=inner), in_dims=in_dim, randomness=outer)
        expected = (3 if outer == "different" else 1) * (2 if inner == "different" else 1)
        assert distinct(mapped(x), 2) == expected


@by_ops
def test_the_seed_makes_it_repeatable(op: Op) -> None:
    for randomness in ("different", "same"):
        runs = []
        for _ in range(2):
            tp.manual_seed(11)
            runs.append(vmap(op, randomness=randomness)(tp.ones(3, 8)).detach().numpy())
        np.testing.assert_array_equal(*runs)


def test_chunks() -> None:
    draws = chunk_vmap(lambda x: x + tp.rand(4), randomness="different", chunks=3)(tp.zeros(7, 4))
    assert distinct(draws) == 7
    assert distinct(chunk_vmap(lambda x: x + tp.rand(4), randomness="same", chunks=3)(tp.zeros(7, 4))) == 1


def test_chunks_draw_the_same_from_every_generator() -> None:
    one, two = tp.Generator().manual_seed(1), tp.Generator().manual_seed(2)

    def f(x: tp.Tensor) -> tp.Tensor:
        return x + tp.rand(4, generator=one) + tp.rand(4, generator=two) + tp.rand(4)

    states = []
    for chunk_size in (None, 2, 1):
        one.manual_seed(1)
        assert distinct(vmap(f, randomness="same", chunk_size=chunk_size)(tp.zeros(5, 4))) == 1
        states.append(one.get_state().tolist())
        assert distinct(vmap(f, randomness="different", chunk_size=chunk_size)(tp.zeros(5, 4))) == 5
    assert states[0] == states[1] == states[2]


def test_a_batch_of_no_samples() -> None:
    for op in OPS.values():
        shape = vmap(op, randomness="different")(tp.ones(2, 8)).shape
        assert vmap(op, randomness="different")(tp.ones(0, 8)).shape == (0, *shape[1:])


def test_what_is_not_random_is_allowed() -> None:
    x = tp.ones(3, 4)
    for call in (
        lambda v: F.dropout(v, 0.5, training=False),
        lambda v: F.dropout(v, 0.0),
        lambda v: F.alpha_dropout(v),
    ):
        np.testing.assert_array_equal(vmap(call)(x).numpy(), x.numpy())
    np.testing.assert_array_equal(vmap(lambda v: F.dropout(v, 1.0))(x).numpy(), np.zeros((3, 4)))


# ---- in-place fills --------------------------------------------------------------------------------------------------


def test_fills_of_what_was_made_outside() -> None:
    buffer = tp.zeros(4)
    with pytest.raises(RuntimeError, match="made outside"):
        vmap(lambda x: buffer.normal_(), randomness="different")(tp.ones(2, 4))
    assert buffer.tolist() == [0] * 4
    vmap(lambda x: buffer.normal_() + x, randomness="same")(tp.ones(2, 4))
    assert (buffer != 0).all()


def test_fills_of_views_and_arguments() -> None:
    x = tp.zeros(3, 2, 2)

    def fill(sample: tp.Tensor) -> tp.Tensor:
        sample[0].uniform_(1.0, 2.0)
        return sample.sum()

    sums = vmap(fill, randomness="different")(x)
    assert distinct(sums) == 3
    np.testing.assert_allclose(x.sum((1, 2)).numpy(), sums.numpy())
    assert x[:, 1].tolist() == [[0, 0]] * 3


def test_a_fill_stops_derivatives() -> None:
    def fill(x: tp.Tensor) -> tp.Tensor:
        y = 2 * x
        y[:2].normal_()
        return y.sum()

    assert grad(fill)(tp.ones(4)).tolist() == [0, 0, 2, 2]


def test_fills_of_a_parameter_need_no_grad() -> None:
    w = tp.zeros(3).requires_grad_()
    with pytest.raises(RuntimeError, match="leaf"):
        w.normal_()
    with tp.no_grad():
        w.normal_()
    assert w.is_leaf
    assert (w.detach() != 0).all()


def test_functionalize_holds_fills_back() -> None:
    x = tp.zeros(3)
    out = functionalize(lambda x: x.uniform_(1.0, 2.0) * 1)(x)
    np.testing.assert_array_equal(out.numpy(), x.numpy())
    assert (x >= 1).all()


# ---- derivatives -----------------------------------------------------------------------------------------------------


def dropped(x: tp.Tensor) -> tp.Tensor:
    """Linear in x, with random coefficients."""
    return F.dropout(x, 0.5).sum()


def test_derivatives_use_the_mask_of_the_forward_pass() -> None:
    x = tp.arange(1.0, 33.0)
    for randomness in ("different", "same"):
        gradients, values = vmap(grad_and_value(dropped), randomness=randomness)(x.reshape(4, 8))
        np.testing.assert_allclose((gradients * x.reshape(4, 8)).sum(1).numpy(), values.numpy(), rtol=1e-6)
    value, pull = vjp(dropped, x)
    np.testing.assert_allclose((pull(tp.tensor(1.0))[0] * x).sum().numpy(), value.numpy(), rtol=1e-6)
    value, x_dot = jvp(dropped, (x,), (x,))
    np.testing.assert_allclose(x_dot.numpy(), value.numpy(), rtol=1e-6)
    value, push = linearize(dropped, x)
    np.testing.assert_allclose(push(x).numpy(), value.numpy(), rtol=1e-6)
    columns = jacfwd(lambda x: F.dropout(x, 0.5))(x).numpy()
    assert np.count_nonzero(columns - np.diag(np.diag(columns))) == 0


def test_draws_as_functions_of_their_parameters() -> None:
    mean, std = tp.zeros(5), tp.ones(5)
    value, pull = vjp(lambda m, s: tp.normal(m, s), mean, std)
    by_mean, by_std = pull(tp.ones(5))
    np.testing.assert_array_equal(by_mean.numpy(), np.ones(5))
    np.testing.assert_allclose(by_std.numpy(), value.numpy())
    p = tp.full((4,), 0.5)
    for draw in (tp.bernoulli, tp.poisson, lambda p: tp.binomial(tp.full((4,), 3.0), p), lambda p: tp.rand_like(p)):
        assert grad(lambda p, draw=draw: (draw(p) + p).sum())(p).tolist() == [1] * 4


# ---- streams ---------------------------------------------------------------------------------------------------------


def test_generators_are_streams_of_their_own() -> None:
    g = tp.Generator().manual_seed(3)
    tp.manual_seed(3)
    here = [tp.rand(4, generator=g), tp.bernoulli(tp.full((9,), 0.5), generator=g), tp.zeros(3).normal_(generator=g)]
    there = [tp.rand(4), tp.bernoulli(tp.full((9,), 0.5)), tp.zeros(3).normal_()]
    for a, b in zip(here, there, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    assert g.initial_seed() == 3
    assert distinct(vmap(lambda x: tp.rand(3, generator=g), randomness="different")(tp.zeros(4))) == 4


def test_states() -> None:
    tp.rand(1, dtype=tp.float32)
    state = tp.random.get_rng_state()
    first = tp.rand(5)
    with tp.random.fork_rng():
        tp.manual_seed(1)
        tp.rand(2)
    second = tp.rand(5)
    tp.random.set_rng_state(state)
    np.testing.assert_array_equal(tp.rand(5).numpy(), first.numpy())
    np.testing.assert_array_equal(tp.rand(5).numpy(), second.numpy())
    with pytest.raises(RuntimeError, match="64 bytes"):
        tp.random.set_rng_state(tp.zeros(3))


def test_seeds() -> None:
    tp.manual_seed(-1)
    assert tp.random.initial_seed() == 2**64 - 1
    assert tp.random.seed() == tp.random.initial_seed()
    with pytest.raises(TypeError, match="the seed must be an int, got 'a'"):
        tp.manual_seed("a")


def test_methods_of_generators() -> None:
    g = tp.Generator(device="cpu")
    assert g.device == tp.device("cpu")
    assert g.manual_seed(5) is g
    tp.rand(3, generator=g)
    tp.randint(9, (1,), dtype=tp.int32, generator=g)
    state = g.get_state()
    assert (state.dtype, state.shape) == (tp.uint8, (64,))
    others = [g.clone_state(), copy.deepcopy(g), pickle.loads(pickle.dumps(g)), tp.Generator()]
    others[-1].set_state(state)
    expected = tp.randn(4, generator=g)
    for other in others:
        assert other.initial_seed() == 5
        assert tp.equal(tp.randn(4, generator=other), expected)
    assert g.seed() == g.initial_seed() != 5
    with pytest.raises(RuntimeError, match="cuda"):
        tp.Generator("cuda")
    for wrong in (tp.zeros(64), tp.zeros(63, dtype=tp.uint8), 3):
        with pytest.raises(RuntimeError, match=r"Generator\.set_state.*64 bytes of uint8; got"):
            g.set_state(wrong)


def test_the_default_generator() -> None:
    tp.default_generator.manual_seed(4)
    assert tp.initial_seed() == 4
    assert tp.equal(tp.rand(3), tp.rand(3, generator=tp.Generator().manual_seed(4)))
    assert tp.equal(tp.default_generator.get_state(), tp.get_rng_state())
    assert tp.manual_seed(1) is tp.default_generator


def test_forks() -> None:
    tp.manual_seed(1)
    with tp.random.fork_rng():
        first = tp.rand(3)
        with tp.random.fork_rng():
            tp.manual_seed(2)
            assert tp.initial_seed() == tp.default_generator.initial_seed() == 2
            tp.rand(3, generator=tp.default_generator)
        second = tp.rand(3)
    assert tp.initial_seed() == 1
    assert tp.equal(tp.rand(3), first)
    assert tp.equal(tp.rand(3), second)
    with tp.random.fork_rng(enabled=False):
        third = tp.rand(3)
    assert not tp.equal(tp.rand(3), third)
    state = tp.get_rng_state()
    with pytest.raises(ZeroDivisionError), tp.random.fork_rng():
        tp.rand(3).tolist()[0] / 0
    assert tp.equal(tp.get_rng_state(), state)


def test_every_random_op_is_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: set[str] = set()
    monkeypatch.setattr(Batch, "samples_to_draw", lambda self, name: drawn.add(name.removesuffix("()")))
    for op in OPS.values():
        vmap(op)(tp.ones(2, 8))
    sources = [path.read_text() for path in Path(tp.__file__).parent.rglob("*.py")]
    named = {name for source in sources for name in re.findall(r"""\b(?:draw|_successes)\(\s*"(\w+)""", source)}
    assert named
    assert named <= drawn


# ---- distributions ---------------------------------------------------------------------------------------------------

COUNT = 20_000


def fill(name: str, *args: Any) -> Callable[[], tp.Tensor]:
    """A tensor filled in place."""
    return lambda: getattr(tp.zeros(COUNT, dtype=tp.float64), f"{name}_")(*args)


@pytest.mark.parametrize(
    ("draw", "mean", "std"),
    [
        (lambda: tp.rand(COUNT), 0.5, 12**-0.5),
        (lambda: tp.randn(COUNT), 0, 1),
        (lambda: tp.rand(COUNT, dtype=tp.float16).double(), 0.5, 12**-0.5),
        (lambda: tp.randint(2, 5, (COUNT,)).double(), 3, (2 / 3) ** 0.5),
        (lambda: tp.normal(3.0, 2.0, (COUNT,)), 3, 2),
        (lambda: tp.bernoulli(tp.full((COUNT,), 0.3)), 0.3, 0.21**0.5),
        (lambda: tp.poisson(tp.full((COUNT,), 4.0)), 4, 2),
        (lambda: tp.binomial(tp.full((COUNT,), 10.0), tp.full((COUNT,), 0.3)), 3, 2.1**0.5),
        (lambda: F.dropout(tp.ones(COUNT), 0.2), 1, 0.5),
        (lambda: F.alpha_dropout(tp.randn(COUNT), 0.3, training=True), 0, 1),
        (lambda: tp.multinomial(tp.tensor([1.0, 0.0, 3.0]), COUNT, True).double(), 1.5, 0.75**0.5),
        (fill("normal", 1.0, 3.0), 1, 3),
        (fill("uniform", -1.0, 1.0), 0, 3**-0.5),
        (fill("bernoulli", 0.3), 0.3, 0.21**0.5),
        (fill("random", 3, 6), 4, (2 / 3) ** 0.5),
        (fill("exponential", 2.0), 0.5, 0.5),
        (fill("geometric", 0.5), 2, 2**0.5),
    ],
)
def test_mean_and_deviation(draw: Callable[[], tp.Tensor], mean: float, std: float) -> None:
    drawn = draw().numpy()
    assert abs(drawn.mean() - mean) < 5 * std / COUNT**0.5
    assert abs(drawn.std() - std) < 0.1 * std + 0.01


@pytest.mark.parametrize("dtype", [tp.float16, tp.float32, tp.float64])
def test_the_upper_bound_is_never_drawn(dtype: Any) -> None:
    for low, high in ((1.0, 2.0), (-3.0, 1024.0), (0.0, 0.1)):
        drawn = tp.zeros(200_000, dtype=dtype).uniform_(low, high).numpy()
        assert drawn.min() >= low
        assert drawn.max() < np.asarray(high, drawn.dtype)
    assert tp.zeros(3, dtype=dtype).uniform_(2.0, 2.0).tolist() == [2, 2, 2]


def test_what_overflows_is_infinite_without_a_warning() -> None:
    assert tp.isinf(tp.zeros(100_000, dtype=tp.float16).cauchy_(0.0, 1e3)).any()
    assert tp.isinf(tp.zeros(1000, dtype=tp.float16).normal_(0.0, 1e5)).any()


def test_complex_numbers_have_variance_one() -> None:
    drawn = tp.randn(COUNT, dtype=tp.complex64).numpy()
    assert abs(drawn.real.var() - 0.5) < 0.03
    assert abs(drawn.imag.var() - 0.5) < 0.03


def test_multinomial_draws_without_replacement_by_weight() -> None:
    weights = tp.tensor([1.0, 2.0, 3.0, 0.0, 4.0])
    drawn = vmap(lambda _: tp.multinomial(weights, 2), randomness="different")(tp.zeros(COUNT)).numpy()
    assert (drawn[:, 0] != drawn[:, 1]).all()
    np.testing.assert_allclose(np.bincount(drawn[:, 0], minlength=5) / COUNT, [0.1, 0.2, 0.3, 0, 0.4], atol=0.02)
    assert not (drawn == 3).any()


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: tp.rand(), TypeError, "expected a size"),
        (lambda: tp.rand(-1), RuntimeError, "negative"),
        (lambda: tp.rand(2, dtype=tp.int64), NotImplementedError, "int64"),
        (lambda: tp.randint(3, 3, (2,)), RuntimeError, "low < high"),
        (lambda: tp.randint(2.5, (2,)), TypeError, "integers"),
        (lambda: tp.randint(3), TypeError, "size"),
        (lambda: tp.randint(0, 300, (2,), dtype=tp.uint8), RuntimeError, "out of bounds for tensorplay.uint8"),
        (lambda: tp.randperm(-1), RuntimeError, "negative"),
        (lambda: tp.normal(0.0, 1.0), TypeError, "size"),
        (lambda: tp.normal(tp.zeros(2), -1.0), RuntimeError, "std >= 0"),
        (lambda: tp.normal(tp.zeros(2), tp.ones(3)), RuntimeError, "broadcast"),
        (lambda: tp.bernoulli(tp.tensor([2.0])), RuntimeError, r"\[0, 1\]"),
        (lambda: tp.bernoulli(tp.tensor([float("nan")])), RuntimeError, r"\[0, 1\]"),
        (lambda: tp.poisson(tp.tensor([-1.0])), RuntimeError, "rates >= 0"),
        (lambda: tp.binomial(tp.ones(2), tp.full((2,), 1.5)), RuntimeError, r"\[0, 1\]"),
        (lambda: tp.multinomial(tp.ones(3), 4), RuntimeError, "without replacement"),
        (lambda: tp.multinomial(tp.zeros(3), 1), RuntimeError, "positive sum"),
        (lambda: tp.multinomial(-tp.ones(3), 1), RuntimeError, "not negative"),
        (lambda: tp.multinomial(tp.ones(3), 0), RuntimeError, "num_samples"),
        (lambda: tp.multinomial(tp.ones(1, 1, 3), 1), RuntimeError, "1-d or 2-d"),
        (lambda: tp.zeros(2).normal_(0.0, -1.0), RuntimeError, "std >= 0"),
        (lambda: tp.zeros(2).uniform_(2.0, 1.0), RuntimeError, "from <= to"),
        (lambda: tp.zeros(2).exponential_(0.0), RuntimeError, "lambd > 0"),
        (lambda: tp.zeros(2).geometric_(1.5), RuntimeError, r"\(0, 1\)"),
        (lambda: tp.zeros(2, dtype=tp.int64).cauchy_(), RuntimeError, "continuous"),
        (lambda: tp.zeros(2).random_(3, 3), RuntimeError, "low < high"),
        (lambda: F.dropout(tp.zeros(2), 1.5), ValueError, r"\[0, 1\]"),
        (lambda: F.dropout(tp.zeros(2, dtype=tp.int64)), RuntimeError, "int64"),
        (lambda: F.dropout1d(tp.zeros(2)), RuntimeError, "2-d or 3-d"),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()
