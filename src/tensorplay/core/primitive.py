"""A primitive: a name, a NumPy kernel, one derivative and one batching rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy import ndarray

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.modes import SILENT, float_errors
from tensorplay.core.stack import Interpreter, settle
from tensorplay.core.value import Traced, Value
from tensorplay.errors import missing_rule

Rule = TypeVar("Rule", bound=Callable[..., Any])

NOTHING: frozenset[int] = frozenset()
MANY = 1 << 16  # elements of an operand: on more, work may be shared among threads

registry: dict[str, Primitive] = {}


def _zero_map(_out: Any, *args: Value, **_: Any) -> LinearMap:
    """Derivative of an op that is constant almost everywhere."""
    zeros = tuple([None if not hasattr(arg, "shape") else _zeros_like(arg) for arg in args])
    return LinearMap(lambda *_: None, lambda _ct: zeros)


def _zeros_like(arg: Value) -> Callable[[], np.ndarray[Any, Any]]:
    return lambda: np.zeros(arg.shape, arg.dtype)


def as_arrays(out: Any) -> Any:
    """A kernel's result as an array, or a tuple of arrays: NumPy turns 0-d results into scalars."""
    if out.__class__ is tuple:
        return tuple(map(as_arrays, out))
    # a user's function may bring in a value that an outer transform traces
    return out if isinstance(out, Traced) else np.asarray(out)


class Primitive:
    """
    An operation that interpreters know how to transform.

    Parameters
    ----------
    name : str
        Unique; error messages and printed graphs use it.
    impl : callable
        ``impl(*arrays, **params)``: pure NumPy, returns an array or a tuple of arrays, writes nothing.
    family : str
        How its rules were made: "elementwise", "reduction", "structural", "bilinear" or "general".
    reads : tuple of frozenset of int, optional
        Per differentiable argument, the positions that the derivative with respect to it reads (-1 is the output); by
        default it reads all. What is not read is not kept alive by a recorded graph.
    differentiable : bool, default True
        False for ops that are constant almost everywhere (`floor`, `argmax`): transforms stop there, and ordinary
        autograd, which has no arguments of a function to give zeros for, records a derivative of zero.
    constant : bool, default False
        True for ops whose result no derivative follows, be it zero (`detach`).
    many : callable, optional
        What to call in place of `impl` where an operand has many elements.
    formal : bool, optional
        Whether shape and dtype of what comes out follow from those of the operands, of which the kernel takes zeros and
        ones; by default all families but "general" say so.
    """

    __slots__ = (
        "arity",
        "batch_rule",
        "constant",
        "derivative_rule",
        "differentiable",
        "family",
        "formal",
        "impl",
        "many",
        "name",
        "pull_once",
        "reads",
    )

    lasting = True  # whether programs that call it may be kept
    # ``push_once(primals, tangents)``: output and its tangent, for one that computes the two together
    push_once: Callable[[Sequence[Value], Sequence[Any]], tuple[Any, Any]] | None = None

    def __init__(
        self,
        name: str,
        impl: Callable[..., Any],
        family: str = "general",
        reads: tuple[frozenset[int], ...] | None = None,
        differentiable: bool = True,
        constant: bool = False,
        many: Callable[..., Any] | None = None,
        formal: bool | None = None,
    ) -> None:
        if name in registry:
            raise ValueError(f"primitive {name!r} is already registered")
        self.name = name
        self.impl = impl
        self.many = many or impl
        self.family = family
        self.formal = family != "general" if formal is None else formal
        self.reads = reads if differentiable else (NOTHING,)
        self.differentiable = differentiable and not constant
        self.constant = constant
        self.derivative_rule: Callable[..., LinearMap] | None = None if differentiable else _zero_map
        self.batch_rule: Callable[..., tuple[Any, Any]] | None = None
        # ``pull_once(node, ct, times)``: what the `pull_wanted` of a recorded node's derivative gives, for a family
        # that has a shorter way where the linear map would be used once only; `times` multiplies arrays
        self.pull_once: Callable[[Any, Any, Any], Sequence[Any]] | None = None
        self.arity = 0  # of a differentiable elementwise op without parameters, if it is 1 or 2
        registry[name] = self

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __call__(self, *args: Value, **params: Any) -> Any:
        """
        The one door through which every op passes.

        The interpreter of the highest level among the arguments handles the op. Its rule works on the values one level
        below, so the rule's own ops go to the levels beneath without any bookkeeping.
        """
        top: Interpreter | None = None
        impl = self.impl
        for arg in args:
            if arg.__class__ is ndarray:
                if arg.size > MANY:
                    impl = self.many
            elif isinstance(arg, Traced):
                owner = arg.owner
                if not owner.alive:
                    return self(*map(settle, args), **params)
                if top is None or owner.level > top.level:
                    top = owner
        if top is not None:
            if self.arity == 1:
                return top.unary(self, *args)
            if self.arity == 2:
                return top.binary(self, *args)
            return top.process(self, args, params)
        if float_errors.get() is SILENT:
            out = impl(*args, **params)
        else:
            token = float_errors.set(SILENT)
            try:
                out = impl(*args, **params)
            finally:
                float_errors.reset(token)
        return out if out.__class__ is ndarray else as_arrays(out)

    def derivative(self, rule: Rule) -> Rule:
        """Register ``rule(out, *args, **params) -> LinearMap`` (decorator)."""
        self.derivative_rule = rule
        return rule

    def batch(self, rule: Rule) -> Rule:
        """Register ``rule(size, args, mapped, **params) -> (out, out_mapped)`` (decorator); batch dims come first."""
        self.batch_rule = rule
        return rule

    def read_for(self, parents: Sequence[Any]) -> frozenset[int] | None:
        """Positions that the derivatives with respect to the arguments that have a parent read; None: all."""
        reads = self.reads
        if reads is None:
            return None
        if len(reads) == 1:
            return reads[0]
        read = NOTHING
        for position, parent in zip(reads, parents, strict=False):
            if parent is not None:
                read = read | position if read else position
        return read

    def linear_map(self, mode: str, out: Any, args: Sequence[Value], params: dict[str, Any]) -> LinearMap:
        """Derivative at a point; `mode` ("forward" or "reverse") is what the error names where there is no rule."""
        if self.derivative_rule is None:
            raise missing_rule(self.name, f"{mode}-mode derivative", "derivative")
        return self.derivative_rule(out, *args, **params)

    def batched(self, level: Any, args: tuple[Value, ...], mapped: tuple[bool, ...], params: dict[str, Any]) -> Any:
        """``(out, out_mapped)`` of the op over the batch of a level; each mapped argument has its batch dim at 0."""
        if self.batch_rule is None:
            raise missing_rule(self.name, "batching rule", "batch")
        return self.batch_rule(level.size, args, mapped, **params)
