"""Sentences that several rooms share in their error messages."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType
from typing import Any

PACKAGE = str(Path(__file__).parent)


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no Cholesky factor or no such decomposition; the kernel did not converge."""


class AnomalyError(RuntimeError):
    """
    An operator made a NaN or an infinity; raised while `tensorplay.autograd.detect_anomaly` watches.

    `operator`, `line`, `mode` ("value" or "derivative"), `sample` (an int, for nested maps a tuple, None without) and
    `index` (of the element, in the sample) say where.
    """

    def __init__(self, message: str, operator: str, line: str, mode: str, sample: Any, index: tuple[int, ...]) -> None:
        super().__init__(message)
        self.operator = operator
        self.line = line
        self.mode = mode
        self.sample = sample
        self.index = index

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.operator, self.line, self.mode, self.sample, self.index)

    def within(self, operator: str) -> AnomalyError:
        """The same, found in a part of `operator`."""
        if operator == self.operator:
            return self
        message = str(self).replace(f" of {self.operator},", f" of {operator} (its part {self.operator}),", 1)
        return type(self)(message, operator, self.line, self.mode, self.sample, self.index)


class WrongArgument(ValueError, AssertionError):
    """An argument does not fit, where torch asserts that it does."""


def missing_rule(op: str, what: str, slot: str) -> NotImplementedError:
    """Error for an operator that lacks a rule."""
    return NotImplementedError(f"{op}: this operator has no {what}. Give it one with @{slot} (docs/adding_an_op.md).")


def shown(thing: Any) -> str:
    """What was given, for a message: numbers and strings as they are written, anything else by its type and shape."""
    if getattr(thing, "shape", None) == () and hasattr(thing, "item"):
        return repr(thing.item())
    if thing is None or isinstance(thing, int | float | complex | str):
        return repr(thing)
    if isinstance(thing, tuple | list) and len(thing) < 9:
        entries = ", ".join(map(shown, thing))
        return f"[{entries}]" if isinstance(thing, list) else f"({entries}{',' if len(thing) == 1 else ''})"
    if hasattr(thing, "shape") and hasattr(thing, "dtype"):
        return f"a tensor of shape {list(thing.shape)}"
    return f"an object of type {type(thing).__name__}"


def need_flags(title: str, **flags: Any) -> None:
    """Raise unless options that are on or off are that."""
    for name, flag in flags.items():
        if not isinstance(flag, int | None) and getattr(flag, "shape", None) != ():
            raise TypeError(f"{title}: {name} must be a bool, got {shown(flag)}")


def user_line() -> str:
    """File and line of the innermost frame outside this package."""
    return line_of(*user_place(2))


def user_place(depth: int = 1) -> tuple[CodeType, int]:
    """Code and instruction of the innermost frame outside this package: cheap, and keeps nothing alive but the code."""
    frame = sys._getframe(depth)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def line_of(code: CodeType, instruction: int) -> str:
    """File and line of an instruction of the user's code; empty for one of this package."""
    if code.co_filename.startswith(PACKAGE):
        return ""
    line = next((n for start, end, n in code.co_lines() if start <= instruction < end), None)
    return f"{Path(code.co_filename).name}:{line}"
