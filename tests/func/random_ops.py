"""Random ops as functions of a sample of ones; each draws so much that two of its results are never equal by chance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay import nn

Op = Callable[[tp.Tensor], tp.Tensor]

WIDTH = 8  # of a sample, which is 1-d


def _sequence(x: tp.Tensor) -> tp.Tensor:
    """A batch of one sequence."""
    return (x * tp.arange(1.0, 6 * WIDTH + 1).reshape(1, 6, WIDTH)).sin()


def _matrix(x: tp.Tensor) -> tp.Tensor:
    return x[0] * (tp.arange(400.0) ** 2).sin().reshape(20, 20)


def _initialised(name: str) -> Op:
    return lambda x: getattr(nn.init, name)(tp.empty(6, 6))


def _images(x: tp.Tensor, *shape: int) -> tp.Tensor:
    return x[0] * tp.arange(1.0, np.prod(shape) + 1.0).reshape(shape)


DRAWS: dict[str, Op] = {
    "rand": lambda x: tp.rand(3),
    "rand-complex": lambda x: tp.rand(3, dtype=tp.complex64).abs(),
    "randn": lambda x: tp.randn(3),
    "randint": lambda x: tp.randint(10**6, (3,)),
    "randperm": lambda x: tp.randperm(50),
    "rand_like": tp.rand_like,
    "randn_like": tp.randn_like,
    "randint_like": lambda x: tp.randint_like(x, 10**6),
    "normal": lambda x: tp.normal(x, 1.0),
    "normal-numbers": lambda x: tp.normal(0.0, 1.0, (3,)),
    "bernoulli": lambda x: tp.bernoulli(tp.full((64,), 0.5)),
    "bernoulli-mapped": lambda x: tp.bernoulli(x[0] * tp.full((64,), 0.5)),
    "multinomial": lambda x: tp.multinomial(tp.ones(30), 15),
    "multinomial-replacement": lambda x: tp.multinomial(x[0] * tp.ones(30), 15, True),
    "poisson": lambda x: tp.poisson(x[0] * tp.full((30,), 9.0)),
    "poisson-unmapped": lambda x: tp.poisson(tp.full((30,), 9.0)),
    "binomial": lambda x: tp.binomial(x[0] * tp.full((30,), 99.0), tp.full((30,), 0.5)),
    "binomial-unmapped": lambda x: tp.binomial(tp.full((30,), 99.0), tp.full((30,), 0.5)),
}

FILLS: dict[str, Op] = {
    "normal_": lambda x: tp.zeros(3).normal_(),
    "normal_-mapped": lambda x: (x * 1).normal_(),
    "uniform_": lambda x: tp.zeros(3).uniform_(),
    "uniform_-mapped": lambda x: (x * 1).uniform_(),
    "bernoulli_": lambda x: tp.zeros(64).bernoulli_(),
    "bernoulli_-by-mapped": lambda x: (x[0] * tp.zeros(64)).bernoulli_(x[0] * tp.full((64,), 0.5)),
    "random_": lambda x: tp.zeros(3).random_(),
    "exponential_": lambda x: tp.zeros(3).exponential_(),
    "cauchy_": lambda x: tp.zeros(3).cauchy_(),
    "log_normal_": lambda x: tp.zeros(3).log_normal_(),
    "geometric_": lambda x: tp.zeros(30).geometric_(0.1),
    **{
        f"init.{name}": _initialised(name)
        for name in (
            "uniform_",
            "normal_",
            "trunc_normal_",
            "xavier_uniform_",
            "xavier_normal_",
            "kaiming_uniform_",
            "kaiming_normal_",
            "orthogonal_",
        )
    },
    "init.sparse_": lambda x: nn.init.sparse_(tp.empty(20, 6), 0.3),
    "a-new-layer": lambda x: nn.Linear(3, 3).weight * 1,
}

DROPOUTS: dict[str, Op] = {
    "dropout": lambda x: F.dropout(tp.ones(64)),
    "dropout-mapped": lambda x: F.dropout(x[0] * tp.ones(64)),
    "dropout-in-place": lambda x: F.dropout(x[0] * tp.ones(64), inplace=True),
    "dropout1d": lambda x: F.dropout1d(tp.ones(64, 2)),
    "dropout1d-mapped": lambda x: F.dropout1d(x[0] * tp.ones(64, 2)),
    "dropout2d": lambda x: F.dropout2d(tp.ones(1, 64, 2, 2)),
    "dropout2d-mapped": lambda x: F.dropout2d(x[0] * tp.ones(1, 64, 2, 2)),
    "dropout3d": lambda x: F.dropout3d(tp.ones(1, 64, 2, 2, 2)),
    "dropout3d-mapped": lambda x: F.dropout3d(x[0] * tp.ones(1, 64, 2, 2, 2)),
    "alpha_dropout": lambda x: F.alpha_dropout(tp.ones(64), training=True),
    "alpha_dropout-mapped": lambda x: F.alpha_dropout(x[0] * tp.ones(64), training=True),
    "feature_alpha_dropout": lambda x: F.feature_alpha_dropout(tp.ones(1, 64, 2), training=True),
    "feature_alpha_dropout-mapped": lambda x: F.feature_alpha_dropout(x[0] * tp.ones(1, 64, 2), training=True),
    "rrelu": lambda x: F.rrelu(-tp.ones(8), training=True),
    "rrelu-mapped": lambda x: F.rrelu(-x, training=True),
    "gumbel_softmax": lambda x: F.gumbel_softmax(tp.ones(8)),
    "gumbel_softmax-mapped": F.gumbel_softmax,
    "gumbel_softmax-hard": lambda x: F.gumbel_softmax(x[0] * tp.ones(30, 8), hard=True),
    "fractional_max_pool2d": lambda x: F.fractional_max_pool2d(_images(tp.ones(1), 8, 20, 20), 2, 9),
    "fractional_max_pool2d-mapped": lambda x: F.fractional_max_pool2d(_images(x, 8, 20, 20), 2, 9),
    "fractional_max_pool3d-mapped": lambda x: F.fractional_max_pool3d(_images(x, 8, 8, 9, 10), 2, 4),
    "svd_lowrank": lambda x: tp.svd_lowrank(_matrix(x), 4, 0)[1],
    "pca_lowrank": lambda x: tp.pca_lowrank(_matrix(x), 4, niter=0)[1],
}

_MODULES: dict[str, Callable[[], nn.Module]] = {
    "Dropout": nn.Dropout,
    "Dropout1d": nn.Dropout1d,
    "AlphaDropout": nn.AlphaDropout,
    "RReLU": lambda: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.RReLU()),
    "RNN": lambda: nn.RNN(WIDTH, 8, 2, dropout=0.5, batch_first=True),
    "LSTM": lambda: nn.LSTM(WIDTH, 8, 2, dropout=0.5, batch_first=True),
    "GRU": lambda: nn.GRU(WIDTH, 8, 2, dropout=0.5, batch_first=True, bidirectional=True),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True),
    "TransformerEncoder": lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True, norm_first=True), 2
    ),
}


def _module(make: Callable[[], nn.Module]) -> Op:
    module = make()

    def call(x: tp.Tensor) -> tp.Tensor:
        out = module(_sequence(x))
        return out[0] if isinstance(out, tuple) else out

    return call


def _with_memory(make: Callable[[], nn.Module]) -> Op:
    module = make()
    return lambda x: module(_sequence(x), _sequence(x))


def _attention() -> Op:
    module = nn.MultiheadAttention(WIDTH, 2, dropout=0.5, batch_first=True)
    return lambda x: module(_sequence(x), _sequence(x), _sequence(x))[0]


def _attended(x: tp.Tensor) -> tp.Tensor:
    return F.scaled_dot_product_attention(_sequence(x), _sequence(x), _sequence(x), dropout_p=0.5)


with tp.random.fork_rng():
    tp.manual_seed(0)
    LAYERS: dict[str, Op] = {
        **{name: _module(make) for name, make in _MODULES.items()},
        "scaled_dot_product_attention": _attended,
        "MultiheadAttention": _attention(),
        "TransformerDecoderLayer": _with_memory(lambda: nn.TransformerDecoderLayer(WIDTH, 2, 16, batch_first=True)),
        "Transformer": _with_memory(lambda: nn.Transformer(WIDTH, 2, 1, 1, 16, batch_first=True)),
    }

OPS: dict[str, Op] = DRAWS | FILLS | DROPOUTS | LAYERS
