"""Optimiser steps as pure functions: equal to the classes, differentiable, mappable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn, optim
from tensorplay.func import grad, jvp, vmap
from tensorplay.optim import functional
from tests.func.support import array, close, normal

STEPS = {
    "sgd": (functional.sgd, functional.sgd_init, optim.SGD, {"lr": 0.1}),
    "momentum": (functional.sgd, functional.sgd_init, optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
    "nesterov": (
        functional.sgd,
        functional.sgd_init,
        optim.SGD,
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    ),
    "adam": (functional.adam, functional.adam_init, optim.Adam, {"lr": 0.1, "weight_decay": 0.1}),
    "amsgrad": (
        functional.adam,
        lambda p: functional.adam_init(p, amsgrad=True),
        optim.Adam,
        {"lr": 0.1, "amsgrad": True},
    ),
    "adamw": (functional.adamw, functional.adam_init, optim.AdamW, {"lr": 0.1, "maximize": True}),
}


@pytest.mark.parametrize("dtype", [tp.float32, tp.float64])
@pytest.mark.parametrize("name", STEPS)
def test_pure_steps_equal_those_of_the_classes(name: str, dtype: tp.dtype) -> None:
    step, init, cls, options = STEPS[name]
    start = {"w": normal(3, 2).to(dtype), "b": [normal(2, seed=1).to(dtype)]}
    params, state = start, init(start)
    held = [nn.Parameter(start["w"].clone()), nn.Parameter(start["b"][0].clone())]
    optimizer = cls(held, **options)
    for t in range(5):
        grads = {"w": normal(3, 2, seed=t).to(dtype), "b": [normal(2, seed=t).to(dtype)]}
        params, state = step(params, grads, state, **options)
        held[0].grad, held[1].grad = grads["w"], grads["b"][0]
        optimizer.step()
    rtol = 1e-5 if dtype == tp.float32 else 1e-12
    assert params["w"].dtype == dtype
    close(params["w"], held[0], rtol)
    close(params["b"][0], held[1], rtol)
    close(start["w"], normal(3, 2).to(dtype), rtol)


@pytest.mark.parametrize("name", ["momentum", "adam", "adamw"])
def test_gradients_flow_through_several_steps(name: str) -> None:
    step, init, _, options = STEPS[name]
    x, y = normal(6, seed=1), normal(6, seed=2)

    def inner(p: tp.Tensor, scale: tp.Tensor) -> tp.Tensor:
        return ((p[0] * x * scale + p[1] - y) ** 2).mean()

    def outer(p: tp.Tensor, scale: tp.Tensor) -> tp.Tensor:
        state = init(p)
        for _ in range(3):
            p, state = step(p, grad(inner)(p, scale), state, **options)
        return inner(p, tp.ones_like(scale))

    p, scale = normal(2), tp.tensor(1.3, dtype=tp.float64)
    found = grad(outer, argnums=(0, 1))(p, scale)
    h = 1e-6
    for i in range(2):
        unit = tp.tensor(np.eye(2)[i] * h)
        slope = (float(outer(p + unit, scale)) - float(outer(p - unit, scale))) / (2 * h)
        assert float(found[0][i]) == pytest.approx(slope, rel=1e-5, abs=1e-7)
    slope = (float(outer(p, scale + h)) - float(outer(p, scale - h))) / (2 * h)
    assert float(found[1]) == pytest.approx(slope, rel=1e-5, abs=1e-7)
    _, tangent = jvp(lambda s: outer(p, s), (scale,), (tp.ones_like(scale),))
    close(tangent, found[1])


def test_gradients_through_adam_stay_finite_where_a_gradient_is_zero() -> None:
    def outer(p: tp.Tensor) -> tp.Tensor:
        state = functional.adam_init(p)
        for _ in range(2):
            p, state = functional.adam(p, grad(lambda q: q[0] ** 2 + 0 * q[1])(p), state, lr=0.1)
        return (p**2).sum()

    found = array(grad(outer)(tp.tensor([1.0, 2.0], dtype=tp.float64)))
    assert np.isfinite(found).all()
    assert found[1] == pytest.approx(4)


@pytest.mark.parametrize("name", ["sgd", "nesterov", "adam", "adamw"])
def test_an_ensemble_with_a_learning_rate_each(name: str) -> None:
    step, init, _, options = STEPS[name]
    options = {key: value for key, value in options.items() if key != "lr"}
    params, rates = {"w": normal(4, 3)}, tp.tensor([0.1, 0.2, 0.3, 0.4], dtype=tp.float64)
    x = normal(5, 3, seed=1)

    def loss(p: Any) -> tp.Tensor:
        return ((x * p["w"]).sum(-1) ** 2).mean()

    def train(p: Any, state: Any, lr: tp.Tensor) -> Any:
        return step(p, grad(loss)(p), state, lr=lr, **options)

    mapped, state = params, vmap(init)(params)
    for _ in range(3):
        mapped, state = vmap(train)(mapped, state, rates)
    for i in range(4):
        alone: Any = {"w": params["w"][i]}
        own = init(alone)
        for _ in range(3):
            alone, own = train(alone, own, rates[i])
        close(mapped["w"][i], alone["w"], 1e-10)


@pytest.mark.parametrize("name", ["adam", "amsgrad", "adamw"])
def test_parts_of_complex_parameters_are_parameters_of_their_own(name: str) -> None:
    step, init, _, options = STEPS[name]
    parts, complex_params = normal(3, 2), tp.view_as_complex(normal(3, 2))
    state, complex_state = init(parts), init(complex_params)
    for seed in range(3):
        grads = normal(3, 2, seed=seed)
        parts, state = step(parts, grads, state, **options)
        complex_params, complex_state = step(complex_params, tp.view_as_complex(grads), complex_state, **options)
    close(tp.view_as_real(complex_params), parts)


def test_structures_must_match() -> None:
    params = {"w": tp.ones(1)}
    with pytest.raises(ValueError, match="one structure"):
        functional.sgd(params, {"v": tp.ones(1)}, functional.sgd_init(params))
    with pytest.raises(ValueError, match="amsgrad"):
        functional.adam(params, params, functional.adam_init(params), amsgrad=True)
