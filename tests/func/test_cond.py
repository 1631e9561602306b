"""cond is ``if``, for each sample where the condition is mapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, hessian, jacfwd, jacrev, jvp, linearize, make_graph, vmap
from tests.func.support import close, double


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
        (RuntimeError, "same structure", lambda: vmap(lambda x: tp.cond(x > 0, lambda: x, lambda: (x, x)))(X)),
        (RuntimeError, r"\[1\].*\[\]", lambda: vmap(lambda x: tp.cond(x > 0, lambda: x[None], lambda: x))(X)),
        (RuntimeError, "float64.*float32", lambda: vmap(lambda x: tp.cond(x > 0, lambda: x, lambda: x.float()))(X)),
        (RuntimeError, "return tensors", lambda: vmap(lambda x: tp.cond(x > 0, lambda: 1.0, lambda: 2.0))(X)),
    ],
)
def test_errors(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()


def test_the_other_branch_is_nan_through_products() -> None:
    """Infinity and NaN that no zero cotangent stops, as in a product of matrices, stay in the branch they are from."""

    def bad(x: tp.Tensor) -> tp.Tensor:
        m = tp.outer(x.log(), 1 / x)
        return (m @ m @ x).sum() + (m.mT @ m).prod()

    safe = lambda x: (x**3).sum()  # noqa: E731
    both = lambda x: tp.cond(x.min() > 0.5, bad, safe, (x,))  # noqa: E731
    x = double([[0.0, 1.0], [1.5, 2.0], [-1.0, -2.0]])
    right = [safe, bad, safe]
    for transform in (lambda f: f, grad, jacfwd, hessian, lambda f: jacrev(jacfwd(f)), lambda f: jacfwd(jacfwd(f))):
        got = vmap(transform(both))(x)
        assert np.isfinite(got.numpy()).all()
        close(got, tp.stack([transform(f)(row) for f, row in zip(right, x, strict=True)]))
    close(grad(lambda x: vmap(both)(x).sum())(x), vmap(grad(both))(x))
    close(jvp(vmap(both), (x,), (x.cos(),))[1], (vmap(grad(both))(x) * x.cos()).sum(1))


def test_an_operand_that_all_share_has_a_gradient() -> None:
    """The gradient of what is not mapped is the sum over the samples that took the branch."""
    x, w = double([1.0, 0.0, 3.0]), double([2.0, 5.0])
    loss = lambda w: vmap(lambda x: tp.cond(x > 0, lambda x, w: (w / x).sum(), lambda x, w: w.prod(), (x, w)))(x).sum()  # noqa: E731
    close(grad(loss)(w), 1 + 1 / 3 + w.flip(0))
    close(jacfwd(loss)(w), 1 + 1 / 3 + w.flip(0))
    close(vmap(grad(loss))(tp.stack([w, w * 2])), 1 + 1 / 3 + tp.stack([w, w * 2]).flip(1))


def test_nested_conditions() -> None:
    def signum(x: tp.Tensor) -> Any:
        return tp.cond(
            x > 0, lambda x: x.log(), lambda x: tp.cond(x < 0, lambda x: (-x).sqrt(), lambda x: x, (x,)), (x,)
        )

    x = double([2.0, 0.0, -4.0])
    close(vmap(signum)(x), [np.log(2), 0.0, 2.0])
    close(vmap(grad(signum))(x), [0.5, 1.0, -0.25])
    close(vmap(hessian(signum))(x), [-0.25, 0.0, -1 / 32])


# ---- writes ----------------------------------------------------------------------------------------------------------

kept = tp.zeros(())


def writes_operand(x: tp.Tensor) -> tp.Tensor:
    return x.add_(1)


def writes_view_of_operand(x: tp.Tensor) -> tp.Tensor:
    x[None][0] = 0.0
    return x


def writes_captured(x: tp.Tensor) -> tp.Tensor:
    kept.add_(1)
    return x


@pytest.mark.parametrize("function", [writes_operand, writes_view_of_operand, writes_captured])
@pytest.mark.parametrize("around", [lambda f: f, functionalize], ids=["", "functionalize"])
def test_a_branch_that_not_all_take_may_not_write_outside(function: Any, around: Any) -> None:
    x = double([1.0, -1.0])
    for branches in ((function, abs), (abs, function)):
        with pytest.raises(RuntimeError, match=r"cond\(\): \w+ writes in place to a .* made outside of it"):
            around(vmap(lambda x, b=branches: tp.cond(x > 0, *b, (x,))))(x)
    assert (x.tolist(), kept.item()) == ([1.0, -1.0], 0.0)


def test_a_branch_may_write_to_what_it_makes() -> None:
    def filled(x: tp.Tensor) -> tp.Tensor:
        out = tp.zeros(2, dtype=tp.float64)
        out[0] = 3.0
        out[1] = x * x
        out.mul_(2)
        return out

    function = lambda x: tp.cond(x > 0, filled, lambda x: tp.stack([x, x]), (x,))  # noqa: E731
    x = double([1.0, -1.0, 3.0])
    expected = double([[6.0, 2.0], [-1.0, -1.0], [6.0, 18.0]])
    for around in (lambda f: f, functionalize):
        close(around(vmap(function))(x), expected)
        close(vmap(around(function))(x), expected)
    close(vmap(jacrev(function))(x), double([[0.0, 4.0], [1.0, 1.0], [0.0, 12.0]]))


def test_a_condition_for_all_lets_a_branch_write() -> None:
    x = double([1.0, 2.0])
    tp.cond(True, writes_operand, abs, (x,))
    assert x.tolist() == [2.0, 3.0]


def test_an_error_in_a_branch_leaves_nothing_behind() -> None:
    def fails(x: tp.Tensor) -> tp.Tensor:
        kept.add_(1)
        raise ArithmeticError("on purpose")

    with pytest.raises(ArithmeticError, match="on purpose"):
        vmap(lambda x: tp.cond(x > 0, abs, fails, (x,)))(X)
    assert kept.item() == 0.0


def test_a_graph_has_the_branch_that_was_taken() -> None:
    graph = make_graph(piecewise)(double(2.0))
    assert "exp(" not in str(graph)
    mapped = str(make_graph(vmap(piecewise))(X))
    assert "exp" in mapped
    assert "where" in mapped
    close(make_graph(vmap(piecewise))(X)(X + 1), vmap(piecewise)(X + 1))
