"""Padding: tensors made larger (or smaller) at both ends of their last dims."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tensorplay.core.value import Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arranging import flip
from tensorplay.ops.promotion import number_in
from tensorplay.ops.shape import cat, copy, embed, set_slice, sizes, slice_dim, slice_key

Ends = list[tuple[int, int]]  # how many elements each dim gets in front and behind


def constant_pad_nd(input: Value, pad: Sequence[int], value: float = 0) -> Value:
    """
    The tensor with a number put around it.

    Parameters
    ----------
    input : Tensor
        Any shape.
    pad : tuple of int
        How many elements in front and behind, for the last dim, then for the one before it, and so on. Negative
        numbers cut elements off.
    value : number, default 0
        The number.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError
        If `pad` has an odd length or too many entries, or cuts off more than there is.

    Examples
    --------
    >>> tp.constant_pad_nd(tp.tensor([1, 2]), (1, 2), 7)
    tensor([7, 1, 2, 7, 7])
    """
    return _constant(input, _ends(input, pad, "constant_pad_nd"), value)


def pad(input: Value, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Value:
    """
    The tensor with elements put around it, or cut off.

    Parameters
    ----------
    input : Tensor
        Any shape for mode "constant"; otherwise channels and, in front of them, an optional batch dim, followed by as
        many dims as are padded.
    pad : tuple of int
        How many elements in front and behind, for the last dim, then for the one before it, and so on. Negative
        numbers cut elements off.
    mode : {"constant", "reflect", "replicate", "circular"}, default "constant"
        A number; the elements mirrored at the edge, which is not repeated; the edge repeated; the other end.
    value : number, default 0
        What mode "constant" puts there.

    Returns
    -------
    Tensor
        New memory.

    Raises
    ------
    RuntimeError, ValueError
        If `pad` does not fit the shape, or `value` is given with another mode.
    NotImplementedError
        If the mode is none of these.

    Examples
    --------
    >>> tp.nn.functional.pad(tp.tensor([[1.0, 2.0, 3.0]]), (1, 2), mode="reflect")
    tensor([[2., 1., 2., 3., 2., 1.]])
    """
    ends = _ends(input, pad, "pad")
    if mode == "constant":
        return _constant(input, ends, 0 if value is None else value)
    if mode not in _SIDES:
        raise NotImplementedError(f"pad(): mode must be one of 'constant', {sorted(_SIDES)}, got {shown(mode)}")
    if value:
        raise ValueError(f"pad(): value is for mode 'constant' only, got {value} with mode {mode!r}")
    count = len(pad) // 2
    if not 1 <= count <= 3 or input.ndim - count not in (1, 2):
        raise NotImplementedError(
            f"pad(): mode {mode!r} pads the last 1 to 3 dims of a tensor that has one or two dims more; got {len(pad)} "
            f"numbers for shape {list(input.shape)}"
        )
    return _around(input, ends, mode)


def _ends(input: Value, pad: Sequence[int], name: str) -> Ends:
    numbers = sizes((tuple(pad),))
    if len(numbers) % 2 or len(numbers) > 2 * input.ndim:
        raise RuntimeError(
            f"{name}(): pad must hold two numbers for each of at most {input.ndim} dims, got {list(numbers)} for shape "
            f"{list(input.shape)}"
        )
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))[::-1]
    ends = [(0, 0)] * (input.ndim - len(pairs)) + pairs
    for n, (front, behind) in zip(input.shape, ends, strict=True):
        if n + front + behind < 0:
            raise RuntimeError(f"{name}(): {list(numbers)} cuts off more than shape {list(input.shape)} holds")
    return ends


def _cut(input: Value, ends: Ends) -> tuple[Value, Ends]:
    """The tensor without what negative numbers cut off, and what is left to put around it."""
    if all([front >= 0 and behind >= 0 for front, behind in ends]):
        return input, ends
    dims = list(zip(input.shape, ends, strict=True))
    key = tuple([_kept(n, front, behind) for n, (front, behind) in dims])
    # a side that cuts off more than there is eats what the other side puts there
    left = [(max(front + min(n + behind, 0), 0), max(behind + min(n + front, 0), 0)) for n, (front, behind) in dims]
    return slice_key(input, key=key), left


def _kept(n: int, front: int, behind: int) -> slice:
    start, stop = min(max(-front, 0), n), max(n - max(-behind, 0), 0)
    return slice(start, max(start, stop))


def _constant(input: Value, ends: Ends, value: float) -> Value:
    inner, ends = _cut(input, ends)
    if all([pair == (0, 0) for pair in ends]):
        return copy(inner)
    shape = tuple([n + front + behind for n, (front, behind) in zip(inner.shape, ends, strict=True)])
    key = tuple([slice(front, front + n) for n, (front, _) in zip(inner.shape, ends, strict=True)])
    if value == 0:
        return embed(inner, shape=shape, key=key)
    return set_slice(np.full(shape, number_in(value, inner.dtype)), inner, key=key)


def _around(input: Value, ends: Ends, mode: str) -> Value:
    side = _SIDES[mode]
    if mode == "circular":
        input, ends = _cut(input, ends)
    for dim, (front, behind) in enumerate(ends):
        n = input.shape[dim]
        limit = {"reflect": max(n - 1, 0), "circular": n}.get(mode)
        if limit is not None and max(front, behind) > limit:
            raise RuntimeError(
                f"pad(): mode {mode!r} takes at most {limit} elements at each end of dim {dim} of shape "
                f"{list(input.shape)}, got {(front, behind)}"
            )
        if n == 0 and max(front, behind) > 0:
            raise RuntimeError(f"pad(): mode {mode!r} cannot pad dim {dim} of size 0")
    out = input
    for dim, (front, behind) in enumerate(ends):
        out = _one_dim(out, dim, front, behind, side)
    return copy(out) if out is input else out


def _one_dim(value: Value, dim: int, front: int, behind: int, side: Callable[[Value, int, int, int], Value]) -> Value:
    parts = [side(value, dim, -1, front)] if front > 0 else []
    n = value.shape[dim]
    start, stop = max(-front, 0), n + min(behind, 0)
    parts.append(slice_dim(value, dim, start, max(start, stop)))
    if behind > 0:
        parts.append(side(value, dim, 1, behind))
    return cat(parts, dim) if len(parts) > 1 or (front, behind) != (0, 0) else value


def _mirrored(value: Value, dim: int, end: int, count: int) -> Value:
    n = value.shape[dim]
    start = 1 if end < 0 else n - 1 - count
    return flip(slice_dim(value, dim, start, start + count), dim)


def _repeated(value: Value, dim: int, end: int, count: int) -> Value:
    n = value.shape[dim]
    edge = slice_dim(value, dim, 0, 1) if end < 0 else slice_dim(value, dim, n - 1, n)
    return families.expand(edge, shape=(*value.shape[:dim], count, *value.shape[dim + 1 :]))


def _other_end(value: Value, dim: int, end: int, count: int) -> Value:
    n = value.shape[dim]
    return slice_dim(value, dim, n - count, n) if end < 0 else slice_dim(value, dim, 0, count)


_SIDES = {"reflect": _mirrored, "replicate": _repeated, "circular": _other_end}
