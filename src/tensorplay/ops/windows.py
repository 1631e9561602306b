"""Sliding windows over the last dims: the geometry that convolution and pooling share, and its linear primitives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.threads import share
from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.families import OUT, structural
from tensorplay.ops.shape import embed, slice_key

Key = tuple[Any, ...]

ENOUGH = 1 << 18  # elements times taps that are worth a thread


class Windows(NamedTuple):
    """
    Windows that slide over the last ``len(kernel)`` dims of a tensor, the spatial ones.

    Tap t of window o reads position ``o·stride + t·dilation - padding``; what lies outside is not there.
    """

    kernel: Shape
    stride: Shape
    dilation: Shape
    padding: Shape
    out: Shape  # number of windows along each dim

    @property
    def ndim(self) -> int:
        """Number of spatial dims."""
        return len(self.kernel)

    def out_shape(self, shape: Shape) -> Shape:
        """Shape of one value per window, for a tensor of the given shape."""
        return (*shape[: len(shape) - self.ndim], *self.out)

    def slices(self, shape: Shape) -> Iterator[tuple[int, Shape, Key, Key]]:
        """Per tap: its number, its place in the kernel, and slices of the windows and of the positions they read."""
        spatial = shape[len(shape) - self.ndim :]
        for number, tap in enumerate(itertools.product(*map(range, self.kernel))):
            reach = [self._reach(d, t, n) for d, (t, n) in enumerate(zip(tap, spatial, strict=True))]
            yield number, tap, (..., *[o for o, _ in reach]), (..., *[i for _, i in reach])

    def _reach(self, d: int, tap: int, length: int) -> tuple[slice, slice]:
        stride = self.stride[d]
        offset = tap * self.dilation[d] - self.padding[d]
        first = max(0, -(offset // stride))
        end = max(first, min(self.out[d], (length - 1 - offset) // stride + 1))
        start = first * stride + offset
        return slice(first, end), slice(start, start + (end - first - 1) * stride + 1 if end > first else start, stride)


def _windows_impl(x: Any, w: Windows) -> Any:
    lead = x.ndim - w.ndim
    strides = x.strides[lead:]
    return as_strided(
        x,
        (*x.shape[:lead], *w.kernel, *w.out),
        (
            *x.strides[:lead],
            *[s * n for s, n in zip(strides, w.dilation, strict=True)],
            *[s * n for s, n in zip(strides, w.stride, strict=True)],
        ),
        writeable=all([s >= n for s, n in zip(w.stride, w.kernel, strict=True)]),
    )


# A view of every window: x [*lead, *spatial] -> [*lead, *kernel, *out]. There must be no padding.
# Where windows lie apart (stride >= size) it can be written to.
windows: Primitive = structural(
    "windows",
    _windows_impl,
    transpose=lambda ct, x, w: overlap_add(ct, w=w, spatial=x.shape[x.ndim - w.ndim :]),
    batch=lambda size, args, mapped, w: (windows(args[0], w=w), True),
)


def _shared(fill: Callable[..., None], out: Any, *arrays: Any, w: Windows) -> Any:
    """`out`, once ``fill(out, *arrays, w)`` has filled it: by threads, along the longest of the leading dims."""
    lead = out.ndim - w.ndim
    if out.size * math.prod(w.kernel) < 2 * ENOUGH or not lead:
        fill(out, *arrays, w)
        return out
    axis = max(range(lead), key=out.shape.__getitem__)
    turned = [np.moveaxis(a, axis, 0) for a in (out, *arrays)]

    def work(start: int, stop: int) -> None:
        fill(*[a[start:stop] for a in turned], w)

    share(work, len(turned[0]), -(-ENOUGH * len(turned[0]) // (out.size * math.prod(w.kernel))))
    return out


def _overlap_add_impl(x: Any, w: Windows, spatial: Shape) -> Any:
    return _shared(_add_windows, np.zeros((*x.shape[: x.ndim - 2 * w.ndim], *spatial), x.dtype), x, w=w)


def _add_windows(out: Any, x: Any, w: Windows) -> None:
    for _, tap, at, positions in w.slices(out.shape):
        out[positions] += x[(..., *tap, *at[1:])]


# Windows added where they came from: x [*lead, *kernel, *out] -> [*lead, *spatial].
overlap_add: Primitive = structural(
    "overlap_add",
    _overlap_add_impl,
    transpose=lambda ct, x, w, spatial: windows(ct, w=w),
    batch=lambda size, args, mapped, w, spatial: (overlap_add(args[0], w=w, spatial=spatial), True),
)


# ---- sums ------------------------------------------------------------------------------------------------------------


def _window_sum_impl(x: Any, w: Windows) -> Any:
    return _shared(_add_taps, np.zeros(w.out_shape(x.shape), x.dtype), x, w=w)


def _add_taps(out: Any, x: Any, w: Windows) -> None:
    for _, _, at, positions in w.slices(x.shape):
        out[at] += x[positions]


def _window_spread_impl(ct: Any, w: Windows, spatial: Shape) -> Any:
    return _shared(_spread_values, np.zeros((*ct.shape[: ct.ndim - w.ndim], *spatial), ct.dtype), ct, w=w)


def _spread_values(out: Any, ct: Any, w: Windows) -> None:
    for _, _, at, positions in w.slices(out.shape):
        out[positions] += ct[at]


# Sum of each window: x [*lead, *spatial] -> [*lead, *out].
window_sum: Primitive = structural(
    "window_sum",
    _window_sum_impl,
    transpose=lambda ct, x, w: window_spread(ct, w=w, spatial=x.shape[x.ndim - w.ndim :]),
    batch=lambda size, args, mapped, w: (window_sum(args[0], w=w), True),
)

# One value per window added to each position that the window reads.
window_spread: Primitive = structural(
    "window_spread",
    _window_spread_impl,
    transpose=lambda ct, x, w, spatial: window_sum(ct, w=w),
    batch=lambda size, args, mapped, w, spatial: (window_spread(args[0], w=w, spatial=spatial), True),
)


# ---- one tap of each window ------------------------------------------------------------------------------------------


def _kept(values: Any, mask: Any) -> Any:
    """`values` where the mask is set, zero elsewhere: numbers of a machine word by their bits, which is quicker."""
    if values.itemsize > 8:
        return np.where(mask, values, values.dtype.type(0))
    word = np.dtype(f"i{values.itemsize}")
    return (values.view(word) & -mask.astype(word)).view(values.dtype)


def _window_take_impl(x: Any, tap: Any, w: Windows) -> Any:
    return _shared(_take_taps, np.zeros(tap.shape, x.dtype), x, tap, w=w)


def _take_taps(out: Any, x: Any, tap: Any, w: Windows) -> None:
    for number, _, at, positions in w.slices(x.shape):
        out[at] += _kept(x[positions], tap[at] == number)


def _window_put_impl(ct: Any, tap: Any, w: Windows, spatial: Shape) -> Any:
    return _shared(_put_taps, np.zeros((*ct.shape[: ct.ndim - w.ndim], *spatial), ct.dtype), ct, tap, w=w)


def _put_taps(out: Any, ct: Any, tap: Any, w: Windows) -> None:
    for number, _, at, positions in w.slices(out.shape):
        out[positions] += _kept(ct[at], tap[at] == number)


# What tap number `tap` of each window reads: x [*lead, *spatial], tap [*lead, *out] -> [*lead, *out].
window_take: Primitive = structural(
    "window_take",
    _window_take_impl,
    transpose=lambda ct, x, tap, w: window_put(ct, tap, w=w, spatial=x.shape[x.ndim - w.ndim :]),
    batch=lambda size, args, mapped, w: (window_take(*families.all_mapped(size, args, mapped), w=w), True),
)

# One value per window added to the position that tap number `tap` of it reads.
window_put: Primitive = structural(
    "window_put",
    _window_put_impl,
    transpose=lambda ct, x, tap, w, spatial: window_take(ct, tap, w=w),
    batch=lambda size, args, mapped, w, spatial: (
        window_put(*families.all_mapped(size, args, mapped), w=w, spatial=spatial),
        True,
    ),
)


# ---- maximum ---------------------------------------------------------------------------------------------------------


def lowest(dtype: np.dtype[Any]) -> Any:
    """What is less than or equal to every number of a type."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _window_max_impl(x: Any, w: Windows) -> Any:
    return _shared(_max_taps, np.full(w.out_shape(x.shape), lowest(x.dtype), x.dtype), x, w=w)


def _max_taps(out: Any, x: Any, w: Windows) -> None:
    for _, _, at, positions in w.slices(x.shape):
        here = out[at]
        np.maximum(here, x[positions], out=here)


def _window_argmax_impl(x: Any, best: Any, w: Windows) -> Any:
    return _shared(_find_taps, np.zeros(best.shape, np.min_scalar_type(math.prod(w.kernel))), x, best, w=w)


def _find_taps(out: Any, x: Any, best: Any, w: Windows) -> None:
    taps, number_type = math.prod(w.kernel), out.dtype.type
    # the earlier a tap, the larger its code; small integers multiplied by a mask are quicker than masked writes
    for number, _, at, positions in w.slices(x.shape):
        here = out[at]
        np.maximum(here, (x[positions] == best[at]) * number_type(taps - number), out=here)
    np.subtract(number_type(taps), out, out=out)
    np.minimum(out, number_type(taps - 1), out=out)
    undefined = np.isnan(best)
    if undefined.any():
        np.copyto(out, _last_nan(x, w, number_type), where=undefined)


def _last_nan(x: Any, w: Windows, number_type: Any) -> Any:
    last = np.zeros(w.out_shape(x.shape), number_type)
    for number, _, at, positions in w.slices(x.shape):
        here = last[at]
        np.maximum(here, np.isnan(x[positions]) * number_type(number), out=here)
    return last


window_max = Primitive("window_max", _window_max_impl, "general", (frozenset({OUT, 0}),))

# Number of the tap that reads the maximum of each window: the first one of several, but the last NaN.
window_argmax = Primitive("window_argmax", _window_argmax_impl, "general", differentiable=False)
window_argmax.batch(lambda size, args, mapped, w: (window_argmax(*families.all_mapped(size, args, mapped), w=w), True))


@window_max.derivative
def _window_max_derivative(out: Value, x: Value, *, w: Windows) -> LinearMap:
    kept: list[Value] = []

    def tap() -> Value:
        if not kept:
            kept.append(window_argmax(x, out, w=w))
        return kept[0]

    def pull(ct: Value) -> tuple[Value]:
        return (window_put(ct, tap(), w=w, spatial=x.shape[x.ndim - w.ndim :]),)

    return LinearMap(lambda x_dot: window_take(x_dot, tap(), w=w), pull)


@window_max.batch
def _window_max_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, w: Windows) -> tuple[Value, bool]:
    return window_max(args[0], w=w), True


# ---- arguments -------------------------------------------------------------------------------------------------------


def per_dim(given: Any, count: int, name: str, argument: str, least: int = 1) -> Shape:
    """An argument that is an int or a sequence of one int per spatial dim, as a tuple."""
    entries = (given,) * count if np.ndim(given) == 0 else tuple(given)
    if len(entries) == 1:
        entries *= count
    if len(entries) != count:
        raise RuntimeError(f"{name}(): {argument} must be an int or a sequence of {count} ints, got {shown(given)}")
    sizes = tuple([int(n) for n in entries])
    if min(sizes, default=least) < least:
        raise RuntimeError(f"{name}(): {argument} must not be less than {least}, got {shown(given)}")
    return sizes


def unpadded(kernel: Shape, stride: Shape, dilation: Shape, spatial: Shape) -> Windows:
    """All windows that lie within a tensor of the given spatial shape."""
    out = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(spatial, kernel, stride, dilation, strict=True)]
    return Windows(kernel, stride, dilation, (0,) * len(kernel), tuple(out))


def embedded(value: Value, before: Shape, after: Shape) -> Value:
    """`value` with zeros around its last dims."""
    if not any(before) and not any(after):
        return value
    lead = value.ndim - len(before)
    spatial = value.shape[lead:]
    shape = [b + n + a for b, n, a in zip(before, spatial, after, strict=True)]
    key = [slice(b, b + n) for b, n in zip(before, spatial, strict=True)]
    return embed(value, shape=(*value.shape[:lead], *shape), key=(*(slice(None),) * lead, *key))


def cropped(value: Value, before: Shape, spatial: Shape) -> Value:
    """The block of the given size of the last dims that starts at `before`."""
    lead = value.ndim - len(before)
    if value.shape[lead:] == spatial:
        return value
    key = [slice(b, b + n) for b, n in zip(before, spatial, strict=True)]
    return slice_key(value, key=(*(slice(None),) * lead, *key))
