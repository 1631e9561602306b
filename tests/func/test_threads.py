"""Transforms in many threads at once: levels, modes and results belong to the thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import tensorplay as tp
from tensorplay.func import functionalize, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from tests.func.support import Array, array, normal


def f(x: tp.Tensor) -> tp.Tensor:
    """Some function with a write in it."""
    y = tp.sin(x) * tp.exp(x)
    y[0] = y[0] * y[1]
    return y


X = normal(4, 3)
T = normal(4, 3, seed=1)

JOBS: list[Callable[[], tp.Tensor]] = [
    lambda: vmap(f)(X),
    lambda: grad(lambda x: f(x).sum())(X),
    lambda: jvp(f, (X,), (T,))[1],
    lambda: vjp(f, X)[1](T)[0],
    lambda: vmap(grad(lambda x: f(x).sum()))(X),
    lambda: vmap(hessian(lambda x: f(x).sum()), chunk_size=2)(X),
    lambda: jacfwd(jacrev(f))(X[0]),
    lambda: linearize(functionalize(f), X)[1](T),
]


def test_eight_threads_agree_with_one() -> None:
    expected = [array(job()) for job in JOBS]
    barrier = threading.Barrier(len(JOBS))

    def work(job: Callable[[], tp.Tensor]) -> list[Array]:
        barrier.wait()
        return [array(job()) for _ in range(15)]

    with ThreadPoolExecutor(len(JOBS)) as pool:
        results = list(pool.map(work, JOBS))
    for got, e in zip(results, expected, strict=True):
        for g in got:
            np.testing.assert_array_equal(g, e)


def test_modes_belong_to_the_thread() -> None:
    inside, outside = threading.Event(), threading.Event()

    def other() -> bool:
        inside.wait(10)
        x = tp.ones(2, requires_grad=True)
        recorded = (x * 2).requires_grad
        outside.set()
        return recorded

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(other)
        with tp.no_grad():
            inside.set()
            outside.wait(10)
        assert future.result()


def test_tasks_that_interleave() -> None:
    async def work(scale: float) -> Array:
        slope = grad(lambda x: (x**2).sum() * scale)
        rows = []
        for _ in range(5):
            rows.append(array(slope(X)))
            await asyncio.sleep(0)
        return np.stack(rows)

    async def together() -> list[Array]:
        return await asyncio.gather(*[work(float(scale)) for scale in range(1, 5)])

    for scale, rows in enumerate(asyncio.run(together()), 1):
        np.testing.assert_allclose(rows, np.stack([2 * scale * array(X)] * 5))


def test_backward_into_one_leaf_from_many_graphs() -> None:
    leaves = [X.clone().requires_grad_() for _ in range(8)]

    def work(leaf: tp.Tensor) -> Array:
        for _ in range(10):
            f(leaf * 1).sum().backward()
        return array(leaf.grad)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, leaves))
    slope = array(grad(lambda x: f(x).sum())(X))
    for got in results:
        np.testing.assert_allclose(got, 10 * slope, rtol=1e-12)
