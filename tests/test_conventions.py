"""Each row of the tables in docs/conventions.md holds: the value, and the derivative in both modes."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import func

ROW = re.compile(r"^\| `(.+)` \| `(.+)` \| `(.+)` \| `(.+)` \|$", re.MULTILINE)
ROWS = ROW.findall((Path(__file__).parents[1] / "docs" / "conventions.md").read_text())
SHOWN = 1e-4  # the tables show four digits


def evaluated(text: str) -> Any:
    """What a cell says."""
    return eval(text, {"inf": inf, "nan": nan, "tp": tp})


def argument(text: str) -> tp.Tensor:
    """The tensor of a cell, in double precision."""
    return tp.tensor(evaluated(text), dtype=tp.complex128 if "j" in text else tp.float64)


def pushed_one_by_one(function: Callable[[tp.Tensor], tp.Tensor], x: tp.Tensor) -> Any:
    """The derivative of the real part of the output's sum by each element, in forward mode."""

    def along(place: tuple[int, ...], direction: complex) -> float:
        tangent = np.zeros(x.shape, x.numpy().dtype)
        tangent[place] = direction
        return float(func.jvp(function, (x,), (tp.from_numpy(tangent),))[1].sum().real.item())

    real = np.array([along(place, 1.0) for place in np.ndindex(*x.shape)]).reshape(x.shape)
    if not tp.is_complex(x):
        return real
    return real + 1j * np.array([along(place, 1j) for place in np.ndindex(*x.shape)]).reshape(x.shape)


def test_there_are_rows() -> None:
    assert len(ROWS) > 80


@pytest.mark.parametrize(("formula", "at", "value", "derivative"), ROWS, ids=lambda cell: cell)
def test_row(formula: str, at: str, value: str, derivative: str) -> None:
    function = evaluated(f"lambda x: {formula}")
    x = argument(at)
    out, pull = func.vjp(function, x)
    np.testing.assert_allclose(out.numpy(), evaluated(value), rtol=SHOWN, atol=SHOWN)
    (pulled,) = pull(tp.ones_like(out))
    np.testing.assert_allclose(pulled.numpy(), evaluated(derivative), rtol=SHOWN, atol=SHOWN)
    np.testing.assert_allclose(pushed_one_by_one(function, x), pulled.numpy(), rtol=1e-9, atol=1e-9)
