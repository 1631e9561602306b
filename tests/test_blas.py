"""SciPy's BLAS uses one thread while one of its routines runs here, and then as many as before."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg

from tensorplay.core import blas
from tensorplay.ops.gemm import product


def test_one_thread_inside_and_the_former_number_after() -> None:
    number = [3]
    threads = blas.Threads(lambda: number[0], lambda n: number.__setitem__(0, n))
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
    threads = blas.Threads(lambda: number[0], lambda n: number.__setitem__(0, n))

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
    threads = blas.threads_of("scipy")
    before = None if threads is None else threads._get()
    factor, info = blas.alone(scipy.linalg.lapack.dpotrf)(a, lower=1)
    np.testing.assert_allclose(factor, [[2.0, 0.0], [1.0, 2.0]])
    assert info == 0
    assert before is None or threads._get() == before


def test_without_a_library_of_its_own_routines_run_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "threads_of", lambda _: None)
    assert blas.alone(abs)(-2) == 2
    big = np.ones((100, 100))
    np.testing.assert_array_equal(blas.dot(big, big[0]), np.full(100, 100.0))


@pytest.mark.skipif(blas.threads_of("numpy") is None, reason="NumPy's BLAS has no threads that can be set")
def test_products_leave_numpys_number_of_threads_as_it_was() -> None:
    threads = blas.threads_of("numpy")
    assert threads is not None
    before = threads._get()
    x = np.ones((300, 300), np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(product(x, x), np.full((300, 300), 300.0))
        assert blas.dot(x[0], x[0]) == 300
        assert blas.dot(x, x[0])[0] == 300
    assert threads._get() == before


def test_a_fork_while_another_thread_is_inside() -> None:
    number = [3]
    threads = blas.Threads(lambda: number[0], lambda n: number.__setitem__(0, n))
    threads.__enter__()  # the other thread, which the child does not have
    threads._guard.acquire()
    threads.forget()  # what the child does
    assert number == [3]
    with threads:
        assert number == [1]
    assert number == [3]
