"""Sentences that several rooms share in their error messages."""

from __future__ import annotations


def missing_rule(op: str, what: str, slot: str) -> NotImplementedError:
    """Error for an operator that lacks a rule."""
    return NotImplementedError(f"{op}: this operator has no {what}. Give it one with @{slot} (docs/adding_an_op.md).")
