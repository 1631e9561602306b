"""scan and map are loops over slices whose results are stacked."""

from __future__ import annotations

import collections
import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import tree
from tensorplay.core.primitive import registry
from tensorplay.func import functionalize, grad, hessian, jacfwd, jacrev, jvp, make_graph, vjp, vmap
from tests.func.support import array, check_like, close, double, normal


@dataclasses.dataclass
class State:
    h: Any
    more: Any


def loop(combine: Any, init: Any, xs: Any, dim: int = 0, reverse: bool = False) -> Any:
    """scan in plain Python."""
    leaves, spec = tree.flatten(xs)
    count = leaves[0].shape[dim]
    carry, ys = init, [None] * count
    for i in reversed(range(count)) if reverse else range(count):
        carry, ys[i] = combine(carry, tree.unflatten(spec, [leaf.select(dim, i) for leaf in leaves]))
    return carry, tree.map_leaves(lambda *column: tp.stack(column, dim), *ys)


# ---- values and derivatives ------------------------------------------------------------------------------------------


def cell(state: State, x: Any) -> Any:
    h = (state.h * x["a"] + state.more[0]).tanh()
    return State(h, (state.more[0] * 0.9 + x["b"].sum(), state.more[1] + 1)), {"h": h, "t": (h.sum() * x["b"],)}


def init() -> State:
    return State(normal(3, seed=1), (normal(3, seed=2), tp.tensor(0)))


def total(out: Any) -> tp.Tensor:
    """One number that depends on every leaf of floats."""
    leaves = [leaf for leaf in tree.flatten(out)[0] if leaf.is_floating_point()]
    return tp.stack([(leaf * leaf.cos()).sum() for leaf in leaves]).sum()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_scan_is_a_loop_over_any_trees(dim: int, reverse: bool) -> None:
    b = normal(4, 2, seed=4) if dim == 0 else normal(2, 4, seed=4)

    def both(function: Any) -> Any:
        return lambda a: function(cell, init(), {"a": a, "b": b}, dim=dim, reverse=reverse)

    a = normal(4, 3) if dim == 0 else normal(3, 4)
    got, expected = both(tp.scan)(a), both(loop)(a)
    assert tree.flatten(got)[1] == tree.flatten(expected)[1]
    for one, other in zip(tree.flatten(got)[0], tree.flatten(expected)[0], strict=True):
        close(one, other)
        assert one.dtype is other.dtype
    check_like(lambda a: total(both(tp.scan)(a)), lambda a: total(both(loop)(a)), a)


def test_scan_differentiates_init_and_what_is_captured() -> None:
    xs = normal(4, 3)

    def both(function: Any) -> Any:
        return lambda w: total(function(lambda c, x: (c * w + x, c @ w * x), w.sin(), xs))

    check_like(both(tp.scan), both(loop), normal(3, seed=7))


@pytest.mark.parametrize("in_dims", list(itertools.product((0, None), (0, 1, None), (0, None)))[:-1])
def test_scan_in_maps(in_dims: Any) -> None:
    """Mapped over any of the carry, the slices and what is captured; once and twice; with derivatives inside."""

    def function(c: tp.Tensor, xs: tp.Tensor, w: tp.Tensor) -> Any:
        return tp.scan(lambda c, x: ((c * w + x).sin(), (c.sum(), x * w)), c, xs)

    def plain(c: tp.Tensor, xs: tp.Tensor, w: tp.Tensor) -> Any:
        return loop(lambda c, x: ((c * w + x).sin(), (c.sum(), x * w)), c, xs)

    shapes = [(3,), (4, 3), (3,)]
    args = [
        normal(*s, seed=i) if d is None else tp.stack([normal(*s, seed=i), normal(*s, seed=i + 5)], d)
        for i, (s, d) in enumerate(zip(shapes, in_dims, strict=True))
    ]
    samples = [[arg if d is None else arg.select(d, i) for arg, d in zip(args, in_dims, strict=True)] for i in (0, 1)]
    for transform in (
        lambda f: lambda *a: total(f(*a)),
        lambda f: grad(lambda *a: total(f(*a)), 1),
        lambda f: jacfwd(lambda *a: total(f(*a)), 2),
        lambda f: hessian(lambda *a: total(f(*a)), 1),
    ):
        expected = tp.stack([transform(plain)(*sample) for sample in samples])
        close(vmap(transform(function), in_dims)(*args), expected)
        outer = tuple([0 if d is not None else None for d in in_dims])
        doubled = [arg if d is None else tp.stack([arg, arg]) for arg, d in zip(args, outer, strict=True)]
        close(vmap(vmap(transform(function), in_dims), outer)(*doubled), tp.stack([expected, expected]))
    close(
        grad(lambda w: total(vmap(function, in_dims)(*args[:2], w)))(args[2]),
        grad(lambda w: total([plain(*s[:2], w if in_dims[2] is None else w[i]) for i, s in enumerate(samples)]))(
            args[2]
        ),
    )


trees = st.recursive(
    st.sampled_from([(), (2,), (1, 3)]),
    lambda inner: st.one_of(
        st.tuples(inner, inner), st.dictionaries(st.sampled_from("abc"), inner, min_size=1), inner.map(lambda e: [e])
    ),
    max_leaves=4,
)


def is_shape(node: Any) -> bool:
    return isinstance(node, tuple) and all(isinstance(entry, int) for entry in node)


def filled(shapes: Any, lead: tuple[int, ...], random: np.random.Generator) -> Any:
    if is_shape(shapes):
        return tp.tensor(random.standard_normal((*lead, *shapes)))
    if isinstance(shapes, dict):
        return {key: filled(value, lead, random) for key, value in shapes.items()}
    return shapes.__class__([filled(entry, lead, random) for entry in shapes])


@settings(max_examples=40, deadline=None)
@given(trees, trees, st.integers(1, 4), st.booleans(), st.integers(0, 99))
def test_random_trees(carried: Any, given_: Any, steps: int, reverse: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    start, xs = filled(carried, (), random), filled(given_, (steps,), random)

    def combine(c: Any, x: Any) -> Any:
        number = tp.stack([leaf.sum() for leaf in tree.flatten(x)[0]]).sum()
        carry = tree.map_leaves(lambda leaf: (leaf * number).sin() + 0.5 * leaf, c)
        return carry, (tree.map_leaves(lambda leaf: leaf * tree.flatten(c)[0][0].sum(), x), number)

    def through(function: Any) -> Any:
        return lambda start, xs: total(function(combine, start, xs, reverse=reverse))

    value, pull = vjp(through(tp.scan), start, xs)
    expected, pull_loop = vjp(through(loop), start, xs)
    close(value, expected)
    for one, other in zip(tree.flatten(pull(value))[0], tree.flatten(pull_loop(value))[0], strict=True):
        close(one, other)
    tangents = tree.map_leaves(lambda leaf: leaf.cos(), (start, xs))
    close(jvp(through(tp.scan), (start, xs), tangents)[1], jvp(through(loop), (start, xs), tangents)[1])


def test_steps_without_slices() -> None:
    carry, ys = tp.scan(lambda c, x: (c * 2, c if x is None else x), double(1.0), length=4)
    assert (carry.item(), ys.tolist()) == (16.0, [1.0, 2.0, 4.0, 8.0])
    assert tp.scan(lambda c, _: (c + 1, None), tp.tensor(0), length=3)[1] is None
    close(grad(lambda a: tp.scan(lambda c, _: (c * a, None), double(1.0), length=4)[0])(double(2.0)), 32.0)


def test_no_steps() -> None:
    x, calls = double([1.0, 2.0]), []

    def combine(c: Any, x: Any) -> Any:
        calls.append(x.shape)
        return c * x.sum(), {"a": c, "b": x.long()}

    carry, ys = tp.scan(combine, x, tp.zeros(3, 0), dim=1)
    assert carry.tolist() == [1.0, 2.0]
    assert (ys["a"].shape, ys["b"].shape, ys["b"].dtype) == ((2, 0), (3, 0), tp.int64)
    assert calls == [(3,)]
    carry.zero_()
    assert x.tolist() == [1.0, 2.0]
    assert tp.map(lambda x: (x * 2, x.sum()), tp.zeros(0, 3))[0].shape == (0, 3)
    assert vmap(lambda x: tp.scan(lambda c, x: (c, x), tp.zeros(()), x)[1])(tp.zeros(2, 0, 3)).shape == (2, 0, 3)
    state = tp.get_rng_state()
    tp.map(lambda x: x + tp.randn(3), tp.zeros(0, 3))
    assert tp.equal(tp.get_rng_state(), state)


def test_integers_and_numbers_among_carry_and_results() -> None:
    (count, last), (numbers, flags) = tp.scan(
        lambda c, x: ((c[0] + 1, x), (c[0], x > 1)), (0, tp.tensor(0)), tp.arange(4)
    )
    assert (count, last.item()) == (4, 3)
    assert (numbers.tolist(), flags.tolist()) == ([0, 1, 2, 3], [False, False, True, True])


def test_python_decides_by_the_data() -> None:
    clipped = lambda c, x: (c + x, c) if c.sum() < 2 else (c, -c)  # noqa: E731
    x = double([1.0, 1.5, 3.0])
    assert tp.scan(clipped, double(0.0), x)[1].tolist() == [0.0, 1.0, -2.5]
    assert grad(lambda x: tp.scan(clipped, double(0.0), x)[1].sum())(x).tolist() == [0.0, -1.0, 0.0]


def test_what_a_step_returns_is_kept_though_it_is_written_later() -> None:
    buffer = tp.zeros(2)

    def combine(c: Any, x: Any) -> Any:
        buffer.add_(x)
        return c, buffer

    assert tp.scan(combine, tp.tensor(0.0), tp.tensor([1.0, 2.0]))[1].tolist() == [[1.0, 1.0], [3.0, 3.0]]


def test_results_have_memory_of_their_own() -> None:
    x = tp.ones(2, 2)
    carry, ys = tp.scan(lambda c, x: (x, x), x[0], x)
    carry.zero_()
    ys.zero_()
    assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_functionalize_and_graphs() -> None:
    def combine(c: Any, x: Any) -> Any:
        y = x.clone()
        y[0] = c.sum()
        return c.mul(y), y

    x = normal(4, 3)
    function = lambda x: total(tp.scan(combine, x[0], x))  # noqa: E731
    expected = function(x)
    close(functionalize(function)(x), expected)
    close(grad(functionalize(function))(x), grad(function)(x))
    graph = make_graph(function)(x)
    close(graph(x), expected)
    close(graph(x + 1), function(x + 1))


def elements_made(call: Any) -> int:
    """How many elements the kernels make in a call, views left out."""
    made = 0
    kernels = {prim: prim.impl for prim in registry.values()}

    def counted(kernel: Any) -> Any:
        def impl(*args: Any, **params: Any) -> Any:
            nonlocal made
            out = kernel(*args, **params)
            made += sum(o.size for o in (out if isinstance(out, tuple) else (out,)) if np.ndim(o) and o.base is None)
            return out

        return impl

    for prim, kernel in kernels.items():
        prim.impl = counted(kernel)
    try:
        call()
    finally:
        for prim, kernel in kernels.items():
            prim.impl = kernel
    return made


@pytest.mark.parametrize(
    "transform", [grad, lambda f: lambda x: grad(lambda x: grad(f)(x).sum())(x)], ids=["once", "twice"]
)
def test_the_cost_is_linear_in_the_steps(transform: Any) -> None:
    function = lambda x: (lambda c, ys: (c * ys).sum())(*tp.scan(lambda c, x: ((c * x).sin(), c + x), x[0], x))  # noqa: E731
    few, many = [elements_made(lambda n=n: transform(function)(normal(n, 8))) for n in (20, 80)]
    assert many < 4.5 * few


# ---- map -------------------------------------------------------------------------------------------------------------


def of_one(x: Any, k: Any) -> Any:
    return {"y": (x["a"] * k).sin(), "n": x["b"].sum()}


@pytest.mark.parametrize("batch_size", [None, 1, 2, 5, 9])
def test_map_is_a_loop(batch_size: Any) -> None:
    xs, k = {"a": normal(5, 2), "b": normal(5, 3, seed=1)}, normal(2, seed=2)
    got = tp.map(of_one, xs, k, batch_size=batch_size)
    rows = [of_one({"a": xs["a"][i], "b": xs["b"][i]}, k) for i in range(5)]
    close(got["y"], tp.stack([row["y"] for row in rows]))
    close(got["n"], tp.stack([row["n"] for row in rows]))
    function = lambda a: total(tp.map(of_one, {"a": a, "b": a}, k, batch_size=batch_size))  # noqa: E731
    by_loop = lambda a: total([tp.stack([of_one({"a": r, "b": r}, k)[n] for r in a]) for n in "yn"])  # noqa: E731
    check_like(function, by_loop, xs["a"])
    check_like(
        lambda k: total(tp.map(of_one, xs, k, batch_size=batch_size)),
        lambda k: total(
            [tp.stack([of_one({"a": a, "b": b}, k)[n] for a, b in zip(xs["a"], xs["b"], strict=True)]) for n in "yn"]
        ),
        k,
    )
    close(
        vmap(grad(function))(tp.stack([xs["a"], xs["a"] + 1])), tp.stack([grad(by_loop)(xs["a"] + i) for i in (0, 1)])
    )


def test_map_lets_python_decide_by_a_slice() -> None:
    x = double([[1.0, 2.0], [-3.0, 4.0]])
    function = lambda x: tp.map(lambda r: r.sum() if r[0] > 0 else r.prod(), x)  # noqa: E731
    assert function(x).tolist() == [3.0, -12.0]
    assert jacrev(function)(x).sum(0).tolist() == [[1.0, 1.0], [4.0, -3.0]]
    with pytest.raises(RuntimeError, match="data-dependent"):
        tp.map(lambda r: r.sum() if r[0] > 0 else r.prod(), x, batch_size=2)


def test_map_draws_for_each_slice() -> None:
    for batch_size in (None, 2):
        drawn = array(tp.map(lambda x: x + tp.rand(()), tp.zeros(4), batch_size=batch_size))
        assert len(set(drawn.tolist())) == 4


# ---- errors ----------------------------------------------------------------------------------------------------------

X = double([[3.0, 4.0], [5.0, -6.0]])
Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (TypeError, "combine_fn must be callable", lambda: tp.scan(X, X, X)),
        (
            RuntimeError,
            r"must return a pair \(carry, y\), got a .*float64 tensor",
            lambda: tp.scan(lambda c, x: c, X[0], X),
        ),
        (
            RuntimeError,
            r"carry\['h'\] goes in as .*float64 .* comes out as .*float32",
            lambda: tp.scan(lambda c, x: ({"h": c["h"].float()}, x), {"h": X[0]}, X),
        ),
        (
            RuntimeError,
            r"carry\[0\] goes in as .*\[2\] and comes out as .*\[1, 2\]",
            lambda: tp.scan(lambda c, x: ((c[0][None],), x), (X[0],), X),
        ),
        (
            RuntimeError,
            r"carry.x goes in as a float .*; start from a tensor",
            lambda: tp.scan(lambda c, x: (Pair(c.x + x, c.y), x), Pair(0.0, 1.0), X),
        ),
        (RuntimeError, "the same structure", lambda: tp.scan(lambda c, x: ((c, c), x), X[0], X)),
        (
            RuntimeError,
            "y of all steps must have the same structure",
            lambda: tp.scan(lambda c, x: (c, x if x[1] > 0 else (x,)), X[0], X),
        ),
        (
            RuntimeError,
            r"got .*\[2\] at first and .*\[1\] at y\['k'\] of step 1",
            lambda: tp.scan(lambda c, x: (c, {"k": x if x[1] > 0 else x[:1]}), X[0], X),
        ),
        (
            TypeError,
            r"y must consist of tensors, got a str at y\[1\]",
            lambda: tp.scan(lambda c, x: (c, (x, "no")), X[0], X),
        ),
        (
            RuntimeError,
            "combine_fn writes in place to an argument",
            lambda: tp.scan(lambda c, x: (c.add_(x), x), X[0].clone(), X),
        ),
        (
            RuntimeError,
            "combine_fn writes in place to an argument",
            lambda: tp.scan(lambda c, x: (c, x.zero_()), X[0], X.clone()),
        ),
        (
            RuntimeError,
            "combine_fn writes in place to an argument",
            lambda: grad(lambda x: tp.scan(lambda c, x: (c, x[0].mul_(2)), X[0], x)[1].sum())(X),
        ),
        (
            ValueError,
            r"2 for xs\['a'\], 1 for xs\['b'\]",
            lambda: tp.scan(lambda c, x: (c, x), X[0], {"a": X, "b": X[:1]}),
        ),
        (ValueError, r"2 for xs, length=3", lambda: tp.scan(lambda c, x: (c, x), X[0], X, length=3)),
        (ValueError, r"give the number of steps, length=", lambda: tp.scan(lambda c, x: (c, x), X[0])),
        (ValueError, r"length must be a non-negative int", lambda: tp.scan(lambda c, x: (c, x), X[0], length=-1)),
        (
            RuntimeError,
            r"xs\[1\] must be a tensor with at least one dim, got a float",
            lambda: tp.scan(lambda c, x: (c, x), X[0], (X, 1.0)),
        ),
        (IndexError, "scan.*out of range", lambda: tp.scan(lambda c, x: (c, x), X[0], X, dim=2)),
        (TypeError, "f must be callable", lambda: tp.map(X, X)),
        (ValueError, "batch_size must be a positive int or None, got 0", lambda: tp.map(abs, X, batch_size=0)),
        (
            RuntimeError,
            "result of all steps must have the same shape",
            lambda: tp.map(lambda r: r if r[1] > 0 else r[0], X),
        ),
        (TypeError, "result must consist of tensors, got a str", lambda: tp.map(lambda r: "no", X)),
        (RuntimeError, "f writes in place to an argument", lambda: tp.map(lambda r: r.zero_(), X.clone())),
        (ValueError, r"map\(abs, batch_size=2\): expected one size", lambda: tp.map(abs, (X, X[:1]), batch_size=2)),
    ],
)
def test_errors(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()
