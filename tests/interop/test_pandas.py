"""Columns of pandas' frames as tensors, and tensors as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp

pd = pytest.importorskip("pandas")


def test_columns_become_tensors() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, np.nan, 2.5]})
    assert tp.tensor(frame["a"].values).tolist() == [1, 2, 3]
    assert tp.tensor(frame["a"]).dtype is tp.int64
    np.testing.assert_array_equal(tp.tensor(frame["b"], dtype=tp.float64).numpy(), [0.5, np.nan, 2.5])
    np.testing.assert_array_equal(tp.from_numpy(frame.to_numpy()).numpy(), [[1, 0.5], [2, np.nan], [3, 2.5]])
    assert tp.tensor(frame).shape == (3, 2)
    assert tp.tensor(frame[:0]["a"]).shape == (0,)


def test_rows_chosen_by_a_mask() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=[10, 20, 30])
    assert tp.tensor(frame["a"][frame["a"] > 1]).tolist() == [2.0, 3.0]
    assert tp.tensor(frame["a"] > 1).dtype is tp.bool


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="str"):
        tp.tensor(pd.Series(["x", "y"]))


@pytest.mark.parametrize("name", ["float32", "float64", "int64", "uint8", "bool"])
def test_tensors_become_columns(name: str) -> None:
    column = tp.tensor([1, 0, 2]).to(getattr(tp, name))
    series = pd.Series(column)
    assert series.dtype == name
    assert series.tolist() == column.tolist()
    frame = pd.DataFrame({"x": column, "y": tp.arange(3)})
    assert frame["x"].dtype == name
    assert frame.assign(z=tp.ones(3))["z"].tolist() == [1.0] * 3


def test_matrices_become_frames() -> None:
    x = tp.arange(6.0).reshape(2, 3)
    frame = pd.DataFrame(x, columns=list("abc"))
    np.testing.assert_array_equal(frame.to_numpy(), x.numpy())
    assert frame["c"].sum() == 7


def test_tensors_that_require_grad_are_refused() -> None:
    x: Any = tp.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        pd.Series(x)
    assert pd.Series(x.detach()).sum() == 3
