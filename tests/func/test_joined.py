"""A pull that is one primitive to outer levels gives what its primitives give one by one, under every transform."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive, registry
from tensorplay.core.value import ground
from tensorplay.func import grad, jacfwd, jvp, make_graph, vjp, vmap
from tensorplay.interpreters import programs
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.interpreters.forward import Dual, Forward
from tensorplay.interpreters.joined import Joined, form, joined
from tensorplay.interpreters.record import Record
from tensorplay.ops.elementwise import exp, sin
from tensorplay.ops.families import add, mul, scale, sum_dims
from tests.func.support import array

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def written() -> Iterator[dict[Any, Any]]:
    """Programs are written at once; those of other tests are put aside."""
    with patch.object(programs, "SIGHTINGS", 1), patch.dict(programs._programs, clear=True):
        yield programs._programs


def one_by_one(call: Callable[[], Any]) -> Any:
    """What comes out where no program is written."""
    with patch.object(programs, "SIGHTINGS", 1 << 30), patch.dict(programs._programs, clear=True):
        return call()


# ---- all nests of three transforms -----------------------------------------------------------------------------------

Function = Callable[[tp.Tensor], tp.Tensor]
X = tp.tensor([0.3, -0.7, 1.2], dtype=tp.float64)
V = tp.tensor([1.0, 0.5, -2.0], dtype=tp.float64)


def gradient(f: Function) -> Function:
    return lambda x: grad(lambda y: f(y).sum())(x)


def tangent(f: Function) -> Function:
    return lambda x: jvp(f, (x,), (V.sin(),))[1]


def samples(f: Function) -> Function:
    return lambda x: vmap(f)(tp.stack([x, x * 0.5])).sum(0)


def shared(f: Function) -> Function:
    return lambda x: vmap(lambda a: f(x) * a)(x).sum(0)


def function(x: tp.Tensor) -> tp.Tensor:
    matrix = x[:, None] * x.cos()
    parts = (matrix @ (x * 2.0)).chunk(3)
    return (parts[0] * parts[2]).tanh() * x.exp() + (x**3).softmax(0) / (x @ x + 1)


@pytest.mark.parametrize("nest", [*itertools.product([gradient, tangent, samples, shared], repeat=3)])
def test_nests(nest: tuple[Callable[[Function], Function], ...]) -> None:
    f: Function = function
    for transform in nest:
        f = transform(f)
    expected = one_by_one(lambda: array(f(X)))
    for _ in range(3):
        np.testing.assert_allclose(array(f(X)), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(array(f(X * 0.5)), one_by_one(lambda: array(f(X * 0.5))), rtol=1e-9, atol=1e-12)


def double_exponential(x: tp.Tensor) -> tp.Tensor:
    return (x + x).exp()


def test_high_orders() -> None:
    """Derivatives of exp(2x) of orders up to six."""
    f: Function = double_exponential
    for order in range(1, 7):
        f = grad(f)
        for _ in range(2):
            np.testing.assert_allclose(array(f(X[0])), 2**order * np.exp(0.6), rtol=1e-12)


@pytest.mark.parametrize("dtype", [tp.float32, tp.float64, tp.complex128])
def test_trees_and_dtypes(dtype: tp.dtype) -> None:
    rng = np.random.default_rng(0)
    params = {"w": tp.tensor(rng.standard_normal((3, 2))).to(dtype), "b": tp.tensor(rng.standard_normal(2)).to(dtype)}
    xs = tp.tensor(rng.standard_normal((4, 3))).to(dtype)

    def loss(params: Any, x: tp.Tensor) -> tp.Tensor:
        return ((x @ params["w"] + params["b"]).sin().abs() ** 2).sum()

    def after_a_step(params: Any, x: tp.Tensor) -> tp.Tensor:
        steps = grad(loss)(params, x)
        return loss({name: params[name] - 0.1 * steps[name] for name in params}, x)

    def total(params: Any) -> Any:
        return grad(lambda p: vmap(after_a_step, (None, 0))(p, xs).sum())(params)

    expected = one_by_one(lambda: total(params))
    for _ in range(3):
        got = total(params)
        for name, value in expected.items():
            assert got[name].dtype is value.dtype
            np.testing.assert_allclose(array(got[name]), array(value), rtol=1e-4 if dtype is tp.float32 else 1e-10)


def test_one_node_for_each_pull(written: dict[Any, Any]) -> None:
    """What an outer level records of an inner pull is one op."""
    seen: list[str] = []
    record = Record._recorded

    def noting(self: Record, prim: Primitive, *rest: Any) -> Any:
        seen.append(prim.name)
        return record(self, prim, *rest)

    second = grad(grad(lambda x: (x.sin() * x).exp()))
    second(X[0])
    with patch.object(Record, "_recorded", noting):
        second(X[0])
    assert sorted(seen) == sorted([*["sin", "mul", "exp"] * 2, "joined"])


def test_graphs_and_ordinary_autograd_see_primitives() -> None:
    f = grad(lambda x: (x.sin() * x).sum())
    x = X.clone().requires_grad_()
    for _ in range(2):
        f(X)
        graph = make_graph(f)(X)
        assert "joined(" not in str(graph)
        assert "program:" not in str(graph)
        np.testing.assert_allclose(array(graph(X)), array(f(X)))
        (got,) = tp.autograd.grad(f(x).sum(), x)
        np.testing.assert_allclose(array(got), array(2 * X.cos() - X * X.sin()), rtol=1e-12)


def test_zero_wins_over_infinity() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return tp.where(x > 0, x.sqrt(), x * x).sum()

    x = tp.tensor([0.0, 4.0], dtype=tp.float64)
    for _ in range(3):
        np.testing.assert_allclose(array(grad(lambda x: grad(f)(x).sum())(x)), [2.0, -1 / 32])
        np.testing.assert_allclose(array(jvp(grad(f), (x,), (tp.ones_like(x),))[1]), [2.0, -1 / 32])


def test_a_paused_level_records_nothing() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        with tp.no_grad():
            slope = grad(lambda y: (y.sin() * y).sum())(x)
        return (slope * x).sum()

    for _ in range(3):
        np.testing.assert_allclose(array(grad(f)(X)), array(X.sin() + X * X.cos()), rtol=1e-12)


# ---- the primitive itself --------------------------------------------------------------------------------------------

A, B = np.array([0.5, -1.0]), np.array([2.0, 0.25])


def row(x: Any, y: Any) -> list[Any]:
    """Two results, and one that is not there."""
    return [mul(sin(x), y), None, sum_dims(mul(x, exp(y)), dims=(0,))]


def made() -> Any:
    return joined(row, [form(A), form(B)])


def test_values() -> None:
    first, missing, total = made()(A, B)
    np.testing.assert_allclose(first, np.sin(A) * B)
    assert missing is None
    np.testing.assert_allclose(total, (A * np.exp(B)).sum())


def test_pushes_and_pulls() -> None:
    level = Forward("push")
    first, _, total = made()(Dual(level, A, B), B)
    np.testing.assert_allclose(first.inner, np.sin(A) * B)
    np.testing.assert_allclose(first.tangent, np.cos(A) * B * B)
    np.testing.assert_allclose(total.tangent, (B * np.exp(B)).sum())
    record = Record("pull")
    leaf = record.leaf(A)
    first, _, total = made()(leaf, B)
    assert first.node is total.node
    linear_map: LinearMap = first.node.linear_map("reverse")
    got, nothing = linear_map.pull_wanted((B, None), first.node.parents)
    np.testing.assert_allclose(got, np.cos(A) * B * B)
    assert nothing is None
    pushed = linear_map.push(B, None)
    np.testing.assert_allclose(pushed[0], np.cos(A) * B * B)


def test_samples() -> None:
    level = Batch("samples", 3)
    many = np.linspace(0, 1, 6).reshape(3, 2)
    first, _, total = made()(A, Batched(level, many))
    np.testing.assert_allclose(first.inner, np.sin(A) * many)
    np.testing.assert_allclose(total.inner, (A * np.exp(many)).sum(1))
    only, _, same = joined(lambda x, y: [x, None, y], [form(A), form(B)])(Batched(level, many), B)
    np.testing.assert_allclose(only.inner, many)
    np.testing.assert_allclose(same.inner, np.tile(B, (3, 1)))


def test_lines_are_written_once_and_only_if_read() -> None:
    calls: list[str] = []

    def repeated(x: Any) -> list[Any]:
        exp(x)
        return [add(sin(x), sin(x))]

    with patch.object(Joined, "__init__", lambda self, run, forms: calls.extend(run.__code__.co_names)):
        joined(repeated, [form(A)])
    assert len([name for name in calls if name.startswith("k")]) == 2


def test_a_derivative_that_depends_on_values_is_taken_primitive_by_primitive() -> None:
    prim = Primitive("test_by_sign", np.abs, "elementwise")

    @prim.derivative
    def derivative(_out: Any, x: Any) -> LinearMap:
        sign = np.sign(ground(x))
        return LinearMap(lambda dot: mul(dot, sign), lambda ct: (mul(ct, sign),))

    @prim.batch
    def batch(size: int, args: Any, mapped: Any) -> tuple[Any, bool]:
        assert np.isfinite(ground(args[0])).all()
        return prim(args[0]), True

    try:
        function = joined(lambda x: [scale(prim(x), x)], [form(A)])
        level = Forward("push")
        (got,) = function(Dual(level, A, B))
        np.testing.assert_allclose(got.tangent, 2 * np.abs(A) * B)
        record = Record("pull")
        leaf = record.leaf(A)
        (got,) = function(leaf)
        np.testing.assert_allclose(got.node.linear_map("reverse").pull_wanted(B, (0,))[0], 2 * np.abs(A) * B)
        (got,) = function(Batched(Batch("samples", 2), np.stack([A, B])))
        np.testing.assert_allclose(got.inner, np.stack([A * np.abs(A), B * np.abs(B)]))
    finally:
        del registry["test_by_sign"]


def test_hessians_of_several_outputs() -> None:
    """An op with several results is pulled by a program too."""

    def f(x: tp.Tensor) -> tp.Tensor:
        one, two = (x * x).chunk(2)
        three, _, four = (one * two.exp()).repeat(3).split([1, 1, 1])
        return (three * four).sum() + one.sum()

    x = tp.tensor([0.4, -0.3], dtype=tp.float64)
    out, pull = vjp(grad(f), x)
    expected = np.stack([array(pull(row)[0]) for row in tp.eye(2, dtype=tp.float64)])
    for _ in range(3):
        np.testing.assert_allclose(array(jacfwd(grad(f))(x)), expected, rtol=1e-10)
        got = [array(grad(lambda x, i=i: grad(f)(x)[i])(x)) for i in range(2)]
        np.testing.assert_allclose(np.stack(got), expected, rtol=1e-10)
        np.testing.assert_allclose(array(grad(f)(x)), array(out), rtol=1e-12)
