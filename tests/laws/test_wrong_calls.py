"""Wrong calls of ops: whatever is wrong, the error speaks to a user, and nothing is left behind."""

from __future__ import annotations

import inspect
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import tree
from tests import mistakes, opdb
from tests.laws.cases import SEED, resolve
from tests.opdb import OpRecord, records

# ops that loop as often as an integer says, which would never end
LOOPS = ("polynomial", "mvlgamma", "lowrank", "split", "chunk", "unbind", "combinations", "matrix_power", "matrix_exp")
RECORDS = [record for record in records if not any(part in record.name for part in LOOPS)]
QUIET = settings(
    max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)


def groups() -> dict[str, list[OpRecord]]:
    """Records by the first letters of their names, in groups of some size."""
    ordered = sorted(RECORDS, key=lambda record: record.label)
    return {part[0].label: part for part in (ordered[i : i + 40] for i in range(0, len(ordered), 40))}


def tensors(arrays: Any) -> Any:
    """A tree with tensors in place of arrays."""
    return tree.map_leaves(lambda leaf: tp.tensor(leaf) if isinstance(leaf, np.ndarray) else leaf, arrays)


def name_in_messages(record: OpRecord) -> str:
    """What a message must have: the name called, or that of the op it is another name of."""
    last = record.name.rpartition(".")[2]
    found = inspect.unwrap(resolve(record.name))
    return rf"\b({last}|{found.__name__}|{last}_)\b"


@pytest.mark.parametrize("group", groups())
def test_wrong_calls(group: str) -> None:
    @QUIET
    @given(st.sampled_from(groups()[group]), st.randoms(use_true_random=False))
    def run(record: OpRecord, random: Random) -> None:
        sample = random.choice(record.samples(np.random.default_rng(SEED)))
        args, kwargs = mistakes.mistaken(list(tensors(sample.args)), dict(tensors(sample.kwargs)), random)
        mistakes.attempt(lambda: resolve(record.name)(*args, **kwargs), name_in_messages(record), (args, kwargs))

    run()


def test_all_ops_are_called_wrongly() -> None:
    assert opdb.records
    assert len(RECORDS) > 0.9 * len(records)
