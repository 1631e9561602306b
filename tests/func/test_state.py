"""Whatever happens inside a transform, no level, mode or memory stays behind, and the next call works."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core import modes, stack
from tensorplay.func import (
    chunk_vmap,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_graph,
    vjp,
    vmap,
)
from tensorplay.tensor.handle import held_back
from tests.func.support import array, close, double, normal

Call = Callable[[Callable[..., Any], tp.Tensor], Any]

CALLS: dict[str, Call] = {
    "vmap": lambda f, x: vmap(f)(x),
    "chunk_vmap": lambda f, x: chunk_vmap(f, chunks=2)(x),
    "vmap_in_chunks": lambda f, x: vmap(f, chunk_size=2)(x),
    "grad": lambda f, x: grad(lambda a: f(a).sum())(x),
    "grad_and_value": lambda f, x: grad_and_value(lambda a: f(a).sum())(x),
    "vjp": lambda f, x: vjp(f, x)[1](x),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "jacrev": lambda f, x: jacrev(f)(x),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "hessian": lambda f, x: hessian(f)(x),
    "linearize": lambda f, x: linearize(f, x)[1](x),
    "functionalize": lambda f, x: functionalize(f)(x),
    "make_graph": lambda f, x: make_graph(f)(x),
}
EACH = pytest.mark.parametrize("name", CALLS)
X = normal(3, 2)


class Stop(Exception):
    """Raised inside transforms."""


def assert_clean() -> None:
    """No level is active, no mode is set."""
    assert stack.active() == ()
    assert stack.top_level() == 0
    assert modes.paused_level.get() == modes.ALL_RECORD
    assert held_back.get() is None
    assert tp.is_grad_enabled()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        np.float64(1.0) / np.float64(0.0)


@EACH
def test_exception_in_the_function(name: str) -> None:
    def raises(x: tp.Tensor) -> tp.Tensor:
        tp.sin(x).add_(1.0)
        raise Stop

    with pytest.raises(Stop):
        CALLS[name](raises, X)
    assert_clean()
    CALLS[name](lambda x: x * 2, X)


@EACH
@pytest.mark.parametrize("inner", CALLS)
def test_exception_two_levels_deep(name: str, inner: str) -> None:
    def raises(x: tp.Tensor) -> tp.Tensor:
        raise Stop

    with pytest.raises(Stop):
        CALLS[name](lambda x: CALLS[inner](raises, x * 2), X)
    assert_clean()


@EACH
def test_exception_caught_inside_leaves_the_outer_level_working(name: str) -> None:
    def raises(x: tp.Tensor) -> tp.Tensor:
        with tp.no_grad():
            raise Stop

    def recovers(x: tp.Tensor) -> tp.Tensor:
        before = stack.active()
        with pytest.raises(Stop):
            CALLS[name](raises, x)
        assert stack.active() == before
        return x**2

    close(grad(lambda x: recovers(x).sum())(X), 2 * array(X))
    assert_clean()


@EACH
def test_ten_levels_deep(name: str) -> None:
    def raises(depth: int) -> Callable[[tp.Tensor], tp.Tensor]:
        def f(x: tp.Tensor) -> tp.Tensor:
            if depth == 0:
                raise Stop
            return grad(lambda y: raises(depth - 1)(y).sum())(x)

        return f

    with pytest.raises(Stop):
        CALLS[name](raises(9), X)
    assert_clean()


@EACH
def test_exception_in_an_op(name: str) -> None:
    with pytest.raises((RuntimeError, IndexError, ValueError)):
        CALLS[name](lambda x: x.reshape(7, 5), X)
    assert_clean()


def test_keyboard_interrupt() -> None:
    def interrupted(x: tp.Tensor) -> tp.Tensor:
        raise KeyboardInterrupt

    for call in CALLS.values():
        with pytest.raises(KeyboardInterrupt):
            call(interrupted, X)
        assert_clean()


def test_generator_that_is_never_finished() -> None:
    def pieces(x: tp.Tensor) -> Any:
        yield x * 2
        yield x * 3

    close(grad(lambda x: next(pieces(x)).sum())(X), 2 * np.ones((3, 2)))
    assert_clean()


def test_no_grad_around_and_inside() -> None:
    with tp.no_grad():
        close(grad(lambda x: (x**2).sum())(X), 2 * array(X))
        assert not tp.is_grad_enabled()
    assert_clean()


@EACH
def test_failed_transform_frees_what_it_was_given(name: str) -> None:
    def attempt() -> weakref.ref[Any]:
        x = X.clone()

        def raises(a: tp.Tensor) -> tp.Tensor:
            tp.sin(a) * a
            raise Stop

        with pytest.raises(Stop):
            CALLS[name](raises, x)
        return weakref.ref(x)

    alive = attempt()
    gc.collect()
    assert alive() is None


@EACH
def test_finished_transform_frees_what_it_was_given(name: str) -> None:
    def attempt() -> weakref.ref[Any]:
        x = X.clone()
        CALLS[name](lambda a: tp.sin(a) * a, x)
        return weakref.ref(x)

    alive = attempt()
    gc.collect()
    assert alive() is None


def test_graph_is_freed_without_the_collector() -> None:
    """A graph has no cycles: reference counts free it as soon as its last tensor goes."""
    gc.collect()
    gc.disable()
    try:
        x = X.clone().requires_grad_()
        middle = tp.exp(x)
        freed = weakref.ref(middle.value.node)
        out = middle.sum()
        out.backward()
        del out, middle
        assert freed() is None
    finally:
        gc.enable()


def test_pull_function_keeps_its_graph_and_lets_go_of_it() -> None:
    x = X.clone()
    _, pull = vjp(lambda a: tp.sin(a) * a, x)
    alive = weakref.ref(x)
    pull(X)
    del pull, x
    gc.collect()
    assert alive() is None


def test_function_is_called_once() -> None:
    for name, call in CALLS.items():
        calls = []

        def f(x: tp.Tensor, calls: list[int] = calls) -> tp.Tensor:
            calls.append(1)
            return x * 2

        call(f, X)
        assert len(calls) == (2 if "chunk" in name else 1), name


def test_numpy_error_state_is_the_users_own() -> None:
    with np.errstate(all="raise"):
        vmap(lambda x: x / 0.0)(X)
        grad(lambda x: tp.log(x * 0.0).sum())(X)
        tp.log(double([-1.0, 0.0]))
        assert np.geterr()["divide"] == "raise"
    assert np.geterr()["divide"] == "warn"
