"""Linear maps of features, and tables of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from tensorplay.ops import affine
from tensorplay.ops import embedding as _embedding
from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.calls import explained
from tensorplay.tensor.lift import lift, to_tensor, to_value

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["bilinear", "embedding", "embedding_bag", "linear", "one_hot"]

bilinear = lift(affine.bilinear)
linear = lift(affine.linear)
one_hot = lift(_embedding.one_hot)


def _confining(function: F) -> F:
    """`function` of indices and a table, lifted; rows that it scales down to `max_norm` are so in the table as well."""
    lifted = lift(function)
    signature = inspect.signature(function)

    @explained
    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        out = lifted(*args, **kwargs)
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        values = given.arguments
        if values["max_norm"] is not None:
            index, weight = values["input"], values["weight"]
            with no_grad():
                table = _embedding.renormed(
                    to_value(index), to_value(weight.detach()), values["max_norm"], values["norm_type"]
                )
                weight.copy_(to_tensor(table))
        return out

    return public  # type: ignore[return-value]


embedding = _confining(_embedding.embedding)
embedding_bag = _confining(_embedding.embedding_bag)
