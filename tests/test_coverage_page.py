"""docs/coverage.md says what is true, and every public operator has a record."""

from __future__ import annotations

from tests import coverage_page
from tests.opdb import records


def test_every_public_operator_has_a_record() -> None:
    missing = [name for name in coverage_page.public_operators() if coverage_page.recorded_form(name) is None]
    assert not missing, "write records for them in tests/opdb"


def test_functions_that_are_no_operators() -> None:
    exempt = {name for names in coverage_page.NO_OPERATORS.values() for name in names}
    assert not exempt & {record.name for record in records}


def test_page_is_fresh() -> None:
    fresh = coverage_page.page()
    stale = coverage_page.PAGE.read_text()
    changed = sorted(set(fresh.splitlines()) ^ set(stale.splitlines()))
    assert fresh == stale, "run `python -m tests.coverage_page`; lines that differ:\n" + "\n".join(changed[:20])
