"""Batch: a value stands for one value per sample; ops act on all samples at once."""

from __future__ import annotations

from types import CodeType
from typing import Any

from numpy import ndarray

from tensorplay.core.modes import SILENT, errors_now
from tensorplay.core.primitive import MANY, Primitive
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Shape, Traced, Value
from tensorplay.errors import line_of


class Batched(Traced):
    """One value per sample: `inner` has the batch dim at 0, which the function being mapped does not see."""

    __slots__ = ("made", "place")

    owner: Batch
    made: str  # by which operator, and where; kept while `watch` watches
    place: tuple[CodeType, int]  # of the user's code that holds it in a tensor

    @property
    def shape(self) -> Shape:
        """Shape of one sample."""
        shape: Shape = self.inner.shape[1:]
        return shape

    @property
    def ndim(self) -> int:
        """Number of dims of one sample."""
        ndim: int = self.inner.ndim - 1
        return ndim


class Batch(Interpreter):
    """
    One active `vmap` over `size` samples.

    `randomness` is "error", "different" or "same": what a random op draws for the samples.
    """

    __slots__ = ("caller", "randomness", "size")

    joins = True

    def __init__(self, title: str, size: int, randomness: str = "error") -> None:
        super().__init__(title)
        self.size = size
        self.randomness = randomness
        self.caller: tuple[CodeType, int] | None = None  # code that called the transform, and where in it

    def twin(self) -> Batch:
        """A map of the same samples at the same level, for a function that is run within a batching rule."""
        twin = Batch(self.title, self.size, self.randomness)
        twin.level = self.level
        return twin

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """Run the op's batching rule one level below."""
        inner: list[Value] = []
        mapped: list[bool] = []
        rank, shared_rank, alike = 0, 0, True
        for arg in args:
            here = arg.__class__ is Batched and arg.owner is self
            if here:
                arg = arg.inner
                alike = alike and rank in (0, arg.ndim)
                rank = arg.ndim
            elif hasattr(arg, "ndim"):
                shared_rank = max(shared_rank, arg.ndim)
            inner.append(arg)
            mapped.append(here)
        if prim.family == "elementwise" and alike and shared_rank < rank:
            # what the samples broadcast against each other stands at the same dims from the right
            out = prim(*inner, **params)
            if out.__class__ is not tuple:
                return Batched(self, out)
            return tuple([Batched(self, o) for o in out])
        out, out_mapped = prim.batched(self, tuple(inner), tuple(mapped), params)
        if out.__class__ is not tuple:
            return Batched(self, out) if out_mapped else out
        if out_mapped.__class__ is not tuple:
            out_mapped = (out_mapped,) * len(out)
        return tuple([Batched(self, o) if here else o for o, here in zip(out, out_mapped, strict=True)])

    def unary(self, prim: Primitive, value: Value) -> Value:
        """The same in fewer steps."""
        x = value.inner
        if x.__class__ is ndarray and x.size <= MANY and errors_now() is SILENT:
            return Batched(self, prim.impl(x))
        return Batched(self, prim(x))

    def binary(self, prim: Primitive, first: Value, other: Value) -> Value:
        """The same in fewer steps."""
        x, y, rank, other_rank = first, other, 0, 0
        if first.__class__ is Batched and first.owner is self:
            x = first.inner
            rank = x.ndim
        if other.__class__ is Batched and other.owner is self:
            y = other.inner
            other_rank = y.ndim
        # what the samples broadcast against each other must stand at the same dims from the right
        if rank != other_rank if rank and other_rank else getattr(y if rank else x, "ndim", 0) >= rank + other_rank:
            return self.process(prim, (first, other), {})
        plain = errors_now() is SILENT
        for value in (x, y):
            plain = plain and (value.size <= MANY if value.__class__ is ndarray else not isinstance(value, Traced))
        return Batched(self, prim.impl(x, y) if plain else prim(x, y))

    def samples_to_draw(self, name: str) -> int | None:
        """One draw per sample under "different", one for all under "same"."""
        if self.randomness == "error":
            raise RuntimeError(
                f"{name}: {self.title} met a random operation, and randomness='error' forbids it. Pass "
                "randomness='different' for draws of their own in every sample, or randomness='same' for the same "
                "draws in all."
            )
        return self.size if self.randomness == "different" else None

    def wrap_draws(self, value: Value) -> Value:
        """Draws for each sample."""
        return Batched(self, value)

    def after_exit(self, value: Traced) -> Value:
        """A sample means nothing outside the map."""
        if hasattr(value, "made"):
            made = f"It was made by {value.made}."
        elif line := line_of(*value.place) if hasattr(value, "place") else "":
            made = f"It was made at {line}."
        else:
            made = "tp.autograd.detect_anomaly() finds the line that made it."
        raise RuntimeError(
            f"a tensor that {self.title}{self.called_at()} maps over was used after the map had returned: it stands "
            "for one sample and has no value outside. Return it from the mapped function instead of storing it "
            f"elsewhere. {made}"
        )

    def called_at(self) -> str:
        """Where the transform was called, for a message."""
        line = "" if self.caller is None else line_of(*self.caller)
        return f" (called at {line})" if line else ""


class Portion(Batch):
    """One active `vmap` over some of the samples, of which the first has the number `first`."""

    __slots__ = ("first",)

    def __init__(self, title: str, size: int, randomness: str = "error", first: int = 0) -> None:
        super().__init__(title, size, randomness)
        self.first = first


class Basis(Portion):
    """One active map over unit vectors: tangents or cotangents of a Jacobian."""

    __slots__ = ()
