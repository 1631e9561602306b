"""vmap(grad(loss)) of networks written for one sample equals the loop over the samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import functional_call, grad, hessian, jacrev, vmap
from tests.func.support import array

SAMPLES = 4
Build = Callable[[], nn.Module]


class Convolutional(nn.Module):
    """Two convolutions, pooling and a linear map."""

    sample_shape = (2, 8, 8)

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1),
            nn.InstanceNorm2d(4, affine=True),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 4, 3, stride=2),
            nn.Tanh(),
            nn.AvgPool2d(1),
            nn.Flatten(0),
            nn.Linear(4, 3),
        )

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return self.body(x)


class Attending(nn.Module):
    """A transformer block on one sequence."""

    sample_shape = (5, 4)

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, activation="gelu", norm_first=True)
        self.head = nn.Linear(4, 3)

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=x.dtype)
        return self.head(self.block(x, mask).mean(0))


class Recurrent(nn.Module):
    """A bidirectional LSTM of two layers on one sequence."""

    sample_shape = (5, 3)

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        output, (h, c) = self.lstm(x)
        return self.head(output[-1] + h.sum() * c.mean())


class Gated(nn.Module):
    """A GRU, an embedding and layer norm on one sequence of tokens."""

    sample_shape = (6,)

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(7, 3)
        self.gru = nn.GRU(3, 4)
        self.norm = nn.LayerNorm(4)
        self.head = nn.Linear(4, 3)

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return self.head(self.norm(self.gru(self.table(x))[0][-1]))


MODELS = [Convolutional, Attending, Recurrent, Gated]


def prepared(model: type[Any], dtype: tp.dtype) -> tuple[nn.Module, Any, Any, Any]:
    """A model, its parameters, and a batch of samples with targets."""
    net = model().to(dtype)
    random = np.random.default_rng(0)
    shape = (SAMPLES, *model.sample_shape)
    x = random.integers(0, 7, shape) if model is Gated else random.standard_normal(shape)
    samples = tp.tensor(x) if model is Gated else tp.tensor(x, dtype=dtype)
    parameters = {name: parameter.detach() for name, parameter in net.named_parameters()}
    return net, parameters, samples, tp.tensor(random.integers(0, 3, SAMPLES))


@pytest.mark.parametrize(("dtype", "tolerance"), [(tp.float32, 1e-5), (tp.float64, 1e-10)], ids=["float32", "float64"])
@pytest.mark.parametrize("model", MODELS)
def test_per_sample_gradients(model: type[Any], dtype: tp.dtype, tolerance: float) -> None:
    net, parameters, samples, targets = prepared(model, dtype)

    def loss(p: Any, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
        return nn.functional.cross_entropy(functional_call(net, p, (x,)), y)

    mapped = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, samples, targets)
    for i in range(SAMPLES):
        net.zero_grad()
        nn.functional.cross_entropy(net(samples[i]), targets[i]).backward()
        for name, parameter in net.named_parameters():
            got, expected = array(mapped[name][i]), array(parameter.grad)
            assert got.dtype == expected.dtype
            assert np.abs(got - expected).max() <= tolerance * max(1, np.abs(expected).max()), name


@pytest.mark.parametrize("model", MODELS[:3])
def test_input_jacobians_and_hessian_products_of_each_sample(model: type[Any]) -> None:
    net, parameters, samples, _ = prepared(model, tp.float64)

    def slope(p: Any, x: tp.Tensor) -> tp.Tensor:
        return jacrev(lambda z: functional_call(net, p, (z,)))(x)

    mapped = vmap(slope, in_dims=(None, 0))(parameters, samples)
    for i in range(SAMPLES):
        assert np.allclose(array(mapped[i]), array(slope(parameters, samples[i])), rtol=1e-10, atol=1e-12)

    bias = "head.bias" if "head.bias" in parameters else "body.8.bias"

    def curvature(b: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
        return hessian(lambda c: functional_call(net, {**parameters, bias: c}, (x,)).logsumexp(0))(b)

    curvatures = vmap(curvature, in_dims=(None, 0))(parameters[bias], samples)
    for i in range(SAMPLES):
        q = array(functional_call(net, parameters, (samples[i],)).softmax(0))
        assert np.allclose(array(curvatures[i]), np.diag(q) - np.outer(q, q), atol=1e-12)


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_dropout_follows_the_randomness_of_the_map(randomness: str) -> None:
    net = nn.Dropout(0.5)
    out = array(vmap(net, randomness=randomness)(tp.ones(6, 40)))
    assert set(np.unique(out)) == {0, 2}
    assert (len(np.unique(out, axis=0)) == 1) == (randomness == "same")
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(net)(tp.ones(2, 3))
