"""What a workload is: inputs from NumPy, and one function of them in each library's own words."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

Function = Callable[..., Any]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """A call that no implementation can avoid: a matrix product, or a factorisation of LAPACK."""

    kind: str  # matmul, cholesky or inverse of a Cholesky factorisation
    shapes: tuple[Shape, ...]
    count: int = 1


def matmul(m: int, k: int, n: int, *, batch: int = 1, count: int = 1) -> Call:
    """`count` products of (batch, m, k) and (batch, k, n)."""
    lead = (batch,) if batch > 1 else ()
    return Call("matmul", ((*lead, m, k), (*lead, k, n)), count)


def linear_pass(rows: int, sizes: tuple[int, ...], *, batch: int = 1, weights: bool = True) -> list[Call]:
    """Products of one gradient of a chain of linear layers: forward, back to the inputs but the first, to the weights.

    Per-sample gradients of the weights are outer products, which the pass over the outputs accounts for.
    """
    calls = []
    for layer, (n, m) in enumerate(itertools.pairwise(sizes)):
        calls.append(matmul(rows, n, m, batch=batch))
        if layer:
            calls.append(matmul(rows, m, n, batch=batch))
        if weights:
            calls.append(matmul(n, rows, m, batch=batch))
    return calls


@dataclass(frozen=True)
class Workload:
    """A piece of work. Fields are its sizes; both functions take what `inputs` returns, as arrays of their library."""

    group: ClassVar[str] = "small"  # what it costs: small is overhead, large is arithmetic and memory
    tiny: ClassVar[dict[str, int]] = {}  # sizes for a test
    tolerance: ClassVar[float] = 1e-3  # of the largest entry; everything is float32

    def inputs(self) -> tuple[Any, ...]:
        """Trees of NumPy arrays, the same at each call."""
        raise NotImplementedError

    def in_torch(self, lib: Any) -> Function:
        """The work in a library with torch's names."""
        raise NotImplementedError

    def in_jax(self, jax: Any) -> Function:
        """The work in JAX."""
        raise NotImplementedError

    def calls(self) -> list[Call]:
        """Calls that no implementation can avoid, for the floor of a large workload."""
        return []


def numbers(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Standard normal numbers times `scale`."""
    return np.asarray(scale * np.random.default_rng(seed).standard_normal(shape), dtype=np.float32)


def labels(count: int, classes: int, seed: int = 0) -> np.ndarray:
    """Classes of samples."""
    return np.random.default_rng(seed).integers(0, classes, count)


def mlp_params(sizes: tuple[int, ...], *members: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Weights and biases of linear layers with an activation between them, under the names `nn.Sequential` gives."""
    params = {}
    for layer, (n, m) in enumerate(itertools.pairwise(sizes)):
        params[f"{2 * layer}.weight"] = numbers(*members, m, n, seed=seed + 2 * layer, scale=n**-0.5)
        params[f"{2 * layer}.bias"] = numbers(*members, m, seed=seed + 2 * layer + 1, scale=0.1)
    return params


def mlp(linear: Function, activation: Function, params: dict[str, Any], x: Any) -> Any:
    """The network of `mlp_params`."""
    last = len(params) - 2
    for layer in range(0, last, 2):
        x = activation(linear(x, params[f"{layer}.weight"], params[f"{layer}.bias"]))
    return linear(x, params[f"{last}.weight"], params[f"{last}.bias"])


def jax_linear(x: Any, weight: Any, bias: Any) -> Any:
    """`x · weightᵀ + bias` in JAX."""
    return x @ weight.T + bias


def jax_cross_entropy(jax: Any, logits: Any, label: Any) -> Any:
    """Cross entropy of one sample, or the mean of many."""
    chosen = jax.nn.log_softmax(logits) * jax.nn.one_hot(label, logits.shape[-1])
    return -chosen.sum(-1).mean()
