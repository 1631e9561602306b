"""Push and pull are adjoint: no step size, so an error of one part in a thousand million shows."""

from tests.laws import checks
from tests.laws.cases import cases, over, random_numbers
from tests.opdb import OpRecord


@over("adjoint", lambda record: record.differentiable)
def test_adjoint(record: OpRecord) -> None:
    """At every sample, edges too."""
    for case in cases(record):
        if case.floats:
            function, arrays = case.smooth_function()
            checks.check_adjoint(function, arrays, random_numbers(), max(checks.EXACT, record.rtol / 10))


@over("reverse_ways", lambda record: record.differentiable)
def test_reverse_ways(record: OpRecord) -> None:
    """Every way to pull a cotangent back gives the same."""
    for case in cases(record):
        if case.floats:
            function, arrays = case.smooth_function()
            checks.check_reverse_ways(function, arrays, random_numbers(), max(checks.EXACT, record.rtol / 10))
