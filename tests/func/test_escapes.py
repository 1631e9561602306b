"""What is said of a mapped tensor that escaped: the call of vmap that it is from, and while watched, who made it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
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


MADE = f"It was made at test_escapes.py:{LINE + 1}."


@pytest.mark.parametrize(
    ("transform", "made"),
    [
        (vmap, MADE),
        (chunk_vmap, MADE),
        (lambda f: vmap(f, chunk_size=1), MADE),
        # what a gradient traces besides tells its line only while somebody watches
        (lambda f: vmap(grad(f)), "tp.autograd.detect_anomaly() finds the line that made it."),
    ],
)
def test_the_call_and_the_line_are_named(transform: Callable[..., Any], made: str) -> None:
    text = call(transform)
    assert f"vmap(leaking) (called at {HERE})" in text
    assert text.endswith(made)
    assert HERE in repr(kept[0])


def test_the_line_is_that_of_the_user() -> None:
    layer = tp.nn.Linear(2, 2).double()

    def mapped(x: tp.Tensor) -> tp.Tensor:
        kept.append(layer(x))
        return x

    kept.clear()
    vmap(mapped)(X)
    with pytest.raises(RuntimeError, match=rf"made at test_escapes.py:{mapped.__code__.co_firstlineno + 1}\."):
        kept[0].sum()


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


USES: dict[str, Callable[[tp.Tensor], Any]] = {
    "add": lambda t: 1 + t,
    "with a plain tensor": lambda t: double([1.0, 2.0]) @ t,
    "if": lambda t: 1 if t.sum() > 0 else 2,
    "item": lambda t: t[0].item(),
    "numpy": lambda t: t.numpy(),
    "tolist": lambda t: t.tolist(),
    "index": lambda t: t[0],
    "write": lambda t: t.add_(1),
    "write into another": lambda t: tp.ones(2).copy_(t),
    "argument of vmap": vmap(tp.sin),
    "captured by vmap": lambda t: vmap(lambda x: x + t)(X),
    "argument of grad": grad(lambda t: t.sum()),
    "backward": lambda t: t.sum().backward(),
    "equal": lambda t: tp.equal(t, t),
    "nonzero": lambda t: t.nonzero(),
    "mask": lambda t: t[t > 0],
    "requires_grad_": lambda t: t.requires_grad_(),
    "data_ptr": lambda t: t.data_ptr(),
    "copy": copy.deepcopy,
    "pickle": pickle.dumps,
    "list": list,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_every_use_names_the_call(use: Callable[[tp.Tensor], Any]) -> None:
    kept.clear()
    vmap(lambda x: (kept.append(x * 2), kept.append(x.clone().view(-1)), x)[-1])(X)
    for tensor in kept:
        with pytest.raises(
            RuntimeError, match=r"vmap\(<lambda>\) \(called at test_escapes\.py:\d+\) maps over was used after"
        ):
            use(tensor)


def test_looking_at_it_is_allowed() -> None:
    call(vmap)
    np.testing.assert_allclose(array(tp.func.debug_unwrap(kept[0], sample=1)), np.sin(array(X)[1]))
    assert kept[0].shape == (2,)
