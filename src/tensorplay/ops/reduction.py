"""
Reductions over dims: sums, products, extremes, norms.

The family derives every rule from the weight of each element in the result. Elements that tie for an extreme share its
derivative evenly; where a dim is named, `max` and `min` select one element instead, and so does their derivative.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import BOOL, INT64, NumpyDtype, from_numpy_dtype, real_dtype
from tensorplay.ops import elementwise as ew
from tensorplay.ops import families, scan
from tensorplay.ops.families import OUT, elementwise, kept_shape, reduction, scale, structural, sum_dims, unreduce
from tensorplay.ops.indexing import take, take_along, where
from tensorplay.ops.promotion import cast
from tensorplay.ops.results import MinMax, ValuesIndices
from tensorplay.ops.shape import broadcast_to, one_dim, some_dims

Dims = int | Sequence[int] | None


# ---- helpers ---------------------------------------------------------------------------------------------------------


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
            f"{name}(): expected a floating-point or complex tensor, got {from_numpy_dtype(input.dtype)}; convert it first"
        )


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


def _sum_dtype(input: Value, dtype: NumpyDtype | None) -> NumpyDtype:
    """Torch adds and multiplies integers and bools in int64."""
    if dtype is not None:
        return np.dtype(dtype)
    return INT64 if input.dtype.kind in "bui" else input.dtype


def real_reduction(name: str, impl: Callable[..., Any], weight: Callable[..., Value]) -> Primitive:
    """
    A primitive ``op(x, dims=..., **params)`` with a real result, also where x is complex.

    ``weight(out, x, dims, **params)`` is the gradient of the result, in the shape of x: a small change of x adds
    Re⟨weight, change⟩.
    """
    prim = Primitive(name, impl, "reduction", (frozenset({OUT, 0}),))

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


# ---- sums ------------------------------------------------------------------------------------------------------------


def sum(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Sum of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; integers and bools are added in int64.
    dim : int or tuple of int, optional
        Dims to sum over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims summed over stay, with size 1.
    dtype : dtype, optional
        Convert to it before adding.

    Returns
    -------
    Tensor
        The sums; 0 where there is nothing to add.

    Examples
    --------
    >>> tp.sum(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([4., 6.])
    """
    dims = some_dims(dim, input.ndim, "sum")
    return keep(sum_dims(cast(input, _sum_dtype(input, dtype)), dims=dims), keepdim, input.shape, dims)


# Whether two elements are the same, NaN being the same as NaN.
same = elementwise("same", lambda x, y: (x == y) | ((x != x) & (y != y)), None)
_is_number = elementwise("is_number", lambda x: x == x, None)


def nansum(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Sum of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Any shape; integers and bools are added in int64.
    dim : int or tuple of int, optional
        Dims to sum over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims summed over stay, with size 1.
    dtype : dtype, optional
        Convert to it before adding.

    Returns
    -------
    Tensor
        The sums. The derivative with respect to a NaN is zero.

    Examples
    --------
    >>> tp.nansum(tp.tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    if input.dtype.kind in "fc":
        input = where(_is_number(input), input, np.zeros((), input.dtype))
    return sum(input, dim, keepdim, dtype=dtype)


def _mean_impl(x: Any, dims: tuple[int, ...], count: int) -> Any:
    return np.divide(np.add.reduce(x, axis=dims, dtype=x.dtype), x.dtype.type(count))


_mean = structural(
    "mean",
    _mean_impl,
    transpose=lambda ct, x, dims, count: unreduce(families.mul(ct, 1 / count if count else 0.0), x.shape, dims),
    batch=lambda size, args, mapped, dims, count: (
        _mean(args[0], dims=tuple([d + 1 for d in dims]), count=count),
        True,
    ),
)


def mean(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Mean of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, unless `dtype` is given.
    dim : int or tuple of int, optional
        Dims to average over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims averaged over stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The means; NaN where there is nothing to average.

    Raises
    ------
    RuntimeError
        If the elements are integers or bools and no floating-point `dtype` is given.

    Examples
    --------
    >>> tp.mean(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
    tensor([1.5000, 3.5000])
    """
    dims = some_dims(dim, input.ndim, "mean")
    value = input if dtype is None else cast(input, dtype)
    if value.dtype.kind not in "fc":
        raise RuntimeError(
            f"mean(): expected a floating-point or complex tensor, got {from_numpy_dtype(value.dtype)}; pass dtype="
        )
    return keep(_mean(value, dims=dims, count=count_along(value.shape, dims)), keepdim, input.shape, dims)


def nanmean(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Mean of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, unless `dtype` is given.
    dim : int or tuple of int, optional
        Dims to average over; None or an empty tuple is all.
    keepdim : bool, default False
        Whether the dims averaged over stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The means; NaN where all elements are.

    Examples
    --------
    >>> tp.nanmean(tp.tensor([1.0, float("nan"), 2.0]))
    tensor(1.5000)
    """
    value = input if dtype is None else cast(input, dtype)
    need_inexact(value, "nanmean")
    count = sum(cast(_is_number(value), value.dtype), dim, keepdim)
    return ew.div(nansum(value, dim, keepdim), count)


# ---- products --------------------------------------------------------------------------------------------------------


def _prod_weight(_out: Value, x: Value, dims: tuple[int, ...]) -> Value:
    """Product of all other elements: of those before times those behind, so that no zero is divided by."""
    rest = tuple([d for d in range(x.ndim) if d not in dims])
    order = (*rest, *dims)
    moved = families.permute(x, dims=order)
    lead = moved.shape[: len(rest)]
    rows = families.reshape(moved, shape=(*lead, count_along(x.shape, dims)))  # [*rest, n]
    before = scan.exclusive_cumprod(rows, dim=len(rest))
    behind = scan.exclusive_cumprod(rows, dim=len(rest), reverse=True)
    others = families.reshape(families.mul(before, behind), shape=moved.shape)
    return families.permute(others, dims=families.inverse_permutation(order))


_prod = reduction("prod", lambda x, dims: np.multiply.reduce(x, axis=dims, dtype=x.dtype), _prod_weight)


def prod(input: Value, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None) -> Value:
    """
    Product of the elements, of all or along dims.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; integers and bools are multiplied in int64.
    dim : int or tuple of int, optional
        Dims to multiply over; None is all.
    keepdim : bool, default False
        Whether the dims multiplied over stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        The products; 1 where there is nothing to multiply.

    Notes
    -----
    Derivatives of any order are exact where elements are zero: each is a product of the other elements, no quotient.

    Examples
    --------
    >>> tp.prod(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([3., 8.])
    """
    dims = some_dims(dim, input.ndim, "prod")
    return keep(_prod(cast(input, _sum_dtype(input, dtype)), dims=dims), keepdim, input.shape, dims)


# ---- extremes --------------------------------------------------------------------------------------------------------


def share_of_extreme(out: Value, x: Value, dims: tuple[int, ...]) -> Value:
    """Weight of a selected element: those that equal the result share evenly."""
    chosen = cast(same(x, families.reshape(out, shape=kept_shape(x.shape, dims))), x.dtype)
    count = families.reshape(sum_dims(chosen, dims=dims), shape=kept_shape(x.shape, dims))
    return ew.div(chosen, count)


_amax = reduction("amax", lambda x, dims: np.maximum.reduce(x, axis=dims), share_of_extreme)
_amin = reduction("amin", lambda x, dims: np.minimum.reduce(x, axis=dims), share_of_extreme)


def _extreme(prim: Primitive, input: Value, dim: Dims, keepdim: bool, name: str) -> Value:
    need_order(input, name)
    dims = some_dims(dim, input.ndim, name)
    need_elements(input, dims, name)
    return keep(prim(input, dims=dims), keepdim, input.shape, dims)


def amax(input: Value, dim: Dims = (), keepdim: bool = False) -> Value:
    """
    Greatest elements, over all or some dims.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        The maxima; NaN where an element is. Elements that tie share the derivative evenly.

    Raises
    ------
    RuntimeError, IndexError
        If there are no elements to choose from.

    Examples
    --------
    >>> tp.amax(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1)
    tensor([5., 4.])
    """
    return _extreme(_amax, input, dim, keepdim, "amax")


def amin(input: Value, dim: Dims = (), keepdim: bool = False) -> Value:
    """
    Least elements, over all or some dims.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        The minima; NaN where an element is. Elements that tie share the derivative evenly.

    Raises
    ------
    RuntimeError, IndexError
        If there are no elements to choose from.

    Examples
    --------
    >>> tp.amin(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1)
    tensor([1., 3.])
    """
    return _extreme(_amin, input, dim, keepdim, "amin")


def aminmax(input: Value, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """
    Least and greatest elements.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int, optional
        Dim to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.

    Returns
    -------
    min, max : Tensor
        As `amin` and `amax` give them.

    Examples
    --------
    >>> tp.aminmax(tp.tensor([1.0, 5.0, 3.0])).max
    tensor(5.)
    """
    return MinMax(_extreme(_amin, input, dim, keepdim, "aminmax"), _extreme(_amax, input, dim, keepdim, "aminmax"))


def _argument_of(name: str, impl: Callable[..., Any]) -> Primitive:
    """A primitive for the position of an extreme along `dim`, which stays with size 1."""
    prim = Primitive(
        name, lambda x, dim: impl(x, axis=dim, keepdims=True).astype(INT64, copy=False), differentiable=False
    )
    prim.batch(lambda size, args, mapped, dim: (prim(args[0], dim=dim + 1), True))
    return prim


_argmax = _argument_of("argmax", np.argmax)
_argmin = _argument_of("argmin", np.argmin)


def _position(prim: Primitive, input: Value, dim: int | None, keepdim: bool, name: str) -> Value:
    need_order(input, name)
    if input.dtype == BOOL:
        raise RuntimeError(f"{name}(): bools are not supported; convert to an integer dtype first")
    dims = some_dims(dim, input.ndim, name)
    need_elements(input, dims, name)
    if dim is None:
        found = drop_dim(prim(families.reshape(input, shape=(input.size,)), dim=0), 0)
        return keep(found, keepdim, input.shape, dims)
    axis = one_dim(dim, input.ndim, name)
    found = prim(with_dim(input), dim=axis)
    return found if keepdim and input.ndim else drop_dim(found, axis)


def argmax(input: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """
    Position of the greatest element, the first one where several tie.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the greatest.
    dim : int, optional
        Dim to search; None is the flattened tensor.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> tp.argmax(tp.tensor([[1.0, 5.0], [3.0, 4.0]]))
    tensor(1)
    """
    return _position(_argmax, input, dim, keepdim, "argmax")


def argmin(input: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """
    Position of the least element, the first one where several tie.

    Parameters
    ----------
    input : Tensor
        Real, of any shape; NaN counts as the least.
    dim : int, optional
        Dim to search; None is the flattened tensor.
    keepdim : bool, default False
        Whether the dim stays, with size 1.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> tp.argmin(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=0)
    tensor([0, 1])
    """
    return _position(_argmin, input, dim, keepdim, "argmin")


def _select_extreme(prim: Primitive, input: Value, dim: int, keepdim: bool, name: str) -> ValuesIndices:
    need_order(input, name)
    axis = one_dim(dim, input.ndim, name)
    need_elements(input, some_dims(axis, input.ndim, name), name)
    return select(input, prim(with_dim(input), dim=axis), axis, keepdim)


def max(input: Value, dim: Any = None, keepdim: bool = False, *, other: Value | None = None) -> Any:
    """
    Greatest element; along a dim also its position; or the greater of two tensors' elements.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or Tensor, optional
        A dim to reduce, or the tensor `other`; all dims by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.
    other : Tensor, optional
        Compare elementwise with it, as `maximum` does.

    Returns
    -------
    Tensor or (values, indices)
        With `dim` a named tuple; the first of several elements that tie is selected. Without, ties share the derivative.

    Examples
    --------
    >>> tp.max(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).indices
    tensor([1, 1])
    >>> tp.max(tp.tensor([1.0, 5.0]))
    tensor(5.)
    """
    if other is not None or hasattr(dim, "dtype"):
        return ew.maximum(input, dim if other is None else other)
    if dim is None:
        return _extreme(_amax, input, None, keepdim, "max")
    return _select_extreme(_argmax, input, dim, keepdim, "max")


def min(input: Value, dim: Any = None, keepdim: bool = False, *, other: Value | None = None) -> Any:
    """
    Least element; along a dim also its position; or the lesser of two tensors' elements.

    Parameters
    ----------
    input : Tensor
        Real, of any shape.
    dim : int or Tensor, optional
        A dim to reduce, or the tensor `other`; all dims by default.
    keepdim : bool, default False
        Whether the reduced dim stays, with size 1.
    other : Tensor, optional
        Compare elementwise with it, as `minimum` does.

    Returns
    -------
    Tensor or (values, indices)
        With `dim` a named tuple; the first of several elements that tie is selected. Without, ties share the derivative.

    Examples
    --------
    >>> tp.min(tp.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).values
    tensor([1., 3.])
    """
    if other is not None or hasattr(dim, "dtype"):
        return ew.minimum(input, dim if other is None else other)
    if dim is None:
        return _extreme(_amin, input, None, keepdim, "min")
    return _select_extreme(_argmin, input, dim, keepdim, "min")


# ---- truth -----------------------------------------------------------------------------------------------------------

_any = reduction("any", lambda x, dims: np.logical_or.reduce(x, axis=dims), None, differentiable=False)
_all = reduction("all", lambda x, dims: np.logical_and.reduce(x, axis=dims), None, differentiable=False)
_count = reduction(
    "count_nonzero",
    lambda x, dims: np.add.reduce(x != 0, axis=dims, dtype=INT64),
    None,
    differentiable=False,
)


def _truth(prim: Primitive, input: Value, dim: Dims, keepdim: bool, name: str) -> Value:
    # torch reduces nothing over an empty tuple of dims here
    dims = () if isinstance(dim, tuple | list) and not dim else some_dims(dim, input.ndim, name)
    found = keep(prim(input, dims=dims), keepdim, input.shape, dims)
    return cast(found, input.dtype) if input.dtype == np.uint8 else found


def any(input: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """
    Whether some element is true (not zero).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; NaN is true.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        Bool (uint8 for uint8); False where there are no elements.

    Examples
    --------
    >>> tp.any(tp.tensor([[False, True], [False, False]]), dim=1)
    tensor([ True, False])
    """
    return _truth(_any, input, dim, keepdim, "any")


def all(input: Value, dim: Dims = None, keepdim: bool = False) -> Value:
    """
    Whether every element is true (not zero).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; NaN is true.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.

    Returns
    -------
    Tensor
        Bool (uint8 for uint8); True where there are no elements.

    Examples
    --------
    >>> tp.all(tp.tensor([[True, True], [False, True]]), dim=1)
    tensor([ True, False])
    """
    return _truth(_all, input, dim, keepdim, "all")


def count_nonzero(input: Value, dim: Dims = None) -> Value:
    """
    Number of elements that are not zero.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype; NaN is not zero.
    dim : int or tuple of int, optional
        Dims to count over; all by default.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> tp.count_nonzero(tp.tensor([[0, 1], [2, 3]]), dim=0)
    tensor([1, 2])
    """
    return _count(input, dims=some_dims(dim, input.ndim, "count_nonzero"))


# ---- norms -----------------------------------------------------------------------------------------------------------


def _ratio_impl(x: Any, y: Any) -> Any:
    return np.where(np.equal(y, 0), np.zeros((), y.dtype), np.divide(x, y))


# x / y, but 0 where y is 0: the least subgradient of a norm at zero.
_ratio = elementwise(
    "ratio",
    _ratio_impl,
    [
        lambda _out, _x, y: _ratio(np.ones((), y.dtype), y),
        lambda out, _x, y: families.negative(_ratio(out, y)),
    ],
)


def _norm_impl(x: Any, dims: tuple[int, ...], ord: float) -> Any:
    if ord == 2:
        squares = x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x
        norm = np.sqrt(np.add.reduce(squares, axis=dims, dtype=squares.dtype))
        info = np.finfo(norm.dtype)
        if np.isfinite(norm).all() and (norm > np.sqrt(info.tiny) / info.eps).all():
            return norm
    size = np.abs(x)
    if ord == 1:
        return np.add.reduce(size, axis=dims, dtype=size.dtype)
    return _scaled_norm(size, dims, ord)


def _scaled_norm(size: Any, dims: tuple[int, ...], ord: float) -> Any:
    """Norm that neither overflows nor underflows: of the sizes relative to the one that weighs most."""
    extreme, start = (np.maximum, 0) if ord > 0 else (np.minimum, np.inf)
    unit = extreme.reduce(size, axis=dims, keepdims=True, initial=start)
    unit = np.where((unit > 0) & np.isfinite(unit), unit, size.dtype.type(1))
    norm = np.power(np.add.reduce((size / unit) ** ord, axis=dims, dtype=size.dtype), 1 / ord)
    return (norm * unit.reshape(norm.shape)).astype(size.dtype, copy=False)


def _norm_weight(out: Value, x: Value, dims: tuple[int, ...], ord: float) -> Value:
    if ord == 1:
        return ew.sgn(x)
    norm = families.reshape(out, shape=kept_shape(x.shape, dims))
    if ord == 2:
        return _ratio(x, cast(norm, x.dtype))
    return ew.mul(ew.sgn(x), _power(_ratio(ew.abs(x), norm), ord - 1))


def _power(size: Value, exponent: float) -> Value:
    """``size ** exponent``, 0 with its derivatives at 0 where those would be infinite."""
    if exponent >= 1:
        return ew.pow(size, exponent)
    one, zero = np.ones((), size.dtype), np.zeros((), size.dtype)
    empty = same(size, zero)
    return where(empty, zero, ew.pow(where(empty, one, size), exponent))


# For finite orders other than 0.
_norm = real_reduction("vector_norm", _norm_impl, _norm_weight)


def vector_norm(
    x: Value, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None
) -> Value:
    """
    Norm of vectors: of all elements, or along dims.

    Parameters
    ----------
    x : Tensor
        Floating-point or complex, of any shape.
    ord : float, default 2
        The order p of the norm (Σ|x|^p)^(1/p); infinity is the greatest, minus infinity the least absolute value, and
        0 the number of elements that are not zero.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Real. At zero the derivative is zero, the least of the subgradients.

    Raises
    ------
    RuntimeError
        If the elements are integers or bools, or an infinite or negative order meets no elements.

    Examples
    --------
    >>> tp.linalg.vector_norm(tp.tensor([3.0, 4.0]))
    tensor(5.)
    """
    x = _norm_operand(x, dtype)
    ord = _norm_order(ord)
    dims = some_dims(dim, x.ndim, "linalg.vector_norm")
    if (ord < 0 or ord == math.inf) and count_along(x.shape, dims) == 0:
        raise RuntimeError(
            f"linalg.vector_norm(): the norm of order {ord} of no elements is undefined; got shape {list(x.shape)}"
        )
    return keep(_norm_over(x, ord, dims), keepdim, x.shape, dims)


def _norm_over(x: Value, ord: float, dims: tuple[int, ...]) -> Value:
    if ord == 0:
        return cast(_count(x, dims=dims), real_dtype(x.dtype))
    if math.isinf(ord):
        return (_amax if ord > 0 else _amin)(ew.abs(x), dims=dims)
    return _norm(x, dims=dims, ord=ord)


def _norm_order(ord: Any) -> float:
    if isinstance(ord, int | float):
        return float(ord)
    raise TypeError(f"linalg.vector_norm(): ord must be a number, got {ord!r}")


def _norm_operand(x: Value, dtype: NumpyDtype | None) -> Value:
    need_inexact(x, "linalg.vector_norm")
    if dtype is None:
        return x
    if dtype.kind != x.dtype.kind:
        raise RuntimeError(
            f"linalg.vector_norm(): dtype must be {'complex' if x.dtype.kind == 'c' else 'real'} for a tensor of "
            f"{from_numpy_dtype(x.dtype)}, got {from_numpy_dtype(dtype)}"
        )
    if dtype.itemsize < x.dtype.itemsize:
        raise RuntimeError(
            f"linalg.vector_norm(): dtype {from_numpy_dtype(dtype)} is narrower than the tensor's {from_numpy_dtype(x.dtype)}"
        )
    return cast(x, dtype)


def norm(
    input: Value, p: Any = "fro", dim: Dims = None, keepdim: bool = False, *, dtype: NumpyDtype | None = None
) -> Value:
    """
    Norm of a tensor, of all elements or along dims.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape.
    p : float, "fro" or "nuc", default "fro"
        Order of a vector norm (see `linalg.vector_norm`); "fro" is 2; "nuc" the sum of a matrix's singular values.
    dim : int or tuple of int, optional
        Dims to reduce; all by default.
    keepdim : bool, default False
        Whether the reduced dims stay, with size 1.
    dtype : dtype, optional
        Convert to it first.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> tp.norm(tp.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
    tensor([ 5., 10.])
    """
    if p == "nuc":
        return _nuclear(input, dim, keepdim, dtype)
    if isinstance(p, str) and p != "fro":
        raise ValueError(f"norm(): p must be a number, 'fro' or 'nuc', got {p!r}")
    return vector_norm(input, 2 if p == "fro" or p is None else p, dim, keepdim, dtype=dtype)


def _nuclear(input: Value, dim: Dims, keepdim: bool, dtype: NumpyDtype | None) -> Value:
    from tensorplay.ops import linalg

    dims = (0, 1) if dim is None and input.ndim == 2 else dim
    if isinstance(dims, int) or dims is None or len(dims) != 2:
        raise RuntimeError(f"norm(): p='nuc' needs a matrix or two dims, got shape {list(input.shape)} and dim={dim}")
    return linalg.matrix_norm(input, "nuc", tuple(dims), keepdim, dtype=dtype)


def dist(input: Value, other: Value, p: float = 2) -> Value:
    """
    Norm of the difference of two tensors.

    Parameters
    ----------
    input, other : Tensor
        Their shapes broadcast.
    p : float, default 2
        Order of the norm.

    Returns
    -------
    Tensor
        0-d.

    Examples
    --------
    >>> tp.dist(tp.tensor([1.0, 1.0]), tp.tensor([4.0, 5.0]))
    tensor(5.)
    """
    return vector_norm(ew.sub(input, other), p)


def renorm(input: Value, p: float, dim: int, maxnorm: float) -> Value:
    """
    A copy in which each slice along a dim has at most a given norm.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, with at least two dims.
    p : float
        Order of the norm, positive.
    dim : int
        The slices are ``input.select(dim, i)``.
    maxnorm : float
        Slices of a larger norm are scaled down to it.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.renorm(tp.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 5.0)
    tensor([[3., 4.],
            [0., 1.]])
    """
    if p <= 0 or maxnorm < 0:
        raise RuntimeError(f"renorm(): p must be positive and maxnorm not negative, got p={p} and maxnorm={maxnorm}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm(): expected a tensor with at least 2 dims, got shape {list(input.shape)}")
    axis = one_dim(dim, input.ndim, "renorm")
    size = vector_norm(input, p, [d for d in range(input.ndim) if d != axis], True)
    # torch's guard against dividing by a tiny norm
    factor = ew.div(maxnorm, ew.add(size, 1e-7))
    return ew.mul(input, where(_exceeds(size, np.asarray(maxnorm, size.dtype)), factor, np.ones((), size.dtype)))


_exceeds = elementwise("exceeds", np.greater, None)


# ---- others ----------------------------------------------------------------------------------------------------------


def trace(input: Value) -> Value:
    """
    Sum of a matrix's diagonal.

    Parameters
    ----------
    input : Tensor
        Two dims; integers and bools are added in int64.

    Returns
    -------
    Tensor
        0-d.

    Examples
    --------
    >>> tp.trace(tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace(): expected a matrix, got a tensor of shape {list(input.shape)}")
    numbers = np.arange(builtins.min(input.shape))
    return sum(take(input, numbers, numbers, start=0))


def sum_to_size(input: Value, *size: Any) -> Value:
    """
    `input` summed over the dims along which `size` broadcasts to its shape.

    Parameters
    ----------
    input : Tensor
        Any shape.
    *size : int
        A shape that broadcasts to that of `input`.

    Returns
    -------
    Tensor
        Of shape `size`.

    Examples
    --------
    >>> tp.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    try:
        broadcast_to(np.empty(shape, np.bool_), input.shape)
    except RuntimeError:
        raise RuntimeError(
            f"sum_to_size(): size {list(shape)} does not broadcast to the tensor's shape {list(input.shape)}"
        ) from None
    return families.sum_to(input, shape)
