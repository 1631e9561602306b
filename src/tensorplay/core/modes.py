"""Context-local modes: which levels record derivatives, and whether floating-point warnings are silenced already."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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


def _call(impl: Callable[..., Any], args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    return impl(*args, **params)


_call_quietly = np.errstate(all="ignore")(_call)


def execute(impl: Callable[..., Any], args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Result of a kernel on arrays. NaN and infinity are values here, not warnings; NumPy's own setting stays as it is."""
    return impl(*args, **params) if _quiet.get() else _call_quietly(impl, args, params)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence NumPy's floating-point warnings once for all kernels inside, which then need not do so one by one."""
    if _quiet.get():
        yield
        return
    token = _quiet.set(True)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _quiet.reset(token)
