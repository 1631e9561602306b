"""Ops whose result shares memory with the input: they only say where its elements lie. All are linear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import NumpyDtype, complex_dtype, real_dtype
from tensorplay.ops import families
from tensorplay.ops.families import conj, structural
from tensorplay.ops.indexing import put, take
from tensorplay.ops.shape import at_dim, copy, detach, inferred, one_dim, sizes, slice_dim, slice_key, some_dims
from tensorplay.ops.shape import permute as permute
from tensorplay.ops.shape import transpose as transpose
from tensorplay.ops.windows import Windows, windows

# ---- shape -----------------------------------------------------------------------------------------------------------


def view(input: Value, *shape: Any) -> Value:
    """
    The same memory in another shape, or read as another dtype.

    Parameters
    ----------
    input : Tensor
        With strides that allow the new shape without a copy.
    *shape : int, tuple of int or dtype
        The new shape, of which one size may be -1; or a dtype of which the bytes fill the last dim.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the number of elements differs, or the strides need a copy (use `reshape`).

    Examples
    --------
    >>> tp.zeros(2, 3).view(3, -1).shape
    tensorplay.Size([3, 2])
    """
    if len(shape) == 1 and isinstance(shape[0], np.dtype):
        return view_dtype(input, shape[0])
    return families.reshape(input, shape=inferred(sizes(shape), input.shape, "view"))


def view_as(input: Value, other: Value) -> Value:
    """
    The same memory in the shape of another tensor.

    Parameters
    ----------
    input : Tensor
        With strides that allow the new shape without a copy.
    other : Tensor
        Its shape is wanted.

    Returns
    -------
    Tensor
        A view of `input`.

    Examples
    --------
    >>> tp.zeros(4).view_as(tp.zeros(2, 2)).shape
    tensorplay.Size([2, 2])
    """
    return families.reshape(input, shape=inferred(other.shape, input.shape, "view_as"))


def reshape_as(input: Value, other: Value) -> Value:
    """
    The same elements in the shape of another tensor.

    Parameters
    ----------
    input, other : Tensor
        Of the same number of elements.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Examples
    --------
    >>> tp.zeros(4).reshape_as(tp.zeros(2, 2)).shape
    tensorplay.Size([2, 2])
    """
    return families.reshape(input, shape=inferred(other.shape, input.shape, "reshape_as"))


def flatten(input: Value, start_dim: int = 0, end_dim: int = -1) -> Value:
    """
    A range of dims made one.

    Parameters
    ----------
    input : Tensor
        Any shape; a 0-d tensor becomes one of shape [1].
    start_dim, end_dim : int, default 0 and -1
        First and last dim of the range.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Raises
    ------
    RuntimeError
        If `start_dim` comes after `end_dim`.

    Examples
    --------
    >>> tp.flatten(tp.zeros(2, 3, 4), 1).shape
    tensorplay.Size([2, 12])
    """
    first, last = one_dim(start_dim, input.ndim, "flatten"), one_dim(end_dim, input.ndim, "flatten")
    if first > last:
        raise RuntimeError(f"flatten(): start_dim {start_dim} comes after end_dim {end_dim}")
    count = int(np.prod(input.shape[first : last + 1], dtype=np.int64))
    return families.reshape(input, shape=(*input.shape[:first], count, *input.shape[last + 1 :]))


def ravel(input: Value) -> Value:
    """
    All elements in one dim.

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    Tensor
        A view of `input` where its strides allow one, else a copy.

    Examples
    --------
    >>> tp.ravel(tp.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return families.reshape(input, shape=(input.size,))


def unflatten(input: Value, dim: int, sizes: Sequence[int]) -> Value:
    """
    One dim split into several.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    dim : int
        The dim.
    sizes : tuple of int
        Its new sizes; one may be -1.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the product of `sizes` is not the size of the dim.

    Examples
    --------
    >>> tp.unflatten(tp.zeros(2, 6), 1, (3, -1)).shape
    tensorplay.Size([2, 3, 2])
    """
    d = one_dim(dim, input.ndim, "unflatten")
    if not len(sizes):
        raise RuntimeError("unflatten(): sizes must not be empty")
    if not input.ndim:
        raise RuntimeError("unflatten(): expected a tensor with at least one dim, got a 0-d tensor")
    new = inferred(tuple(sizes), (input.shape[d],), "unflatten")
    return families.reshape(input, shape=(*input.shape[:d], *new, *input.shape[d + 1 :]))


def squeeze(input: Value, dim: int | Sequence[int] | None = None) -> Value:
    """
    Dims of size 1 dropped.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int or tuple of int, optional
        Which dims to drop; those of another size stay. By default all of size 1.

    Returns
    -------
    Tensor
        A view of `input`.

    Examples
    --------
    >>> tp.squeeze(tp.zeros(1, 2, 1)).shape, tp.squeeze(tp.zeros(1, 2, 1), 0).shape
    (tensorplay.Size([2]), tensorplay.Size([2, 1]))
    """
    asked = () if isinstance(dim, tuple | list) and not len(dim) else some_dims(dim, input.ndim, "squeeze")
    drop = {d for d in asked if input.shape[d] == 1}
    return families.reshape(input, shape=tuple([n for d, n in enumerate(input.shape) if d not in drop]))


def unsqueeze(input: Value, dim: int) -> Value:
    """
    A dim of size 1 inserted.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int
        Position of the new dim in the result.

    Returns
    -------
    Tensor
        A view of `input`.

    Examples
    --------
    >>> tp.unsqueeze(tp.tensor([1, 2]), 1)
    tensor([[1],
            [2]])
    """
    d = one_dim(dim, input.ndim + 1, "unsqueeze")
    return families.reshape(input, shape=(*input.shape[:d], 1, *input.shape[d:]))


def expand(input: Value, *sizes: Any, implicit: bool = False) -> Value:
    """
    Dims of size 1 repeated without copies, and new dims in front.

    Parameters
    ----------
    input : Tensor
        Any shape.
    *sizes : int or tuple of int
        The new shape; -1 keeps a size.

    Returns
    -------
    Tensor
        A view in which many elements share memory: it cannot be written to.

    Raises
    ------
    RuntimeError
        If a dim of another size than 1 would change, or a new dim is -1.

    Examples
    --------
    >>> tp.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    wanted = _sizes(sizes)
    lead = len(wanted) - input.ndim
    if lead < 0 or -1 in wanted[:lead]:
        raise RuntimeError(f"expand(): a tensor of shape {list(input.shape)} does not expand to {list(wanted)}")
    shape = tuple([input.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted)])
    if (
        any([n < 0 or input.shape[i - lead] not in (1, n) for i, n in enumerate(shape) if i >= lead])
        or min(shape, default=0) < 0
    ):
        raise RuntimeError(f"expand(): a tensor of shape {list(input.shape)} does not expand to {list(wanted)}")
    return families.expand(input, shape=shape)


_sizes = sizes  # for functions with a parameter of that name


def expand_as(input: Value, other: Value) -> Value:
    """
    The tensor repeated to the shape of another one, without copies.

    Parameters
    ----------
    input : Tensor
        Broadcasts to the shape of `other`.
    other : Tensor
        Its shape is wanted.

    Returns
    -------
    Tensor
        A view in which many elements share memory: it cannot be written to.

    Examples
    --------
    >>> tp.tensor([[1], [2]]).expand_as(tp.zeros(2, 2))
    tensor([[1, 1],
            [2, 2]])
    """
    return expand(input, other.shape)


# ---- dims ------------------------------------------------------------------------------------------------------------


def t(input: Value) -> Value:
    """
    The transpose of a matrix; a vector or a scalar as it is.

    Parameters
    ----------
    input : Tensor
        At most two dims.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If there are more dims.

    Examples
    --------
    >>> tp.t(tp.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t(): expected a tensor of at most 2 dims, got shape {list(input.shape)}; use mT")
    return reverse_dims(input)


def reverse_dims(input: Value) -> Value:
    """All dims in reverse order."""
    return families.permute(input, dims=tuple(reversed(range(input.ndim))))


def matrix_transpose(input: Value) -> Value:
    """The last two dims exchanged."""
    if input.ndim < 2:
        raise RuntimeError(f"mT: expected a tensor of at least 2 dims, got shape {list(input.shape)}")
    return transpose(input, -2, -1)


def adjoint(input: Value) -> Value:
    """
    The conjugate of a matrix, or of each of a batch, with the last two dims exchanged.

    Parameters
    ----------
    input : Tensor
        At least two dims.

    Returns
    -------
    Tensor
        A view of `input` if it is real.

    Examples
    --------
    >>> tp.adjoint(tp.tensor([[1, 2j]]))
    tensor([[1.-0.j],
            [0.-2.j]])
    """
    if input.ndim < 2:
        raise RuntimeError(f"adjoint(): expected a tensor of at least 2 dims, got shape {list(input.shape)}")
    return conj(transpose(input, -2, -1))


def hermitian(input: Value) -> Value:
    """The conjugate transpose of a matrix."""
    if input.ndim not in (0, 2):
        raise RuntimeError(f"H: expected a matrix, got shape {list(input.shape)}; use mH for a batch")
    return conj(reverse_dims(input))


# ---- pieces ----------------------------------------------------------------------------------------------------------


def select(input: Value, dim: int, index: int) -> Value:
    """
    One slice along a dim, which is dropped.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    dim : int
        The dim.
    index : int
        Position along it; negative counts from the end.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    IndexError
        If `index` is out of range, or the tensor is 0-d.

    Examples
    --------
    >>> tp.select(tp.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
    """
    return slice_key(input, key=select_key(input.shape, dim, index, "select"))


def select_key(shape: Shape, dim: int, index: int, name: str) -> Any:
    """Key of one slice along a dim."""
    if not shape:
        raise IndexError(f"{name}(): cannot be applied to a 0-d tensor")
    d = one_dim(dim, len(shape), name)
    if not -shape[d] <= index < shape[d]:
        raise IndexError(f"{name}(): index {index} is out of range for dim {d} of a tensor of shape {list(shape)}")
    return at_dim(d, int(index) % shape[d], len(shape))


def narrow(input: Value, dim: int, start: int, length: int) -> Value:
    """
    A range along a dim.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    dim : int
        The dim.
    start : int
        Where the range begins; negative counts from the end.
    length : int
        How long it is.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    IndexError
        If `start` is out of range.
    RuntimeError
        If `length` is negative or reaches beyond the end, or the tensor is 0-d.

    Examples
    --------
    >>> tp.narrow(tp.tensor([1, 2, 3, 4]), 0, 1, 2)
    tensor([2, 3])
    """
    if not input.ndim:
        raise RuntimeError("narrow(): cannot be applied to a 0-d tensor")
    d = one_dim(dim, input.ndim, "narrow")
    n = input.shape[d]
    if not -n <= start <= n:
        raise IndexError(f"narrow(): start {start} is out of range [{-n}, {n}]")
    first = int(start) + n if start < 0 else int(start)
    if not 0 <= length <= n - first:
        raise RuntimeError(f"narrow(): start {start} and length {length} exceed the size {n} of dim {d}")
    return slice_dim(input, d, first, first + int(length))


def unbind(input: Value, dim: int = 0) -> tuple[Value, ...]:
    """
    All slices along a dim, which is dropped.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    dim : int, default 0
        The dim.

    Returns
    -------
    tuple of Tensor
        Views of `input`.

    Raises
    ------
    IndexError
        If the tensor is 0-d.

    Examples
    --------
    >>> tp.unbind(tp.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    if not input.ndim:
        raise IndexError("unbind(): cannot be applied to a 0-d tensor")
    d = one_dim(dim, input.ndim, "unbind")
    return tuple([slice_key(input, key=at_dim(d, i, input.ndim)) for i in range(input.shape[d])])


def split(tensor: Value, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Value, ...]:
    """
    Pieces of given sizes along a dim.

    Parameters
    ----------
    tensor : Tensor
        At least one dim.
    split_size_or_sections : int or list of int
        Size of each piece (the last may be smaller), or the size of every piece.
    dim : int, default 0
        The dim.

    Returns
    -------
    tuple of Tensor
        Views of `tensor`.

    Raises
    ------
    RuntimeError
        If the sizes do not add up to the size of the dim, or one is negative.

    Examples
    --------
    >>> tp.split(tp.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    if not isinstance(split_size_or_sections, int):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    d = _split_dim(tensor, dim, "split")
    n, size = tensor.shape[d], split_size_or_sections
    if size < 0 or (size == 0 and n):
        raise RuntimeError(f"split(): the size of a piece must be positive, got {size}")
    ends = range(size, n + size, size) if n else [0]
    return _pieces(tensor, d, [min(end, n) for end in ends])


def split_with_sizes(input: Value, split_sizes: Sequence[int], dim: int = 0) -> tuple[Value, ...]:
    """
    Pieces of given sizes along a dim.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    split_sizes : list of int
        Size of every piece; they add up to the size of the dim.
    dim : int, default 0
        The dim.

    Returns
    -------
    tuple of Tensor
        Views of `input`.

    Examples
    --------
    >>> tp.split_with_sizes(tp.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    d = _split_dim(input, dim, "split_with_sizes")
    if min(split_sizes, default=0) < 0 or sum(split_sizes) != input.shape[d]:
        raise RuntimeError(
            f"split_with_sizes(): sizes must be non-negative and add up to {input.shape[d]}, the size of dim {d}; got "
            f"{list(split_sizes)}"
        )
    return _pieces(input, d, np.cumsum(split_sizes, dtype=np.int64).tolist())


def _split_dim(input: Value, dim: int, name: str) -> int:
    if not input.ndim:
        raise RuntimeError(f"{name}(): expected a tensor with at least one dim, got a 0-d tensor")
    return one_dim(dim, input.ndim, name)


def _pieces(input: Value, dim: int, ends: Sequence[int]) -> tuple[Value, ...]:
    return tuple([slice_dim(input, dim, start, end) for start, end in zip([0, *ends], ends, strict=False)])


def chunk(input: Value, chunks: int, dim: int = 0) -> tuple[Value, ...]:
    """
    At most a given number of pieces of equal size along a dim; the last may be smaller.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    chunks : int
        How many pieces.
    dim : int, default 0
        The dim.

    Returns
    -------
    tuple of Tensor
        Views of `input`.

    Raises
    ------
    RuntimeError
        If `chunks` is not positive.

    Examples
    --------
    >>> tp.chunk(tp.tensor([1, 2, 3, 4, 5]), 2)
    (tensor([1, 2, 3]), tensor([4, 5]))
    """
    d = _split_dim(input, dim, "chunk")
    if chunks < 1:
        raise RuntimeError(f"chunk(): chunks must be positive, got {chunks}")
    n = input.shape[d]
    return split(input, -(-n // chunks), d) if n else (_pieces(input, d, [0] * chunks))


def tensor_split(
    input: Value, indices_or_sections: int | Sequence[int] | Value | None = None, dim: int = 0, **named: Any
) -> tuple[Value, ...]:
    """
    Pieces along a dim, of nearly equal sizes or between given positions.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    indices_or_sections : int, list of int or Tensor
        The number of pieces, or the positions where to cut; also under the names ``sections`` and ``indices``.
    dim : int, default 0
        The dim.

    Returns
    -------
    tuple of Tensor
        Views of `input`.

    Raises
    ------
    RuntimeError
        If the number of pieces is not positive.

    Examples
    --------
    >>> tp.tensor_split(tp.tensor([1, 2, 3, 4, 5]), 2)
    (tensor([1, 2, 3]), tensor([4, 5]))
    >>> tp.tensor_split(tp.tensor([1, 2, 3, 4, 5]), (1, 4))
    (tensor([1]), tensor([2, 3, 4]), tensor([5]))
    """
    for name in ("indices", "sections"):
        indices_or_sections = named.pop(name, indices_or_sections)
    if named or indices_or_sections is None:
        raise TypeError(f"tensor_split(): expected indices_or_sections, got {sorted(named) or None}")
    return _tensor_split(input, indices_or_sections, _split_dim(input, dim, "tensor_split"), "tensor_split")


def _tensor_split(input: Value, where: Any, dim: int, name: str) -> tuple[Value, ...]:
    n = input.shape[dim]
    where = where.tolist() if hasattr(where, "tolist") else where
    if isinstance(where, int):
        if where < 1:
            raise RuntimeError(f"{name}(): the number of pieces must be positive, got {where}")
        base, extra = divmod(n, where)
        return _pieces(input, dim, [base * (i + 1) + min(i + 1, extra) for i in range(where)])
    cuts = [0, *[slice(None, cut).indices(n)[1] for cut in where], n]
    return tuple([slice_dim(input, dim, a, max(a, b)) for a, b in zip(cuts[:-1], cuts[1:], strict=True)])


def _named_split(name: str, axis: str, least: int, dim_of: Callable[[int], int], example: str) -> Callable[..., Any]:
    def op(input: Value, indices_or_sections: int | Sequence[int]) -> tuple[Value, ...]:
        if input.ndim < least:
            raise RuntimeError(f"{name}(): expected at least {least} dims, got shape {list(input.shape)}")
        d = dim_of(input.ndim)
        if isinstance(indices_or_sections, int) and (indices_or_sections == 0 or input.shape[d] % indices_or_sections):
            raise RuntimeError(
                f"{name}(): {indices_or_sections} pieces of equal size do not fit dim {d} of shape {list(input.shape)}"
            )
        return _tensor_split(input, indices_or_sections, d, name)

    return documented(
        op,
        name,
        f"Pieces along {axis}.",
        f"""
        Parameters
        ----------
        input : Tensor
            At least {least} dims.
        indices_or_sections : int or list of int
            The number of pieces, which divides the size, or the positions where to cut.

        Returns
        -------
        tuple of Tensor
            Views of `input`.

        Raises
        ------
        RuntimeError
            If there are fewer dims, or the number does not divide the size.
        """,
        example,
    )


def documented(op: Callable[..., Any], name: str, summary: str, body: str, example: str) -> Callable[..., Any]:
    """`op`, made by a helper, with a name and a docstring of its own."""
    lines = [line.removeprefix("    ") for line in body.strip("\n").rstrip().split("\n")]
    shown = example.replace("\n", "\n    ")
    op.__name__ = op.__qualname__ = name
    op.__doc__ = "\n".join([f"\n    {summary}\n", *lines, "\n    Examples\n    --------", f"    {shown}\n    "])
    return op


hsplit = _named_split(
    "hsplit",
    "the second dim, or the only one",
    1,
    lambda ndim: 0 if ndim == 1 else 1,
    ">>> tp.hsplit(tp.tensor([[1, 2], [3, 4]]), 2)\n(tensor([[1],\n        [3]]), tensor([[2],\n        [4]]))",
)
vsplit = _named_split(
    "vsplit",
    "the first dim",
    2,
    lambda ndim: 0,
    ">>> tp.vsplit(tp.tensor([[1, 2], [3, 4]]), 2)\n(tensor([[1, 2]]), tensor([[3, 4]]))",
)
dsplit = _named_split(
    "dsplit",
    "the third dim",
    3,
    lambda ndim: 2,
    ">>> [piece.shape for piece in tp.dsplit(tp.zeros(1, 2, 4), 2)]\n"
    "[tensorplay.Size([1, 2, 2]), tensorplay.Size([1, 2, 2])]",
)

# ---- diagonals and windows -------------------------------------------------------------------------------------------


def _diagonal_impl(x: Any) -> Any:
    out = np.diagonal(x, axis1=-2, axis2=-1)
    out.flags.writeable = x.flags.writeable
    return out


def _put_diagonal_impl(x: Any) -> Any:
    out = np.zeros((*x.shape, x.shape[-1]), x.dtype)
    _diagonal_impl(out)[...] = x
    return out


# Main diagonal of square matrices, [..., n, n] -> [..., n], and the diagonal matrices that it is the diagonal of.
take_diagonal = structural(
    "diagonal",
    _diagonal_impl,
    transpose=lambda ct, x: put_diagonal(ct),
    batch=lambda size, args, mapped: (take_diagonal(args[0]), True),
)
put_diagonal = structural(
    "put_diagonal",
    _put_diagonal_impl,
    transpose=lambda ct, x: take_diagonal(ct),
    batch=lambda size, args, mapped: (put_diagonal(args[0]), True),
)


def diagonal(input: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """
    A diagonal of two dims, as the last dim of the result.

    Parameters
    ----------
    input : Tensor
        At least two dims.
    offset : int, default 0
        Which diagonal: positive above the main one, negative below.
    dim1, dim2 : int, default 0 and 1
        The dims.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the two dims are the same.

    Examples
    --------
    >>> tp.diagonal(tp.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    a, b = two_dims(dim1, dim2, input.ndim, "diagonal")
    row, column, length = diagonal_place(input.shape[a], input.shape[b], offset)
    block = slice_dim(slice_dim(input, a, row, row + length), b, column, column + length)
    rest = [d for d in range(input.ndim) if d not in (a, b)]
    return take_diagonal(families.permute(block, dims=(*rest, a, b)))


def two_dims(dim1: int, dim2: int, ndim: int, name: str) -> tuple[int, int]:
    """Two different dims as non-negative ints."""
    a, b = one_dim(dim1, ndim, name), one_dim(dim2, ndim, name)
    if a == b:
        raise RuntimeError(f"{name}(): the two dims must differ, got {dim1} and {dim2}")
    return a, b


def diagonal_place(rows: int, columns: int, offset: int) -> tuple[int, int, int]:
    """Row and column where a diagonal begins, and its length."""
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(rows - row, columns - column), 0)
    return (row, column, length) if length else (0, 0, 0)


def unfold(input: Value, dimension: int, size: int, step: int) -> Value:
    """
    Windows along a dim, whose elements are in a new last dim.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dimension : int
        The dim.
    size : int
        Length of a window.
    step : int
        From the start of one window to the next.

    Returns
    -------
    Tensor
        A view of `input`; where windows overlap it cannot be written to.

    Raises
    ------
    RuntimeError
        If `size` is larger than the dim or negative, or `step` is not positive.

    Examples
    --------
    >>> tp.tensor([1, 2, 3, 4]).unfold(0, 2, 1)
    tensor([[1, 2],
            [2, 3],
            [3, 4]])
    """
    d = one_dim(dimension, input.ndim, "unfold")
    have = input.shape[d] if input.ndim else 1
    if not 0 <= size <= have:
        raise RuntimeError(f"unfold(): the size of a window must be between 0 and {have}, got {size}")
    if step < 1:
        raise RuntimeError(f"unfold(): step must be positive, got {step}")
    if not input.ndim:
        return families.reshape(input, shape=(1,)) if size else slice_dim(families.reshape(input, shape=(1,)), 0, 0, 0)
    if size == 0:
        count = have // step + 1
        empty = families.reshape(slice_dim(input, d, 0, 0), shape=(*input.shape[:d], 0, *input.shape[d + 1 :]))
        return families.reshape(empty, shape=(*input.shape[:d], count, *input.shape[d + 1 :], 0))
    order = (*[i for i in range(input.ndim) if i != d], d)
    w = Windows((int(size),), (int(step),), (1,), (0,), ((have - size) // step + 1,))
    moved = windows(families.permute(input, dims=order), w=w)  # [*rest, windows, size]
    last = input.ndim - 1
    return families.permute(moved, dims=(*range(d), last, *range(d, last), last + 1))


# ---- the bits of an element ------------------------------------------------------------------------------------------


def _as_real_impl(x: Any) -> Any:
    return x[..., None].view(real_dtype(x.dtype))


def _as_complex_impl(x: Any) -> Any:
    if x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    return x.view(complex_dtype(x.dtype))[..., 0]


_as_real = structural(
    "view_as_real",
    _as_real_impl,
    transpose=lambda ct, x: _as_complex(ct),
    batch=lambda size, args, mapped: (_as_real(args[0]), True),
)
_as_complex = structural(
    "view_as_complex",
    _as_complex_impl,
    transpose=lambda ct, x: _as_real(ct),
    batch=lambda size, args, mapped: (_as_complex(args[0]), True),
)


def view_as_real(input: Value) -> Value:
    """
    Real and imaginary parts as a last dim of size 2.

    Parameters
    ----------
    input : Tensor
        Complex.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the tensor is not complex.

    Examples
    --------
    >>> tp.view_as_real(tp.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if input.dtype.kind != "c":
        raise RuntimeError(f"view_as_real(): expected a complex tensor, got {input.dtype}")
    return _as_real(input)


def view_as_complex(input: Value) -> Value:
    """
    Complex numbers from a last dim that holds real and imaginary parts.

    Parameters
    ----------
    input : Tensor
        float32 or float64, with a last dim of size 2 and stride 1.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the tensor is no such.

    Examples
    --------
    >>> tp.view_as_complex(tp.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    if input.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"view_as_complex(): expected a float32 or float64 tensor, got {input.dtype}")
    if not input.ndim or input.shape[-1] != 2:
        raise RuntimeError(f"view_as_complex(): expected a last dim of size 2, got shape {list(input.shape)}")
    return _as_complex(input)


def _view_dtype_impl(x: Any, dtype: NumpyDtype) -> Any:
    if x.ndim == 0:
        return x[None].view(dtype)[0, ...]
    return x.view(dtype)


_view_dtype = structural(
    "view_dtype",
    _view_dtype_impl,
    transpose=lambda ct, x, dtype: None,
    batch=lambda size, args, mapped, dtype: (_view_dtype(args[0], dtype=dtype), True),
)
_view_dtype.differentiable = False


def view_dtype(input: Value, dtype: NumpyDtype) -> Value:
    """The same memory read as elements of another type; no derivative flows through."""
    if dtype == input.dtype:
        return families.reshape(input, shape=input.shape)
    have, want = input.dtype.itemsize, dtype.itemsize
    if have != want and not input.ndim:
        raise RuntimeError(f"view(dtype): a 0-d tensor of {input.dtype} cannot be read as {dtype}: the sizes differ")
    if have < want and input.shape[-1] * have % want:
        raise RuntimeError(
            f"view(dtype): the last dim of a tensor of shape {list(input.shape)} and {input.dtype} does not divide into "
            f"elements of {dtype}"
        )
    return _view_dtype(input, dtype=dtype)


# ---- copies of views -------------------------------------------------------------------------------------------------


def alias(input: Value) -> Value:
    """The tensor itself, as a view."""
    return families.reshape(input, shape=input.shape)


def _copying(of: Callable[..., Any], example: str, name: str = "") -> Callable[..., Any]:
    """Like the op `of`, but the result shares no memory with the input."""

    def op(*args: Any, **kwargs: Any) -> Any:
        out = of(*args, **kwargs)
        return tuple(map(copy, out)) if isinstance(out, tuple) else copy(out)

    name = name or of.__name__
    return documented(
        op,
        f"{name}_copy",
        f"The result of `{name}` as a copy, which shares no memory with the input.",
        f"""
        Parameters
        ----------
        *args, **kwargs
            Those of `{name}`.

        Returns
        -------
        Tensor or tuple of Tensor
            New memory.
        """,
        example,
    )


def _shape_example(call: str, shape: Sequence[int]) -> str:
    return f">>> {call}.shape\ntensorplay.Size({list(shape)})"


alias_copy = _copying(alias, _shape_example("tp.alias_copy(tp.zeros(2))", [2]))
detach_copy = _copying(lambda input: detach(input), _shape_example("tp.detach_copy(tp.zeros(2))", [2]), name="detach")
diagonal_copy = _copying(diagonal, _shape_example("tp.diagonal_copy(tp.zeros(2, 2))", [2]))
expand_copy = _copying(expand, _shape_example("tp.expand_copy(tp.zeros(1), (2,))", [2]))
narrow_copy = _copying(narrow, _shape_example("tp.narrow_copy(tp.zeros(3), 0, 1, 2)", [2]))
permute_copy = _copying(permute, _shape_example("tp.permute_copy(tp.zeros(2, 3), (1, 0))", [3, 2]))
select_copy = _copying(select, _shape_example("tp.select_copy(tp.zeros(2, 3), 0, 1)", [3]))
split_copy = _copying(split, _shape_example("tp.split_copy(tp.zeros(4), 2)[0]", [2]))
split_with_sizes_copy = _copying(
    split_with_sizes, _shape_example("tp.split_with_sizes_copy(tp.zeros(3), [1, 2])[1]", [2])
)
squeeze_copy = _copying(squeeze, _shape_example("tp.squeeze_copy(tp.zeros(1, 3))", [3]))
t_copy = _copying(t, _shape_example("tp.t_copy(tp.zeros(2, 3))", [3, 2]))
transpose_copy = _copying(transpose, _shape_example("tp.transpose_copy(tp.zeros(2, 3), 0, 1)", [3, 2]))
unbind_copy = _copying(unbind, _shape_example("tp.unbind_copy(tp.zeros(2, 3))[0]", [3]))
unfold_copy = _copying(unfold, _shape_example("tp.unfold_copy(tp.zeros(4), 0, 2, 2)", [2, 2]))
unsqueeze_copy = _copying(unsqueeze, _shape_example("tp.unsqueeze_copy(tp.zeros(3), 0)", [1, 3]))
view_copy = _copying(view, _shape_example("tp.view_copy(tp.zeros(4), (2, 2))", [2, 2]))
view_as_real_copy = _copying(view_as_real, _shape_example("tp.view_as_real_copy(tp.tensor([1j]))", [1, 2]))
view_as_complex_copy = _copying(view_as_complex, _shape_example("tp.view_as_complex_copy(tp.zeros(3, 2))", [3]))


# ---- writing through a view ------------------------------------------------------------------------------------------


def place_view(base: Value, step: Callable[[Value], Value], new: Value) -> Value:
    """
    `base` changed so that the view that `step` takes of it reads `new`.

    Where the elements of the view lie is asked of the step itself, by taking the same view of the elements' numbers;
    complex elements are two numbers each, so that the step may take them apart (real, view_as_real).
    """
    numbers = _numbered(base)
    seen = step(numbers)
    if real_dtype(seen.dtype) != real_dtype(numbers.dtype):
        raise RuntimeError(
            "a tensor that a transform traces cannot be written to through view(dtype); write to a copy (x.clone())"
        )
    if base.dtype.kind != "c" and seen.dtype.kind != "c":
        return _placed(base, seen.ravel(), new)
    positions = (_as_real(seen) if seen.dtype.kind == "c" else seen).ravel().astype(np.intp)
    parts = _as_real(base) if base.dtype.kind == "c" else base
    placed = _placed(parts, positions, _as_real(new) if new.dtype.kind == "c" else new)
    return _as_complex(placed) if base.dtype.kind == "c" else placed


def _numbered(base: Value) -> Any:
    """An array like `base` that holds the number of each element, or of each real and imaginary part."""
    if base.dtype.kind == "c":
        return np.arange(2.0 * base.size).view(np.complex128).reshape(base.shape)
    return np.arange(base.size, dtype=np.float64 if base.dtype.kind == "f" else np.int64).reshape(base.shape)


def _placed(base: Value, positions: Any, new: Value) -> Value:
    """`base` with the elements of `new` at positions of the flattened tensor, each named once."""
    positions = positions.astype(np.intp, copy=False)
    written = np.zeros(base.size, dtype=bool)
    written[positions] = True
    if np.count_nonzero(written) < positions.size:
        raise RuntimeError(
            f"a view of shape {list(new.shape)} cannot be written to: several of its elements share memory (expand, "
            f"unfold); write to a copy (x.clone())"
        )
    flat = families.reshape(new, shape=(positions.size,))
    if positions.size == base.size:
        order = np.empty(base.size, dtype=np.intp)
        order[positions] = np.arange(base.size)
        return families.reshape(take(flat, order, start=0), shape=base.shape)
    placed = put(families.reshape(base, shape=(base.size,)), flat, positions, start=0)
    return families.reshape(placed, shape=base.shape)
