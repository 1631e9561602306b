"""jvp: output and tangent in one pass."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, jvp, vjp, vmap
from tests.func.support import array, close, double, normal


def test_tangent() -> None:
    a, b, da, db = (normal(3, 3, seed=i) for i in range(4))
    out, dot = jvp(lambda x, y: x @ y, (a, b), (da, db))
    close(out, array(a) @ array(b))
    close(dot, array(da) @ array(b) + array(a) @ array(db))


def test_structures() -> None:
    out, dot = jvp(lambda p: {"y": p["a"] * p["b"][0]}, ({"a": double(2.0), "b": [double(3.0)]},), ({"a": double(1.0), "b": [double(10.0)]},))  # fmt: skip # noqa: E501
    assert (out["y"].item(), dot["y"].item()) == (6.0, 23.0)


def test_aux() -> None:
    out, dot, aux = jvp(lambda x: (x**2, {"x": x * 3}), (double(2.0),), (double(1.0),), has_aux=True)
    assert (out.item(), dot.item(), aux["x"].item()) == (4.0, 4.0, 6.0)


def test_independent_output_has_zero_tangent() -> None:
    out, dot = jvp(lambda x: tp.ones(2, dtype=tp.float64), (double(2.0),), (double(1.0),))
    assert out.tolist() == [1.0, 1.0]
    assert dot.tolist() == [0.0, 0.0]


def test_strict() -> None:
    with pytest.raises(RuntimeError, match=r"jvp\(.*output\[1\] does not depend"):
        jvp(lambda x: (x, double(1.0)), (double(2.0),), (double(1.0),), strict=True)


def test_output_that_is_no_float_has_a_zero_tangent() -> None:
    out, dot = jvp(lambda x: (x > 0, x), (double([2.0, -1.0]),), (double([1.0, 1.0]),))
    assert out[0].tolist() == [True, False]
    assert dot[1].tolist() == [1.0, 1.0]
    assert not array(dot[0]).any()


def test_nested_levels_keep_their_tangents_apart() -> None:
    # the tangent of the outer level must not leak into the inner derivative
    def inner(x: tp.Tensor) -> tp.Tensor:
        return jvp(lambda y: x * y, (double(5.0),), (double(1.0),))[1]

    out, dot = jvp(inner, (double(3.0),), (double(1.0),))
    assert (out.item(), dot.item()) == (3.0, 1.0)


def test_perturbation_confusion_classics() -> None:
    one = double(1.0)

    def forward(f):  # type: ignore[no-untyped-def]
        return lambda x: jvp(f, (x,), (tp.ones_like(x),))[1]

    for outer in (grad, forward):
        for inner in (grad, forward):
            assert outer(lambda x, inner=inner: x * inner(lambda y: x + y)(one))(one).item() == 1.0
            assert outer(lambda x, inner=inner: inner(lambda y: x * y)(x) * x)(double(3.0)).item() == 6.0
            constant = inner(lambda y: one * y)
            assert outer(lambda x, g=constant: g(one) * x)(double(3.0)).item() == 1.0


def test_function_that_returns_a_function_of_its_level() -> None:
    # D (x ↦ (y ↦ x·y)) applied afterwards: closure over a tensor of a level that has ended is its primal
    kept = []

    def f(x: tp.Tensor) -> tp.Tensor:
        kept.append(x)
        return x * 2

    jvp(f, (double(3.0),), (double(1.0),))
    out, dot = jvp(lambda y: kept[0] * y, (double(5.0),), (double(1.0),))
    assert (out.item(), dot.item()) == (15.0, 3.0)


def test_jvp_of_grad_is_a_hessian_vector_product() -> None:
    x, v = normal(3), normal(3, seed=1)
    dot = jvp(grad(lambda a: (a**4).sum()), (x,), (v,))[1]
    close(dot, 12 * array(x) ** 2 * array(v))


def test_jvp_of_vjp_and_map() -> None:
    x, v = normal(4, 3), normal(4, 3, seed=1)

    def product(a: tp.Tensor, b: tp.Tensor) -> tp.Tensor:
        return jvp(lambda y: vjp(tp.sin, y)[1](tp.ones_like(y))[0], (a,), (b,))[1]

    close(vmap(product)(x, v), -np.sin(array(x)) * array(v))


def test_detach_and_no_grad_stop_tangents() -> None:
    assert jvp(lambda x: x.detach() * x, (double(3.0),), (double(1.0),))[1].item() == 3.0

    def f(x: tp.Tensor) -> tp.Tensor:
        with tp.no_grad():
            y = x**2
        return y + x

    assert jvp(f, (double(3.0),), (double(1.0),))[1].item() == 1.0


def test_primals_and_tangents_that_require_grad() -> None:
    x, t = double(3.0).requires_grad_(), double(1.0).requires_grad_()
    dot = jvp(lambda a: a**3, (x,), (t,))[1]
    dot.backward()
    assert (x.grad.item(), t.grad.item()) == (18.0, 27.0)
