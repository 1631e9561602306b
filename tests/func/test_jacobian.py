"""Jacobians and Hessians: shapes, structures, chunks; and twenty-eight functions on which every way to one agrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, hessian, jacfwd, jacrev, jvp, vmap
from tests.func.support import array, close, double, normal, numeric_jacobian
from tests.laws.checks import difference

BOTH = pytest.mark.parametrize("jacobian", [jacrev, jacfwd])


@BOTH
def test_shape_is_output_then_input(jacobian: Any) -> None:
    w, x = normal(4, 5, seed=1), normal(2, 5)
    out = jacobian(lambda a: a @ w.T)(x)
    assert out.shape == (2, 4, 2, 5)
    close(out, np.einsum("ij,kl->ikjl", np.eye(2), array(w)))


@BOTH
def test_scalars(jacobian: Any) -> None:
    close(jacobian(tp.sin)(double(0.3)), np.cos(0.3))
    close(jacobian(lambda x: x.sum())(normal(2, 3)), np.ones((2, 3)))
    close(jacobian(lambda x: x * double([1.0, 2.0]))(double(3.0)), [1.0, 2.0])


@BOTH
def test_structure_is_output_of_input(jacobian: Any) -> None:
    params = {"w": double(2.0), "b": (double([3.0, 4.0]),)}
    out = jacobian(lambda p: [p["w"] * p["b"][0], {"s": p["w"] ** 2}])(params)
    assert out[0]["w"].tolist() == [3.0, 4.0]
    assert out[0]["b"][0].tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert out[1]["s"]["w"].item() == 4.0
    assert out[1]["s"]["b"][0].tolist() == [0.0, 0.0]


@BOTH
def test_argnums(jacobian: Any) -> None:
    x, y = double([2.0, 3.0]), double([5.0, 7.0])
    assert jacobian(lambda a, b: a * b, 1)(x, y).tolist() == [[2.0, 0.0], [0.0, 3.0]]
    assert jacobian(lambda a, b: a * b, -2)(x, y).tolist() == [[5.0, 0.0], [0.0, 7.0]]
    by_y, by_x = jacobian(lambda a, b: a * b, (1, 0))(x, y)
    assert by_y.tolist() == [[2.0, 0.0], [0.0, 3.0]]
    assert by_x.tolist() == [[5.0, 0.0], [0.0, 7.0]]


@BOTH
def test_aux(jacobian: Any) -> None:
    out, aux = jacobian(lambda x: (x**2, {"twice": x * 2}), has_aux=True)(double([1.0, 2.0]))
    assert out.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert aux["twice"].tolist() == [2.0, 4.0]


@BOTH
@pytest.mark.parametrize("chunk_size", [1, 2, 4, 5, 100])
def test_chunks_give_the_same(jacobian: Any, chunk_size: int) -> None:
    x = normal(5)
    whole = jacobian(lambda a: a.cumsum(0) * a)(x)
    np.testing.assert_array_equal(array(jacobian(lambda a: a.cumsum(0) * a, chunk_size=chunk_size)(x)), array(whole))


@BOTH
def test_the_function_runs_once(jacobian: Any) -> None:
    calls = []

    def f(x: tp.Tensor) -> tp.Tensor:
        calls.append(x.shape)
        return x**2

    jacobian(f, chunk_size=2)(normal(5))
    assert calls == [(5,)]


@BOTH
def test_output_that_does_not_depend(jacobian: Any) -> None:
    assert jacobian(lambda x: double([1.0, 2.0]))(normal(3)).tolist() == [[0.0] * 3] * 2


@BOTH
def test_sizes_of_zero(jacobian: Any) -> None:
    assert jacobian(lambda x: x.sum())(tp.zeros(0)).shape == (0,)
    assert jacobian(lambda x: x * 2)(tp.zeros(0, 2)).shape == (0, 2, 0, 2)
    assert jacobian(lambda x: x[:0])(tp.zeros(3)).shape == (0, 3)


@BOTH
def test_keyword_and_side_arguments(jacobian: Any) -> None:
    out = jacobian(lambda x, i, *, scale: x[i] * scale)(normal(3), tp.tensor([2, 0]), scale=3.0)
    assert out.tolist() == [[0.0, 0.0, 3.0], [3.0, 0.0, 0.0]]


@BOTH
def test_result_is_part_of_the_graph_of_captured_tensors(jacobian: Any) -> None:
    w = double([2.0, 3.0]).requires_grad_()
    jacobian(lambda x: w**2 * x)(double([1.0, 1.0])).sum().backward()
    assert w.grad.tolist() == [4.0, 6.0]


@BOTH
def test_complex(jacobian: Any) -> None:
    z = tp.tensor(np.array([1.0 + 2.0j, 0.5 - 1.0j]))
    close(
        jacobian(lambda a: a**2)(z).conj() if jacobian is jacrev else jacobian(lambda a: a**2)(z),
        np.diag(2 * z.numpy()),
    )


def test_hessian_blocks() -> None:
    x, y = double([1.0, 2.0]), double(3.0)
    out = hessian(lambda p: (p["x"] ** 2).sum() * p["y"] ** 2)({"x": x, "y": y})
    assert out["x"]["x"].tolist() == [[18.0, 0.0], [0.0, 18.0]]
    assert out["x"]["y"].tolist() == [12.0, 24.0]
    assert out["y"]["x"].tolist() == [12.0, 24.0]
    assert out["y"]["y"].item() == 10.0
    (aa, ab), (ba, bb) = hessian(lambda a, b: (a**2).sum() * b**2, (0, 1))(x, y)
    assert ab.tolist() == ba.tolist() == [12.0, 24.0]
    assert (aa.shape, bb.item()) == ((2, 2), 10.0)


def test_hessian_of_a_vector_function() -> None:
    x = normal(3)
    out = hessian(lambda a: a**3)(x)
    expected = np.zeros((3, 3, 3))
    np.einsum("iii->i", expected)[...] = 6 * array(x)
    close(out, expected)


def test_jacobian_of_gradient_of_one_argument_by_another() -> None:
    w, x = normal(2, 3), normal(3, seed=1)
    mixed = jacfwd(grad(lambda a, b: (a @ b).sum() ** 2, 0), 1)(w, x)
    close(mixed, numeric_jacobian(lambda b: grad(lambda a: (a @ b).sum() ** 2)(w), x), 1e-6)


def test_jacfwd_takes_randomness() -> None:
    out = jacfwd(lambda x: x * tp.rand(2), randomness="same")(double([1.0, 2.0]))
    assert out[0, 1].item() == 0.0


# ---- every way to a derivative ---------------------------------------------------------------------------------------

SPD = normal(3, 3, seed=7) @ normal(3, 3, seed=7).T + 3 * tp.eye(3, dtype=tp.float64)
W = normal(3, 3, seed=11)
LABELS = tp.tensor([2, 0, 1])

FUNCTIONS: dict[str, Callable[[tp.Tensor], tp.Tensor]] = {
    "polynomial": lambda x: x**3 + 2 * x,
    "sin_exp": lambda x: tp.sin(x) * tp.exp(0.5 * x),
    "matmul": lambda x: x @ W @ x,
    "einsum": lambda x: tp.einsum("ij,jk,ki->i", x, W, x),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(0),
    "logsumexp": lambda x: x.logsumexp(1),
    "prod": lambda x: x.prod(0),
    "cumprod": lambda x: x.cumprod(1)[:, -1],
    "cumsum_sin": lambda x: tp.sin(x).cumsum(0)[-1],
    "std": lambda x: x.std(1),
    "var": lambda x: x.var(0),
    "norm": lambda x: x.norm(),
    "p_norm": lambda x: tp.linalg.vector_norm(x, 3, dim=1),
    "frobenius": lambda x: tp.linalg.matrix_norm(x),
    "nuclear": lambda x: tp.linalg.matrix_norm(x, "nuc"),
    "spectral": lambda x: tp.linalg.matrix_norm(x, 2),
    "det": lambda x: tp.linalg.det(x),
    "slogdet": lambda x: tp.linalg.slogdet(x)[1],
    "inv": lambda x: tp.linalg.inv(x + 3 * tp.eye(3, dtype=tp.float64))[0],
    "solve": lambda x: tp.linalg.solve(SPD + 0.1 * x, x[0]),
    "cholesky": lambda x: tp.linalg.cholesky(SPD + 0.05 * (x + x.T))[2],
    "eigvalsh": lambda x: tp.linalg.eigvalsh(x + x.T),
    "svdvals": lambda x: tp.linalg.svdvals(x),
    "qr": lambda x: tp.linalg.qr(x)[1][0],
    "matrix_exp": lambda x: tp.linalg.matrix_exp(0.5 * x)[0],
    "pinv": lambda x: tp.linalg.pinv(x)[0],
    "layer_norm": lambda x: tp.nn.functional.layer_norm(x, (3,))[0],
    "gelu": lambda x: tp.nn.functional.gelu(x),
    "cross_entropy": lambda x: tp.nn.functional.cross_entropy(x, LABELS),
    "cdist": lambda x: tp.cdist(x, W)[0],
    "sort": lambda x: x.sort(1).values[:, 0] ** 2,
    "convolution": lambda x: tp.nn.functional.conv1d(x[None], W[None])[0, 0] ** 2,
}

EACH = pytest.mark.parametrize("name", FUNCTIONS)
AT = normal(3, 3, seed=3)
BATCH = tp.stack([AT, AT.T * 1.1, AT.flip(0) * 0.9])


@EACH
def test_jacobians_agree_with_each_other_and_with_differences(name: str) -> None:
    f = FUNCTIONS[name]
    numeric = numeric_jacobian(f, AT)
    close(jacrev(f)(AT), numeric, 1e-6)
    close(jacfwd(f)(AT), array(jacrev(f)(AT)))


@EACH
def test_mapped_jacobians_are_the_loop(name: str) -> None:
    f = FUNCTIONS[name]
    expected = np.stack([array(jacrev(f)(x)) for x in BATCH])
    close(vmap(jacrev(f))(BATCH), expected)
    close(vmap(jacfwd(f))(BATCH), expected)


@EACH
def test_second_derivatives_agree_with_each_other_and_with_differences(name: str) -> None:
    f = FUNCTIONS[name]
    numeric = numeric_jacobian(jacrev(f), AT)
    expected = array(hessian(f)(AT))
    scale = max(np.abs(numeric).max(), 1.0)
    np.testing.assert_allclose(expected, numeric, rtol=1e-5, atol=1e-6 * scale)
    for ways in (jacfwd(jacrev(f)), jacrev(jacfwd(f)), jacrev(jacrev(f)), jacfwd(jacfwd(f))):
        np.testing.assert_allclose(array(ways(AT)), expected, rtol=1e-8, atol=1e-9 * scale)


@EACH
def test_mapped_hessian_is_the_loop(name: str) -> None:
    f = FUNCTIONS[name]
    expected = np.stack([array(hessian(f)(x)) for x in BATCH])
    scale = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(array(vmap(hessian(f))(BATCH)), expected, rtol=1e-8, atol=1e-9 * scale)


@EACH
def test_third_derivative_along_a_line(name: str) -> None:
    f = FUNCTIONS[name]
    line = normal(3, 3, seed=5)

    def along(t: tp.Tensor) -> tp.Tensor:
        return f(AT + t * line).sum()

    third = grad(grad(grad(along)))(double(0.0)).item()
    numeric = difference(lambda step: [array(grad(grad(along))(double(step)))], 1e-3)[0]
    second = abs(grad(grad(along))(double(0.0)).item())
    np.testing.assert_allclose(third, numeric, rtol=1e-5, atol=1e-6 * max(second, 1.0))

    def forward(g: Callable[[tp.Tensor], tp.Tensor]) -> Callable[[tp.Tensor], tp.Tensor]:
        return lambda t: jvp(g, (t,), (tp.ones_like(t),))[1]

    np.testing.assert_allclose(forward(forward(forward(along)))(double(0.0)).item(), third, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(forward(grad(forward(along)))(double(0.0)).item(), third, rtol=1e-7, atol=1e-8)
