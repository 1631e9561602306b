"""Optimisers against their formulas in NumPy; groups, states and errors."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn, optim

STEPS = 20
START = np.random.default_rng(0).standard_normal((3, 2))
GRADS = np.random.default_rng(1).standard_normal((STEPS, 3, 2))


def trained(make: Any, steps: int = STEPS) -> np.ndarray[Any, Any]:
    """A parameter after steps along given gradients."""
    p = nn.Parameter(tp.tensor(START))
    optimizer = make([p])
    for t in range(steps):
        optimizer.zero_grad()
        (p * tp.tensor(GRADS[t])).sum().backward()
        optimizer.step()
    return np.asarray(p.detach().numpy())


def sgd_reference(
    lr: float = 1e-3,
    momentum: float = 0,
    dampening: float = 0,
    weight_decay: float = 0,
    nesterov: bool = False,
    maximize: bool = False,
) -> np.ndarray[Any, Any]:
    p, buffer = START.copy(), None
    for g in GRADS:
        d = (-g if maximize else g) + weight_decay * p
        buffer = d if buffer is None else momentum * buffer + (1 - dampening) * d
        p = p - lr * ((d + momentum * buffer) if nesterov else buffer if momentum else d)
    return p


def adam_reference(
    lr: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    amsgrad: bool = False,
    maximize: bool = False,
    decoupled: bool = False,
) -> np.ndarray[Any, Any]:
    p, m, v, largest = START.copy(), np.zeros_like(START), np.zeros_like(START), np.zeros_like(START)
    for t, g in enumerate(GRADS, 1):
        d = -g if maximize else g
        if decoupled:
            p = p - lr * weight_decay * p
        else:
            d = d + weight_decay * p
        m = betas[0] * m + (1 - betas[0]) * d
        v = betas[1] * v + (1 - betas[1]) * d * d
        largest = np.maximum(largest, v)
        corrected = (largest if amsgrad else v) / (1 - betas[1] ** t)
        p = p - lr * (m / (1 - betas[0] ** t)) / (np.sqrt(corrected) + eps)
    return p


SGD_OPTIONS: list[dict[str, Any]] = [
    {},
    {"lr": 0.1, "momentum": 0.9},
    {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1},
    {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    {"lr": 0.1, "maximize": True, "weight_decay": 0.1},
]
ADAM_OPTIONS: list[dict[str, Any]] = [
    {},
    {"lr": 0.1, "betas": (0.5, 0.7), "eps": 1e-3},
    {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1},
    {"lr": 0.1, "maximize": True},
]


@pytest.mark.parametrize("options", SGD_OPTIONS)
def test_sgd(options: dict[str, Any]) -> None:
    got = trained(lambda params: optim.SGD(params, **options))
    assert np.allclose(got, sgd_reference(**options), rtol=1e-12)


@pytest.mark.parametrize("options", ADAM_OPTIONS)
def test_adam_and_adamw(options: dict[str, Any]) -> None:
    got = trained(lambda params: optim.Adam(params, **options))
    assert np.allclose(got, adam_reference(**options), rtol=1e-10)
    decoupled = trained(lambda params: optim.AdamW(params, **options))
    expected = adam_reference(**{"weight_decay": 0.01, **options}, decoupled=True)
    assert np.allclose(decoupled, expected, rtol=1e-10)


def test_groups_have_options_of_their_own() -> None:
    a, b, c = (nn.Parameter(tp.ones(1)) for _ in range(3))
    optimizer = optim.SGD([{"params": [a]}, {"params": [("b", b)], "lr": 0.5}], lr=0.25)
    optimizer.add_param_group({"params": c, "lr": 1.0})
    assert optimizer.param_groups[1]["param_names"] == ["b"]
    (a + b + c).sum().backward()
    optimizer.step()
    assert [float(p) for p in (a, b, c)] == [0.75, 0.5, 0.0]
    assert "Parameter Group 2\n    dampening: 0" in repr(optimizer)


def test_parameters_without_gradient_stay_and_closures_run() -> None:
    a, b = nn.Parameter(tp.ones(1)), nn.Parameter(tp.ones(1))
    optimizer = optim.Adam([a, b], lr=0.5)

    def closure() -> tp.Tensor:
        optimizer.zero_grad()
        loss = (3 * a).sum()
        loss.backward()
        return loss

    with tp.no_grad():
        assert float(optimizer.step(closure)) == 3
    assert float(b) == 1
    assert float(a) == pytest.approx(0.5)
    optimizer.zero_grad(set_to_none=False)
    assert float(a.grad) == 0


EVERY = [
    lambda p: optim.SGD(p, 0.1, 0.9),
    lambda p: optim.Adam(p, 0.1, amsgrad=True),
    optim.AdamW,
    lambda p: optim.RMSprop(p, 0.1, momentum=0.9, centered=True),
    optim.Adagrad,
    optim.Adadelta,
    optim.Adamax,
    lambda p: optim.NAdam(p, 0.1),
    lambda p: optim.RAdam(p, 0.1, betas=(0.5, 0.8)),
    optim.Rprop,
    lambda p: optim.ASGD(p, 0.1, t0=3),
]


@pytest.mark.parametrize("through", ["a copy", "a file"])
@pytest.mark.parametrize("make", EVERY)
def test_training_continues_from_a_saved_state(make: Any, through: str, tmp_path: Path) -> None:
    p = nn.Parameter(tp.tensor(START))
    optimizer = make([p])
    for t in range(STEPS):
        if t == 7:
            state = copy.deepcopy(optimizer.state_dict())
            if through == "a file":
                tp.save({"optimizer": state, "epoch": 7}, tmp_path / "x.safetensors")
                state = tp.load(tmp_path / "x.safetensors")["optimizer"]
            p = nn.Parameter(p.detach().clone())
            optimizer = make([p])
            optimizer.load_state_dict(state)
        optimizer.zero_grad()
        (p * tp.tensor(GRADS[t])).sum().backward()
        optimizer.step()
    assert np.array_equal(p.detach().numpy(), trained(make))


def test_the_first_momentum_is_no_alias_of_the_gradient() -> None:
    p = nn.Parameter(tp.ones(1))
    optimizer = optim.SGD([p], lr=1.0, momentum=0.5)
    for _ in range(2):
        p.sum().backward()  # gradients add up
        optimizer.step()
    assert float(p) == 1 - 1 - (0.5 + 2)


def test_errors() -> None:
    p = nn.Parameter(tp.ones(1))
    for bad in ({"lr": -1.0}, {"momentum": -1.0}, {"nesterov": True}, {"weight_decay": -1.0}):
        with pytest.raises(ValueError, match="SGD"):
            optim.SGD([p], **bad)
    with pytest.raises(ValueError, match="betas"):
        optim.Adam([p], betas=(1.0, 0.9))
    with pytest.raises(ValueError, match="empty"):
        optim.SGD([])
    with pytest.raises(TypeError, match="iterable"):
        optim.SGD(p)
    with pytest.raises(TypeError, match="optimise tensors"):
        optim.SGD([3])
    with pytest.raises(ValueError, match="non-leaf"):
        optim.SGD([p * 2])
    with pytest.raises(ValueError, match="twice"):
        optim.SGD([p, p])
    with pytest.raises(ValueError, match="groups"):
        optim.SGD([p]).load_state_dict({"state": {}, "param_groups": []})
    with pytest.raises(ValueError, match="group 0 has 2"):
        optim.SGD([p]).load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})


def test_clipping_and_vectors_of_parameters() -> None:
    a, b = nn.Parameter(tp.zeros(2)), nn.Parameter(tp.zeros(1))
    a.grad, b.grad = tp.tensor([3.0, 0.0]), tp.tensor([-4.0])
    assert float(nn.utils.clip_grad_norm_([a, b], 2.5)) == 5
    assert np.allclose(a.grad.numpy(), [1.5, 0])
    assert float(nn.utils.get_total_norm([a.grad, b.grad], float("inf"))) == pytest.approx(2)
    nn.utils.clip_grad_value_([a, b], 1.0)
    assert np.allclose(b.grad.numpy(), [-1])
    a.grad = tp.tensor([float("inf"), 0.0])
    with pytest.raises(RuntimeError, match="cannot be clipped"):
        nn.utils.clip_grad_norm_([a, b], 1.0, error_if_nonfinite=True)
    nn.utils.vector_to_parameters(tp.tensor([1.0, 2.0, 3.0]), [a, b])
    assert np.array_equal(nn.utils.parameters_to_vector([a, b]).detach().numpy(), [1, 2, 3])
    with pytest.raises(RuntimeError, match="3 elements"):
        nn.utils.vector_to_parameters(tp.ones(4), [a, b])
