"""SciPy's optimisers, operators and solvers, given derivatives by transforms; they call with arrays and take arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, sparse
from scipy.sparse import linalg

import tensorplay as tp
from tensorplay.func import grad, grad_and_value, hessian, jacfwd, jvp, vjp, vmap

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)


def on_arrays(function: Callable[..., Any]) -> Callable[..., Array]:
    return lambda *arrays: function(*map(tp.from_numpy, arrays)).detach().numpy()


def rosenbrock(x: tp.Tensor) -> tp.Tensor:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def hvp(x: tp.Tensor, direction: tp.Tensor) -> tp.Tensor:
    return jvp(grad(rosenbrock), (x,), (direction,))[1]


# ---- optimisers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "SLSQP"])
def test_minimize_by_the_gradient(method: str) -> None:
    found = optimize.minimize(on_arrays(rosenbrock), np.zeros(4), jac=on_arrays(grad(rosenbrock)), method=method)
    assert found.success
    np.testing.assert_allclose(found.x, np.ones(4), atol=1e-3)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-exact", "trust-ncg", "trust-krylov"])
@pytest.mark.parametrize("second", ["hess", "hessp"])
def test_minimize_by_second_derivatives(method: str, second: str) -> None:
    if (method, second) == ("trust-exact", "hessp"):
        pytest.skip("trust-exact factors the matrix")
    given: Any = {"hess": on_arrays(hessian(rosenbrock)), "hessp": on_arrays(hvp)}[second]
    found = optimize.minimize(
        on_arrays(rosenbrock), np.zeros(4), jac=on_arrays(grad(rosenbrock)), method=method, **{second: given}
    )
    np.testing.assert_allclose(found.x, np.ones(4), atol=1e-3)


def test_value_and_gradient_of_one_run() -> None:
    def both(x: Array) -> tuple[float, Array]:
        gradient, value = grad_and_value(rosenbrock)(tp.from_numpy(x))
        return value.item(), gradient.numpy()

    found = optimize.minimize(both, np.zeros(3), jac=True)
    np.testing.assert_allclose(found.x, np.ones(3), atol=1e-4)


def test_derivatives_agree_with_scipys() -> None:
    x = RANDOM.standard_normal(5)
    np.testing.assert_allclose(on_arrays(grad(rosenbrock))(x), optimize.rosen_der(x))
    np.testing.assert_allclose(on_arrays(hessian(rosenbrock))(x), optimize.rosen_hess(x), atol=1e-10)
    p = RANDOM.standard_normal(5)
    np.testing.assert_allclose(on_arrays(hvp)(x, p), optimize.rosen_hess_prod(x, p))


def test_least_squares_of_a_curve() -> None:
    times = tp.linspace(0, 3, 20, dtype=tp.float64)
    seen = 2.5 * (-1.3 * times).exp() + 0.5

    def residual(p: tp.Tensor) -> tp.Tensor:
        return p[0] * (-p[1] * times).exp() + p[2] - seen

    found = optimize.least_squares(on_arrays(residual), np.ones(3), jac=on_arrays(jacfwd(residual)))
    np.testing.assert_allclose(found.x, [2.5, 1.3, 0.5], atol=1e-6)


def test_root() -> None:
    def system(x: tp.Tensor) -> tp.Tensor:
        return tp.stack([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]])

    found = optimize.root(on_arrays(system), np.zeros(2), jac=on_arrays(jacfwd(system)))
    assert found.success
    x, y = found.x
    np.testing.assert_allclose([x + 0.5 * (x - y) ** 3, 0.5 * (y - x) ** 3 + y], [1.0, 0.0], atol=1e-8)


def test_root_scalar_by_newton_and_halley() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return x.cos() - x

    def at(function: Any) -> Callable[[float], float]:
        return lambda x: function(tp.tensor(x, dtype=tp.float64)).item()

    found = optimize.root_scalar(at(f), x0=1.0, fprime=at(grad(f)), fprime2=at(grad(grad(f))), method="halley")
    np.testing.assert_allclose(np.cos(found.root), found.root)


# ---- linear operators ------------------------------------------------------------------------------------------------


def test_conjugate_gradients_with_products_of_the_hessian() -> None:
    x, b = np.full(6, 0.9), RANDOM.standard_normal(6)
    operator = linalg.LinearOperator((6, 6), matvec=lambda p: on_arrays(hvp)(x, p), dtype=np.float64)
    found, code = linalg.cg(operator, b, rtol=1e-10)
    assert code == 0
    np.testing.assert_allclose(optimize.rosen_hess(x) @ found, b, atol=1e-6)


def jacobian_operator(f: Callable[[tp.Tensor], tp.Tensor], x: tp.Tensor, shape: tuple[int, int]) -> Any:
    _, pull = vjp(f, x)
    return linalg.LinearOperator(
        shape,
        matvec=lambda v: jvp(f, (x,), (tp.from_numpy(v).reshape(-1),))[1].numpy(),
        rmatvec=lambda v: pull(tp.from_numpy(v).reshape(-1))[0].numpy(),
        dtype=np.float64,
    )


def test_lsqr_with_both_products_of_the_jacobian() -> None:
    weights, b = RANDOM.standard_normal((5, 3)), RANDOM.standard_normal(5)
    x = RANDOM.standard_normal(3)
    operator = jacobian_operator(lambda x: (tp.from_numpy(weights) @ x).tanh(), tp.from_numpy(x), (5, 3))
    jacobian = (1 - np.tanh(weights @ x) ** 2)[:, None] * weights
    found = linalg.lsqr(operator, b, atol=1e-12, btol=1e-12)[0]
    np.testing.assert_allclose(found, np.linalg.lstsq(jacobian, b)[0], atol=1e-6)
    np.testing.assert_allclose(
        linalg.svds(operator, k=1, return_singular_vectors=False, random_state=0)[0], np.linalg.norm(jacobian, 2)
    )


def test_largest_eigenvalue_of_the_hessian() -> None:
    x = RANDOM.standard_normal(8)
    operator = linalg.LinearOperator((8, 8), matvec=lambda p: on_arrays(hvp)(x, p), dtype=np.float64)
    largest = linalg.eigsh(operator, k=1, which="LM", return_eigenvectors=False, v0=np.ones(8))[0]
    eigenvalues = np.linalg.eigvalsh(optimize.rosen_hess(x))
    np.testing.assert_allclose(largest, eigenvalues[np.argmax(np.abs(eigenvalues))])


def test_sparse_matrices_of_tensors() -> None:
    x = tp.tensor([[0.0, 2.0], [3.0, 0.0]])
    matrix = sparse.csr_array(x)
    assert matrix.nnz == 2
    np.testing.assert_array_equal(matrix @ x.numpy(), x.numpy() @ x.numpy())
    assert tp.tensor(matrix.toarray()).tolist() == x.tolist()


# ---- differential equations and integrals ----------------------------------------------------------------------------


def test_solve_ivp_of_a_potential_with_its_jacobian() -> None:
    def energy(q: tp.Tensor) -> tp.Tensor:
        return 0.5 * (q * q).sum()

    def flow(state: tp.Tensor) -> tp.Tensor:
        q, p = state[:1], state[1:]
        return tp.cat([p, -grad(energy)(q)])

    solved = integrate.solve_ivp(
        lambda t, y: on_arrays(flow)(y),
        (0, 2),
        [1.0, 0.0],
        method="Radau",
        jac=lambda t, y: on_arrays(jacfwd(flow))(y),
        rtol=1e-8,
        atol=1e-10,
    )
    np.testing.assert_allclose(solved.y[:, -1], [np.cos(2), -np.sin(2)], atol=1e-6)


def test_quadrature_of_mapped_functions() -> None:
    def slope(x: Array) -> Array:
        return on_arrays(vmap(grad(lambda x: x.sin() * x)))(np.atleast_1d(x))

    value, _ = integrate.quad(lambda x: slope(np.asarray(float(x)))[0], 0.0, 2.0)
    np.testing.assert_allclose(value, 2 * np.sin(2))
