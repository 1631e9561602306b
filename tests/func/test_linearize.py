"""linearize: one evaluation, any number of tangents, nothing run twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core import primitive
from tensorplay.func import grad, jvp, linearize, vmap
from tests.func.support import array, close, double, normal


@contextmanager
def counted() -> Iterator[list[str]]:
    """Names of the primitives that run inside."""
    names: list[str] = []
    implementations = {prim: prim.impl for prim in primitive.registry.values()}

    def counting(prim: primitive.Primitive) -> object:
        def impl(*args: object, **params: object) -> object:
            names.append(prim.name)
            return implementations[prim](*args, **params)

        return impl

    for prim in implementations:
        prim.impl = counting(prim)  # type: ignore[assignment]
    try:
        yield names
    finally:
        for prim, impl in implementations.items():
            prim.impl = impl


def model(x: tp.Tensor) -> tp.Tensor:
    """Some nonlinear function."""
    return (tp.sin(x) * tp.exp(x)).tanh().sum(0)


def test_output_and_tangent() -> None:
    x, t = normal(3, 2), normal(3, 2, seed=1)
    out, push = linearize(model, x)
    expected, dot = jvp(model, (x,), (t,))
    close(out, expected)
    close(push(t), dot)


def test_linear_and_reusable() -> None:
    x = normal(3, 2)
    _, push = linearize(model, x)
    s, t = normal(3, 2, seed=1), normal(3, 2, seed=2)
    close(push(s * 2 + t * 3), 2 * array(push(s)) + 3 * array(push(t)))
    close(push(s), array(push(s)))


def test_the_function_runs_once() -> None:
    calls = []

    def f(x: tp.Tensor) -> tp.Tensor:
        calls.append(1)
        return model(x)

    _, push = linearize(f, normal(3, 2))
    for seed in range(3):
        push(normal(3, 2, seed=seed))
    vmap(push)(normal(5, 3, 2))
    assert len(calls) == 1


def test_nothing_is_evaluated_again_that_depends_on_the_primals_alone() -> None:
    x, t = normal(3, 2), normal(3, 2, seed=1)
    _, push = linearize(model, x)
    push(t)
    with counted() as names:
        push(t)
    assert names, "the count sees nothing"
    assert not {"sin", "cos", "exp", "tanh", "tanh_slope"} & set(names)
    # per linear step one product, one sum; a fresh jvp runs the function and its partials too
    with counted() as fresh:
        jvp(model, (x,), (t,))
    assert len(names) <= len(fresh) / 2


def test_first_push_runs_partials_but_not_the_function() -> None:
    _, push = linearize(tp.exp, normal(3))
    with counted() as names:
        push(normal(3, seed=1))
    assert "exp" not in names


def test_structures_and_several_primals() -> None:
    out, push = linearize(lambda p, q: {"y": p["a"] * q[0]}, {"a": double(2.0)}, [double(3.0)])
    assert out["y"].item() == 6.0
    assert push({"a": double(1.0)}, [double(10.0)])["y"].item() == 23.0


def test_independent_output() -> None:
    _, push = linearize(lambda x: (x, tp.ones(2)), double(3.0))
    dot = push(double(5.0))
    assert (dot[0].item(), dot[1].tolist()) == (5.0, [0.0, 0.0])


def test_push_under_vmap_gives_the_jacobian() -> None:
    x = normal(3)
    _, push = linearize(lambda a: a**2, x)
    close(vmap(push, out_dims=-1)(tp.eye(3, dtype=tp.float64)), np.diag(2 * array(x)))


def test_push_under_grad() -> None:
    x = normal(3)
    _, push = linearize(tp.sin, x)
    close(grad(lambda t: push(t).sum())(normal(3, seed=1)), np.cos(array(x)))


def test_linearize_inside_vmap() -> None:
    x, t = normal(4, 3), normal(4, 3, seed=1)
    close(vmap(lambda a, b: linearize(tp.sin, a)[1](b))(x, t), np.cos(array(x)) * array(t))


def test_linearize_inside_grad_and_jvp() -> None:
    x, t = normal(3), normal(3, seed=1)

    def f(a: tp.Tensor) -> tp.Tensor:
        return linearize(tp.sin, a)[1](t).sum()

    close(grad(f)(x), -np.sin(array(x)) * array(t))
    close(jvp(f, (x,), (t,))[1], -(np.sin(array(x)) * array(t) ** 2).sum())


def test_captured_tensor_that_requires_grad() -> None:
    w = double(3.0).requires_grad_()
    _, push = linearize(lambda x: w * x**2, double(2.0))
    push(double(1.0)).backward()
    assert w.grad.item() == 4.0


def test_tangents_must_match() -> None:
    _, push = linearize(lambda p: p["a"] * 2, {"a": double([1.0, 2.0])})
    with pytest.raises(ValueError, match=r"linearize.*\['a'\].*expected \[2\].*got .*\[3\]"):
        push({"a": double([1.0, 2.0, 3.0])})
    with pytest.raises(ValueError, match="structure"):
        push(double([1.0, 2.0]))
