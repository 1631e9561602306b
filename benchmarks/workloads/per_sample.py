"""Per-sample gradients of networks: `vmap(grad(loss))` over a batch, with shared parameters."""

from __future__ import annotations

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


class PerSample(Workload):
    """Per-sample gradients of a loss of (params, sample, target)."""

    group: ClassVar = "large"

    def in_torch(self, lib: Any) -> Function:
        return lib.func.vmap(lib.func.grad(self.torch_loss(lib)), in_dims=(None, 0, 0))

    def in_jax(self, jax: Any) -> Function:
        return jax.vmap(jax.grad(self.jax_loss(jax)), in_axes=(None, 0, 0))

    def torch_loss(self, lib: Any) -> Function:
        """Loss of one sample in a library with torch's names."""
        raise NotImplementedError

    def jax_loss(self, jax: Any) -> Function:
        """Loss of one sample in JAX."""
        raise NotImplementedError


@dataclass(frozen=True)
class MLP(PerSample):
    """A network of three linear layers that tells digits apart."""

    batch: int = 64
    features: int = 784
    width: int = 512
    tiny: ClassVar = {"batch": 3, "features": 5, "width": 4}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of the layers."""
        return self.features, self.width, self.width, 10

    def inputs(self) -> tuple[Any, ...]:
        return mlp_params(self.sizes), numbers(self.batch, self.features, seed=20), labels(self.batch, 10)

    def torch_loss(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def loss(params: Any, x: Any, y: Any) -> Any:
            return functional.cross_entropy(mlp(functional.linear, functional.relu, params, x), y)

        return loss

    def jax_loss(self, jax: Any) -> Function:
        def loss(params: Any, x: Any, y: Any) -> Any:
            return jax_cross_entropy(jax, mlp(jax_linear, jax.nn.relu, params, x), y)

        return loss

    def calls(self) -> list[Call]:
        return linear_pass(self.batch, self.sizes, weights=False)


@dataclass(frozen=True)
class CNN(PerSample):
    """Two 3×3 convolutions, a pooling and two linear layers on one-channel images."""

    batch: int = 32
    side: int = 28
    channels: int = 32
    width: int = 128
    tiny: ClassVar = {"batch": 2, "side": 8, "channels": 3, "width": 4}

    @property
    def flat(self) -> int:
        """Elements of a sample between the convolutions and the linear layers."""
        return 2 * self.channels * ((self.side - 4) // 2) ** 2

    def inputs(self) -> tuple[Any, ...]:
        c, flat, width = self.channels, self.flat, self.width
        params = {
            "conv1": {"weight": numbers(c, 1, 3, 3, seed=1, scale=1 / 3), "bias": numbers(c, seed=2, scale=0.1)},
            "conv2": {
                "weight": numbers(2 * c, c, 3, 3, seed=3, scale=(9 * c) ** -0.5),
                "bias": numbers(2 * c, seed=4, scale=0.1),
            },
            "fc1": {"weight": numbers(width, flat, seed=5, scale=flat**-0.5), "bias": numbers(width, seed=6)},
            "fc2": {"weight": numbers(10, width, seed=7, scale=width**-0.5), "bias": numbers(10, seed=8)},
        }
        return params, numbers(self.batch, 1, self.side, self.side, seed=9), labels(self.batch, 10)

    def torch_loss(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def loss(params: Any, x: Any, y: Any) -> Any:
            x = functional.relu(functional.conv2d(x, **params["conv1"]))
            x = functional.relu(functional.conv2d(x, **params["conv2"]))
            x = functional.max_pool2d(x, 2).flatten()
            x = functional.relu(functional.linear(x, **params["fc1"]))
            return functional.cross_entropy(functional.linear(x, **params["fc2"]), y)

        return loss

    def jax_loss(self, jax: Any) -> Function:
        def conv(x: Any, weight: Any, bias: Any) -> Any:
            return jax.lax.conv(x, weight, (1, 1), "VALID") + bias[:, None, None]

        def max_pool(x: Any) -> Any:
            window = (1, 1, 2, 2)
            return jax.lax.reduce_window(x, -np.inf, jax.lax.max, window, window, "VALID")

        def loss(params: Any, x: Any, y: Any) -> Any:
            x = jax.nn.relu(conv(x[None], **params["conv1"]))
            x = jax.nn.relu(conv(x, **params["conv2"]))
            x = max_pool(x).reshape(-1)
            x = jax.nn.relu(jax_linear(x, **params["fc1"]))
            return jax_cross_entropy(jax, jax_linear(x, **params["fc2"]), y)

        return loss

    def calls(self) -> list[Call]:
        batch, c, first, second = self.batch, self.channels, (self.side - 2) ** 2, (self.side - 4) ** 2
        return [
            matmul(c, 9, first, batch=batch),
            matmul(c, first, 9, batch=batch),
            matmul(2 * c, 9 * c, second, batch=batch),
            matmul(9 * c, 2 * c, second, batch=batch),
            matmul(2 * c, second, 9 * c, batch=batch),
            *linear_pass(batch, (self.flat, self.width, 10), weights=False),
            matmul(batch, self.width, self.flat),
        ]


@dataclass(frozen=True)
class TransformerBlock(PerSample):
    """Attention and a network of two layers, each behind a layer norm and around a residual connection."""

    batch: int = 32
    tokens: int = 32
    width: int = 64
    heads: int = 4
    tiny: ClassVar = {"batch": 2, "tokens": 3, "width": 8, "heads": 2}

    def inputs(self) -> tuple[Any, ...]:
        width = self.width
        params = {
            "norm1": {"weight": 1 + numbers(width, seed=1, scale=0.1), "bias": numbers(width, seed=2, scale=0.1)},
            "qkv": {"weight": numbers(3 * width, width, seed=3, scale=width**-0.5), "bias": numbers(3 * width, seed=4)},
            "out": {"weight": numbers(width, width, seed=5, scale=width**-0.5), "bias": numbers(width, seed=6)},
            "norm2": {"weight": 1 + numbers(width, seed=7, scale=0.1), "bias": numbers(width, seed=8, scale=0.1)},
            "fc1": {"weight": numbers(4 * width, width, seed=9, scale=width**-0.5), "bias": numbers(4 * width)},
            "fc2": {"weight": numbers(width, 4 * width, seed=10, scale=width**-0.5), "bias": numbers(width, seed=11)},
        }
        shape = (self.batch, self.tokens, width)
        return params, numbers(*shape, seed=12), numbers(*shape, seed=13)

    def torch_loss(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def heads(x: Any) -> Any:
            return x.reshape(self.tokens, self.heads, -1).transpose(0, 1)

        def attention(params: Any, x: Any) -> Any:
            q, k, v = (heads(part) for part in functional.linear(x, **params["qkv"]).chunk(3, -1))
            scores = q @ k.transpose(1, 2) * q.shape[-1] ** -0.5
            mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(self.tokens, self.width)
            return functional.linear(mixed, **params["out"])

        def loss(params: Any, x: Any, y: Any) -> Any:
            x = x + attention(params, functional.layer_norm(x, (self.width,), **params["norm1"]))
            h = functional.linear(functional.layer_norm(x, (self.width,), **params["norm2"]), **params["fc1"])
            x = x + functional.linear(functional.gelu(h), **params["fc2"])
            return functional.mse_loss(x, y)

        return loss

    def jax_loss(self, jax: Any) -> Function:
        def norm(x: Any, weight: Any, bias: Any) -> Any:
            centred = x - x.mean(-1, keepdims=True)
            return centred * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias

        def heads(x: Any) -> Any:
            return x.reshape(self.tokens, self.heads, -1).transpose(1, 0, 2)

        def attention(params: Any, x: Any) -> Any:
            q, k, v = (heads(part) for part in jax.numpy.split(jax_linear(x, **params["qkv"]), 3, -1))
            scores = q @ k.transpose(0, 2, 1) * q.shape[-1] ** -0.5
            mixed = (jax.nn.softmax(scores) @ v).transpose(1, 0, 2).reshape(self.tokens, self.width)
            return jax_linear(mixed, **params["out"])

        def loss(params: Any, x: Any, y: Any) -> Any:
            x = x + attention(params, norm(x, **params["norm1"]))
            h = jax_linear(norm(x, **params["norm2"]), **params["fc1"])
            x = x + jax_linear(jax.nn.gelu(h, approximate=False), **params["fc2"])
            return ((x - y) ** 2).mean()

        return loss

    def calls(self) -> list[Call]:
        batch, tokens, width, part = self.batch, self.tokens, self.width, self.width // self.heads
        heads = batch * self.heads
        calls = [
            # scores, their two gradients, and the two of what they weight
            matmul(tokens, part, tokens, batch=heads, count=2),
            matmul(tokens, tokens, part, batch=heads, count=4),
        ]
        for n, m in ((width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)):
            calls += [matmul(batch * tokens, n, m), matmul(batch * tokens, m, n), matmul(m, tokens, n, batch=batch)]
        return calls


@dataclass(frozen=True)
class LSTM(PerSample):
    """An LSTM over a sequence, and a linear readout of its last state."""

    batch: int = 32
    steps: int = 32
    features: int = 16
    width: int = 64
    tiny: ClassVar = {"batch": 2, "steps": 3, "features": 2, "width": 4}

    def inputs(self) -> tuple[Any, ...]:
        n, width = self.features, self.width
        params = {
            "input": {"weight": numbers(4 * width, n, seed=1, scale=n**-0.5), "bias": numbers(4 * width, scale=0.1)},
            "hidden": numbers(4 * width, width, seed=2, scale=width**-0.5),
            "readout": {"weight": numbers(1, width, seed=3, scale=width**-0.5), "bias": numbers(1, seed=4)},
        }
        return params, numbers(self.batch, self.steps, n, seed=5), numbers(self.batch, 1, seed=6)

    def torch_loss(self, lib: Any) -> Function:
        linear = lib.nn.functional.linear

        def loss(params: Any, xs: Any, y: Any) -> Any:
            h = c = xs.new_zeros(self.width)
            for x in linear(xs, **params["input"]).unbind(0):
                i, f, g, o = (x + linear(h, params["hidden"])).chunk(4)
                c = f.sigmoid() * c + i.sigmoid() * g.tanh()
                h = o.sigmoid() * c.tanh()
            return lib.nn.functional.mse_loss(linear(h, **params["readout"]), y)

        return loss

    def jax_loss(self, jax: Any) -> Function:
        jnp, sigmoid = jax.numpy, jax.nn.sigmoid

        def loss(params: Any, xs: Any, y: Any) -> Any:
            def step(state: Any, x: Any) -> Any:
                h, c = state
                i, f, g, o = jnp.split(x + h @ params["hidden"].T, 4)
                c = sigmoid(f) * c + sigmoid(i) * jnp.tanh(g)
                return (sigmoid(o) * jnp.tanh(c), c), None

            start = jnp.zeros(self.width)
            (h, _), _ = jax.lax.scan(step, (start, start), jax_linear(xs, **params["input"]))
            return ((jax_linear(h, **params["readout"]) - y) ** 2).mean()

        return loss

    def calls(self) -> list[Call]:
        batch, steps, n, gates, width = self.batch, self.steps, self.features, 4 * self.width, self.width
        return [
            matmul(batch * steps, n, gates),
            matmul(gates, steps, n, batch=batch),
            matmul(batch, width, gates, count=steps),
            matmul(batch, gates, width, count=steps - 1),
            matmul(gates, steps, width, batch=batch),
        ]
