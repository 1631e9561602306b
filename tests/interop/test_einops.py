"""einops' own functions on tensors, alone and under transforms."""

from __future__ import annotations

import einops
import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, jvp, vmap

ARRAY = np.arange(24.0).reshape(2, 3, 4) - 7.5


def test_rearrange_and_repeat() -> None:
    x = tp.from_numpy(ARRAY)
    np.testing.assert_array_equal(
        einops.rearrange(x, "a b (c d) -> (a c) d b", d=2).numpy(),
        ARRAY.reshape(2, 3, 2, 2).transpose(0, 2, 3, 1).reshape(4, 2, 3),
    )
    np.testing.assert_array_equal(einops.repeat(x, "a b c -> a b c r", r=2).numpy(), np.stack([ARRAY, ARRAY], -1))
    assert einops.rearrange([x, x], "s a b c -> a b c s").shape == (2, 3, 4, 2)
    assert einops.parse_shape(x, "a _ c") == {"a": 2, "c": 4}
    np.testing.assert_array_equal(einops.asnumpy(x), ARRAY)
    with pytest.raises(einops.EinopsError, match="divide"):
        einops.rearrange(x, "a b (c d) -> a b c d", d=3)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_reduce(name: str) -> None:
    expected = getattr(ARRAY, name)(axis=(0, 2))
    np.testing.assert_allclose(einops.reduce(tp.from_numpy(ARRAY), "a b c -> b", name).numpy(), expected)
    whole = einops.reduce(tp.from_numpy(ARRAY), "a b c ->", name)
    np.testing.assert_allclose(whole.item(), getattr(ARRAY, name)())
    pooled = einops.reduce(tp.from_numpy(ARRAY), "a b (c d) -> a b c", name, d=2)
    np.testing.assert_allclose(pooled.numpy(), getattr(ARRAY.reshape(2, 3, 2, 2), name)(axis=3))


@pytest.mark.parametrize("name", ["any", "all"])
def test_reduce_truth(name: str) -> None:
    truth = ARRAY > 0
    reduced = einops.reduce(tp.from_numpy(truth), "a b c -> b", name)
    np.testing.assert_array_equal(reduced.numpy(), getattr(truth, name)(axis=(0, 2)))


def test_reduce_with_a_function_of_ones_own() -> None:
    reduced = einops.reduce(tp.from_numpy(ARRAY), "a b c -> b", lambda x, dims: x.logsumexp(dims))
    np.testing.assert_allclose(reduced.numpy(), np.log(np.exp(ARRAY).sum((0, 2))))


def test_einsum_pack_and_unpack() -> None:
    x, y = tp.from_numpy(ARRAY), tp.from_numpy(ARRAY[:, 0])
    product = einops.einsum(x, y, "batch row col, batch col -> batch row")
    np.testing.assert_allclose(product.numpy(), np.einsum("brc,bc->br", ARRAY, ARRAY[:, 0]))
    packed, shapes = einops.pack([x, y], "batch *")
    assert packed.shape == (2, 16)
    first, second = einops.unpack(packed, shapes, "batch *")
    np.testing.assert_array_equal(first.numpy(), ARRAY)
    np.testing.assert_array_equal(second.numpy(), ARRAY[:, 0])


def test_under_transforms() -> None:
    def pooled(row: tp.Tensor) -> tp.Tensor:
        return einops.reduce(row * row, "(n two) -> n", "max", two=2).sum()

    x = tp.tensor([[1.0, -3.0, 2.0, 0.5], [4.0, 1.0, -1.0, 2.0]])
    # the gradient of the square of the larger of each pair is twice the number, and zero for the other
    assert vmap(grad(pooled))(x).tolist() == [[0.0, -6.0, 4.0, 0.0], [8.0, 0.0, 0.0, 4.0]]
    _, tangent = jvp(lambda x: einops.repeat(x, "a b -> b (a r)", r=2), (x,), (tp.ones_like(x),))
    assert tangent.tolist() == np.ones((4, 4)).tolist()
    assert grad(lambda x: einops.pack([x, x], "* b")[0].sum())(x).tolist() == np.full((2, 4), 2.0).tolist()
