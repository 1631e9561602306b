"""Memory shared with JAX through DLPack: JAX's arrays are read-only, and what it is lent it may keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, vmap

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

DTYPES = ["float16", "float32", "complex64", "int8", "int16", "int32", "uint8", "uint16", "uint32"]


def address(array: Any) -> int:
    return int(array.unsafe_buffer_pointer())


@pytest.mark.parametrize("name", DTYPES)
def test_tensors_on_memory_of_jax(name: str) -> None:
    theirs = jnp.arange(6).reshape(2, 3).astype(name)
    ours = tp.from_dlpack(theirs)
    assert ours.dtype is getattr(tp, name)
    assert ours.data_ptr() == address(theirs)
    np.testing.assert_array_equal(ours.numpy(), np.arange(6).reshape(2, 3).astype(name))
    with pytest.raises(RuntimeError, match="read-only"):
        ours.zero_()
    assert ours.clone().zero_().sum().item() == 0


@pytest.mark.parametrize("name", DTYPES)
def test_jax_arrays_on_memory_of_tensors(name: str) -> None:
    aligned = np.empty(256, np.uint8)  # JAX shares memory that starts at a multiple of 64 bytes, and copies other
    start = -aligned.ctypes.data % 64
    dtype = np.dtype(name)
    array = aligned[start : start + 6 * dtype.itemsize].view(dtype).reshape(2, 3)
    array[...] = np.arange(6).reshape(2, 3)
    ours = tp.from_numpy(array)
    theirs = jnp.from_dlpack(ours)
    assert theirs.dtype == dtype
    assert address(theirs) == ours.data_ptr()
    ours[1, 2] = 9
    assert theirs[1, 2] == 9


def test_strides_and_sizes() -> None:
    ours = tp.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(np.asarray(jnp.from_dlpack(ours.T)), np.arange(6.0).reshape(2, 3).T)
    assert jnp.from_dlpack(tp.zeros(0, 2)).shape == (0, 2)
    assert tp.from_dlpack(jnp.zeros((0, 2))).shape == (0, 2)
    assert tp.from_dlpack(jnp.float32(3.0)).item() == 3.0


def test_traced_tensors_are_refused() -> None:
    def lend(x: tp.Tensor) -> Any:
        jnp.from_dlpack(x)
        return x.sum()

    with pytest.raises(BufferError, match="detach"):
        jnp.from_dlpack(tp.ones(2, requires_grad=True))
    with pytest.raises((RuntimeError, BufferError), match="grad"):
        grad(lend)(tp.ones(2))
    with pytest.raises(RuntimeError, match="vmap"):
        vmap(lend)(tp.ones(2, 3))


def test_gradients_of_the_same_data_agree() -> None:
    ours = tp.linspace(-1, 1, 7)
    theirs = jax.grad(lambda x: (jnp.sin(x) * jnp.exp(x)).sum())(jnp.from_dlpack(ours))
    np.testing.assert_allclose(grad(lambda x: (x.sin() * x.exp()).sum())(ours).numpy(), np.asarray(theirs), rtol=1e-5)
