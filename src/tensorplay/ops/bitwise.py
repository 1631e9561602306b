"""Bits of integers and bools, and divisors of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.ops.families import elementwise
from tensorplay.ops.operands import arrays, call, checked, documented, only


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
