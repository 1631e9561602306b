"""Transforms in many threads and tasks at once: levels, modes and results belong to the thread or task."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay import nn, tree
from tensorplay.core import modes, stack, writes
from tensorplay.func import (
    chunk_vmap,
    debug_unwrap,
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_graph,
    rearrange,
    replace_all_batch_norm_modules_,
    stack_module_state,
    vjp,
    vmap,
)
from tests.func.support import Array, array, normal

THREADS = 8


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    """What can go wrong between two steps of a thread has many chances to do so."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """Results of some work in threads that start together."""
    barrier = threading.Barrier(count)

    def started(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(started, range(count)))


def f(x: tp.Tensor) -> tp.Tensor:
    """Some function with writes in it."""
    y = tp.sin(x) * tp.exp(x)
    y[0] = y[0] * y[1]
    y.mul_(2)
    return y


def total(x: tp.Tensor) -> tp.Tensor:
    return f(x).sum()


X, T = normal(4, 3), normal(4, 3, seed=1)

with tp.random.fork_rng():
    tp.manual_seed(0)
    NET = replace_all_batch_norm_modules_(
        nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(), nn.Linear(4, 2))
    ).double()
    MODELS = [nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).double() for _ in range(3)]
    ATTENTION = nn.MultiheadAttention(4, 2, dropout=0.2, batch_first=True).double()
    RECURRENT = nn.LSTM(3, 4, 2, batch_first=True, dropout=0.3).double()
STATE = {name: tensor.detach() for name, tensor in NET.named_parameters()}


def loss(state: Any, x: tp.Tensor) -> tp.Tensor:
    return (functional_call(NET, state, (x,)) ** 2).mean()


def ensemble() -> Any:
    params, buffers = stack_module_state(MODELS)
    out = vmap(lambda p, b: functional_call(MODELS[0], (p, b), (X,)), randomness="same")(params, buffers)
    return [out, *buffers.values()]


def seen() -> tp.Tensor:
    """What `debug_unwrap` shows of each sample."""
    shown = []
    vmap(lambda x: shown.append(debug_unwrap(x * 2, sample=1)) or x)(X)
    return shown[0]


def backward() -> Any:
    leaf = X.clone().requires_grad_()
    total(leaf * 1).backward()
    return leaf.grad


def attended() -> tp.Tensor:
    x = normal(3, 5, 4)
    return vmap(lambda s: ATTENTION(s, s, s)[0], randomness="different", chunk_size=2)(x)


# every transform, on tensors and modules that all threads share; seeded, where something is random
JOBS: dict[str, Callable[[], Any]] = {
    "vmap": lambda: vmap(f)(X),
    "vmap in chunks": lambda: vmap(f, chunk_size=3, in_dims=1, out_dims=1)(X),
    "chunk_vmap": lambda: chunk_vmap(f, chunks=3)(X),
    "grad": lambda: grad(total)(X),
    "grad_and_value": lambda: grad_and_value(total)(X),
    "vjp": lambda: vjp(f, X)[1](T)[0],
    "jvp": lambda: jvp(f, (X,), (T,)),
    "jacrev": lambda: jacrev(f, chunk_size=5)(X),
    "jacfwd": lambda: jacfwd(f)(X),
    "hessian": lambda: vmap(hessian(total), chunk_size=2)(X),
    "linearize": lambda: vmap(linearize(f, X)[1])(tp.stack([T, X])),
    "functionalize": lambda: linearize(functionalize(f), X)[1](T),
    "make_graph": lambda: make_graph(f)(X)(T),
    "rearrange": lambda: vmap(lambda x: rearrange(x, "(a b) c -> b (c a)", a=2))(normal(2, 4, 3)),
    "functional_call": lambda: vmap(grad(loss), in_dims=(None, 0), randomness="different")(
        STATE, X.unsqueeze(1).expand(4, 5, 3)
    ),
    "stack_module_state": ensemble,
    "debug_unwrap": seen,
    "backward": backward,
    "perturbations": lambda: jacfwd(jacrev(lambda x: grad(lambda y: (x[0] * y).sum())(x) * x))(X[0]),
    "random": lambda: vmap(lambda x: F.dropout(x) + tp.rand(3), randomness="same", chunk_size=2)(X),
    "attention": attended,
    "recurrent": lambda: jvp(lambda x: RECURRENT(x)[0], (normal(2, 5, 3),), (normal(2, 5, 3, seed=1),)),
    "einsum": lambda: vmap(lambda a, b: tp.einsum("ij,kj,k->i", a, b, a[:, 0]))(
        normal(2, 3, 3), normal(2, 3, 3, seed=1)
    ),
}


def result_of(job: Callable[[], Any], seed: int = 5) -> list[Array]:
    """Arrays that a job gives, with random numbers from a seed."""
    with tp.random.fork_rng():
        tp.manual_seed(seed)
        return [array(leaf).copy() for leaf in tree.flatten(job())[0]]


def assert_bitwise(got: list[Array], expected: list[Array]) -> None:
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", JOBS)
def test_eight_threads_at_one_job(name: str) -> None:
    expected = result_of(JOBS[name])
    for results in in_threads(lambda _: [result_of(JOBS[name]) for _ in range(4)]):
        for result in results:
            assert_bitwise(result, expected)


def test_eight_threads_at_all_jobs_in_turn() -> None:
    expected = {name: result_of(job) for name, job in JOBS.items()}
    names = list(JOBS)

    def work(number: int) -> dict[str, list[Array]]:
        order = names[3 * number :] + names[: 3 * number]
        return {name: result_of(JOBS[name]) for name in order}

    for results in in_threads(work):
        for name in names:
            assert_bitwise(results[name], expected[name])


def test_modules_are_as_they_were() -> None:
    before = {name: array(tensor).copy() for name, tensor in NET.state_dict().items()}
    in_threads(lambda _: [result_of(JOBS[name]) for name in ("functional_call", "stack_module_state")])
    for name, tensor in NET.state_dict().items():
        np.testing.assert_array_equal(array(tensor), before[name])
    for model in MODELS:
        assert int(model[1].num_batches_tracked) == 0


def test_one_module_with_other_parameters_in_each_thread() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).double()

    def work(number: int) -> list[Array]:
        scale = float(number + 1)
        state = {name: tp.full_like(tensor, scale) for name, tensor in [*net.named_parameters(), *net.named_buffers()]}
        out = [functional_call(net, state, (X,)) for _ in range(5)]
        return [array(tensor) for tensor in (*out, *state.values())]

    expected = [work(number) for number in range(THREADS)]
    for got, wanted in zip(in_threads(work), expected, strict=True):
        assert_bitwise(got, wanted)
    assert int(net[1].num_batches_tracked) == 0


FIRST_USE = """
import hashlib, sys, threading
import numpy as np
import tensorplay as tp
from tensorplay import nn, tree
from tests.func.test_threads import JOBS, result_of
sys.setswitchinterval(1e-6)
count = int(sys.argv[1])
barrier, sums = threading.Barrier(count), []
def work():
    barrier.wait()
    arrays = [a for job in JOBS.values() for a in result_of(job)]
    x = np.linspace(0.1, 0.9, 6).reshape(2, 3)
    more = [tp.special.gammaln(tp.tensor(x)), tp.linalg.matrix_exp(tp.tensor(x @ x.T)), tp.fft.fft(tp.tensor(x)),
            tp.cumsum(tp.tensor(x), 1), tp.linalg.solve_triangular(tp.tensor(x @ x.T), tp.tensor(x), upper=True)]
    arrays += [tensor.numpy() for tensor in more]
    sums.append(hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest())
threads = [threading.Thread(target=work) for _ in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(sums) == count
print(*sorted(set(sums)))
"""


def test_first_uses_at_once() -> None:
    """Whatever is imported, registered or cached when it is first used: eight threads use it first together."""
    root = Path(__file__).parents[2]
    paths = [str(Path(tp.__file__).parents[1]), str(root), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run(count: int) -> str:
        command = [sys.executable, "-c", FIRST_USE, str(count)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    assert run(THREADS) == run(1)


def test_dataclasses_seen_first_by_many_threads() -> None:
    for _ in range(30):

        @dataclasses.dataclass
        class Pair:
            a: Any
            b: Any

        slopes = in_threads(lambda _, cls=Pair: grad(lambda p: (p.a * p.b).sum())(cls(X, T)))
        for slope in slopes:
            np.testing.assert_array_equal(array(slope.a), array(T))


# ---- what is shared --------------------------------------------------------------------------------------------------


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


def test_gradients_add_up_in_a_leaf_that_threads_share() -> None:
    leaf = X.clone().requires_grad_()
    in_threads(lambda _: [(leaf * 2).sum().backward() for _ in range(25)])
    np.testing.assert_array_equal(array(leaf.grad), np.full((4, 3), 2.0 * 25 * THREADS))


def test_one_graph_is_pulled_by_many_threads() -> None:
    _, pull = vjp(f, X)
    _, push = linearize(f, X)
    expected = [pull(T)[0], push(T), vmap(push)(tp.stack([T, X]))]
    results = in_threads(lambda _: [pull(T)[0], push(T), vmap(push)(tp.stack([T, X]))])
    for result in results:
        assert_bitwise([array(r) for r in result], [array(e) for e in expected])


def test_views_that_are_stale_are_read_by_many_threads() -> None:
    def mapped(x: tp.Tensor) -> tp.Tensor:
        y = x * 1
        views = [y[0], y[1:], y.reshape(-1)[1:3]]
        y.mul_(3)
        y[0] = 7 * x[1]
        context = [contextvars.copy_context() for _ in range(THREADS)]
        sums = in_threads(lambda i: context[i].run(lambda: [float(debug_unwrap(v).sum()) for v in views]))
        assert all(s == sums[0] for s in sums)
        return sum(v.sum() for v in views)

    x = normal(3, 4)
    expected = [7 * r[1] + 3 * r[1:].sum() + 3 * r[1:3].sum() for r in array(x)]
    np.testing.assert_allclose(array(vmap(mapped)(x)), expected)


def test_the_clock_of_writes_never_goes_back() -> None:
    """A value that was saved after a write is never taken for one that was written later."""

    def work(_: int) -> bool:
        mine = [tp.zeros(2) for _ in range(20)]
        times = []
        for tensor in mine:
            tensor.add_(1.0)
            times.append(writes.latest)
            leaf = tensor.clone().requires_grad_()
            saved = leaf * tensor
            saved.sum().backward()
        return times == sorted(times)

    before = writes.latest
    assert all(in_threads(work))
    assert writes.latest >= before + 20 * THREADS


# ---- random numbers --------------------------------------------------------------------------------------------------


def test_threads_draw_from_the_default_stream_one_at_a_time() -> None:
    tp.manual_seed(9)
    alone = tp.rand(THREADS * 100, 4).numpy()
    tp.manual_seed(9)
    drawn = np.concatenate(in_threads(lambda _: np.stack([tp.rand(4).numpy() for _ in range(100)])))
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, alone))


def test_chunks_draw_the_same_while_other_threads_draw() -> None:
    def work(number: int) -> Any:
        if number % 2:
            return np.concatenate([tp.rand(3).numpy() for _ in range(200)])
        rows = [
            vmap(lambda x: x + tp.rand(3), randomness="same", chunk_size=1)(tp.zeros(8, 3)).numpy() for _ in range(25)
        ]
        for drawn in rows:
            np.testing.assert_array_equal(drawn, np.broadcast_to(drawn[0], drawn.shape))
        return np.concatenate([drawn[0] for drawn in rows])

    drawn = np.concatenate(in_threads(work))
    assert len(np.unique(drawn)) > len(drawn) - 5, "a number was drawn twice"


def test_forks_and_generators_make_threads_reproducible() -> None:
    def forked(number: int) -> list[Array]:
        with tp.random.fork_rng():
            tp.manual_seed(number)
            return [array(vmap(lambda x: tp.randn(3) + x, randomness="different")(X)) for _ in range(5)]

    def own(number: int) -> list[Array]:
        g = tp.Generator().manual_seed(number)
        return [tp.randn(3, generator=g).numpy() for _ in range(20)]

    state = tp.get_rng_state()
    for work in (forked, own):
        expected = [work(number) for number in range(THREADS)]
        for got, wanted in zip(in_threads(work), expected, strict=True):
            assert_bitwise(got, wanted)
    assert tp.equal(tp.get_rng_state(), state)


# ---- tasks -----------------------------------------------------------------------------------------------------------


def test_tasks_that_interleave() -> None:
    net = nn.BatchNorm1d(3).double()
    outer = vjp(f, X)[1]

    async def work(number: int) -> list[Array]:
        found = []
        with tp.random.fork_rng():
            tp.manual_seed(number)
            for _ in range(3):
                with tp.no_grad() if number % 2 else tp.enable_grad():
                    await asyncio.sleep(0)
                    recorded = (tp.ones(2, requires_grad=True) * 2).requires_grad
                    assert recorded == (number % 2 == 0)
                    slope = grad(lambda x: (x**2).sum() * number)(X)
                await asyncio.sleep(0)
                state = {name: b.clone() + number for name, b in net.named_buffers()}
                drawn = vmap(lambda x: x + tp.rand(3), randomness="different", chunk_size=3)(X)
                await asyncio.sleep(0)
                out = functional_call(net, state, (X,))
                found += [array(t) for t in (slope, drawn, out, outer(T)[0], *state.values())]
        return found

    async def together() -> list[list[Array]]:
        return await asyncio.gather(*[work(number) for number in range(4)])

    results = asyncio.run(together())
    for number, result in enumerate(results):
        assert_bitwise(result, asyncio.run(work(number)))


def test_a_task_that_outlives_the_map_that_started_it() -> None:
    """It finds the map among the active transforms, but that is over."""

    async def later(gate: asyncio.Event) -> list[Any]:
        await gate.wait()
        buffer = tp.zeros(2)
        buffer.add_(1.0)
        overflow = tp.exp(tp.tensor(1000.0))  # with no warning
        return [tp.rand(2).shape, grad(total)(X), vmap(f)(X), buffer, overflow, tp.is_grad_enabled()]

    async def main() -> None:
        gate, tasks = asyncio.Event(), []

        def starts(x: tp.Tensor) -> tp.Tensor:
            tasks.append(asyncio.create_task(later(gate)))
            return x * 2

        vmap(starts)(X)
        grad(lambda x: starts(x).sum())(X)
        jvp(starts, (X,), (T,))
        gate.set()
        for shape, slope, mapped, buffer, overflow, recording in await asyncio.gather(*tasks):
            assert shape == (2,)
            assert_bitwise([array(slope), array(mapped)], [array(grad(total)(X)), array(vmap(f)(X))])
            assert buffer.tolist() == [1, 1]
            assert float(overflow) == float("inf")
            assert recording

    asyncio.run(main())
    assert stack.active() == ()
    assert modes.paused_level.get() == modes.ALL_RECORD


def test_threads_that_inherit_the_context() -> None:
    """As free-threaded Python lets them: what is traced can be used there, while the transform runs."""

    def mapped(x: tp.Tensor) -> tp.Tensor:
        contexts = [contextvars.copy_context() for _ in range(THREADS)]
        parts = in_threads(lambda i: contexts[i].run(lambda: grad(lambda y: (y**3).sum())(x * i)))
        return tp.stack(parts).sum(0)

    x = normal(3, 4)
    np.testing.assert_allclose(
        array(vmap(mapped)(x)), 3 * array(x) ** 2 * sum(i * i for i in range(THREADS)), rtol=1e-12
    )
