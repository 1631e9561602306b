"""Cross entropy of logits and classes: one primitive, whose derivative is what softmax gives too much to each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.ops import families
from tensorplay.ops.comparison import ne
from tensorplay.ops.families import kept_shape, scale
from tensorplay.ops.indexing import where
from tensorplay.ops.reducing import widened
from tensorplay.ops.rows import greatest
from tensorplay.ops.softmax import centre, softmax_kernel, softmax_over
from tensorplay.ops.totals import sum_over

Array = Any


class Rows(NamedTuple):
    """Logits as a row for each sample, numbers and classes of the samples, and which of these do not count, if any."""

    logits: Array
    numbers: Array
    classes: Array
    ignored: Array | None


def _in_rows(x: Array, classes: Array, dim: int, ignore: int) -> Rows:
    moved = x if dim == x.ndim - 1 else np.moveaxis(x, dim, -1)
    wanted = classes.reshape(-1)
    ignored = wanted == ignore
    logits, numbers = moved.reshape(classes.size, x.shape[dim]), np.arange(classes.size)
    if not ignored.any():
        return Rows(logits, numbers, wanted, None)
    return Rows(logits, numbers, np.where(ignored, 0, wanted), ignored)


def _cross_entropy_impl(x: Array, classes: Array, dim: int, ignore: int) -> Array:
    rows = _in_rows(x, classes, dim, ignore)
    shifted = rows.logits - greatest(rows.logits, (1,), keep=True) if x.size else rows.logits
    chosen = shifted[rows.numbers, rows.classes]
    out = np.log(sum_over(np.exp(shifted, out=shifted), (1,)))
    out -= chosen
    if rows.ignored is not None:
        out[rows.ignored] = 0
    return out.reshape(classes.shape)


def _surplus_impl(x: Array, classes: Array, dim: int, ignore: int) -> Array:
    rows = _in_rows(x, classes, dim, ignore)
    out = softmax_kernel(rows.logits, (1,), False)
    out[rows.numbers, rows.classes] -= 1
    if rows.ignored is not None:
        out[rows.ignored] = 0
    if dim == x.ndim - 1:
        return out.reshape(x.shape)
    lead = x.shape[:dim] + x.shape[dim + 1 :]
    return np.moveaxis(out.reshape((*lead, x.shape[dim])), -1, dim)


# Minus the logarithm of what softmax along `dim` gives to the class of each sample, 0 for those of the class `ignore`:
# x [*lead, count, *rest], classes [*lead, *rest] -> [*lead, *rest].
cross_entropy_of = Primitive(
    "cross_entropy", widened(_cross_entropy_impl), "general", (frozenset({0, 1}),), formal=True
)

# Its derivative by each logit: softmax, less one at the class of the sample.
_surplus = Primitive("cross_entropy_derivative", widened(_surplus_impl), "general", (frozenset({0, 1}),), formal=True)


@cross_entropy_of.derivative
def _cross_entropy_derivative(_out: Value, x: Value, classes: Value, *, dim: int, ignore: int) -> LinearMap:
    kept: list[Value] = []

    def surplus() -> Value:
        if not kept:
            kept.append(_surplus(x, classes, dim=dim, ignore=ignore))
        return kept[0]

    return LinearMap(
        lambda x_dot, _: families.sum_dims(scale(x_dot, surplus()), dims=(dim,)),
        lambda ct: (scale(families.reshape(ct, shape=kept_shape(x.shape, (dim,))), surplus()), None),
    )


@_surplus.derivative
def _surplus_derivative(_out: Value, x: Value, classes: Value, *, dim: int, ignore: int) -> LinearMap:
    def moved(vector: Value) -> Value:
        counted = families.reshape(ne(classes, ignore), shape=kept_shape(x.shape, (dim,)))
        centred = centre(vector, softmax_over(x, dims=(dim,), limits=False), dims=(dim,))
        return where(counted, centred, np.zeros((), centred.dtype))

    return LinearMap(lambda x_dot, _: moved(x_dot), lambda ct: (moved(ct), None))


def _batched(prim: Primitive) -> None:
    def rule(size: int, args: Sequence[Value], mapped: Sequence[bool], *, dim: int, ignore: int) -> tuple[Value, bool]:
        return prim(*families.all_mapped(size, args, mapped), dim=dim + 1, ignore=ignore), True

    prim.batch(rule)


# How many samples count, as a number of some dtype: classes are reduced over `dims`.
number_counted = Primitive(
    "number_of_samples",
    lambda classes, ignore, dims, dtype: np.add.reduce(classes != ignore, axis=dims, dtype=np.intp).astype(dtype),
    differentiable=False,
    formal=True,
)


@number_counted.batch
def _number_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, ignore: int, dims: tuple[int, ...], dtype: Any
) -> tuple[Value, bool]:
    return number_counted(args[0], ignore=ignore, dims=tuple([d + 1 for d in dims]), dtype=dtype), True


_batched(cross_entropy_of)
_batched(_surplus)
