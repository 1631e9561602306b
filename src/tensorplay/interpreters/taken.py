"""
Taken: a captured tensor whose elements an argument of a transform has written; to read them is an error.

Inside a transform an argument is another tensor than the one that the caller gave for it; what is written to it goes
there in the end. Until then the caller's tensor, which the function may have captured too, is out of date.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.stack import Interpreter
from tensorplay.core.value import Traced, Value
from tensorplay.ops.aliasing import ARRANGING


class Taken(Traced):
    """A value (`inner`) and the places whose elements are out of date, an array of bools."""

    __slots__ = ("places",)

    def __init__(self, owner: Take, inner: Value, places: np.ndarray[Any, Any]) -> None:
        super().__init__(owner, inner)
        self.places = places


class Take(Interpreter):
    """The writes of one transformed function to its arguments, as tensors that it captured see them."""

    __slots__ = ()

    def process(self, prim: Primitive, args: tuple[Value, ...], params: dict[str, Any]) -> Any:
        """The op on what is up to date: views lead there; anything else would read what is not."""
        value = next(arg for arg in args if arg.__class__ is Taken and arg.owner is self)
        if prim not in ARRANGING:
            refuse(value)
        places = prim.impl(value.places, **params)
        out = prim(value.inner, **params)
        if out.__class__ is tuple:
            return tuple(map(self._with_places, out, places))
        return self._with_places(out, places)

    def _with_places(self, out: Value, places: np.ndarray[Any, Any]) -> Value:
        return Taken(self, out, places) if places.any() else out


def refuse(value: Taken) -> NoReturn:
    """Error for a use of what is out of date."""
    raise RuntimeError(
        f"{value.owner.title}: the function uses a tensor of shape {list(value.shape)} that it captured after writing "
        "to an argument that shares its memory. The captured tensor does not see the write before the transform has "
        "returned: use the argument instead, or capture a copy (x.clone())."
    )
