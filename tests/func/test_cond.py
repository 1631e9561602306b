"""cond is ``if``, for each sample where the condition is mapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, hessian, jacfwd, jvp, linearize, vmap
from tests.func.support import double


def piecewise(x: tp.Tensor) -> tp.Tensor:
    return tp.cond(x > 1, lambda x: x**3, lambda x: x.exp(), (x,))


def by_if(x: tp.Tensor) -> tp.Tensor:
    return x**3 if bool(x > 1) else x.exp()


X = double([0.5, 2.0, -1.0])


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: f,
        grad,
        jacfwd,
        hessian,
        lambda f: lambda x: jvp(f, (x,), (x,))[1],
        lambda f: lambda x: linearize(f, x)[1](x),
    ],
    ids=["value", "grad", "jacfwd", "hessian", "jvp", "linearize"],
)
def test_cond_is_if(transform: Any) -> None:
    expected = [transform(by_if)(x).item() for x in X]
    assert [transform(piecewise)(x).item() for x in X] == pytest.approx(expected)
    np.testing.assert_allclose(vmap(transform(piecewise))(X).numpy(), expected)
    nested = vmap(vmap(transform(piecewise)))(tp.stack([X, X.flip(0)]))
    np.testing.assert_allclose(nested.numpy(), [expected, expected[::-1]])


def test_gradient_of_a_map() -> None:
    summed = grad(lambda x: vmap(piecewise)(x).sum())(X)
    np.testing.assert_allclose(summed.numpy(), [grad(by_if)(x).item() for x in X])


def test_only_the_condition_is_mapped() -> None:
    flags, x = tp.tensor([True, False]), double([1.0, 2.0])
    chosen = vmap(lambda flag: tp.cond(flag, lambda x: {"y": x + 1}, lambda x: {"y": -x}, (x,)))(flags)
    assert chosen["y"].tolist() == [[2.0, 3.0], [-1.0, -2.0]]
    empty = vmap(lambda flag: tp.cond(flag, lambda x: x, lambda x: -x, (x,)))(flags[:0])
    assert empty.shape == (0, 2)


def test_a_condition_for_all_calls_one_function() -> None:
    calls: list[str] = []
    for flag in (True, tp.tensor([True])):
        out = vmap(lambda x, f=flag: tp.cond(f, lambda x: x * 2, lambda x: (calls.append("no"), x)[1], (x,)))(X)
        assert out.tolist() == (X * 2).tolist()
    assert not calls


def test_the_other_branch_counts_for_nothing() -> None:
    guarded = lambda x: tp.cond(x > 0, tp.log, lambda x: 0 * x, (x,))  # noqa: E731
    assert vmap(grad(guarded))(double([0.0, 2.0])).tolist() == [0.0, 0.5]
    assert jvp(vmap(guarded), (double([0.0, 2.0]),), (double([1.0, 1.0]),))[1].tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (RuntimeError, "pred.*float32", lambda: tp.cond(tp.tensor(1.0), abs, abs, (X,))),
        (RuntimeError, r"pred.*\[2\]", lambda: tp.cond(tp.tensor([True, False]), abs, abs, (X,))),
        (RuntimeError, "pred.*str", lambda: tp.cond("yes", abs, abs, (X,))),
        (TypeError, "callable", lambda: tp.cond(True, X, abs, (X,))),
        (TypeError, r"operands.*\(x,\)", lambda: tp.cond(True, abs, abs, X)),
        (RuntimeError, "structures", lambda: vmap(lambda x: tp.cond(x > 0, lambda: x, lambda: (x, x)))(X)),
        (RuntimeError, r"\[1\].*\[\]", lambda: vmap(lambda x: tp.cond(x > 0, lambda: x[None], lambda: x))(X)),
        (RuntimeError, "float64.*float32", lambda: vmap(lambda x: tp.cond(x > 0, lambda: x, lambda: x.float()))(X)),
        (RuntimeError, "return tensors", lambda: vmap(lambda x: tp.cond(x > 0, lambda: 1.0, lambda: 2.0))(X)),
    ],
)
def test_errors(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()
