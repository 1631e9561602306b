"""Files of safetensors' own functions for arrays, read and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import tensorplay as tp

DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "complex64"]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_round_trip(name: str, shape: Any, tmp_path: Path) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(name)
    tensor = tp.from_numpy(array)
    safetensors.numpy.save_file({"w": tensor.numpy()}, tmp_path / "theirs.safetensors")
    np.testing.assert_array_equal(tp.load(tmp_path / "theirs.safetensors")["w"].numpy(), array)
    tp.save({"w": tensor}, tmp_path / "ours.safetensors")
    read = safetensors.numpy.load_file(tmp_path / "ours.safetensors")["w"]
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


def test_parameters_of_a_model(tmp_path: Path) -> None:
    model, other = tp.nn.Linear(3, 2), tp.nn.Linear(3, 2)
    safetensors.numpy.save_file(
        {key: x.numpy() for key, x in model.state_dict().items()}, tmp_path / "model.safetensors"
    )
    loaded = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    other.load_state_dict({key: tp.from_numpy(array) for key, array in loaded.items()})
    x = tp.randn(4, 3)
    assert bool((model(x) == other(x)).all())
