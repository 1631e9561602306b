"""Wrong layers and wrong inputs of layers: the error speaks to a user, and nothing is left behind."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import nn
from tests import mistakes

QUIET = settings(
    max_examples=600, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
# name, arguments, shape of the input
LAYERS: list[tuple[str, tuple[Any, ...], tuple[int, ...]]] = [
    *[(name, (), (2, 3)) for name in ("ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "ELU", "LeakyReLU", "Softplus")],
    *[(name, (), (2, 3)) for name in ("Hardtanh", "Mish", "SELU", "CELU", "LogSigmoid", "Identity", "PReLU")],
    *[(name, (), (2, 3)) for name in ("MSELoss", "L1Loss", "HuberLoss", "BCEWithLogitsLoss", "KLDivLoss")],
    *[(name, (-1,), (2, 3)) for name in ("Softmax", "LogSoftmax", "GLU")],
    *[(name, (0.5,), (2, 3, 4, 4)) for name in ("Dropout", "AlphaDropout", "Dropout2d")],
    ("Threshold", (0.1, 2.0), (2, 3)),
    ("Linear", (3, 2), (4, 3)),
    ("Bilinear", (3, 3, 2), (4, 3)),
    ("Conv1d", (3, 4, 2), (2, 3, 5)),
    ("Conv2d", (3, 4, 2), (2, 3, 5, 5)),
    ("Conv3d", (1, 2, 2), (1, 1, 3, 3, 3)),
    ("ConvTranspose2d", (3, 4, 2), (2, 3, 3, 3)),
    ("MaxPool1d", (2,), (2, 3, 4)),
    ("MaxPool2d", (2,), (2, 3, 4, 4)),
    ("AvgPool2d", (2,), (2, 3, 4, 4)),
    ("AdaptiveAvgPool2d", (2,), (2, 3, 4, 4)),
    ("AdaptiveMaxPool1d", (2,), (2, 3, 4)),
    ("BatchNorm1d", (3,), (4, 3)),
    ("BatchNorm2d", (3,), (4, 3, 2, 2)),
    ("InstanceNorm2d", (3,), (4, 3, 2, 2)),
    ("LayerNorm", (3,), (4, 3)),
    ("RMSNorm", (3,), (4, 3)),
    ("GroupNorm", (1, 3), (4, 3, 2)),
    ("LocalResponseNorm", (2,), (2, 3, 4)),
    ("ZeroPad2d", (1,), (2, 3, 4, 4)),
    ("ReflectionPad1d", (1,), (2, 3, 4)),
    ("Upsample", (None, 2.0), (2, 3, 4)),
    ("PixelShuffle", (2,), (1, 4, 2, 2)),
    ("Unflatten", (1, (1, 3)), (2, 3)),
    ("Unfold", (2,), (1, 2, 3, 3)),
    ("RNN", (3, 2), (4, 2, 3)),
    ("LSTM", (3, 2), (4, 2, 3)),
    ("GRUCell", (3, 2), (2, 3)),
    ("MultiheadAttention", (4, 2), (3, 2, 4)),
    ("TransformerEncoderLayer", (4, 2, 8), (3, 2, 4)),
    ("CosineSimilarity", (), (2, 3)),
]
DEEP = ("RNN", "LSTM")  # of as many layers as an argument says, which would never end
TWO = ("Bilinear", "CosineSimilarity")


def inputs(name: str, shape: tuple[int, ...]) -> list[Any]:
    """What the forward takes."""
    count = 3 if name == "MultiheadAttention" else 2 if name in TWO or name.endswith("Loss") else 1
    return [tp.ones(*shape) for _ in range(count)]


@QUIET
@given(st.sampled_from([layer for layer in LAYERS if layer[0] not in DEEP]), st.randoms(use_true_random=False))
def test_wrong_arguments_of_layers(layer: tuple[str, tuple[Any, ...], tuple[int, ...]], random: Random) -> None:
    name, args, shape = layer
    wrong, kwargs = mistakes.mistaken(list(args), {}, random)
    mistakes.attempt(lambda: getattr(nn, name)(*wrong, **kwargs)(*inputs(name, shape)), r"\w+[(:.]", (wrong, kwargs))


@QUIET
@given(st.sampled_from(LAYERS), st.randoms(use_true_random=False))
def test_wrong_inputs_of_layers(layer: tuple[str, tuple[Any, ...], tuple[int, ...]], random: Random) -> None:
    name, args, shape = layer
    module = getattr(nn, name)(*args)
    wrong, kwargs = mistakes.mistaken(inputs(name, shape), {}, random)
    mistakes.attempt(lambda: module(*wrong, **kwargs), r"\w+[(:.]", (wrong, kwargs))
