"""L-BFGS against dense matrices in NumPy, and its line search against the conditions that it is for."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn, optim
from tensorplay.optim.line_search import Point, strong_wolfe

START = np.linspace(-1.2, 1.3, 6)
WEIGHTS = np.random.default_rng(0).standard_normal((6, 6))
WEIGHTS = WEIGHTS @ WEIGHTS.T / 6 + np.eye(6)


def rosenbrock(p: tp.Tensor) -> tp.Tensor:
    return (100 * (p[1:] - p[:-1] ** 2) ** 2 + (1 - p[:-1]) ** 2).sum()


def quadratic(p: tp.Tensor) -> tp.Tensor:
    return 0.5 * (p @ (tp.tensor(WEIGHTS) @ p)) - p.sum()


def minimiser(loss: Callable[[tp.Tensor], tp.Tensor], **options: Any) -> tuple[nn.Parameter, Any, Any]:
    p = nn.Parameter(tp.tensor(START))
    optimizer = optim.LBFGS([p], **options)

    def closure() -> tp.Tensor:
        optimizer.zero_grad()
        out = loss(p)
        out.backward()
        return out

    return p, optimizer, closure


def dense(history: int, steps: int, lr: float) -> np.ndarray[Any, Any]:
    """The quadratic, by the inverse Hessian written out as a matrix."""
    p, pairs, inverse = START.copy(), [], np.eye(6)
    for step in range(steps):
        gradient = WEIGHTS @ p - 1
        if pairs:
            move, change = pairs[-1]
            inverse = np.eye(6) * (move @ change) / (change @ change)
            for s, y in pairs[-history:]:
                left = np.eye(6) - np.outer(s, y) / (s @ y)
                inverse = left @ inverse @ left.T + np.outer(s, s) / (s @ y)
        size = lr if step else lr * min(1, 1 / np.abs(gradient).sum())
        new = p - size * (inverse @ gradient)
        pairs.append((new - p, WEIGHTS @ (new - p)))
        p = new
    return p


@pytest.mark.parametrize("history", [2, 100])
@pytest.mark.parametrize("max_iter", [1, 4])
def test_directions_are_those_of_the_matrix(history: int, max_iter: int) -> None:
    p, optimizer, closure = minimiser(quadratic, lr=0.5, max_iter=max_iter, max_eval=10, history_size=history)
    for _ in range(8 // max_iter):
        optimizer.step(closure)
    np.testing.assert_allclose(p.detach().numpy(), dense(history, 8, 0.5), rtol=1e-9)


def test_the_line_search_finds_minima() -> None:
    p, optimizer, closure = minimiser(rosenbrock, line_search_fn="strong_wolfe")
    first = optimizer.step(closure)
    assert float(first) == pytest.approx(float(rosenbrock(tp.tensor(START))))
    for _ in range(4):
        optimizer.step(closure)
    np.testing.assert_allclose(p.detach().numpy(), np.ones(6), rtol=1e-5)
    before = p.detach().clone()
    optimizer.step(closure)  # where the gradient is zero, nothing moves
    np.testing.assert_allclose(p.detach().numpy(), before.numpy(), rtol=1e-5)


FUNCTIONS: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "far": (lambda t: (t - 40) ** 2, lambda t: 2 * (t - 40)),
    "near": (lambda t: (t - 0.01) ** 2, lambda t: 2 * (t - 0.01)),
    "waves": (lambda t: -np.sin(3 * t) + 0.1 * t * t, lambda t: -3 * np.cos(3 * t) + 0.2 * t),
    "steep": (lambda t: np.exp(3 * t) - 20 * t, lambda t: 3 * np.exp(3 * t) - 20),
    "flat": (lambda t: -t / (t * t + 2), lambda t: (t * t - 2) / (t * t + 2) ** 2),
}


@pytest.mark.parametrize("size", [1e-3, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_line_search_satisfies_the_conditions(name: str, size: float) -> None:
    value, slope = FUNCTIONS[name]
    evaluated = []

    def at(t: float) -> Point:
        evaluated.append(t)
        return Point(t, float(value(t)), tp.tensor([slope(t)]), float(slope(t)))

    start = at(0.0)
    evaluated.clear()
    found, count = strong_wolfe(at, start, size, 1.0, 1e-9, 25)
    assert count == len(evaluated)
    assert found.size in evaluated
    assert found.loss <= start.loss + 1e-4 * found.size * start.slope
    assert abs(found.slope) <= 0.9 * abs(start.slope)


def test_evaluations_are_bounded() -> None:
    p, optimizer, closure = minimiser(rosenbrock, line_search_fn="strong_wolfe", max_eval=5)
    calls = []
    optimizer.step(lambda: calls.append(0) or closure())
    assert 1 < len(calls) <= 6
    assert optimizer.state[p]["func_evals"] == len(calls)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_training_continues_from_a_saved_state(search: str | None, tmp_path: Path) -> None:
    options = {"lr": 0.1, "max_iter": 3, "line_search_fn": search}
    p, optimizer, closure = minimiser(rosenbrock, **options)
    for _ in range(4):
        optimizer.step(closure)
    q, other, its_closure = minimiser(rosenbrock, **options)
    for _ in range(2):
        other.step(its_closure)
    tp.save(copy.deepcopy(other.state_dict()), tmp_path / "state.safetensors")
    r, third, last_closure = minimiser(rosenbrock, **options)
    with tp.no_grad():
        r.copy_(q)
    third.load_state_dict(tp.load(tmp_path / "state.safetensors"))
    for _ in range(2):
        third.step(last_closure)
    assert np.array_equal(r.detach().numpy(), p.detach().numpy())


def test_several_parameters_complex_ones_and_those_without_gradient() -> None:
    a = nn.Parameter(tp.tensor([1.0, 2.0], dtype=tp.float64))
    z = nn.Parameter(tp.tensor([[1 + 2j]], dtype=tp.complex128))
    unused = nn.Parameter(tp.ones(3, dtype=tp.float64))
    optimizer = optim.LBFGS([a, unused, z], line_search_fn="strong_wolfe")

    def closure() -> tp.Tensor:
        optimizer.zero_grad()
        loss = ((a - 3) ** 2).sum() + ((z - (2 - 1j)).abs() ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(a.detach().numpy(), [3, 3], rtol=1e-6)
    np.testing.assert_allclose(z.detach().numpy(), [[2 - 1j]], rtol=1e-6)
    assert np.array_equal(unused.detach().numpy(), np.ones(3))


def test_errors() -> None:
    p = nn.Parameter(tp.ones(1))
    with pytest.raises(ValueError, match="LBFGS: lr must not be negative"):
        optim.LBFGS([p], lr=-1.0)
    with pytest.raises(ValueError, match="line_search_fn must be None or 'strong_wolfe', got 'armijo'"):
        optim.LBFGS([p], line_search_fn="armijo")
    with pytest.raises(ValueError, match="in one group, got 2"):
        optim.LBFGS([{"params": [p]}, {"params": [nn.Parameter(tp.ones(1))]}])
    with pytest.raises(RuntimeError, match="pass a closure"):
        optim.LBFGS([p]).step()
