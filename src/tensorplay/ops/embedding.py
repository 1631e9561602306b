"""Looking up rows of a table by index: embeddings, sums of embeddings over bags, one-hot vectors."""

from __future__ import annotations

import numpy as np

from tensorplay.core.value import Shape, Value, ground
from tensorplay.dtypes import INT64, from_numpy_dtype
from tensorplay.errors import WrongArgument, shown
from tensorplay.ops import families
from tensorplay.ops.comparison import gt
from tensorplay.ops.elementwise import div, sub
from tensorplay.ops.families import elementwise
from tensorplay.ops.indexing import accumulate, concrete, equal, put, take, where
from tensorplay.ops.masking import ranks
from tensorplay.ops.norms import vector_norm
from tensorplay.ops.promotion import cast, wide
from tensorplay.ops.scatter import check_bounds
from tensorplay.ops.segments import reduce_into
from tensorplay.ops.shape import detach, slice_key

# ---- arguments -------------------------------------------------------------------------------------------------------


def check_table(name: str, input: Value, weight: Value) -> None:
    """Raise unless `input` names rows of a 2-d `weight`."""
    if input.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): expected int64 or int32 indices, got {from_numpy_dtype(input.dtype)}")
    if weight.ndim != 2:
        raise RuntimeError(f"{name}(): weight must be 2-d, got shape {list(weight.shape)}")
    check_bounds(name, input, 0, weight.shape[0])


def _padding_row(name: str, padding_idx: int | None, count: int) -> int | None:
    if padding_idx is None:
        return None
    if not -count <= padding_idx < count:
        raise WrongArgument(f"{name}(): padding_idx must be a row of the table of {count} rows, got {padding_idx}")
    return padding_idx % count


# The rows themselves; what passes back to them, or is pushed along, is scaled.
_weigh_derivative = elementwise(
    "weigh_derivative", lambda rows, scale: np.broadcast_arrays(rows, scale)[0].copy(), [lambda _out, _rows, s: s, None]
)


def _frequencies(index: Value, count: int) -> Value:
    """How often the row that each index names is looked up."""
    flat = families.reshape(index, shape=(index.size,))
    often = accumulate(np.ones(index.size, INT64), flat, start=0, shape=(count,))
    return take(often, index, start=0)


def _look_up(index: Value, weight: Value, padding: int | None, by_frequency: bool) -> Value:
    """Rows of the table; derivatives are divided by how often a row is named, and are zero for the padding row."""
    rows = take(weight, index, start=0)
    if padding is None and not by_frequency:
        return rows
    share: Value = np.ones((), weight.dtype)
    if by_frequency:
        share = div(share, cast(_frequencies(index, weight.shape[0]), weight.dtype))
    if padding is not None:
        share = where(equal(index, np.asarray(padding)), np.zeros((), weight.dtype), share)
    return _weigh_derivative(rows, families.reshape(share, shape=(*index.shape, 1)))


# ---- embedding -------------------------------------------------------------------------------------------------------


def embedding(
    input: Value,
    weight: Value,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Value:
    """
    Rows of a table, one for each index.

    Parameters
    ----------
    input : Tensor
        Integers of any shape.
    weight : Tensor
        The table, shape (rows, features).
    padding_idx : int, optional
        A row that receives no derivative.
    max_norm : float, optional
        Rows of a larger norm are first scaled down to it, in `weight` itself; no derivative flows through that.
    norm_type : float, default 2.0
        Which p-norm `max_norm` is about.
    scale_grad_by_freq : bool, default False
        Divide the derivative of a row by how often `input` names it.
    sparse : bool, default False
        Accepted for torch's sake; derivatives are dense.

    Returns
    -------
    Tensor
        Shape of `input` with the features appended.

    Raises
    ------
    IndexError
        If an index names no row.
    RuntimeError
        If `input` holds no integers or `weight` is not 2-d.

    Examples
    --------
    >>> tp.nn.functional.embedding(tp.tensor([1, 1]), tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [3., 4.]])
    """
    check_table("embedding", input, weight)
    padding = _padding_row("embedding", padding_idx, weight.shape[0])
    if max_norm is not None:
        weight = renormed(input, weight, max_norm, norm_type)
    return _look_up(input, weight, padding, scale_grad_by_freq)


def renormed(input: Value, weight: Value, max_norm: float, norm_type: float = 2.0) -> Value:
    """The table with each row that `input` names scaled down to `max_norm`; to a derivative it is the table itself."""
    fixed = detach(weight)
    rows = wide(fixed)
    norms = vector_norm(rows, norm_type, 1, True)
    limit = np.asarray(max_norm, rows.dtype)
    # the small number keeps a row at the limit from being scaled again and again
    factor = div(limit, families.add(norms, np.asarray(1e-7, rows.dtype)))
    too_large = where(_named(input, weight), gt(norms, limit), np.asarray(False))
    scaled = cast(families.mul(rows, factor), weight.dtype)
    return where(too_large, families.add(scaled, sub(weight, fixed)), weight)


def _named(input: Value, weight: Value) -> Value:
    """Whether `input` names each row: [rows, 1]; in a table that samples share, whether any sample does."""
    if weight.shape == ground(weight).shape:
        input = ground(input)
    flat = families.reshape(input, shape=(input.size,))
    named = put(np.zeros(weight.shape[0], bool), np.ones(input.size, bool), flat, start=0)
    return families.reshape(named, shape=(weight.shape[0], 1))


# ---- bags ------------------------------------------------------------------------------------------------------------


def embedding_bag(
    input: Value,
    weight: Value,
    offsets: Value | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Value | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Value:
    """
    Sums, means or maxima of rows of a table over bags of indices.

    Parameters
    ----------
    input : Tensor
        Integers: one bag a row, or 1-d with `offsets`.
    weight : Tensor
        The table, shape (rows, features).
    offsets : Tensor, optional
        Where each bag starts in a 1-d `input`; the first is 0.
    max_norm : float, optional
        Rows of a larger norm are first scaled down to it, in `weight` itself; no derivative flows through that.
    norm_type : float, default 2.0
        Which p-norm `max_norm` is about.
    scale_grad_by_freq : bool, default False
        Divide the derivative of a row by how often `input` names it.
    mode : {"sum", "mean", "max"}, default "mean"
        How the rows of a bag are combined.
    sparse : bool, default False
        Accepted for torch's sake; derivatives are dense.
    per_sample_weights : Tensor, optional
        A factor for each index; only with "sum".
    include_last_offset : bool, default False
        Whether the last offset is the end of the last bag instead of the start of another.
    padding_idx : int, optional
        A row that is left out of all bags.

    Returns
    -------
    Tensor
        Shape (bags, features); zero where a bag is empty.

    Raises
    ------
    ValueError
        If `input`, `offsets`, `mode` or `per_sample_weights` do not fit each other.
    RuntimeError
        If an index names no row, or `offsets` do not start at 0 or go beyond the end.

    Examples
    --------
    >>> table = tp.tensor([[1.0], [10.0], [100.0]])
    >>> tp.nn.functional.embedding_bag(tp.tensor([0, 1, 2]), table, tp.tensor([0, 2]), mode="sum")
    tensor([[ 11.],
            [100.]])
    """
    check_table("embedding_bag", input, weight)
    _check_bags(input, offsets, mode, per_sample_weights)
    padding = _padding_row("embedding_bag", padding_idx, weight.shape[0])
    if max_norm is not None:
        weight = renormed(input, weight, max_norm, norm_type)
    cells, count = _bags(input, offsets, include_last_offset)
    index = families.reshape(input, shape=(input.size,))
    if padding is not None:
        cells = where(equal(index, np.asarray(padding)), np.asarray(count), cells)
    rows = wide(_look_up(index, weight, None, scale_grad_by_freq))
    if per_sample_weights is not None:
        rows = families.mul(rows, families.reshape(wide(per_sample_weights), shape=(input.size, 1)))
    # what belongs to no bag goes to one more, which is dropped
    bags = np.zeros((count + (padding is not None or include_last_offset), weight.shape[1]), rows.dtype)
    how = {"sum": "sum", "mean": "mean", "max": "amax"}[mode]
    out = cast(reduce_into(bags, rows, cells, how, include_self=False), weight.dtype)
    return out if out.shape[0] == count else slice_key(out, key=(slice(count), slice(None)))


def _check_bags(input: Value, offsets: Value | None, mode: str, weights: Value | None) -> None:
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"embedding_bag(): mode must be 'sum', 'mean' or 'max', got {shown(mode)}")
    if input.ndim not in (1, 2):
        raise ValueError(f"embedding_bag(): input must be 1-d or 2-d, got shape {list(input.shape)}")
    if (input.ndim == 1) == (offsets is None):
        given = "none" if offsets is None else "some"
        raise ValueError(
            f"embedding_bag(): offsets are for a 1-d input only, got {given} for shape {list(input.shape)}"
        )
    if offsets is not None:
        _check_offsets(offsets, input.size)
    if weights is not None and mode != "sum":
        raise NotImplementedError(
            f"embedding_bag(): per_sample_weights are for mode='sum' only, got mode={shown(mode)}"
        )
    if weights is not None and weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag(): per_sample_weights must have the shape of input, {list(input.shape)}, got "
            f"{list(weights.shape)}"
        )


def _check_offsets(offsets: Value, count: int) -> None:
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu":
        raise ValueError(
            f"embedding_bag(): offsets must be a 1-d tensor of integers, got shape {list(offsets.shape)} and "
            f"{from_numpy_dtype(offsets.dtype)}"
        )
    numbers = ground(offsets)
    if numbers.size == 0:
        return
    if np.any(numbers[..., 0] != 0):
        raise RuntimeError("embedding_bag(): the first offset must be 0")
    if np.any(np.diff(numbers, axis=-1) < 0) or numbers.max() > count:
        raise RuntimeError(f"embedding_bag(): offsets must ascend and not go beyond the {count} indices")


def _bags(input: Value, offsets: Value | None, include_last: bool) -> tuple[Value, int]:
    """The bag of each index, and the number of bags."""
    if offsets is None:
        return np.repeat(np.arange(input.shape[0]), input.shape[1]), input.shape[0]
    starts = offsets.shape[0]
    marks = accumulate(np.ones(starts, INT64), offsets, start=0, shape=(input.size + 1,))
    return slice_key(ranks(marks), key=(slice(input.size),)), starts - include_last


# ---- one-hot ---------------------------------------------------------------------------------------------------------


def one_hot(tensor: Value, num_classes: int = -1) -> Value:
    """
    Vectors that are one at the given class and zero elsewhere.

    Parameters
    ----------
    tensor : Tensor
        Classes: int64, not negative, of any shape.
    num_classes : int, default -1
        Length of the vectors; -1 takes one more than the largest class, which `vmap` cannot map over.

    Returns
    -------
    Tensor
        int64, the shape of `tensor` with the classes appended.

    Raises
    ------
    RuntimeError
        If a class is negative or not smaller than `num_classes`, or `tensor` is not int64.

    Examples
    --------
    >>> tp.nn.functional.one_hot(tp.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if tensor.dtype != INT64:
        raise RuntimeError(f"one_hot(): expected int64 classes, got {from_numpy_dtype(tensor.dtype)}")
    numbers = ground(tensor)
    if numbers.min(initial=0) < 0:
        raise RuntimeError(f"one_hot(): classes must not be negative, got {numbers.min()}")
    if num_classes == -1:
        if numbers.size == 0:
            raise RuntimeError("one_hot(): cannot infer num_classes from a tensor of no elements")
        num_classes = int(concrete(tensor, "one_hot with num_classes=-1 (a data-dependent shape)").max()) + 1
    if num_classes < 1 or numbers.max(initial=-1) >= num_classes:
        raise RuntimeError(
            f"one_hot(): classes must be smaller than num_classes={num_classes}, got {numbers.max(initial=-1)}"
        )
    column: Shape = (*tensor.shape, 1)
    return cast(equal(families.reshape(tensor, shape=column), np.arange(num_classes)), INT64)
