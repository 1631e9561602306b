"""The primitives whose result shares the memory of their argument, and the same ones with memory of their own."""

from __future__ import annotations

from typing import Any

from tensorplay.core.primitive import Primitive
from tensorplay.ops.bits import as_complex, as_real, read_as
from tensorplay.ops.complex_numbers import imag_part, real_part
from tensorplay.ops.families import expand, permute, reshape
from tensorplay.ops.shape import detach, slice_key
from tensorplay.ops.stacking import pieces, slices
from tensorplay.ops.striding import strided
from tensorplay.ops.views import take_diagonal
from tensorplay.ops.windows import windows

# Views that choose and arrange elements, whatever these are.
ARRANGING = frozenset({slice_key, reshape, permute, expand, take_diagonal, windows, strided, slices, pieces, detach})


def _copying(prim: Primitive) -> Primitive:
    def impl(x: Any, **params: Any) -> Any:
        out = prim.impl(x, **params)
        return tuple([piece.copy() for piece in out]) if out.__class__ is tuple else out.copy()

    twin = Primitive(f"{prim.name}_copy", impl, prim.family, prim.reads)
    twin.differentiable, twin.constant = prim.differentiable, prim.constant
    twin.derivative_rule, twin.batch_rule = prim.derivative_rule, prim.batch_rule
    return twin


# What a graph without views has instead of each view.
copies = {prim: _copying(prim) for prim in (*ARRANGING, real_part, imag_part, as_real, as_complex, read_as)}
