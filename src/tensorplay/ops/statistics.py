"""Variances, deviations, covariances and correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Traced, Value, ground
from tensorplay.dtypes import from_numpy_dtype, real_dtype
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families, reduction
from tensorplay.ops.contraction import contract
from tensorplay.ops.indexing import take
from tensorplay.ops.norms import norm_primitive as _norm
from tensorplay.ops.promotion import cast, promote, to_inexact
from tensorplay.ops.reducing import count_along, keep, real_reduction
from tensorplay.ops.shape import some_dims

# ---- variance --------------------------------------------------------------------------------------------------------


def _var_impl(x: Any, dims: tuple[int, ...], freedom: float) -> Any:
    centred = x - np.add.reduce(x, axis=dims, keepdims=True) / x.dtype.type(count_along(x.shape, dims))
    squares = centred.real**2 + centred.imag**2 if x.dtype.kind == "c" else centred * centred
    return np.divide(np.add.reduce(squares, axis=dims), squares.dtype.type(freedom))


def _var_weight(_out: Value, x: Value, dims: tuple[int, ...], freedom: float) -> Value:
    return families.mul(_centred(x, dims), 2 / freedom if freedom else np.inf)


_var = real_reduction("var", _var_impl, _var_weight)


def _centred(x: Value, dims: tuple[int, ...]) -> Value:
    return ew.sub(x, reduction.mean(x, dims, True)) if dims else ew.sub(x, x)


class _Request:
    """The arguments that var and std share, by all of torch's call forms."""

    def __init__(self, name: str, input: Value, dim: Any, unbiased: Any, correction: Any) -> None:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None and correction is not None:
            raise RuntimeError(f"{name}(): give unbiased or correction, not both")
        if input.dtype.kind not in "fc":
            raise RuntimeError(
                f"{name}(): expected a floating-point or complex tensor, got {from_numpy_dtype(input.dtype)}"
            )
        self.dims = some_dims(dim, input.ndim, name)
        correction = (1 if unbiased is None else int(unbiased)) if correction is None else correction
        self.freedom = float(max(count_along(input.shape, self.dims) - correction, 0))


def var(
    input: Value,
    dim: int | Sequence[int] | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Value:
    """
    Variance of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    unbiased : bool, optional
        True is a correction of 1, False one of 0.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    correction : float, default 1
        The sum of squared deviations is divided by the number of elements less the correction.

    Returns
    -------
    Tensor
        Real; NaN where too few elements are left.

    Examples
    --------
    >>> tp.var(tp.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    asked = _Request("var", input, dim, unbiased, correction)
    return keep(_var(input, dims=asked.dims, freedom=asked.freedom), keepdim, input.shape, asked.dims)


def std(
    input: Value,
    dim: int | Sequence[int] | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Value:
    """
    Standard deviation of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    unbiased : bool, optional
        True is a correction of 1, False one of 0.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    correction : float, default 1
        The sum of squared deviations is divided by the number of elements less the correction.

    Returns
    -------
    Tensor
        Real. The derivative is zero where all elements are equal.

    Examples
    --------
    >>> tp.std(tp.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    asked = _Request("std", input, dim, unbiased, correction)
    root = asked.freedom**0.5
    size = _norm(_centred(input, asked.dims), dims=asked.dims, ord=2.0)
    return keep(ew.div(size, root), keepdim, input.shape, asked.dims)


def var_mean(
    input: Value,
    dim: int | Sequence[int] | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Value, Value]:
    """
    Variance and mean of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    unbiased : bool, optional
        True is a correction of 1, False one of 0.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    correction : float, default 1
        As for `var`.

    Returns
    -------
    tuple of Tensor
        The variance and the mean.

    Examples
    --------
    >>> tp.var_mean(tp.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    dims = None if isinstance(dim, bool) else dim
    return var(input, dim, unbiased, keepdim, correction=correction), reduction.mean(input, dims, keepdim)


def std_mean(
    input: Value,
    dim: int | Sequence[int] | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Value, Value]:
    """
    Standard deviation and mean of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    unbiased : bool, optional
        True is a correction of 1, False one of 0.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    correction : float, default 1
        As for `std`.

    Returns
    -------
    tuple of Tensor
        The deviation and the mean.

    Examples
    --------
    >>> tp.std_mean(tp.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    dims = None if isinstance(dim, bool) else dim
    return std(input, dim, unbiased, keepdim, correction=correction), reduction.mean(input, dims, keepdim)


# ---- covariance ------------------------------------------------------------------------------------------------------


def _as_rows(input: Value, name: str) -> Value:
    """Variables as rows, observations as columns."""
    if input.ndim > 2:
        raise RuntimeError(f"{name}(): expected at most two dims, got a tensor of shape {list(input.shape)}")
    value = to_inexact(input)
    return value if input.ndim == 2 else families.reshape(value, shape=(1, input.size))


def _check_weights(weights: Value, kinds: str, count: int, name: str) -> None:
    if weights.ndim > 1 or weights.size != count or weights.dtype.kind not in kinds:
        raise RuntimeError(
            f"cov(): expected {name} to be {'integers' if kinds == 'iu' else 'floating-point numbers'}, one for each "
            f"of {count} observations; got {from_numpy_dtype(weights.dtype)} of shape {list(weights.shape)}"
        )
    if not isinstance(weights, Traced) and (ground(weights) < 0).any():
        raise RuntimeError(f"cov(): {name} must not be negative")


def cov(input: Value, *, correction: int = 1, fweights: Value | None = None, aweights: Value | None = None) -> Value:
    """
    Covariance matrix of variables, which are the rows of a matrix with observations as columns.

    Parameters
    ----------
    input : Tensor
        Two dims; with fewer, the observations of one variable.
    correction : int, default 1
        The sums are divided by the number of observations less the correction.
    fweights : Tensor, optional
        How often each observation occurred; integers.
    aweights : Tensor, optional
        Importance of each observation.

    Returns
    -------
    Tensor
        A square matrix; 0-d for one variable.

    Notes
    -----
    With weights w = fweights · aweights, the sums are divided by Σw - correction · Σ(w · aweights) / Σw.

    Examples
    --------
    >>> tp.cov(tp.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x = _as_rows(input, "cov")
    count = x.shape[1]
    if fweights is None and aweights is None:
        centred = ew.sub(x, reduction.mean(x, 1, True))
        return _products(centred, centred, float(max(count - correction, 0)))
    x, *given = _weighted(x, fweights, aweights)
    weights = families.mul(*given) if len(given) == 2 else given[0]
    total = reduction.sum(weights)
    centred = ew.sub(x, ew.div(reduction.sum(ew.mul(x, weights), 1, True), total))
    lost = reduction.sum(families.mul(weights, given[-1])) if aweights is not None else total
    freedom = ew.sub(total, ew.mul(ew.div(lost, total), correction))
    return _products(ew.mul(centred, weights), centred, ew.clamp(freedom, 0))


def _weighted(x: Value, fweights: Value | None, aweights: Value | None) -> list[Value]:
    """`x` and the weights that were given, aweights last, as real numbers; all in the precision that holds them."""
    given: list[Value] = []
    for weights, kinds, name in ((fweights, "iu", "fweights"), (aweights, "f", "aweights")):
        if weights is not None:
            _check_weights(weights, kinds, x.shape[1], name)
            given.append(weights)
    dtype = x.dtype if aweights is None else np.promote_types(x.dtype, aweights.dtype)
    return [cast(x, dtype), *[cast(weights, real_dtype(dtype)) for weights in given]]


def _products(x: Value, y: Value, divisor: Any) -> Value:
    """Sums of products of each two rows, divided; 0-d for a single row."""
    sums = contract(*promote(x, families.conj(y)), spec=("ij", "kj", "ik"))
    out = ew.div(sums, divisor)
    return families.reshape(out, shape=()) if out.shape == (1, 1) else out


def corrcoef(input: Value) -> Value:
    """
    Correlation matrix of variables, which are the rows of a matrix with observations as columns.

    Parameters
    ----------
    input : Tensor
        Two dims; with fewer, the observations of one variable.

    Returns
    -------
    Tensor
        A square matrix; 0-d for one variable. NaN for variables that do not vary.

    Examples
    --------
    >>> tp.corrcoef(tp.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    c = cov(_as_rows(input, "corrcoef"))
    if c.ndim == 0:
        return ew.div(c, c)
    numbers = np.arange(c.shape[0])
    deviation = cast(ew.sqrt(cast(take(c, numbers, numbers, start=0), real_dtype(c.dtype))), c.dtype)
    out = ew.div(ew.div(c, families.reshape(deviation, shape=(c.shape[0], 1))), deviation)
    return ew.clamp(out, -1, 1) if c.dtype.kind == "f" else out
