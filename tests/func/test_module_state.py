"""stack_module_state: batched leaves, independent of the models, or an error that says how the models differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import functional_call, grad, stack_module_state, vmap
from tests.func.support import array, close


def test_stacks_are_leaves_of_their_own() -> None:
    models = [nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)) for _ in range(4)]
    for model in models:
        model[0].bias.requires_grad_(False)
    params, buffers = stack_module_state(models)
    assert list(params) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert list(buffers) == ["1.running_mean", "1.running_var", "1.num_batches_tracked"]
    assert params["0.weight"].shape == (4, 2, 3)
    assert buffers["1.num_batches_tracked"].shape == (4,)
    assert all(tensor.is_leaf for tensor in (*params.values(), *buffers.values()))
    assert [name for name, tensor in params.items() if not tensor.requires_grad] == ["0.bias"]
    with tp.no_grad():
        params["0.weight"].zero_()
    assert bool((models[0][0].weight != 0).any())


def test_an_ensemble_equals_its_members_and_trains() -> None:
    models = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double() for _ in range(3)]
    params, buffers = stack_module_state(iter(models))
    x = tp.tensor(np.random.default_rng(0).standard_normal((5, 3)))

    def loss(p: Any, b: Any) -> tp.Tensor:
        return (functional_call(models[0], (p, b), (x,)) ** 2).mean()

    gradients = vmap(grad(loss))(params, buffers)
    vmap(loss)(params, buffers).sum().backward()
    for i, model in enumerate(models):
        (model(x) ** 2).mean().backward()
        for name, parameter in model.named_parameters():
            close(gradients[name][i], parameter.grad)
            close(params[name].grad[i], parameter.grad)


def tied() -> nn.Module:
    net = nn.Module()
    net.a, net.b = nn.Parameter(tp.ones(1)), nn.Parameter(tp.ones(1))
    net.c = net.a
    return net


def tied_otherwise() -> nn.Module:
    net = nn.Module()
    net.a, net.b = nn.Parameter(tp.ones(1)), nn.Parameter(tp.ones(1))
    net.c = net.b
    return net


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "at least one"),
        ([nn.Linear(1, 1), nn.Identity()], "Linear.*model 1 is Identity"),
        ([nn.Linear(1, 1), nn.Linear(1, 1).eval()], "training or evaluation"),
        ([nn.Sequential(nn.Dropout()), nn.Sequential(nn.Dropout().eval())], "'0'|training or evaluation"),
        ([nn.Linear(1, 1), nn.Linear(2, 1)], "'weight' has shape"),
        ([nn.Linear(1, 1), nn.Linear(1, 1).double()], "'weight' has dtype"),
        ([nn.Linear(1, 1), nn.Linear(1, 1).requires_grad_(False)], "'weight' has requires_grad"),
        ([nn.Linear(1, 1), nn.Linear(1, 1, bias=False)], "'bias'"),
        ([tied(), tied_otherwise()], "share the same tensors.*'a', 'c'"),
        ([nn.BatchNorm1d(1), nn.BatchNorm1d(1, track_running_stats=False)], "running_mean"),
    ],
)
def test_models_that_differ(models: list[nn.Module], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        stack_module_state(models)


def test_only_modules_can_be_stacked() -> None:
    with pytest.raises(TypeError, match="Module"):
        stack_module_state([3])


def test_tied_parameters_are_stacked_once() -> None:
    params, _ = stack_module_state([tied(), tied()])
    assert list(params) == ["a", "b"]
    assert np.array_equal(array(params["a"]), [[1], [1]])
