"""Context-local modes: which levels record derivatives, and whether floating-point warnings are silenced already."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

import numpy as np

# Derivative levels up to this one treat what they see as constant (`no_grad` entered while they were active).
# Level 0 is ordinary autograd; a transform pushed later has a higher level and records again.
ALL_RECORD = -1
paused_level: ContextVar[int] = ContextVar("paused_level", default=ALL_RECORD)

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def paused_up_to(level: int) -> Iterator[None]:
    """Treat levels up to `level` as switched off."""
    token = paused_level.set(level)
    try:
        yield
    finally:
        paused_level.reset(token)


# Whether NumPy's floating-point warnings are silenced already.
quietly = _quiet.get


def _call(impl: Callable[..., Any], args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    return impl(*args, **params)


# A kernel called so that NaN and infinity are values, not warnings; NumPy's own setting stays as it is.
call_quietly = np.errstate(all="ignore")(_call)


class quiet:
    """Context that silences NumPy's floating-point warnings once for all kernels inside."""

    __slots__ = ("_errors", "_token")

    def __init__(self) -> None:
        self._token: Token[bool] | None = None

    def __enter__(self) -> None:
        if not quietly():
            self._token = _quiet.set(True)
            self._errors = np.errstate(all="ignore")
            self._errors.__enter__()

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            self._errors.__exit__(None, None, None)
            _quiet.reset(self._token)
            self._token = None
