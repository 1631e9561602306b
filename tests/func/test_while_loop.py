"""while_loop is ``while``, for each sample where the condition is mapped, and has derivatives in forward mode."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay.func import functionalize, grad, hessian, jacfwd, jacrev, jvp, linearize, make_graph, vjp, vmap
from tests.func.support import check_like, close, double, normal

STEPS = [
    lambda x, a: x * a + x.sin(),
    lambda x, a: (x * x + 1).sqrt() - a,
    lambda x, a: x.sin().roll(1) * a + 0.5,
    lambda x, a: (x / (1 + x.abs())) @ tp.ones(3, 3, dtype=tp.float64) - a * x,
]


def by_while_loop(step: Any) -> Any:
    def function(x: tp.Tensor, a: tp.Tensor, n: tp.Tensor) -> Any:
        more = lambda i, x: (i < n) & (x.sum() < 5)  # noqa: E731
        return tp.while_loop(more, lambda i, x: (i + 1, step(x, a)), (tp.tensor(0), x))[1]

    return function


def by_while(step: Any) -> Any:
    def function(x: tp.Tensor, a: tp.Tensor, n: tp.Tensor) -> Any:
        i = 0
        while i < int(n) and bool(x.sum() < 5):
            i, x = i + 1, step(x, a)
        return x

    return function


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_while_loop_is_while(step: Any, count: int) -> None:
    n, a = tp.tensor(count), double(0.7)
    function, loop = by_while_loop(step), by_while(step)
    check_like(lambda x: function(x, a, n), lambda x: loop(x, a, n), normal(3), reverse=False)
    check_like(lambda a: function(normal(3), a, n), lambda a: loop(normal(3), a, n), a, reverse=False)


TRANSFORMS: list[Any] = [
    lambda f: f,
    lambda f: lambda x, a, n: jvp(lambda x, a: f(x, a, n), (x, a), (x.cos(), a * 2))[1],
    lambda f: lambda x, a, n: jacfwd(f, (0, 1))(x, a, n)[1],
    lambda f: lambda x, a, n: jacfwd(jacfwd(f))(x, a, n),
    lambda f: lambda x, a, n: linearize(lambda x: f(x, a, n), x)[1](x),
]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=["value", "jvp", "jacfwd", "jacfwd jacfwd", "linearize"])
@pytest.mark.parametrize("in_dims", [(0, 0, 0), (0, None, None), (None, 0, None), (None, None, 0), (1, None, 0)])
def test_samples_take_steps_of_their_own(transform: Any, in_dims: Any) -> None:
    """Mapped over any of what it is given, and twice; the transform inside, and around."""
    x, a, n = normal(4, 3), double([0.3, 0.9, 1.4, -0.5]), tp.tensor([0, 4, 2, 7])
    full = (x if in_dims[0] == 0 else x.T, a, n)
    args = [arg if d is not None else arg[1] for arg, d in zip(full, in_dims, strict=True)]
    if in_dims[0] is None:
        args[0] = x[1]
    for step in STEPS[::2]:
        function, loop = by_while_loop(step), by_while(step)
        picked = [
            [arg if d is None else arg.select(d, i) for arg, d in zip(args, in_dims, strict=True)] for i in range(4)
        ]
        expected = tp.stack([transform(loop)(*sample) for sample in picked])
        close(vmap(transform(function), in_dims)(*args), expected)
        twice = vmap(vmap(transform(function), in_dims), (None, 0, None))(args[0], tp.stack([args[1]] * 2), args[2])
        close(twice, tp.stack([expected, expected]))


def test_a_derivative_of_a_map() -> None:
    x, n = normal(4, 3), tp.tensor([0, 4, 2, 7])
    function, loop = by_while_loop(STEPS[0]), by_while(STEPS[0])
    mapped = lambda x: vmap(function, (0, None, 0))(x, double(0.7), n)  # noqa: E731
    looped = lambda x: tp.stack([loop(row, double(0.7), count) for row, count in zip(x, n, strict=True)])  # noqa: E731
    check_like(mapped, looped, x, reverse=False)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(0, 3), st.integers(1, 3))
def test_any_counts(counts: list[int], which: int, chunk: int) -> None:
    x, a = normal(len(counts), 3), double(0.8)
    function, loop = by_while_loop(STEPS[which]), by_while(STEPS[which])
    got = vmap(function, (0, None, 0), chunk_size=chunk)(x, a, tp.tensor(counts))
    close(got, tp.stack([loop(row, a, tp.tensor(n)) for row, n in zip(x, counts, strict=True)]))


def test_newton_per_sample() -> None:
    def root(a: tp.Tensor) -> Any:
        return tp.while_loop(lambda x: (x * x - a).abs() > 1e-12, lambda x: (x + a / x) / 2, tp.ones_like(a))

    a = double([0.5, 2.0, 9.0, 1e4])
    close(vmap(root)(a), np.sqrt(a.numpy()))
    close(vmap(jacfwd(root))(a), 0.5 / np.sqrt(a.numpy()), rtol=1e-6)


# ---- samples that are done -------------------------------------------------------------------------------------------


def test_what_the_body_makes_of_samples_that_are_done_counts_for_nothing() -> None:
    """At what is carried when a sample is done, the body gives infinity and NaN, and so do its derivatives."""

    def body(x: tp.Tensor) -> Any:
        bad = tp.outer(x.log(), x.log())  # a matrix of NaN where x is negative, infinite at zero
        return (x - 1) + 0 * (bad @ bad @ x.sqrt()) + 0 * x.sqrt()

    def by_python(x: tp.Tensor) -> Any:
        while bool(x.min() > 0.5):
            x = body(x)
        return x

    function = lambda x: tp.while_loop(lambda x: x.min() > 0.5, body, x)  # noqa: E731
    x = double([[0.0, 1.0], [1.0, 2.0], [3.2, 4.0], [-1.0, -2.0]])
    for transform in (lambda f: f, jacfwd, lambda f: jacfwd(jacfwd(f))):
        expected = tp.stack([transform(by_python)(row) for row in x])
        got = vmap(transform(function))(x)
        assert np.isfinite(got.numpy()).all()
        close(got, expected)
        assert np.isfinite(transform(vmap(function))(x).numpy()).all()


def test_a_carry_that_becomes_mapped() -> None:
    def total(x: tp.Tensor) -> Any:
        return tp.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x), (0, tp.zeros((), dtype=tp.float64)))

    counts, sums = vmap(total, out_dims=(None, 0))(double([1.0, 2.0]))
    assert counts == 3
    assert sums.tolist() == [3.0, 6.0]


def test_what_is_carried_unchanged_stays_unmapped() -> None:
    seen = []

    def body(x: tp.Tensor, w: tp.Tensor) -> Any:
        seen.append(tp.func.debug_unwrap(w, recurse=False).shape)
        return x / 2, w

    _, w = vmap(lambda x: tp.while_loop(lambda x, w: x > 1, body, (x, tp.ones(5))), out_dims=(0, None))(
        double([1.0, 8.0])
    )
    assert w.shape == (5,)
    assert len(seen) == 3


def test_python_numbers_become_tensors_where_samples_differ() -> None:
    count = lambda x: tp.while_loop(lambda x, i: x > 1, lambda x, i: (x / 2, i + 1), (x, 0))[1]  # noqa: E731
    assert vmap(count)(double([1.0, 5.0, 8.0])).tolist() == [0, 3, 3]
    assert count(double(5.0)) == 3


def test_no_samples() -> None:
    out = vmap(lambda x: tp.while_loop(lambda x: x.sum() > 1, lambda x: x / 2, x))(tp.zeros(0, 3))
    assert out.shape == (0, 3)


# ---- containers ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class State:
    position: Any
    log: Any


@pytest.mark.parametrize("mapped", [False, True])
def test_a_carry_that_is_one_argument(mapped: bool) -> None:
    def fall(height: tp.Tensor) -> Any:
        start = State(height, {"steps": tp.tensor(0), "note": "kept", "none": None})
        return tp.while_loop(
            lambda s: s.position > 0,
            lambda s: State(s.position - 2, {**s.log, "steps": s.log["steps"] + 1}),
            start,
        )

    if mapped:
        steps = vmap(lambda h: fall(h).log["steps"])(double([-1.0, 3.0, 4.0]))
        assert steps.tolist() == [0, 2, 2]
    else:
        state = fall(double(3.0))
        assert (state.position.item(), state.log["steps"].item()) == (-1.0, 2)
        assert (state.log["note"], state.log["none"]) == ("kept", None)


def test_the_result_has_memory_of_its_own() -> None:
    x, n = tp.ones(2), tp.tensor([1])
    y, m = tp.while_loop(lambda x, n: False, lambda x, n: (x, n), (x, n))
    y.zero_()
    m.zero_()
    assert (x.tolist(), n.tolist()) == ([1.0, 1.0], [1])


# ---- reverse mode ----------------------------------------------------------------------------------------------------


def halved(x: tp.Tensor) -> Any:
    return tp.while_loop(lambda x: x.sum() > 1, lambda x: x / (1 + x), x).sum()


def backward(x: tp.Tensor) -> None:
    halved(x.clone().requires_grad_()).backward()


REVERSE: list[Any] = [
    grad(halved),
    jacrev(halved),
    hessian(halved),
    jacrev(jacfwd(halved)),
    backward,
    lambda x: vjp(halved, x)[1](double(1.0)),
    lambda x: vmap(grad(halved))(x[None]),
    lambda x: grad(lambda x: vmap(halved)(x[None]).sum())(x),
    lambda x: grad(lambda x: jvp(halved, (x,), (x,))[1])(x),
    lambda x: grad(lambda a: tp.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * a.sum()), (0, double(1)))[1])(
        x
    ),
    grad(lambda x: tp.while_loop(lambda x: False, lambda x: x, x).sum()),
]


@pytest.mark.parametrize("transform", REVERSE)
def test_reverse_mode_is_refused(transform: Any) -> None:
    with pytest.raises(RuntimeError, match=r"while_loop\(\): reverse mode .* tp.scan or tp.fori_loop .* forward mode"):
        transform(double([3.0, 4.0]))


def test_what_is_not_differentiated_may_loop() -> None:
    x = double([3.0, 4.0])
    constant = lambda x: (x * tp.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (0, double(1)))[1]).sum()  # noqa: E731
    assert grad(constant)(x).tolist() == [8.0, 8.0]
    stopped = lambda x: (x * halved(x.detach())).sum()  # noqa: E731
    close(grad(stopped)(x), double([halved(x).item()] * 2))
    with tp.no_grad():
        assert not halved(x.clone().requires_grad_()).requires_grad
    unused = lambda x: (halved(x), x.sum())[1]  # noqa: E731
    assert grad(unused)(x).tolist() == [1.0, 1.0]
    inside = lambda x: tp.while_loop(lambda x: x > 1, lambda x: x - grad(lambda y: y * y / 4)(x), x)  # noqa: E731
    close(jacfwd(inside)(double(5.0)), 0.125)


# ---- fori_loop -------------------------------------------------------------------------------------------------------


def test_fori_loop_is_for() -> None:
    def step(i: Any, x: tp.Tensor) -> Any:
        return x.sin() * (i + 1) + x

    def loop(x: tp.Tensor) -> Any:
        for i in range(2, 5):
            x = step(i, x)
        return x

    check_like(lambda x: tp.fori_loop(2, 5, step, x), loop, normal(3))
    check_like(lambda x: tp.fori_loop(tp.tensor(2), tp.tensor([5]), step, x), loop, normal(3))
    close(
        vmap(grad(lambda x: tp.fori_loop(2, 5, step, x).sum()))(normal(4, 3)),
        vmap(grad(lambda x: loop(x).sum()))(normal(4, 3)),
    )
    assert tp.fori_loop(5, 2, step, double(1.0)).item() == 1.0


def test_fori_loop_with_bounds_of_each_sample() -> None:
    power = lambda n, x: tp.fori_loop(0, n, lambda i, y: y * x, tp.ones_like(x))  # noqa: E731
    n, x = tp.tensor([0, 1, 3]), double([2.0, 3.0, 4.0])
    assert vmap(power)(n, x).tolist() == [1.0, 3.0, 64.0]
    assert vmap(jacfwd(power, 1))(n, x).tolist() == [0.0, 1.0, 48.0]
    from_two = lambda lower: tp.fori_loop(lower, 5, lambda i, s: s + i, tp.tensor(0))  # noqa: E731
    assert vmap(from_two)(tp.tensor([2, 5, 4])).tolist() == [9, 0, 4]
    with pytest.raises(RuntimeError, match=r"fori_loop\(\): reverse mode"):
        vmap(grad(power, 1))(n, x)


# ---- in place, graphs, errors ----------------------------------------------------------------------------------------


def test_writes_to_what_the_body_makes() -> None:
    def body(x: tp.Tensor) -> Any:
        y = x.clone()
        y[0] -= 1
        y.mul_(0.5)
        return y

    function = lambda x: tp.while_loop(lambda x: x.sum() > 1, body, x)  # noqa: E731
    x = double([[5.0, 1.0], [0.0, 0.0], [9.0, 9.0]])
    expected = tp.stack([function(row) for row in x])
    close(vmap(function)(x), expected)
    close(functionalize(vmap(function))(x), expected)
    close(vmap(functionalize(function))(x), expected)


def test_a_graph_has_the_steps_that_were_taken() -> None:
    graph = make_graph(lambda x: tp.while_loop(lambda x: x.sum() > 1, lambda x: x / 2, x))(double([4.0, 0.0]))
    assert str(graph).count("div") == 2


X = double([3.0, 4.0])
total = tp.zeros(2, dtype=tp.float64)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (TypeError, "body_fn must be callable", lambda: tp.while_loop(abs, X, X)),
        (
            RuntimeError,
            r"what cond_fn returns must be .* bool, got a .*float64 tensor of shape \[2\]",
            lambda: tp.while_loop(lambda x: x, lambda x: x, X),
        ),
        (RuntimeError, r"got a .*bool tensor of shape \[2\]", lambda: tp.while_loop(lambda x: x > 1, lambda x: x, X)),
        (RuntimeError, r"same structure, got \(\*,\) and \*", lambda: tp.while_loop(lambda x: True, lambda x: x, (X,))),
        (
            RuntimeError,
            r"carry\[1\]\['a'\] goes in as a .*float64 tensor of shape \[2\] and comes out as a .*float32",
            lambda: tp.while_loop(lambda i, d: True, lambda i, d: (i, {"a": d["a"].float()}), (0, {"a": X})),
        ),
        (
            RuntimeError,
            r"shape \[2\] and comes out .* shape \[2, 1\]",
            lambda: vmap(lambda a: tp.while_loop(lambda x: a > 0, lambda x: x[:, None], X))(X),
        ),
        (RuntimeError, "start from a tensor", lambda: tp.while_loop(lambda x: True, lambda x: x + X[0], 0.0)),
        (
            RuntimeError,
            "writes in place to an argument",
            lambda: tp.while_loop(lambda x: True, lambda x: x.add_(1), X.clone()),
        ),
        (
            RuntimeError,
            "body_fn writes in place",
            lambda: vmap(lambda a: tp.while_loop(lambda x: x > 0, lambda x: x.sub_(1), a))(X),
        ),
        (
            RuntimeError,
            "body_fn writes in place",
            lambda: vmap(lambda a: tp.while_loop(lambda x: x > 0, lambda x: (total.add_(1), x - 1)[1], a))(X),
        ),
        (
            RuntimeError,
            "carry tensors",
            lambda: vmap(lambda a: tp.while_loop(lambda x, s: x > 0, lambda x, s: (x - 1, s + "!"), (a, "")))(X),
        ),
        (TypeError, "upper must be an int", lambda: tp.fori_loop(0, 2.0, lambda i, x: x, X)),
        (TypeError, "lower must be an int", lambda: tp.fori_loop(tp.tensor([0, 1]), 2, lambda i, x: x, X)),
    ],
)
def test_errors(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()
    assert total.tolist() == [0.0, 0.0]


def test_anomalies_of_samples_that_are_done_are_none() -> None:
    down = lambda x: tp.while_loop(lambda x: x > 0.5, lambda x: x - 1 / (x * x).log().exp().sqrt(), x)  # noqa: E731
    with tp.autograd.detect_anomaly():
        out = vmap(down)(double([0.0, 2.0]))
    assert out.tolist() == pytest.approx([0.0, 2.0 - 0.5 - 1 / 1.5 - 1 / (1.5 - 1 / 1.5)])
