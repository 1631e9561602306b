"""vmap is the loop over samples."""

from tests.laws import checks
from tests.laws.cases import cases, over
from tests.opdb import OpRecord


@over("batch", lambda record: record.batched)
def test_batch(record: OpRecord) -> None:
    """For mixes of in_dims, out_dims, batches of 3, 1 and 0, and nested maps."""
    for case in cases(record):
        if case.arrays:
            function, batches = case.batches()
            checks.check_batch(function, batches, max(checks.EXACT, record.rtol), randomness="same")
