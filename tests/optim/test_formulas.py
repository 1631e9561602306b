"""Optimisers against loops over single numbers, which follow the papers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn, optim

STEPS = 12
START = np.random.default_rng(0).standard_normal((3, 2))
GRADS = np.random.default_rng(1).standard_normal((STEPS, 3, 2))
GRADS[4, 0] = 0
GRADS[:, 2, 1] = 0  # an element that never moves but by decay

# One number p, and its gradient at each step, under options -> the number after all steps.
Loop = Callable[..., float]


def rmsprop(
    p: float, grads: Any, lr: float, alpha: float, eps: float, decay: float, momentum: float, centered: bool
) -> float:
    square = mean = buffer = 0.0
    for g in grads:
        g = g + decay * p
        square = alpha * square + (1 - alpha) * g * g
        mean = alpha * mean + (1 - alpha) * g
        spread = math.sqrt(square - mean * mean if centered else square) + eps
        buffer = momentum * buffer + g / spread
        p -= lr * buffer
    return p


def adagrad(p: float, grads: Any, lr: float, lr_decay: float, decay: float, initial: float, eps: float) -> float:
    total = initial
    for done, g in enumerate(grads):
        g = g + decay * p
        total += g * g
        p -= lr / (1 + done * lr_decay) * g / (math.sqrt(total) + eps)
    return p


def adadelta(p: float, grads: Any, lr: float, rho: float, eps: float, decay: float) -> float:
    square = moved = 0.0
    for g in grads:
        g = g + decay * p
        square = rho * square + (1 - rho) * g * g
        move = math.sqrt(moved + eps) / math.sqrt(square + eps) * g
        moved = rho * moved + (1 - rho) * move * move
        p -= lr * move
    return p


def adamax(p: float, grads: Any, lr: float, betas: tuple[float, float], eps: float, decay: float) -> float:
    mean = largest = 0.0
    for t, g in enumerate(grads, 1):
        g = g + decay * p
        mean = betas[0] * mean + (1 - betas[0]) * g
        largest = max(betas[1] * largest, abs(g) + eps)
        p -= lr / (1 - betas[0] ** t) * mean / largest
    return p


def moments_of(p: float, grads: Any, lr: float, betas: Any, decay: float, decoupled: bool, move: Any) -> float:
    mean = square = 0.0
    for t, g in enumerate(grads, 1):
        if decoupled:
            p *= 1 - lr * decay
        else:
            g = g + decay * p
        mean = betas[0] * mean + (1 - betas[0]) * g
        square = betas[1] * square + (1 - betas[1]) * g * g
        p -= lr * move(t, g, mean, square)
    return p


def nadam(
    p: float, grads: Any, lr: float, betas: Any, eps: float, decay: float, grows: float, decoupled: bool
) -> float:
    def momentum(t: int) -> float:
        return betas[0] * (1 - 0.5 * 0.96 ** (t * grows))

    def move(t: int, g: float, mean: float, square: float) -> float:
        product = math.prod(map(momentum, range(1, t + 1)))
        ahead = momentum(t + 1) * mean / (1 - product * momentum(t + 1))
        here = (1 - momentum(t)) * g / (1 - product)
        return (ahead + here) / (math.sqrt(square / (1 - betas[1] ** t)) + eps)

    return moments_of(p, grads, lr, betas, decay, decoupled, move)


def radam(p: float, grads: Any, lr: float, betas: Any, eps: float, decay: float, decoupled: bool) -> float:
    last = 2 / (1 - betas[1]) - 1

    def move(t: int, g: float, mean: float, square: float) -> float:
        mean = mean / (1 - betas[0] ** t)
        length = last - 2 * t * betas[1] ** t / (1 - betas[1] ** t)
        if length <= 5:
            return mean
        rectified = math.sqrt((length - 4) * (length - 2) * last / ((last - 4) * (last - 2) * length))
        return mean * rectified * math.sqrt(1 - betas[1] ** t) / (math.sqrt(square) + eps)

    return moments_of(p, grads, lr, betas, decay, decoupled, move)


def rprop(p: float, grads: Any, lr: float, etas: tuple[float, float], sizes: tuple[float, float]) -> float:
    before, size = 0.0, lr
    for g in grads:
        if g * before > 0:
            size = min(size * etas[1], sizes[1])
        elif g * before < 0:
            size, g = max(size * etas[0], sizes[0]), 0.0
        p -= size * np.sign(g)
        before = g
    return p


def asgd(p: float, grads: Any, lr: float, lambd: float, alpha: float, decay: float) -> float:
    for done, g in enumerate(grads):
        eta = lr / (1 + lambd * lr * done) ** alpha
        p = p * (1 - lambd * eta) - eta * (g + decay * p)
    return p


CASES: list[tuple[Any, Loop, dict[str, Any], tuple[Any, ...]]] = [
    (optim.RMSprop, rmsprop, {}, (1e-2, 0.99, 1e-8, 0, 0, False)),
    (
        optim.RMSprop,
        rmsprop,
        {"lr": 0.1, "alpha": 0.7, "eps": 1e-3, "weight_decay": 0.1, "momentum": 0.8, "centered": True},
        (0.1, 0.7, 1e-3, 0.1, 0.8, True),
    ),
    (optim.Adagrad, adagrad, {}, (1e-2, 0, 0, 0, 1e-10)),
    (
        optim.Adagrad,
        adagrad,
        {"lr": 0.3, "lr_decay": 0.1, "weight_decay": 0.2, "initial_accumulator_value": 0.5, "eps": 1e-2},
        (0.3, 0.1, 0.2, 0.5, 1e-2),
    ),
    (optim.Adadelta, adadelta, {}, (1.0, 0.9, 1e-6, 0)),
    (
        optim.Adadelta,
        adadelta,
        {"lr": 0.5, "rho": 0.6, "eps": 1e-2, "weight_decay": 0.1},
        (0.5, 0.6, 1e-2, 0.1),
    ),
    (optim.Adamax, adamax, {}, (2e-3, (0.9, 0.999), 1e-8, 0)),
    (
        optim.Adamax,
        adamax,
        {"lr": 0.1, "betas": (0.5, 0.7), "eps": 1e-3, "weight_decay": 0.1},
        (0.1, (0.5, 0.7), 1e-3, 0.1),
    ),
    (optim.NAdam, nadam, {}, (2e-3, (0.9, 0.999), 1e-8, 0, 4e-3, False)),
    (
        optim.NAdam,
        nadam,
        {"lr": 0.1, "betas": (0.5, 0.7), "eps": 1e-3, "weight_decay": 0.1, "momentum_decay": 0.2},
        (0.1, (0.5, 0.7), 1e-3, 0.1, 0.2, False),
    ),
    (
        optim.NAdam,
        nadam,
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
        (0.1, (0.9, 0.999), 1e-8, 0.1, 4e-3, True),
    ),
    (optim.RAdam, radam, {}, (1e-3, (0.9, 0.999), 1e-8, 0, False)),
    (
        optim.RAdam,
        radam,
        {"lr": 0.1, "betas": (0.5, 0.8), "eps": 1e-3, "weight_decay": 0.1},
        (0.1, (0.5, 0.8), 1e-3, 0.1, False),
    ),
    (
        optim.RAdam,
        radam,
        {"lr": 0.1, "betas": (0.5, 0.5), "weight_decay": 0.1, "decoupled_weight_decay": True},
        (0.1, (0.5, 0.5), 1e-8, 0.1, True),
    ),
    (optim.Rprop, rprop, {}, (1e-2, (0.5, 1.2), (1e-6, 50))),
    (
        optim.Rprop,
        rprop,
        {"lr": 0.1, "etas": (0.3, 1.7), "step_sizes": (0.05, 0.2)},
        (0.1, (0.3, 1.7), (0.05, 0.2)),
    ),
    (optim.ASGD, asgd, {}, (1e-2, 1e-4, 0.75, 0)),
    (
        optim.ASGD,
        asgd,
        {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "weight_decay": 0.1},
        (0.1, 0.1, 0.5, 0.1),
    ),
]


def path(cls: Any, options: dict[str, Any], start: Any, grads: Any) -> tuple[list[Any], Any]:
    p = nn.Parameter(tp.tensor(start))
    optimizer = cls([p], **options)
    points = []
    for g in grads:
        p.grad = tp.tensor(g)
        optimizer.step()
        points.append(p.detach().clone())
    return points, optimizer.state[p]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize(("cls", "loop", "options", "numbers"), CASES)
def test_steps(
    cls: Any, loop: Loop, options: dict[str, Any], numbers: tuple[Any, ...], maximize: bool, dtype: Any
) -> None:
    points, _ = path(cls, {**options, "maximize": maximize}, START.astype(dtype), GRADS.astype(dtype))
    signed = -GRADS if maximize else GRADS
    expected = [[loop(START[i, j], signed[:, i, j], *numbers) for j in range(2)] for i in range(3)]
    assert points[-1].numpy().dtype == dtype
    rtol = 1e-10 if dtype == np.float64 else 2e-4
    np.testing.assert_allclose(points[-1].numpy(), expected, rtol=rtol, atol=rtol)


def test_asgd_averages_from_a_step_on() -> None:
    points, state = path(optim.ASGD, {"lr": 0.1, "t0": 5}, START, GRADS)
    # as torch counts: the first average is of the point after step t0 + 2
    np.testing.assert_allclose(state["ax"].numpy(), np.mean([p.numpy() for p in points[6:]], 0), rtol=1e-12)
    _, state = path(optim.ASGD, {"lr": 0.1}, START, GRADS)
    np.testing.assert_allclose(state["ax"].numpy(), points[-1].numpy(), rtol=1e-12)


def test_options_out_of_range() -> None:
    p = nn.Parameter(tp.ones(1))
    wrong = [
        (optim.RMSprop, {"alpha": -1.0}, "RMSprop: alpha"),
        (optim.Adagrad, {"initial_accumulator_value": -1.0}, "Adagrad: initial_accumulator_value"),
        (optim.Adadelta, {"rho": 1.5}, r"Adadelta: rho must lie in \[0, 1\]"),
        (optim.Adamax, {"betas": (0.9, 1.0)}, r"Adamax: betas must lie in \[0, 1\)"),
        (optim.NAdam, {"momentum_decay": -1.0}, "NAdam: momentum_decay"),
        (optim.RAdam, {"eps": -1.0}, "RAdam: eps"),
        (optim.Rprop, {"etas": (0.5, 0.9)}, "Rprop: etas must lie on both sides of 1"),
        (optim.ASGD, {"lr": -1.0}, "ASGD: lr"),
    ]
    for cls, options, words in wrong:
        with pytest.raises(ValueError, match=f"^{words}"):
            cls([p], **options)
