"""Views of parts of a tensor: slices, ranges and splits along a dim."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Traced, Value
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.ops import families
from tensorplay.ops.comparison import lt
from tensorplay.ops.documented import documented
from tensorplay.ops.indexing import concrete, take, where
from tensorplay.ops.shape import at_dim, one_dim, slice_dim, slice_key
from tensorplay.ops.stacking import pieces, slices


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


def narrow(input: Value, dim: int, start: int | Value, length: int) -> Value:
    """
    A range along a dim.

    Parameters
    ----------
    input : Tensor
        At least one dim.
    dim : int
        The dim.
    start : int or 0-d Tensor
        Where the range begins; negative counts from the end.
    length : int
        How long it is.

    Returns
    -------
    Tensor
        A view of `input`; a copy where `vmap` maps over `start`.

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
    if isinstance(start, Traced):
        return _narrow_at(input, d, start, length)
    start = _whole_start(start)
    if not -n <= start <= n:
        raise IndexError(f"narrow(): start {start} is out of range [{-n}, {n}]")
    first = start + n if start < 0 else start
    if not 0 <= length <= n - first:
        raise RuntimeError(f"narrow(): start {start} and length {length} exceed the size {n} of dim {d}")
    return slice_dim(input, d, first, first + int(length))


def _whole_start(start: Any) -> int:
    if hasattr(start, "dtype") and (start.ndim or start.dtype.kind not in "iu"):
        raise RuntimeError(
            f"narrow(): start must be an int or a 0-d integer tensor, got {from_numpy_dtype(start.dtype)} of shape "
            f"{list(start.shape)}"
        )
    return operator.index(start)


def _narrow_at(input: Value, dim: int, start: Value, length: int) -> Value:
    """A range that begins elsewhere in each sample: a copy."""
    n = input.shape[dim]
    if not 0 <= length <= n:
        raise RuntimeError(f"narrow(): length {length} exceeds the size {n} of dim {dim}")
    first = where(lt(start, 0), families.add(start, n), start)
    return take(input, families.add(families.reshape(first, shape=(1,)), np.arange(length)), start=dim)


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
    return slices(input, dim=d)


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
        return _split_at(tensor, split_size_or_sections, dim, "split")
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
    return _split_at(input, split_sizes, dim, "split_with_sizes")


def _split_at(input: Value, split_sizes: Sequence[int], dim: int, name: str) -> tuple[Value, ...]:
    d = _split_dim(input, dim, name)
    if min(split_sizes, default=0) < 0 or sum(split_sizes) != input.shape[d]:
        raise RuntimeError(
            f"{name}(): sizes must be non-negative and add up to {input.shape[d]}, the size of dim {d}; got "
            f"{list(split_sizes)}"
        )
    return _pieces(input, d, np.cumsum(split_sizes, dtype=np.int64).tolist())


def _split_dim(input: Value, dim: int, name: str) -> int:
    if not input.ndim:
        raise RuntimeError(f"{name}(): expected a tensor with at least one dim, got a 0-d tensor")
    return one_dim(dim, input.ndim, name)


def _pieces(input: Value, dim: int, ends: Sequence[int]) -> tuple[Value, ...]:
    return pieces(input, dim=dim, ends=tuple(ends)) if ends else ()


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
        The number of pieces, or the positions where to cut.
    dim : int, default 0
        The dim.
    **named : int, list of int or Tensor
        The second argument under the name ``sections`` or ``indices``.

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
    if hasattr(where, "dtype"):
        where = concrete(where, f"{name}() at positions in a tensor (a data-dependent shape)").tolist()
    if isinstance(where, int):
        if where < 1:
            raise RuntimeError(f"{name}(): the number of pieces must be positive, got {where}")
        base, extra = divmod(n, where)
        return _pieces(input, dim, [base * (i + 1) + min(i + 1, extra) for i in range(where)])
    cuts = [0, *[slice(None, cut).indices(n)[1] for cut in where], n]
    return tuple([slice_dim(input, dim, a, max(a, b)) for a, b in itertools.pairwise(cuts)])


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
