"""Pooling: averages, maxima and norms of windows, windows that adapt to the size of the output, and unpooling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arithmetic import div
from tensorplay.ops.families import reshape
from tensorplay.ops.indexing import take, where
from tensorplay.ops.promotion import cast
from tensorplay.ops.windows import Windows, per_dim, window_argmax, window_max, window_sum

Sizes = int | tuple[int, ...]
F = TypeVar("F", bound=Callable[..., Any])

_INPUT = """Shape ``[batch, channels, *spatial]`` with {nd} spatial dim{s}, without the batch for a single sample."""
_PAIR = (
    """If `return_indices`, a pair: the maxima, and the position of each in the flattened spatial dims of the input."""
)


def documented(text: str, nd: int, **fields: str) -> Callable[[F], F]:
    """Give an op a docstring; the ops for one, two and three spatial dims share its text."""

    def decorate(function: F) -> F:
        shape = "[" + ", ".join("1" * (nd)) + ", 4]"
        ones = ", ".join(["1"] * nd)
        opening, closing = "[" * nd, "]" * nd
        known = {"nd": str(nd), "s": "s" * (nd > 1), "name": function.__name__, "shape": shape, "ones": ones}
        function.__doc__ = text.format(
            **known, opening=opening, closing=closing, input=_INPUT.format(**known), **fields
        )
        return function

    return decorate


# ---- arguments -------------------------------------------------------------------------------------------------------


def check_input(name: str, input: Value, nd: int) -> None:
    """Raise unless `input` is a batch, or a single sample, of channels with `nd` spatial dims."""
    if input.ndim not in (nd + 1, nd + 2):
        raise RuntimeError(
            f"{name}(): input must have {nd + 2} dims, or {nd + 1} if it is a single sample, got shape "
            f"{list(input.shape)}"
        )
    if 0 in input.shape[input.ndim - nd - 1 :]:
        raise RuntimeError(f"{name}(): only the batch of input may be empty, got shape {list(input.shape)}")


def _sliding(
    name: str, nd: int, input: Value, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Windows:
    """The windows that the arguments of a pooling function describe."""
    check_input(name, input, nd)
    kernel = per_dim(kernel_size, nd, name, "kernel_size")
    steps = kernel if stride is None or stride in ((), []) else per_dim(stride, nd, name, "stride")
    around, dilations = per_dim(padding, nd, name, "padding", 0), per_dim(dilation, nd, name, "dilation")
    for k, p, d in zip(kernel, around, dilations, strict=True):
        if 2 * p > d * (k - 1) + 1:
            raise RuntimeError(
                f"{name}(): padding must be at most half of the window, got padding={p}, kernel_size={k}, dilation={d}"
            )
    spatial = input.shape[input.ndim - nd :]
    out = [_count(*each, ceil_mode) for each in zip(spatial, kernel, steps, around, dilations, strict=True)]
    if min(out) < 1:
        raise RuntimeError(
            f"{name}(): windows of size {list(kernel)} do not fit into input of shape {list(input.shape)}"
        )
    return Windows(kernel, steps, dilations, around, tuple(out))


def _count(length: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    room = length + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + stride - 1 if ceil_mode else room) // stride + 1
    # the last window starts inside the input or its left padding
    return count - 1 if ceil_mode and (count - 1) * stride >= length + padding else count


# ---- average ---------------------------------------------------------------------------------------------------------


def average(
    name: str,
    nd: int,
    input: Value,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None = None,
) -> Value:
    """Mean of each window; `name` is the function that asks for it."""
    w = _sliding(name, nd, input, kernel_size, stride, padding, 1, ceil_mode)
    total = window_sum(input, w=w)
    if divisor_override is not None:
        if divisor_override == 0:
            raise RuntimeError(f"{name}(): divisor_override must not be zero")
        count: Any = divisor_override
    else:
        count = _members(w, input.shape[input.ndim - nd :], count_include_pad)
    if input.dtype.kind in "iu":
        return cast(div(total, np.asarray(count)), input.dtype)
    return div(total, np.asarray(count, input.dtype))


def _members(w: Windows, spatial: Shape, count_include_pad: bool) -> Any:
    """How many elements each window averages: an int if all have as many."""
    lengths = []
    for n, k, s, p, count in zip(spatial, w.kernel, w.stride, w.padding, w.out, strict=True):
        start = np.arange(count) * s - p
        if count_include_pad:
            lengths.append(np.minimum(start + k, n + p) - start)
        else:
            lengths.append(np.minimum(start + k, n) - np.maximum(start, 0))
    if all((each == each[0]).all() for each in lengths):
        return int(np.prod([each[0] for each in lengths]))
    members = lengths[0]
    for each in lengths[1:]:
        members = members[..., None] * each
    return members


_AVERAGE = """
    Mean of each window.

    Parameters
    ----------
    input : Tensor
        {input}
    kernel_size : int or tuple of int
        Size of the windows.
    stride : int or tuple of int, optional
        Distance of the windows; by default their size.
    padding : int or tuple of int, default 0
        Zeros on all sides, at most half of a window.
    ceil_mode : bool, default False
        Whether a last window that does not fit entirely counts.
    count_include_pad : bool, default True
        Whether padding counts in the mean.
{override}
    Returns
    -------
    Tensor
        Shape ``[batch, channels, *windows]``.

    Raises
    ------
    RuntimeError
        If no window fits, or the padding is larger than half of a window.

    Examples
    --------
    >>> tp.nn.functional.{name}(tp.ones({ones}, 4), {kernel}).flatten()
    tensor([1., 1.])
    """
_OVERRIDE = """    divisor_override : int, optional
        What sums are divided by, instead of the number of elements.
"""


@documented(_AVERAGE, 1, kernel="2", override="")
def avg_pool1d(
    input: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Value:
    return average("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@documented(_AVERAGE, 2, kernel="(1, 2)", override=_OVERRIDE)
def avg_pool2d(
    input: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Value:
    return average("avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@documented(_AVERAGE, 3, kernel="(1, 1, 2)", override=_OVERRIDE)
def avg_pool3d(
    input: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Value:
    return average("avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


# ---- maximum ---------------------------------------------------------------------------------------------------------


def _maximum(
    nd: int,
    input: Value,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    w = _sliding(f"max_pool{nd}d", nd, input, kernel_size, stride, padding, dilation, ceil_mode)
    best = window_max(input, w=w)
    return (
        (best, _positions(window_argmax(input, best, w=w), w, input.shape[input.ndim - nd :]))
        if return_indices
        else best
    )


def _positions(tap: Value, w: Windows, spatial: Shape) -> Value:
    """Flat position in the input of tap number `tap` of each window."""
    origin, offset = np.zeros((), np.int64), np.zeros((), np.int64)
    for n, k, s, d, p, count in zip(spatial, w.kernel, w.stride, w.dilation, w.padding, w.out, strict=True):
        origin = origin[..., None] * n + np.arange(count) * s - p
        offset = offset[..., None] * n + np.arange(k) * d
    return families.add(take(offset.ravel(), tap, start=0), origin)


_MAXIMUM = """
    Maximum of each window.

    Parameters
    ----------
    input : Tensor
        {input}
    kernel_size : int or tuple of int
        Size of the windows.
    stride : int or tuple of int, optional
        Distance of the windows; by default their size.
    padding : int or tuple of int, default 0
        Minus infinity on all sides, at most half of a window.
    dilation : int or tuple of int, default 1
        Distance of the elements of a window.
    ceil_mode : bool, default False
        Whether a last window that does not fit entirely counts.
    return_indices : bool, default False
        Whether positions are returned too.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *windows]``. {pair}

    Raises
    ------
    RuntimeError
        If no window fits, or the padding is larger than half of a window.

    Notes
    -----
    Of equal maxima the first one, in the order of memory, takes the derivative.

    Examples
    --------
    >>> tp.nn.functional.{name}(tp.tensor({opening}[1.0, 3.0, 2.0, 0.0]{closing}), {kernel}).flatten()
    tensor([3., 2.])
    """


@documented(_MAXIMUM, 1, kernel="2", pair=_PAIR)
def max_pool1d(
    input: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    return _maximum(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@documented(_MAXIMUM, 2, kernel="(1, 2)", pair=_PAIR)
def max_pool2d(
    input: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    return _maximum(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@documented(_MAXIMUM, 3, kernel="(1, 1, 2)", pair=_PAIR)
def max_pool3d(
    input: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    return _maximum(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


# ---- windows that adapt to the output --------------------------------------------------------------------------------


def _adaptive_out(name: str, nd: int, input: Value, output_size: Any) -> Shape:
    check_input(name, input, nd)
    spatial = input.shape[input.ndim - nd :]
    entries = (output_size,) * nd if output_size is None or np.ndim(output_size) == 0 else tuple(output_size)
    entries = entries * nd if len(entries) == 1 else entries
    if len(entries) != nd:
        raise RuntimeError(f"{name}(): output_size must be an int or a sequence of {nd}, got {shown(output_size)}")
    return per_dim([n if e is None else e for n, e in zip(spatial, entries, strict=True)], nd, name, "output_size", 0)


def _bounds(length: int, count: int) -> tuple[Any, Any]:
    """First and last element of each of `count` windows that cover `length` elements."""
    numbers = np.arange(count)
    return numbers * length // max(count, 1), -(-(numbers + 1) * length // max(count, 1)) - 1


def _divides(spatial: Shape, out: Shape) -> bool:
    return all(count and n % count == 0 for n, count in zip(spatial, out, strict=True))


def _even(spatial: Shape, out: Shape) -> Windows:
    """Windows of one size that tile the input."""
    size = tuple([n // count for n, count in zip(spatial, out, strict=True)])
    return Windows(size, size, (1,) * len(out), (0,) * len(out), out)


def adaptive_average(name: str, nd: int, input: Value, output_size: Any) -> Value:
    """Mean of windows that adapt to the output; `name` is the function that asks for it."""
    out = _adaptive_out(name, nd, input, output_size)
    if input.dtype.kind not in "f":
        raise NotImplementedError(f"{name}(): input must be floating-point, got {input.dtype}")
    spatial = input.shape[input.ndim - nd :]
    if _divides(spatial, out):
        return div(window_sum(input, w=_even(spatial, out)), np.asarray(np.prod(spatial) // np.prod(out), input.dtype))
    for d in range(input.ndim - nd, input.ndim):
        input = _mean_along(input, d, out[d - input.ndim + nd])
    return input


def _mean_along(input: Value, dim: int, count: int) -> Value:
    first, last = _bounds(input.shape[dim], count)
    longest = int((last - first).max(initial=0)) + 1
    index = first[:, None] + np.arange(longest)
    inside = index <= last[:, None]
    after = (1,) * (input.ndim - dim - 1)
    taken = take(input, np.where(inside, index, first[:, None]), start=dim)  # [..., count, longest, ...]
    kept = where(inside.reshape(*inside.shape, *after), taken, np.zeros((), input.dtype))
    lengths = (last - first + 1).astype(input.dtype).reshape(count, *after)
    return div(families.sum_dims(kept, dims=(dim + 1,)), lengths)


def _adaptive_maximum(nd: int, input: Value, output_size: Any, return_indices: bool) -> Any:
    out = _adaptive_out(f"adaptive_max_pool{nd}d", nd, input, output_size)
    spatial = input.shape[input.ndim - nd :]
    if _divides(spatial, out):
        w = _even(spatial, out)
        best = window_max(input, w=w)
        return (best, _positions(window_argmax(input, best, w=w), w, spatial)) if return_indices else best
    indices = []
    for n, count in zip(spatial, out, strict=True):
        first, last = _bounds(n, count)
        taps = np.arange(int((last - first).max(initial=0)) + 1)
        indices.append(np.minimum(first[:, None] + taps, last[:, None]))  # a shorter window repeats its last element
    return _gathered_maximum(input, _flat_index(indices, spatial), return_indices)


def _flat_index(indices: Sequence[Any], spatial: Shape) -> Any:
    """Flat positions [*out, taps] of windows that are products of the windows [..., count, taps] along each dim."""
    nd = len(indices)
    flat = np.zeros((), np.int64)
    for d, (index, n) in enumerate(zip(indices, spatial, strict=True)):
        lead, (count, taps) = index.shape[:-2], index.shape[-2:]
        place = [1] * (2 * nd)
        place[d], place[nd + d] = count, taps
        flat = flat * n + index.reshape(*lead, *place)
    return flat.reshape(*flat.shape[: flat.ndim - nd], -1)


def _gathered_maximum(input: Value, flat: Any, return_indices: bool) -> Any:
    """Maximum over windows given by flat positions [*out, taps]."""
    nd = flat.ndim - 1
    lead = input.shape[: input.ndim - nd]
    rows = reshape(input, shape=(*lead, int(np.prod(input.shape[input.ndim - nd :]))))
    taken = take(rows, flat, start=len(lead))  # [*lead, *out, taps]
    w = Windows((flat.shape[-1],), (1,), (1,), (0,), (1,))
    best = window_max(taken, w=w)
    shape = (*lead, *flat.shape[:-1])
    if not return_indices:
        return reshape(best, shape=shape)
    number = reshape(window_argmax(taken, best, w=w), shape=shape)
    base = np.arange(int(np.prod(flat.shape[:-1]))).reshape(flat.shape[:-1]) * flat.shape[-1]
    return reshape(best, shape=shape), take(flat.ravel(), families.add(number, base), start=0)


_ADAPTIVE = """
    {what} of windows that cover the input and are as many as asked for.

    Parameters
    ----------
    input : Tensor
        {input}
    output_size : int or tuple
        Number of windows along each dim; None is the size of the input.
{flag}
    Returns
    -------
    Tensor
        Shape ``[batch, channels, *output_size]``.{pair}

    Raises
    ------
    RuntimeError
        If the number of dims does not fit.

    Notes
    -----
    Window i of m over n elements reaches from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``, the end excluded.

    Examples
    --------
    >>> tp.nn.functional.{name}(tp.tensor({opening}[1.0, 3.0, 2.0, 0.0]{closing}), {size}).flatten()
    {result}
    """
_FLAG = """    return_indices : bool, default False
        Whether positions are returned too.
"""
_MEANS = {"what": "Mean", "flag": "", "pair": "", "result": "tensor([2., 1.])"}
_MAXIMA = {"what": "Maximum", "flag": _FLAG, "pair": " " + _PAIR, "result": "tensor([3., 2.])"}


@documented(_ADAPTIVE, 1, size="2", **_MEANS)
def adaptive_avg_pool1d(input: Value, output_size: Any) -> Value:
    return adaptive_average("adaptive_avg_pool1d", 1, input, output_size)


@documented(_ADAPTIVE, 2, size="(1, 2)", **_MEANS)
def adaptive_avg_pool2d(input: Value, output_size: Any) -> Value:
    return adaptive_average("adaptive_avg_pool2d", 2, input, output_size)


@documented(_ADAPTIVE, 3, size="(1, 1, 2)", **_MEANS)
def adaptive_avg_pool3d(input: Value, output_size: Any) -> Value:
    return adaptive_average("adaptive_avg_pool3d", 3, input, output_size)


@documented(_ADAPTIVE, 1, size="2", **_MAXIMA)
def adaptive_max_pool1d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    return _adaptive_maximum(1, input, output_size, return_indices)


@documented(_ADAPTIVE, 2, size="(1, 2)", **_MAXIMA)
def adaptive_max_pool2d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    return _adaptive_maximum(2, input, output_size, return_indices)


@documented(_ADAPTIVE, 3, size="(1, 1, 2)", **_MAXIMA)
def adaptive_max_pool3d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    return _adaptive_maximum(3, input, output_size, return_indices)
