"""grad and grad_and_value: the derivative of what the function computes."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, grad_and_value, jvp, vjp
from tests.func.support import array, close, double, normal


def test_gradient() -> None:
    x = normal(3)
    close(grad(lambda a: (a**3).sum())(x), 3 * array(x) ** 2)


def test_value_and_gradient_of_one_evaluation() -> None:
    calls = []

    def f(x: tp.Tensor) -> tp.Tensor:
        calls.append(1)
        return (x * x).sum()

    gradient, value = grad_and_value(f)(double([1.0, 2.0]))
    assert gradient.tolist() == [2.0, 4.0]
    assert value.item() == 5.0
    assert len(calls) == 1


@pytest.mark.parametrize("argnums", [0, 1, 2, -1, -2, -3])
def test_argnums(argnums: int) -> None:
    args = double(2.0), double(3.0), double(5.0)
    expected = [15.0, 10.0, 6.0]
    assert grad(lambda x, y, z: x * y * z, argnums)(*args).item() == expected[argnums]


def test_tuple_of_argnums() -> None:
    args = double(2.0), double(3.0), double(5.0)
    out = grad(lambda x, y, z: x * y * z, (2, 0))(*args)
    assert isinstance(out, tuple)
    assert [o.item() for o in out] == [6.0, 15.0]
    (single,) = grad(lambda x, y, z: x * y * z, (1,))(*args)
    assert single.item() == 10.0


def test_result_has_the_structure_of_the_argument() -> None:
    Pair = namedtuple("Pair", "a b")

    @dataclasses.dataclass
    class Params:
        w: tp.Tensor
        rest: Any

    params = Params(double(2.0), {"p": Pair(double(3.0), [double(5.0)])})
    out = grad(lambda p: p.w * p.rest["p"].a * p.rest["p"].b[0])(params)
    assert isinstance(out, Params)
    assert isinstance(out.rest["p"], Pair)
    assert (out.w.item(), out.rest["p"].a.item(), out.rest["p"].b[0].item()) == (15.0, 10.0, 6.0)


def test_registered_type() -> None:
    class Box:
        def __init__(self, content: Any) -> None:
            self.content = content

    tp.register_pytree_node(Box, lambda box: ((box.content,), None), lambda _, children: Box(*children))
    out = grad(lambda box: box.content**2)(Box(double(3.0)))
    assert isinstance(out, Box)
    assert out.content.item() == 6.0


def test_aux() -> None:
    def f(x: tp.Tensor) -> Any:
        return x**2, {"double": x * 2, "name": "f"}

    gradient, aux = grad(f, has_aux=True)(double(3.0))
    assert (gradient.item(), aux["double"].item(), aux["name"]) == (6.0, 6.0, "f")
    assert not aux["double"].requires_grad
    gradient, (value, aux) = grad_and_value(f, has_aux=True)(double(3.0))
    assert (gradient.item(), value.item(), aux["double"].item()) == (6.0, 9.0, 6.0)


def test_unused_argument_has_zero_gradient() -> None:
    used, unused = grad(lambda x, y: x * 1, (0, 1))(double(2.0), normal(2, 3))
    assert used.item() == 1.0
    assert unused.shape == (2, 3)
    assert not array(unused).any()


def test_constant_output() -> None:
    assert grad(lambda x: double(3.0))(double(2.0)).item() == 0.0


def test_side_arguments_of_any_kind() -> None:
    index, flag = tp.tensor([2, 0]), True
    out = grad(lambda x, i, on, name: x[i].sum() if on else x.sum())(normal(3), index, flag, "name")
    assert out.tolist() == [1.0, 0.0, 1.0]


def test_keyword_arguments() -> None:
    assert grad(lambda x, *, power=2: x**power)(double(2.0), power=3).item() == 12.0


def test_captured_argument_is_constant() -> None:
    x = double(3.0)
    assert grad(lambda y: x * y)(x).item() == 3.0


def test_captured_tensor_that_requires_grad() -> None:
    w = double(3.0).requires_grad_()
    gradient, value = grad_and_value(lambda x: w**2 * x**2)(double(2.0))
    assert gradient.requires_grad
    assert value.requires_grad
    gradient.backward()
    assert w.grad.item() == 2 * 3.0 * 2 * 2.0


def test_argument_that_requires_grad() -> None:
    x = double(3.0).requires_grad_()
    second = grad(lambda a: a**3)(x)
    second.backward()
    assert second.item() == 27.0
    assert x.grad.item() == 18.0


def test_third_derivative() -> None:
    assert grad(grad(grad(lambda x: x**4)))(double(2.0)).item() == 48.0
    close(grad(grad(grad(tp.sin)))(double(0.3)), -np.cos(0.3))


def test_inner_gradient_sees_the_outer_argument() -> None:
    # d/dx of x · d/dy (x + y) = 1: the inner gradient is 1 and does not depend on x
    assert grad(lambda x: x * grad(lambda y: x + y)(double(1.0)))(double(1.0)).item() == 1.0
    # d/dx of d/dy (x·y²) at y = x: d/dx (2·x·y) with y = x twice the same variable = 4x
    assert grad(lambda x: grad(lambda y: x * y**2)(x))(double(3.0)).item() == 12.0


def test_detach_and_no_grad_stop_the_gradient() -> None:
    assert grad(lambda x: x * x.detach())(double(3.0)).item() == 3.0

    def f(x: tp.Tensor) -> tp.Tensor:
        with tp.no_grad():
            y = x**2
        return x + y

    assert grad(f)(double(3.0)).item() == 1.0


def test_under_no_grad_the_transform_still_differentiates() -> None:
    with tp.no_grad():
        assert grad(lambda x: x**2)(double(3.0)).item() == 6.0


def test_complex_gradient_is_the_direction_of_steepest_ascent() -> None:
    z = tp.tensor(np.array(1.0 + 2.0j))
    gradient = grad(lambda a: (a * a.conj()).real)(z)
    np.testing.assert_allclose(gradient.numpy(), 2 * (1 + 2j))


@pytest.mark.parametrize("factor", [1j, 2.0 - 3.0j, 2, 0.5])
def test_python_numbers_as_factors_of_complex_tensors(factor: complex) -> None:
    z = tp.tensor(np.array([1.0 + 2.0j, 3.0 - 1.0j]))
    ct = tp.tensor(np.array([0.3 + 1.0j, -1.0 + 2.0j]))
    np.testing.assert_allclose(vjp(lambda a: a * factor, z)[1](ct)[0].numpy(), ct.numpy() * np.conj(factor))
    np.testing.assert_allclose(vjp(lambda a: a / factor, z)[1](ct)[0].numpy(), ct.numpy() / np.conj(factor))
    np.testing.assert_allclose(jvp(lambda a: factor * a, (z,), (ct,))[1].numpy(), ct.numpy() * factor)


def test_argument_is_unchanged_and_gradient_is_its_own_memory() -> None:
    x = normal(3)
    gradient = grad(lambda a: a.sum())(x)
    gradient.zero_()
    close(x, normal(3))
    first, second = grad(lambda a, b: (a + b).sum(), (0, 1))(normal(2), normal(2))
    first.fill_(7.0)
    assert second.tolist() == [1.0, 1.0]


def test_name_and_documentation_of_the_function() -> None:
    def loss(x: tp.Tensor) -> tp.Tensor:
        """Squares."""
        return x**2

    for made in (grad(loss), grad_and_value(loss)):
        assert made.__name__ == "loss"
        assert made.__doc__ == "Squares."


def test_python_control_flow_on_values() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return x**2 if x > 0 else -x

    assert grad(f)(double(3.0)).item() == 6.0
    assert grad(f)(double(-3.0)).item() == -1.0


def test_integer_dtype_of_other_leaves_of_the_call() -> None:
    gradient = grad(lambda x, n: x * n)(double(2.0), tp.tensor(3))
    assert gradient.item() == 3.0
    assert gradient.dtype == tp.float64


def test_dtype_of_the_gradient_is_that_of_the_argument() -> None:
    x = tp.tensor([1.0, 2.0], dtype=tp.float32)
    gradient = grad(lambda a: (a.double() * double([3.0, 4.0])).sum())(x)
    assert gradient.dtype == tp.float32
    assert gradient.tolist() == [3.0, 4.0]
