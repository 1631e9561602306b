"""Chunks that executors work on: the same results, writes and random numbers, whoever works; errors that say where."""

from __future__ import annotations

import dataclasses
import gc
import glob
import multiprocessing
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay import nn
from tensorplay.core import stack
from tensorplay.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, shipping, vmap
from tests.func.support import AtOnce, array, close, double, normal

X, W = array(normal(10, 3)), array(normal(3, seed=1))


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    """Two processes that start from nothing."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    """Two threads."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(params=["threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Any:
    """Each kind of workers."""
    return request.getfixturevalue(request.param)


def f(row: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    return (row * w).sin()


# ---- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk_size", [1, 3, 10, 20])
def test_vmap_is_the_loop(executor: Executor, chunk_size: int) -> None:
    mapped = vmap(f, (0, None), chunk_size=chunk_size, executor=executor)
    close(mapped(double(X), double(W)), np.sin(X * W))


def test_dims_trees_and_closures(executor: Executor) -> None:
    shift = double(W)

    def g(sample: dict[str, Any], *, scale: Any) -> Any:
        a = sample["a"] + shift
        return {"rows": a * scale, "sum": a.sum(), "shift": shift * 1}, sample["b"]

    out_dims = ({"rows": 1, "sum": 0, "shift": None}, None)
    mapped = vmap(g, ({"a": -1, "b": None},), out_dims, chunk_size=4, executor=executor)
    out, b = mapped({"a": double(X.T), "b": "a word"}, scale=double(3.0))
    close(out["rows"], (X + W).T * 3)
    close(out["sum"], (X + W).sum(1))
    close(out["shift"], W)
    assert b == "a word"


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5),
        np.array([True, False, True]),
        np.array([1 + 2j, np.nan, np.inf], np.complex128),
        np.array([[np.nan, -np.inf], [0.0, -0.0]], np.float32),
        np.zeros((0, 3)),
        np.zeros((4, 0)),
        np.arange(24.0).reshape(4, 6)[::-2, ::3],
    ],
)
def test_elements_come_back_as_they_are(executor: Executor, values: np.ndarray[Any, Any]) -> None:
    got = vmap(lambda row: row, chunk_size=2, executor=executor)(tp.from_numpy(values.copy()))
    assert array(got).dtype == values.dtype
    np.testing.assert_array_equal(array(got), values)


@dataclasses.dataclass
class Pair:
    """A container that a process meets first in what it is sent."""

    a: Any
    b: Any


def test_dataclasses(executor: Executor) -> None:
    mapped = vmap(lambda p: Pair(p.b, p.a * 2), (Pair(0, None),), Pair(None, 0), chunk_size=3, executor=executor)
    out = mapped(Pair(double(X), double(W)))
    assert type(out) is Pair
    close(out.a, W)
    close(out.b, 2 * X)


def test_per_sample_gradients(executor: Executor) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to(tp.float64)
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params: Any, row: tp.Tensor) -> tp.Tensor:
        return functional_call(model, params, (row,)).sum()

    mapped = vmap(grad(loss), (None, 0), chunk_size=3, executor=executor)(params, double(X))
    w1, b1, w2 = [array(params[name]) for name in ("0.weight", "0.bias", "2.weight")]
    inner = 1 - np.tanh(X @ w1.T + b1) ** 2
    close(mapped["0.weight"], (w2 * inner)[:, :, None] * X[:, None, :])
    close(mapped["2.bias"], np.ones((10, 1)))


def test_jacobians(executor: Executor) -> None:
    def g(x: tp.Tensor, y: tp.Tensor) -> Any:
        return {"a": (x * y).sin(), "b": x.sum()}, x

    x, y = double(W), double(W + 1)
    options: Any = {"has_aux": True, "chunk_size": 2, "executor": executor}
    for jacobian in (jacrev, jacfwd):
        result, aux = jacobian(g, (0, 1), **options)(x, y)
        slope = np.cos(W * (W + 1))
        close(result["a"][0], np.diag(slope * (W + 1)))
        close(result["a"][1], np.diag(slope * W))
        close(result["b"][0], np.ones(3))
        close(result["b"][1], np.zeros(3))
        close(aux, W)


def test_hessian(executor: Executor) -> None:
    matrix = array(normal(3, 3))
    h = hessian(lambda x: (x @ double(matrix) @ x) + (x**3).sum(), chunk_size=2, executor=executor)(double(W))
    close(h, matrix + matrix.T + np.diag(6 * W))
    blocks = hessian(lambda p: (p["a"] * p["b"]).sum(), chunk_size=1, executor=executor)(
        {"a": double(W), "b": double(W)}
    )
    close(blocks["a"]["b"], np.eye(3))
    close(blocks["a"]["a"], np.zeros((3, 3)))


def test_a_function_is_recorded_once_in_each_process(processes: Executor, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def noted(x: tp.Tensor) -> tp.Tensor:
        with open(f"{folder}/{os.getpid()}", "a") as file:
            file.write("x")
        return x.sin()

    close(jacrev(noted, chunk_size=1, executor=processes)(double(X[:, 0])), np.diag(np.cos(X[:, 0])))
    runs = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert set(runs.values()) == {"x"}
    assert str(os.getpid()) in runs


def test_threads_share_one_record(threads: Executor) -> None:
    runs = []

    def noted(x: tp.Tensor) -> tp.Tensor:
        runs.append(threading.get_ident())
        return x.sin()

    close(jacfwd(noted, chunk_size=1, executor=threads)(double(W)), np.diag(np.cos(W)))
    assert runs == [threading.get_ident()]


# ---- writes ----------------------------------------------------------------------------------------------------------


def test_writes_to_mapped_arguments_reach_the_caller(executor: Executor) -> None:
    x = double(X)
    whole = tp.stack([x, x], 1)

    def g(row: tp.Tensor) -> tp.Tensor:
        row.mul_(2)
        row[0] = 7
        return row.sum()

    sums = vmap(g, chunk_size=4, executor=executor)(whole[:, 1])
    expected = 2 * X
    expected[:, 0] = 7
    close(sums, expected.sum(1))
    close(whole[:, 1], expected)
    close(whole[:, 0], X)


@pytest.mark.parametrize("write", [lambda w: w.add_(1), lambda w: w.zero_(), lambda w: w.__setitem__(0, 5.0)])
def test_writes_to_what_all_share_are_refused(executor: Executor, write: Callable[[Any], Any]) -> None:
    def g(row: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
        write(w)
        return row * w

    w = double(W)
    with pytest.raises(RuntimeError, match="memory of this tensor is read-only"):
        vmap(g, (0, None), chunk_size=4, executor=executor)(double(X), w)
    close(w, W)
    close(vmap(f, (0, None), chunk_size=4, executor=executor)(double(X), w), np.sin(X * W))


def test_writes_to_arguments_that_overlap_are_refused(executor: Executor) -> None:
    x = double(X)
    with pytest.raises(RuntimeError, match="whose memory another argument shares"):
        vmap(lambda a, b: a.add_(b), chunk_size=4, executor=executor)(x, x)
    close(x, X)


# ---- random numbers --------------------------------------------------------------------------------------------------


def draws(executor: Executor | None, randomness: str, chunk_size: int = 3) -> list[Any]:
    """Numbers of the default stream and of a generator, by two calls, and what comes after."""
    generator = tp.Generator().manual_seed(5)
    tp.manual_seed(1)

    def g(row: tp.Tensor) -> Any:
        return tp.rand(2), tp.randn(3, generator=generator), F.dropout(row)

    mapped = vmap(g, randomness=randomness, chunk_size=chunk_size, executor=executor)
    x = tp.ones(10, 3)
    return [array(a) for a in (*mapped(x), *mapped(x), tp.rand(3), tp.rand(3, generator=generator))]


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_draws_depend_on_no_worker(threads: Executor, processes: Executor, randomness: str) -> None:
    expected = draws(AtOnce(pickled=False), randomness)
    with ThreadPoolExecutor(5) as many:
        for executor in (threads, many, processes, AtOnce()):
            for got, wanted in zip(draws(executor, randomness), expected, strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_same_draws_are_those_of_one_run_and_different_ones_differ(threads: Executor) -> None:
    for got, wanted in zip(draws(threads, "same")[:3], draws(None, "same")[:3], strict=True):
        np.testing.assert_array_equal(got, wanted)
    uniform, gaussian, _, uniform_again, gaussian_again, _, after, after_generator = draws(threads, "different")
    everything = np.concatenate([uniform.ravel(), uniform_again.ravel(), after])
    assert len(np.unique(everything)) == everything.size
    everything = np.concatenate([gaussian.ravel(), gaussian_again.ravel(), after_generator])
    assert len(np.unique(everything)) == everything.size


def test_moments_of_draws_in_chunks(threads: Executor) -> None:
    x = vmap(lambda row: tp.randn(()), randomness="different", chunk_size=50, executor=threads)(tp.zeros(20_000))
    numbers = array(x)
    assert abs(numbers.mean()) < 5 / np.sqrt(20_000)
    assert abs(numbers.var() - 1) < 5 * np.sqrt(2 / 20_000)
    chunks = numbers.reshape(400, 50)
    assert abs((chunks[1:] * chunks[:-1]).mean()) < 5 / np.sqrt(20_000)


def test_jacobians_draw_what_one_run_draws(executor: Executor) -> None:
    generator = tp.Generator()

    def g(x: tp.Tensor) -> tp.Tensor:
        return F.dropout(x) * tp.rand(40) + x * tp.rand(40, generator=generator)

    x = double(np.ones(40))
    results = []
    for options in ({}, {"chunk_size": 7, "executor": executor}):
        tp.manual_seed(3)
        generator.manual_seed(4)
        results.append([jacrev(g, **options)(x), jacfwd(g, **options)(x), tp.rand(2), tp.rand(2, generator=generator)])
    for got, wanted in zip(*results, strict=True):
        np.testing.assert_array_equal(array(got), array(wanted))


def test_forks_inside_and_around(threads: Executor) -> None:
    def g(row: tp.Tensor) -> Any:
        with tp.random.fork_rng():
            first = tp.rand(())
        return first, tp.rand(()), tp.Generator().manual_seed(2).get_state()[0]

    with tp.random.fork_rng():
        tp.manual_seed(8)
        first, again, _ = vmap(g, randomness="different", chunk_size=2, executor=threads)(tp.ones(6))
    np.testing.assert_array_equal(array(first), array(again))
    assert len(np.unique(array(first))) == 6
    tp.manual_seed(0)
    expected = array(tp.rand(2))
    tp.manual_seed(0)
    with tp.random.fork_rng():
        vmap(g, randomness="different", chunk_size=2, executor=threads)(tp.ones(6))
    np.testing.assert_array_equal(array(tp.rand(2)), expected)


# ---- other transforms around, modes ----------------------------------------------------------------------------------


def test_transforms_go_through_threads(threads: Executor) -> None:
    x, w = double(X), double(W)

    def total(w: tp.Tensor) -> tp.Tensor:
        return vmap(f, (0, None), chunk_size=3, executor=threads)(x, w).sum()

    close(grad(total)(w), (np.cos(X * W) * X).sum(0))
    close(jvp(total, (w,), (double(np.ones(3)),))[1], (np.cos(X * W) * X).sum())
    close(hessian(total)(w), np.diag((-np.sin(X * W) * X**2).sum(0)))
    outer = vmap(lambda w: vmap(f, (0, None), chunk_size=3, executor=threads)(x, w))
    close(outer(double(np.stack([W, 2 * W]))), np.stack([np.sin(X * W), np.sin(2 * X * W)]))
    leaf = double(W).requires_grad_()
    total(leaf).backward()
    close(leaf.grad, (np.cos(X * W) * X).sum(0))
    inner = jacrev(lambda w: jacrev(lambda v: v**3, chunk_size=1, executor=threads)(w).sum(0))
    close(inner(w), np.diag(6 * W))


def test_traced_tensors_do_not_leave_the_process(processes: Executor) -> None:
    x, w = double(X), double(W)
    message = r"^vmap\(f, in_dims=\(0, None\)\): .* traced by grad\(<lambda>\).*outermost transform, or use threads"
    with pytest.raises(RuntimeError, match=message):
        grad(lambda w: vmap(f, (0, None), chunk_size=3, executor=processes)(x, w).sum())(w)
    with pytest.raises(RuntimeError, match=r"^vmap\(<lambda>\): .* traced by grad"):
        grad(lambda w: vmap(lambda row: f(row, w), chunk_size=3, executor=processes)(x).sum())(w)
    with pytest.raises(RuntimeError, match=r"^vmap\(sin\): .* traced by vmap\(<lambda>\)"):
        vmap(lambda r: vmap(tp.sin, chunk_size=3, executor=processes)(r))(x)
    with pytest.raises(RuntimeError, match=r"^vmap\(sin\): .* requires grad and was computed from others"):
        vmap(tp.sin, chunk_size=3, executor=processes)(x.requires_grad_() * 2)


def test_graphs_do_not_leave_the_process(processes: Executor) -> None:
    w = double(W).requires_grad_()
    mapped = vmap(f, (0, None), chunk_size=3, executor=processes)
    with pytest.raises(RuntimeError, match=r"a result requires grad.*no_grad"):
        mapped(double(X), w)
    with tp.no_grad():
        out = mapped(double(X), w)
    assert not out.requires_grad
    close(out, np.sin(X * W))


def test_no_grad_and_default_dtype_hold_in_workers(executor: Executor) -> None:
    tp.set_default_dtype(tp.float64)
    try:
        out = vmap(lambda row: row + tp.ones(3), chunk_size=4, executor=executor)(tp.zeros(6, 3, dtype=tp.int64))
    finally:
        tp.set_default_dtype(tp.float32)
    assert out.dtype is tp.float64
    assert vmap(lambda row: row + tp.ones(3), chunk_size=4, executor=executor)(tp.zeros(6, 3)).dtype is tp.float32


class Mapped(nn.Module):
    """Maps inside of its forward, by the executor that stands here."""

    executor: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(double(np.zeros(3)))

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return vmap(lambda row: row * self.w, chunk_size=4, executor=Mapped.executor)(x)


def test_functional_call_around(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mapped, "executor", executor)
    module = Mapped()
    close(functional_call(module, {"w": double(W)}, (double(X),)), X * W)
    close(module.w, np.zeros(3))


# ---- what is sent ----------------------------------------------------------------------------------------------------


def test_what_all_share_is_sent_once() -> None:
    shared = double(np.ones((300, 300)))
    executor = AtOnce()
    before = set(glob.glob(tempfile.gettempdir() + "/tensorplay-*"))
    out = vmap(lambda row, w: (row * w).sum(), (0, None), chunk_size=1, executor=executor)(double(X[:, 0]), shared)
    close(out, X[:, 0] * 90_000)
    assert len(executor.sizes) == 10
    assert max(executor.sizes) < 2000
    assert set(glob.glob(tempfile.gettempdir() + "/tensorplay-*")) <= before


def test_a_worker_elsewhere_is_sent_what_it_cannot_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "_read", lambda path: None)
    shared = double(np.ones((300, 300)))
    executor = AtOnce()
    mapped = vmap(lambda row, w: (row * w).sum() + 1, (0, None), chunk_size=5, executor=executor)
    close(mapped(double(X[:, 0]), shared), X[:, 0] * 90_000 + 1)
    assert [size > 300 * 300 * 8 for size in executor.sizes].count(True) == 2  # both chunks had left before
    executor.sizes.clear()
    close(mapped(double(X[:, 0]), shared), X[:, 0] * 90_000 + 1)
    assert max(executor.sizes) < 2000, "the same content is known by now"


def test_workers_keep_few_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        vmap(lambda row, number=number: row * number, chunk_size=5, executor=AtOnce())(double(X))
    assert len(shipping._jobs) == shipping.KEPT


class Counting(Executor):
    """Threads that note how many tasks are under way, and how many were cancelled."""

    def __init__(self) -> None:
        self._max_workers = 3
        self._pool = ThreadPoolExecutor(3)
        self._open = self.most = self.cancelled = 0
        self._lock = threading.Lock()

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        with self._lock:
            self._open += 1
            self.most = max(self.most, self._open)
        future = self._pool.submit(task)
        result = future.result

        def received(timeout: float | None = None) -> Any:
            with self._lock:
                self._open -= 1
            return result(timeout)

        def cancel() -> bool:
            self.cancelled += 1
            return Future.cancel(future)

        future.result, future.cancel = received, cancel  # type: ignore[method-assign]
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait)


def test_only_a_window_is_under_way() -> None:
    with Counting() as executor:
        close(vmap(tp.sin, chunk_size=1, executor=executor)(double(X[:, 0])), np.sin(X[:, 0]))
        assert executor.most == 6
        assert executor.cancelled == 0


# ---- what goes wrong -------------------------------------------------------------------------------------------------


def test_errors_keep_their_type_and_name_the_chunk(executor: Executor) -> None:
    def g(row: tp.Tensor, limit: Any) -> tp.Tensor:
        raise LookupError("nothing here")

    with pytest.raises(LookupError, match="nothing here") as caught:
        vmap(g, (0, None), chunk_size=4, executor=executor)(double(X), 3)
    assert "This was in chunk 0 (samples 0 to 3) of vmap(g, in_dims=(0, None))." in caught.value.__notes__


def test_an_error_in_a_later_chunk(executor: Executor) -> None:
    folder = tempfile.mkdtemp()

    def g(row: tp.Tensor) -> tp.Tensor:
        if len(os.listdir(folder)) < 2:
            tempfile.mkstemp(dir=folder)
            return row
        raise LookupError("too many")

    with ThreadPoolExecutor(1) as one, pytest.raises(LookupError) as caught:
        vmap(g, chunk_size=3, executor=one)(double(X))
    assert caught.value.__notes__ == ["This was in chunk 2 (samples 6 to 8) of vmap(g)."]


def test_a_worker_that_dies_is_an_error_that_names_chunks() -> None:
    def g(row: tp.Tensor) -> tp.Tensor:
        os._exit(1)

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        message = (
            r"^vmap\(g\): a worker of the executor died while it worked on one from chunk 0 \(samples 0 to 3\) to "
            r"chunk 1 \(samples 4 to 7\)\. Make a new executor"
        )
        with pytest.raises(BrokenExecutor, match=message):
            vmap(g, chunk_size=4, executor=pool)(double(X))
        with pytest.raises(BrokenExecutor, match=r"died while it worked on chunk 0 \(rows 0 to 1\)"):
            jacrev(tp.sin, chunk_size=2, executor=pool)(double(W))
    assert stack.active() == ()


def test_what_cannot_be_sent(processes: Executor) -> None:
    lock = threading.Lock()

    def g(row: tp.Tensor) -> tp.Tensor:
        with lock:
            return row

    with pytest.raises(TypeError, match=r"^vmap\(g\): the function, .* cannot be sent to another process: .*lock"):
        vmap(g, chunk_size=4, executor=processes)(double(X))
    with pytest.raises(TypeError, match=r"^vmap\(<lambda>, out_dims=None\): a result cannot be sent"):
        vmap(lambda row: threading.Lock(), out_dims=None, chunk_size=4, executor=processes)(double(X))


def test_containers_that_workers_do_not_know() -> None:
    class Box:
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

    tp.register_pytree_node(Box, lambda box: ((box.a, box.b), None), lambda _, both: Box(*both))
    with (
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool,
        pytest.raises(RuntimeError, match="a class of containers is not registered there"),
    ):
        vmap(lambda box: box.a, chunk_size=4, executor=pool)(Box(double(X), double(X)))


def test_cloudpickle_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install cloudpickle"):
        vmap(tp.sin, chunk_size=4, executor=AtOnce())(double(X))
    close(vmap(tp.sin, chunk_size=4, executor=AtOnce(pickled=False))(double(X)), np.sin(X))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"executor": 3, "chunk_size": 2}, TypeError, "executor must have the methods of concurrent.futures.Executor"),
        (
            {"executor": AtOnce()},
            ValueError,
            "executor= gives out chunks, so chunk_size must say how large they are, got None",
        ),
        ({"progress": 3}, TypeError, "progress must be True for a bar, or a function"),
    ],
)
def test_arguments_are_checked(options: Any, error: type[Exception], message: str) -> None:
    for transform in (vmap, jacrev, jacfwd, hessian):
        with pytest.raises(error, match=rf"^{transform.__name__}\(sin\): {message}"):
            transform(tp.sin, **options)


# ---- interruption ----------------------------------------------------------------------------------------------------


def test_an_interruption_cancels_what_has_not_begun() -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    x = double(X)
    with Counting() as executor:
        with pytest.raises(KeyboardInterrupt):
            vmap(lambda row: row.add_(1), chunk_size=1, executor=executor, progress=stop)(x)
        assert executor.cancelled == 5
    close(x[2:], X[2:])
    close(x[:2], X[:2] + 1)
    assert stack.active() == ()
    gc.collect()


@pytest.mark.parametrize("kind", ["here", "threads", "pickled"])
def test_an_interruption_of_the_function_leaves_no_state(kind: str, threads: Executor) -> None:
    model = nn.BatchNorm1d(3, dtype=tp.float64).eval()
    calls = []

    def g(row: tp.Tensor) -> tp.Tensor:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        with tp.no_grad():
            return functional_call(model, {"weight": tp.zeros(3, dtype=tp.float64)}, (row[None],))[0] + tp.rand(3)

    executor = {"here": None, "threads": threads, "pickled": AtOnce(pickled=False)}[kind]
    with pytest.raises(KeyboardInterrupt):
        vmap(g, randomness="different", chunk_size=1, executor=executor)(double(X))
    assert stack.active() == ()
    close(model.weight, np.ones(3))
    tp.manual_seed(3)
    first = array(tp.rand(3))
    tp.manual_seed(3)
    np.testing.assert_array_equal(array(tp.rand(3)), first)
