"""Work shared among threads: every item is done once, errors arrive, nothing is kept, and helpers come and go."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.threads import share


@pytest.fixture(autouse=True)
def _number_as_before() -> Iterator[None]:
    before = tp.get_num_threads()
    yield
    tp.set_num_threads(before)


def helpers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "tensorplay"}


@pytest.mark.parametrize("number", [1, 2, 3, 7])
@pytest.mark.parametrize(("items", "least"), [(0, 1), (1, 1), (2, 1), (10, 1), (10, 4), (1001, 100)])
def test_every_item_is_done_once(number: int, items: int, least: int) -> None:
    tp.set_num_threads(number)
    done = np.zeros(items, int)
    parts = []

    def work(start: int, stop: int) -> None:
        parts.append(stop - start)
        done[start:stop] += 1

    share(work, items, least)
    assert np.all(done == 1)
    assert len(parts) == max(1, min(number, items // least))
    assert len(parts) == 1 or min(parts) >= least


def test_parts_run_at_the_same_time() -> None:
    tp.set_num_threads(3)
    barrier = threading.Barrier(3, timeout=60)
    share(lambda _start, _stop: barrier.wait() and None, 3, 1)
    assert len(helpers()) == 2


def test_helpers_have_silent_float_errors() -> None:
    tp.set_num_threads(2)
    found = {}

    def work(start: int, _stop: int) -> None:
        found[start] = np.geterr()["over"]

    with np.errstate(all="raise"):
        share(work, 2, 1)
    assert found == {0: "raise", 1: "ignore"}


@pytest.mark.parametrize("failing", [0, 1, 3])
def test_errors_arrive_when_all_are_done(failing: int) -> None:
    tp.set_num_threads(4)
    done = []

    def work(start: int, _stop: int) -> None:
        if start == failing:
            raise ValueError(f"part {start}")
        time.sleep(0.05)
        done.append(start)

    for _ in range(2):
        with pytest.raises(ValueError, match=f"part {failing}"):
            share(work, 4, 1)
        assert sorted(done) == [part for part in range(4) if part != failing]
        done.clear()


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_kept(fails: bool) -> None:
    """When `share` has returned, or its error was dropped, what the work held is free; no cycle is left."""
    tp.set_num_threads(2)

    def once() -> weakref.ref[np.ndarray]:
        array = np.zeros(10)

        def work(start: int, stop: int) -> None:
            array[start:stop] += 1
            if fails and start:
                raise ValueError("no")

        try:
            share(work, 10, 1)
        except ValueError:
            assert fails
        return weakref.ref(array)

    gc.disable()
    try:
        assert [once()() for _ in range(50)] == [None] * 50
    finally:
        gc.enable()


def test_shared_work_within_shared_work_stays_with_its_thread() -> None:
    tp.set_num_threads(2)
    inner = []

    def work(_start: int, _stop: int) -> None:
        me = threading.get_ident()
        share(lambda start, stop: inner.append((me, threading.get_ident(), start, stop)), 10, 1)

    share(work, 2, 1)
    assert [(start, stop) for _, _, start, stop in inner] == [(0, 10)] * 2
    assert all(outer == own for outer, own, _, _ in inner)
    assert len({own for _, own, _, _ in inner}) == 2


def test_many_share_while_the_number_changes() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def sum_of_squares(number: int) -> int:
        numbers = np.arange(number, number + 1000)
        out = np.zeros_like(numbers)
        for turn in range(20):
            if number % 4 == 0:
                tp.set_num_threads(1 + (number + turn) % 4)
            out[:] = 0
            share(
                lambda start, stop: np.multiply(numbers[start:stop], numbers[start:stop], out=out[start:stop]), 1000, 1
            )
            assert np.array_equal(out, numbers**2)
        return int(out.sum())

    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(sum_of_squares, range(40), timeout=120))
    finally:
        sys.setswitchinterval(interval)
    assert found == [sum(i * i for i in range(n, n + 1000)) for n in range(40)]


def test_helpers_end_when_the_number_changes() -> None:
    tp.set_num_threads(4)
    share(lambda _start, _stop: None, 4, 1)
    old = helpers()
    tp.set_num_threads(2)
    for thread in old:
        thread.join(60)
    assert not old & helpers()
    share(lambda _start, _stop: None, 4, 1)
    assert len(helpers()) == 1


SCRIPT = """
import os
import numpy as np
import tensorplay as tp
from tensorplay.core.threads import share

def total():
    out = np.zeros(4)
    share(lambda start, stop: out[start:stop].fill(start + 1), 4, 1)
    return out.sum()

tp.set_num_threads(4)
assert total() == 10
"""
FORK = """
child = os.fork()
if not child:
    os._exit(0 if total() == 10 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert total() == 10
"""


@pytest.mark.parametrize(
    "more",
    ["", pytest.param(FORK, marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"))],
)
def test_a_process_ends_and_forks_with_helpers_that_wait(more: str) -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT + more], check=True, timeout=120)


def test_number_of_threads() -> None:
    tp.set_num_threads(3)
    assert tp.get_num_threads() == 3
    for wrong in (0, -1, True, 1.5, "2"):
        with pytest.raises(RuntimeError, match="set_num_threads"):
            tp.set_num_threads(wrong)  # type: ignore[arg-type]
    assert tp.get_num_threads() == 3
