"""`custom_derivative`: trees, what rules must return, what is refused; uses that the documentation names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import tensorplay as tp
from tensorplay.func import custom_derivative, grad, hessian, jacfwd, jvp, vjp, vmap
from tests.func.support import close, double, numeric_jacobian


@custom_derivative(vjp=lambda args, out, ct: ({"x": args[0]["x"].cos() * ct["s"], "n": None}, None, None))
def sine(p: Any, label: str, k: Any) -> Any:
    assert label == "label"
    return {"s": p["x"].sin(), "k": k + 1}


@custom_derivative(jvp=lambda args, out, dots: {"s": args[0]["x"].cos() * dots[0]["x"], "k": None})
def sine_pushed(p: Any, label: str, k: Any) -> Any:
    assert label == "label"
    return {"s": p["x"].sin(), "k": k + 1}


@pytest.mark.parametrize("f", [sine, sine_pushed])
def test_trees_and_leaves_without_derivatives(f: Any) -> None:
    k = tp.tensor([1, 2])

    def call(x: Any) -> Any:
        return f({"x": x, "n": 3}, label="label", k=k)["s"]

    x, dot = double([0.5, -1.0]), double([2.0, 3.0])
    close(call(x), np.sin([0.5, -1.0]))
    close(vjp(call, x)[1](dot)[0], np.cos([0.5, -1.0]) * [2.0, 3.0])
    close(jvp(call, (x,), (dot,))[1], np.cos([0.5, -1.0]) * [2.0, 3.0])
    assert f({"x": x, "n": 3}, "label", k)["k"].tolist() == [2, 3]


def test_the_result_has_memory_of_its_own() -> None:
    same = custom_derivative(vjp=lambda args, out, ct: (ct,))(lambda x: x)
    x = double([1.0])
    same(x).add_(1)
    assert x.tolist() == [1.0]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda args, out, ct: ct, r"vjp must return a tuple with one entry per argument \(1\), got a .*\(ct,\)"),
        (lambda args, out, ct: (ct, ct), r"vjp must return a tuple with one entry per argument \(1\), got 2 entries"),
        (
            lambda args, out, ct: (ct,),
            r"the cotangent of argument\[0\] must have its structure, \{'w': \*\}, got \*",
        ),
        (
            lambda args, out, ct: ({"w": ct.sum()},),
            r"the cotangent of argument\[0\]\['w'\] must be a tensorplay.float64 tensor of shape \[2\] or None, got "
            r"a tensorplay.float64 tensor of shape \[\]",
        ),
        (
            lambda args, out, ct: ({"w": ct.float()},),
            r"argument\[0\]\['w'\] must be .* tensorplay.float32 tensor",
        ),
        (lambda args, out, ct: ({"w": 1.0},), r"argument\[0\]\['w'\] must be .* got a float"),
    ],
)
def test_what_a_vjp_must_return(rule: Any, message: str) -> None:
    @custom_derivative(vjp=rule)
    def f(p: Any) -> Any:
        return p["w"] * 2

    for call in (f, lambda p: {"w": vmap(f)({"w": p["w"][None]})}["w"]):
        with pytest.raises(ValueError, match=r"custom_derivative\(f\)'s .*" + message):
            grad(lambda p, call=call: call(p).sum())({"w": double([1.0, 2.0])})


def test_what_a_jvp_must_return() -> None:
    f = custom_derivative(jvp=lambda args, out, dots: dots[0].sum())(tp.sin)
    with pytest.raises(ValueError, match=r"custom_derivative\(sin\)'s jvp: the tangent of the output must be"):
        jvp(f, (double([1.0, 2.0]),), (double([1.0, 2.0]),))


def test_what_the_decorator_refuses() -> None:
    with pytest.raises(TypeError, match="give a rule, vjp= or jvp="):
        custom_derivative()
    with pytest.raises(TypeError, match="expected a callable as jvp, got an int"):
        custom_derivative(jvp=3)
    with pytest.raises(ValueError, match="batching must be 'derived' or 'loop', got 'map'"):
        custom_derivative(vjp=tp.sin, batching="map")
    with pytest.raises(TypeError, match=r"custom_derivative\(<lambda>\): missing a required argument: 'x'"):
        custom_derivative(vjp=tp.sin)(lambda x, *, k: x)(k=3)
    with pytest.raises(TypeError, match=r"custom_derivative\(<lambda>\): <lambda> must return tensors, got a float"):
        custom_derivative(vjp=tp.sin)(lambda x: 1.0)(double(1.0))


@pytest.mark.parametrize("hide", [lambda ct: ct.detach(), lambda ct: tp.no_grad(lambda: ct * 1)()])
def test_a_rule_that_hides_what_it_depends_on_is_not_transposed(hide: Any) -> None:
    f = custom_derivative(vjp=lambda args, out, ct: (2 * hide(ct),))(lambda x: x * 2)
    close(grad(f)(double(1.0)), 2.0)
    with pytest.raises(RuntimeError, match="the transpose of <lambda>'s backward rule cannot be taken"):
        jvp(f, (double(1.0),), (double(1.0),))
    g = custom_derivative(jvp=lambda args, out, dots: 2 * hide(dots[0]))(lambda x: x * 2)
    close(jvp(g, (double(1.0),), (double(1.0),))[1], 2.0)
    with pytest.raises(RuntimeError, match="the transpose of <lambda>'s forward rule cannot be taken"):
        grad(g)(double(1.0))


def test_a_captured_tensor_is_refused_where_no_rule_covers_it() -> None:
    def closing(w: Any) -> Any:
        return custom_derivative(vjp=lambda args, out, ct: (5 * w * ct,))(lambda x: x * w)

    for transformed in (grad, vmap, lambda f: lambda w: jvp(f, (w,), (w,))):
        with pytest.raises(RuntimeError, match=r"depends on a tensor that .* traces .* not among its arguments"):
            transformed(lambda w: closing(w)(w))(double([1.0, 2.0]) if transformed is vmap else double(1.0))
    # an outer transform alone may trace it: there the function and its rule are ordinary computations
    w = double([1.0, 2.0])
    close(vmap(lambda w: grad(closing(w))(double(3.0)))(w), [5.0, 10.0])
    close(grad(lambda w: grad(closing(w))(double(3.0)))(double(2.0)), 5.0)
    close(grad(lambda w: closing(w)(double(3.0)))(double(2.0)), 3.0)


# ---- uses ------------------------------------------------------------------------------------------------------------


@custom_derivative(vjp=lambda args, y, ct: (ct / (3 * y**2 + 1),), batching="loop")
def root(x: Any) -> Any:
    """y with y³ + y = x, by SciPy, which knows of no derivative and of no batch."""
    return np.array(scipy.optimize.brentq(lambda y: y**3 + y - x.item(), -10, 10, xtol=1e-14))


class TestRootOfAnEquation:
    ys = np.array([-1.5, 0.0, 0.25, 2.0])
    xs = double(ys**3 + ys)
    slope = 1 / (3 * ys**2 + 1)
    curvature = -6 * ys * slope**3

    def test_values_and_derivatives(self) -> None:
        close(vmap(root)(self.xs), self.ys)
        close(vmap(grad(root))(self.xs), self.slope)
        close(grad(lambda x: vmap(root)(x).sum())(self.xs), self.slope)
        close(jvp(vmap(root), (self.xs,), (self.xs,))[1], self.slope * self.xs.numpy())

    def test_second_derivatives(self) -> None:
        for second in (hessian, lambda f: jacfwd(jacfwd(f)), lambda f: grad(grad(f))):
            close(vmap(second(root))(self.xs), self.curvature)
        close(hessian(lambda x: vmap(root)(x).sum())(self.xs), np.diag(self.curvature))

    def test_batches_of_batches_and_empty_ones(self) -> None:
        close(vmap(vmap(root))(self.xs.reshape(2, 2)), self.ys.reshape(2, 2))
        assert vmap(root)(self.xs[:0]).shape == (0,)

    def test_a_loop_draws_as_the_map_says(self) -> None:
        noisy = custom_derivative(vjp=lambda args, out, ct: (ct,), batching="loop")(lambda x: x + tp.rand(()))
        zeros = double([0.0, 0.0, 0.0])
        assert len(vmap(noisy, randomness="same")(zeros).unique()) == 1
        assert len(vmap(noisy, randomness="different")(zeros).unique()) == 3
        with pytest.raises(RuntimeError, match="randomness='error' forbids it"):
            vmap(noisy)(zeros)


def test_a_fixed_point_with_a_linear_solve_in_its_rule() -> None:
    def step(x: Any, w: Any) -> Any:
        return (w @ x).tanh() + 1

    def backward(args: Any, x: Any, ct: Any) -> Any:
        # x = step(x, w): the cotangent of x is what solves u = ct + Jᵀ u
        jacobian = jacfwd(step)(x, args[0])
        u = tp.linalg.solve(tp.eye(len(x), dtype=x.dtype) - jacobian.T, ct)
        return (vjp(lambda w: step(x, w), args[0])[1](u)[0],)

    @custom_derivative(vjp=backward)
    def fixed_point(w: Any) -> Any:
        x = tp.zeros(w.shape[0], dtype=w.dtype)
        for _ in range(200):
            x = step(x, w)
        return x

    w = double(np.random.default_rng(0).normal(size=(3, 3)) * 0.2)
    expected = numeric_jacobian(fixed_point, w)
    close(tp.func.jacrev(fixed_point)(w), expected, 1e-6)
    close(jacfwd(fixed_point)(w), expected, 1e-6)
    close(vmap(tp.func.jacrev(fixed_point))(tp.stack([w, w * 0.5]))[0], expected, 1e-6)
    second = numeric_jacobian(lambda w: tp.func.jacrev(fixed_point)(w), w)
    close(jacfwd(tp.func.jacrev(fixed_point))(w), second, 1e-5)


def test_defaults_are_arguments_of_the_rules() -> None:
    @custom_derivative(vjp=lambda args, out, ct: (ct * args[1], None))
    def scaled(x: Any, factor: float = 3.0) -> Any:
        return x * factor

    x = tp.tensor(2.0)
    assert [grad(scaled)(x).item(), grad(lambda x: scaled(x, 4.0))(x).item()] == [3.0, 4.0]
    assert grad(lambda x: scaled(factor=5.0, x=x))(x).item() == 5.0


def test_an_argument_after_one_that_is_left_out_has_its_derivative() -> None:
    @custom_derivative(vjp=lambda args, out, ct: (ct * args[2], None, ct * args[0]))
    def product(x: Any, unused: Any = None, y: Any = 1.0, *, sign: float = 1.0) -> Any:
        return x * y

    x, y = tp.tensor(2.0), tp.tensor(7.0)
    assert grad(lambda y: product(x, y=y))(y).item() == 2.0


def test_what_a_mapped_function_keeps_is_not_used_outside() -> None:
    kept: list[Any] = []

    @custom_derivative(vjp=lambda args, out, ct: (ct,))
    def keeping(x: Any) -> Any:
        kept.append(2 * x)
        return 1 * x

    x = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    for f in (lambda x: keeping(x) + kept[-1], grad(lambda x: (keeping(x) * kept[-1]).sum())):
        with pytest.raises(RuntimeError, match="maps over was used after the map had returned"):
            vmap(f)(x)
