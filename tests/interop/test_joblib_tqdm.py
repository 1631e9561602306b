"""Tensors sent to joblib's workers and iterated by tqdm."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad

joblib = pytest.importorskip("joblib")
tqdm = pytest.importorskip("tqdm")


def test_dump_and_load(tmp_path: Path) -> None:
    x = tp.arange(6.0).reshape(2, 3).T
    leaf = tp.ones(2, requires_grad=True)
    joblib.dump({"x": x, "leaf": leaf}, tmp_path / "file")
    loaded = joblib.load(tmp_path / "file")
    assert loaded["x"].tolist() == x.tolist()
    assert loaded["leaf"].requires_grad
    assert joblib.hash(leaf) == joblib.hash(leaf.detach().clone().requires_grad_())
    assert joblib.hash(leaf) != joblib.hash(leaf.detach())


def test_memory_of_results(tmp_path: Path) -> None:
    calls: list[int] = []

    def double(x: tp.Tensor) -> tp.Tensor:
        calls.append(1)
        return x * 2

    cached = joblib.Memory(tmp_path, verbose=0).cache(double)
    assert cached(tp.ones(2)).tolist() == cached(tp.ones(2)).tolist() == [2.0, 2.0]
    assert calls == [1]


def test_workers() -> None:
    inputs = [tp.full((3,), float(k)) for k in range(4)]
    found = joblib.Parallel(n_jobs=2, prefer="threads")(joblib.delayed(grad(lambda x: (x**2).sum()))(x) for x in inputs)
    assert [x.tolist() for x in found] == [[2.0 * k] * 3 for k in range(4)]


def test_progress_over_rows() -> None:
    shown = io.StringIO()
    rows = [row.sum().item() for row in tqdm.tqdm(tp.arange(6.0).reshape(3, 2), file=shown)]
    np.testing.assert_array_equal(rows, [1, 5, 9])
    assert "3/3" in shown.getvalue()
