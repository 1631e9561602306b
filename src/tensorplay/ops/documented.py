"""Docstrings of ops that a helper makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def documented(op: Callable[..., Any], name: str, summary: str, body: str, example: str) -> Callable[..., Any]:
    """`op`, made by a helper, with a name and a docstring of its own."""
    lines = [line.removeprefix("    ") for line in body.strip("\n").rstrip().split("\n")]
    shown = example.replace("\n", "\n    ")
    op.__name__ = op.__qualname__ = name
    op.__doc__ = "\n".join([f"\n    {summary}\n", *lines, "\n    Examples\n    --------", f"    {shown}\n    "])
    return op
