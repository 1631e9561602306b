"""Chunks on a Dask cluster of two processes, one of which is killed in the middle."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, jacfwd, jacrev, shipping, vmap
from tests.func.support import AtOnce, array, close, double, normal

X, W = array(normal(12, 3)), array(normal(3, seed=1))


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    """Two processes of one thread each."""
    options: dict[str, Any] = {"processes": True, "dashboard_address": ":0", "memory_limit": 0}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_vmap(client: distributed.Client) -> None:
    told: list[tuple[int, int]] = []
    mapped = vmap(
        lambda row, w: (row * w).sin(),
        (0, None),
        chunk_size=5,
        executor=client.get_executor(),
        progress=lambda *step: told.append(step),
    )
    close(mapped(double(X), double(W)), np.sin(X * W))
    assert told == [(5, 12), (10, 12), (12, 12)]


def test_jacobians(client: distributed.Client) -> None:
    executor = client.get_executor()
    close(jacrev(tp.sin, chunk_size=2, executor=executor)(double(W)), np.diag(np.cos(W)))
    close(jacfwd(tp.sin, chunk_size=2, executor=executor)(double(W)), np.diag(np.cos(W)))


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_draws_depend_on_no_worker(client: distributed.Client, randomness: str) -> None:
    results = []
    for executor in (client.get_executor(), AtOnce(pickled=False)):
        tp.manual_seed(4)
        mapped = vmap(lambda row: tp.rand(2), randomness=randomness, chunk_size=5, executor=executor)
        results.append([array(mapped(double(X))), array(tp.rand(2))])
    for got, wanted in zip(*results, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_what_all_share_is_scattered_to_each_worker_once(client: distributed.Client) -> None:
    shared = double(np.full((200, 200), 2.0))
    mapped = vmap(lambda row, w: (row[0] * w).sum(), (0, None), chunk_size=1, executor=client.get_executor())
    close(mapped(double(X), shared), X[:, 0] * 80_000)
    kept = client.run(lambda: len(shipping._jobs))
    assert len(kept) == 2
    assert all(0 < count <= shipping.KEPT for count in kept.values())


def test_errors_name_the_chunk(client: distributed.Client) -> None:
    def f(row: tp.Tensor) -> tp.Tensor:
        raise LookupError("nothing here")

    with pytest.raises(LookupError, match="nothing here") as caught:
        vmap(f, chunk_size=5, executor=client.get_executor())(double(X))
    assert "This was in chunk 0 (samples 0 to 4) of vmap(f)." in caught.value.__notes__
    with pytest.raises(RuntimeError, match=r"traced by grad\(<lambda>\)"):
        grad(lambda w: vmap(lambda row: row * w, chunk_size=5, executor=client.get_executor())(double(X)).sum())(
            double(W)
        )
    with pytest.raises(TypeError, match=r"executor is a Client; pass what its get_executor\(\) returns"):
        vmap(f, chunk_size=5, executor=client)


def test_a_worker_that_is_killed_is_replaced(client: distributed.Client, tmp_path: Path) -> None:
    note = tmp_path / "killed"

    def f(row: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
        try:
            note.touch(exist_ok=False)
        except FileExistsError:
            return row * w
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
        raise AssertionError("it lives")

    close(vmap(f, (0, None), chunk_size=1, executor=client.get_executor())(double(X), double(W)), X * W)
    assert note.exists()


def test_a_task_that_kills_every_worker_is_an_error_that_names_the_chunk(client: distributed.Client) -> None:
    def f(row: tp.Tensor) -> tp.Tensor:
        os._exit(1)

    with pytest.raises(distributed.KilledWorker) as caught:
        vmap(f, chunk_size=12, executor=client.get_executor())(double(X))
    assert "This was in chunk 0 (samples 0 to 11) of vmap(f)." in caught.value.__notes__
