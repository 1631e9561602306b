"""Printing: torch's layout of numbers, and the levels of traced values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jacrev, jvp, linearize, make_graph, vmap

INF, NAN = float("inf"), float("nan")


@pytest.fixture(autouse=True)
def _default_options() -> Iterator[None]:
    yield
    tp.set_printoptions(profile="default")


# ---- plain tensors, as torch prints them -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (3, "tensor(3)"),
        (3.5, "tensor(3.5000)"),
        (3.0, "tensor(3.)"),
        (True, "tensor(True)"),
        (1 + 2j, "tensor(1.+2.j)"),
        (NAN, "tensor(nan)"),
        (1e10, "tensor(1.0000e+10)"),
        ([1e10, 1.0], "tensor([1.0000e+10, 1.0000e+00])"),
        ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00])"),
        ([INF, 1.0, NAN], "tensor([inf, 1., nan])"),
        ([-INF, 1.5], "tensor([  -inf, 1.5000])"),
        ([-0.0, 1.0], "tensor([-0., 1.])"),
        ([1 + 2j, 3.5 - 1e-6j], "tensor([1.0000+2.0000e+00j, 3.5000-1.0000e-06j])"),
        ([1e8 + 2j, 3.5 - 1j], "tensor([1.0000e+08+2.j, 3.5000e+00-1.j])"),
        ([complex(NAN, INF)], "tensor([nan+infj])"),
        ([[True, False]], "tensor([[ True, False]])"),
        ([[1, -20], [300, 4]], "tensor([[  1, -20],\n        [300,   4]])"),
        ([[[1.0], [2.0]], [[3.0], [4.0]]], "tensor([[[1.],\n         [2.]],\n\n        [[3.],\n         [4.]]])"),
    ],
)
def test_numbers(data: Any, text: str) -> None:
    assert repr(tp.tensor(data)) == str(tp.tensor(data)) == text


def test_empty_tensors() -> None:
    assert repr(tp.zeros(0)) == "tensor([])"
    assert repr(tp.zeros(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(tp.zeros(0, 3, dtype=tp.int64)) == "tensor([], size=(0, 3), dtype=tensorplay.int64)"
    assert repr(tp.zeros(0, dtype=tp.float64)) == "tensor([], dtype=tensorplay.float64)"


def test_dtype_is_shown_unless_it_goes_without_saying() -> None:
    assert repr(tp.ones(2, dtype=tp.float64)) == "tensor([1., 1.], dtype=tensorplay.float64)"
    assert repr(tp.ones(1, dtype=tp.uint8)) == "tensor([1], dtype=tensorplay.uint8)"
    tp.set_default_dtype(tp.float64)
    try:
        assert repr(tp.ones(2)) == "tensor([1., 1.])"
        assert repr(tp.ones(1, dtype=tp.float32)) == "tensor([1.], dtype=tensorplay.float32)"
    finally:
        tp.set_default_dtype(tp.float32)


def test_long_lines_and_notes_wrap() -> None:
    lines = repr(tp.arange(30.0) / 7).split("\n")
    assert lines[0] == "tensor([0.0000, 0.1429, 0.2857, 0.4286, 0.5714, 0.7143, 0.8571, 1.0000, 1.1429,"
    assert lines[1] == "        1.2857, 1.4286, 1.5714, 1.7143, 1.8571, 2.0000, 2.1429, 2.2857, 2.4286,"
    wide = repr(tp.ones(18, dtype=tp.float64))
    assert wide.endswith("1.],\n       dtype=tensorplay.float64)")


def test_many_elements_are_summarised() -> None:
    assert repr(tp.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    lines = repr(tp.zeros(20, 60)).split("\n")
    assert lines[3] == "        ...,"
    assert lines[0] == "tensor([[0., 0., 0.,  ..., 0., 0., 0.],"
    assert len(lines) == 7


def test_options() -> None:
    tp.set_printoptions(precision=2)
    assert repr(tp.tensor([1.23456])) == "tensor([1.23])"
    tp.set_printoptions(sci_mode=True)
    assert repr(tp.tensor([1.0])) == "tensor([1.00e+00])"
    tp.set_printoptions(sci_mode=False, precision=1)
    assert repr(tp.tensor([1e10, 0.5])) == "tensor([10000000000.0,           0.5])"
    tp.set_printoptions(profile="short", threshold=3)
    assert repr(tp.arange(6)) == "tensor([0, 1,  ..., 4, 5])"
    tp.set_printoptions(profile="full")
    assert "..." not in repr(tp.zeros(2000))
    with pytest.raises(ValueError, match="profile"):
        tp.set_printoptions(profile="long")


def test_format() -> None:
    assert f"{tp.tensor(2.5):.3f}" == "2.500"
    assert f"{tp.tensor(2)}" == "2"
    assert f"{tp.ones(1)}" == "tensor([1.])"


def test_autograd_is_shown() -> None:
    x = tp.ones(2, requires_grad=True)
    assert repr(x) == "tensor([1., 1.], requires_grad=True)"
    assert repr(x.sum()) == "tensor(2., grad_fn=<SumBackward>)"
    assert repr(x.detach()) == "tensor([1., 1.])"


# ---- traced tensors --------------------------------------------------------------------------------------------------


def seen_inside(transform: Any, *args: Any) -> str:
    """What `repr` says of the first argument inside a transform, and that `str` agrees."""
    texts: list[str] = []

    def f(x: Any) -> Any:
        texts.append(repr(x))
        assert str(x) == texts[0]
        return (x * x).sum()

    transform(f)(*args)
    return texts[0]


def test_levels_are_named() -> None:
    x = tp.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert seen_inside(vmap, x) == "tensor([1., 2.], sample 0 of 3 of shape [2] under vmap(f))"
    assert seen_inside(grad, x[0]) == "tensor([1., 2.], recorded under grad(f))"
    text = seen_inside(lambda f: lambda x: jvp(f, (x,), (2 * x,)), x[0])
    assert text == "tensor([1., 2.], primal under jvp(f), tangent: tensor([2., 4.]))"
    text = seen_inside(lambda f: vmap(grad(f)), x)
    assert "sample 0 of 3 of shape [2] under vmap(" in text
    assert "recorded under grad(f)" in text
    text = seen_inside(lambda f: vmap(vmap(f)), x[None])
    assert "sample 0 of 1" in text
    assert "sample 0 of 3" in text
    assert seen_inside(functionalize, x[0]) == "tensor([1., 2.])"
    assert "linearize" in seen_inside(lambda f: lambda x: linearize(f, x), x[0])


def test_no_samples() -> None:
    assert seen_inside(vmap, tp.zeros(0, 2)) == "tensor([], no sample of shape [2] under vmap(f))"


def test_nested_tangents_and_large_tensors() -> None:
    x = tp.ones(3, 40, 50)
    text = seen_inside(lambda f: vmap(lambda y: jvp(f, (y,), (y,))[1]), x)
    assert text.count("...") == text.count("...,") == 14
    assert "sample 0 of 3 of shape [40, 50]" in text
    assert max(map(len, text.split("\n"))) <= 90


def test_escaped_tensors() -> None:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        base = x.clone()
        view = base.view(-1)
        base.mul_(2)
        kept.extend([x, view])
        return base.sum()

    vmap(f)(tp.ones(2, 2))
    assert "has returned" in repr(kept[0])
    assert "has returned" in repr(kept[1])
    kept.clear()
    jvp(f, (tp.ones(2),), (tp.ones(2),))
    grad(f)(tp.ones(2))
    for tensor in kept:
        assert repr(tensor).startswith("tensor([")


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.bool_, np.complex64, np.uint64])
def test_every_dtype_prints_at_every_level(dtype: Any) -> None:
    texts: list[str] = []
    vmap(lambda x: (texts.append(repr(x)), x)[1])(tp.from_numpy(np.ones((2, 2), dtype)))
    assert texts[0].startswith("tensor([")


TRANSFORMS: dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]] = {
    "vmap": lambda f: lambda x: vmap(f)(tp.stack([x, x])).sum(),
    "last dim": lambda f: lambda x: vmap(f, in_dims=-1)(tp.stack([x, x], -1)).sum(),
    "no samples": lambda f: lambda x: vmap(f)(tp.stack([x])[:0]).sum(),
    "grad": lambda f: lambda x: grad(f)(x).abs().sum(),
    "jvp": lambda f: lambda x: jvp(f, (x,), (x,))[1],
    "linearize": lambda f: lambda x: linearize(f, x)[1](x),
    "jacrev": lambda f: lambda x: jacrev(f)(x).abs().sum(),
    "functionalize": lambda f: lambda x: functionalize(f)(x),
    "make_graph": lambda f: lambda x: make_graph(f)(x)(x),
}


@pytest.mark.parametrize("outer", TRANSFORMS)
@pytest.mark.parametrize("inner", TRANSFORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_every_nesting_prints_inside_and_after(outer: str, inner: str, dtype: Any) -> None:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.extend([x, x * 2, x.reshape(-1), x.T if x.ndim == 2 else x, x.detach(), x.abs() > 1])
        for tensor in kept[-6:]:
            check(tensor)
        return (x * x).abs().sum()

    def check(tensor: Any) -> None:
        text = repr(tensor)
        assert text.startswith("tensor(")
        assert text.endswith(")")
        assert text == str(tensor) == f"{[tensor]}"[1:-1]
        assert f"{tensor}"  # a plain number is formatted as such

    for shape in [(), (2, 3), (0, 3)]:
        numbers = np.linspace(-1, 1e6, int(np.prod(shape))).reshape(shape)
        TRANSFORMS[outer](TRANSFORMS[inner](f))(tp.from_numpy(numbers.astype(dtype)))
    for tensor in kept:
        check(tensor)
