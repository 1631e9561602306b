"""Memory shared with torch through DLPack, both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, vmap

torch = pytest.importorskip("torch")

DTYPES = [
    *("float16", "float32", "float64", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"),
]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0, 2)])
def test_a_write_on_either_side_is_seen_on_the_other(name: str, shape: tuple[int, ...]) -> None:
    ours = tp.zeros(shape, dtype=getattr(tp, name))
    theirs = torch.from_dlpack(ours)
    assert theirs.dtype == getattr(torch, name)
    assert tuple(theirs.shape) == shape
    back = tp.from_dlpack(theirs)
    assert back.dtype is ours.dtype
    assert back.data_ptr() == ours.data_ptr() or not ours.numel()
    theirs.fill_(1)
    assert bool((ours == 1).all())
    back.zero_()
    assert not theirs.to(torch.float64 if name.startswith("uint") else theirs.dtype).any()


def test_strides_are_kept() -> None:
    ours = tp.arange(12.0).reshape(3, 4)
    theirs = torch.from_dlpack(ours.T[1::2])
    assert theirs.stride() == (2, 4)
    theirs[0, 2] = -1
    assert ours[2, 1].item() == -1
    base = torch.arange(12.0).reshape(3, 4)
    view = tp.from_dlpack(base.t()[::2])
    assert view.stride() == (2, 4)
    view.mul_(10)
    np.testing.assert_array_equal(base.numpy()[:, ::2], np.arange(12.0).reshape(3, 4)[:, ::2] * 10)


def test_values_survive() -> None:
    values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324])
    np.testing.assert_array_equal(torch.from_dlpack(tp.from_numpy(values)).numpy(), values)
    np.testing.assert_array_equal(tp.from_dlpack(torch.tensor(values)).numpy(), values)


def test_traced_tensors_are_refused() -> None:
    def lend(x: tp.Tensor) -> Any:
        torch.from_dlpack(x)
        return x.sum()

    with pytest.raises(BufferError, match="detach"):
        torch.from_dlpack(tp.ones(2, requires_grad=True))
    with pytest.raises((RuntimeError, BufferError), match="grad"):
        grad(lend)(tp.ones(2))
    with pytest.raises(RuntimeError, match="vmap"):
        vmap(lend)(tp.ones(2, 3))


def test_gradients_of_the_same_data_agree() -> None:
    ours = tp.linspace(-1, 1, 7, dtype=tp.float64)
    theirs = torch.from_dlpack(ours).clone().requires_grad_()
    (theirs.sin() * theirs.exp()).sum().backward()
    np.testing.assert_allclose(grad(lambda x: (x.sin() * x.exp()).sum())(ours).numpy(), theirs.grad.numpy())
