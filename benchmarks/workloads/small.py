"""Derivatives of small functions: what an operation costs besides its arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.workloads.workload import Function, Workload, numbers


@dataclass(frozen=True)
class GradSmall(Workload):
    """Gradient of ten operations, of a scalar (size 0) or of some elements."""

    size: int = 10

    def inputs(self) -> tuple[Any, ...]:
        return (numbers(self.size) if self.size else numbers(),)

    def in_torch(self, lib: Any) -> Function:
        def f(x: Any) -> Any:
            y = (x * 0.5).sin()
            y = (y + x).tanh()
            y = (y * x).exp()
            y = (y + 1.0).log()
            return (y * 2.0).sum()

        return lib.func.grad(f)

    def in_jax(self, jax: Any) -> Function:
        jnp = jax.numpy

        def f(x: Any) -> Any:
            y = jnp.sin(x * 0.5)
            y = jnp.tanh(y + x)
            y = jnp.exp(y * x)
            y = jnp.log(y + 1.0)
            return (y * 2.0).sum()

        return jax.grad(f)


@dataclass(frozen=True)
class NestedGrad(Workload):
    """Derivative of some order of a scalar function, by nested `grad`."""

    order: int = 3

    def inputs(self) -> tuple[Any, ...]:
        return (numbers(scale=0.3),)

    def in_torch(self, lib: Any) -> Function:
        def f(x: Any) -> Any:
            return (x.sin() * x).exp()

        return self._nested(lib.func.grad, f)

    def in_jax(self, jax: Any) -> Function:
        def f(x: Any) -> Any:
            return jax.numpy.exp(jax.numpy.sin(x) * x)

        return self._nested(jax.grad, f)

    def _nested(self, grad: Function, f: Function) -> Function:
        for _ in range(self.order):
            f = grad(f)
        return f


@dataclass(frozen=True)
class VmapGradSmall(Workload):
    """Gradients of a small function at many samples."""

    batch: int = 1000
    size: int = 10
    tiny: ClassVar = {"batch": 3, "size": 2}

    def inputs(self) -> tuple[Any, ...]:
        return numbers(self.size), numbers(self.batch, self.size, seed=1)

    def in_torch(self, lib: Any) -> Function:
        def loss(w: Any, x: Any) -> Any:
            return ((w * x).sum().tanh() - 1) ** 2

        return lib.func.vmap(lib.func.grad(loss), in_dims=(None, 0))

    def in_jax(self, jax: Any) -> Function:
        def loss(w: Any, x: Any) -> Any:
            return (jax.numpy.tanh((w * x).sum()) - 1) ** 2

        return jax.vmap(jax.grad(loss), in_axes=(None, 0))


@dataclass(frozen=True)
class RNN(Workload):
    """Gradient of the squared error of a tanh network that runs over many steps."""

    steps: int = 100
    batch: int = 16
    width: int = 32
    tiny: ClassVar = {"steps": 3, "batch": 2, "width": 4}

    def inputs(self) -> tuple[Any, ...]:
        width = self.width
        params = {
            "input": numbers(width, width, seed=1, scale=width**-0.5),
            "hidden": numbers(width, width, seed=2, scale=width**-0.5),
            "bias": numbers(width, seed=3, scale=0.1),
        }
        return params, numbers(self.steps, self.batch, width), numbers(self.batch, width, seed=4)

    def in_torch(self, lib: Any) -> Function:
        linear = lib.nn.functional.linear

        def loss(params: Any, xs: Any, y: Any) -> Any:
            h = lib.zeros_like(y)
            for x in xs.unbind(0):
                h = (linear(x, params["input"], params["bias"]) + linear(h, params["hidden"])).tanh()
            return ((h - y) ** 2).mean()

        return lib.func.grad(loss)

    def in_jax(self, jax: Any) -> Function:
        jnp = jax.numpy

        def loss(params: Any, xs: Any, y: Any) -> Any:
            def step(h: Any, x: Any) -> Any:
                return jnp.tanh(x @ params["input"].T + params["bias"] + h @ params["hidden"].T), None

            h, _ = jax.lax.scan(step, jnp.zeros_like(y), xs)
            return ((h - y) ** 2).mean()

        return jax.grad(loss)
