"""Forward: a value carries its tangent along; no graph is kept."""

from __future__ import annotations

from typing import Any

from tensorplay.core.modes import paused_now
from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Traced, Value, is_inexact


class Dual(Traced):
    """A primal (`inner`) and its tangent."""

    __slots__ = ("tangent",)

    def __init__(self, owner: Forward, primal: Value, tangent: Value) -> None:
        self.owner = owner
        self.inner = primal
        self.dtype = primal.dtype
        self.tangent = tangent


class Forward(Interpreter):
    """One active `jvp`."""

    __slots__ = ()

    joins = True

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Evaluate the op on the primals and push the tangents through its derivative."""
        primals: list[Value] = []
        tangents: list[Value | None] = []
        for arg in args:
            here = arg.__class__ is Dual and arg.owner is self
            primals.append(arg.inner if here else arg)
            tangents.append(arg.tangent if here else None)
        followed = prim.differentiable and paused_now() < self.level
        if followed and prim.push_once is not None:
            out, dot = prim.push_once(primals, tangents)
        else:
            out = prim(*primals, **params)
            if not (followed and (out.__class__ is tuple or is_inexact(out))):
                return out
            dot = prim.linear_map("forward", out, primals, params).push(*tangents)
        if out.__class__ is not tuple:
            return self.join(out, dot)
        return tuple([self.join(o, t) for o, t in zip(out, dot, strict=True)])

    def unary(self, prim: Primitive, value: Value) -> Value:
        """The same in fewer steps."""
        primals = (value.inner,)
        out = prim(*primals)
        if paused_now() >= self.level:
            return out
        return self.join(out, prim.linear_map("forward", out, primals, {}).push(value.tangent))

    def binary(self, prim: Primitive, first: Value, other: Value) -> Value:
        """The same in fewer steps."""
        x, tangent = self.split(first)
        y, other_tangent = self.split(other)
        out = prim(x, y)
        if paused_now() >= self.level:
            return out
        return self.join(out, prim.linear_map("forward", out, (x, y), {}).push(tangent, other_tangent))

    def split(self, value: Value) -> tuple[Value, Value | None]:
        """Primal and tangent of a value; the tangent of what this level does not watch is None (zero)."""
        if value.__class__ is Dual and value.owner is self:
            return value.inner, value.tangent
        return value, None

    def join(self, primal: Value, tangent: Value | None) -> Value:
        """A dual value, or the primal itself where the tangent is zero."""
        return primal if tangent is None else Dual(self, primal, tangent)
