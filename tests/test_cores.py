"""A helper thread works on another core than the thread that it helps."""

import os
import threading
from collections.abc import Callable

import pytest

from tensorplay.core.cores import current_core, move_away

two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2 or current_core() < 0,
    reason="needs two cores, and a system that tells them apart",
)


def in_a_thread(job: Callable[[], None]) -> None:
    thread = threading.Thread(target=job)
    thread.start()
    thread.join()


@two_cores
def test_a_helper_leaves_the_core_and_keeps_to_those_of_the_process() -> None:
    allowed = os.sched_getaffinity(os.getpid())
    seen = []

    def job() -> None:
        for core in sorted(allowed):
            os.sched_setaffinity(0, {core})
            move_away(core)
            seen.append((core, current_core(), os.sched_getaffinity(0)))

    in_a_thread(job)
    assert len(seen) == len(allowed)
    for core, now, may in seen:
        assert now != core
        assert may == allowed - {core}
    assert os.sched_getaffinity(os.getpid()) == allowed


@two_cores
def test_it_stays_where_nobody_is_in_the_way_or_nothing_is_known() -> None:
    allowed = sorted(os.sched_getaffinity(os.getpid()))
    seen = []

    def job() -> None:
        os.sched_setaffinity(0, {allowed[0]})
        move_away(allowed[1])
        move_away(-1)
        seen.append(os.sched_getaffinity(0))

    in_a_thread(job)
    assert seen == [{allowed[0]}]
