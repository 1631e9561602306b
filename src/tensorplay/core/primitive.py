"""A primitive: a name, a NumPy kernel, one derivative and one batching rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.stack import bind
from tensorplay.core.value import Value
from tensorplay.errors import missing_rule

Rule = TypeVar("Rule", bound=Callable[..., Any])

registry: dict[str, Primitive] = {}


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
        False for ops that are constant almost everywhere (`floor`, `argmax`, `detach`): a derivative stops there.
    """

    __slots__ = ("batch_rule", "derivative_rule", "differentiable", "family", "impl", "name", "reads")

    def __init__(
        self,
        name: str,
        impl: Callable[..., Any],
        family: str = "general",
        reads: tuple[frozenset[int], ...] | None = None,
        differentiable: bool = True,
    ) -> None:
        if name in registry:
            raise ValueError(f"primitive {name!r} is already registered")
        self.name = name
        self.impl = impl
        self.family = family
        self.reads = reads
        self.differentiable = differentiable
        self.derivative_rule: Callable[..., LinearMap] | None = None
        self.batch_rule: Callable[..., tuple[Any, Any]] | None = None
        registry[name] = self

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __call__(self, *args: Value, **params: Any) -> Any:
        return bind(self, args, params)

    def derivative(self, rule: Rule) -> Rule:
        """Register ``rule(out, *args, **params) -> LinearMap`` (decorator)."""
        self.derivative_rule = rule
        return rule

    def batch(self, rule: Rule) -> Rule:
        """Register ``rule(size, args, mapped, **params) -> (out, out_mapped)`` (decorator); batch dims come first."""
        self.batch_rule = rule
        return rule

    def read_for(self, wanted: Sequence[bool]) -> frozenset[int] | None:
        """Positions that the derivatives with respect to the `wanted` arguments read; None: all."""
        if self.reads is None:
            return None
        return frozenset().union(*[read for read, w in zip(self.reads, wanted, strict=False) if w])

    def linear_map(self, mode: str, out: Any, args: tuple[Value, ...], params: dict[str, Any]) -> LinearMap:
        """Derivative at a point; `mode` ("forward" or "reverse") is what the error names where there is no rule."""
        if self.derivative_rule is None:
            raise missing_rule(self.name, f"{mode}-mode derivative", "derivative")
        return self.derivative_rule(out, *args, **params)

    def batched(self, size: int, args: tuple[Value, ...], mapped: tuple[bool, ...], params: dict[str, Any]) -> Any:
        """``(out, out_mapped)`` of the op over a batch; each mapped argument carries its batch dim at 0."""
        if self.batch_rule is None:
            raise missing_rule(self.name, "batching rule", "batch")
        return self.batch_rule(size, args, mapped, **params)
