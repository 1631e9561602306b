"""Functions of each element, and choices between elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.numpy_protocol.calling import cast, inexact, like, numpys, tensor, weak


@numpys("clip")
def clip(a: Any, a_min: Any = None, a_max: Any = None, min: Any = None, max: Any = None, dtype: Any = None) -> Any:
    a = cast(tensor(a), dtype)
    low, high = [weak(low if high is None else high) for low, high in ((a_min, min), (a_max, max))]
    return a.clone() if low is None and high is None else tp.clamp(a, low, high)


@numpys("around", "round")
def around(a: Any, decimals: int = 0) -> Any:
    return tp.round(tensor(a), decimals=decimals)


@numpys("fix")
def fix(x: Any) -> Any:
    return tp.trunc(tensor(x))


@numpys("sinc")
def sinc(x: Any) -> Any:
    return tp.sinc(tensor(x))


@numpys("i0")
def i0(x: Any) -> Any:
    return tp.i0(tensor(x))


@numpys("nan_to_num")
def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return tp.nan_to_num(tensor(x), nan, posinf, neginf)


@numpys("real")
def real(val: Any) -> Any:
    val = tensor(val)
    return tp.real(val) if val.is_complex() else val


@numpys("imag")
def imag(val: Any) -> Any:
    val = tensor(val)
    return tp.imag(val) if val.is_complex() else tp.zeros_like(val)


@numpys("angle")
def angle(z: Any, deg: bool = False) -> Any:
    out = tp.angle(tensor(z))
    return tp.rad2deg(out) if deg else out


@numpys("unwrap")
def unwrap(p: Any, discont: Any = None, axis: int = -1, period: float = 2 * math.pi) -> Any:
    p = inexact(p)
    steps, half = tp.diff(p, dim=axis), period / 2
    short = tp.remainder(steps + half, period) - half
    short = tp.where((short == -half) & (steps > 0), half, short)
    jumps = tp.where(tp.abs(steps) < (half if discont is None else max(discont, half)), 0.0, short - steps)
    first = tp.zeros_like(p.narrow(axis, 0, min(1, p.shape[axis])))
    return p + tp.cat([first, tp.cumsum(jumps, axis)], axis)


# ---- comparison ------------------------------------------------------------------------------------------------------


@numpys("isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    a, b = (inexact(like(a, tensor(b))), inexact(like(b, tensor(a))))
    near = tp.abs(a - b) <= tensor(atol) + tensor(rtol) * tp.abs(b)
    close = (near & tp.isfinite(b)) | (a == b)
    return close | (tp.isnan(a) & tp.isnan(b)) if equal_nan else close


@numpys("allclose")
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> bool:
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


@numpys("array_equal")
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    a1, a2 = tensor(a1), tensor(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool((same | (tp.isnan(a1) & tp.isnan(a2)) if equal_nan else same).all())


@numpys("array_equiv")
def array_equiv(a1: Any, a2: Any) -> bool:
    a1, a2 = tensor(a1), tensor(a2)
    try:
        tp.broadcast_shapes(a1.shape, a2.shape)
    except RuntimeError:
        return False
    return bool((a1 == a2).all())


@numpys("isposinf")
def isposinf(x: Any) -> Any:
    return tp.isposinf(tensor(x))


@numpys("isneginf")
def isneginf(x: Any) -> Any:
    return tp.isneginf(tensor(x))


@numpys("isreal")
def isreal(x: Any) -> Any:
    return tp.isreal(tensor(x))


@numpys("iscomplex")
def iscomplex(x: Any) -> Any:
    return ~tp.isreal(tensor(x))


@numpys("iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    return bool(x.is_complex())


@numpys("isrealobj")
def isrealobj(x: Any) -> bool:
    return not x.is_complex()


# ---- choices ---------------------------------------------------------------------------------------------------------


@numpys("where")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    condition = tensor(condition) != 0
    if x is None and y is None:
        return tp.nonzero(condition, as_tuple=True)
    return tp.where(condition, weak(x), weak(y))


@numpys("select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist):
        raise ValueError(f"np.select(): {len(condlist)} conditions for {len(choicelist)} choices")
    out = weak(default)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        out = tp.where(tensor(condition), weak(choice), out)
    return out


@numpys("choose")
def choose(a: Any, choices: Any, mode: str = "raise") -> Any:
    choices = [tensor(choice) for choice in choices]
    a, count = tensor(a), len(choices)
    if mode != "raise":
        a = a.clamp(0, count - 1) if mode == "clip" else tp.remainder(a, count)
    a, *choices = tp.broadcast_tensors(a, *choices)
    return tp.gather(tp.stack(choices), 0, a.unsqueeze(0).long()).squeeze(0)


@numpys("piecewise")
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    conditions = _conditions(condlist)
    pieces = [piece(x, *args, **kw) if callable(piece) else weak(piece) for piece in funclist]
    if len(pieces) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"np.piecewise(): {len(pieces)} functions for {len(conditions)} conditions")
    out: Any = pieces[-1] if len(pieces) > len(conditions) else 0
    for condition, piece in zip(conditions, pieces, strict=False):
        out = tp.where(condition, piece, out)
    return out.to(x.dtype)


def _conditions(condlist: Any) -> list[tp.Tensor]:
    """Conditions one by one, from a sequence of them or a single one."""
    if isinstance(condlist, list | tuple) and not all(isinstance(entry, bool | np.bool) for entry in condlist):
        return [tensor(condition) != 0 for condition in condlist]
    condition = tensor(condlist) != 0
    return list(condition) if condition.ndim > 1 else [condition]
