"""autograd.functional against closed forms, for all its options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd import functional
from tests.func.support import array, close, normal

X, Y = normal(2), normal(3, seed=1)
U, V = normal(2, seed=2), normal(3, seed=3)


def both(x: tp.Tensor, y: tp.Tensor) -> tuple[tp.Tensor, tp.Tensor]:
    return (x**2).sum() * y, 3 * x


def energy(x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    return (x**3).sum() * (y**2).sum()


def blocks_of_both() -> list[list[np.ndarray[Any, Any]]]:
    x, y = array(X), array(Y)
    return [[np.outer(y, 2 * x), (x**2).sum() * np.eye(3)], [3 * np.eye(2), np.zeros((2, 3))]]


def blocks_of_energy() -> list[list[np.ndarray[Any, Any]]]:
    x, y = array(X), array(Y)
    mixed = np.outer(3 * x**2, 2 * y)
    return [[np.diag(6 * x) * (y**2).sum(), mixed], [mixed.T, 2 * np.eye(3) * (x**3).sum()]]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"vectorize": True},
    {"create_graph": True},
    {"create_graph": True, "vectorize": True},
]


@pytest.mark.parametrize("options", [*OPTIONS, {"vectorize": True, "strategy": "forward-mode"}])
def test_jacobian(options: dict[str, Any]) -> None:
    found = functional.jacobian(both, (X, Y), **options)
    for row, wanted in zip(found, blocks_of_both(), strict=True):
        for block, expected in zip(row, wanted, strict=True):
            close(block, expected)
            assert not block.requires_grad or options.get("create_graph")
    alone = functional.jacobian(lambda x: x**2, X, **options)
    close(alone, np.diag(2 * array(X)))
    (in_tuple,) = functional.jacobian(lambda x: x**2, (X,), **options)
    close(in_tuple, alone)
    close(functional.jacobian(lambda x: (x**2, x.sum()), X, **options)[1], np.ones(2))


@pytest.mark.parametrize("options", [*OPTIONS, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}])
def test_hessian(options: dict[str, Any]) -> None:
    found = functional.hessian(energy, (X, Y), **options)
    for row, wanted in zip(found, blocks_of_energy(), strict=True):
        for block, expected in zip(row, wanted, strict=True):
            close(block, expected)
    close(functional.hessian(lambda x: (x**3).sum(), X, **options), np.diag(6 * array(X)))
    close(functional.hessian(lambda x: (x**3).sum()[None], X, **options), np.diag(6 * array(X)))


def test_products_with_vectors() -> None:
    jacobian, hessian = blocks_of_both(), blocks_of_energy()
    u, v = array(U), array(V)
    out, pulled = functional.vjp(both, (X, Y), (V, U))
    close(out[0], both(X, Y)[0])
    close(pulled[0], v @ jacobian[0][0] + u @ jacobian[1][0])
    close(pulled[1], v @ jacobian[0][1])
    out, pushed = functional.jvp(both, (X, Y), (U, V))
    close(out[1], 3 * X)
    close(pushed[0], jacobian[0][0] @ u + jacobian[0][1] @ v)
    close(pushed[1], 3 * u)
    for product in (functional.hvp, functional.vhp):
        out, found = product(energy, (X, Y), (U, V))
        close(out, energy(X, Y))
        for block, row in zip(found, hessian, strict=True):
            close(block, row[0] @ u + row[1] @ v)
    assert not found[0].requires_grad


def test_v_may_be_left_out_for_one_element() -> None:
    one = tp.tensor([2.0])
    close(functional.vjp(lambda x: x**3, one)[1], [12.0])
    close(functional.jvp(lambda x: x**3 * tp.ones(2), one)[1], [12.0, 12.0])
    close(functional.hvp(lambda x: x**3, one)[1], [12.0])
    close(functional.vhp(lambda x: x**3, one)[1], [12.0])


@pytest.mark.parametrize("vectorize", [False, True])
def test_results_with_create_graph_are_differentiated(vectorize: bool) -> None:
    x = X.clone().requires_grad_()
    scaled = 2 * x  # gradients go through what the input came from
    found = functional.jacobian(lambda a: a**3, scaled, create_graph=True, vectorize=vectorize)
    close(tp.autograd.grad(found.sum(), x)[0], 6 * 2 * 2 * array(X))
    second = functional.hessian(lambda a: (a**4).sum(), x, create_graph=True, vectorize=vectorize)
    close(tp.autograd.grad(second.sum(), x)[0], 24 * array(X))
    for product in (functional.hvp, functional.vhp, functional.jvp, functional.vjp):
        out, found = product(lambda a: (a**4).sum(), x, *([] if product is functional.vjp else [U]), create_graph=True)
        assert out.requires_grad
        assert tp.autograd.grad(found.sum(), x)[0].shape == (2,)


def test_functions_may_take_derivatives_themselves() -> None:
    def force(x: tp.Tensor) -> tp.Tensor:
        if not x.requires_grad:
            pytest.fail("inputs require grad")
        return -tp.autograd.grad((x**3).sum(), x, create_graph=True)[0]

    close(functional.jacobian(force, X), np.diag(-6 * array(X)))
    close(functional.jvp(force, X, U)[1], -6 * array(X) * array(U))


def test_under_no_grad_and_with_constants() -> None:
    with tp.no_grad():
        close(functional.jacobian(lambda x: x**2, X), np.diag(2 * array(X)))
    close(functional.jacobian(lambda x: tp.ones(2), X), np.zeros((2, 2)))
    close(functional.jvp(lambda x: tp.ones(2), X, U)[1], np.zeros(2))
    close(functional.vhp(lambda x: x.sum(), X, U)[1], np.zeros(2))
    close(functional.hvp(lambda x: x.sum(), X, U)[1], np.zeros(2))
    assert functional.jacobian(lambda x: x[:0], X).shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: functional.jacobian(lambda x, y: 2 * x, (X, Y), strict=True), "jacobian: output 0 .* input 1"),
        (lambda: functional.jacobian(lambda x: tp.ones(2), X, strict=True), "jacobian: output 0 .* the inputs"),
        (lambda: functional.vjp(lambda x, y: 2 * x, (X, Y), U, strict=True), "vjp: output 0 .* input 1"),
        (lambda: functional.jvp(lambda x, y: 2 * x, (X, Y), (U, V), strict=True), "jvp: output 0 .* input 1"),
        (lambda: functional.hessian(lambda x: x.sum(), X, strict=True), "hessian: the gradient .* input 0"),
        (lambda: functional.hvp(lambda x: x.sum(), X, U, strict=True), "hvp: the gradient .* input 0"),
        (lambda: functional.vhp(lambda x: x.sum(), X, U, strict=True), "vhp: the gradient .* input 0"),
        (lambda: functional.vjp(lambda x: x, X), "vjp: v may be left out only where the function returns"),
        (lambda: functional.jvp(lambda x: x, X), "jvp: v may be left out only where the function takes"),
        (lambda: functional.vjp(lambda x: x, X, V), r"entry 0 of v .* expected \[2\], got \[3\]"),
        (lambda: functional.vjp(lambda x: x, X, (U, U)), "v has 2 tensors, but the function returns 1"),
        (lambda: functional.hessian(lambda x: x, X), "returns a tensor of one element"),
        (lambda: functional.jacobian(lambda x: x * 1j, X), "output 0 is complex"),
        (lambda: functional.jacobian(tp.sin, X, strict=True, vectorize=True), "vectorize=False"),
    ],
)
def test_what_does_not_fit(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        call()


def test_kinds_of_arguments() -> None:
    with pytest.raises(TypeError, match=r"jacobian: inputs must be a tensor .* got a list of 1"):
        functional.jacobian(tp.sin, [X])
    with pytest.raises(TypeError, match=r"vjp: entry 1 of inputs must be a tensor .* got a float"):
        functional.vjp(tp.mul, (X, 2.0))
    with pytest.raises(TypeError, match=r"jvp: what the function returns .* got a list of 1"):
        functional.jvp(lambda x: [x], X, U)
    with pytest.raises(ValueError, match="strategy must be"):
        functional.jacobian(tp.sin, X, strategy="sideways")
    with pytest.raises(NotImplementedError, match="vectorize=True"):
        functional.hessian(lambda x: x.sum(), X, outer_jacobian_strategy="forward-mode")
