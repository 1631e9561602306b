"""Memory shared with NumPy, DLPack and buffers; pickle and copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, vmap

DTYPES = [
    np.float16,
    np.float32,
    np.float64,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.complex64,
    np.complex128,
]


# ---- NumPy -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*DTYPES, np.bool_, np.uint16, np.uint32, np.uint64])
def test_from_numpy_shares_memory(dtype: Any) -> None:
    array = np.zeros((2, 3), dtype)
    x = tp.from_numpy(array)
    array[0, 0] = 1
    assert x.numpy() is not None
    assert bool(x[0, 0] == 1)
    x[1, 2] = 1
    assert array[1, 2] == 1
    assert x.numpy().dtype == dtype
    assert tp.from_numpy(np.zeros((0, 3), dtype)).shape == (0, 3)


def test_strided_arrays_keep_their_strides() -> None:
    array = np.arange(12.0).reshape(3, 4)
    x = tp.from_numpy(array.T[::2])
    np.testing.assert_array_equal(x.numpy(), array.T[::2])
    x.mul_(2)
    assert array[1, 2] == 12
    assert x.stride() == (2, 4)
    assert tp.from_numpy(array[::-1]).contiguous().tolist() == array[::-1].tolist()


def test_as_tensor_and_asarray_share_where_they_can() -> None:
    array = np.arange(3.0)
    assert np.shares_memory(tp.as_tensor(array).numpy(), array)
    assert not np.shares_memory(tp.as_tensor(array, dtype=tp.float32).numpy(), array)
    assert not np.shares_memory(tp.tensor(array).numpy(), array)
    assert np.shares_memory(tp.asarray(array).numpy(), array)
    assert not np.shares_memory(tp.asarray(array, copy=True).numpy(), array)
    with pytest.raises(ValueError, match="copy"):
        tp.asarray([1.0], copy=False)
    x = tp.ones(2)
    assert tp.as_tensor(x) is x
    assert tp.asarray(x) is x


def test_read_only_memory_is_not_written() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    x = tp.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        x.add_(1)
    assert array.tolist() == [0, 1, 2]


def test_buffers() -> None:
    buffer = bytearray(np.arange(4, dtype=np.int32).tobytes())
    x = tp.frombuffer(buffer, dtype=tp.int32, offset=4)
    assert x.tolist() == [1, 2, 3]
    x[0] = 9
    assert np.frombuffer(buffer, np.int32)[1] == 9
    with pytest.raises(ValueError, match="buffer"):
        tp.frombuffer(b"abc", dtype=tp.int32)


def test_numpy_functions_take_tensors() -> None:
    x = tp.tensor([1.0, 4.0])
    assert np.sqrt(np.asarray(x)).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="detach"):
        np.asarray(x.requires_grad_())
    with pytest.raises(RuntimeError, match="grad"):
        grad(lambda x: np.asarray(x).sum())(tp.ones(2))
    with pytest.raises(TypeError, match="ndarray"):
        tp.from_numpy([1, 2])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dtype"):
        tp.from_numpy(np.array(["a"]))


# ---- DLPack ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_both_ways(dtype: Any) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    there = np.from_dlpack(tp.from_numpy(array))
    assert np.shares_memory(there, array)
    assert there.dtype == dtype
    back = tp.from_dlpack(array)
    array[1, 2] = 7
    assert bool(back[1, 2] == 7)
    assert np.from_dlpack(tp.from_numpy(array.T)).strides == array.T.strides
    assert tp.from_dlpack(tp.from_numpy(np.zeros((0, 2), dtype))).shape == (0, 2)


def test_dlpack_of_what_has_no_memory() -> None:
    assert tp.ones(2).__dlpack_device__()[0] == 1
    with pytest.raises(BufferError, match="detach"):
        np.from_dlpack(tp.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="vmap"):
        vmap(lambda x: tp.from_dlpack(x))(tp.ones(2, 3))
    with pytest.raises(RuntimeError, match="vmap"):
        vmap(lambda x: x.data_ptr())(tp.ones(2, 3))


# ---- pickle and copies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_pickle(dtype: Any) -> None:
    x = tp.from_numpy(np.arange(6).reshape(2, 3).astype(dtype).T)
    y = pickle.loads(pickle.dumps(x))
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y.numpy(), x.numpy())
    y.zero_()
    assert bool((x != 0).any())


def test_leaves_stay_leaves() -> None:
    x = tp.ones(2, requires_grad=True)
    (x * x).sum().backward()
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.requires_grad
        assert y.is_leaf
        (y * 3).sum().backward()
    assert copy.deepcopy(x).grad is not x.grad
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]
    for refused in (copy.deepcopy, pickle.dumps):
        with pytest.raises(RuntimeError, match="leaf"):
            refused(x * 2)


def test_copies_of_views_are_whole() -> None:
    x = tp.arange(6.0).reshape(2, 3)
    view = x[:, 1]
    y = copy.deepcopy(view)
    view.zero_()
    assert y.tolist() == [1.0, 4.0]
    twice = copy.deepcopy([view, view])
    assert twice[0] is twice[1]


# ---- dtypes ----------------------------------------------------------------------------------------------------------


def test_conversions() -> None:
    x = tp.tensor([0.0, 1.5, -2.5])
    assert x.float() is x
    kinds = {"half": tp.float16, "double": tp.float64, "cfloat": tp.complex64, "cdouble": tp.complex128}
    kinds |= {"char": tp.int8, "short": tp.int16, "int": tp.int32, "long": tp.int64, "bool": tp.bool}
    for name, dtype in kinds.items():
        assert getattr(x, name)().dtype is dtype, name
    assert x.long().tolist() == [0, 1, -2]
    assert x.bool().tolist() == [False, True, True]
    assert x.type_as(tp.zeros(1, dtype=tp.int64)).dtype is tp.int64
    assert grad(lambda x: x.double().half().sum())(x).dtype is tp.float32


def test_data_is_the_memory_without_derivatives() -> None:
    x = tp.ones(2, requires_grad=True)
    x.data.mul_(3)
    assert x.tolist() == [3.0, 3.0]
    x.data = tp.tensor([5.0, 6.0])
    assert x.requires_grad
    (x * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [10.0, 12.0]


def test_memory_queries() -> None:
    x = tp.zeros(2, 3, dtype=tp.float64)
    assert x.element_size() == x.itemsize == 8
    assert x.nbytes == 48
    assert x[0, 1].data_ptr() == x.data_ptr() + 8


def test_what_a_tensor_holds() -> None:
    x = tp.zeros(2, 3)
    assert x.is_floating_point()
    assert not x.is_complex()
    assert tp.tensor(1j).is_complex()
    assert x.is_signed()
    assert not x.byte().is_signed()
    assert (x.nelement(), x.ndimension()) == (6, 2)
    assert x.is_same_size(tp.ones(2, 3))
    assert not x.is_same_size(x.T)
    assert x.cpu() is x
    assert tp.tensor([2]).is_nonzero()
    with pytest.raises(RuntimeError, match="one element"):
        x.is_nonzero()


# ---- data that makes no tensor ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, tp.float32, tp.int64])
@pytest.mark.parametrize(
    ("error", "words", "data"),
    [
        (ValueError, r"entry \[0\] has length 2, entry \[1\] has length 1", [[1, 2], [3]]),
        (ValueError, r"entry \[0\] has length 2, entry \[1\] is no sequence", [[1, 2], 3]),
        (ValueError, r"entry \[0\]\[0\] has length 1, entry \[1\]\[1\] has length 2", [[[1], [2]], [[1], [2, 3]]]),
        (ValueError, r"entry \[0\] has length 2, entry \[1\] has length 3", [tp.ones(2), tp.ones(3)]),
        (ValueError, r"entry \[0\] has length 2, entry \[1\] has length 0", (np.ones(2), ())),
        (TypeError, r"got NoneType at \[1\]", [1, None]),
        (TypeError, r"got str at \[1\]\[0\]", [[1, 2], ["3", 4]]),
        (TypeError, "got dict$", {"a": 1}),
        (TypeError, "got str$", "1.5"),
        (TypeError, "got NoneType$", None),
        (TypeError, "NumPy type <U1", np.array(["1"])),
    ],
)
def test_data_must_be_numbers_in_even_sequences(error: type[Exception], words: str, data: Any, dtype: Any) -> None:
    with pytest.raises(error, match=rf"^tensor\(\): .*{words}"):
        tp.tensor(data, dtype=dtype)


def test_numbers_must_fit() -> None:
    for data in (2**63, [2**63], [2**70, np.float32(1.0)]):
        with pytest.raises(RuntimeError, match="does not fit into int64"):
            tp.tensor(data)
    for data in (300, [300], [-(2**70)]):
        with pytest.raises(RuntimeError, match=r"uint8|too large"):
            tp.tensor(data, dtype=tp.uint8)
    assert tp.tensor([2**63], dtype=tp.uint64).item() == 2**63
    assert tp.tensor([2**70], dtype=tp.float64).item() == 2.0**70


def test_code_that_asks_for_a_gpu_is_told() -> None:
    assert not tp.cuda.is_available()
    assert tp.cuda.device_count() == 0
    for move in (tp.ones(1).cuda, tp.nn.Linear(1, 1).cuda, lambda: tp.ones(1).to("cuda"), lambda: tp.device("cuda:0")):
        with pytest.raises(RuntimeError, match=r"device 'cuda(:0)?' is not available: .*CPU"):
            move()


def test_completion_shows_public_names() -> None:
    assert dir(tp.func) == sorted(tp.func.__all__)
