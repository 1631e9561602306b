"""Batch norm under the transforms: replaced, in evaluation, with buffers passed, and refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import (
    functional_call,
    grad,
    grad_and_value,
    jvp,
    replace_all_batch_norm_modules_,
    stack_module_state,
    vmap,
)
from tests.func.support import array, close, normal


def test_all_batch_norms_in_the_tree_are_replaced() -> None:
    net = nn.Sequential(
        nn.BatchNorm1d(3), nn.Sequential(nn.BatchNorm2d(3)), nn.InstanceNorm1d(3, track_running_stats=True)
    )
    assert replace_all_batch_norm_modules_(net) is net
    for module in (net[0], net[1][0]):
        assert module.running_mean is module.running_var is module.num_batches_tracked is None
        assert not module.track_running_stats
    assert net[2].running_mean is not None
    with pytest.raises(TypeError, match="Module"):
        replace_all_batch_norm_modules_(3)


@pytest.mark.parametrize("training", [True, False])
def test_a_replaced_batch_norm_can_be_mapped(training: bool) -> None:
    net = replace_all_batch_norm_modules_(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))).double().train(training)
    x = normal(4, 6, 2)
    z = array(x) @ array(net[0].weight).T + array(net[0].bias)
    expected = (z - z.mean(1, keepdims=True)) / np.sqrt(z.var(1, keepdims=True) + 1e-5)
    close(vmap(net)(x), expected)


def test_evaluation_can_always_be_mapped() -> None:
    net = nn.BatchNorm1d(3).double()
    net(normal(8, 3))
    net.eval()
    x = normal(4, 6, 3, seed=1)
    got = vmap(net)(x)
    for i in range(4):
        close(got[i], net(x[i]))


def test_training_under_vmap_says_what_to_do() -> None:
    net = nn.BatchNorm1d(3).double()
    with pytest.raises(RuntimeError, match="replace_all_batch_norm_modules_"):
        vmap(net)(normal(4, 6, 3))
    assert int(net.num_batches_tracked) == 0
    assert np.array_equal(array(net.running_mean), np.zeros(3))


def test_each_evaluation_under_grad_updates_once() -> None:
    net, plain = nn.BatchNorm1d(3).double(), nn.BatchNorm1d(3).double()
    x = normal(6, 3)
    parameters = dict(net.named_parameters())

    def loss(p: Any) -> tp.Tensor:
        return (functional_call(net, p, (x,)) ** 3).sum()

    grad(loss)(parameters)
    plain(x)
    assert int(net.num_batches_tracked) == 1
    for name, buffer in plain.named_buffers():
        close(getattr(net, name), buffer)
    jvp(loss, (parameters,), (parameters,))
    plain(x)
    assert int(net.num_batches_tracked) == 2
    close(net.running_var, plain.running_var)


def test_statistics_of_a_traced_input_need_a_place() -> None:
    net = nn.BatchNorm1d(3).double()
    x = normal(6, 3)

    def loss(x: tp.Tensor, buffers: Any) -> tp.Tensor:
        return (functional_call(net, buffers, (x,)) ** 3).sum()

    buffers = {name: buffer.clone() for name, buffer in net.named_buffers()}
    gradient, _ = grad_and_value(loss)(x, buffers)
    leaf = x.clone().requires_grad_()
    (net(leaf) ** 3).sum().backward()
    close(gradient, leaf.grad)
    for name, buffer in net.named_buffers():
        close(buffers[name], buffer)


def test_a_plain_average_of_all_batches() -> None:
    net = nn.BatchNorm1d(3, momentum=None).double()
    batches = [normal(6, 3, seed=seed) for seed in range(3)]
    for batch in batches:
        net(batch)
    close(net.running_mean, np.mean([array(batch).mean(0) for batch in batches], 0))
    buffers = {name: tp.stack([tp.zeros_like(b), b]) for name, b in nn.BatchNorm1d(3).double().named_buffers()}
    x = tp.stack([normal(6, 3), normal(6, 3, seed=1)])
    vmap(lambda b, sample: functional_call(net, b, (sample,)))(buffers, x)
    close(buffers["running_mean"], array(x).mean(1))


def test_differentiating_the_input_updates_the_module_once() -> None:
    net, plain = nn.BatchNorm1d(3).double(), nn.BatchNorm1d(3).double()
    x = normal(6, 3)
    for transform in (grad(lambda v: (net(v) ** 3).sum()), lambda v: jvp(net, (v,), (v,))):
        transform(x)
        plain(x)
        for name, buffer in plain.named_buffers():
            close(getattr(net, name), buffer)


def test_gradients_of_an_ensemble_update_the_buffers_of_each_model() -> None:
    models = [nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).double() for _ in range(3)]
    params, buffers = stack_module_state(models)
    x = normal(6, 3)

    def loss(p: Any, b: Any) -> tp.Tensor:
        return (functional_call(models[0], (p, b), (x,)) ** 3).sum()

    gradients = vmap(grad(loss))(params, buffers)
    for i, model in enumerate(models):
        (model(x) ** 3).sum().backward()
        for name, parameter in model.named_parameters():
            close(gradients[name][i], parameter.grad)
        for name, buffer in model.named_buffers():
            close(buffers[name][i], buffer)
