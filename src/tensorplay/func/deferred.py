"""What a call leaves to be run later (coroutines, generators), run in the context of that call."""

from __future__ import annotations

import inspect
import types
from collections.abc import AsyncIterator, Generator
from contextvars import Context, copy_context
from typing import Any


def in_this_context(result: Any) -> Any:
    """`result`; if it is a coroutine or generator, one whose steps find the context variables as they are now."""
    if inspect.iscoroutine(result):
        return _coroutine(copy_context(), result)
    if inspect.isgenerator(result):
        return _steps(copy_context(), result)
    if inspect.isasyncgen(result):
        return _async_steps(copy_context(), result)
    return result


def _steps(context: Context, inner: Any) -> Generator[Any, Any, Any]:
    """The steps of a generator, or of what is awaited, each in a context."""
    step, given = inner.send, None
    try:
        while True:
            try:
                out = context.run(step, given)
            except StopIteration as stop:
                return stop.value
            try:
                step, given = inner.send, (yield out)
            except GeneratorExit:
                raise
            except BaseException as error:  # the inner one is to see it
                step, given = inner.throw, error
    finally:
        context.run(inner.close)


@types.coroutine
def _awaited(context: Context, inner: Any) -> Generator[Any, Any, Any]:
    return (yield from _steps(context, inner))


async def _coroutine(context: Context, inner: Any) -> Any:
    return await _awaited(context, inner)


async def _async_steps(context: Context, inner: Any) -> AsyncIterator[Any]:
    try:
        while True:
            try:
                out = await _awaited(context, inner.__anext__())
            except StopAsyncIteration:
                return
            yield out
    finally:
        await _awaited(context, inner.aclose())
