"""Repeated eigenvalues: functions of the values alone are right, functions of the vectors never finite and wrong."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, jvp


@pytest.mark.parametrize("matrix", [np.eye(3), np.diag([2.0, 2.0, 5.0])])
def test_symmetric_functions_of_eigenvalues_are_right(matrix: np.ndarray) -> None:
    def trace_of_cube(a: tp.Tensor) -> tp.Tensor:
        return (tp.linalg.eigvalsh(a) ** 3).sum()

    x = tp.tensor(matrix)
    np.testing.assert_allclose(grad(trace_of_cube)(x).numpy(), 3 * matrix @ matrix, atol=1e-12)
    direction = np.arange(9.0).reshape(3, 3)
    _, tangent = jvp(trace_of_cube, (x,), (tp.tensor(direction + direction.T),))
    expected = np.trace(3 * matrix @ matrix @ (direction + direction.T))
    np.testing.assert_allclose(tangent.numpy(), expected, rtol=1e-12)


def test_singular_values_of_a_multiple_of_a_rotation() -> None:
    rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
    gradient = grad(lambda a: tp.linalg.svdvals(a).sum())(tp.tensor(3 * rotation))
    np.testing.assert_allclose(gradient.numpy(), rotation, atol=1e-12)


def test_a_matrix_function_through_repeated_eigenvectors_is_no_finite_wrong_number() -> None:
    """The gradient of sum(c * a @ a) is c @ a + a @ c; through the eigenvectors of the identity it cannot be had."""
    c = tp.tensor(np.arange(9.0).reshape(3, 3))

    def square_by_spectrum(a: tp.Tensor) -> tp.Tensor:
        w, v = tp.linalg.eigh(a)
        return (c * ((v * w**2) @ v.mT)).sum()

    assert np.isnan(grad(square_by_spectrum)(tp.tensor(np.eye(3))).numpy()).any()
    apart = np.diag([1.0, 2.0, 4.0])
    expected = (lambda g: (g + g.T) / 2)(c.numpy() @ apart + apart @ c.numpy())
    np.testing.assert_allclose(grad(square_by_spectrum)(tp.tensor(apart)).numpy(), expected, atol=1e-12)


def test_vectors_of_separate_eigenvalues_are_differentiable_beside_repeated_ones() -> None:
    matrix = np.diag([1.0, 1.0, 3.0])

    def largest_direction(a: tp.Tensor) -> tp.Tensor:
        v = tp.linalg.eigh(a)[1][:, 2]
        return (v[0] / v[2]) ** 1

    def rayleigh(a: np.ndarray) -> float:
        v = np.linalg.eigh(a)[1][:, 2]
        return v[0] / v[2]

    step = np.zeros((3, 3))
    step[0, 2] = step[2, 0] = 1e-6
    expected = (rayleigh(matrix + step) - rayleigh(matrix - step)) / 2e-6
    gradient = grad(largest_direction)(tp.tensor(matrix)).numpy()
    np.testing.assert_allclose(gradient[0, 2] + gradient[2, 0], expected, rtol=1e-6)
