"""Training: ensembles, learning to learn, Gaussian processes, and networks of growing size."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from benchmarks.workloads.workload import (
    Call,
    Function,
    Workload,
    jax_cross_entropy,
    jax_linear,
    labels,
    linear_pass,
    matmul,
    mlp,
    mlp_params,
    numbers,
)


@dataclass(frozen=True)
class EnsembleForward(Workload):
    """Outputs of networks of one architecture on one batch."""

    members: int = 16
    batch: int = 64
    features: int = 784
    width: int = 256
    group: ClassVar = "large"
    tiny: ClassVar = {"members": 2, "batch": 3, "features": 5, "width": 4}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of the layers."""
        return self.features, self.width, self.width, 10

    def inputs(self) -> tuple[Any, ...]:
        return mlp_params(self.sizes, self.members), numbers(self.batch, self.features, seed=20)

    def module(self, lib: Any) -> Any:
        """One member."""
        nn, (first, second, third, last) = lib.nn, self.sizes
        layers = nn.Linear(first, second), nn.ReLU(), nn.Linear(second, third), nn.ReLU(), nn.Linear(third, last)
        return nn.Sequential(*layers)

    def in_torch(self, lib: Any) -> Function:
        module, functional_call = self.module(lib), lib.func.functional_call
        return lib.func.vmap(lambda params, x: functional_call(module, params, (x,)), in_dims=(0, None))

    def in_jax(self, jax: Any) -> Function:
        return jax.vmap(lambda params, x: mlp(jax_linear, jax.nn.relu, params, x), in_axes=(0, None))

    def calls(self) -> list[Call]:
        pairs = itertools.pairwise(self.sizes)
        return [matmul(self.batch, n, m, batch=self.members) for n, m in pairs]


@dataclass(frozen=True)
class EnsembleStep(EnsembleForward):
    """One step of gradient descent of every member, each on a batch of its own."""

    def inputs(self) -> tuple[Any, ...]:
        x = numbers(self.members, self.batch, self.features, seed=20)
        return mlp_params(self.sizes, self.members), x, labels(self.members * self.batch, 10).reshape(self.members, -1)

    def in_torch(self, lib: Any) -> Function:
        module, functional_call = self.module(lib), lib.func.functional_call

        def loss(params: Any, x: Any, y: Any) -> Any:
            return lib.nn.functional.cross_entropy(functional_call(module, params, (x,)), y)

        def step(params: Any, x: Any, y: Any) -> Any:
            gradient, value = lib.func.grad_and_value(loss)(params, x, y)
            return {name: params[name] - 0.1 * gradient[name] for name in params}, value

        return lib.func.vmap(step)

    def in_jax(self, jax: Any) -> Function:
        def loss(params: Any, x: Any, y: Any) -> Any:
            return jax_cross_entropy(jax, mlp(jax_linear, jax.nn.relu, params, x), y)

        def step(params: Any, x: Any, y: Any) -> Any:
            value, gradient = jax.value_and_grad(loss)(params, x, y)
            return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient), value

        return jax.vmap(step)

    def calls(self) -> list[Call]:
        return linear_pass(self.batch, self.sizes, batch=self.members)


@dataclass(frozen=True)
class MAML(Workload):
    """Gradient, through a step of gradient descent in each task, of a network that learns sines from few samples."""

    tasks: int = 25
    samples: int = 10
    width: int = 40
    tiny: ClassVar = {"tasks": 2, "samples": 3, "width": 4}

    def inputs(self) -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        amplitude, phase = rng.uniform(0.1, 5.0, (self.tasks, 1, 1)), rng.uniform(0.0, math.pi, (self.tasks, 1, 1))
        x = rng.uniform(-5.0, 5.0, (2, self.tasks, self.samples, 1))
        y = amplitude * np.sin(x + phase)
        x, y = x.astype(np.float32), y.astype(np.float32)
        return mlp_params((1, self.width, self.width, 1)), x[0], y[0], x[1], y[1]

    def in_torch(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def loss(params: Any, x: Any, y: Any) -> Any:
            return functional.mse_loss(mlp(functional.linear, functional.relu, params, x), y)

        return self._gradient(lib.func.grad, lib.func.vmap, loss)

    def in_jax(self, jax: Any) -> Function:
        def loss(params: Any, x: Any, y: Any) -> Any:
            return ((mlp(jax_linear, jax.nn.relu, params, x) - y) ** 2).mean()

        return self._gradient(jax.grad, jax.vmap, loss)

    @staticmethod
    def _gradient(grad: Function, vmap: Function, loss: Function) -> Function:
        def after_a_step(params: Any, x1: Any, y1: Any, x2: Any, y2: Any) -> Any:
            gradient = grad(loss)(params, x1, y1)
            return loss({name: params[name] - 0.01 * gradient[name] for name in params}, x2, y2)

        losses = vmap(after_a_step, (None, 0, 0, 0, 0))
        return grad(lambda params, *data: losses(params, *data).mean())


@dataclass(frozen=True)
class GaussianProcess(Workload):
    """Gradient by its hyperparameters of the likelihood of a Gaussian process."""

    points: int = 256
    features: int = 3
    group: ClassVar = "large"
    tiny: ClassVar = {"points": 5, "features": 2}

    def inputs(self) -> tuple[Any, ...]:
        hyper = {"length": numbers(self.features), "scale": numbers(seed=1), "noise": numbers(seed=2)}
        x = numbers(self.points, self.features, seed=3)
        return hyper, x, np.sin(x).sum(1)

    def in_torch(self, lib: Any) -> Function:
        def nll(hyper: Any, x: Any, y: Any) -> Any:
            z = x / hyper["length"].exp()
            squares = (z * z).sum(1)
            distances = squares[:, None] + squares - 2 * (z @ z.T)
            noise = hyper["noise"].exp() * lib.eye(self.points)
            factor = lib.linalg.cholesky(hyper["scale"].exp() * (-0.5 * distances).exp() + noise)
            white = lib.linalg.solve_triangular(factor, y[:, None], upper=False)
            return 0.5 * (white * white).sum() + factor.diagonal().log().sum()

        return lib.func.grad(nll)

    def in_jax(self, jax: Any) -> Function:
        jnp = jax.numpy

        def nll(hyper: Any, x: Any, y: Any) -> Any:
            z = x / jnp.exp(hyper["length"])
            squares = (z * z).sum(1)
            distances = squares[:, None] + squares - 2 * (z @ z.T)
            noise = jnp.exp(hyper["noise"]) * jnp.eye(self.points)
            factor = jnp.linalg.cholesky(jnp.exp(hyper["scale"]) * jnp.exp(-0.5 * distances) + noise)
            white = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
            return 0.5 * (white * white).sum() + jnp.log(jnp.diagonal(factor)).sum()

        return jax.grad(nll)

    def calls(self) -> list[Call]:
        n = self.points
        square = ((n, n),)
        return [matmul(n, self.features, n, count=2), Call("cholesky", square), Call("inverse", square)]


@dataclass(frozen=True)
class GradMLP(Workload):
    """Gradient of a network of some depth and width by its parameters."""

    depth: int = 4
    width: int = 32
    batch: int = 16
    tiny: ClassVar = {"depth": 2, "width": 4, "batch": 3}

    def inputs(self) -> tuple[Any, ...]:
        return mlp_params((self.width,) * (self.depth + 1)), numbers(self.batch, self.width, seed=99)

    def in_torch(self, lib: Any) -> Function:
        def loss(params: Any, x: Any) -> Any:
            return (mlp(lib.nn.functional.linear, lib.tanh, params, x) ** 2).mean()

        return lib.func.grad(loss)

    def in_jax(self, jax: Any) -> Function:
        def loss(params: Any, x: Any) -> Any:
            return (mlp(jax_linear, jax.numpy.tanh, params, x) ** 2).mean()

        return jax.grad(loss)
