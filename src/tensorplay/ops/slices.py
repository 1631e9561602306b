"""Reading and writing whole slices at integer positions along a dim: the `index_*` family."""

from __future__ import annotations

import math

from tensorplay.core.value import Value
from tensorplay.errors import shown
from tensorplay.ops import families, indexing
from tensorplay.ops.promotion import cast, filler
from tensorplay.ops.scatter import REDUCTIONS, add_at, at_least_1d, check_bounds, check_integers, check_same_dtype
from tensorplay.ops.segments import reduce_into
from tensorplay.ops.shape import broadcast_to, one_dim


def _index_vector(name: str, index: Value, dim: int, length: int, error: type[Exception] = IndexError) -> Value:
    """A 1-d index of integers in [0, length), from a 0-d or 1-d one."""
    check_integers(name, index)
    if index.ndim > 1:
        raise IndexError(f"{name}(): index must have one dim, got shape {list(index.shape)}")
    check_bounds(name, index, dim, length, error)
    return families.reshape(index, shape=(1,)) if index.ndim == 0 else index


def index_select(input: Value, dim: int, index: Value) -> Value:
    """
    Slices of `input` along `dim` at the positions in `index`.

    Parameters
    ----------
    input : Tensor
        Source.
    dim : int
        Dim along which to select.
    index : Tensor
        Integers, 1-d.

    Returns
    -------
    Tensor
        Shape of `input`, with the length of `index` along `dim`.

    Raises
    ------
    IndexError
        If `index` is out of bounds or has several dims.

    Examples
    --------
    >>> tp.index_select(tp.tensor([[1, 2], [3, 4]]), 1, tp.tensor([1, 1]))
    tensor([[2, 2],
            [4, 4]])
    """
    axis = one_dim(dim, input.ndim, "index_select")
    source = at_least_1d(input)
    out = indexing.take(source, _index_vector("index_select", index, axis, source.shape[axis]), start=axis)
    return families.reshape(out, shape=()) if input.ndim == 0 and out.size == 1 else out


def _rows(
    name: str, input: Value, dim: int, index: Value, source: Value, error: type[Exception], what: str
) -> tuple[Value, Value, Value, int]:
    """Input (at least 1-d), source and index of a write of slices along a dim, checked, and the dim."""
    axis = one_dim(dim, input.ndim, name)
    into = at_least_1d(input)
    check_same_dtype(name, input, source, what)
    positions = _index_vector(name, index, axis, into.shape[axis], error)
    wanted = (*into.shape[:axis], positions.shape[0], *into.shape[axis + 1 :])
    if source.shape != wanted and not (source.ndim == 0 and math.prod(wanted) == 1):
        raise (error if source.ndim == into.ndim else IndexError)(
            f"{name}(): {what} must have shape {list(wanted)} for an input of shape {list(input.shape)} and "
            f"{positions.shape[0]} indices along dim {axis}, got {list(source.shape)}"
        )
    return into, families.reshape(source, shape=wanted), positions, axis


def index_add(input: Value, dim: int, index: Value, source: Value, *, alpha: complex = 1) -> Value:
    """
    `input` with slices of `source`, times `alpha`, added at the positions along `dim` that `index` names.

    Parameters
    ----------
    input : Tensor
        What to add to; it is not changed.
    dim : int
        Dim along which to add.
    index : Tensor
        Integers, 1-d; a position may be named several times.
    source : Tensor
        Shape of `input`, with the length of `index` along `dim`, and its dtype.
    alpha : number, default 1
        Factor of `source`.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        If dtypes or shapes do not fit, or an index is out of bounds.

    Examples
    --------
    >>> tp.index_add(tp.zeros(3), 0, tp.tensor([2, 2]), tp.tensor([5.0, 6.0]))
    tensor([ 0.,  0., 11.])
    """
    into, source, positions, axis = _rows("index_add", input, dim, index, source, RuntimeError, "source")
    if alpha.__class__ not in (int, float) or alpha != 1:
        source = families.mul(source, cast(alpha, source.dtype))
    return families.reshape(add_at(into, source, positions, start=axis), shape=input.shape)


def index_copy(input: Value, dim: int, index: Value, source: Value) -> Value:
    """
    `input` with slices of `source` written to the positions along `dim` that `index` names.

    Parameters
    ----------
    input : Tensor
        What to write into; it is not changed.
    dim : int
        Dim along which to write.
    index : Tensor
        Integers, 1-d; where a position is named twice, the last write wins.
    source : Tensor
        Shape of `input`, with the length of `index` along `dim`, and its dtype.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    IndexError, RuntimeError
        If an index is out of bounds, or dtypes or shapes do not fit.

    Examples
    --------
    >>> tp.index_copy(tp.zeros(3), 0, tp.tensor([2, 0]), tp.tensor([5.0, 6.0]))
    tensor([6., 0., 5.])
    """
    into, source, positions, axis = _rows("index_copy", input, dim, index, source, IndexError, "source")
    return families.reshape(indexing.put(into, source, positions, start=axis), shape=input.shape)


def index_fill(input: Value, dim: int, index: Value, value: Value | complex) -> Value:
    """
    `input` with `value` at the positions along `dim` that `index` names.

    Parameters
    ----------
    input : Tensor
        What to write into; it is not changed.
    dim : int
        Dim along which to write.
    index : Tensor
        Integers, 1-d; negative ones count from the end.
    value : number or 0-d Tensor
        What to write.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    IndexError, RuntimeError
        If an index is out of bounds, or `value` has dims.

    Examples
    --------
    >>> tp.index_fill(tp.zeros(3), 0, tp.tensor([0, 2]), 7)
    tensor([7., 0., 7.])
    """
    axis = one_dim(dim, input.ndim, "index_fill")
    value = filler("index_fill", value, input.dtype)
    into = at_least_1d(input)
    check_integers("index_fill", index)
    positions = at_least_1d(index)
    check_bounds("index_fill", positions, axis, into.shape[axis], low=-into.shape[axis])
    shape = (*into.shape[:axis], *positions.shape, *into.shape[axis + 1 :])
    new = broadcast_to(value, shape)
    return families.reshape(indexing.put(into, new, positions, start=axis), shape=input.shape)


def index_reduce(
    input: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True
) -> Value:
    """
    `input` with slices of `source` combined into the positions along `dim` that `index` names.

    Parameters
    ----------
    input : Tensor
        What to combine into; it is not changed.
    dim : int
        Dim along which to write.
    index : Tensor
        Integers, 1-d.
    source : Tensor
        Shape of `input`, with the length of `index` along `dim`, and its dtype.
    reduce : {"prod", "mean", "amax", "amin"}
        How elements that meet at a position are combined.
    include_self : bool, default True
        Whether the element of `input` takes part; where no index points, `input` is kept in any case.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    IndexError, RuntimeError
        If an index is out of bounds, dtypes or shapes do not fit, or `reduce` is unknown.

    Examples
    --------
    >>> tp.index_reduce(tp.ones(2), 0, tp.tensor([0, 0]), tp.tensor([5.0, 6.0]), "prod")
    tensor([30.,  1.])
    """
    if reduce not in REDUCTIONS[1:]:
        raise RuntimeError(f"index_reduce(): reduce must be prod, mean, amax or amin, got {shown(reduce)}")
    into, source, positions, axis = _rows("index_reduce", input, dim, index, source, IndexError, "source")
    to_front = (axis, *[d for d in range(into.ndim) if d != axis])
    moved, rows = families.permute(into, dims=to_front), families.permute(source, dims=to_front)
    out = reduce_into(moved, rows, positions, reduce, include_self)
    back = families.permute(out, dims=families.inverse_permutation(to_front))
    return families.reshape(back, shape=input.shape)
