"""autograd.Function under maps: nested, with inputs that some maps do not know, and with random numbers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, grad_and_value, jacrev, jvp, linearize, vjp, vmap
from tests.func.support import array, close, normal


class Product(tp.autograd.Function):
    """Elementwise; its derivatives are wrong by a factor of 3, to tell them from those of the ops in forward."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: tp.Tensor, b: tp.Tensor) -> tp.Tensor:
        return a * b

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, ct: tp.Tensor) -> Any:
        a, b = ctx.saved_tensors
        return 3 * ct * b, 3 * ct * a

    @staticmethod
    def jvp(ctx: Any, a_dot: tp.Tensor, b_dot: tp.Tensor) -> tp.Tensor:
        a, b = ctx.saved_tensors
        return 3 * (a_dot * b + a * b_dot)


class Drop(tp.autograd.Function):
    """Random signs."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: tp.Tensor) -> tp.Tensor:
        return x * (1 - 2 * tp.bernoulli(tp.full((32,), 0.5)))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(output / inputs[0])

    @staticmethod
    def backward(ctx: Any, ct: tp.Tensor) -> Any:
        return ct * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx: Any, x_dot: tp.Tensor) -> tp.Tensor:
        return x_dot * ctx.saved_tensors[0]


class DropAtOnce(tp.autograd.Function):
    """The same, with one method for forward and context."""

    generate_vmap_rule = True

    @staticmethod
    def forward(ctx: Any, x: tp.Tensor) -> tp.Tensor:
        signs = 1 - 2 * tp.bernoulli(tp.full((32,), 0.5))
        ctx.save_for_backward(signs)
        return x * signs

    backward = Drop.backward
    jvp = Drop.jvp


class DropByRule(Drop):
    """The same, with a batching rule of its own."""

    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: tp.Tensor) -> Any:
        assert in_dims == (0,)
        size = (info.batch_size,) if info.randomness == "different" else ()
        return x * (1 - 2 * tp.bernoulli(tp.full((*size, 32), 0.5))), 0


DROPS = pytest.mark.parametrize("function", [Drop, DropAtOnce])
MODES = pytest.mark.parametrize("mode", ["different", "same"])


def distinct(rows: Any) -> int:
    return len(np.unique(array(rows).reshape(-1, 32), axis=0))


@pytest.mark.parametrize(
    ("inner", "outer", "a", "b", "subscripts"),
    [
        ((0, None), (0, 0), (3, 4, 5), (3, 5), "ijk,ik->ijk"),
        ((0, 0), (0, None), (3, 4, 5), (4, 5), "ijk,jk->ijk"),
        ((None, 0), (0, None), (3, 5), (4, 5), "ik,jk->ijk"),
        ((0, None), (None, 0), (4, 5), (3, 5), "jk,ik->ijk"),
        ((0, 0), (0, 0), (3, 4, 5), (3, 4, 5), "ijk,ijk->ijk"),
    ],
)
def test_nested_maps_over_different_inputs(inner: Any, outer: Any, a: Any, b: Any, subscripts: str) -> None:
    x, y = normal(*a), normal(*b, seed=1)
    close(vmap(vmap(Product.apply, inner), outer)(x, y), np.einsum(subscripts, array(x), array(y)))
    slope = vmap(vmap(grad(lambda p, q: Product.apply(p, q).sum()), inner), outer)(x, y)
    other = subscripts.partition(",")[2].partition("->")[0]
    close(slope, np.broadcast_to(3 * np.einsum(f"{other},ijk->ijk", array(y), np.ones((3, 4, 5))), (3, 4, 5)))
    of_map = grad(lambda p: vmap(vmap(Product.apply, inner), outer)(p, y).sum())(x)
    first = subscripts.partition(",")[0]
    close(of_map, 3 * np.einsum(f"{other},ijk->{first}", array(y), np.ones((3, 4, 5))))


@DROPS
def test_draws_in_forward_follow_the_map(function: Any) -> None:
    x, y = tp.ones(5, 32), tp.ones(3, 32)
    for chunk_size in (None, 2):
        assert distinct(vmap(function.apply, randomness="different", chunk_size=chunk_size)(x)) == 5
        assert distinct(vmap(function.apply, randomness="same", chunk_size=chunk_size)(x)) == 1
    with pytest.raises(RuntimeError, match="'error' forbids"):
        vmap(function.apply)(x)
    # of what the map does not know
    unmapped: Callable[..., Any] = lambda _: function.apply(y[0])  # noqa: E731
    assert distinct(vmap(unmapped, randomness="different")(x)) == 5
    assert distinct(vmap(unmapped, randomness="same")(x)) == 1
    for inner, outer, count in (
        ("different", "different", 15),
        ("different", "same", 3),
        ("same", "different", 5),
        ("same", "same", 1),
    ):
        pairs = vmap(
            lambda a, inner=inner: vmap(lambda b: function.apply(a) + 0 * b, randomness=inner)(y), randomness=outer
        )
        assert distinct(pairs(x)) == count
    plain = vmap(lambda _: function.apply(y[0]).sum() * 0 + 1, out_dims=None, randomness="same")(x)
    assert float(plain) == 1


def test_a_function_without_draws_stays_unmapped() -> None:
    x, y = normal(3), normal(3, seed=1)
    out = vmap(lambda _: Product.apply(x, y), out_dims=None, randomness="different")(tp.ones(4))
    close(out, array(x) * array(y))


@MODES
def test_draws_in_a_batching_rule(mode: str) -> None:
    x = tp.ones(5, 32)
    expected = 5 if mode == "different" else 1
    assert distinct(vmap(DropByRule.apply, randomness=mode)(x)) == expected
    # the rule decides, as the map's mode is for what it maps
    assert (
        distinct(vmap(lambda v: vmap(DropByRule.apply, randomness=mode)(v), randomness="same")(tp.ones(2, 5, 32)))
        == expected
    )


@pytest.mark.parametrize("function", [Drop, DropAtOnce, DropByRule])
@MODES
def test_derivatives_are_those_of_what_forward_drew(function: Any, mode: str) -> None:
    x = 1 + normal(5, 32) ** 2
    signs = np.sign(array(x))

    def total(v: tp.Tensor) -> tp.Tensor:
        return function.apply(v).sum()

    slope, value = grad_and_value(total)(x[0])
    close((slope * x[0]).sum(), value)
    leaf = x[0].clone().requires_grad_()
    out = function.apply(leaf)
    out.sum().backward()
    close(leaf.grad * leaf, out)
    for got in (
        jvp(function.apply, (x[0],), (x[0],)),
        [f(x[0]) if callable(f) else f for f in linearize(function.apply, x[0])],
    ):
        close(got[1], got[0])
    if function is DropByRule:
        return
    slopes, values = vmap(grad_and_value(total), randomness=mode)(x)
    close((slopes * x).sum(1), values)
    assert distinct(slopes) == (5 if mode == "different" else 1)
    out, pull = vjp(vmap(function.apply, randomness=mode), x)
    close(pull(tp.ones_like(x))[0] * x, out)
    assert np.array_equal(np.abs(array(out)), array(x) * np.abs(signs))
    rows = jacrev(lambda v: (vmap(function.apply, randomness=mode)(v),) * 2)(x[:2])
    close(rows[0], rows[1])


def test_a_graph_with_draws_is_pulled_in_many_threads() -> None:
    x = 1 + normal(32) ** 2
    out, pull = vjp(DropAtOnce.apply, x)
    with ThreadPoolExecutor(8) as pool:
        for (slope,) in pool.map(lambda _: pull(tp.ones_like(x)), range(40)):
            close(slope * x, out)


def test_tensors_that_are_no_inputs() -> None:
    w = tp.tensor([1.0, 2.0], requires_grad=True)

    class Captures(tp.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: tp.Tensor) -> tp.Tensor:
            return x * captured

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def backward(ctx: Any, ct: tp.Tensor) -> Any:
            return 5 * ct

    captured = w  # counts as a constant, as nothing is recorded in forward
    out = Captures.apply(tp.ones(2))
    assert out.tolist() == [1, 2]
    assert not out.requires_grad
    x = tp.ones(2, requires_grad=True)
    Captures.apply(x).sum().backward()
    assert x.grad.tolist() == [5, 5]
    assert w.grad is None

    def capturing(v: tp.Tensor) -> tp.Tensor:
        nonlocal captured
        captured = v
        return Captures.apply(tp.ones(2)).sum()

    for transform, name in ((grad, "grad"), (vmap, "vmap")):
        with pytest.raises(
            RuntimeError, match=rf"Captures\.forward: .* {name}\(capturing\) traces .* no input of forward"
        ):
            transform(capturing)(tp.ones(2) if transform is grad else tp.ones(3, 2))


def test_a_function_of_no_tensors() -> None:
    class Noise(tp.autograd.Function):
        @staticmethod
        def forward(n: int) -> tp.Tensor:
            return tp.rand(n)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

    assert distinct(vmap(lambda _: Noise.apply(32), randomness="different")(tp.ones(4))) == 4
    assert Noise.apply(3).shape == (3,)
