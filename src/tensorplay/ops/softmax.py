"""Log-sum-exp, softmax and its logarithm, which stay exact for large, small and infinite elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import NumpyDtype, from_numpy_dtype
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families
from tensorplay.ops.families import OUT, conj, kept_shape, reduction, scale, sum_dims, sum_of
from tensorplay.ops.operands import planned
from tensorplay.ops.promotion import cast, to_inexact
from tensorplay.ops.reducing import Dims, keep, widened
from tensorplay.ops.rows import FEW, greatest
from tensorplay.ops.rowwise import by_rows
from tensorplay.ops.shape import one_dim, some_dims
from tensorplay.ops.totals import sum_over


def _greatest(x: Any, dims: tuple[int, ...]) -> Any:
    """Greatest (real part of an) element, with `dims` kept."""
    if not x.size:
        return np.maximum.reduce(x.real, axis=dims, keepdims=True, initial=-np.inf)
    return greatest(x.real, dims, keep=True)


def _total(value: Value, dims: tuple[int, ...]) -> Value:
    """Sum over `dims`, which stay."""
    return families.reshape(sum_dims(value, dims=dims), shape=kept_shape(value.shape, dims))


# ---- softmax ---------------------------------------------------------------------------------------------------------


# Numbers within these bounds need no shift: neither their exponentials nor sums and quotients of these overflow.
_MODERATE = {char: math.log(float(np.finfo(char).max)) / 2 for char in "fd"}


def _is_moderate(x: Any) -> bool:
    bound = _MODERATE[x.dtype.char]
    return bool(np.maximum.reduce(x, axis=None) < bound and np.minimum.reduce(x, axis=None) > -bound)


def softmax_kernel(x: Any, dims: tuple[int, ...], limits: bool) -> Any:
    """Softmax of an array over `dims`."""
    if x.size > FEW and x.dtype.char in _MODERATE and _is_moderate(x):
        out = np.exp(x)
        out /= sum_over(out, dims, keep=True)
        return out
    top = _greatest(x, dims)
    out = np.asarray(x - top)
    np.exp(out, out=out)
    out /= sum_over(out, dims, keep=True)
    if limits and np.isinf(top).any():
        chosen = (x.real == top) & (top > 0)
        share = chosen / np.maximum(np.add.reduce(chosen, axis=dims, keepdims=True), 1)
        out = np.where(np.isinf(top), share, out).astype(x.dtype, copy=False)
    return out


# With `limits`, a row of minus infinities gives zeros, and infinities share one; otherwise both give NaN.
softmax_over = Primitive(
    "softmax",
    widened(softmax_kernel),
    "general",
    (frozenset({OUT}),),
    many=by_rows(widened(softmax_kernel)),
    formal=True,
)


@softmax_over.derivative
def _softmax_derivative(out: Value, x: Value, *, dims: tuple[int, ...], limits: bool) -> LinearMap:
    return LinearMap(lambda x_dot: centre(x_dot, out, dims=dims), lambda ct: (centre(ct, conj(out), dims=dims),))


@softmax_over.batch
def _softmax_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...], limits: bool
) -> tuple[Value, bool]:
    return softmax_over(args[0], dims=tuple([d + 1 for d in dims]), limits=limits), True


def _centre_impl(vector: Any, weights: Any, dims: tuple[int, ...]) -> Any:
    out = np.asarray(vector * weights)
    mean = sum_over(out, dims, keep=True)
    if np.isfinite(mean).all():
        np.subtract(vector, mean, out=out)
        out *= weights
        return out
    # a zero stays zero, whatever its weight
    weighted = np.where(vector == 0, 0, out)
    mean = sum_over(weighted, dims, keep=True)
    return weighted - np.where(mean == 0, 0, mean * weights)


# weights · (vector - mean), where the mean is that of the vector under the weights: the derivative of softmax.
centre = Primitive("softmax_derivative", _centre_impl, many=by_rows(_centre_impl), formal=True)


@centre.derivative
def _centre_derivative(out: Value, vector: Value, weights: Value, *, dims: tuple[int, ...]) -> LinearMap:
    def rest() -> Value:
        return ew.sub(vector, _total(scale(vector, weights), dims))

    def push(vector_dot: Value | None, weights_dot: Value | None) -> Value | None:
        along = None if vector_dot is None else centre(vector_dot, weights, dims=dims)
        if weights_dot is None:
            return along
        lost = scale(_total(scale(weights_dot, vector), dims), weights)
        return sum_of(along, ew.sub(scale(weights_dot, rest()), lost))

    def pull_weights(ct: Value) -> Value:
        lost = scale(_total(scale(ct, conj(weights)), dims), conj(vector))
        return ew.sub(scale(ct, conj(rest())), lost)

    return LinearMap(push, lambda ct: (lambda: centre(ct, conj(weights), dims=dims), lambda: pull_weights(ct)))


@centre.batch
def _centre_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...]
) -> tuple[Value, bool]:
    return centre(*families.all_mapped(size, args, mapped), dims=tuple([d + 1 for d in dims])), True


def _prepared(input: Value, dim: int, dtype: NumpyDtype | None, name: str) -> tuple[Value, tuple[int, ...]]:
    value = input if dtype is None else cast(input, np.dtype(dtype))
    if value.dtype.kind != "f":
        raise RuntimeError(
            f"{name}(): expected a floating-point tensor, got {from_numpy_dtype(value.dtype)}; pass dtype="
        )
    return value, _one(input.shape, dim, name)


@functools.lru_cache(maxsize=1024)
def _softmax_plan(shape: Shape, dim: int) -> tuple[Primitive, dict[str, Any]]:
    return softmax_over, {"dims": _one(shape, dim, "softmax"), "limits": False}


def _one(shape: Shape, dim: int, name: str) -> tuple[int, ...]:
    axis = one_dim(dim, len(shape), name)
    return (axis,) if shape else ()


@planned(_softmax_plan, "f")
def softmax(input: Value, dim: int, dtype: NumpyDtype | None = None) -> Value:
    """
    Exponentials of the elements, divided by their sum along a dim.

    Parameters
    ----------
    input : Tensor
        Floating-point, unless `dtype` is given.
    dim : int
        Dim along which the result adds up to one.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`; 0 where an element is minus infinity, NaN where all along the dim are.

    Examples
    --------
    >>> tp.softmax(tp.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    value, dims = _prepared(input, dim, dtype, "softmax")
    return softmax_over(value, dims=dims, limits=False)


def softmin(input: Value, dim: int, dtype: NumpyDtype | None = None) -> Value:
    """
    Softmax of the negated elements.

    Parameters
    ----------
    input : Tensor
        Floating-point, unless `dtype` is given.
    dim : int
        Dim along which the result adds up to one.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.softmin(tp.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    value, dims = _prepared(input, dim, dtype, "softmin")
    return softmax_over(families.negative(value), dims=dims, limits=False)


# ---- its logarithm ---------------------------------------------------------------------------------------------------


def _log_softmax_impl(x: Any, dims: tuple[int, ...]) -> Any:
    out = x - _greatest(x, dims)
    out -= np.log(sum_over(np.exp(out), dims, keep=True))
    return out


_log_softmax = Primitive(
    "log_softmax",
    widened(_log_softmax_impl),
    "general",
    (frozenset({OUT}),),
    many=by_rows(widened(_log_softmax_impl)),
    formal=True,
)


@_log_softmax.derivative
def _log_softmax_derivative(out: Value, x: Value, *, dims: tuple[int, ...]) -> LinearMap:
    def push(x_dot: Value) -> Value:
        return ew.sub(x_dot, _total(scale(x_dot, ew.exp(out)), dims))

    return LinearMap(push, lambda ct: (_spread(ct, out, dims=dims),))


@_log_softmax.batch
def _log_softmax_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...]
) -> tuple[Value, bool]:
    return _log_softmax(args[0], dims=tuple([d + 1 for d in dims])), True


def _spread_impl(ct: Any, logs: Any, dims: tuple[int, ...]) -> Any:
    given = sum_over(ct, dims, keep=True)
    out = np.asarray(np.exp(logs))
    out *= given
    if not np.isfinite(sum_over(out, dims)).all():
        out = np.where(given == 0, 0, out)
    return np.subtract(ct, out, out=out)


# ct - exp(logs) · (sum of ct): the derivative of log_softmax, pulled.
_spread = Primitive("log_softmax_derivative", _spread_impl, many=by_rows(_spread_impl), formal=True)


@_spread.derivative
def _spread_derivative(out: Value, ct: Value, logs: Value, *, dims: tuple[int, ...]) -> LinearMap:
    def weighted(vector: Value) -> Value:
        return scale(vector, ew.exp(logs))

    def push(ct_dot: Value | None, logs_dot: Value | None) -> Value | None:
        along = None if ct_dot is None else _spread(ct_dot, logs, dims=dims)
        if logs_dot is None:
            return along
        return sum_of(along, families.negative(scale(weighted(logs_dot), _total(ct, dims))))

    def pull(g: Value) -> tuple[Any, ...]:
        return (
            lambda: ew.sub(g, _total(weighted(g), dims)),
            lambda: families.negative(scale(weighted(g), _total(ct, dims))),
        )

    return LinearMap(push, pull)


@_spread.batch
def _spread_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...]
) -> tuple[Value, bool]:
    return _spread(*families.all_mapped(size, args, mapped), dims=tuple([d + 1 for d in dims])), True


@functools.lru_cache(maxsize=1024)
def _log_softmax_plan(shape: Shape, dim: int) -> tuple[Primitive, dict[str, Any]]:
    return _log_softmax, {"dims": _one(shape, dim, "log_softmax")}


@planned(_log_softmax_plan, "f")
def log_softmax(input: Value, dim: int, dtype: NumpyDtype | None = None) -> Value:
    """
    Logarithm of the softmax, without its rounding errors.

    Parameters
    ----------
    input : Tensor
        Floating-point, unless `dtype` is given.
    dim : int
        Dim along which the exponentials of the result add up to one.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.log_softmax(tp.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    value, dims = _prepared(input, dim, dtype, "log_softmax")
    return _log_softmax(value, dims=dims)


# ---- log-sum-exp -----------------------------------------------------------------------------------------------------


def _logsumexp_impl(x: Any, dims: tuple[int, ...]) -> Any:
    top = _greatest(x, dims)
    top = np.where(np.isfinite(top), top, top.dtype.type(0))
    out = np.log(np.add.reduce(np.exp(x - top), axis=dims))
    return out + top.reshape(out.shape)


_logsumexp = reduction(
    "logsumexp",
    widened(_logsumexp_impl),
    lambda _out, x, dims: softmax_over(x, dims=dims, limits=True),
)


def logsumexp(input: Value, dim: Dims, keepdim: bool = False) -> Value:
    """
    Logarithm of the sum of the elements' exponentials.

    Parameters
    ----------
    input : Tensor
        Any shape; integers and bools are taken as floating-point numbers of the default dtype.
    dim : int or tuple of int
        Dims to sum over.
    keepdim : bool, default False
        Whether the dims summed over stay, with size 1.

    Returns
    -------
    Tensor
        Minus infinity where all elements are (their derivative is zero) or where there are none.

    Examples
    --------
    >>> tp.logsumexp(tp.tensor([0.0, 0.0]), dim=0)
    tensor(0.6931)
    """
    value = to_inexact(input)
    dims = some_dims(dim, input.ndim, "logsumexp")
    return keep(_logsumexp(value, dims=dims), keepdim, input.shape, dims)
