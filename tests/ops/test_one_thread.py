"""SciPy's BLAS uses one thread while one of its routines runs here, and then as many as before."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg

from tensorplay.ops import one_thread


def test_one_thread_inside_and_the_former_number_after() -> None:
    number = [3]
    threads = one_thread.Threads(lambda: number[0], lambda n: number.__setitem__(0, n))
    with threads:
        assert number == [1]
        with threads:
            assert number == [1]
        assert number == [1]
    assert number == [3]
    with pytest.raises(ZeroDivisionError), threads:
        raise ZeroDivisionError
    assert number == [3]


def test_many_callers_at_once() -> None:
    number, seen = [4], []
    threads = one_thread.Threads(lambda: number[0], lambda n: number.__setitem__(0, n))

    def work() -> None:
        for _ in range(200):
            with threads:
                seen.append(number[0])

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert set(seen) == {1}
    assert number == [4]


def test_routines_of_scipy() -> None:
    a = np.array([[4.0, 2.0], [2.0, 5.0]])
    threads = one_thread.scipy_threads()
    before = None if threads is None else threads._get()
    factor, info = one_thread.alone(scipy.linalg.lapack.dpotrf)(a, lower=1)
    np.testing.assert_allclose(factor, [[2.0, 0.0], [1.0, 2.0]])
    assert info == 0
    assert before is None or threads._get() == before


def test_without_a_library_of_its_own_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_thread, "scipy_threads", lambda: None)
    assert one_thread.alone(abs) is abs
