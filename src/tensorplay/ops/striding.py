"""Views that say themselves where their elements lie: by an offset, and a stride for each dim."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tensorplay.core.value import Shape, Value
from tensorplay.ops import families
from tensorplay.ops.families import structural
from tensorplay.ops.indexing import accumulate


def _strided_impl(x: Any, size: Shape, stride: Shape, offset: int) -> Any:
    return as_strided(
        x[..., offset:],
        (*x.shape[:-1], *size),
        (*x.strides[:-1], *[step * x.strides[-1] for step in stride]),
        writeable=lie_apart(size, stride),
    )


def _add_where_they_lie(ct: Value, x: Value, size: Shape, stride: Shape, offset: int) -> Value:
    """The transpose: elements that are seen several times receive the sum."""
    where = places(size, stride, offset).ravel()
    flat = families.reshape(ct, shape=(*x.shape[:-1], where.size))
    return accumulate(flat, where, start=len(x.shape) - 1, shape=x.shape)


# Elements of the last dim: x [*lead, n] -> [*lead, *size].
strided = structural(
    "strided",
    _strided_impl,
    transpose=_add_where_they_lie,
    batch=lambda size_of_batch, args, mapped, **params: (strided(args[0], **params), True),
)


def places(size: Shape, stride: Shape, offset: int) -> np.ndarray[Any, Any]:
    """Number of the element that each place of such a view shows."""
    found = np.full((), offset, np.intp)
    for count, step in zip(size, stride, strict=True):
        found = np.add.outer(found, np.arange(count) * step)
    return found


def lie_apart(size: Shape, stride: Shape) -> bool:
    """Whether each dim, from the smallest stride on, steps over all that those before it cover."""
    reach = 0
    for step, count in sorted(zip(stride, size, strict=True)):
        if count > 1:
            if step <= reach:
                return False
            reach += step * (count - 1)
    return True


def checked_strides(
    size: Any, stride: Any, offset: int, count: int, name: str = "as_strided()"
) -> tuple[Shape, Shape, int]:
    """Size and strides of a view of `count` elements in a row, which must not lead out of these."""
    sizes, strides = tuple(map(int, size)), tuple(map(int, stride))
    if len(sizes) != len(strides):
        raise RuntimeError(f"{name}: size and stride must be of one length, got {list(sizes)} and {list(strides)}")
    if min((*sizes, *strides, offset), default=0) < 0:
        raise RuntimeError(
            f"{name}: sizes, strides and storage_offset must not be negative, got {list(sizes)}, {list(strides)} and "
            f"{offset}; use flip to go backwards"
        )
    last = offset + sum([(n - 1) * step for n, step in zip(sizes, strides, strict=True)])
    if 0 not in sizes and last >= count:
        raise RuntimeError(
            f"{name}: size {list(sizes)}, stride {list(strides)} and storage_offset {offset} reach element {last}, but "
            f"the memory has {count}"
        )
    return sizes, strides, min(offset, count)
