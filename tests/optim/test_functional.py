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
    "rmsprop": (functional.rmsprop, functional.rmsprop_init, optim.RMSprop, {"lr": 0.1, "weight_decay": 0.1}),
    "centered": (
        functional.rmsprop,
        functional.rmsprop_init,
        optim.RMSprop,
        {"lr": 0.1, "momentum": 0.9, "centered": True, "maximize": True},
    ),
    "adagrad": (
        functional.adagrad,
        lambda p: functional.adagrad_init(p, 0.5),
        lambda p, **options: optim.Adagrad(p, initial_accumulator_value=0.5, **options),
        {"lr": 0.1, "lr_decay": 0.2},
    ),
    "adadelta": (functional.adadelta, functional.adadelta_init, optim.Adadelta, {"lr": 0.1, "weight_decay": 0.1}),
    "adamax": (functional.adamax, functional.adamax_init, optim.Adamax, {"lr": 0.1, "weight_decay": 0.1}),
    "nadam": (functional.nadam, functional.nadam_init, optim.NAdam, {"lr": 0.1, "weight_decay": 0.1}),
    "radam": (functional.radam, functional.radam_init, optim.RAdam, {"lr": 0.1, "betas": (0.5, 0.8)}),
    "rprop": (
        functional.rprop,
        lambda p: functional.rprop_init(p, 0.1),
        lambda p, **options: optim.Rprop(p, lr=0.1, **options),
        {"etas": (0.4, 1.5)},
    ),
    "asgd": (functional.asgd, functional.asgd_init, optim.ASGD, {"lr": 0.1, "lambd": 0.1, "t0": 2.0}),
}
WITH_RATE = [name for name, (*_, options) in STEPS.items() if "lr" in options]
BY_PARTS = [name for name in STEPS if name not in ("sgd", "momentum", "nesterov")]


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


@pytest.mark.parametrize("name", [name for name in WITH_RATE if name != "amsgrad"])
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


@pytest.mark.parametrize("name", WITH_RATE)
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


@pytest.mark.parametrize("name", BY_PARTS)
def test_parts_of_complex_parameters_are_parameters_of_their_own(name: str) -> None:
    step, init, _, options = STEPS[name]
    parts, complex_params = normal(3, 2), tp.view_as_complex(normal(3, 2))
    state, complex_state = init(parts), init(complex_params)
    for seed in range(3):
        grads = normal(3, 2, seed=seed)
        parts, state = step(parts, grads, state, **options)
        complex_params, complex_state = step(complex_params, tp.view_as_complex(grads), complex_state, **options)
    close(tp.view_as_real(complex_params), parts)


# ---- what does not fit -----------------------------------------------------------------------------------------------

SIMPLE_STEPS = [
    (functional.sgd, functional.sgd_init),
    (functional.adam, functional.adam_init),
    (functional.adamw, functional.adam_init),
    (functional.rmsprop, functional.rmsprop_init),
    (functional.adagrad, functional.adagrad_init),
    (functional.adadelta, functional.adadelta_init),
    (functional.adamax, functional.adamax_init),
    (functional.nadam, functional.nadam_init),
    (functional.radam, functional.radam_init),
    (functional.rprop, functional.rprop_init),
    (functional.asgd, functional.asgd_init),
]


@pytest.mark.parametrize(("step", "init"), SIMPLE_STEPS)
@pytest.mark.parametrize(
    ("error", "words", "grads"),
    [
        (ValueError, r"no grads\['w'\]", None),
        (ValueError, r"no grads\['w'\]", {"v": tp.ones(2)}),
        (ValueError, r"no params\['v'\]", {"w": tp.ones(2), "v": tp.ones(2)}),
        (ValueError, r"grads\['w'\] .*params\['w'\].*shape \[2\].*shape \[3\]", {"w": tp.ones(3)}),
        (ValueError, r"grads\['w'\] .*params\['w'\].*shape \[2\].*shape \[1\]", {"w": tp.ones(1)}),
        (TypeError, r"grads\['w'\] .*a float", {"w": 1.0}),
        (TypeError, r"grads\['w'\] .*a NoneType", {"w": None}),
    ],
)
def test_gradients_must_match(step: Any, init: Any, error: type[Exception], words: str, grads: Any) -> None:
    params = {"w": tp.ones(2)}
    with pytest.raises(error, match=rf"^{step.__name__}\(\): .*{words}"):
        step(params, grads, init(params))


def test_containers_must_match() -> None:
    params = [tp.ones(2)]
    with pytest.raises(ValueError, match=r"^adam\(\): grads must have the structure of params: got .*\(\*,\).*\[\*\]"):
        functional.adam(params, tuple(params), functional.adam_init(params))


@pytest.mark.parametrize(("step", "init"), SIMPLE_STEPS)
def test_state_must_be_that_of_the_optimiser_and_the_parameters(step: Any, init: Any) -> None:
    params = {"w": tp.ones(2)}
    other = functional.adam_init if init is functional.sgd_init else functional.sgd_init
    for state in (None, other(params), (), {}):
        with pytest.raises(TypeError, match=rf"^{step.__name__}\(\): .*{init.__name__}.*got {type(state).__name__}"):
            step(params, params, state)
    with pytest.raises(ValueError, match=rf"^{step.__name__}\(\): state\.\w+\['w'\] .*shape \[2\].*shape \[3\]"):
        step(params, params, init({"w": tp.ones(3)}))
    with pytest.raises(ValueError, match=r"no state\.\w+\['w'\]"):
        step(params, params, init({"v": tp.ones(2)}))


def test_amsgrad_must_be_that_of_the_state() -> None:
    params = {"w": tp.ones(2)}
    for step in (functional.adam, functional.adamw):
        with pytest.raises(ValueError, match=rf"^{step.__name__}\(\): amsgrad=True.*adam_init"):
            step(params, params, functional.adam_init(params), amsgrad=True)
