"""Learning-rate schedules against their closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import tensorplay as tp
from tensorplay import nn, optim
from tensorplay.optim import lr_scheduler

EPOCHS = 12


def optimizer(*rates: float) -> optim.SGD:
    return optim.SGD([{"params": [nn.Parameter(tp.ones(1))], "lr": lr} for lr in rates or (1.0,)])


CLOSED: dict[str, tuple[Callable[[Any], Any], Callable[[int], float]]] = {
    "lambda": (lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (1 + e)), lambda e: 1 / (1 + e)),
    "multiplicative": (lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.9), lambda e: 0.9**e),
    "step": (lambda o: lr_scheduler.StepLR(o, 3, 0.5), lambda e: 0.5 ** (e // 3)),
    "milestones": (
        lambda o: lr_scheduler.MultiStepLR(o, [2, 2, 7], 0.5),
        lambda e: 0.5 ** (2 * (e >= 2) + (e >= 7)),
    ),
    "constant": (lambda o: lr_scheduler.ConstantLR(o, 0.25, 4), lambda e: 0.25 if e < 4 else 1.0),
    "linear": (lambda o: lr_scheduler.LinearLR(o, 0.5, 0.9, 4), lambda e: 0.5 + 0.4 * min(e, 4) / 4),
    "exponential": (lambda o: lr_scheduler.ExponentialLR(o, 0.8), lambda e: 0.8**e),
    "cosine": (
        lambda o: lr_scheduler.CosineAnnealingLR(o, 5),
        lambda e: (1 + math.cos(math.pi * e / 5)) / 2,
    ),
    "polynomial": (lambda o: lr_scheduler.PolynomialLR(o, 8, 2.0), lambda e: (1 - min(e, 8) / 8) ** 2),
    "sequence": (
        lambda o: lr_scheduler.SequentialLR(
            o, [lr_scheduler.LinearLR(o, 0.5, 1.0, 4), lr_scheduler.ExponentialLR(o, 0.5)], [4]
        ),
        lambda e: 0.5 + 0.5 * e / 4 if e < 4 else 0.5 ** (e - 4),
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_closed_forms(name: str) -> None:
    make, closed = CLOSED[name]
    scheduler = make(optimizer(1.0, 3.0))
    for epoch in range(EPOCHS):
        assert scheduler.get_last_lr() == pytest.approx([closed(epoch), 3 * closed(epoch)], abs=1e-12)
        scheduler.step()


@pytest.mark.parametrize("name", CLOSED)
def test_a_saved_schedule_continues(name: str) -> None:
    make, closed = CLOSED[name]
    first = make(optimizer())
    for _ in range(5):
        first.step()
    held = optimizer()
    second = make(held)
    held.load_state_dict(first.optimizer.state_dict())
    second.load_state_dict(first.state_dict())
    second.step()
    assert second.get_last_lr() == pytest.approx([closed(6)], abs=1e-12)


def test_cosine_to_a_smallest_rate() -> None:
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer(), 4, 0.2)
    for epoch in range(EPOCHS):
        assert scheduler.get_last_lr() == pytest.approx([0.2 + 0.8 * (1 + math.cos(math.pi * epoch / 4)) / 2])
        scheduler.step()


def test_plateau() -> None:
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer(), factor=0.5, patience=1, cooldown=1, min_lr=0.2)
    rates = []
    for metric in [3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]:
        scheduler.step(metric)
        rates.append(scheduler.get_last_lr()[0])
    assert rates == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2]


def test_errors() -> None:
    with pytest.raises(TypeError, match="Optimizer"):
        lr_scheduler.StepLR(3, 1)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="initial_lr"):
        lr_scheduler.StepLR(optimizer(), 1, last_epoch=3)
    with pytest.raises(ValueError, match="one a group"):
        lr_scheduler.LambdaLR(optimizer(), [lambda e: 1.0, lambda e: 1.0])
    with pytest.raises(ValueError, match="factor"):
        lr_scheduler.ReduceLROnPlateau(optimizer(), factor=1.5)
    with pytest.raises(ValueError, match="milestone"):
        lr_scheduler.SequentialLR(optimizer(), [], [1])
