"""Embeddings; with `max_norm` they write to their table first."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tensorplay.interpreters.record import without_recording
from tensorplay.ops import embedding as ops
from tensorplay.tensor.lift import lift

__all__ = ["embedding", "embedding_bag", "one_hot"]


def _renorming(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` on tensors; its fourth argument, `max_norm`, is applied to the table itself."""
    lifted = lift(function)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        if len(args) < 4 and kwargs.get("max_norm") is None:
            return lifted(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        max_norm = given.pop("max_norm")
        if max_norm is not None:
            _renorm(given["input"], given["weight"], max_norm, given.get("norm_type", 2.0), function.__name__)
        return lifted(**given)

    return public


def _renorm(input: Any, weight: Any, max_norm: float, norm_type: float, name: str) -> None:
    ops.check_table(name, input.value, weight.value)
    with without_recording():
        weight._write(ops.renormed(input.value, weight.value, max_norm, norm_type), f"{name}(max_norm=...)")


embedding = _renorming(ops.embedding)
embedding_bag = _renorming(ops.embedding_bag)
one_hot = lift(ops.one_hot)
