"""Bits of integers and bools, hashes of any bits, and divisors of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import FLOAT64, INT64
from tensorplay.errors import shown
from tensorplay.ops.bits import view_dtype
from tensorplay.ops.families import elementwise, reduction
from tensorplay.ops.operands import arrays, call, checked, documented, only
from tensorplay.ops.promotion import cast
from tensorplay.ops.reducing import Dims, keep, need_elements
from tensorplay.ops.shape import some_dims


def _bitwise(
    name: str, impl: Callable[..., Any], kinds: str, summary: str, example: str
) -> Callable[[Value, Value], Value]:
    prim = elementwise(name, impl, None)

    def op(input: Value, other: Value) -> Value:
        operands = arrays(name, input, other)
        only(kinds, name, *operands)
        return call(prim, *operands)

    op.__name__ = op.__qualname__ = name
    return documented(summary, f">>> tp.{name}({example}", returns="Of the common dtype, in the broadcast shape.")(op)


bitwise_and = _bitwise(
    "bitwise_and", np.bitwise_and, "bui", "Bits set in both elements.", "tp.tensor([6, 3]), 2)\ntensor([2, 2])"
)
bitwise_or = _bitwise(
    "bitwise_or", np.bitwise_or, "bui", "Bits set in one of the elements.", "tp.tensor([6, 3]), 1)\ntensor([7, 3])"
)
bitwise_xor = _bitwise(
    "bitwise_xor", np.bitwise_xor, "bui", "Bits set in just one element.", "tp.tensor([6, 3]), 1)\ntensor([7, 2])"
)
bitwise_left_shift = _bitwise(
    "bitwise_left_shift", np.left_shift, "ui", "Bits moved up.", "tp.tensor([1, 2]), 3)\ntensor([ 8, 16])"
)
bitwise_right_shift = _bitwise(
    "bitwise_right_shift",
    np.right_shift,
    "ui",
    "Bits moved down; the sign stays.",
    "tp.tensor([8, -8]), 2)\ntensor([ 2, -2])",
)
gcd = _bitwise("gcd", np.gcd, "ui", "Greatest common divisor.", "tp.tensor([12, 18]), tp.tensor([8]))\ntensor([4, 2])")
lcm = _bitwise("lcm", np.lcm, "ui", "Least common multiple.", "tp.tensor([4, 6]), tp.tensor([6]))\ntensor([12,  6])")

_not = elementwise("bitwise_not", np.invert, None)


@documented("All bits flipped; of bools, the negation.", ">>> tp.bitwise_not(tp.tensor([0, 5]))\ntensor([-1, -6])")
def bitwise_not(input: Value) -> Value:
    (input,) = checked("bitwise_not", input)
    only("bui", "bitwise_not", input)
    return _not(input)


_xor = reduction("xor", lambda x, dims: np.bitwise_xor.reduce(x, axis=dims), None, differentiable=False)


def hash_tensor(input: Value, dim: Dims = (), *, keepdim: bool = False, mode: int = 0) -> Value:
    """
    Hash of the elements' bits, which does not depend on their order.

    Parameters
    ----------
    input : Tensor
        Any shape; real. Widened to float64 or int64 first.
    dim : int or tuple of int, default ()
        Dims to combine; an empty tuple is all.
    keepdim : bool, default False
        Whether the combined dims stay, with size 1.
    mode : int, default 0
        0 is the exclusive or of the bits, the only mode there is.

    Returns
    -------
    Tensor
        uint64.

    Raises
    ------
    RuntimeError, IndexError
        If the mode is unknown, or if a hash would be of no elements.
    NotImplementedError
        If `input` is complex.

    Examples
    --------
    >>> tp.hash_tensor(tp.tensor([[1, 2], [4, 4]]), 1)
    tensor([3, 0], dtype=tensorplay.uint64)
    """
    if mode != 0:
        raise RuntimeError(f"hash_tensor(): mode must be 0, got {shown(mode)}")
    if input.dtype.kind == "c":
        raise NotImplementedError(f"hash_tensor(): expected real numbers, got {input.dtype}; see tp.view_as_real")
    dims = some_dims(dim, input.ndim, "hash_tensor")
    need_elements(input, dims, "hash_tensor")
    wide = cast(input, FLOAT64 if input.dtype.kind == "f" else INT64)
    return keep(_xor(view_dtype(wide, np.dtype("uint64")), dims=dims), keepdim, input.shape, dims)
