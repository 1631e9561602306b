"""A helper thread works on another core than the thread that it helps."""

import os
import threading
from collections.abc import Callable

import pytest

import tensorplay as tp
from tensorplay.core.cores import current_core, keep_off
from tensorplay.core.threads import share

two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2 or current_core() < 0,
    reason="needs two cores, and a system that tells them apart",
)


def in_a_thread(job: Callable[[], None]) -> None:
    thread = threading.Thread(target=job)
    thread.start()
    thread.join()


@two_cores
def test_a_thread_is_kept_off_a_core_and_within_those_of_the_process() -> None:
    allowed = os.sched_getaffinity(os.getpid())
    seen = []

    def job() -> None:
        for core in sorted(allowed):
            keep_off(core, threading.get_native_id())
            seen.append((core, current_core(), os.sched_getaffinity(0)))

    in_a_thread(job)
    assert len(seen) == len(allowed)
    for core, now, may in seen:
        assert now != core
        assert may == allowed - {core}
    assert os.sched_getaffinity(os.getpid()) == allowed


@two_cores
def test_helpers_follow_the_thread_that_gives_work() -> None:
    before = tp.get_num_threads()
    allowed = os.sched_getaffinity(os.getpid())
    seen = []

    def work(start: int, _stop: int) -> None:
        if start:
            seen.append((giver, current_core()))

    def job() -> None:
        nonlocal giver
        for giver in sorted(allowed) * 2:
            os.sched_setaffinity(0, {giver})
            share(work, 2, 1)

    giver = -1
    tp.set_num_threads(2)
    try:
        in_a_thread(job)
    finally:
        tp.set_num_threads(before)
    assert len(seen) == 2 * len(allowed)
    assert all(core != own for core, own in seen)
