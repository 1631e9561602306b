"""Pooling by norms, by windows at random places, and the way back from maxima to where they stood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value, ground
from tensorplay.ops import families
from tensorplay.ops.arithmetic import mul, sub
from tensorplay.ops.comparison import eq, ge
from tensorplay.ops.exponential import pow
from tensorplay.ops.families import reshape
from tensorplay.ops.indexing import take_along, where
from tensorplay.ops.pooling import average, check_input, documented
from tensorplay.ops.promotion import cast
from tensorplay.ops.random import draw
from tensorplay.ops.rounding import floor
from tensorplay.ops.shape import broadcast_to, slice_key
from tensorplay.ops.windows import Windows, per_dim, window_argmax, window_max

Sizes = int | tuple[int, ...]
INT64 = np.dtype("int64")

# ---- norms -----------------------------------------------------------------------------------------------------------


def _norm_pool(nd: int, input: Value, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> Value:
    name = f"lp_pool{nd}d"
    kernel = per_dim(kernel_size, nd, name, "kernel_size")
    means = average(name, nd, pow(input, norm_type), kernel, stride, 0, ceil_mode, True)
    total = mul(means, math.prod(kernel))
    # a window of zeros has the norm zero, with derivative zero
    zero = eq(total, 0)
    root = pow(where(zero, np.ones((), total.dtype), total), 1.0 / norm_type)
    return where(zero, np.zeros((), total.dtype), root)


_NORM = """
    Norm of each window.

    Parameters
    ----------
    input : Tensor
        {input}
    norm_type : float
        Order of the norm.
    kernel_size : int or tuple of int
        Size of the windows.
    stride : int or tuple of int, optional
        Distance of the windows; by default their size.
    ceil_mode : bool, default False
        Whether a last window that does not fit entirely counts.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *windows]``.

    Raises
    ------
    RuntimeError
        If no window fits.

    Examples
    --------
    >>> tp.nn.functional.{name}(tp.tensor({opening}[3.0, 4.0]{closing}), 2, {kernel}).flatten()
    tensor([5.])
    """


@documented(_NORM, 1, kernel="2")
def lp_pool1d(
    input: Value, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Value:
    return _norm_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


@documented(_NORM, 2, kernel="(1, 2)")
def lp_pool2d(
    input: Value, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Value:
    return _norm_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


@documented(_NORM, 3, kernel="(1, 1, 2)")
def lp_pool3d(
    input: Value, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Value:
    return _norm_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# ---- from maxima back ------------------------------------------------------------------------------------------------


def _writer_impl(index: Any, places: int) -> Any:
    writer = np.full((*index.shape[:-1], places), -1, np.int64)
    np.put_along_axis(writer, index, np.broadcast_to(np.arange(index.shape[-1]), index.shape), axis=-1)
    return writer


# For each of `places` along the last dim, which element of `index` names it: the last of several, -1 for none.
_writer = Primitive("last_writer", _writer_impl, "general", differentiable=False)
_writer.batch(lambda size, args, mapped, **params: (_writer(args[0], **params), True))


def _unpool(
    nd: int, input: Value, indices: Value, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Value:
    name = f"max_unpool{nd}d"
    check_input(name, input, nd)
    if indices.dtype != INT64 or indices.shape != input.shape:
        raise RuntimeError(
            f"{name}(): indices must hold int64 and have the shape of input, {list(input.shape)}, got {indices.dtype} "
            f"and {list(indices.shape)}"
        )
    lead, spatial = input.shape[: input.ndim - nd], input.shape[input.ndim - nd :]
    kernel = per_dim(kernel_size, nd, name, "kernel_size")
    steps = kernel if stride is None else per_dim(stride, nd, name, "stride")
    out = _unpooled_size(name, spatial, kernel, steps, per_dim(padding, nd, name, "padding", 0), output_size)
    numbers = ground(indices)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= math.prod(out)):
        raise RuntimeError(f"{name}(): indices must lie in an output of spatial shape {list(out)}")
    rows = (*lead, math.prod(spatial))
    writer = _writer(reshape(indices, shape=rows), places=math.prod(out))
    zero = np.zeros((), input.dtype)
    written = ge(writer, 0)
    taken = take_along(reshape(input, shape=rows), where(written, writer, np.zeros((), INT64)), dim=len(lead))
    return reshape(where(written, taken, zero), shape=(*lead, *out))


def _unpooled_size(
    name: str, spatial: Shape, kernel: Shape, stride: Shape, padding: Shape, output_size: Sequence[int] | None
) -> Shape:
    usual = [(n - 1) * s - 2 * p + k for n, k, s, p in zip(spatial, kernel, stride, padding, strict=True)]
    if output_size is None:
        return tuple(usual)
    wanted = tuple(output_size)[-len(usual) :]
    if len(wanted) != len(usual) or any([not u - s < w < u + s for u, s, w in zip(usual, stride, wanted, strict=True)]):
        raise ValueError(
            f"{name}(): output_size must differ from {usual} by less than the stride {list(stride)}, got {list(wanted)}"
        )
    return wanted


_UNPOOL = """
    The input of a max pooling as far as its maxima tell: they return to their places, all else is zero.

    Parameters
    ----------
    input : Tensor
        Maxima, of shape ``[batch, channels, *windows]``, without the batch for a single sample.
    indices : Tensor
        Their positions, as `max_pool{nd}d` with ``return_indices=True`` gives them.
    kernel_size, stride, padding : int or tuple of int
        Of the pooling.
    output_size : sequence of int, optional
        Spatial shape of the result, where it is not the smallest one possible.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *output_size]``. If windows share a maximum, one of them writes it.

    Raises
    ------
    RuntimeError
        If positions are out of bounds or shapes do not fit.
    ValueError
        If `output_size` cannot be.

    Examples
    --------
    >>> x = tp.tensor({opening}[1.0, 3.0, 2.0, 0.0]{closing})
    >>> best, where = tp.nn.functional.max_pool{nd}d(x, {kernel}, return_indices=True)
    >>> tp.nn.functional.{name}(best, where, {kernel}).flatten()
    tensor([0., 3., 2., 0.])
    """


@documented(_UNPOOL, 1, kernel="2")
def max_unpool1d(
    input: Value,
    indices: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Value:
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


@documented(_UNPOOL, 2, kernel="(1, 2)")
def max_unpool2d(
    input: Value,
    indices: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Value:
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


@documented(_UNPOOL, 3, kernel="(1, 1, 2)")
def max_unpool3d(
    input: Value,
    indices: Value,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Value:
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


# ---- windows at random places ----------------------------------------------------------------------------------------


def _fractional(
    nd: int,
    input: Value,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    return_indices: bool,
    samples: Value | None,
) -> Any:
    name = f"fractional_max_pool{nd}d"
    check_input(name, input, nd)
    lead, spatial = input.shape[: input.ndim - nd], input.shape[input.ndim - nd :]
    kernel = per_dim(kernel_size, nd, name, "kernel_size")
    out = _fractional_size(name, nd, spatial, output_size, output_ratio)
    if any([o + k - 1 > n for o, k, n in zip(out, kernel, spatial, strict=True)]):
        raise RuntimeError(
            f"{name}(): windows of size {list(kernel)} as many as {list(out)} do not fit into input of shape "
            f"{list(input.shape)}"
        )
    if samples is None:
        samples = draw(name, lambda g, shape: g.random(shape).astype(input.dtype), (*lead, nd))
    samples = reshape(samples, shape=(*lead, nd))
    starts = [_starts(samples, d, *each, nd) for d, each in enumerate(zip(spatial, kernel, out, strict=True))]
    flat = _flat_positions(starts, spatial, kernel, lead, out)
    rows = reshape(input, shape=(*lead, math.prod(spatial)))
    taken = reshape(take_along(rows, flat, dim=len(lead)), shape=(*lead, math.prod(out), math.prod(kernel)))
    w = Windows((math.prod(kernel),), (1,), (1,), (0,), (1,))
    best = window_max(taken, w=w)
    if not return_indices:
        return reshape(best, shape=(*lead, *out))
    places = reshape(flat, shape=taken.shape)
    tap = cast(window_argmax(taken, best, w=w), INT64)
    return reshape(best, shape=(*lead, *out)), reshape(take_along(places, tap, dim=len(lead) + 1), shape=(*lead, *out))


def _fractional_size(name: str, nd: int, spatial: Shape, output_size: Any, output_ratio: Any) -> Shape:
    if (output_size is None) == (output_ratio is None):
        raise ValueError(f"{name}(): exactly one of output_size and output_ratio must be given")
    if output_size is not None:
        return per_dim(output_size, nd, name, "output_size")
    ratios = (output_ratio,) * nd if isinstance(output_ratio, float | int) else tuple(output_ratio)
    if not all([0 < ratio < 1 for ratio in ratios]):
        raise ValueError(f"{name}(): output_ratio must lie between 0 and 1, got {output_ratio}")
    return tuple([int(n * ratio) for n, ratio in zip(spatial, ratios, strict=True)])


def _starts(samples: Value, d: int, length: int, kernel: int, count: int, nd: int) -> Value:
    """Where the windows along dim d start, [*lead, count], by pseudo-random steps of almost equal size."""
    if count == 1:
        return np.full((*samples.shape[:-1], 1), length - kernel)
    # in two dims, the samples come for the last dim first
    which = nd - 1 - d if nd == 2 else d
    sample = slice_key(samples, key=(*(slice(None),) * (samples.ndim - 1), slice(which, which + 1)))
    step = np.asarray((length - kernel) / (count - 1), samples.dtype)
    numbers = np.arange(count).astype(samples.dtype)
    starts = sub(floor(mul(families.add(sample, numbers), step)), floor(mul(sample, step)))
    return where(numbers == count - 1, np.asarray(length - kernel), cast(starts, INT64))


def _flat_positions(starts: Sequence[Value], spatial: Shape, kernel: Shape, lead: Shape, out: Shape) -> Value:
    """Flat positions [*lead, windows * taps] of all that the windows read."""
    nd = len(spatial)
    flat: Value = np.zeros((), np.int64)
    for d, (start, n, k, o) in enumerate(zip(starts, spatial, kernel, out, strict=True)):
        window, tap = [1] * (2 * nd), [1] * (2 * nd)
        window[d], tap[nd + d] = o, k
        places = families.add(reshape(start, shape=(*lead, *window)), np.arange(k).reshape(tap))
        flat = families.add(families.mul(flat, np.asarray(n)), places)
    whole = (*lead, *out, *kernel)
    return reshape(broadcast_to(flat, whole), shape=(*lead, math.prod(out) * math.prod(kernel)))


_FRACTIONAL = """
    Maximum of windows at random places, which are as many as asked for.

    Parameters
    ----------
    input : Tensor
        {input}
    kernel_size : int or tuple of int
        Size of the windows.
    output_size : int or tuple of int, optional
        Number of windows along each dim.
    output_ratio : float or tuple of float, optional
        The same as a part of the size of the input; one of both must be given.
    return_indices : bool, default False
        Whether positions are returned too.
    _random_samples : Tensor, optional
        Uniform random numbers, of shape ``[batch, channels, {nd}]``, that determine the places.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *output_size]``. If `return_indices`, a pair: the maxima, and the position of each in
        the flattened spatial dims of the input.

    Raises
    ------
    RuntimeError
        If the windows do not fit, or under a `vmap` whose `randomness` is "error".
    ValueError
        If not exactly one of `output_size` and `output_ratio` is given.

    Examples
    --------
    >>> x = tp.ones(1, {sizes})
    >>> tp.nn.functional.{name}(x, 2, output_size=2).flatten()
    {result}
    """


@documented(_FRACTIONAL, 2, sizes="5, 5", result="tensor([1., 1., 1., 1.])")
def fractional_max_pool2d(
    input: Value,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Value | None = None,
) -> Any:
    return _fractional(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@documented(_FRACTIONAL, 3, sizes="5, 5, 5", result="tensor([1., 1., 1., 1., 1., 1., 1., 1.])")
def fractional_max_pool3d(
    input: Value,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Value | None = None,
) -> Any:
    return _fractional(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
