"""opt_einsum contracts tensors by their own functions."""

from __future__ import annotations

import numpy as np
import opt_einsum
import pytest

import tensorplay as tp
from tensorplay.func import grad, vmap

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(
    "equation", ["ij,jk,kl->il", "ij,jk,kl->li", "ij,jk,kl->", "ij,jk,lk->jil", "ij,ij,ij->i", "ij,kl->klij", "ij->ji"]
)
def test_contract(equation: str) -> None:
    inputs = equation.split("->")[0].split(",")
    sizes = dict(zip("ijkl", (2, 3, 4, 5), strict=True))
    arrays = [RANDOM.standard_normal([sizes[label] for label in labels]) for labels in inputs]
    contracted = opt_einsum.contract(equation, *map(tp.from_numpy, arrays))
    assert isinstance(contracted, tp.Tensor)
    np.testing.assert_allclose(contracted.numpy(), np.einsum(equation, *arrays), atol=1e-12)


def test_expressions_with_constants() -> None:
    a, b, c = (RANDOM.standard_normal(shape) for shape in ((2, 3), (3, 4), (4, 5)))
    expression = opt_einsum.contract_expression("ij,jk,kl->il", tp.from_numpy(a), (3, 4), (4, 5), constants=[0])
    np.testing.assert_allclose(expression(tp.from_numpy(b), tp.from_numpy(c)).numpy(), a @ b @ c)


def test_under_transforms() -> None:
    a, b = RANDOM.standard_normal((3, 2, 4)), RANDOM.standard_normal((4, 5))

    def norm(a: tp.Tensor) -> tp.Tensor:
        return opt_einsum.contract("ij,jk,il,lk->", a, tp.from_numpy(b), a, tp.from_numpy(b))

    # |a b|² has the gradient 2 a b bᵀ
    np.testing.assert_allclose(vmap(grad(norm))(tp.from_numpy(a)).numpy(), 2 * a @ b @ b.T)


def test_names_of_numpy() -> None:
    a, b = RANDOM.standard_normal((2, 3, 4)), RANDOM.standard_normal((4, 3, 5))
    product = tp.tensordot(tp.from_numpy(a), tp.from_numpy(b), axes=([1, 2], [1, 0]))
    np.testing.assert_allclose(product.numpy(), np.tensordot(a, b, axes=([1, 2], [1, 0])))
    turned = tp.transpose(tp.from_numpy(a), (2, 0, 1))
    np.testing.assert_array_equal(turned.numpy(), a.transpose(2, 0, 1))
    with pytest.raises(TypeError, match="dim1"):
        tp.transpose(tp.ones(2, 3), 1)
