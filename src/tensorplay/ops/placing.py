"""Writing through a view: the base with the view's elements replaced, as a pure op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value
from tensorplay.dtypes import real_dtype
from tensorplay.ops import families
from tensorplay.ops.bits import as_complex, as_real
from tensorplay.ops.indexing import put, take


def place_view(base: Value, step: Callable[[Value], Value], new: Value, what: str) -> Value:
    """
    `base` changed so that the view that `step` takes of it reads `new`.

    Where the elements of the view lie is asked of the step itself, by taking the same view of the elements' numbers;
    complex elements are two numbers each, so that the step may take them apart (real, view_as_real).
    """
    numbers = _numbered(base)
    seen = step(numbers)
    if real_dtype(seen.dtype) != real_dtype(numbers.dtype):
        raise RuntimeError(
            f"{what}: a tensor that a transform traces cannot be written to through view(dtype); write to a copy "
            "(x.clone())"
        )
    if base.dtype.kind != "c" and seen.dtype.kind != "c":
        return _placed(base, seen.ravel(), new, what)
    positions = (as_real(seen) if seen.dtype.kind == "c" else seen).ravel().astype(np.intp)
    parts = as_real(base) if base.dtype.kind == "c" else base
    placed = _placed(parts, positions, as_real(new) if new.dtype.kind == "c" else new, what)
    return as_complex(placed) if base.dtype.kind == "c" else placed


def _numbered(base: Value) -> Any:
    """An array like `base` that holds the number of each element, or of each real and imaginary part."""
    if base.dtype.kind == "c":
        return np.arange(2.0 * base.size).view(np.complex128).reshape(base.shape)
    return np.arange(base.size, dtype=np.float64 if base.dtype.kind == "f" else np.int64).reshape(base.shape)


def _placed(base: Value, positions: Any, new: Value, what: str) -> Value:
    """`base` with the elements of `new` at positions of the flattened tensor, each named once."""
    positions = positions.astype(np.intp, copy=False)
    written = np.zeros(base.size, dtype=bool)
    written[positions] = True
    if np.count_nonzero(written) < positions.size:
        raise RuntimeError(
            f"{what}: the memory of this tensor is shared: more than one element refers to a single memory location "
            "(expand, unfold); write to a copy (x.clone())"
        )
    flat = families.reshape(new, shape=(positions.size,))
    if positions.size == base.size:
        order = np.empty(base.size, dtype=np.intp)
        order[positions] = np.arange(base.size)
        return families.reshape(take(flat, order, start=0), shape=base.shape)
    placed = put(families.reshape(base, shape=(base.size,)), flat, positions, start=0)
    return families.reshape(placed, shape=base.shape)


# ---- writes that a derivative does not see ---------------------------------------------------------------------------

# The value of the second argument; for derivatives, the first one.
supplant = Primitive("supplant", lambda _old, new: new.copy(), reads=(frozenset(), frozenset()))
# The value of the second argument, which depends on neither.
overwrite = Primitive("overwrite", lambda _old, new: new.copy(), differentiable=False)


@supplant.derivative
def _supplant_derivative(_out: Value, _old: Value, _new: Value) -> LinearMap:
    return LinearMap(lambda old_dot, _new_dot: old_dot, lambda ct: (ct, None))


def _batch_of_second(prim: Primitive) -> None:
    @prim.batch
    def _batch(size: int, args: tuple[Value, ...], mapped: tuple[bool, ...]) -> Any:
        old, new = [
            arg if here else families.expand(arg, shape=(size, *arg.shape))
            for arg, here in zip(args, mapped, strict=True)
        ]
        return prim(old, new), True


_batch_of_second(supplant)
_batch_of_second(overwrite)
