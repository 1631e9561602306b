"""What a loop carries from step to step: a tree whose leaves keep their shape and dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorplay import tree
from tensorplay.core.value import Value
from tensorplay.func.arguments import describe
from tensorplay.func.branches import need_structure, unlike
from tensorplay.func.reverse import own_tensors
from tensorplay.ops.promotion import NUMBERS
from tensorplay.tensor.tensor import Tensor


class Carry:
    """
    The leaves now.

    `title` and `function` are what messages call the loop and the function that makes the next carry.
    """

    __slots__ = ("_start", "function", "leaves", "spec", "title")

    def __init__(self, title: str, function: str, init: Any) -> None:
        self.title = title
        self.function = function
        self.leaves, self.spec = tree.flatten(init)
        self._start = self.leaves

    def tree(self, leaves: Sequence[Any]) -> Any:
        """Leaves in the structure of the carry."""
        return tree.unflatten(self.spec, leaves)

    def flat(self, out: Any) -> list[Any]:
        """The leaves of what the function gave for the next step."""
        leaves, spec = tree.flatten(out)
        need_structure(self.title, f"the carry into {self.function} and out of it", self.spec, spec)
        return leaves

    def advance(self, leaves: list[Any]) -> None:
        """Carry these from now on."""
        for position, (new, old) in enumerate(zip(leaves, self.leaves, strict=True)):
            if unlike(new, old):
                raise self._mismatch(position, new, old)
        self.leaves = leaves

    def _mismatch(self, position: int, new: Any, old: Any) -> RuntimeError:
        where = tree.paths(self.tree(self.leaves))[position]
        hint = ""
        if old.__class__ in NUMBERS and isinstance(new, Tensor):
            hint = f"; start from a tensor, tp.tensor({old!r}, dtype={new.dtype})"
        return RuntimeError(
            f"{self.title}: the carry into {self.function} and out of it must have the same shape and dtype: "
            f"carry{where} goes in as {describe(old)} and comes out as {describe(new)}{hint}"
        )

    def result(self, through: Callable[[Value], Value] = lambda value: value, given: Sequence[Value] = ()) -> Any:
        """The carry at the end, sent through a function, in memory that neither its start nor what was `given` has."""
        positions = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, Tensor)]
        start = [leaf.value for leaf in self._start if isinstance(leaf, Tensor)]
        owned = own_tensors([through(self.leaves[i].value) for i in positions], [*start, *given])
        leaves = list(self.leaves)
        for position, tensor in zip(positions, owned, strict=True):
            leaves[position] = tensor
        return self.tree(leaves)
