"""Keyword arguments reach the function under every transform, as constants; aux may hold anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import (
    checkpoint,
    chunk_vmap,
    custom_derivative,
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
from tests.func.support import array, close, double

X = double([0.5, -1.0, 2.0])
W = double([1.0, 2.0, -3.0])
CUBES = np.array([0.5, -1.0, 2.0]) ** 3 * [1.0, 2.0, -3.0]
SLOPES = 3 * np.array([0.5, -1.0, 2.0]) ** 2 * [1.0, 2.0, -3.0]


def cubes(x: tp.Tensor, power: int = 2, *, weight: Any = 1.0, label: str = "none") -> tp.Tensor:
    """What all tests here compute."""
    assert (power, label) == (3, "cube")
    return x**power * weight


GIVEN: dict[str, Any] = {"power": 3, "weight": W, "label": "cube"}


# ---- keyword arguments -----------------------------------------------------------------------------------------------


@custom_derivative(vjp=lambda args, out, ct, weight, label: (3 * args[0] ** 2 * weight * ct, None))
def cubes_pulled(x: tp.Tensor, power: int, *, weight: Any, label: str) -> tp.Tensor:
    return cubes(x, power, weight=weight, label=label)


@custom_derivative(jvp=lambda args, out, dots, **kwargs: 3 * args[0] ** 2 * kwargs["weight"] * dots[0])
def cubes_pushed(x: tp.Tensor, power: int, **kwargs: Any) -> tp.Tensor:
    return cubes(x, power, **kwargs)


SAMPLES = tp.stack([X, X + 1])
CALLS: dict[str, tuple[Callable[..., Any], Any]] = {
    "vmap": (lambda **k: vmap(cubes)(SAMPLES, **k)[0], CUBES),
    "vmap_in_chunks": (lambda **k: vmap(cubes, chunk_size=1)(SAMPLES, **k)[0], CUBES),
    "chunk_vmap": (lambda **k: chunk_vmap(cubes)(SAMPLES, **k)[0], CUBES),
    "grad": (lambda **k: grad(lambda x, **k: cubes(x, **k).sum())(X, **k), SLOPES),
    "grad_and_value": (lambda **k: grad_and_value(lambda x, **k: cubes(x, **k).sum())(X, **k)[1], CUBES.sum()),
    "vjp": (lambda **k: vjp(cubes, X, **k)[1](tp.ones_like(X))[0], SLOPES),
    "jvp": (lambda **k: jvp(cubes, (X,), (tp.ones_like(X),), **k)[1], SLOPES),
    "linearize": (lambda **k: linearize(cubes, X, **k)[1](tp.ones_like(X)), SLOPES),
    "jacrev": (lambda **k: jacrev(cubes)(X, **k), np.diag(SLOPES)),
    "jacfwd": (lambda **k: jacfwd(cubes)(X, **k), np.diag(SLOPES)),
    "hessian": (lambda **k: hessian(lambda x, **k: cubes(x, **k).sum())(X, **k), np.diag(6 * array(X) * array(W))),
    "functionalize": (lambda **k: functionalize(cubes)(X, **k), CUBES),
    "checkpoint": (lambda **k: checkpoint(cubes)(X, **k), CUBES),
    "grad_of_checkpoint": (lambda **k: grad(lambda x, **k: checkpoint(cubes)(x, **k).sum())(X, **k), SLOPES),
    "make_graph": (lambda **k: make_graph(cubes)(X, **k)(X, **k), CUBES),
    "pulled": (lambda **k: vjp(lambda x: cubes_pulled(x, **k), X)[1](tp.ones_like(X))[0], SLOPES),
    "pulled_forward": (lambda **k: jacfwd(lambda x: cubes_pulled(x, **k))(X), np.diag(SLOPES)),
    "pushed": (lambda **k: jvp(cubes_pushed, (X,), (tp.ones_like(X),), **k)[1], SLOPES),
    "pushed_in_reverse": (lambda **k: vjp(cubes_pushed, X, **k)[1](tp.ones_like(X))[0], SLOPES),
    "mapped": (lambda **k: vmap(lambda x: grad(lambda x: cubes_pushed(x, **k).sum())(x))(SAMPLES)[0], SLOPES),
}


@pytest.mark.parametrize("name", CALLS)
def test_keyword_arguments_are_given_to_the_function(name: str) -> None:
    call, expected = CALLS[name]
    close(call(**GIVEN), expected)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"make_graph", "mapped"}))
def test_keyword_arguments_are_constants_of_the_transform_and_variables_of_one_around(name: str) -> None:
    """All results above are linear in the weight."""
    call = CALLS[name][0]

    def total(weight: tp.Tensor) -> tp.Tensor:
        return call(**GIVEN | {"weight": weight}).sum()

    result = array(call(**GIVEN))
    close((grad(total)(W) * W).sum(), result.sum())
    close(jvp(total, (W,), (W,))[1], result.sum())


def test_rules_do_not_cover_keyword_arguments() -> None:
    for f in (cubes_pulled, cubes_pushed):
        with pytest.raises(
            RuntimeError, match=r"that grad\(<lambda>\) traces .* Pass the tensor as a positional argument"
        ):
            grad(lambda w, f=f: f(w, 3, weight=w, label="cube").sum())(W)


def test_options_of_the_transform_win() -> None:
    def f(x: tp.Tensor, has_aux: str = "own", strict: str = "own") -> Any:
        return x * 2, (has_aux, strict)

    assert vjp(f, X, has_aux=True)[2] == ("own", "own")
    assert vjp(f, X, has_aux=True, strict="given")[2] == ("own", "given")
    assert jvp(f, (X,), (X,), has_aux=True, strict=True)[2] == ("own", "own")
    assert linearize(f, X, has_aux=True, strict="given")[2] == ("own", "given")


def test_an_unknown_keyword_is_the_function_s_to_refuse() -> None:
    for call in (
        lambda: vjp(tp.sin, X, foo=1),
        lambda: jvp(tp.sin, (X,), (X,), foo=1),
        lambda: linearize(tp.sin, X, foo=1),
    ):
        with pytest.raises(TypeError, match=r"sin.*foo"):
            call()


# ---- aux -------------------------------------------------------------------------------------------------------------

MODEL = tp.nn.Linear(3, 3)


@dataclass
class Report:
    """A container of the user's own."""

    text: str
    norm: Any


def with_aux(x: tp.Tensor) -> Any:
    return (x**3).sum(), {
        "text": "halfway",
        "none": None,
        "model": MODEL,
        "nested": [(x * 2, 3), {"deep": Report("inside", x.sum())}],
        "function": tp.sin,
        "parameter": MODEL.weight,
        "set": {1, 2},
        1.5: object,
    }


def check_aux(aux: Any) -> None:
    assert (aux["text"], aux["none"], aux["model"], aux["function"]) == ("halfway", None, MODEL, tp.sin)
    assert (aux["set"], aux[1.5]) == ({1, 2}, object)
    assert aux["parameter"] is MODEL.weight
    doubled, three = aux["nested"][0]
    report = aux["nested"][1]["deep"]
    assert (three, report.text) == (3, "inside")
    close(doubled, 2 * array(X))
    close(report.norm, array(X).sum())
    assert not doubled.requires_grad
    assert doubled.numpy().shape == (3,)


GRADIENT, VALUE = 3 * array(X) ** 2, (array(X) ** 3).sum()
DERIVATIVES: dict[str, tuple[Callable[[Any], tuple[Any, Any]], Any]] = {
    "grad": (lambda f: grad(f, has_aux=True)(X), GRADIENT),
    "grad_and_value": (lambda f: (lambda g, pair: (g, pair[1]))(*grad_and_value(f, has_aux=True)(X)), GRADIENT),
    "vjp": (lambda f: (lambda out, pull, aux: (pull(double(1.0))[0], aux))(*vjp(f, X, has_aux=True)), GRADIENT),
    "jvp": (lambda f: jvp(f, (X,), (tp.ones_like(X),), has_aux=True)[1:], GRADIENT.sum()),
    "linearize": (
        lambda f: (lambda out, push, aux: (push(tp.ones_like(X)), aux))(*linearize(f, X, has_aux=True)),
        GRADIENT.sum(),
    ),
    "jacrev": (lambda f: jacrev(f, has_aux=True)(X), GRADIENT),
    "jacfwd": (lambda f: jacfwd(f, has_aux=True)(X), GRADIENT),
    "hessian": (lambda f: hessian(f, has_aux=True)(X), np.diag(6 * array(X))),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_aux_holds_anything(name: str) -> None:
    call, expected = DERIVATIVES[name]
    derivative, aux = call(with_aux)
    close(derivative, expected)
    check_aux(aux)


@pytest.mark.parametrize("name", DERIVATIVES)
def test_aux_is_a_variable_of_the_transforms_around(name: str) -> None:
    """d/dw of the sum of aux = x w, at one level below the transform that returns it."""
    call = DERIVATIVES[name][0]

    def total(w: tp.Tensor) -> tp.Tensor:
        return call(lambda x: ((x**3).sum(), {"text": "halfway", "product": x * w}))[1]["product"].sum()

    close(grad(total)(W), array(X))
    close(jvp(total, (W,), (W,))[1], (array(X) * array(W)).sum())
    close(vmap(total)(tp.stack([W, 2 * W])), [(array(X) * array(W)).sum(), 2 * (array(X) * array(W)).sum()])


@pytest.mark.parametrize("name", DERIVATIVES)
def test_value_comes_first(name: str) -> None:
    """As torch and JAX have it: the output, then the derivative, then aux."""
    f = lambda x: ((x**3).sum(), "aux")  # noqa: E731
    results: dict[str, Callable[[], Any]] = {
        "grad_and_value": lambda: grad_and_value(f, has_aux=True)(X)[1][0],
        "vjp": lambda: vjp(f, X, has_aux=True)[0],
        "jvp": lambda: jvp(f, (X,), (X,), has_aux=True)[0],
        "linearize": lambda: linearize(f, X, has_aux=True)[0],
    }
    if name in results:
        close(results[name](), VALUE)
    assert DERIVATIVES[name][0](f)[1] == "aux"


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: grad(f, has_aux=True),
        lambda f: jacrev(f, has_aux=True),
        lambda f: jacfwd(f, has_aux=True),
        lambda f: lambda x: jvp(f, (x,), (tp.ones_like(x),), has_aux=True)[1:],
    ],
)
@pytest.mark.parametrize("chunk_size", [None, 1])
def test_aux_under_vmap(transform: Any, chunk_size: Any) -> None:
    """What is no tensor passes where out_dims is None for it; else the message has its key path."""
    inner = transform(lambda x: ((x**3).sum(), {"text": "halfway", "product": x * 2, "model": MODEL}))
    dims = (0, {"text": None, "product": 1, "model": None})
    _, aux = vmap(inner, out_dims=dims, chunk_size=chunk_size)(SAMPLES)
    assert (aux["text"], aux["model"]) == ("halfway", MODEL)
    close(aux["product"], 2 * array(SAMPLES).T)
    with pytest.raises(ValueError, match=r"^vmap\(.*\): .* got a str at output\[1\]\['text'\].*give it out_dims=None"):
        vmap(inner, out_dims=(0, {"text": 0, "product": 0, "model": None}), chunk_size=chunk_size)(SAMPLES)


def test_aux_of_a_hessian_that_is_mapped() -> None:
    call = vmap(hessian(lambda x: ((x**3).sum(), (x.sum(), None)), has_aux=True))
    second, (total, none) = call(SAMPLES)
    close(second, np.stack([np.diag(6 * array(X)), np.diag(6 * array(X) + 6)]))
    close(total, array(SAMPLES).sum(1))
    assert none is None


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize(
    ("out", "shown"),
    [
        (X.sum(), r"a tensorplay.float64 tensor of shape \[\]"),
        ((X.sum(),), "a tuple of 1"),
        ((X.sum(), 1, 2), "a tuple of 3"),
        ([X.sum(), 1], "a list of 2"),
        (None, "a NoneType"),
    ],
)
def test_a_function_with_aux_returns_a_pair(name: str, out: Any, shown: str) -> None:
    words = rf"^{name}\(<lambda>\): with has_aux=True <lambda> must return a pair \(output, aux\), got {shown}"
    with pytest.raises(RuntimeError, match=words):
        DERIVATIVES[name][0](lambda x: out)
