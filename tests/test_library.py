"""Operators of a user's own: missing rules are refused by name, given ones are used."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import library
from tensorplay.core.primitive import registry
from tensorplay.func import grad, hessian, jvp, vmap


def new() -> Any:
    @library.custom_op("tests::twice", mutates_args=())
    def twice(x: Any, times: int = 1) -> Any:
        """Two times."""
        return x.numpy() * 2 * times

    return twice


def test_an_operator_is_called_as_its_kernel() -> None:
    twice = new()
    assert twice.__name__ == "twice"
    assert twice.__doc__ == "Two times."
    assert repr(twice) == "<operator tests::twice>"
    assert twice(tp.tensor(1.5)).item() == 3.0
    assert twice(times=2, x=tp.tensor([1.5])).tolist() == [6.0]
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        twice()


def test_missing_rules_are_refused_by_name() -> None:
    twice, x = new(), tp.tensor(1.0)
    cases = {
        "batching rule. Give it one with register_vmap": lambda: vmap(twice)(tp.ones(2)),
        "reverse-mode derivative. Give it one with register_autograd": lambda: grad(twice)(x),
        "forward-mode derivative. Give it one with register_jvp or register_autograd": lambda: jvp(twice, (x,), (x,)),
    }
    for message, call in cases.items():
        with pytest.raises(NotImplementedError, match=f"tests::twice: this operator has no {message}"):
            call()
    with pytest.raises(NotImplementedError, match="tests::twice: this operator has no reverse-mode derivative"):
        twice(tp.tensor(1.0, requires_grad=True)).backward()


def test_each_rule_is_used_once_it_is_there() -> None:
    twice, x = new(), tp.tensor([1.0, 2.0])
    twice.register_vmap()(lambda info, in_dims, x, times: (twice(x, times), in_dims[0]))
    assert vmap(lambda x: twice(x, 2))(x).tolist() == [4.0, 8.0]
    library.register_autograd("tests::twice", lambda ctx, ct: (20 * ct, None))
    assert vmap(grad(twice))(x).tolist() == [20.0, 20.0]
    library.register_jvp(twice, lambda ctx, dot, _: 30 * dot)
    assert jvp(twice, (x,), (x,))[1].tolist() == [30.0, 60.0]
    assert grad(twice)(x[0]).item() == 20.0


def test_rules_read_what_setup_context_keeps() -> None:
    @library.custom_op("tests::cube")
    def cube(x: Any) -> Any:
        return x.numpy() ** 3

    keep = lambda ctx, inputs, output: ctx.save_for_backward(*inputs)  # noqa: E731
    cube.register_autograd(lambda ctx, ct: 3 * ctx.saved_tensors[0] ** 2 * ct, setup_context=keep)
    assert hessian(cube)(tp.tensor(2.0)).item() == 12.0


def test_results_do_not_alias_arguments() -> None:
    same = library.custom_op("tests::same", lambda x: (x, x[1:]))
    x = tp.tensor([1.0, 2.0])
    whole, part = same(x)
    whole.add_(1)
    part.add_(1)
    assert x.tolist() == [1.0, 2.0]


def test_a_name_belongs_to_the_latest_operator_that_lives() -> None:
    before = set(registry)
    first = new()
    second = new()
    library.register_jvp("tests::twice", lambda ctx, dot, _: dot)
    x = tp.tensor(1.0)
    assert jvp(second, (x,), (x,))[1].item() == 1.0
    with pytest.raises(NotImplementedError):
        jvp(first, (x,), (x,))
    del first, second
    gc.collect()
    with pytest.raises(ValueError, match=r"register_jvp\(\): there is no operator 'tests::twice'"):
        library.register_jvp("tests::twice", lambda ctx, dot: dot)
    assert set(registry) == before


def test_what_is_refused() -> None:
    for name in ("twice", "a::b::c", "::b", 3):
        with pytest.raises(ValueError, match=r"custom_op\(\): expected a name with its namespace"):
            library.custom_op(name)
    with pytest.raises(NotImplementedError, match="kernels write to no argument"):
        library.custom_op("tests::write", mutates_args={"x"})
    with pytest.raises(TypeError, match="expected a callable as fn, got int"):
        library.custom_op("tests::none", 3)
    with pytest.raises(TypeError, match=r"register_autograd\(\): expected a callable as backward, got NoneType"):
        new().register_autograd(None)
    with pytest.raises(TypeError, match="tests::bad: the kernel must return a tensor or a tuple of tensors, got list"):
        library.custom_op("tests::bad", lambda x: [x])(tp.ones(1))


def test_several_results() -> None:
    parts = library.custom_op("tests::parts", lambda x: (x.numpy() * 2, x.numpy() > 0))
    parts.register_autograd(lambda ctx, ct, _: 2 * ct)
    doubled, positive = parts(tp.tensor([1.0, -1.0]))
    assert positive.tolist() == [True, False]
    np.testing.assert_array_equal(grad(lambda x: parts(x)[0].sum())(tp.ones(2)).numpy(), [2.0, 2.0])
    assert doubled.dtype is tp.float32
