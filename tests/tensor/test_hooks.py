"""Hooks on gradients of tensors: in ordinary autograd, to any order, and in transforms."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import checkpoint, grad, jacfwd, jacrev, jvp, linearize, vjp, vmap
from tests.func.support import close


def leaf(*numbers: float) -> tp.Tensor:
    return tp.tensor(numbers, dtype=tp.float64, requires_grad=True)


def test_a_hook_sees_and_changes_the_whole_gradient_of_a_tensor() -> None:
    x, seen = leaf(2.0, 3.0), []
    y = x * x
    total = (y * tp.tensor([1.0, 2.0])).sum() + y.sum()  # used before the hook is there, and twice
    y.register_hook(seen.append)
    y.register_hook(lambda g: 10 * g)
    x.register_hook(lambda g: g + 1)
    total.backward()
    close(seen[0], [2.0, 3.0])
    close(x.grad, [2 * 10 * 4 + 1, 3 * 10 * 6 + 1])


def test_what_a_hook_writes_into_the_gradient_counts_and_reaches_nothing_else() -> None:
    x, z = leaf(1.0, 5.0), leaf(1.0, 5.0)
    x.register_hook(lambda g: g.clamp_(max=2.0))
    weights = tp.tensor([1.0, 4.0], dtype=tp.float64)
    ((x + z) * weights).sum().backward()
    close(x.grad, [1.0, 2.0])
    close(z.grad, [1.0, 4.0])
    close(weights, [1.0, 4.0])


def test_hooks_of_one_result_of_several_and_removed_ones() -> None:
    x, seen = leaf(3.0, 1.0, 2.0), []
    values, _ = x.sort()
    first, rest = x.split([1, 2])
    first.register_hook(lambda g: 100 * g)
    with rest.register_hook(seen.append):
        (values.sum() + first.sum() + rest.sum()).backward(retain_graph=True)
    handle = x.register_hook(seen.append)
    handle.remove()
    handle.remove()
    (rest * 7).sum().backward()
    assert len(seen) == 1
    close(x.grad, [1 + 100, 2 + 7, 2 + 7])


@pytest.mark.parametrize("asked", ["leaf", "inner"])
def test_autograd_grad_gives_what_hooks_leave(asked: str) -> None:
    x = leaf(2.0)
    y = 3 * x
    target = x if asked == "leaf" else y
    target.register_hook(lambda g: 10 * g)
    (alone,) = tp.autograd.grad((y * y).sum(), target, retain_graph=True)
    both = tp.autograd.grad((y * y).sum(), (x, y), retain_graph=True)
    close(alone, [360.0] if asked == "leaf" else [120.0])
    close(both[0], [360.0])
    close(both[1], [12.0] if asked == "leaf" else [120.0])


def test_a_leaf_that_is_not_asked_for_is_not_shown() -> None:
    x, z = leaf(2.0), leaf(3.0)
    z.register_hook(lambda g: pytest.fail("called"))
    close(tp.autograd.grad((x * z).sum(), x)[0], [3.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_are_differentiated_with_create_graph(create_graph: bool) -> None:
    x, scale = leaf(2.0), leaf(5.0)
    flags = []

    def hook(g: tp.Tensor) -> tp.Tensor:
        flags.append(g.requires_grad)
        return scale * g

    y = x**3
    y.register_hook(hook)
    y.sum().backward(create_graph=create_graph)
    close(x.grad, [60.0])
    assert x.grad is not None
    assert x.grad.requires_grad == create_graph
    assert flags == [False]  # the cotangent that backward starts with is a constant
    if create_graph:
        second = tp.autograd.grad(x.grad.sum(), (x, scale))
        close(second[0], [60.0])
        close(second[1], [12.0])


def test_hooks_in_transforms_see_the_gradients_of_the_innermost_one() -> None:
    seen: list[Any] = []

    def f(x: tp.Tensor) -> tp.Tensor:
        x.register_hook(lambda g: seen.append(tuple(g.shape)) or 2 * g)
        y = x * x
        y.register_hook(lambda g: 5 * g)
        return y.sum()

    rows = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    close(grad(f)(rows[0]), [20.0, 40.0])
    close(vmap(grad(f))(rows), [[20.0, 40.0], [60.0, 80.0]])
    close(vjp(f, rows[0])[1](tp.tensor(3.0))[0], [60.0, 120.0])
    close(jacrev(f)(rows[0]), [20.0, 40.0])
    close(grad(lambda x: grad(f)(x).sum())(rows[0]), [20.0, 20.0])
    close(jvp(grad(f), (rows[0],), (tp.ones(2),))[1], [20.0, 20.0])
    assert set(seen) == {(2,)}


def test_jacobians_map_hooks_over_rows() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        x.register_hook(lambda g: g * tp.tensor([1.0, 10.0]))
        return x * x

    close(jacrev(f)(tp.tensor([1.0, 2.0])), [[2.0, 0.0], [0.0, 40.0]])
    close(jacrev(f, chunk_size=1)(tp.tensor([1.0, 2.0])), [[2.0, 0.0], [0.0, 40.0]])


def test_a_captured_tensor_of_ordinary_autograd_inside_of_a_transform() -> None:
    w, seen = leaf(3.0), []

    def f(x: tp.Tensor) -> tp.Tensor:
        w.register_hook(seen.append)
        return (w * x * x).sum()

    grad(f)(tp.tensor([2.0])).sum().backward()
    close(seen[0], [4.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda f, x: grad(lambda a: vmap(f)(a).sum())(x),
            r"vmap\(f\) traces this tensor, and grad\(<lambda>\) outside",
        ),
        (lambda f, x: jvp(f, (x,), (x,)), "does not require grad"),
        (lambda f, x: vmap(f)(x), "does not require grad"),
        (lambda f, x: jacfwd(f)(x), r"^jacfwd\(f\): a hook was registered"),
        (lambda f, x: linearize(f, x), r"^linearize\(f\): a hook was registered"),
        (lambda f, x: f(x), r"^register_hook\(\): a tensor of shape \[2\] does not require grad"),
    ],
)
def test_where_no_gradient_arrives_it_is_said(call: Any, words: str) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        x.register_hook(lambda g: g)
        return x * x

    with pytest.raises(RuntimeError, match=words):
        call(f, tp.ones(2))


def test_what_a_hook_returns_must_fit() -> None:
    for wrong, error in (
        (lambda g: g.sum(), RuntimeError),
        (lambda g: g.float(), RuntimeError),
        (lambda g: 1.0, TypeError),
    ):
        x = leaf(1.0, 2.0)
        x.register_hook(wrong)
        with pytest.raises(error, match=r"^hook .*<lambda>.*: "):
            (2 * x).sum().backward()


def test_checkpoint_shows_the_gradient_of_its_input() -> None:
    x = leaf(2.0)
    x.register_hook(lambda g: 10 * g)
    checkpoint(lambda a: a**3)(x).sum().backward()
    close(x.grad, [120.0])


# ---- .grad of what is no leaf ----------------------------------------------------------------------------------------


def test_retain_grad_fills_grad_with_what_hooks_leave() -> None:
    x = leaf(2.0)
    y = 3 * x
    y.retain_grad()
    y.retain_grad()
    y.register_hook(lambda g: 10 * g)
    assert y.retains_grad
    for times in (1, 2):  # and adds, as for a leaf
        (y * y).sum().backward(retain_graph=True)
        close(y.grad, [120.0 * times])
    x.retain_grad()
    assert not x.retains_grad


@pytest.mark.parametrize("through", ["itself", "a view", "its base"])
def test_retained_is_the_gradient_of_what_was_written_last(through: str) -> None:
    x = leaf(1.0, 2.0)
    base = x * 1
    y = base[:] if through == "its base" else base
    y.retain_grad()
    {"itself": y, "a view": y[:], "its base": base}[through].mul_(3)
    (5 * y).sum().backward()
    close(y.grad, [5.0, 5.0])
    close(x.grad, [15.0, 15.0])


def test_retain_grad_with_create_graph() -> None:
    x = leaf(2.0)
    y = x * x
    y.retain_grad()
    (y**3).sum().backward(create_graph=True)
    close(tp.autograd.grad(y.grad.sum(), x)[0], [6 * 4 * 2 * 2.0])


def test_grad_of_what_is_no_leaf_warns() -> None:
    y = 2 * leaf(1.0)
    with pytest.warns(UserWarning, match=r"no leaf was read at .*test_hooks\.py:\d+.*retain_grad"):
        assert y.grad is None


def test_retain_grad_refuses_where_there_is_no_grad_to_fill() -> None:
    with pytest.raises(RuntimeError, match=r"^retain_grad\(\): .*does not require grad"):
        tp.ones(2).retain_grad()

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x * x
        y.retain_grad()
        return y

    with pytest.raises(RuntimeError, match=r"^retain_grad\(\) was called on a tensor that grad\(f\) traces"):
        grad(f)(tp.tensor(1.0))


def test_post_accumulate_hooks_step_in_backward() -> None:
    p = leaf(1.0, 2.0)

    def step(q: tp.Tensor) -> None:
        with tp.no_grad():
            q.sub_(0.5 * q.grad)
        q.grad = None

    handle = p.register_post_accumulate_grad_hook(step)
    tp.autograd.grad((p * p).sum(), p)
    close(p, [1.0, 2.0])
    (p * p).sum().backward()
    close(p, [0.0, 0.0])
    assert p.grad is None
    handle.remove()
    (3 * p).sum().backward()
    close(p.grad, [3.0, 3.0])
    with pytest.raises(RuntimeError, match="only leaf tensors"):
        (2 * p).register_post_accumulate_grad_hook(step)
    with pytest.raises(RuntimeError, match="does not require grad"):
        tp.ones(2).register_post_accumulate_grad_hook(step)


def test_hooks_keep_nothing_alive() -> None:
    gc.disable()
    try:
        x = leaf(*np.ones(100))
        y = x * x
        y.register_hook(lambda g: 2 * g)
        y.retain_grad()
        gone = weakref.ref(y.grad_fn)
        (y * y).sum().backward()
        del y
        assert gone() is None
    finally:
        gc.enable()
