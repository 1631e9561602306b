"""Batch norm under the transforms: replaced, in evaluation, with buffers passed, and refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import (
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_graph,
    replace_all_batch_norm_modules_,
    stack_module_state,
    vjp,
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


# ---- every form ------------------------------------------------------------------------------------------------------

Buffers = dict[str, np.ndarray[Any, Any]]


class Form:
    """One way to configure a layer, and what it computes, in NumPy."""

    def __init__(self, layer: Any, training: bool, tracking: bool, momentum: float | None, affine: bool) -> None:
        self.layer, self.training, self.tracking = layer, training, tracking
        self.momentum, self.affine = momentum, affine

    def __repr__(self) -> str:
        words = (self.layer.__name__, "training" if self.training else "eval", self.momentum)
        return "-".join(map(str, (*words, "tracking" * self.tracking, "affine" * self.affine)))

    @property
    def by_instance(self) -> bool:
        return "Instance" in self.layer.__name__

    def make(self, seed: int = 0) -> Any:
        """A layer with parameters and statistics of its own."""
        layer = self.layer(3, momentum=self.momentum, affine=self.affine, track_running_stats=self.tracking)
        layer = layer.double().train(self.training)
        random = np.random.default_rng(seed)
        with tp.no_grad():
            for tensor in (*layer.parameters(), *layer.buffers()):
                if tensor.dtype == tp.float64:
                    tensor.copy_(tp.tensor(random.uniform(0.5, 2, tensor.shape)))
                else:
                    tensor.fill_(seed)
        return layer

    def expected(self, layer: Any, x: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], Buffers]:
        """Output for a batch [N, C, L], and the buffers afterwards."""
        buffers = {name: array(buffer).copy() for name, buffer in layer.named_buffers()}
        dims = (2,) if self.by_instance else (0, 2)
        mean, var = x.mean(dims, keepdims=True), x.var(dims, keepdims=True)
        if self.training and self.tracking:
            count = x.shape[2] if self.by_instance else x.shape[0] * x.shape[2]
            if self.momentum is None:
                weight = 0.0 if self.by_instance else 1 / (buffers["num_batches_tracked"] + 1)
            else:
                weight = self.momentum
            for name, now in (("running_mean", mean), ("running_var", var * count / (count - 1))):
                buffers[name] = (1 - weight) * buffers[name] + weight * now.mean(0).reshape(3)
            buffers["num_batches_tracked"] += 0 if self.by_instance else 1
        elif self.tracking:
            mean, var = (buffers[name].reshape(1, 3, 1) for name in ("running_mean", "running_var"))
        out = (x - mean) / np.sqrt(var + 1e-5)
        if self.affine:
            out = out * array(layer.weight).reshape(3, 1) + array(layer.bias).reshape(3, 1)
        return out, buffers


FORMS = [
    Form(*choice)
    for choice in itertools.product(
        (nn.BatchNorm1d, nn.InstanceNorm1d), (True, False), (True, False), (0.3, None), (True, False)
    )
]
by_forms = pytest.mark.parametrize("form", FORMS, ids=repr)
X = normal(4, 6, 3, 5)


def assert_buffers(layer: Any, expected: Buffers) -> None:
    for name, buffer in layer.named_buffers():
        close(buffer, expected[name])


@by_forms
def test_a_plain_call(form: Form) -> None:
    layer = form.make(2)
    out, buffers = form.expected(layer, array(X[0]))
    close(layer(X[0]), out)
    assert_buffers(layer, buffers)


@by_forms
def test_a_map_over_the_input(form: Form) -> None:
    layer = form.make(2)
    before = {name: array(buffer).copy() for name, buffer in layer.named_buffers()}
    if not (form.training and form.tracking):
        close(vmap(layer)(X), np.stack([form.expected(layer, array(x))[0] for x in X]))
        close(vmap(vmap(layer))(X.reshape(2, 2, 6, 3, 5)), array(vmap(layer)(X)).reshape(2, 2, 6, 3, 5))
    else:
        remedy = (
            "track_running_stats=False" if form.by_instance else r"replace_all_batch_norm_modules_\(module\), use group"
        )
        kind, title = "instance" if form.by_instance else "batch", rf"vmap\({form.layer.__name__}\)"
        with pytest.raises(
            RuntimeError,
            match=rf"^{kind}_norm\(\): the running statistics cannot be updated .* by {title}\. .*"
            rf"{remedy}.*, or pass the buffers through tp\.func\.functional_call and map over them\.$",
        ):
            vmap(layer)(X)
    assert_buffers(layer, before)


@by_forms
def test_a_map_over_models_updates_the_buffers_of_each(form: Form) -> None:
    layers = [form.make(seed) for seed in range(4)]
    expected = [form.expected(layer, array(x)) for layer, x in zip(layers, X, strict=True)]
    params, buffers = stack_module_state(layers)
    names = list(params) + list(buffers)
    if not names:
        return
    before = [array(tensor).copy() for tensor in (*layers[0].parameters(), *layers[0].buffers())]

    def one(p: Any, b: Any, x: tp.Tensor) -> tp.Tensor:
        return functional_call(layers[0], (p, b), (x,), strict=True)

    close(vmap(one)(params, buffers, X), np.stack([out for out, _ in expected]))
    for name, buffer in buffers.items():
        close(buffer, np.stack([state[name] for _, state in expected]))
    for tensor, old in zip((*layers[0].parameters(), *layers[0].buffers()), before, strict=True):
        close(tensor, old)
    # parameters alone are mapped: the input's statistics are those of all samples, and count once
    if params:
        shared = form.make(2)
        out, state = form.expected(shared, array(X[0]))
        got = vmap(lambda p: functional_call(shared, p, (X[0],)))(params)
        plain = (out - array(shared.bias).reshape(3, 1)) / array(shared.weight).reshape(3, 1)
        for i, layer in enumerate(layers):
            close(got[i], plain * array(layer.weight).reshape(3, 1) + array(layer.bias).reshape(3, 1))
        assert_buffers(shared, state)


TRANSFORMS: dict[str, Callable[[Callable[..., Any], tp.Tensor], Any]] = {
    "grad": lambda f, x: grad(lambda v: (f(v) ** 3).sum())(x),
    "vjp": lambda f, x: vjp(f, x)[1](x),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "jacrev": lambda f, x: jacrev(f, chunk_size=7)(x),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "hessian": lambda f, x: hessian(lambda v: (f(v) ** 3).sum())(x),
    "linearize": lambda f, x: linearize(f, x)[1](x),
    "functionalize": lambda f, x: functionalize(f)(x),
    "grad of grad": lambda f, x: grad(lambda v: grad(lambda w: (f(w) ** 3).sum())(v).sum())(x),
}


@by_forms
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS.keys())
def test_each_evaluation_counts_once_under_derivatives(form: Form, transform: Callable[..., Any]) -> None:
    layer, x = form.make(2), X[0, :2, :, :2]
    _, buffers = form.expected(layer, array(x))
    transform(layer, x)
    assert_buffers(layer, buffers)
    assert not any(buffer.requires_grad for buffer in layer.buffers())
    # buffers that are an argument
    held = {name: buffer.clone() for name, buffer in layer.named_buffers()}
    _, buffers = form.expected(layer, array(x))
    transform(lambda v: functional_call(layer, held, (v,)), x)
    for name, buffer in held.items():
        close(buffer, buffers[name])


def test_statistics_are_updated_together_or_not_at_all() -> None:
    layer = nn.BatchNorm1d(3).double()
    means = tp.zeros(4, 3, dtype=tp.float64)
    with pytest.raises(RuntimeError, match="the running statistics cannot be updated"):
        vmap(lambda m, x: functional_call(layer, {"running_mean": m}, (x,)))(means, X)
    assert not means.any()
    assert layer.running_var.tolist() == [1, 1, 1]
    assert int(layer.num_batches_tracked) == 0


def test_graphs_say_what_they_cannot_write() -> None:
    with pytest.raises(RuntimeError, match="make_graph"):
        make_graph(nn.BatchNorm1d(3).double())(X[0])


def test_what_replacing_leaves_normalises_by_the_batch() -> None:
    for momentum, affine in itertools.product((0.1, None), (True, False)):
        layer = Form(nn.BatchNorm1d, False, True, momentum, affine).make(1)
        replace_all_batch_norm_modules_(layer)
        for training in (True, False):
            layer.train(training)
            out, _ = Form(nn.BatchNorm1d, training, False, momentum, affine).expected(layer, array(X[0]))
            close(layer(X[0]), out)
            assert not list(layer.buffers())
