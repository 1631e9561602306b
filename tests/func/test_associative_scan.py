"""associative_scan is a loop that combines each slice with all before it, in few calls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import tree
from tensorplay.func import functionalize, grad, jacfwd, make_graph, vmap
from tests.func.support import check_like, close, double, normal


def loop(combine: Any, xs: Any, dim: int = 0, reverse: bool = False) -> Any:
    """associative_scan in plain Python."""
    leaves, spec = tree.flatten(xs)
    count = leaves[0].shape[dim]
    rows = [tree.unflatten(spec, [leaf.select(dim, i) for leaf in leaves]) for i in range(count)]
    order = range(count - 1, -1, -1) if reverse else range(count)
    sofar, out = None, [None] * count
    for i in order:
        sofar = rows[i] if sofar is None else combine(sofar, rows[i])
        out[i] = sofar
    return tree.map_leaves(lambda *column: tp.stack(column, dim), *out)


def affine(left: Any, right: Any) -> Any:
    """x -> a x + b after another: what a linear recurrence is made of."""
    return {"a": right["a"] * left["a"], "b": right["a"] * left["b"] + right["b"]}


COMBINES = {
    "sum": lambda p, q: p + q,
    "product of matrices": lambda p, q: p @ q,
    "greatest": tp.maximum,
    "logaddexp": tp.logaddexp,
}


@pytest.mark.parametrize("name", COMBINES)
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10), st.integers(-3, 2), st.booleans())
def test_associative_scan_is_a_loop(name: str, count: int, dim: int, reverse: bool) -> None:
    x = tp.movedim(normal(count, 2, 2, seed=count), 0, dim)
    close(tp.associative_scan(COMBINES[name], x, dim, reverse), loop(COMBINES[name], x, dim, reverse))


def total(out: Any) -> tp.Tensor:
    return tp.stack([(leaf * leaf.cos()).sum() for leaf in tree.flatten(out)[0]]).sum()


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_derivatives(count: int, reverse: bool) -> None:
    matrices = lambda scan: lambda x: scan(lambda p, q: p @ q, x, 1, reverse)  # noqa: E731
    check_like(matrices(tp.associative_scan), matrices(loop), normal(2, count, 2))
    b = normal(count, seed=3)
    recurrence = lambda scan: lambda a: total(scan(affine, {"a": a, "b": b}, 0, reverse))  # noqa: E731
    check_like(recurrence(tp.associative_scan), recurrence(loop), normal(count))


@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 1), (1, 0)])
def test_maps(in_dims: Any) -> None:
    function = lambda scan: lambda a, b: scan(affine, {"a": a, "b": b})  # noqa: E731
    args = [
        normal(5, seed=i) if d is None else tp.stack([normal(5, seed=i), normal(5, seed=i + 5)], d)
        for i, d in enumerate(in_dims)
    ]
    samples = [[arg if d is None else arg.select(d, i) for arg, d in zip(args, in_dims, strict=True)] for i in (0, 1)]
    for inner in (
        lambda f: lambda a, b: total(f(a, b)),
        lambda f: grad(lambda a, b: total(f(a, b))),
        lambda f: jacfwd(grad(lambda a, b: total(f(a, b)), 1), 0),
    ):
        expected = tp.stack([inner(function(loop))(*sample) for sample in samples])
        close(vmap(inner(function(tp.associative_scan)), in_dims)(*args), expected)
        close(vmap(inner(function(tp.associative_scan)), in_dims, chunk_size=1)(*args), expected)
        outer = tuple([None if d is None else 0 for d in in_dims])
        doubled = [arg if d is None else tp.stack([arg, arg]) for arg, d in zip(args, outer, strict=True)]
        twice = vmap(vmap(inner(function(tp.associative_scan)), in_dims), outer)(*doubled)
        close(twice, tp.stack([expected, expected]))


def test_what_is_captured_is_differentiated() -> None:
    x = normal(5)
    captured = lambda scan: lambda w: scan(lambda p, q: p * q * w, x)  # noqa: E731
    check_like(captured(tp.associative_scan), captured(loop), double(0.5))


@pytest.mark.parametrize("count", [2, 7, 64, 100])
def test_the_number_of_calls_is_logarithmic(count: int) -> None:
    calls = []
    tp.associative_scan(lambda p, q: (calls.append(1), p + q)[1], normal(count))
    assert len(calls) <= 2 * math.ceil(math.log2(count))


def test_edges() -> None:
    assert tp.associative_scan(tp.add, tp.zeros(0, 2)).shape == (0, 2)
    x = tp.arange(5, dtype=tp.int32)
    out = tp.associative_scan(lambda p, q: p + q, x, combine_mode="pointwise")
    assert (out.dtype, out.tolist()) == (tp.int32, [0, 1, 3, 6, 10])
    one = tp.ones(1)
    tp.associative_scan(tp.add, one).zero_()
    assert one.item() == 1.0
    flags = tp.tensor([False, True, False])
    assert tp.associative_scan(tp.logical_or, flags, reverse=True).tolist() == [True, True, False]
    wide = tp.associative_scan(lambda p, q: p * q, double([1.0, np.inf, 0.0, 2.0]))
    assert wide[1] == np.inf
    assert np.isnan(wide[2:].numpy()).all()


def test_functionalize_and_graphs() -> None:
    def combine(p: Any, q: Any) -> Any:
        r = p.clone()
        r.mul_(q)
        return r

    x, y = normal(6), normal(6, seed=1)
    function = lambda x: tp.associative_scan(combine, x)  # noqa: E731
    close(functionalize(function)(x), np.cumprod(x.numpy()))
    close(make_graph(function)(x)(y), np.cumprod(y.numpy()))


X = double([[3.0, 4.0], [5.0, -6.0]])


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (TypeError, "combine_fn must be callable", lambda: tp.associative_scan(X, X)),
        (ValueError, "combine_mode must be", lambda: tp.associative_scan(tp.add, X, combine_mode="tree")),
        (ValueError, r"2 for xs\[0\], 1 for xs\[1\]", lambda: tp.associative_scan(lambda p, q: p, (X, X[:1]))),
        (RuntimeError, "same structure", lambda: tp.associative_scan(lambda p, q: (p, q), X)),
        (RuntimeError, r"takes .*float64 .* returns .*float32", lambda: tp.associative_scan(lambda p, q: p.float(), X)),
        (
            RuntimeError,
            r"shape \[2\] and returns .* shape \[\] at output\['a'\]",
            lambda: tp.associative_scan(lambda p, q: {"a": q["a"].sum()}, {"a": X}),
        ),
        (RuntimeError, "data-dependent", lambda: tp.associative_scan(lambda p, q: p if p.sum() > 0 else q, X)),
        (RuntimeError, "writes in place", lambda: tp.associative_scan(lambda p, q: p.add_(q), X.clone())),
        (RuntimeError, "at least one dim", lambda: tp.associative_scan(tp.add, X[0, 0])),
        (ValueError, "without tensors", lambda: tp.associative_scan(tp.add, ())),
        (IndexError, "out of range", lambda: tp.associative_scan(tp.add, X, 2)),
    ],
)
def test_errors(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()
