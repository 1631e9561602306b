"""Sentences that several rooms share in their error messages."""

from __future__ import annotations

import sys
from pathlib import Path

PACKAGE = str(Path(__file__).parent)


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no Cholesky factor or no such decomposition; the kernel did not converge."""


def missing_rule(op: str, what: str, slot: str) -> NotImplementedError:
    """Error for an operator that lacks a rule."""
    return NotImplementedError(f"{op}: this operator has no {what}. Give it one with @{slot} (docs/adding_an_op.md).")


def user_line() -> str:
    """File and line of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
