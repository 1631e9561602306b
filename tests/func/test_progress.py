"""Progress of chunked transforms: what a function is told, and bars that are closed whatever happens."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
import tqdm.auto

import tensorplay as tp
from tensorplay.func import hessian, jacfwd, jacrev, progress, vmap
from tests.func.support import close, double, normal


class Told:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.steps.append((done, total))


def test_a_function_is_told_after_each_chunk() -> None:
    told = Told()
    close(vmap(tp.sin, chunk_size=4, progress=told)(normal(10)), np.sin(normal(10).numpy()))
    assert told.steps == [(4, 10), (8, 10), (10, 10)]


def test_without_chunks_there_is_one_step() -> None:
    for size in (5, 0):
        told = Told()
        assert vmap(tp.sin, progress=told)(tp.ones(size)).shape == (size,)
        assert told.steps == [(size, size)]


@pytest.mark.parametrize("transform", [jacrev, jacfwd, hessian])
def test_jacobians(transform: Any) -> None:
    told = Told()
    x = double([1.0, 2.0, 3.0])
    expected = np.diag([2.0, 2.0, 2.0]) if transform is hessian else np.diag([2.0, 4.0, 6.0])
    f = (lambda x: (x**2).sum()) if transform is hessian else (lambda x: x**2)
    close(transform(f, chunk_size=2, progress=told)(x), expected)
    assert told.steps == [(2, 3), (3, 3)]


def test_rows_of_all_outputs_count() -> None:
    told = Told()
    jacrev(lambda x: (x, x.sum()), chunk_size=2, progress=told)(tp.ones(3))
    assert told.steps == [(2, 4), (3, 4), (4, 4)]


class Bar:
    """Notes what is done to a bar of tqdm's."""

    made: ClassVar[list[Bar]] = []

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.done = 0
        self.closed = False
        Bar.made.append(self)

    def update(self, amount: int) -> None:
        self.done += amount

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    """The bars that are shown."""
    made: list[Bar] = []
    monkeypatch.setattr(Bar, "made", made)
    monkeypatch.setattr(progress.tqdm, "tqdm", Bar, raising=False)
    return made


def test_a_bar(bars: list[Bar]) -> None:
    vmap(tp.sin, chunk_size=4, progress=True)(tp.ones(10))
    (bar,) = bars
    assert bar.options == {"total": 10, "desc": "vmap(sin)", "unit": " samples"}
    assert bar.done == 10
    assert bar.closed


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_bar_is_closed_by_an_error(bars: list[Bar], error: type[BaseException]) -> None:
    calls = []

    def f(x: tp.Tensor) -> tp.Tensor:
        calls.append(x)
        if len(calls) == 2:
            raise error
        return x

    with pytest.raises(error):
        vmap(f, chunk_size=4, progress=True)(tp.ones(10))
    assert bars[0].done == 4
    assert bars[0].closed


def test_tqdm_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    vmap(tp.sin, chunk_size=4, progress=True)(tp.ones(10))
    shown = capsys.readouterr().err
    assert "vmap(sin): 100%" in shown
    assert "10/10" in shown
    assert not tqdm.auto.tqdm._instances


def test_tqdm_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"^vmap\(sin\): .*pip install tqdm.*a function"):
        vmap(tp.sin, progress=True)
    vmap(tp.sin, progress=False)


def test_off_by_default(bars: list[Bar], capsys: pytest.CaptureFixture[str]) -> None:
    vmap(tp.sin, chunk_size=4)(tp.ones(10))
    assert not bars
    assert capsys.readouterr() == ("", "")
