"""Context-local modes: which levels record derivatives, what views are, whether warnings are silenced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, Token, copy_context
from typing import Any

import numpy as np

# Derivative levels up to this one treat what they see as constant (`no_grad` entered while they were active).
# Level 0 is ordinary autograd; a transform pushed later has a higher level and records again.
ALL_RECORD = -1
paused_level: ContextVar[int] = ContextVar("paused_level", default=ALL_RECORD)
paused_now = paused_level.get

# Whether views are copied (`functionalize`), also in graphs.
views_copied: ContextVar[bool] = ContextVar("views_copied", default=False)


@contextmanager
def paused_up_to(level: int) -> Iterator[None]:
    """Treat levels up to `level` as switched off."""
    token = paused_level.set(level)
    try:
        yield
    finally:
        paused_level.reset(token)


def _silenced() -> tuple[ContextVar[Any], Any]:
    with np.errstate(all="ignore"):
        ((variable, setting),) = copy_context().items()
    return variable, setting


# The context variable in which NumPy keeps what it does about floating-point errors, and its value that ignores them:
# setting it is `np.errstate` at a tenth of the cost. In an empty context it is all that `np.errstate` sets.
float_errors, SILENT = Context().run(_silenced)
errors_now = float_errors.get


class quiet:
    """Context in which NaN and infinity are values, not warnings, for all kernels inside."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token: Token[Any] = float_errors.set(SILENT)

    def __exit__(self, *_: object) -> None:
        float_errors.reset(self._token)
