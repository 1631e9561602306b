"""functionalize: same results, and no memory written while the function runs."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jvp, vmap
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
