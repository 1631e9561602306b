"""Errors: the function called, what was given, what was expected; never a crash, never a silently wrong number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.primitive import Primitive, registry
from tensorplay.func import (
    chunk_vmap,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)
from tensorplay.tensor.lift import lift
from tests.func.support import double, normal

X = normal(3, 4)


@pytest.fixture
def bare() -> Iterator[Callable[..., tp.Tensor]]:
    """An operator without any rule."""
    before = dict(registry)
    yield lift(Primitive("my_operator", lambda x: x * 2.0))
    registry.clear()
    registry.update(before)


# ---- missing rules ---------------------------------------------------------------------------------------------------


def test_no_batching_rule(bare: Callable[..., tp.Tensor]) -> None:
    assert bare(double([1.0])).tolist() == [2.0]
    with pytest.raises(NotImplementedError, match=r"my_operator.*batching rule"):
        vmap(bare)(X)


@pytest.mark.parametrize(
    ("direction", "call"),
    [
        ("forward", lambda f: jvp(f, (X,), (X,))),
        ("reverse", lambda f: grad(lambda x: f(x).sum())(X)),
        ("reverse", lambda f: f(X.clone().requires_grad_()).sum().backward()),
        ("forward", lambda f: linearize(f, X)[1](X)),
    ],
)
def test_no_derivative_rule(bare: Callable[..., tp.Tensor], direction: str, call: Any) -> None:
    with pytest.raises(NotImplementedError, match=rf"my_operator.*{direction}"):
        call(bare)


# ---- what a sample cannot tell ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "f"),
    [
        ("bool|if", lambda x: x if x.sum() > 0 else -x),
        ("bool|while", lambda x: [x := x + 1 for _ in iter(lambda: bool(x.sum() < 0), False)][-1]),
        ("bool", lambda x: x * bool(x[0])),
        ("int", lambda x: x * int(x[0])),
        ("float", lambda x: x * float(x[0])),
        ("item", lambda x: x * x[0].item()),
        ("tolist", lambda x: tp.tensor(x.tolist())),
        ("numpy", lambda x: tp.tensor(np.asarray(x))),
        ("numpy", lambda x: tp.from_numpy(x.numpy())),
    ],
)
def test_deciding_by_data(what: str, f: Any) -> None:
    with pytest.raises(RuntimeError, match=what) as caught:
        vmap(f)(X)
    assert "vmap" in str(caught.value)
    if what not in ("numpy",):
        assert "where" in str(caught.value)
        assert "cond" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "f"),
    [
        ("nonzero", lambda x: x.nonzero()),
        ("mask", lambda x: x[x > 0]),
        ("unique", lambda x: tp.unique(x)),
        ("masked_select", lambda x: tp.masked_select(x, x > 0)),
        ("argwhere", lambda x: tp.argwhere(x)),
        ("unique_consecutive", lambda x: tp.unique_consecutive(x)),
    ],
)
def test_shape_that_depends_on_data(name: str, f: Any) -> None:
    with pytest.raises(RuntimeError, match=rf"{name}.*at test_errors.py:\d+ on .* per-sample shape \[4\].*size="):
        vmap(f)(X)


def test_the_line_of_the_user_is_named() -> None:
    """Under other transforms, and from inside of the package's own functions."""

    def decide(x: Any) -> Any:
        if x.sum() > 0:
            return x
        return -x

    line = decide.__code__.co_firstlineno + 1
    stopped = rf"at test_errors.py:{line} on a tensor of per-sample shape \[\].* tp.where or tp.cond .*tp.while_loop"
    for call in (
        lambda: vmap(decide)(X),
        lambda: vmap(vmap(decide))(X[None]),
        lambda: vmap(jacrev(decide))(X),
        lambda: jacfwd(vmap(decide))(X),
        lambda: grad(lambda x: vmap(decide)(x).sum())(X),
        lambda: tp.map(decide, X, batch_size=2),
        lambda: vmap(lambda x: tp.cond(x[0] > 0, decide, decide, (x,)))(X),
        lambda: vmap(lambda x: tp.scan(lambda c, x: (c, decide(x)), x, x[None]))(X),
    ):
        with pytest.raises(RuntimeError, match=stopped):
            call()


@pytest.mark.parametrize(
    ("words", "f"),
    [
        (r"indexing with a boolean mask .*tp.masked_select\(x, mask, size=...\)", lambda x: x[x > 0]),
        (r"use as an index .*tp.arange\(length\)", lambda x: x[: (x > 0).sum()]),
        (r"assigning one value .*tp.masked_scatter", lambda x: x.clone().__setitem__(x > 0, x[:2])),
        (r"numpy\(\) at test_errors.py:\d+ on a tensor of shape \[4\]", lambda x: x.numpy()),
        (r"use as an index at test_errors", lambda x: [1, 2, 3][x.argmax()]),
        (r"use as an index at test_errors", lambda x: range(x.argmax())),
        (r"tolist\(\) at test_errors", lambda x: x.tolist()),
        (r"int\(\) at test_errors", lambda x: int(x[0])),
        (r"float\(\) at test_errors", lambda x: float(x[0])),
    ],
)
def test_ways_out(words: str, f: Any) -> None:
    with pytest.raises(RuntimeError, match=words):
        vmap(f)(X)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (RuntimeError, "nonzero.*size must not be negative, got -1", lambda: tp.nonzero(X, size=-1)),
        (TypeError, "unique.*size must be an int, got float", lambda: tp.unique(X, size=2.0)),
        (TypeError, "masked_select.*size must be an int", lambda: tp.masked_select(X, X > 0, size=True)),
        (RuntimeError, "nonzero.*an int, or a tuple of 2 ints, got 0.5", lambda: tp.nonzero(X, size=1, fill_value=0.5)),
        (RuntimeError, r"2 ints, got \(1, 2, 3\)", lambda: tp.argwhere(X, size=1, fill_value=(1, 2, 3))),
        (RuntimeError, "value must be a number", lambda: tp.masked_select(X, X > 0, size=1, fill_value=X)),
        (RuntimeError, "unique.*give a fill_value", lambda: tp.unique(X[:0], size=1)),
    ],
)  # fmt: skip
def test_sizes_that_do_not_fit(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()


def test_unmapped_data_may_decide() -> None:
    flag = double([1.0, 0.0])
    assert vmap(lambda x, m: x[m > 0] if bool(m[0]) else x, in_dims=(0, None))(X[:, :2], flag).shape == (3, 1)


def test_random_operations() -> None:
    with pytest.raises(RuntimeError, match=r"vmap.*randomness='error'.*different.*same"):
        vmap(lambda x: x + tp.rand(4))(X)


# ---- arguments of vmap -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("randomness", "'often'"), lambda: vmap(tp.sin, randomness="often")(X)),
        (("in_dims", "2 entries", "1 positional"), lambda: vmap(tp.sin, in_dims=(0, 0))(X)),
        (("in_dims", "dim 2", "argument[0]", "[3, 4]"), lambda: vmap(tp.sin, in_dims=2)(X)),
        (("in_dims", "dim -3", "argument[0]"), lambda: vmap(tp.sin, in_dims=-3)(X)),
        (("in_dims", "{'a': 0}", "tuple"), lambda: vmap(lambda p: p["a"], in_dims={"a": 0})({"a": X})),
        (("in_dims", "structure"), lambda: vmap(lambda p: p["a"], in_dims=({"b": 0},))({"a": X})),
        (("in_dims", "1.5"), lambda: vmap(tp.sin, in_dims=(1.5,))(X)),
        (("in_dims", "argument[0]"), lambda: vmap(tp.sin)(double(1.0))),
        (("no argument is mapped",), lambda: vmap(tp.sin, in_dims=None)(X)),
        (("no argument is mapped",), lambda: vmap(tp.sin, in_dims=(None,))(X)),
        (("no argument is mapped",), lambda: vmap(lambda: X)()),
        (("3", "4", "argument[0]", "argument[1]['w']"), lambda: vmap(lambda a, p: a, (0, 1))(X, {"w": X})),
        (("argument[1]", "float", "in_dims=None"), lambda: vmap(lambda a, b: a * b)(X, 2.0)),
        (("argument[1]['k']", "str"), lambda: vmap(lambda a, b: a)(X, {"k": "text"})),
        (("out_dims", "dim 2", "output"), lambda: vmap(tp.sin, out_dims=2)(X)),
        (("out_dims", "structure"), lambda: vmap(lambda x: (x, x), out_dims=(0, 0, 0))(X)),
        (("out_dims", "structure"), lambda: vmap(tp.sin, out_dims=(0, 0))(X)),
        (("out_dims=None", "output[1]", "differs"), lambda: vmap(lambda x: (x, x), out_dims=(0, None))(X)),
        (("must return tensors", "float", "output[1]"), lambda: vmap(lambda x: (x, 2.0))(X)),
        (("chunk_size", "0"), lambda: vmap(tp.sin, chunk_size=0)(X)),
        (("chunks", "0"), lambda: chunk_vmap(tp.sin, chunks=0)(X)),
    ],
)
def test_vmap_arguments(words: tuple[str, ...], call: Any) -> None:
    with pytest.raises(ValueError, match="vmap") as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_function_is_named_as_the_user_wrote_it() -> None:
    def predict(x: tp.Tensor) -> tp.Tensor:
        return x

    with pytest.raises(ValueError, match=r"^vmap\(predict, in_dims=\(0, 0\)\)"):
        vmap(predict, in_dims=(0, 0))(X)
    with pytest.raises(RuntimeError, match=r"^grad\(predict\)"):
        grad(predict)(X)


# ---- derivatives -----------------------------------------------------------------------------------------------------


def test_gradient_needs_a_scalar() -> None:
    for transform in (grad, grad_and_value):
        with pytest.raises(RuntimeError, match=r"scalar.*\[3, 4\].*jacrev.*vjp"):
            transform(tp.sin)(X)
        with pytest.raises((RuntimeError, TypeError), match=r"float|tensor"):
            transform(lambda x: 1.0)(X)
        with pytest.raises((RuntimeError, TypeError), match="tensor"):
            transform(lambda x: (x.sum(), x.sum()))(X)
        with pytest.raises(RuntimeError, match=r"int64|floating"):
            transform(lambda x: x.sum().long())(X)
        with pytest.raises(RuntimeError, match=r"real output.*complex128.*vjp"):
            transform(lambda x: x.sum() * 1j)(X)
    with pytest.raises(RuntimeError, match=r"backward.*real.*complex128"):
        (X.clone().requires_grad_().sum() * 1j).backward()


@pytest.mark.parametrize(
    "transform",
    [grad, grad_and_value, jacrev, jacfwd, hessian, lambda f: lambda x: vjp(f, x), lambda f: lambda x: linearize(f, x)],
)
def test_integer_and_other_arguments(transform: Any) -> None:
    with pytest.raises(RuntimeError, match=r"int64.*floating"):
        transform(lambda x: (x * 1.0).sum())(tp.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="bool"):
        transform(lambda x: (x * 1.0).sum())(tp.tensor([True]))
    with pytest.raises(TypeError, match="float"):
        transform(lambda x: tp.tensor(x))(2.0)
    with pytest.raises(TypeError, match=r"\['b'\].*str"):
        transform(lambda p: p["a"])({"a": double(1.0), "b": "text"})


@pytest.mark.parametrize("transform", [grad, grad_and_value, jacrev, jacfwd, hessian])
def test_argnums(transform: Any) -> None:
    f = lambda x, y: (x * y).sum()  # noqa: E731
    for argnums in (2, -3, (0, 2)):
        with pytest.raises(IndexError, match=r"argnums.*2 positional"):
            transform(f, argnums)(X, X)
    for argnums in ("x", 1.0, True, (0, "x")):
        with pytest.raises(TypeError, match="argnums"):
            transform(f, argnums)(X, X)
    for argnums in ((), (0, 0), (0, -2)):
        with pytest.raises(ValueError, match="argnums"):
            transform(f, argnums)(X, X)


def test_output_that_is_no_tensor() -> None:
    for call in (
        lambda f: vjp(f, X),
        lambda f: jvp(f, (X,), (X,)),
        lambda f: linearize(f, X),
        lambda f: jacrev(f)(X),
        lambda f: jacfwd(f)(X),
    ):
        with pytest.raises(TypeError, match=r"\[1\].*has_aux|float.*has_aux"):
            call(lambda x: (x, 2.0))


def test_aux_must_be_a_pair() -> None:
    for call in (
        lambda f: grad(f, has_aux=True)(X),
        lambda f: grad_and_value(f, has_aux=True)(X),
        lambda f: jacrev(f, has_aux=True)(X),
        lambda f: jacfwd(f, has_aux=True)(X),
        lambda f: vjp(f, X, has_aux=True),
        lambda f: jvp(f, (X,), (X,), has_aux=True),
    ):
        with pytest.raises(RuntimeError, match=r"has_aux.*pair"):
            call(lambda x: x.sum())


@pytest.mark.parametrize(
    ("words", "tangent"),
    [
        (("[0]", "[3, 4]", "[4, 3]"), X.T),
        (("[0]", "float64", "float32"), X.float()),
        (("[0]", "float"), 1.0),
        (("structure",), [X]),
    ],
)
def test_tangents_must_match(words: tuple[str, ...], tangent: Any) -> None:
    with pytest.raises((ValueError, RuntimeError), match=r"jvp.*tangents") as caught:
        jvp(tp.sin, (X,), (tangent,))
    for word in words:
        assert word in str(caught.value)


def test_primals_and_tangents_are_tuples() -> None:
    with pytest.raises(TypeError, match=r"jvp.*tuple"):
        jvp(tp.sin, X, X)
    with pytest.raises((ValueError, RuntimeError), match="structure"):
        jvp(lambda x, y: x, (X, X), (X,))


def test_cotangents_must_match() -> None:
    _, pull = vjp(lambda x: {"s": x.sum(), "x": x}, X)
    ones = tp.ones_like(X)
    for bad, words in (
        ({"s": double([1.0]), "x": ones}, ("['s']", "expected []", "[1]")),
        ({"s": double(1.0), "x": ones.float()}, ("['x']", "float64", "float32")),
        ({"s": double(1.0)}, ("structure",)),
        ((double(1.0), ones), ("structure",)),
        ({"s": 1.0, "x": ones}, ("['s']", "float")),
    ):
        with pytest.raises((ValueError, RuntimeError), match=r"vjp.*cotangent") as caught:
            pull(bad)
        for word in words:
            assert word in str(caught.value)


@pytest.mark.parametrize("transform", [jacrev, jacfwd])
def test_jacobian_chunk_size(transform: Any) -> None:
    for chunk_size in (0, -1, 1.5):
        with pytest.raises(ValueError, match="chunk_size"):
            transform(tp.sin, chunk_size=chunk_size)(X)


def test_jacfwd_randomness() -> None:
    with pytest.raises(ValueError, match=r"randomness.*'often'"):
        jacfwd(tp.sin, randomness="often")


# ---- ordinary autograd inside transforms -----------------------------------------------------------------------------


def test_backward_on_a_traced_tensor() -> None:
    def calls_backward(x: tp.Tensor) -> tp.Tensor:
        (x**2).sum().backward()
        return x.sum()

    def calls_autograd(x: tp.Tensor) -> tp.Tensor:
        return tp.autograd.grad((x**2).sum(), x)[0].sum()

    for f in (calls_backward, calls_autograd):
        for call in (
            lambda f: vmap(f)(X),
            lambda f: grad(f)(X),
            lambda f: jvp(f, (X,), (X,)),
            lambda f: linearize(f, X),
            lambda f: jacrev(f)(X),
        ):
            with pytest.raises(RuntimeError, match=r"tp\.func\.grad|func\.vjp"):
                call(f)


def test_requires_grad_on_a_traced_tensor() -> None:
    with pytest.raises(RuntimeError, match="grad"):
        vmap(lambda x: x.requires_grad_())(X)


def test_backward_of_what_does_not_require_grad() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        double(1.0).backward()
    with pytest.raises(RuntimeError, match=r"integer|floating"):
        tp.tensor([1]).requires_grad_()


# ---- escapes ---------------------------------------------------------------------------------------------------------


def test_mapped_tensor_that_escaped() -> None:
    kept = []
    vmap(lambda x: (kept.append(x), x)[1])(X)
    for use in (lambda x: x + 1, lambda x: x.sum(), lambda x: x.numpy(), lambda x: x.item(), lambda x: vmap(tp.sin)(x)):
        with pytest.raises(RuntimeError, match=r"vmap.*returned"):
            use(kept[0])
    assert isinstance(repr(kept[0]), str)


def test_tensor_that_escaped_a_derivative_is_plain() -> None:
    for transform in (
        lambda f: grad(f)(X),
        lambda f: jvp(f, (X,), (X,)),
        lambda f: vjp(f, X),
        lambda f: linearize(f, X),
        lambda f: jacfwd(f)(X),
    ):
        kept = []
        transform(lambda x, kept=kept: (kept.append(x * 2), x.sum())[1])
        (escaped,) = kept
        assert not escaped.requires_grad
        np.testing.assert_array_equal(escaped.numpy(), 2 * X.numpy())
        np.testing.assert_array_equal((escaped + 1).numpy(), 2 * X.numpy() + 1)
        assert isinstance(escaped[0, 0].item(), float)


# ---- other -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "transform",
    [
        *(vmap, chunk_vmap, grad, grad_and_value, jacrev, jacfwd, hessian, functionalize),
        lambda func: vjp(func, X),
        lambda func: jvp(func, (X,), (X,)),
        lambda func: linearize(func, X),
    ],
)
def test_functions_must_be_callable(transform: Any) -> None:
    """It is said when the transform is made, not when its result is called."""
    for given, shown in ((3, "an int"), (X, r"a tensorplay\.float64 tensor of shape \[3, 4\]")):
        with pytest.raises(TypeError, match=rf"^\w+\(\): expected a callable as func, got {shown}$"):
            transform(given)


def test_articles_of_what_was_given() -> None:
    for given, words in ((3, "an int"), (None, "a NoneType"), (np.ones(2), "an ndarray"), ("x", "a str")):
        with pytest.raises(TypeError, match=f"got {words}"):
            vmap(given)
