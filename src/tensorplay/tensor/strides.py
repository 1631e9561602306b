"""as_strided: a view of the memory behind a tensor, by strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops.families import permute, reshape
from tensorplay.ops.striding import checked_strides, strided
from tensorplay.tensor.calls import explained
from tensorplay.tensor.handle import Handle, Step
from tensorplay.tensor.lift import take_view


@explained
def as_strided(input: Handle, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Any:
    """
    A view of the memory behind a tensor, whatever part of it the tensor shows.

    Parameters
    ----------
    input : Tensor
        A tensor, or a view of one; the memory is that of the tensor which is viewed.
    size : tuple of int
        Shape of the result.
    stride : tuple of int
        For each dim, from one element to the next, in elements.
    storage_offset : int, optional
        The first element; by default the first one of `input`.

    Returns
    -------
    Tensor
        A view; where elements are seen more than once it cannot be written to.

    Raises
    ------
    RuntimeError
        If the view would leave the memory, or the memory has gaps (a part of a NumPy array).

    Notes
    -----
    Inside of `vmap` the memory is that of one sample, as it lies in a contiguous tensor.

    Examples
    --------
    >>> x = tp.arange(6)
    >>> tp.as_strided(x, (3, 2), (1, 2))
    tensor([[0, 2],
            [1, 3],
            [2, 4]])
    >>> x[1:].as_strided((2,), (3,))
    tensor([1, 4])
    """
    store = _store_of(input)
    memory = store.layout()
    order = _order_in_memory(memory)
    if order is None or memory.dtype != input.value.dtype:
        what = "has gaps" if order is None else "is that of a tensor of another dtype"
        raise RuntimeError(f"as_strided(): the memory behind this tensor {what}; take as_strided of a copy (x.clone())")
    offset = (
        offset_in(memory, input._steps if input is not store else ()) if storage_offset is None else int(storage_offset)
    )
    size, stride, offset = checked_strides(size, stride, offset, memory.size)

    def step(value: Value) -> Value:
        row = reshape(permute(value, dims=order), shape=(value.size,))
        return strided(row, size=size, stride=stride, offset=offset)

    return take_view(store, step)


def each_once(tensor: Any) -> Any:
    """A view of the same elements in which dims that repeat them (expand) have size 1."""
    layout = tensor.layout()
    repeated = [step == 0 and n > 1 for step, n in zip(layout.strides, layout.shape, strict=True)]
    store = _store_of(tensor)
    if not any(repeated) or store is tensor or _order_in_memory(store.layout()) is None:
        return tensor
    sizes = [1 if here else n for here, n in zip(repeated, layout.shape, strict=True)]
    return as_strided(tensor, sizes, [step // layout.itemsize for step in layout.strides])


def _store_of(tensor: Handle) -> Handle:
    return tensor if tensor._root is None or tensor._apart else tensor._root


def _order_in_memory(memory: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    """The order of dims in which the elements follow each other in memory; None if there are gaps."""
    order = tuple(sorted(range(memory.ndim), key=lambda d: memory.strides[d], reverse=True))
    return order if memory.transpose(order).flags.c_contiguous else None


def offset_in(memory: np.ndarray[Any, Any], steps: Sequence[Step]) -> int:
    """Elements from the start of the memory to the first one of the view that `steps` take of it."""
    seen = memory
    for step in steps:
        seen = step(seen)
    return int((seen.ctypes.data - memory.ctypes.data) // seen.itemsize) if seen.size else 0
