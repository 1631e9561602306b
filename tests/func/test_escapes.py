"""What is said of a mapped tensor that escaped: the call of vmap that it is from, and while watched, who made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.autograd import detect_anomaly
from tensorplay.func import chunk_vmap, grad, jvp, vmap
from tests.func.support import array, double

X = double([[1.0, 2.0], [3.0, 4.0]])
kept: list[tp.Tensor] = []


def leaking(x: tp.Tensor) -> tp.Tensor:
    y = x.sin()
    kept.append(y)
    return y.sum()


LINE = leaking.__code__.co_firstlineno


def call(transform: Callable[..., Any]) -> str:
    """What the use of the escaped tensor raises."""
    kept.clear()
    transform(leaking)(X)  # the call
    with pytest.raises(RuntimeError, match="after the map had returned") as caught:
        kept[0] + 1
    return str(caught.value)


HERE = f"test_escapes.py:{call.__code__.co_firstlineno + 3}"


@pytest.mark.parametrize("transform", [vmap, chunk_vmap, lambda f: vmap(f, chunk_size=1), lambda f: vmap(grad(f))])
def test_the_call_is_named(transform: Callable[..., Any]) -> None:
    text = call(transform)
    assert f"vmap(leaking) (called at {HERE})" in text
    assert "detect_anomaly" in text
    assert HERE in repr(kept[0])


@pytest.mark.parametrize("transform", [vmap, lambda f: vmap(grad(f)), lambda f: vmap(lambda x: jvp(f, (x,), (x,)))])
def test_the_line_that_made_it_is_named_while_watched(transform: Callable[..., Any]) -> None:
    with detect_anomaly():
        text = call(transform)
    assert f"It was made by sin at test_escapes.py:{LINE + 1}." in text


def test_a_call_by_another_transform_has_no_line_of_the_user() -> None:
    kept.clear()
    inner = vmap(leaking)
    grad(lambda x: inner(x).sum())(X)
    with pytest.raises(RuntimeError, match=r"called at test_escapes\.py"):
        kept[0] + 1
    vmap(inner)(X[None])
    with pytest.raises(RuntimeError, match=r"vmap\(leaking\) maps over"):
        kept[1] + 1


def test_what_escapes_a_derivative_is_a_plain_tensor() -> None:
    kept.clear()
    grad(leaking)(X[0])
    jvp(leaking, (X[0],), (X[0],))
    for tensor in kept:
        assert array(tensor + 1).shape == (2,)
