"""Taking apart along a dim and putting together again: two pairs of primitives, each the transpose of the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import NOTHING, Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families

# ---- slices, and stacks of them --------------------------------------------------------------------------------------


def _slices_impl(x: Any, dim: int) -> Any:
    before = (slice(None),) * dim
    return tuple([x[(*before, i, ...)] for i in range(x.shape[dim])])


# Views x[..., i, ...] for each i along `dim`, as one op: its pull is one `stack`, where as many selects would each fill
# a tensor of the size of x.
slices = Primitive("unbind", _slices_impl, "general", (NOTHING,))


def _stacked_impl(*xs: Any, dim: int) -> Any:
    first = xs[0].shape
    if dim == len(first):
        return np.stack(xs, dim)
    # the same as np.stack, which makes a view of each
    return np.concatenate(xs, dim).reshape((*first[:dim], len(xs), *first[dim:]))


# Tensors of one shape and dtype along a new dim.
stacked = Primitive("stack", _stacked_impl, "general", reads=())


def _filled(entries: Sequence[Value | None], like: Sequence[Value]) -> list[Value]:
    """(Co)tangents with zeros for None."""
    return [np.zeros(x.shape, x.dtype) if e is None else e for e, x in zip(entries, like, strict=True)]


@slices.derivative
def _slices_derivative(out: tuple[Value, ...], x: Value, *, dim: int) -> LinearMap:
    return LinearMap(
        lambda x_dot: slices(x_dot, dim=dim),
        lambda cts: (stacked(*_filled(cts, out), dim=dim),),
    )


@stacked.derivative
def _stacked_derivative(out: Value, *xs: Value, dim: int) -> LinearMap:
    return LinearMap(
        lambda *tangents: stacked(*_filled(tangents, xs), dim=dim),
        lambda ct: slices(ct, dim=dim),
    )


@slices.batch
def _slices_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int) -> tuple[Any, bool]:
    return slices(args[0], dim=dim + 1), True


@stacked.batch
def _stacked_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int) -> tuple[Value, bool]:
    return stacked(*families.all_mapped(size, args, mapped), dim=dim + 1), True


# ---- pieces, and what they are joined to -----------------------------------------------------------------------------


def _pieces_impl(x: Any, dim: int, ends: tuple[int, ...]) -> Any:
    before = (slice(None),) * dim
    return tuple([x[(*before, slice(start, end))] for start, end in zip((0, *ends), ends, strict=False)])


# Views of x up to each of the `ends`, the last of which is the size of the dim; one op for the reason of `slices`.
pieces = Primitive("split", _pieces_impl, "general", (NOTHING,))

joined = Primitive("cat", lambda *xs, dim: np.concatenate(xs, axis=dim), "general", reads=())


def _ends(xs: Sequence[Value], dim: int) -> tuple[int, ...]:
    return tuple(itertools.accumulate([x.shape[dim] for x in xs]))


@pieces.derivative
def _pieces_derivative(out: tuple[Value, ...], x: Value, *, dim: int, ends: tuple[int, ...]) -> LinearMap:
    return LinearMap(
        lambda x_dot: pieces(x_dot, dim=dim, ends=ends),
        lambda cts: (joined(*_filled(cts, out), dim=dim),),
    )


@joined.derivative
def _joined_derivative(out: Value, *xs: Value, dim: int) -> LinearMap:
    return LinearMap(
        lambda *tangents: joined(*_filled(tangents, xs), dim=dim),
        lambda ct: pieces(ct, dim=dim, ends=_ends(xs, dim)),
    )


@pieces.batch
def _pieces_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int, ends: tuple[int, ...]
) -> tuple[Any, bool]:
    return pieces(args[0], dim=dim + 1, ends=ends), True


@joined.batch
def _joined_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int) -> tuple[Value, bool]:
    return joined(*families.all_mapped(size, args, mapped), dim=dim + 1), True
