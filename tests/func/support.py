"""Numeric derivatives and comparisons for the tests of transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorplay as tp
from tests.laws.checks import assert_close, difference

Array = np.ndarray[Any, Any]


def double(values: Any) -> tp.Tensor:
    """A float64 tensor."""
    return tp.tensor(np.asarray(values, np.float64))


def normal(*shape: int, seed: int = 0) -> tp.Tensor:
    """A float64 tensor of normal numbers, the same every time."""
    return tp.tensor(np.random.default_rng(seed).standard_normal(shape))


def array(tensor: Any) -> Array:
    """The NumPy array of a tensor."""
    return np.asarray(tensor.detach().numpy())


def close(got: Any, expected: Any, rtol: float = 1e-9) -> None:
    """Shapes and elements of a tensor are those of a tensor, array or number."""
    assert_close(array(got), array(expected) if isinstance(expected, tp.Tensor) else expected, rtol)


def numeric_jacobian(function: Callable[[tp.Tensor], tp.Tensor], at: tp.Tensor) -> Array:
    """Jacobian by finite differences, shape ``out.shape + at.shape``."""
    x = array(at)
    columns = []
    for index in np.ndindex(x.shape):
        unit = np.zeros_like(x)
        unit[index] = 1
        columns.append(difference(lambda step, unit=unit: [array(function(tp.tensor(x + step * unit)))])[0])
    out_shape = columns[0].shape
    return np.stack(columns, -1).reshape(*out_shape, *x.shape)
