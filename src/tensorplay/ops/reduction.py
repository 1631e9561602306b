"""Reductions over dims: sums, means, extremes, norms. The family needs the weight of each element in the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import INT64, NumpyDtype
from tensorplay.ops import families
from tensorplay.ops.families import kept_shape, sum_dims
from tensorplay.ops.promotion import cast, to_inexact
from tensorplay.ops.shape import some_dims

Dims = int | Sequence[int] | None


def keep(value: Value, keepdim: bool, shape: tuple[int, ...], dims: tuple[int, ...]) -> Value:
    """A reduced value with size 1 along the reduced `dims` if `keepdim`."""
    return families.reshape(value, shape=kept_shape(shape, dims)) if keepdim else value


def sum(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    dims = some_dims(dim, input.ndim, "sum")
    if dtype is None and input.dtype.kind in "bui":
        dtype = INT64
    value = input if dtype is None else cast(input, dtype)
    return keep(sum_dims(value, dims=dims), keepdim, input.shape, dims)


def mean(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    dims = some_dims(dim, input.ndim, "mean")
    value = input if dtype is None else cast(input, dtype)
    if value.dtype.kind not in "fc":
        raise RuntimeError(f"mean(): needs a floating or complex tensor, got {value.dtype}; pass dtype=")
    count = np.prod([input.shape[d] for d in dims], dtype=np.int64) if dims else 1
    total = sum_dims(value, dims=dims)
    scaled = families.mul(total, 1.0 / int(count)) if count else families.mul(total, float("nan"))
    return keep(scaled, keepdim, input.shape, dims)
