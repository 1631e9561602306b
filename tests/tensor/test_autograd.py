"""Ordinary autograd: what `backward` does to leaves, graphs and modes; tensors as Python objects."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functional_call, grad, jvp, vmap
from tests.func.support import array, close, double


def leaf(*numbers: float) -> tp.Tensor:
    """A tensor that requires grad."""
    return double(list(numbers or (1.0, 2.0))).requires_grad_()


# ---- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "op",
    [tp.floor, tp.ceil, tp.round, tp.trunc, tp.sign, lambda x: x // 2, lambda x: tp.heaviside(x, x), tp.sgn],
)
def test_ops_constant_almost_everywhere_have_a_gradient_of_zero(op: Callable[[tp.Tensor], tp.Tensor]) -> None:
    x = leaf()
    y = op(x)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    (g,) = tp.autograd.grad((op(x) * x).sum(), x)
    close(g, array(op(x)))
    assert grad(lambda a: op(a).sum())(x.detach()).tolist() == [0.0, 0.0]
    assert jvp(op, (x.detach(),), (x.detach(),))[1].tolist() == [0.0, 0.0]


def test_what_is_no_floating_point_requires_no_grad() -> None:
    x = leaf()
    for y in (x > 0, x.argmax(), x.max(0).indices, x.to(tp.int64), x.isnan(), x.detach(), x.data, tp.zeros_like(x)):
        assert not y.requires_grad


def test_gradients_accumulate_in_place_in_memory_of_their_own() -> None:
    x, y = leaf(), leaf()
    (x + y).sum().backward()
    first = x.grad
    assert first is not y.grad
    (x * x).sum().backward()
    assert x.grad is first
    assert first.tolist() == [3.0, 5.0]
    assert y.grad.tolist() == [1.0, 1.0]


def test_inputs_that_are_no_leaves() -> None:
    x = leaf()
    y = x * 2
    (y * 3).sum().backward(inputs=[y])
    assert y.grad.tolist() == [3.0, 3.0]
    assert x.grad is None


def test_cotangents_take_the_dtype_of_the_tensor() -> None:
    x = tp.ones(2, requires_grad=True)
    (x * 2).backward(double([1.0, 2.0]))
    assert x.grad.dtype == tp.float32


def test_detaching_in_place() -> None:
    x = leaf()
    y = x * 2
    assert y.grad_fn is not None
    assert y.detach_() is y
    assert y.is_leaf
    assert not y.requires_grad
    assert y.grad_fn is None
    with pytest.raises(RuntimeError, match="view"):
        (x * 2)[0].detach_()
    assert grad(lambda a: ((a * 2).detach_() * a).sum())(x.detach()).tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: tp.autograd.grad(3, x), TypeError, r"grad\(\): expected a tensor, got int"),
        (lambda x: tp.autograd.grad(x.sum(), 3), TypeError, r"grad\(\): expected a tensor, got int"),
        (lambda x: (x * 2).backward(1.0), TypeError, r"backward\(\): expected a tensor, got float"),
        (lambda x: (x * 2).backward(tp.ones(3)), RuntimeError, r"expected \[2\], got \[3\]"),
        (
            lambda x: (x * 2).backward(tp.ones(2) * 1j),
            RuntimeError,
            r"expected tensorplay.float64, got tensorplay.complex64",
        ),
        (lambda x: (x * 2).backward(), RuntimeError, "one element"),
    ],
)
def test_errors(call: Callable[[tp.Tensor], Any], error: type[Exception], message: str) -> None:
    x = leaf()
    with pytest.raises(error, match=message):
        call(x)
    assert x.grad is None


# ---- modes -----------------------------------------------------------------------------------------------------------


def test_no_grad_on_a_generator_holds_while_it_runs() -> None:
    closed = []

    @tp.no_grad()
    def states() -> Iterator[bool]:
        try:
            while True:
                yield tp.is_grad_enabled()
        finally:
            closed.append(tp.is_grad_enabled())

    generator = states()
    assert not next(generator)
    assert tp.is_grad_enabled()
    assert not next(generator)
    generator.close()  # type: ignore[attr-defined]
    assert closed == [False]
    assert tp.is_grad_enabled()


# ---- copies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy])
def test_copies_inside_transforms_are_of_the_sample(copier: Callable[[tp.Tensor], tp.Tensor]) -> None:
    x = double([[1.0, 2.0], [3.0, 4.0]])
    assert vmap(lambda row: copier(row).sum())(x).tolist() == [3.0, 7.0]
    assert grad(lambda a: (copier(a) * a).sum())(x[0]).tolist() == [2.0, 4.0]
    model = tp.nn.Linear(2, 1).to(tp.float64)
    stacked = {name: tp.stack([p.detach(), 2 * p.detach()]) for name, p in model.named_parameters()}

    class Copying(tp.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = model

        def forward(self, x: tp.Tensor) -> tp.Tensor:
            return copier(self.inner)(x)  # type: ignore[arg-type]

    params = {f"inner.{name}": p for name, p in stacked.items()}
    got = vmap(lambda p: functional_call(Copying(), p, (x[0],)))(params)
    close(got, np.stack([array(model(x[0])), 2 * array(model(x[0]))]))


def test_a_copy_of_a_leaf_is_a_leaf() -> None:
    x = leaf()
    x.grad = tp.ones_like(x.detach())
    for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert made.is_leaf
        assert made.requires_grad
        close(made.detach(), array(x))
    with tp.no_grad():
        copy.copy(x).add_(1.0)
    assert x.tolist() == [2.0, 3.0], "a shallow copy shares memory"


def test_traced_tensors_are_not_pickled_and_not_copied_once_their_map_is_gone() -> None:
    kept: list[tp.Tensor] = []
    vmap(lambda x: (kept.append(x), x)[1])(tp.ones(3))
    for use in (copy.deepcopy, pickle.dumps, lambda t: t + 1):
        with pytest.raises(RuntimeError, match=r"vmap\(<lambda>\).*has no value outside"):
            use(kept[0])
    with pytest.raises(RuntimeError, match=r"pickle: grad\(<lambda>\) traces this tensor"):
        grad(lambda x: pickle.dumps(x) and x)(tp.tensor(1.0))


def test_tensors_are_made_of_data_sizes_or_tensors() -> None:
    assert tp.Tensor().tolist() == []
    assert tp.Tensor([1, 2]).dtype == tp.float32
    assert tp.Tensor(2, 3).shape == (2, 3)
    assert tp.Tensor(double([1.0])).dtype == tp.float64

    class Special(tp.Tensor):
        pass

    assert isinstance(Special([1.0]), Special)
    assert grad(lambda x: (x * x).sum())(Special([1.0, 2.0])).tolist() == [2.0, 4.0]


# ---- memory ----------------------------------------------------------------------------------------------------------


def test_steps_leave_nothing_for_the_collector() -> None:
    """Reference counts alone free everything: graphs, failed calls, detached aliases."""
    model = tp.nn.Sequential(tp.nn.Linear(4, 8), tp.nn.LayerNorm(8), tp.nn.ReLU(), tp.nn.Linear(8, 2))
    params = {name: p.detach() for name, p in model.named_parameters()}
    x, optimizer = tp.ones(3, 4), tp.optim.SGD(model.parameters(), lr=0.1)

    def step() -> None:
        optimizer.zero_grad()
        model(x).square().sum().backward()
        optimizer.step()
        vmap(grad(lambda p, row: functional_call(model, p, (row,)).sum()), (None, 0))(params, x)
        grad(lambda a: (a * 2).detach().add_(a).sum())(x)
        for wrong in (lambda: tp.sum([1]), lambda: grad(lambda a: a.reshape(7))(x)):
            try:
                wrong()
            except (TypeError, RuntimeError):
                continue

    for _ in range(3):
        step()
    gc.collect()
    gc.disable()
    try:
        before = sys.getallocatedblocks()
        for _ in range(5):
            step()
        assert gc.collect() == 0
        assert sys.getallocatedblocks() - before < 2000
    finally:
        gc.enable()


def test_inference_mode_is_no_grad() -> None:
    x = tp.ones(2, requires_grad=True)

    @tp.inference_mode
    def bare(x: tp.Tensor) -> tp.Tensor:
        return x * 2

    @tp.inference_mode()
    def called(x: tp.Tensor) -> tp.Tensor:
        return x * 2

    assert not bare(x).requires_grad
    assert not called(x).requires_grad
    with tp.inference_mode():
        y = x * 2
        with tp.inference_mode(False):
            assert (x * 2).requires_grad
    assert not y.requires_grad
    (y * x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_modes_decorate_without_parentheses() -> None:
    x = tp.ones(2, requires_grad=True)

    @tp.no_grad
    def paused(x: tp.Tensor) -> tuple[bool, bool]:
        return (x * 2).requires_grad, tp.enable_grad(lambda x: (x * 2).requires_grad)(x)

    assert paused(x) == (False, True)
    assert paused.__name__ == "paused"
    assert tp.is_grad_enabled()
