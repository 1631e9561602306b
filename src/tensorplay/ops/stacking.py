"""All slices along a dim, and tensors along a new dim: two primitives, each the transpose of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import NOTHING, Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families


def _slices_impl(x: Any, dim: int) -> Any:
    before = (slice(None),) * dim
    return tuple([x[(*before, i, ...)] for i in range(x.shape[dim])])


# Views x[..., i, ...] for each i along `dim`, as one op: its pull is one `stack`, where as many selects would each fill
# a tensor of the size of x.
slices = Primitive("unbind", _slices_impl, "general", (NOTHING,))

# Tensors of one shape and dtype along a new dim.
stacked = Primitive("stack", lambda *xs, dim: np.stack(xs, dim), "general", reads=())


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
