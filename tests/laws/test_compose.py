"""Every pair of transforms: batches of derivatives, derivatives of batches, second derivatives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.laws import checks
from tests.laws.cases import over, random_numbers, smooth_cases
from tests.laws.checks import Array, Function
from tests.opdb import OpRecord

SMALL = 150  # elements of a Jacobian that is compared whole


def differentiable(record: OpRecord) -> bool:
    """Whether derivatives are defined."""
    return record.differentiable


def both(record: OpRecord) -> bool:
    """Whether derivatives and maps are defined."""
    return record.differentiable and record.batched


def rounding(record: OpRecord) -> float:
    """What second derivatives and maps may be off."""
    return max(10 * checks.EXACT, record.rtol)


def batches(record: OpRecord) -> Iterator[tuple[Function, list[list[Array]]]]:
    """Three versions of each array."""
    for function, arrays in smooth_cases(record):
        yield function, [checks.versions(array, 3) for array in arrays]


@over("vmap_of_vjp", both)
def test_vmap_of_vjp(record: OpRecord) -> None:
    """Batches of pulled cotangents."""
    for function, columns in batches(record):
        checks.check_vmap_of_vjp(function, columns, random_numbers(), rounding(record))


@over("vmap_of_jvp", both)
def test_vmap_of_jvp(record: OpRecord) -> None:
    """Batches of pushed tangents."""
    for function, columns in batches(record):
        checks.check_vmap_of_jvp(function, columns, random_numbers(), rounding(record))


@over("vjp_of_vmap", both)
def test_vjp_of_vmap(record: OpRecord) -> None:
    """Pulling back through a map."""
    for function, columns in batches(record):
        checks.check_vjp_of_vmap(function, columns, random_numbers(), rounding(record))


@over("jvp_of_vmap", both)
def test_jvp_of_vmap(record: OpRecord) -> None:
    """Pushing through a map."""
    for function, columns in batches(record):
        checks.check_jvp_of_vmap(function, columns, random_numbers(), rounding(record))


@over("jvp_of_vjp", differentiable)
def test_jvp_of_vjp(record: OpRecord) -> None:
    """Second derivatives against finite differences of first ones."""
    for function, arrays in smooth_cases(record):
        checks.check_jvp_of_vjp(function, arrays, random_numbers(), max(5 * checks.NUMERIC, 10 * record.rtol))


@over("second_orders", differentiable)
def test_second_orders(record: OpRecord) -> None:
    """The four ways to a second derivative."""
    for function, arrays in smooth_cases(record):
        checks.check_second_orders(function, arrays, random_numbers(), rounding(record), record.batched)


@over("vmap_of_jvp_of_vjp", both)
def test_vmap_of_jvp_of_vjp(record: OpRecord) -> None:
    """Batches of second derivatives."""
    for function, columns in batches(record):
        checks.check_vmap_of_jvp_of_vjp(function, columns, random_numbers(), rounding(record))


@over("jacobians", both)
def test_jacobians(record: OpRecord) -> None:
    """Rows pulled back are columns pushed forward."""
    for function, arrays in smooth_cases(record):
        if any(np.iscomplexobj(array) for array in arrays):
            continue
        outputs: list[Any] = checks.run(function, arrays)
        real = not any(np.iscomplexobj(out) for out in outputs)
        if real and sum([a.size for a in arrays]) * sum([out.size for out in outputs]) <= SMALL:
            checks.check_jacobians(function, arrays, rounding(record))


@over("linearize", differentiable)
def test_linearize(record: OpRecord) -> None:
    """Pushing along a record is pushing at once."""
    for function, arrays in smooth_cases(record):
        checks.check_linearize(function, arrays, random_numbers(), rounding(record))
