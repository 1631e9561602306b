"""functionalize: same results, and no memory written while the function runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jvp, make_graph, vmap
from tensorplay.interpreters.stage import Name
from tests.func.support import array, close, double, normal

REMOVE = pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])


def mutate(x: tp.Tensor) -> tp.Tensor:
    """Writes to what it made, through views of views."""
    y = x.clone()
    y[0] = 5.0
    view = y[1:].view(-1)
    view.mul_(2.0)
    y.add_(x)
    view[::2].zero_()
    return y * 2


@REMOVE
def test_same_results(remove: str) -> None:
    x = normal(4, 3)
    close(functionalize(mutate, remove=remove)(x), array(mutate(x)))


@REMOVE
def test_memory_stays_as_it_is_until_the_end(remove: str) -> None:
    memory = np.arange(6.0)
    x = tp.from_numpy(memory)
    seen = []

    def f(a: tp.Tensor) -> tp.Tensor:
        a.mul_(2.0)
        a[1:3].add_(10.0)
        seen.append(memory.copy())
        seen.append(a.sum().item())
        return a + 1

    expected = np.array([0.0, 12.0, 14.0, 6.0, 8.0, 10.0])
    close(functionalize(f, remove=remove)(x), expected + 1)
    np.testing.assert_array_equal(seen[0], np.arange(6.0))
    assert seen[1] == expected.sum()
    np.testing.assert_array_equal(memory, expected)
    close(x, expected)


def test_captured_tensor_receives_its_final_value() -> None:
    memory = np.zeros(3)
    counter = tp.from_numpy(memory)

    def f(x: tp.Tensor) -> tp.Tensor:
        counter.add_(x)
        assert not memory.any()
        return counter * 2

    close(functionalize(f)(double([1.0, 2.0, 3.0])), [2.0, 4.0, 6.0])
    assert memory.tolist() == [1.0, 2.0, 3.0]


def test_view_of_an_argument() -> None:
    memory = np.zeros((2, 3))
    x = tp.from_numpy(memory)
    functionalize(lambda a: a[0].fill_(7.0))(x[1:])
    assert memory.tolist() == [[0.0] * 3, [7.0] * 3]


def test_exception_discards_the_writes() -> None:
    memory = np.zeros(3)
    x = tp.from_numpy(memory)

    def f(a: tp.Tensor) -> tp.Tensor:
        a.add_(1.0)
        raise KeyError("stop")

    with pytest.raises(KeyError):
        functionalize(f)(x)
    assert not memory.any()
    assert x.tolist() == [0.0] * 3
    x.add_(1.0)
    assert memory.tolist() == [1.0] * 3


def test_views_become_copies() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return x.view(-1)

    x = normal(2, 2)
    assert np.shares_memory(array(functionalize(f)(x)), array(x))
    assert not np.shares_memory(array(functionalize(f, remove="mutations_and_views")(x)), array(x))


@REMOVE
def test_under_and_over_the_other_transforms(remove: str) -> None:
    x, t = normal(4, 3), normal(4, 3, seed=1)
    pure = functionalize(mutate, remove=remove)
    close(vmap(pure)(x[:, :, None]), array(vmap(mutate)(x[:, :, None])))
    close(functionalize(vmap(mutate), remove=remove)(x[:, :, None]), array(vmap(mutate)(x[:, :, None])))
    slope = array(grad(lambda a: mutate(a).sum())(x))
    close(grad(lambda a: pure(a).sum())(x), slope)
    close(functionalize(grad(lambda a: mutate(a).sum()), remove=remove)(x), slope)
    close(jvp(pure, (x,), (t,))[1], array(jvp(mutate, (x,), (t,))[1]))


# ---- what can be observed --------------------------------------------------------------------------------------------


def step(x: tp.Tensor) -> tp.Tensor:
    """Writes to its argument, through a view of a view too."""
    x.mul_(2.0)
    x[1:].view(-1)[::2].add_(x[0, 0])
    return (x * x).sum()


NESTINGS: dict[str, Any] = {
    "alone": lambda pure: pure(step),
    "twice": lambda pure: pure(pure(step)),
    "of vmap": lambda pure: pure(vmap(lambda row: step(row[None].T))),
    "under vmap": lambda pure: vmap(pure(lambda row: step(row[None].T))),
    "of grad": lambda pure: pure(grad(step)),
    "under grad": lambda pure: grad(pure(step)),
    "of jvp": lambda pure: pure(lambda x: jvp(step, (x,), (tp.ones_like(x),))[1]),
    "under jvp": lambda pure: lambda x: jvp(pure(step), (x,), (tp.ones_like(x),))[1],
    "of vmap of grad": lambda pure: pure(vmap(grad(lambda row: step(row[None].T)))),
    "between vmap and grad": lambda pure: vmap(pure(grad(lambda row: step(row[None].T)))),
    "under vmap of grad": lambda pure: vmap(grad(pure(lambda row: step(row[None].T)))),
}


@REMOVE
@pytest.mark.parametrize("nesting", NESTINGS)
def test_read_only_memory_survives(nesting: str, remove: str) -> None:
    """The results are those of the function, the tensor holds what was written, the array is as it was."""
    start = np.random.default_rng(0).standard_normal((4, 3))
    writable = tp.tensor(start)
    expected = NESTINGS[nesting](lambda f: f)(writable)
    memory = start.copy()
    memory.flags.writeable = False
    x = tp.from_numpy(memory)
    close(NESTINGS[nesting](lambda f: functionalize(f, remove=remove))(x), expected)
    close(x, writable)
    np.testing.assert_array_equal(memory, start)
    x.zero_()
    np.testing.assert_array_equal(memory, start)


def test_read_only_memory_is_refused_otherwise() -> None:
    memory = np.zeros((2, 2))
    memory.flags.writeable = False
    for run in (step, grad(step), lambda x: jvp(step, (x,), (x,))):
        with pytest.raises(RuntimeError, match=r"read-only.*clone"):
            run(tp.from_numpy(memory))


def check_graph(graph: Any, x: np.ndarray[Any, Any], views: bool) -> None:
    """No kernel writes to an operand, and without `views` no result shares memory with one."""
    known = {0: x}
    for op in graph.ops:
        operands = [known[o] if isinstance(o, Name) else o for o in op.operands]
        given = [np.array(o) for o in operands]
        for operand in given:
            operand.flags.writeable = False
        outs = op.prim.impl(*given, **op.params)
        outs = outs if op.several else (outs,)
        if not views:
            assert not any(np.shares_memory(out, operand) for out in outs for operand in given), op.prim.name
        known.update(zip(op.names, outs, strict=True))
    assert graph.ops


def written_everywhere(x: tp.Tensor) -> tp.Tensor:
    """Views of all kinds, and writes through them."""
    y = x.clone()
    y.t()[1:].add_(1.0)
    y.diagonal().mul_(3.0)
    y.reshape(-1)[::2].sin_()
    y.unfold(0, 2, 2)[0].neg_()
    left, right = y.chunk(2, 1)
    left.copy_(right.detach())
    y.unbind(1)[0].index_put_((tp.tensor([0, 2]),), x[0, :2])
    y[y > 0.5] = 0.25
    mean = y.expand(2, *y.shape).mean((0, 1), keepdim=True)
    return tp.view_as_real(tp.complex(y, y * mean[0])).unsqueeze(0).transpose(1, 2)


@REMOVE
def test_the_graph_shows_no_write_and_no_view(remove: str) -> None:
    x = normal(4, 4)
    expected = written_everywhere(x)
    mapped = vmap(written_everywhere)
    slope = grad(lambda x: written_everywhere(x).sum())
    for f, at in ((written_everywhere, x), (mapped, x[None]), (slope, x)):
        graph = make_graph(functionalize(f, remove=remove))(at)
        check_graph(graph, array(at), views=remove == "mutations")
        close(graph(at), f(at))
    graph = make_graph(functionalize(written_everywhere, remove=remove))(x)
    names = {op.prim.name for op in graph.ops}
    views = {
        "slice",
        "reshape",
        "permute",
        "expand",
        "diagonal",
        "windows",
        "unbind",
        "split",
        "detach",
        "view_as_real",
    }
    copies = {f"{name}_copy" for name in views}
    shown, hidden = (views, copies) if remove == "mutations" else (copies, views)
    assert shown <= names
    assert not hidden & names
    close(vmap(graph)(x[None])[0], expected)
    close(grad(lambda x: graph(x).sum())(x), slope(x))
    close(jvp(graph, (x,), (x,))[1], jvp(written_everywhere, (x,), (x,))[1])


def test_an_outer_functionalize_holds_back_what_an_inner_one_wrote() -> None:
    memory = np.zeros(2)
    x = tp.from_numpy(memory)

    def outer(a: tp.Tensor) -> tp.Tensor:
        functionalize(lambda b: b.add_(1.0))(a)
        assert not memory.any()
        return a * 2

    assert functionalize(outer)(x).tolist() == [2.0, 2.0]
    assert memory.tolist() == [1.0, 1.0]


def test_name_documentation_and_keywords() -> None:
    def f(x: tp.Tensor, *, scale: float) -> tp.Tensor:
        """Scaled."""
        return x.mul_(scale)

    made = functionalize(f)
    assert (made.__name__, made.__doc__) == ("f", "Scaled.")
    assert made(double([1.0]), scale=3.0).tolist() == [3.0]


def test_remove_is_checked() -> None:
    with pytest.raises(ValueError, match=r"functionalize.*remove.*'views'"):
        functionalize(mutate, remove="views")
