"""Gradients of what is used many times: their terms are summed in one contraction, or added in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.primitive import registry

STEPS = 150
rng = np.random.default_rng(0)
WEIGHT = rng.standard_normal((4, 3))
INPUTS = rng.standard_normal((STEPS, 5, 3))
SLOPES = rng.standard_normal((STEPS, 5, 4))


def loss(weight: tp.Tensor, inputs: Any = INPUTS, slopes: Any = SLOPES) -> tp.Tensor:
    """Linear in the weight, which is used once for each step, by rows and by vectors in turn."""
    total = weight.new_zeros(())
    for i, (x, slope) in enumerate(zip(tp.tensor(inputs), tp.tensor(slopes), strict=True)):
        if i % 2:
            total = total + (tp.nn.functional.linear(x, weight) * slope).sum()
        else:
            total = total + (tp.nn.functional.linear(x[0], weight) * slope[0]).sum()
    return total


def expected(inputs: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    vectors = np.einsum("to,ti->oi", slopes[::2, 0], inputs[::2, 0])
    return vectors + np.einsum("tao,tai->oi", slopes[1::2], inputs[1::2])


def test_weight_of_many_steps() -> None:
    np.testing.assert_allclose(tp.func.grad(loss)(tp.tensor(WEIGHT)).numpy(), expected(INPUTS, SLOPES), rtol=1e-12)


def test_weight_of_many_steps_per_sample() -> None:
    inputs, slopes = rng.standard_normal((2, STEPS, 5, 3)), rng.standard_normal((2, STEPS, 5, 4))

    def f(weight: tp.Tensor, x: tp.Tensor, slope: tp.Tensor) -> tp.Tensor:
        return (tp.stack([tp.nn.functional.linear(each, weight) for each in x.unbind(0)]) * slope).sum()

    got = tp.vmap(tp.func.grad(f), in_dims=(None, 0, 0))(tp.tensor(WEIGHT), tp.tensor(inputs), tp.tensor(slopes))
    np.testing.assert_allclose(got.numpy(), np.einsum("stao,stai->soi", slopes, inputs), rtol=1e-12)


def test_weight_of_many_steps_by_backward() -> None:
    weight = tp.tensor(WEIGHT, requires_grad=True)
    loss(weight).backward()
    loss(weight).backward()
    np.testing.assert_allclose(weight.grad.numpy(), 2 * expected(INPUTS, SLOPES), rtol=1e-12)


def test_complex_weight_of_many_steps() -> None:
    inputs = INPUTS + 1j * rng.standard_normal(INPUTS.shape)
    weight = tp.tensor(WEIGHT + 0j, requires_grad=True)
    tp.stack([tp.nn.functional.linear(tp.tensor(x), weight) for x in inputs]).real.sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), np.tile(inputs.conj().sum((0, 1)), (4, 1)), rtol=1e-12)


def biased(bias: tp.Tensor, inputs: Any, slopes: Any) -> tp.Tensor:
    """Linear in the bias, which is added to the rows of each step."""
    weight = tp.zeros(4, 3, dtype=inputs.dtype)
    return sum(
        (tp.nn.functional.linear(x, weight, bias) * slope).sum() for x, slope in zip(inputs, slopes, strict=True)
    )


def test_bias_of_many_steps() -> None:
    got = tp.func.grad(biased)(tp.zeros(4, dtype=tp.float64), tp.tensor(INPUTS), tp.tensor(SLOPES))
    np.testing.assert_allclose(got.numpy(), SLOPES.sum((0, 1)), rtol=1e-12)


def test_bias_of_many_steps_per_sample() -> None:
    inputs, slopes = rng.standard_normal((2, STEPS, 5, 3)), rng.standard_normal((2, STEPS, 5, 4))
    per_sample = tp.vmap(tp.func.grad(biased), in_dims=(None, 0, 0))
    got = per_sample(tp.zeros(4, dtype=tp.float64), tp.tensor(inputs), tp.tensor(slopes))
    np.testing.assert_allclose(got.numpy(), slopes.sum((1, 2)), rtol=1e-12)


def test_bias_of_many_steps_twice() -> None:
    """Second derivatives go through the stacked cotangents."""

    def f(bias: tp.Tensor) -> tp.Tensor:
        inputs = tp.tensor(INPUTS[:9])
        weight = tp.tensor(WEIGHT)
        return sum(tp.nn.functional.linear(x, weight, bias).sin().sum() for x in inputs)

    got = tp.func.hessian(f)(tp.zeros(4, dtype=tp.float64))
    np.testing.assert_allclose(got.numpy(), np.diag(-np.sin(INPUTS[:9] @ WEIGHT.T).sum((0, 1))), rtol=1e-10)


def test_one_number_is_the_bias_of_many_steps() -> None:
    weight, inputs = tp.tensor(WEIGHT[0]), tp.tensor(INPUTS)
    got = tp.func.grad(lambda b: sum((tp.nn.functional.linear(x, weight, b) * x[:, 0]).sum() for x in inputs))
    np.testing.assert_allclose(got(tp.zeros((), dtype=tp.float64)).numpy(), INPUTS[:, :, 0].sum(), rtol=1e-12)


def recurrent(weight: tp.Tensor) -> tp.Tensor:
    h = tp.tensor([0.3, -0.2, 0.5], dtype=tp.float64)
    for _ in range(20):
        h = tp.sin(weight @ h + 0.1)
    return (h * h).sum()


def sines(weight: np.ndarray) -> complex:
    h = np.array([0.3, -0.2, 0.5])
    for _ in range(20):
        h = np.sin(weight @ h + 0.1)
    return (h * h).sum()


SQUARE = rng.standard_normal((3, 3)) / 2


def test_recurrent_weight_against_complex_steps() -> None:
    steps = [sines(SQUARE + 1e-30j * unit.reshape(3, 3)).imag / 1e-30 for unit in np.eye(9)]
    np.testing.assert_allclose(tp.func.grad(recurrent)(tp.tensor(SQUARE)).numpy().ravel(), steps, rtol=1e-10)


@pytest.mark.parametrize("second", [tp.func.jacrev, tp.func.jacfwd])
def test_second_derivatives_of_a_recurrent_weight(second: Callable[..., Any]) -> None:
    got = second(tp.func.grad(recurrent))(tp.tensor(SQUARE)).numpy().reshape(9, 9)
    gradient = tp.func.grad(recurrent)
    for unit, row in zip(np.eye(9).reshape(9, 3, 3), got, strict=True):
        ahead, behind = (gradient(tp.tensor(SQUARE + h * unit)).numpy() for h in (1e-6, -1e-6))
        np.testing.assert_allclose(row, (ahead - behind).ravel() / 2e-6, atol=1e-7)


def test_terms_are_summed_in_one_contraction(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = []
    prim = registry["contract"]
    kernel = prim.impl
    monkeypatch.setattr(prim, "impl", lambda x, y, spec: (specs.append(spec), kernel(x, y, spec))[1])
    inputs = tp.tensor(rng.standard_normal((40, 8)))
    tp.func.grad(lambda w: tp.stack([w @ x for x in inputs.unbind(0)]).sum())(tp.tensor(rng.standard_normal((8, 8))))
    assert len(specs) == 40 + 2  # the products, the first term, the sum of the others


def test_sums_in_place_leave_shared_cotangents_alone() -> None:
    """The first two terms of x are one array, which is a cotangent of y as well."""
    x, y = (tp.tensor(rng.standard_normal(1000)) for _ in range(2))
    gx, gy = tp.func.grad(lambda x, y: ((x + y) + x + (x * 3) + x).sum() * 2, argnums=(0, 1))(x, y)
    np.testing.assert_array_equal(gx.numpy(), np.full(1000, 12.0))
    np.testing.assert_array_equal(gy.numpy(), np.full(1000, 2.0))
    assert not np.shares_memory(gx.numpy(), gy.numpy())


def test_a_pull_may_be_repeated_after_sums_in_place() -> None:
    x = tp.tensor(rng.standard_normal(1000))
    _, pull = tp.func.vjp(lambda x: x * 2 + x + x * x + x, x)
    for _ in range(2):
        np.testing.assert_allclose(pull(tp.ones(1000, dtype=tp.float64))[0].numpy(), 4 + 2 * x.numpy())
