"""Gradients of elementwise chains on many elements: what memory costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.workloads.small import GradSmall
from benchmarks.workloads.workload import Function, Workload, numbers


@dataclass(frozen=True)
class Arithmetic(Workload):
    """Sums and products."""

    size: int = 1_000_000
    group: ClassVar = "large"
    tiny: ClassVar = {"size": 5}

    def inputs(self) -> tuple[Any, ...]:
        return (numbers(self.size),)

    def in_torch(self, lib: Any) -> Function:
        return lib.func.grad(self._chain)

    def in_jax(self, jax: Any) -> Function:
        return jax.grad(self._chain)

    @staticmethod
    def _chain(x: Any) -> Any:
        y = x * 0.5 + 1.0
        y = y * x - x
        y = y * y + x * 0.25
        y = y * 0.1 - y * x
        return (y * y).mean()


@dataclass(frozen=True)
class Transcendental(GradSmall):
    """Sines, exponentials, logarithms: what is small elsewhere, on many elements."""

    size: int = 1_000_000
    group: ClassVar = "large"
    tiny: ClassVar = {"size": 5}


@dataclass(frozen=True)
class Activations(Workload):
    """What networks apply between their layers."""

    size: int = 1_000_000
    group: ClassVar = "large"
    tiny: ClassVar = {"size": 5}

    def inputs(self) -> tuple[Any, ...]:
        return (numbers(self.size),)

    def in_torch(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def f(x: Any) -> Any:
            y = functional.relu(x) + functional.gelu(x)
            y = functional.silu(y) - functional.sigmoid(y * 0.5)
            return functional.softplus(y).mean()

        return lib.func.grad(f)

    def in_jax(self, jax: Any) -> Function:
        def f(x: Any) -> Any:
            y = jax.nn.relu(x) + jax.nn.gelu(x, approximate=False)
            y = jax.nn.silu(y) - jax.nn.sigmoid(y * 0.5)
            return jax.nn.softplus(y).mean()

        return jax.grad(f)
