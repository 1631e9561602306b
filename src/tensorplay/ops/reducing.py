"""What reductions share: arguments, checks, selection along a dim, and the form of a reduction with a real result."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import INT64, NumpyDtype, from_numpy_dtype
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.families import OUT, elementwise, kept_shape, scale, sum_dims
from tensorplay.ops.indexing import take_along
from tensorplay.ops.promotion import cast
from tensorplay.ops.results import ValuesIndices

Dims = int | Sequence[int] | None

# Whether two elements are the same, NaN being the same as NaN.
same = elementwise("same", lambda x, y: (x == y) | ((x != x) & (y != y)), None)


def keep(value: Value, keepdim: bool, shape: Shape, dims: tuple[int, ...]) -> Value:
    """A reduced value with size 1 along the reduced `dims` if `keepdim`."""
    return families.reshape(value, shape=kept_shape(shape, dims)) if keepdim else value


def count_along(shape: Shape, dims: tuple[int, ...]) -> int:
    """Number of elements that a reduction over `dims` combines into one."""
    return math.prod([shape[d] for d in dims])


def need_elements(input: Value, dims: tuple[int, ...], name: str) -> None:
    """Raise if an extreme over `dims` would have no elements to choose from."""
    if count_along(input.shape, dims):
        return
    if len(dims) == input.ndim:
        raise RuntimeError(
            f"{name}(): a tensor of shape {list(input.shape)} has no elements; name a dim= of non-zero size"
        )
    raise IndexError(f"{name}(): expected dims {dims} to have non-zero size, got shape {list(input.shape)}")


def need_order(input: Value, name: str) -> None:
    """Raise for complex numbers, which have no order."""
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name}(): complex numbers have no order; got {from_numpy_dtype(input.dtype)}")


def need_inexact(input: Value, name: str) -> None:
    """Raise unless `input` holds floating or complex numbers."""
    if input.dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}(): expected a floating-point or complex tensor, got {from_numpy_dtype(input.dtype)}; convert it "
            f"first"
        )


def whole(number: Any, name: str, argument: str) -> int:
    """`number` as an int."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{name}(): {argument} must be an int, got {shown(number)}") from None


def with_dim(input: Value) -> Value:
    """`input`, a 0-d one as a vector of one element."""
    return input if input.ndim else families.reshape(input, shape=(1,))


def drop_dim(value: Value, dim: int) -> Value:
    """`value` without `dim`, along which its size is 1."""
    shape = value.shape
    return families.reshape(value, shape=shape[:dim] + shape[dim + 1 :])


def select(input: Value, index: Value, dim: int, keepdim: bool) -> ValuesIndices:
    """The elements at `index`, which has size 1 along `dim`; `input` may be 0-d."""
    values = take_along(with_dim(input), index, dim=dim)
    if keepdim and input.ndim:
        return ValuesIndices(values, index)
    return ValuesIndices(drop_dim(values, dim), drop_dim(index, dim))


def sum_dtype(input: Value, dtype: NumpyDtype | None) -> NumpyDtype:
    """Torch adds and multiplies integers and bools in int64."""
    if dtype is not None:
        return np.dtype(dtype)
    return INT64 if input.dtype.kind in "bui" else input.dtype


def widened(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that computes in float32 on float16, whose range and precision are too small for sums."""

    def wide(x: Any, *rest: Any, **params: Any) -> Any:
        if x.dtype != np.float16:
            return kernel(x, *rest, **params)
        return kernel(x.astype(np.float32), *rest, **params).astype(np.float16)

    return wide


def real_reduction(name: str, impl: Callable[..., Any], weight: Callable[..., Value]) -> Primitive:
    """
    A primitive ``op(x, dims=..., **params)`` with a real result, also where x is complex.

    ``weight(out, x, dims, **params)`` is the gradient of the result, in the shape of x: a small change of x adds
    Re⟨weight, change⟩.
    """
    prim = Primitive(name, widened(impl), "reduction", (frozenset({OUT, 0}),))

    def derivative(out: Value, x: Value, *, dims: tuple[int, ...], **params: Any) -> LinearMap:
        kept: list[Value] = []

        def weights() -> Value:
            if not kept:
                kept.append(weight(out, x, dims, **params))
            return kept[0]

        def push(x_dot: Value) -> Value:
            return cast(sum_dims(scale(x_dot, families.conj(weights())), dims=dims), out.dtype)

        def pull(ct: Value) -> tuple[Value]:
            return (scale(cast(families.reshape(ct, shape=kept_shape(x.shape, dims)), x.dtype), weights()),)

        return LinearMap(push, pull)

    prim.derivative(derivative)
    prim.batch(
        lambda size, args, mapped, dims, **params: (prim(args[0], dims=tuple([d + 1 for d in dims]), **params), True)
    )
    return prim
