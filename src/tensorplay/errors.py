"""Sentences that several rooms share in their error messages."""

from __future__ import annotations


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no Cholesky factor or no such decomposition; the kernel did not converge."""


def missing_rule(op: str, what: str, slot: str) -> NotImplementedError:
    """Error for an operator that lacks a rule."""
    return NotImplementedError(f"{op}: this operator has no {what}. Give it one with @{slot} (docs/adding_an_op.md).")
