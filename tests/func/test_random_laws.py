"""Laws of random ops: what is drawn under maps and chunks, and that derivatives are those of what was drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import chunk_vmap, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from tests.func.random_ops import OPS, Op
from tests.func.support import Array

by_ops = pytest.mark.parametrize("op", OPS.values(), ids=OPS.keys())
MODES = pytest.mark.parametrize("mode", ["different", "same"])


def seeded(call: Callable[[], tp.Tensor], seed: int = 7) -> Array:
    """What a call gives from a seed."""
    tp.manual_seed(seed)
    return np.asarray(call().detach().numpy())


def near(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


# ---- streams ---------------------------------------------------------------------------------------------------------


@by_ops
def test_same_is_what_one_sample_draws(op: Op) -> None:
    alone = seeded(lambda: op(tp.ones(8)))
    after = tp.get_rng_state()
    for chunk_size in (None, 1, 2):
        mapped = seeded(lambda size=chunk_size: vmap(op, randomness="same", chunk_size=size)(tp.ones(5, 8)))
        near(mapped, np.broadcast_to(alone, mapped.shape))
        assert tp.equal(tp.get_rng_state(), after)
    mapped = seeded(lambda: chunk_vmap(op, randomness="same", chunks=3)(tp.ones(5, 8)))
    near(mapped, np.broadcast_to(alone, mapped.shape))
    nested = seeded(
        lambda: vmap(vmap(op, randomness="same", chunk_size=2), randomness="same", chunk_size=1)(tp.ones(2, 3, 8))
    )
    near(nested, np.broadcast_to(alone, nested.shape))


@by_ops
def test_the_mode_of_an_outer_map_does_not_depend_on_which_map_an_input_belongs_to(op: Op) -> None:
    """A draw is repeated over the maps that want the same, and over no other."""
    x, y = tp.ones(3, 8), tp.ones(2, 8)

    def both(inner: str, outer: str, op: Op) -> Callable[..., tp.Tensor]:
        return vmap(lambda a: vmap(lambda b: op(a) + 0 * b[0], randomness=inner)(y), randomness=outer)

    draws = both("different", "same", op)(x).detach().numpy()
    near(draws[0], draws[1])
    assert not np.allclose(draws[:, 0], draws[:, 1])
    draws = both("same", "different", op)(x).detach().numpy()
    near(draws[:, 0], draws[:, 1])
    assert not np.allclose(draws[0], draws[1])


@MODES
def test_draws_inside_and_outside_of_a_chunked_map_follow_one_another(mode: str) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return x + tp.rand(2) + tp.randn(2)

    results = []
    for chunk_size in (None, 2):
        tp.manual_seed(3)
        before, mapped, after = tp.rand(2), vmap(f, randomness=mode, chunk_size=chunk_size)(tp.zeros(5, 2)), tp.rand(2)
        assert tp.equal(before, tp.rand(2, generator=tp.Generator().manual_seed(3)))
        results.append((mapped.numpy(), after.numpy()))
    if mode == "same":
        np.testing.assert_array_equal(results[0][0], results[1][0])
        np.testing.assert_array_equal(results[0][1], results[1][1])


@pytest.mark.parametrize("chunk_size", [None, 1, 2])
def test_seeds_and_states_inside_of_a_map(chunk_size: int | None) -> None:
    g = tp.Generator()

    def seeds(x: tp.Tensor) -> tp.Tensor:
        before = tp.rand(1)
        tp.manual_seed(5)
        g.manual_seed(6)
        return tp.cat([before, tp.rand(1), tp.rand(1, generator=g), tp.full((1,), float(tp.initial_seed()))]) + 0 * x[0]

    def restores(x: tp.Tensor) -> tp.Tensor:
        state = tp.get_rng_state()
        one = tp.rand(2)
        tp.set_rng_state(state)
        return tp.cat([one, tp.rand(2)]) + 0 * x[0]

    def forks(x: tp.Tensor) -> tp.Tensor:
        with tp.random.fork_rng():
            one = tp.rand(2)
        with tp.random.fork_rng():
            tp.manual_seed(1)
            tp.rand(3)
        return tp.cat([one, tp.rand(2)]) + 0 * x[0]

    for f in (seeds, restores, forks):
        tp.manual_seed(2)
        alone, after = f(tp.ones(1)).numpy(), tp.rand(2).numpy()
        tp.manual_seed(2)
        drawn = vmap(f, randomness="same", chunk_size=chunk_size)(tp.ones(3, 1)).numpy()
        np.testing.assert_array_equal(drawn, np.stack([alone] * 3))
        np.testing.assert_array_equal(tp.rand(2).numpy(), after)
    drawn = vmap(restores, randomness="different")(tp.ones(3, 1)).numpy()
    np.testing.assert_array_equal(drawn[:, :2], drawn[:, 2:])


def test_a_map_inside_of_a_chunked_map_decides_for_its_own_dim() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return vmap(lambda y: y + tp.rand(2), randomness="different", chunk_size=2)(x)

    draws = vmap(f, randomness="same", chunk_size=2)(tp.zeros(5, 3, 2)).numpy()
    for sample in draws[1:]:
        np.testing.assert_array_equal(sample, draws[0])
    assert len(np.unique(draws[0])) == 6


# ---- derivatives -----------------------------------------------------------------------------------------------------


class Weighted:
    """A function of several samples, each weighted with what its random op draws; it counts its evaluations."""

    def __init__(self, op: Op, mode: str) -> None:
        self.op, self.mode, self.calls = op, mode, 0

    def one(self, x: tp.Tensor) -> tp.Tensor:
        """Of one sample: linear in it, with a random slope."""
        return self.op(tp.ones(8)).detach().double().abs().mean() * x.sum()

    def __call__(self, x: tp.Tensor) -> tp.Tensor:
        self.calls += 1
        return vmap(self.one, randomness=self.mode)(x)


X = tp.arange(1.0, 7.0, dtype=tp.float64).reshape(3, 2)


def slopes(values: Any) -> Array:
    """Jacobian of `Weighted` at X, from its value there."""
    jacobian = np.zeros((3, 3, 2))
    for i, value in enumerate(np.asarray(values)):
        jacobian[i, i] = value / X[i].sum().item()
    return jacobian


@by_ops
@MODES
def test_a_map_inside_of_derivatives(op: Op, mode: str) -> None:
    f = Weighted(op, mode)
    tp.manual_seed(7)
    expected = f(X).numpy()
    jacobian = slopes(expected)
    transforms: list[Callable[[], Any]] = [
        lambda: jacrev(f)(X),
        lambda: jacrev(f, chunk_size=1)(X),
        lambda: jacfwd(f)(X),
        lambda: tp.stack([vjp(f, X)[1](row)[0] for row in tp.eye(3, dtype=tp.float64)][:1]),
        lambda: vmap(vjp(f, X)[1])(tp.eye(3, dtype=tp.float64))[0],
    ]
    for number, transform in enumerate(transforms):
        f.calls = 0
        got = seeded(transform)
        if number == 3:
            near(got[0], jacobian[0])
            continue
        near(got, jacobian)
        assert f.calls == 1
    tp.manual_seed(7)
    value, push = linearize(f, X)
    near(value.numpy(), expected)
    near(push(X).numpy(), expected)
    tp.manual_seed(7)
    for got in jvp(f, (X,), (X,)):
        near(got.numpy(), expected)
    square = Weighted(op, mode)
    curved = seeded(lambda: hessian(lambda x: (square(x) ** 2).sum())(X))
    assert square.calls == 1
    near(curved, 2 * np.einsum("kij,klm->ijlm", jacobian, jacobian))


@by_ops
@MODES
def test_derivatives_inside_of_a_map(op: Op, mode: str) -> None:
    f = Weighted(op, mode)
    for chunk_size in (None, 2):
        gradients, values = vmap(grad_and_value(f.one), randomness=mode, chunk_size=chunk_size)(X)
        near(gradients.numpy(), slopes(values.numpy())[[0, 1, 2], [0, 1, 2]])
    got = seeded(lambda: vmap(jacfwd(f.one), randomness=mode)(X))
    near(seeded(lambda: vmap(grad(f.one), randomness=mode)(X)), got)
    near(seeded(lambda: vmap(lambda x: linearize(f.one, x)[1](x), randomness=mode)(X)), got[:, 0] * X.sum(1).numpy())


# ---- generators ------------------------------------------------------------------------------------------------------

WITH_GENERATOR: dict[str, Callable[[Any], tp.Tensor]] = {
    "rand": lambda g: tp.rand(3, generator=g),
    "randn": lambda g: tp.randn(3, generator=g),
    "randint": lambda g: tp.randint(10**6, (3,), generator=g),
    "randperm": lambda g: tp.randperm(50, generator=g),
    "rand_like": lambda g: tp.rand_like(tp.ones(3), generator=g),
    "randn_like": lambda g: tp.randn_like(tp.ones(3), generator=g),
    "randint_like": lambda g: tp.randint_like(tp.ones(3), 10**6, generator=g),
    "normal": lambda g: tp.normal(tp.ones(3), 1.0, generator=g),
    "normal-numbers": lambda g: tp.normal(0.0, 1.0, (3,), generator=g),
    "bernoulli": lambda g: tp.bernoulli(tp.full((64,), 0.5), generator=g),
    "Tensor.bernoulli": lambda g: tp.full((64,), 0.5).bernoulli(generator=g),
    "multinomial": lambda g: tp.multinomial(tp.ones(30), 15, generator=g),
    "Tensor.multinomial": lambda g: tp.ones(30).multinomial(15, generator=g),
    "poisson": lambda g: tp.poisson(tp.full((30,), 9.0), generator=g),
    "binomial": lambda g: tp.binomial(tp.full((30,), 99.0), tp.full((30,), 0.5), generator=g),
    "rrelu": lambda g: tp.nn.functional.rrelu(-tp.ones(8), training=True, generator=g),
    **{
        f"Tensor.{name}_": lambda g, name=name, args=args: getattr(tp.zeros(30), f"{name}_")(*args, generator=g)
        for name, args in {
            "normal": (),
            "uniform": (),
            "bernoulli": (0.5,),
            "random": (),
            "exponential": (),
            "cauchy": (),
            "log_normal": (),
            "geometric": (0.1,),
        }.items()
    },
    **{
        f"init.{name}": lambda g, name=name: getattr(tp.nn.init, name)(tp.empty(6, 6), generator=g)
        for name in (
            "uniform_",
            "normal_",
            "trunc_normal_",
            "xavier_uniform_",
            "xavier_normal_",
            "kaiming_uniform_",
            "kaiming_normal_",
            "orthogonal_",
        )
    },
    "init.sparse_": lambda g: tp.nn.init.sparse_(tp.empty(20, 6), 0.3, generator=g),
}
by_generators = pytest.mark.parametrize("call", WITH_GENERATOR.values(), ids=WITH_GENERATOR.keys())


@by_generators
def test_a_generator_is_a_stream_of_its_own(call: Callable[[Any], tp.Tensor]) -> None:
    g = tp.Generator().manual_seed(7)
    tp.manual_seed(8)
    default = tp.get_rng_state()
    own = call(g).detach().numpy()
    assert tp.equal(tp.get_rng_state(), default)
    np.testing.assert_array_equal(seeded(lambda: call(None)), own)
    for kind in (3, np.random.default_rng(0), "cpu"):
        with pytest.raises(TypeError, match=r"generator must be a tp\.Generator or None, got"):
            call(kind)


@by_generators
def test_the_mode_of_the_map_holds_for_generators(call: Callable[[Any], tp.Tensor]) -> None:
    g = tp.Generator().manual_seed(7)
    alone = call(g).detach().numpy()
    with pytest.raises(RuntimeError, match="'error' forbids"):
        vmap(lambda _: call(g))(tp.ones(4))
    for chunk_size in (None, 3):
        g.manual_seed(7)
        drawn = vmap(lambda _: call(g), randomness="same", chunk_size=chunk_size)(tp.ones(4)).detach().numpy()
        np.testing.assert_array_equal(drawn, np.stack([alone] * 4))
        drawn = vmap(lambda _: call(g), randomness="different", chunk_size=chunk_size)(tp.ones(4)).detach().numpy()
        assert len({row.tobytes() for row in drawn}) == 4
