"""The namespace of the array API standard: promotion, names, and code for any array library under transforms."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, vmap

xp = tp.ones(1).__array_namespace__(api_version="2024.12")


def softmax_of(x: Any) -> Any:
    """As a library would write it that knows arrays by their namespace alone."""
    xp = x.__array_namespace__()
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def test_code_for_any_library_is_mapped_and_differentiated() -> None:
    array = np.random.default_rng(0).standard_normal((4, 3))
    x = tp.from_numpy(array)
    np.testing.assert_allclose(vmap(softmax_of)(x).numpy(), softmax_of(array))
    p = softmax_of(array)
    slopes = vmap(grad(lambda x: softmax_of(x)[0]))(x)
    np.testing.assert_allclose(slopes.numpy(), p[:, :1] * (np.eye(3)[0] - p))


def test_every_name_that_numpy_has_of_the_standard() -> None:
    names = [name for name in dir(xp) if not name.startswith("_") and callable(getattr(xp, name))]
    assert len(names) > 130
    assert not [name for name in names if not hasattr(np, name)]
    assert not [name for name in ("matrix_norm", "vecdot", "svdvals") if not hasattr(xp.linalg, name)]


def test_dims_do_not_matter_for_promotion() -> None:
    for kind, other in (("float32", "float64"), ("int8", "int32"), ("complex64", "float64"), ("uint8", "int8")):
        row, number = xp.ones(2, dtype=getattr(xp, kind)), xp.ones((), dtype=getattr(xp, other))
        assert xp.add(row, number).dtype.name == np.promote_types(kind, other).name
        assert xp.result_type(row, number) is xp.add(row, number).dtype
    assert xp.multiply(xp.ones(2, dtype=xp.float32), 2.5).dtype is xp.float32


@pytest.mark.parametrize("name", ["uint8", "uint32", "int8", "int64", "float32", "bool"])
def test_sums(name: str) -> None:
    array = np.ones((2, 3), name)
    x = tp.from_numpy(array)
    assert xp.sum(x, axis=0).tolist() == [2, 2, 2]
    if name != "bool":
        assert xp.sum(x).dtype.name == np.sum(array).dtype.name
        assert xp.cumulative_sum(x, axis=1, include_initial=True)[1].tolist() == [0, 1, 2, 3]
    assert np.sum(x, dtype=np.int32).dtype is tp.int32


def test_unique_elements() -> None:
    array = np.array([[3, 1, 1], [2, 3, 0]])
    found = xp.unique_all(tp.from_numpy(array))
    expected = np.unique_all(array)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)
    np.testing.assert_array_equal(found.values[found.inverse_indices].numpy(), array)


def test_dtypes_and_versions() -> None:
    assert xp.isdtype(xp.int8, ("bool", "signed integer"))
    assert not xp.isdtype(xp.uint8, "real floating")
    assert xp.can_cast(xp.int8, xp.int32)
    assert not xp.can_cast(xp.float32, xp.int64)
    assert xp.finfo(xp.complex64).dtype is xp.float32
    assert set(xp.__array_namespace_info__().dtypes(kind="complex floating")) == {"complex64", "complex128"}
    x = tp.ones(1)
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match=r"2024\.12"):
        x.__array_namespace__(api_version="2020.01")
    with pytest.raises(ValueError, match="at least one dim"):
        xp.nonzero(tp.tensor(1))


def test_the_namespace_is_imported_when_it_is_asked_for() -> None:
    code = "import sys, tensorplay; print('tensorplay.array_api' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"
