"""Choosing elements by a mask, and finding where elements are nonzero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.dtypes import BOOL, INT64, from_numpy_dtype
from tensorplay.ops import families, indexing
from tensorplay.ops.indexing import SIZE, concrete
from tensorplay.ops.promotion import cast, filler
from tensorplay.ops.shape import broadcast_to, copy

# ---- by a mask -------------------------------------------------------------------------------------------------------


def check_mask(name: str, mask: Value) -> None:
    """Raise unless `mask` holds bools."""
    if not hasattr(mask, "dtype"):
        raise TypeError(f"{name}(): mask must be a tensor of bools, got {type(mask).__name__}")
    if mask.dtype != BOOL:
        raise RuntimeError(f"{name}(): mask must be a tensor of bools, got {from_numpy_dtype(mask.dtype)}")


def common_shape(name: str, *values: Value) -> tuple[int, ...]:
    """Shape to which values broadcast."""
    try:
        return np.broadcast_shapes(*[value.shape for value in values])
    except ValueError:
        shapes = " and ".join([str(list(value.shape)) for value in values])
        raise RuntimeError(f"{name}(): shapes {shapes} do not broadcast to a common one") from None


def masked_fill(input: Value, mask: Value, value: Value | complex) -> Value:
    """
    `input` with `value` where `mask` holds.

    Parameters
    ----------
    input : Tensor
        Any shape; it is not changed.
    mask : Tensor
        Bools; broadcasts with `input`.
    value : number or 0-d Tensor
        What to write, in the dtype of `input`.

    Returns
    -------
    Tensor
        Dtype of `input`, shape of `input` and `mask` broadcast.

    Raises
    ------
    RuntimeError
        If `mask` holds no bools, `value` has dims, or shapes do not fit.

    Examples
    --------
    >>> tp.masked_fill(tp.tensor([1.0, 2.0]), tp.tensor([True, False]), -1)
    tensor([-1.,  2.])
    """
    check_mask("masked_fill", mask)
    value = filler("masked_fill", value, input.dtype)
    shape = common_shape("masked_fill", input, mask)
    return broadcast_to(indexing.where(mask, value, input), shape)


def masked_select(input: Value, mask: Value, *, size: int | None = None, fill_value: Any = 0) -> Value:
    """
    Elements of `input` where `mask` holds, in order.

    Parameters
    ----------
    input : Tensor
        Source.
    mask : Tensor
        Bools; broadcasts with `input`.
    size : int, optional
        Length of the result: the first so many elements, followed by `fill_value` where there are fewer. With it,
        `vmap` may map over `mask`.
    fill_value : number or 0-d Tensor, default 0
        What fills the result up to `size`, in the dtype of `input`.

    Returns
    -------
    Tensor
        1-d, as long as `mask` has true elements, or of the given `size`.

    Raises
    ------
    RuntimeError
        If `mask` holds no bools, `size` is negative, or, without `size`, `vmap` maps over `mask`: the samples' results
        would differ in length.

    Examples
    --------
    >>> tp.masked_select(tp.tensor([1.0, 2.0, 3.0]), tp.tensor([True, False, True]))
    tensor([1., 3.])
    >>> x = tp.tensor([[1.0, -2.0, 3.0], [-1.0, -2.0, 5.0]])
    >>> tp.vmap(lambda row: tp.masked_select(row, row > 0, size=2))(x)
    tensor([[1., 3.],
            [5., 0.]])
    """
    check_mask("masked_select", mask)
    shape = common_shape("masked_select", input, mask)
    count = math.prod(shape)
    flat = families.reshape(broadcast_to(input, shape), shape=(count,))
    if size is not None:
        fill = filler("masked_select", fill_value, input.dtype)
        true = families.reshape(broadcast_to(mask, shape), shape=(count,))
        return taken_or(flat, first_true(true, checked_size("masked_select", size)), fill)
    chosen = np.broadcast_to(concrete(mask, "masked_select (whose result has a data-dependent shape)", SIZE), shape)
    return indexing.take(flat, np.flatnonzero(chosen), start=0)


# How many true elements there are up to and including each place, minus one.
ranks = Primitive("mask_ranks", lambda mask: np.cumsum(mask, axis=-1) - 1, differentiable=False)
ranks.batch(lambda size, args, mapped: (ranks(args[0]), True))


def masked_scatter(input: Value, mask: Value, source: Value) -> Value:
    """
    `input` with the elements of `source`, one after another, where `mask` holds.

    Parameters
    ----------
    input : Tensor
        What to write into; it is not changed.
    mask : Tensor
        Bools; broadcasts with `input`.
    source : Tensor
        At least as many elements as `mask` has true ones, of the dtype of `input`.

    Returns
    -------
    Tensor
        Shape of `input` and `mask` broadcast.

    Raises
    ------
    RuntimeError
        If dtypes or shapes do not fit, or `source` has too few elements.

    Examples
    --------
    >>> tp.masked_scatter(tp.zeros(3), tp.tensor([True, False, True]), tp.tensor([5.0, 6.0]))
    tensor([5., 0., 6.])
    """
    check_mask("masked_scatter", mask)
    if source.dtype != input.dtype:
        raise RuntimeError(
            f"masked_scatter(): expected source of the dtype of input, {from_numpy_dtype(input.dtype)}, got "
            f"{from_numpy_dtype(source.dtype)}"
        )
    shape = common_shape("masked_scatter", input, mask)
    count = math.prod(shape)
    wide = families.reshape(broadcast_to(mask, shape), shape=(count,))
    order = ranks(wide)
    needed = int(ground(order).max(initial=-1)) + 1
    if needed > source.size:
        raise RuntimeError(f"masked_scatter(): mask has {needed} true elements, source only {source.size} elements")
    if needed == 0:
        return copy(broadcast_to(input, shape))
    flat = families.reshape(source, shape=(source.size,))
    # before the first true element the rank is -1; what is read there is not chosen
    picked = families.reshape(indexing.take(flat, order, start=0), shape=shape)
    return indexing.where(broadcast_to(mask, shape), picked, input)


def fill_diagonal(input: Value, fill_value: Any, wrap: bool = False) -> Value:
    """`input` with a number on its main diagonal; `wrap` starts anew, a row further down, in a tall matrix."""
    if input.ndim < 2:
        raise RuntimeError(f"fill_diagonal_(): needs at least 2 dims, got shape {list(input.shape)}")
    if input.ndim > 2 and len(set(input.shape)) != 1:
        raise RuntimeError(f"fill_diagonal_(): all dims must have the same size, got shape {list(input.shape)}")
    if getattr(fill_value, "ndim", 0) != 0:
        raise RuntimeError(f"fill_diagonal_(): expected a number or a 0-d tensor, got shape {list(fill_value.shape)}")
    step = sum([math.prod(input.shape[d + 1 :]) for d in range(input.ndim)])
    end = input.size if wrap else min(input.shape) * step
    places = np.arange(0, min(end, input.size), step)
    new = broadcast_to(cast(fill_value, input.dtype), places.shape)
    flat = families.reshape(input, shape=(input.size,))
    return families.reshape(indexing.put(flat, new, places, start=0), shape=input.shape)


# ---- as many as are asked for ----------------------------------------------------------------------------------------

_places = families.elementwise(
    "nonzero_place", lambda true, rank, size: np.where(true, np.minimum(rank, size), size), None
)


def checked_size(name: str, size: Any) -> int:
    """`size`, which must be the length of a result."""
    if not isinstance(size, int) or isinstance(size, bool):
        raise TypeError(f"{name}(): size must be an int, got {type(size).__name__}")
    if size < 0:
        raise RuntimeError(f"{name}(): size must not be negative, got {size}")
    return size


def first_true(true: Value, size: int) -> Value:
    """Positions of the first `size` true elements of a row of bools; -1 where there are fewer."""
    # one slot more takes all that has no place
    places = _places(true, ranks(true), np.asarray(size))
    found = indexing.put(np.full(size + 1, -1), np.arange(true.size), places, start=0)
    return indexing.take(found, np.arange(size), start=0)


def taken_or(rows: Value, positions: Value, fill: Value) -> Value:
    """Rows at `positions`, and `fill` where the position is -1."""
    if not rows.shape[0]:
        return broadcast_to(fill, (*positions.shape, *rows.shape[1:]))
    missing = families.reshape(
        indexing.equal(positions, np.asarray(-1)), shape=(positions.size, *(1,) * (rows.ndim - 1))
    )
    return indexing.where(missing, fill, indexing.take(rows, positions, start=0))


# ---- nonzero elements ------------------------------------------------------------------------------------------------


def nonzero(input: Value, *, as_tuple: bool = False, size: int | None = None, fill_value: Any = 0) -> Any:
    """
    Positions of the nonzero elements of `input`.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    as_tuple : bool, default False
        Return one 1-d tensor per dim, which together index `input`.
    size : int, optional
        Number of positions: the first so many, followed by `fill_value` where there are fewer. With it, `vmap` may map
        over `input`.
    fill_value : int or tuple of int, default 0
        What fills the result up to `size`; a tuple has a number per dim.

    Returns
    -------
    Tensor or tuple of Tensor
        One row of positions per nonzero element, in order; or a tuple with one tensor per dim.

    Raises
    ------
    RuntimeError
        If `size` is negative, or, without `size`, `vmap` maps over `input`: the samples' results would differ in
        length.

    Examples
    --------
    >>> tp.nonzero(tp.tensor([[0, 2], [3, 0]]))
    tensor([[0, 1],
            [1, 0]])
    >>> tp.nonzero(tp.tensor([0, 2, 3]), as_tuple=True, size=3, fill_value=-1)
    (tensor([ 1,  2, -1]),)
    """
    if as_tuple and not input.ndim:
        input = families.reshape(input, shape=(1,))
    rows = _rows_of_positions("nonzero", input, size, fill_value)
    return tuple([indexing.take(rows, np.asarray(d), start=1) for d in range(input.ndim)]) if as_tuple else rows


def _rows_of_positions(name: str, input: Value, size: int | None, fill_value: Any) -> Value:
    if size is None:
        array = concrete(input, f"{name} (whose result has a data-dependent shape)", SIZE)
        return np.argwhere(array).astype(INT64, copy=False)
    return _first_positions(name, input, size, fill_value)


def _first_positions(name: str, input: Value, size: int, fill_value: Any) -> Value:
    """Positions of the first `size` nonzero elements, one row each."""
    count, rank = checked_size(name, size), input.ndim
    fill = np.asarray(fill_value)
    if fill.dtype.kind not in "iu" or fill.shape not in ((), (rank,)):
        raise RuntimeError(f"{name}(): fill_value must be an int, or a tuple of {rank} ints, got {fill_value!r}")
    flat = first_true(cast(families.reshape(input, shape=(input.size,)), BOOL), count)
    missing = families.reshape(indexing.equal(flat, np.asarray(-1)), shape=(count, 1))
    return indexing.where(missing, broadcast_to(fill.astype(INT64), (rank,)), _unravel(flat, shape=input.shape))


def argwhere(input: Value, *, size: int | None = None, fill_value: Any = 0) -> Value:
    """
    Positions of the nonzero elements of `input`, one row each.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    size, fill_value
        As for `nonzero`.

    Returns
    -------
    Tensor
        One row of positions per nonzero element.

    Raises
    ------
    RuntimeError
        If `size` is negative, or, without `size`, `vmap` maps over `input`: the samples' results would differ in
        length.

    Examples
    --------
    >>> tp.argwhere(tp.tensor([0, 2, 3]))
    tensor([[1],
            [2]])
    """
    return _rows_of_positions("argwhere", input, size, fill_value)


def nonzero_static(input: Value, *, size: int, fill_value: int = -1) -> Value:
    """
    Positions of the first `size` nonzero elements of `input`, in a result of fixed shape.

    Works on mapped tensors, as `nonzero` with a `size` does.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    size : int
        Number of rows of the result.
    fill_value : int, default -1
        What fills the rows for which there is no nonzero element.

    Returns
    -------
    Tensor
        Shape (size, input.ndim).

    Raises
    ------
    RuntimeError
        If `size` is negative.

    Examples
    --------
    >>> tp.nonzero_static(tp.tensor([0, 2, 3]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    return _first_positions("nonzero_static", input, size, fill_value)


def _unravel_impl(indices: Any, shape: Sequence[int]) -> Any:
    strides = np.array([max(math.prod(shape[d + 1 :]), 1) for d in range(len(shape))], dtype=np.int64)
    return indices[..., None] // strides % np.maximum(np.array(shape, dtype=np.int64), 1)


# Flat positions as rows of one position per dim: [*index] -> [*index, len(shape)].
_unravel = Primitive("unravel_index", _unravel_impl, differentiable=False)
_unravel.batch(lambda size, args, mapped, shape: (_unravel(args[0], shape=shape), True))


def unravel_index(indices: Value, shape: int | Sequence[int]) -> tuple[Value, ...]:
    """
    Position in each dim of a tensor of the given shape, for flat positions.

    Parameters
    ----------
    indices : Tensor
        Integers.
    shape : int or tuple of int
        Of the tensor that the flat positions refer to.

    Returns
    -------
    tuple of Tensor
        One tensor per dim, of the shape of `indices`.

    Raises
    ------
    TypeError
        If `indices` holds no integers.
    ValueError
        If a size is negative.

    Examples
    --------
    >>> tp.unravel_index(tp.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    if indices.dtype.kind not in "iu":
        raise TypeError(f"unravel_index(): expected integers, got {from_numpy_dtype(indices.dtype)}")
    sizes = (shape,) if isinstance(shape, int) else tuple([int(n) for n in shape])
    if any([n < 0 for n in sizes]):
        raise ValueError(f"unravel_index(): sizes must not be negative, got {list(sizes)}")
    positions = _unravel(cast(indices, INT64), shape=sizes)
    return tuple([indexing.take(positions, np.asarray(d), start=indices.ndim) for d in range(len(sizes))])
