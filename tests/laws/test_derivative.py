"""The pushed tangent is the numeric derivative; it is zero where an op is constant almost everywhere."""

from tests.laws import checks
from tests.laws.cases import over, random_numbers, smooth_cases
from tests.opdb import OpRecord


@over("derivative", lambda record: record.differentiable)
def test_derivative(record: OpRecord) -> None:
    """Along random directions, in float64 and complex128."""
    for function, arrays in smooth_cases(record):
        checks.check_derivative(function, arrays, random_numbers(), max(checks.NUMERIC, 10 * record.rtol))


@over("no_derivative", lambda record: not record.differentiable)
def test_no_derivative(record: OpRecord) -> None:
    """Zero in both modes, not an error."""
    for function, arrays in smooth_cases(record):
        checks.check_no_derivative(function, arrays, random_numbers())
