"""`checkpoint`: what is computed is the same, what is kept is less."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import (
    checkpoint,
    functional_call,
    functionalize,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_graph,
    vjp,
    vmap,
)
from tests.func.support import array, close, double, numeric_jacobian

X = double([1.0, 2.0, 3.0])
V = double([0.5, -1.0, 0.25])
W = double([0.5, 0.25, -1.0])
ROWS = tp.stack([X, X + 1])


def segment(x: Any) -> Any:
    """Views, writes to what it makes, a captured tensor, a branch."""
    y = x.sin() * x
    z = tp.zeros_like(y)
    z[0] = y[1]
    z[1:] += y[:2]
    return (z.exp() + y) * W


def twice(x: Any) -> Any:
    return segment(segment(x)).sum()


kept = checkpoint(segment)
COMPUTATIONS: dict[str, Callable[..., Any]] = {
    "each": lambda x: kept(kept(x)).sum(),
    "nested": checkpoint(lambda x: checkpoint(lambda y: kept(y))(kept(x)).sum()),
    "whole": checkpoint(twice),
}

LAWS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "value": lambda f: f(X),
    "grad": lambda f: grad(f)(X),
    "jvp": lambda f: jvp(f, (X,), (V,))[1],
    "linearize": lambda f: linearize(f, X)[1](V),
    "jacfwd(jacfwd)": lambda f: jacfwd(jacfwd(f))(X),
    "jacfwd(jacrev)": lambda f: hessian(f)(X),
    "jacrev(jacfwd)": lambda f: jacrev(jacfwd(f))(X),
    "jacrev(jacrev)": lambda f: jacrev(jacrev(f))(X),
    "jvp(jvp)": lambda f: jvp(lambda x: jvp(f, (x,), (V,))[1], (X,), (V,))[1],
    "vmap": lambda f: vmap(f)(ROWS),
    "vmap over dim 1": lambda f: vmap(f, in_dims=1)(ROWS.T),
    "vmap(vmap)": lambda f: vmap(vmap(f))(ROWS[None]),
    "an empty batch": lambda f: vmap(grad(f))(ROWS[:0]),
    "vmap(grad)": lambda f: vmap(grad(f))(ROWS),
    "grad(vmap)": lambda f: grad(lambda x: vmap(f)(x).sum())(ROWS),
    "vmap(hessian)": lambda f: vmap(hessian(f))(ROWS),
    "hessian(vmap)": lambda f: hessian(lambda x: vmap(f)(x).sum())(ROWS),
    "a pull used twice, under vmap": lambda f: vmap(vjp(f, X)[1])(double([1.0, 2.0]))[0],
    "functionalize": lambda f: functionalize(grad(f))(X),
    "make_graph": lambda f: make_graph(grad(f))(V)(X),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("computation", COMPUTATIONS)
def test_transforms_give_what_they_give_without(computation: str, law: str) -> None:
    got, expected = LAWS[law](COMPUTATIONS[computation]), LAWS[law](twice)
    close(got, array(expected), 1e-12)


def test_against_finite_differences() -> None:
    close(grad(COMPUTATIONS["nested"])(X), numeric_jacobian(twice, X), 1e-7)
    close(hessian(COMPUTATIONS["nested"])(X), numeric_jacobian(grad(twice), X), 1e-6)


def test_a_chain_is_the_same_to_the_last_bit() -> None:
    def chain(wrapper: Any) -> Any:
        def f(x: Any) -> Any:
            for _ in range(5):
                x = wrapper(lambda x: (x.sin() * x).exp() - 1)(x)
            return x.sum()

        return f

    x = tp.tensor(np.linspace(-1, 1, 50, dtype=np.float32))
    assert np.array_equal(grad(chain(checkpoint))(x).numpy(), grad(chain(lambda f: f))(x).numpy())


# ---- captured tensors ------------------------------------------------------------------------------------------------


def capturing(wrapper: Any) -> Callable[..., Any]:
    """A loss of w whose wrapped part captures w, and something computed from w alone."""

    def loss(w: Any) -> Any:
        return (wrapper(lambda x: (x * w + w.cos()).sin())(X) * w).sum()

    return loss


@pytest.mark.parametrize(
    "transformed",
    [
        lambda f: f(W),
        lambda f: grad(f)(W),
        lambda f: jvp(f, (W,), (V,))[1],
        lambda f: hessian(f)(W),
        lambda f: jacrev(jacrev(f))(W),
        lambda f: jacfwd(jacfwd(f))(W),
        lambda f: vmap(f)(tp.stack([W, V])),
        lambda f: vmap(grad(f))(tp.stack([W, V])),
        lambda f: grad(lambda w: vmap(f)(w).sum())(tp.stack([W, V])),
    ],
)
def test_captured_tensors_have_their_derivatives(transformed: Any) -> None:
    close(transformed(capturing(checkpoint)), array(transformed(capturing(lambda f: f))), 1e-12)


def test_captured_tensors_that_require_grad() -> None:
    grads = []
    for wrapper in (checkpoint, lambda f: f):
        w = W.clone().requires_grad_()
        (first,) = tp.autograd.grad(capturing(wrapper)(w), w, create_graph=True)
        (first * V).sum().backward()
        grads.append((first.detach(), w.grad))
    for got, expected in zip(*grads, strict=True):
        close(got, array(expected), 1e-12)


def test_inputs_of_an_outer_transform_and_of_an_inner_one() -> None:
    def loss(wrapper: Any) -> Any:
        return lambda a: grad(lambda b: wrapper(lambda c: (a * b * c).sin().sum())(a + b))(a * 2).sum()

    close(grad(loss(checkpoint))(X), array(grad(loss(lambda f: f))(X)), 1e-12)


# ---- modules, random numbers, no_grad, writes ------------------------------------------------------------------------


def network() -> Any:
    tp.manual_seed(0)
    layers = [tp.nn.Linear(3, 4), tp.nn.BatchNorm1d(4), tp.nn.Dropout(0.5), tp.nn.Tanh(), tp.nn.Linear(4, 1)]
    return tp.nn.Sequential(*layers).double()


def test_a_module_with_buffers_and_dropout() -> None:
    results = []
    for wrapper in (checkpoint, lambda f: f):
        net = network()
        tp.manual_seed(1)
        wrapper(net)(ROWS.expand(3, 2, 3).reshape(6, 3)).sum().backward()
        results.append([p.grad for p in net.parameters()] + list(net.buffers()))
    for got, expected in zip(*results, strict=True):
        assert np.array_equal(got.numpy(), expected.numpy())


def test_functional_call() -> None:
    net = network().eval()
    params = dict(net.named_parameters())

    def loss(wrapper: Any) -> Any:
        return lambda p: (functional_call(net, p, (ROWS,)) if wrapper is None else wrapper(net, p)).sum()

    inside = checkpoint(lambda p: functional_call(net, p, (ROWS,)))
    expected = grad(loss(None))(params)
    for wrapper in (lambda net, p: inside(p), lambda net, p: functional_call(_Kept(net), _prefixed(p), (ROWS,))):
        for name, got in grad(loss(wrapper))(params).items():
            close(got, array(expected[name]), 1e-12)


class _Kept(tp.nn.Module):
    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: Any) -> Any:
        return checkpoint(self.net)(x)


def _prefixed(params: dict[str, Any]) -> dict[str, Any]:
    return {f"net.{name}": value for name, value in params.items()}


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_random_numbers_are_drawn_once(randomness: str) -> None:
    def noisy(x: Any) -> Any:
        return tp.nn.functional.dropout(x.exp(), 0.5) * tp.rand(3, dtype=tp.float64)

    results = []
    for f in (noisy, checkpoint(noisy)):
        tp.manual_seed(0)
        results.append(grad(lambda x, f=f: f(x).sum())(X))
        results.append(vmap(grad(lambda x, f=f: f(x).sum()), randomness=randomness)(ROWS))
        results.append(grad(lambda x, f=f: vmap(f, randomness=randomness)(x).sum())(ROWS))
    for expected, got in zip(results[:3], results[3:], strict=True):
        assert np.array_equal(got.numpy(), expected.numpy())
    with pytest.raises(RuntimeError, match="randomness='error' forbids it"):
        vmap(checkpoint(noisy))(ROWS)


def test_constants_of_the_function_stay_constants() -> None:
    def loss(x: Any) -> Any:
        y = x.sin()
        with tp.no_grad():
            z = y * x
        return (y * z * y.detach()).sum()

    close(grad(checkpoint(loss))(X), array(grad(loss)(X)))
    close(hessian(checkpoint(loss))(X), array(hessian(loss)(X)))
    close(jvp(checkpoint(loss), (X,), (V,))[1], array(jvp(loss, (X,), (V,))[1]))


def test_under_no_grad_nothing_is_recorded() -> None:
    w = W.clone().requires_grad_()
    with tp.no_grad():
        assert not kept(w).requires_grad


def test_writes_to_arguments() -> None:
    def scale(x: Any) -> Any:
        y = x.sin()
        x.mul_(y)
        return (x * y).sum()

    def loss(wrapper: Any) -> Any:
        def f(x: Any) -> Any:
            y = x * 2
            out = wrapper(scale)(y)
            return (out * y).sum()

        return f

    for transformed in (grad, hessian, lambda f: lambda x: vmap(f)(tp.stack([x, V])), lambda f: f):
        close(transformed(loss(checkpoint))(X), array(transformed(loss(lambda f: f))(X)), 1e-12)
    x = X.clone()
    checkpoint(scale)(x)
    close(x, array(X) * np.sin(array(X)))


def test_writes_to_captured_tensors() -> None:
    count = tp.zeros(3, dtype=tp.float64)

    def f(x: Any) -> Any:
        y = x * count
        count.add_(1)
        return (y * count).sum()

    count.add_(1)
    close(grad(checkpoint(f))(X), [2.0, 2.0, 2.0])
    assert count.tolist() == [2.0, 2.0, 2.0]


def test_a_captured_tensor_that_is_overwritten_afterwards_is_noticed() -> None:
    w, x = W.clone(), X.clone().requires_grad_()
    out = checkpoint(lambda x: (x * w).sin().sum())(x)
    w.add_(1)
    with pytest.raises(RuntimeError, match="needs was modified in place afterwards"):
        out.backward()


# ---- what goes in and out --------------------------------------------------------------------------------------------


def test_trees_and_other_things() -> None:
    def f(p: Any, k: float, *, label: str) -> Any:
        assert label == "a"
        return {"y": p["x"] * k, "x": p["x"], "n": 3, "k": W, "b": p["x"] > 1.5}

    out = checkpoint(f)({"x": X}, 2.0, label="a")
    assert out["n"] == 3
    assert out["b"].tolist() == [False, True, True]
    close(out["k"], array(W))
    close(grad(lambda x: (checkpoint(f)({"x": x}, 2.0, label="a")["y"] * W).sum())(X), 2 * array(W))
    close(grad(lambda x: checkpoint(f)({"x": x}, 2.0, label="a")["x"].sum())(X), np.ones(3))


def test_a_function_of_integers() -> None:
    assert checkpoint(lambda n: n * 2 + 1)(tp.tensor([1, 2])).tolist() == [3, 5]


def test_a_branch_by_the_data_stays_taken() -> None:
    f = checkpoint(lambda x: x.sin() if x.sum() > 0 else x.cos())
    close(grad(lambda x: f(x).sum())(X), np.cos(array(X)))
    close(grad(lambda x: f(x).sum())(-X), np.sin(array(X)))


def test_operators_of_a_users_own_inside() -> None:
    @tp.func.custom_derivative(vjp=lambda args, out, ct: (7 * args[0] * ct,))
    def odd(x: Any) -> Any:
        return x * x

    f = checkpoint(lambda x: odd(x.sin()).sum())
    close(grad(f)(X), 7 * np.sin(array(X)) * np.cos(array(X)))
    close(vmap(grad(f))(ROWS), 7 * np.sin(array(ROWS)) * np.cos(array(ROWS)))


class Scaled(tp.autograd.Function):
    """The product with a tensor in a list, which is captured as far as derivatives are concerned."""

    @staticmethod
    def forward(x: Any, factors: Any) -> Any:
        return x * factors[0]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        return ct, None


@pytest.mark.parametrize("wrapper", [checkpoint, lambda f: checkpoint(checkpoint(f))])
@pytest.mark.parametrize(
    "apart",
    [
        lambda a: tp.func.custom_derivative(vjp=lambda args, out, ct: (ct,))(lambda x: x * a),
        lambda a: lambda x: Scaled.apply(x, [a]),
        lambda a: lambda x: tp.library.custom_op("tests::scaled", lambda x, factors: x * factors[0])(x, [a]),
    ],
)
def test_what_operators_of_a_users_own_capture_is_not_lost(wrapper: Any, apart: Any) -> None:
    f = lambda a: wrapper(lambda x: apart(a)(x))(X).sum()  # noqa: E731
    for transformed in (grad(f), vmap(f), lambda a: jvp(f, (a,), (a,)), lambda a: grad(lambda b: vmap(f)(b).sum())(a)):
        with pytest.raises(RuntimeError, match=r"depends on a tensor that .* traces and that is n"):
            transformed(W)
    close(grad(lambda a: f(a.detach()) * a[0])(W), [array(f(W)), 0, 0])


def test_a_leaf_that_a_custom_derivative_captures_is_not_lost() -> None:
    a = W.clone().requires_grad_()
    f = checkpoint(tp.func.custom_derivative(vjp=lambda args, out, ct: (ct,))(lambda x: x * a))
    with pytest.raises(RuntimeError, match="depends on a tensor that autograd traces"):
        f(X)
    with tp.no_grad():
        close(f(X), array(X) * array(W))


def test_what_the_function_keeps_has_no_derivative_outside() -> None:
    def keeping(change: Any) -> Any:
        kept: list[Any] = []

        def f(x: Any) -> Any:
            y = checkpoint(lambda a: (kept.append(change(a)), a.sum())[1])(x)
            return y + (kept[-1] * x).sum()

        return f

    hidden = keeping(lambda a: 2 * a)
    close(hidden(X), array(X.sum() + 2 * (X * X).sum()))
    close(vmap(hidden)(ROWS), array(ROWS.sum(1) + 2 * (ROWS * ROWS).sum(1)))
    leaf = X.clone().requires_grad_()
    for differentiated in (
        lambda: grad(hidden)(X),
        lambda: vmap(grad(hidden))(ROWS),
        lambda: jvp(hidden, (X,), (V,)),
        lambda: linearize(hidden, X)[1](V),
        lambda: grad(checkpoint(hidden))(X),
        lambda: hidden(leaf).backward(),
    ):
        with pytest.raises(RuntimeError, match="made inside of the function was kept and used outside of it"):
            differentiated()
    for constant in (lambda a: (2 * a).detach(), lambda a: 2 * X):
        close(grad(keeping(constant))(X), 1 + 2 * array(X))


def test_what_the_function_keeps_is_plain_after_the_transform() -> None:
    kept: list[Any] = []
    grad(lambda x: checkpoint(lambda a: (kept.append(a * 2), a.sum())[1])(x))(X)
    close(kept[0].numpy() + kept[0], 4 * array(X))


def test_the_function_runs_once() -> None:
    runs = []
    f = checkpoint(lambda x: runs.append(1) or x.sin().sum())
    hessian(f)(X)
    assert len(runs) == 1


def test_its_name_and_what_is_refused() -> None:
    assert checkpoint(segment).__name__ == "segment"
    with pytest.raises(TypeError, match=r"checkpoint\(\): expected a callable as func, got an int"):
        checkpoint(3)
    total = tp.zeros(3, dtype=tp.float64)
    with pytest.raises(RuntimeError, match=r"add_: a value that checkpoint\(<lambda>\) traces cannot be written"):
        checkpoint(lambda x: total.add_(x))(X)
    assert total.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ZeroDivisionError):
        checkpoint(lambda x: total.add_(1) / (1 // 0))(X)
    assert total.tolist() == [0.0, 0.0, 0.0]


# ---- memory ----------------------------------------------------------------------------------------------------------

SIZE = 50_000


def peak(function: Callable[..., Any]) -> float:
    """Peak memory of the gradient, in arrays of its input."""
    x = tp.ones(SIZE, dtype=tp.float64)
    derivative = grad(lambda x: function(x).sum())
    derivative(x)
    tracemalloc.start()
    try:
        derivative(x)
        return tracemalloc.get_traced_memory()[1] / (8 * SIZE)
    finally:
        tracemalloc.stop()


def chain(x: Any, length: int) -> Any:
    for _ in range(length):
        x = x.sin()
    return x


def halves(x: Any, length: int) -> Any:
    if length == 1:
        return x.sin()
    half = checkpoint(lambda x: halves(x, length // 2))
    return half(half(x))


def test_segments_keep_their_inputs_only() -> None:
    part = checkpoint(lambda x: chain(x, 8))
    plain = peak(lambda x: chain(x, 64))
    segmented = peak(lambda x: chain_of(part, x, 8))
    assert plain > 64
    assert segmented < 2 * 8 + 6


def chain_of(part: Callable[..., Any], x: Any, count: int) -> Any:
    for _ in range(count):
        x = part(x)
    return x


def test_nested_halves_keep_logarithmically_many() -> None:
    few, many = [peak(lambda x, n=n: halves(x, n)) for n in (8, 64)]
    assert few < 8
    assert many < few + 3 * 2


def test_ordinary_autograd_keeps_as_little() -> None:
    def run(function: Callable[..., Any]) -> float:
        x = tp.ones(SIZE, dtype=tp.float64, requires_grad=True)
        tracemalloc.start()
        try:
            function(x).sum().backward()
            return tracemalloc.get_traced_memory()[1] / (8 * SIZE)
        finally:
            tracemalloc.stop()

    part = checkpoint(lambda x: chain(x, 8))
    assert run(lambda x: chain_of(part, x, 8)) < 2 * 8 + 6 < 64 < run(lambda x: chain(x, 64))
