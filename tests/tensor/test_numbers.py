"""Python's numbers from tensors: `float`, `math`, `round`, `divmod`, and what they say where a transform watches."""

from __future__ import annotations

import cmath
import math
import warnings
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.func import grad, jvp, linearize, vmap


def test_numbers_of_plain_tensors() -> None:
    x = tp.tensor(-2.5)
    assert (float(x), int(x), complex(x), bool(x)) == (-2.5, -2, -2.5 + 0j, True)
    assert (math.floor(x), math.ceil(x), math.trunc(x)) == (-3, -2, -2)
    assert all(type(f(x)) is int for f in (math.floor, math.ceil, math.trunc))
    assert math.sin(x) == math.sin(-2.5)
    assert cmath.exp(tp.tensor(1j)) == pytest.approx(cmath.exp(1j))
    assert math.isclose(tp.tensor([0.5]), 0.5)
    assert math.floor(tp.tensor([7])) == 7
    assert f"{x:.3f}" == "-2.500"
    assert abs(x).item() == 2.5
    assert pow(x, 2).item() == 6.25
    assert pow(2, tp.tensor(3)).item() == 8
    assert [0, 1, 2][tp.tensor(1)] == 1
    for several in (float, math.sin, math.floor, math.trunc):
        with pytest.raises(RuntimeError, match="one element"):
            several(tp.ones(2))


def test_round_and_divmod_are_operators() -> None:
    x = tp.tensor([1.25, -0.5, 2.5], dtype=tp.float64)
    assert round(x).tolist() == [round(value) for value in x.tolist()]
    assert round(x, 1).tolist() == [1.2, -0.5, 2.5]
    quotient, rest = divmod(x, 0.75)
    expected = [divmod(value, 0.75) for value in x.tolist()]
    assert list(zip(quotient.tolist(), rest.tolist(), strict=True)) == expected
    assert [part.item() for part in divmod(7, tp.tensor(3))] == [2, 1]
    with pytest.raises(TypeError, match="divmod"):
        divmod(x, "a")
    assert grad(lambda x: divmod(x, 2.0)[1] * x)(tp.tensor(3.0)).item() == 4.0
    assert vmap(lambda x: divmod(x, 2.0)[1])(tp.tensor([3.0, 4.5])).tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (float, r"float\(\) .*math.*tp\.sin"),
        (math.sin, r"math.*tp\.sin"),
        (complex, r"complex\(\).*tp\.exp"),
        (cmath.exp, r"cmath.*tp\.exp"),
        (int, r"int\(\)"),
        (math.floor, r"math\.floor\(\).*tp\.floor"),
        (math.ceil, r"math\.ceil\(\).*tp\.ceil"),
        (math.trunc, r"math\.trunc\(\).*tp\.trunc"),
        (bool, r"bool\(\)"),
        (lambda x: f"{x:.2f}", "format"),
        (lambda x: [1, 2][x.long()], "index"),
    ],
)
def test_mapped_tensors_have_no_single_number(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=rf"(?s)vmap.*{words}.*tp\.where"):
        vmap(call)(tp.ones(3))


@pytest.mark.parametrize("call", [float, math.sin, math.exp, complex, cmath.exp])
def test_a_number_of_what_is_differentiated_warns(call: Any) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return x * abs(call(x))

    for run in (
        lambda: grad(f)(tp.tensor(1.0)),
        lambda: jvp(f, (tp.tensor(1.0),), (tp.tensor(1.0),)),
        lambda: linearize(f, tp.tensor(1.0)),
        lambda: grad(grad(f))(tp.tensor(1.0)),
    ):
        with pytest.warns(
            UserWarning, match=r"math` was called at test_numbers\.py:\d+ .*\(f\).*constant.*tp\.sin"
        ) as caught:
            run()
        assert caught[0].filename == __file__


def test_numbers_that_are_meant_as_constants_do_not_warn() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        _ = f"{x:.2f}", int(x), bool(x), math.floor(x)
        with tp.no_grad():
            _ = float(x)
        return x * x.item() * float(x.detach()) * float(tp.tensor(2.0))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(f)(tp.tensor(3.0)).item() == 18.0
        loss = (tp.tensor(2.0, requires_grad=True) * 3).sum()
        assert float(loss) == 6.0  # as training loops do
