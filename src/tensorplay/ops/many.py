"""
Elementwise kernels on many elements: in pieces, which threads share where it pays.

A kernel is called like a ufunc that is told where to write: `out` is the array to fill.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tensorplay.core.primitive import MANY
from tensorplay.core.threads import in_steps, share, workers
from tensorplay.core.value import Shape

Array = Any
F = TypeVar("F", bound=Callable[..., Any])
Kernel = Callable[..., Any]  # of operands, and `out`

# Elements that are worth a thread: to compute so many of a costly function, or to get those of a cheap one from memory
# and back, takes some times as long as a hand-over. Fewer of a cheap one stay in the cache of the core they are in.
COSTLY, CHEAP = 1 << 15, 1 << 18
# Elements: some arrays of so many fit in the cache of a core, yet a call on them costs more than what is between calls,
# where threads wait for each other.
BLOCK = 1 << 17

_COSTLY = {
    *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.power, np.float_power, np.cbrt),
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2, np.hypot, np.logaddexp, np.logaddexp2),
    *(np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.remainder, np.fmod, np.floor_divide),
}


def in_pieces(impl: Callable[..., Array]) -> Callable[..., Array]:
    """
    An elementwise kernel as it is best called on many elements: by threads, and in pieces that stay in the cache.

    `impl` is a ufunc, or a function; one that has an attribute ``fill``, a kernel, is spared a copy. Results do not
    depend on the number of threads.
    """
    is_ufunc = isinstance(impl, np.ufunc)
    kernel: Kernel = impl if is_ufunc else getattr(impl, "fill", None) or _copying(impl)
    is_costly = impl in _COSTLY or getattr(impl, "fill", impl) is not impl

    def many(*operands: Any, **params: Any) -> Array:
        least = COSTLY if is_costly else CHEAP
        shape = _largest_shape(operands)
        size = math.prod(shape)
        whole = workers(size, least) == 1 and (is_ufunc or size <= BLOCK)
        if whole or not all([_lies_within(operand, shape) for operand in operands]):
            return impl(*operands, **params)

        out = np.empty(shape, impl(*map(_one_element, operands), **params).dtype)
        given = functools.partial(kernel, **params) if params else kernel
        fill(given, operands, out, least, None if is_ufunc else BLOCK)
        return out

    return many


def _copying(impl: Callable[..., Array]) -> Kernel:
    def kernel(*operands: Any, out: Array, **params: Any) -> None:
        out[...] = impl(*operands, **params)

    return kernel


def filling_itself(impl: F) -> F:
    """Decorator of a cheap elementwise kernel that takes an array to fill as `out`, or makes one, like a ufunc."""
    impl.fill = impl  # type: ignore[attr-defined]
    return impl


def _one_element(operand: Any) -> Any:
    return operand[(slice(0, 1),) * operand.ndim] if getattr(operand, "ndim", 0) else operand


def _largest_shape(operands: Sequence[Any]) -> Shape:
    shape: Shape = max([operand for operand in operands if hasattr(operand, "shape")], key=lambda a: a.size).shape
    return shape


def _lies_within(operand: Any, shape: Shape) -> bool:
    """Whether an operand is a number, or lies row by row and broadcasts to `shape`; then so does the result."""
    if not hasattr(operand, "shape"):
        return True
    own: Shape = operand.shape
    fits = own == shape or (len(own) <= len(shape) and all(map(_fits, reversed(own), reversed(shape))))
    return fits and operand.flags.c_contiguous


def _fits(own: int, size: int) -> bool:
    return own in (1, size)


def fill(kernel: Kernel, operands: Sequence[Any], out: Array, least: int, block: int | None = None) -> None:
    """
    Let `kernel` fill `out`, to which the operands broadcast, in pieces of at most about `block` elements.

    Threads share them where each gets at least `least` elements.
    """
    if all([not np.ndim(a) or (a.shape == out.shape and a.flags.c_contiguous) for a in (*operands, out)]):
        operands = [a.reshape(-1) if np.ndim(a) else a for a in operands]
        out = out.reshape(-1)
    rows, row = len(out), math.prod(out.shape[1:])
    step = max((block or out.size) // row, 1)
    along = [np.ndim(a) == out.ndim and len(a) == rows for a in operands]

    def work(start: int, stop: int) -> None:
        for here in in_steps(start, stop, step):
            kernel(*[a[here] if cut else a for a, cut in zip(operands, along, strict=True)], out=out[here])

    share(work, rows, -(-least // row))


def add_to(total: Array, term: Array) -> None:
    """Add to an array in place."""
    if total.size > MANY:
        fill(np.add, (total, term), total, CHEAP)
    else:
        np.add(total, term, out=total)
