"""Rules of a user's own under every transform and nesting: `Function`, `custom_derivative`, operators of a library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import custom_derivative, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

# The operation is the cube, elementwise; its rule says ten times the true derivative, so that a test can tell whether
# the rule was used, at every order: f = x³, f' = 30 x², f'' = 60 x, f''' = 60.


def slope(x: Any) -> Any:
    return 30 * x**2


class ByBackward(tp.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, power: int) -> Any:
        return x**power

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        return slope(ctx.saved_tensors[0]) * ct, None


class ByJvp(tp.autograd.Function):
    generate_vmap_rule = True
    forward = ByBackward.forward
    setup_context = ByBackward.setup_context

    @staticmethod
    def jvp(ctx: Any, dot: Any, _: None) -> Any:
        return slope(ctx.saved_tensors[0]) * dot


class ByBoth(ByBackward):
    jvp = ByJvp.jvp


class ComputedInSetup(tp.autograd.Function):
    generate_vmap_rule = True
    forward = ByBackward.forward

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.weight = slope(inputs[0])

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        return ctx.weight * ct, None


class OneForward(tp.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(ctx: Any, x: Any, power: int) -> Any:
        ctx.save_for_backward(x)
        return x**power

    backward = ByBackward.backward


class OwnVmap(tp.autograd.Function):
    forward = ByBackward.forward
    setup_context = ByBackward.setup_context
    backward = ByBackward.backward

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, power: int) -> Any:
        assert in_dims == (0, None)
        assert info.batch_size == x.shape[0]
        return OwnVmap.apply(x, power), 0


def applied(function: type[tp.autograd.Function]) -> Callable[..., Any]:
    return lambda x: function.apply(x, 3)


@custom_derivative(vjp=lambda args, out, ct: (slope(args[0]) * ct,))
def by_vjp(x: Any) -> Any:
    return x**3


@custom_derivative(jvp=lambda args, out, dots: slope(args[0]) * dots[0])
def by_jvp(x: Any) -> Any:
    return x**3


@custom_derivative(vjp=lambda args, out, ct: (slope(args[0]) * ct,), batching="loop")
def numpy_cube(x: Any) -> Any:
    return x.numpy() ** 3


def operator(name: str, **rules: Any) -> Any:
    @tp.library.custom_op(name, mutates_args=())
    def cube(x: Any) -> Any:
        return x.numpy() ** 3

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    for rule, function in rules.items():
        getattr(cube, f"register_{rule}")(function, setup_context=keep)
    cube.register_vmap(lambda info, in_dims, x: (cube(x), in_dims[0]))
    return cube


KINDS: dict[str, Callable[..., Any]] = {
    "backward": applied(ByBackward),
    "jvp": applied(ByJvp),
    "both": applied(ByBoth),
    "computed in setup_context": applied(ComputedInSetup),
    "one forward": applied(OneForward),
    "own vmap": applied(OwnVmap),
    "custom_derivative(vjp)": by_vjp,
    "custom_derivative(jvp)": by_jvp,
    "custom_derivative(loop)": numpy_cube,
    "operator, register_autograd": operator("tests::a", autograd=lambda ctx, ct: slope(ctx.saved_tensors[0]) * ct),
    "operator, register_jvp": operator("tests::b", jvp=lambda ctx, dot: slope(ctx.saved_tensors[0]) * dot),
}
Transformed = Callable[[Callable[..., Any]], Any]

X = np.array([0.5, -1.25, 2.0])
V = np.array([1.5, 0.25, -1.0])
BATCH = np.stack([X, X + 1, X * 2, V])


def tensor(array: Any) -> Any:
    return tp.tensor(array)


def total(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: f(x).sum()


def diagonal(rows: Any) -> Any:
    return np.stack([np.diag(row) for row in rows])


def pushed_twice(f: Callable[..., Any]) -> Any:
    first = lambda x: jvp(f, (x,), (tensor(V),))[1]  # noqa: E731
    return jvp(first, (tensor(X),), (tensor(V),))[1]


def third(f: Callable[..., Any]) -> Any:
    return vmap(grad(grad(grad(f))))(tensor(X))


def by_autograd(f: Callable[..., Any]) -> Any:
    x = tensor(X).requires_grad_()
    (first,) = tp.autograd.grad(f(x).sum(), x, create_graph=True)
    (first * tensor(V)).sum().backward()
    return tp.stack([first.detach(), x.grad])


def pulled_in_a_map(f: Callable[..., Any]) -> Any:
    _, pull = vjp(vmap(f), tensor(BATCH))
    return vmap(pull)(tp.ones(2, 4, 3, dtype=tp.float64))[0][1]


LAWS: dict[str, tuple[Transformed, Any]] = {
    "value": (lambda f: f(tensor(X)), X**3),
    "vmap": (lambda f: vmap(f)(tensor(BATCH)), BATCH**3),
    "vmap(vmap)": (lambda f: vmap(vmap(f, in_dims=1), out_dims=1)(tensor(BATCH[None])), (BATCH**3).T[:, None]),
    "an empty batch": (lambda f: vmap(f)(tensor(BATCH[:0])), BATCH[:0]),
    "an empty tensor": (lambda f: vmap(grad(total(f)))(tensor(BATCH[:, :0])), BATCH[:, :0]),
    "grad": (lambda f: grad(total(f))(tensor(X)), 30 * X**2),
    "jvp": (lambda f: jvp(f, (tensor(X),), (tensor(V),))[1], 30 * X**2 * V),
    "linearize": (lambda f: linearize(f, tensor(X))[1](tensor(V)), 30 * X**2 * V),
    "vmap(grad)": (lambda f: vmap(grad(total(f)))(tensor(BATCH)), 30 * BATCH**2),
    "grad(vmap)": (lambda f: grad(total(vmap(f)))(tensor(BATCH)), 30 * BATCH**2),
    "vmap(vmap(grad))": (lambda f: vmap(vmap(grad(f)))(tensor(BATCH)), 30 * BATCH**2),
    "vmap(grad(vmap))": (lambda f: vmap(grad(total(vmap(f))))(tensor(BATCH)), 30 * BATCH**2),
    "vmap of a pull of vmap": (pulled_in_a_map, 30 * BATCH**2),
    "jacrev(vmap)": (
        lambda f: jacrev(vmap(f))(tensor(BATCH)).sum(-1).sum(-1),
        30 * BATCH**2,
    ),
    "jacfwd(vmap)": (lambda f: jacfwd(vmap(f))(tensor(BATCH)).sum(0).sum(0), 30 * BATCH**2),
    "jacfwd(jacfwd)": (lambda f: jacfwd(jacfwd(total(f)))(tensor(X)), np.diag(60 * X)),
    "jacfwd(jacrev)": (lambda f: hessian(total(f))(tensor(X)), np.diag(60 * X)),
    "jacrev(jacfwd)": (lambda f: jacrev(jacfwd(total(f)))(tensor(X)), np.diag(60 * X)),
    "jacrev(jacrev)": (lambda f: jacrev(jacrev(total(f)))(tensor(X)), np.diag(60 * X)),
    "vmap(hessian)": (lambda f: vmap(hessian(total(f)))(tensor(BATCH)), diagonal(60 * BATCH)),
    "hessian(vmap)": (lambda f: hessian(total(vmap(f)))(tensor(BATCH)).sum(0).sum(0), 60 * BATCH),
    "jvp(jvp)": (pushed_twice, 60 * X * V * V),
    "jvp(grad)": (lambda f: jvp(grad(total(f)), (tensor(X),), (tensor(V),))[1], 60 * X * V),
    "grad(jvp)": (lambda f: grad(lambda x: jvp(total(f), (x,), (tensor(V),))[1])(tensor(X)), 60 * X * V),
    "a third derivative": (third, np.full(3, 60.0)),
    "backward twice": (by_autograd, np.stack([30 * X**2, 60 * X * V])),
    "functionalize": (lambda f: tp.func.functionalize(grad(total(f)))(tensor(X)), 30 * X**2),
    "make_graph": (lambda f: tp.func.make_graph(grad(total(f)))(tensor(V))(tensor(X)), 30 * X**2),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", KINDS)
def test_rules_pass_through_every_transform(kind: str, law: str) -> None:
    transformed, expected = LAWS[law]
    got = transformed(KINDS[kind])
    np.testing.assert_allclose(got.detach().numpy(), expected, rtol=1e-13, atol=0)


# ---- two inputs, of which samples share one --------------------------------------------------------------------------


@custom_derivative(vjp=lambda args, out, ct: (args[1].T @ ct, tp.outer(ct, args[0])))
def product_by_vjp(x: Any, matrix: Any) -> Any:
    return matrix @ x


@custom_derivative(jvp=lambda args, out, dots: dots[1] @ args[0] + args[1] @ dots[0])
def product_by_jvp(x: Any, matrix: Any) -> Any:
    return matrix @ x


class Product(tp.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, matrix: Any) -> Any:
        return matrix @ x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        x, matrix = ctx.saved_tensors
        return matrix.T @ ct, tp.outer(ct, x)


@pytest.mark.parametrize("product", [product_by_vjp, product_by_jvp, Product.apply])
class TestSharedInputs:
    rng = np.random.default_rng(0)
    xs = rng.normal(size=(4, 3))
    matrix = rng.normal(size=(2, 3))
    matrices = rng.normal(size=(5, 2, 3))

    def test_a_shared_input_receives_the_sum_over_samples(self, product: Any) -> None:
        def loss(x: Any, matrix: Any) -> Any:
            return (vmap(product, in_dims=(0, None))(x, matrix) ** 2).sum()

        got = grad(loss, argnums=(0, 1))(tensor(self.xs), tensor(self.matrix))
        outs = self.xs @ self.matrix.T
        np.testing.assert_allclose(got[0].numpy(), 2 * outs @ self.matrix)
        np.testing.assert_allclose(got[1].numpy(), 2 * outs.T @ self.xs)

    def test_each_of_two_maps_shares_what_the_other_maps(self, product: Any) -> None:
        outer = vmap(vmap(product, in_dims=(None, 0)), in_dims=(0, None))

        def loss(x: Any, matrices: Any) -> Any:
            return (outer(x, matrices) ** 2).sum()

        got = grad(loss, argnums=(0, 1))(tensor(self.xs), tensor(self.matrices))
        outs = np.einsum("mij,nj->nmi", self.matrices, self.xs)
        np.testing.assert_allclose(got[0].numpy(), 2 * np.einsum("nmi,mij->nj", outs, self.matrices))
        np.testing.assert_allclose(got[1].numpy(), 2 * np.einsum("nmi,nj->mij", outs, self.xs))

    def test_second_order_over_a_shared_input(self, product: Any) -> None:
        def loss(matrix: Any) -> Any:
            return (vmap(product, in_dims=(0, None))(tensor(self.xs), matrix) ** 2).sum()

        expected = 2 * np.einsum("ik,nj,nl->ijkl", np.eye(2), self.xs, self.xs)
        for second in (hessian, lambda f: jacfwd(jacfwd(f)), lambda f: jacrev(jacfwd(f))):
            np.testing.assert_allclose(second(loss)(tensor(self.matrix)).numpy(), expected, atol=1e-12)

    def test_a_push_inside_of_a_map(self, product: Any) -> None:
        dots = self.matrices[0]

        def along(x: Any) -> Any:
            return jvp(lambda m: product(x, m), (tensor(self.matrix),), (tensor(dots),))[1]

        np.testing.assert_allclose(vmap(along)(tensor(self.xs)).numpy(), self.xs @ dots.T)


# ---- complex numbers: a rule and its transpose are adjoint -----------------------------------------------------------


@custom_derivative(jvp=lambda args, out, dots: 2j * args[0] * dots[0])
def turned(z: Any) -> Any:
    return 1j * z * z


def test_the_transpose_of_a_complex_rule_is_its_adjoint() -> None:
    rng = np.random.default_rng(1)
    z, dot, ct = rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))
    out, pull = vjp(turned, tensor(z))
    np.testing.assert_allclose(out.numpy(), 1j * z * z)
    (got,) = pull(tensor(ct))
    np.testing.assert_allclose(got.numpy(), np.conj(2j * z) * ct)
    pushed = jvp(turned, (tensor(z),), (tensor(dot),))[1].numpy()
    np.testing.assert_allclose(np.vdot(ct, pushed).real, np.vdot(got.numpy(), dot).real)
