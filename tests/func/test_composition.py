"""Every transform with every other, in both orders; and with ordinary autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import (
    chunk_vmap,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)
from tests.func.support import array, close, double, normal

Map = Callable[[tp.Tensor], tp.Tensor]


def diagonal(jacobian: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    """Diagonal of the Jacobian of an elementwise function."""
    return jacobian.reshape(x.numel(), x.numel()).diagonal().reshape(x.shape)


# Each takes an elementwise function to an elementwise function: with f, f', f'' known, so is the result.
VALUE: dict[str, Callable[[Map], Map]] = {
    "vmap": lambda f: vmap(f),
    "vmap_last_dim": lambda f: vmap(f, in_dims=-1, out_dims=-1),
    "vmap_in_chunks": lambda f: vmap(f, chunk_size=2),
    "chunk_vmap": lambda f: chunk_vmap(f, chunks=2),
    "functionalize": lambda f: functionalize(f),
    "value_of_jvp": lambda f: lambda x: jvp(f, (x,), (tp.ones_like(x),))[0],
    "value_of_vjp": lambda f: lambda x: vjp(f, x)[0],
    "value_of_linearize": lambda f: lambda x: linearize(f, x)[0],
}
SLOPE: dict[str, Callable[[Map], Map]] = {
    "grad": lambda f: grad(lambda x: f(x).sum()),
    "grad_and_value": lambda f: lambda x: grad_and_value(lambda y: f(y).sum())(x)[0],
    "vjp": lambda f: lambda x: vjp(f, x)[1](tp.ones_like(x))[0],
    "jvp": lambda f: lambda x: jvp(f, (x,), (tp.ones_like(x),))[1],
    "linearize": lambda f: lambda x: linearize(f, x)[1](tp.ones_like(x)),
    "jacrev": lambda f: lambda x: jacrev(lambda y: f(y).sum())(x),
    "jacfwd": lambda f: lambda x: jacfwd(lambda y: f(y).sum())(x),
    "jacrev_diagonal": lambda f: (
        lambda x: jacrev(f)(x).flatten(x.ndim).reshape(x.numel(), -1).diagonal().reshape(x.shape)
    ),
    "jacfwd_diagonal": lambda f: (
        lambda x: jacfwd(f)(x).flatten(x.ndim).reshape(x.numel(), -1).diagonal().reshape(x.shape)
    ),
}
CURVE: dict[str, Callable[[Map], Map]] = {
    "hessian": lambda f: lambda x: diagonal(hessian(lambda y: f(y).sum())(x), x),
}
ALL = [(name, make, order) for order, table in enumerate((VALUE, SLOPE, CURVE)) for name, make in table.items()]

# derivatives of sin, by order
DERIVATIVES = [np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin, np.cos, lambda x: -np.sin(x)]
X = normal(3, 2)


@pytest.mark.parametrize("inner", ALL, ids=[name for name, _, _ in ALL])
@pytest.mark.parametrize("outer", ALL, ids=[name for name, _, _ in ALL])
def test_every_pair(outer: Any, inner: Any) -> None:
    """`outer(inner(sin))`: each transform adds its order of differentiation, and nothing else."""
    f = outer[1](inner[1](tp.sin))
    close(f(X), DERIVATIVES[outer[2] + inner[2]](array(X)), 1e-10)


@pytest.mark.parametrize("inner", ALL, ids=[name for name, _, _ in ALL])
@pytest.mark.parametrize("outer", ALL, ids=[name for name, _, _ in ALL])
def test_every_pair_in_a_closure(outer: Any, inner: Any) -> None:
    """The inner transform is called on a part of what the outer one traces: d(x·g(x)) by the product rule."""
    g = inner[1](tp.sin)
    f = outer[1](lambda x: x * g(x))
    x, k = array(X), inner[2]
    d = [DERIVATIVES[k + order](x) for order in range(3)]
    expected = [x * d[0], d[0] + x * d[1], 2 * d[1] + x * d[2]][outer[2]]
    close(f(X), expected, 1e-10)


@pytest.mark.parametrize("first", [n for n in SLOPE if "diagonal" not in n])
@pytest.mark.parametrize("second", ["grad", "jvp", "vmap", "linearize"])
@pytest.mark.parametrize("third", ["grad", "jvp", "vmap", "jacrev"])
def test_triples(first: str, second: str, third: str) -> None:
    tables = {**VALUE, **SLOPE}
    order = sum(name in SLOPE for name in (first, second, third))
    f = tables[first](tables[second](tables[third](tp.sin)))
    close(f(X), DERIVATIVES[order](array(X)), 1e-10)


def test_seven_levels() -> None:
    f: Map = tp.sin
    for name in ("grad", "jvp", "grad", "linearize", "vjp", "jvp"):
        f = SLOPE[name](f)
    close(vmap(f)(X), -np.sin(array(X)))


# ---- the list --------------------------------------------------------------------------------------------------------


def loss(w: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    """A scalar function of two vectors."""
    return tp.tanh(w * x).sum() ** 2


def test_per_sample_gradients() -> None:
    w, xs = normal(4), normal(5, 4, seed=1)
    expected = np.stack([array(grad(loss)(w, x)) for x in xs])
    close(vmap(grad(loss), in_dims=(None, 0))(w, xs), expected)
    close(vmap(grad(loss), in_dims=(None, 0), chunk_size=2)(w, xs), expected)


def test_gradient_of_a_mapped_loss_is_the_sum() -> None:
    w, xs = normal(4), normal(5, 4, seed=1)
    total = grad(lambda a: vmap(loss, in_dims=(None, 0))(a, xs).sum())(w)
    close(total, array(vmap(grad(loss), in_dims=(None, 0))(w, xs)).sum(0))


def test_mapping_over_the_differentiated_argument() -> None:
    ws, xs = normal(5, 4), normal(5, 4, seed=1)
    got = vmap(grad(loss, (0, 1)))(ws, xs)
    for i, g in enumerate(got):
        close(g, np.stack([array(grad(loss, i)(w, x)) for w, x in zip(ws, xs, strict=True)]))


def test_map_inside_gradient_inside_map() -> None:
    ws, xs = normal(3, 4), normal(5, 4, seed=1)
    f = vmap(grad(lambda w: vmap(lambda x: loss(w, x))(xs).mean()))
    expected = [array(grad(lambda w: tp.stack([loss(w, x) for x in xs]).mean())(w)) for w in ws]
    close(f(ws), np.stack(expected))


def test_outer_and_inner_maps_over_different_arguments_of_a_gradient() -> None:
    ws, xs = normal(3, 4), normal(5, 4, seed=1)
    got = vmap(vmap(grad(loss), (None, 0)), (0, None))(ws, xs)
    close(got, np.stack([[array(grad(loss)(w, x)) for x in xs] for w in ws]))


def test_pull_function_of_the_outside_inside_a_map() -> None:
    _, pull = vjp(lambda x: x.exp(), X)
    close(
        vmap(lambda scale: pull(tp.ones_like(X) * scale)[0])(double([1.0, 2.0])), np.exp(array(X)) * [[[1.0]], [[2.0]]]
    )


def test_gradient_through_a_pull_function() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y, pull = vjp(lambda a: a**3, x)
        return pull(y)[0].sum()  # 3x²·x³

    close(grad(f)(X), 15 * array(X) ** 4)


def test_gradient_inside_a_map_with_a_captured_tensor_that_requires_grad() -> None:
    w = double(3.0).requires_grad_()
    vmap(grad(lambda x: w * x**2))(double([1.0, 2.0])).sum().backward()
    assert w.grad.item() == 6.0


def test_backward_through_results_of_each_transform() -> None:
    for name, make, order in ALL:
        x = X.clone().requires_grad_()
        make(tp.sin)(x).sum().backward()
        close(x.grad, DERIVATIVES[order + 1](array(X)), 1e-10)
        assert x.grad.requires_grad is False, name


def test_autograd_grad_with_create_graph_through_a_transform() -> None:
    x = X.clone().requires_grad_()
    (first,) = tp.autograd.grad(vmap(tp.sin)(x).sum(), x, create_graph=True)
    (second,) = tp.autograd.grad(first.sum(), x)
    close(second, -np.sin(array(X)))


def test_inner_training_step_is_differentiable() -> None:
    """Two steps of gradient descent, differentiated with respect to the start, against finite differences."""

    def after_two_steps(w: tp.Tensor) -> tp.Tensor:
        for _ in range(2):
            w = w - 0.1 * grad(loss)(w, X[:, 0])
        return loss(w, X[:, 1])

    w = normal(3, seed=4)
    h = 1e-5
    numeric = [
        (after_two_steps(w + h * e).item() - after_two_steps(w - h * e).item()) / (2 * h)
        for e in tp.eye(3, dtype=tp.float64)
    ]
    close(grad(after_two_steps)(w), numeric, 1e-6)


def test_jacobians_of_jacobians() -> None:
    x = normal(2)
    expected = np.zeros((2, 2, 2, 2))
    for i in range(2):
        expected[i, i, i, i] = -np.cos(array(x)[i])
    for outer in (jacrev, jacfwd):
        for middle in (jacrev, jacfwd):
            for inner in (jacrev, jacfwd):
                close(outer(middle(inner(tp.sin)))(x), expected)
