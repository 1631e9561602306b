"""Workloads, written once for any library with torch's names: `make(lib)` gives a function without arguments."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Job = Callable[[], Any]


def _array(lib: Any, *shape: int, seed: int = 0) -> Any:
    return lib.tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def grad_of_ten_ops(lib: Any) -> Job:
    """Gradient of a function of ten elements that is made of ten operations."""
    x = _array(lib, 10)

    def function(x: Any) -> Any:
        y = (x * 0.5).sin()
        y = (y + x).tanh()
        y = (y * x).exp()
        y = (y + 1.0).log()
        return (y * 2.0).sum()

    gradient = lib.func.grad(function)
    return lambda: gradient(x)


def grad_of_chain(lib: Any) -> Job:
    """Gradient of ten sines in a chain, ten elements."""
    x = _array(lib, 10)

    def function(x: Any) -> Any:
        for _ in range(10):
            x = x.sin()
        return x.sum()

    gradient = lib.func.grad(function)
    return lambda: gradient(x)


def third_derivative(lib: Any) -> Job:
    """Third derivative of a scalar function."""
    x = lib.tensor(0.3)
    grad = lib.func.grad
    third = grad(grad(grad(lambda x: (x.sin() * x).exp())))
    return lambda: third(x)


def vmap_grad_small(lib: Any) -> Job:
    """Gradients of a small function at a thousand samples."""
    x, w = _array(lib, 1000, 10), _array(lib, 10, seed=1)
    gradients = lib.func.vmap(lib.func.grad(lambda w, x: ((w * x).sum().tanh() - 1) ** 2), in_dims=(None, 0))
    return lambda: gradients(w, x)


def per_sample_mlp(lib: Any) -> Job:
    """Per-sample gradients of a 784-512-512-10 network, 64 samples."""
    sizes = (784, 512, 512, 10)
    params = [(_array(lib, m, n, seed=m) * (1 / n**0.5), _array(lib, m, seed=n)) for n, m in itertools.pairwise(sizes)]
    x = _array(lib, 64, 784, seed=3)
    y = lib.tensor(np.random.default_rng(4).integers(0, 10, 64))

    def loss(params: Any, x: Any, y: Any) -> Any:
        for w, b in params[:-1]:
            x = lib.nn.functional.relu(lib.nn.functional.linear(x, w, b))
        w, b = params[-1]
        return lib.nn.functional.cross_entropy(lib.nn.functional.linear(x, w, b), y)

    gradients = lib.func.vmap(lib.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: gradients(params, x, y)


def hessian_small(lib: Any) -> Job:
    """Hessian of a function of 32 variables."""
    x, a = _array(lib, 32), _array(lib, 32, 32, seed=1)
    hessian = lib.func.hessian(lambda x: ((a @ x).tanh() * x).sum())
    return lambda: hessian(x)


WORKLOADS: dict[str, Callable[[Any], Job]] = {
    make.__name__: make
    for make in (grad_of_ten_ops, grad_of_chain, third_derivative, vmap_grad_small, hessian_small, per_sample_mlp)
}
