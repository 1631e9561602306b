"""Rules that are wrong on purpose: each law must catch its own kind of mistake, and must pass what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive, registry
from tensorplay.core.value import Value, ground
from tensorplay.ops import families
from tensorplay.ops.elementwise import cos, sin
from tensorplay.tensor.lift import lift
from tests.laws import checks, test_inplace, test_value
from tests.laws.cases import random_numbers
from tests.laws.checks import Function
from tests.opdb import OpRecord, Sample

X = np.array([[0.3, -1.1, 0.7], [0.9, 0.2, -0.4]])
A, B = np.arange(6.0).reshape(2, 3) / 7, np.arange(12.0).reshape(3, 4) / 5 - 1
Derivative = Callable[[Value, Value], LinearMap]


@pytest.fixture(autouse=True)
def _unregistered() -> Iterator[None]:
    """Forget the planted primitives afterwards."""
    before = dict(registry)
    yield
    registry.clear()
    registry.update(before)


def one(op: Callable[..., Value]) -> Function:
    """An op on values as a function of tensors that returns a tuple."""
    lifted = lift(op)
    return lambda *args: (lifted(*args),)


def versions(*arrays: Any) -> list[list[Any]]:
    """Three versions of each array."""
    return [checks.versions(array, 3) for array in arrays]


def sine(partial: Any) -> Function:
    """Sine with a stated partial."""
    return one(families.elementwise("planted", np.sin, [partial]))


def sine_by_map(push: Any, pull: Any) -> Function:
    """Sine whose two directions are stated apart."""
    prim = Primitive("planted", np.sin)
    prim.derivative(lambda out, x: LinearMap(lambda t: push(x, t), lambda ct: (pull(x, ct),)))
    prim.batch(lambda size, args, mapped: (prim(args[0]), True))
    return one(prim)


def scaled(x: Value, t: Value, factor: float = 1.0) -> Value:
    """cos(x)·t·factor."""
    return families.mul(families.mul(cos(x), t), factor)


def test_what_is_right_passes() -> None:
    """Every checker accepts a right rule."""
    for function in (sine(lambda _out, x: cos(x)), one(sin)):
        random = random_numbers()
        batches = versions(X)
        checks.check_derivative(function, [X], random)
        checks.check_adjoint(function, [X], random)
        checks.check_batch(function, batches)
        for check in PAIRS:
            check(function, batches, random)
        for check in ORDERS:
            check(function, [X], random)
        checks.check_linearize(function, [X], random)
        checks.check_jacobians(function, [X])


PAIRS = (
    checks.check_vmap_of_vjp,
    checks.check_vmap_of_jvp,
    checks.check_vjp_of_vmap,
    checks.check_jvp_of_vmap,
    checks.check_vmap_of_jvp_of_vjp,
)
ORDERS = (checks.check_jvp_of_vjp, checks.check_second_orders)


@pytest.mark.parametrize(
    "partial",
    [lambda _out, x: families.mul(cos(x), 1.0001), lambda _out, x: sin(x), lambda _out, _x: 1],
    ids=["one_in_ten_thousand", "other_function", "constant"],
)
def test_wrong_partial(partial: Any) -> None:
    """The family derives both directions from one expression, so only the numeric derivative sees it."""
    function = sine(partial)
    checks.check_adjoint(function, [X], random_numbers())
    with pytest.raises(AssertionError, match="finite differences"):
        checks.check_derivative(function, [X], random_numbers())


def test_missing_partial() -> None:
    """An argument that is said not to matter; the derivative law moves each alone."""
    product = one(families.elementwise("planted", np.multiply, [lambda _out, _x, y: y, None]))
    checks.check_adjoint(product, [X, X + 1], random_numbers())
    with pytest.raises(AssertionError, match="finite differences"):
        checks.check_derivative(product, [X, X + 1], random_numbers())


def test_wrong_pull() -> None:
    """An error of one in ten million in one direction."""
    function = sine_by_map(scaled, lambda x, ct: scaled(x, ct, 1 + 1e-7))
    checks.check_derivative(function, [X], random_numbers())
    with pytest.raises(AssertionError, match="pull ct"):
        checks.check_adjoint(function, [X], random_numbers())
    with pytest.raises(AssertionError, match="jacrev"):
        checks.check_jacobians(function, [X])


def test_pull_without_conjugate() -> None:
    """The adjoint of a complex derivative is its conjugate transpose."""
    z = X + 0.4j
    function = sine_by_map(scaled, scaled)
    checks.check_adjoint(function, [X], random_numbers())
    with pytest.raises(AssertionError, match="pull ct"):
        checks.check_adjoint(function, [z], random_numbers())


def test_wrong_second_derivative() -> None:
    """A derivative that is right as a number, but hides from the next level what it depends on."""
    frozen = sine_by_map(
        lambda x, t: families.mul(np.cos(ground(x)), t), lambda x, ct: families.mul(np.cos(ground(x)), ct)
    )
    checks.check_derivative(frozen, [X], random_numbers())
    checks.check_adjoint(frozen, [X], random_numbers())
    with pytest.raises(AssertionError):
        checks.check_jvp_of_vjp(frozen, [X], random_numbers())


def test_one_second_order_wrong() -> None:
    """Push and pull whose own derivatives disagree: the four second derivatives are not one form."""
    function = sine_by_map(scaled, lambda x, ct: families.mul(np.cos(ground(x)), ct))
    with pytest.raises(AssertionError, match="vjp"):
        checks.check_second_orders(function, [X], random_numbers())


def test_wrong_transpose() -> None:
    """A structural op with another permutation's transpose."""
    prim = families.structural(
        "planted",
        lambda x: x[:, ::-1],
        transpose=lambda ct, x: ct,
        batch=lambda size, args, mapped: (args[0], True),
    )
    with pytest.raises(AssertionError, match="pull ct"):
        checks.check_adjoint(one(prim), [X], random_numbers())


@pytest.mark.parametrize("wrong", [0, 1])
def test_wrong_transpose_of_a_bilinear_op(wrong: int) -> None:
    """One of two transposes is off, in the argument that is then differentiated alone."""

    def matmul(x: Value, y: Value) -> Value:
        return prim(x, y)

    def transposed(value: Value) -> Value:
        return families.permute(value, dims=(1, 0))

    transposes = [lambda ct, x, y: matmul(ct, transposed(y)), lambda ct, x, y: matmul(transposed(x), ct)]
    right = transposes[wrong]
    transposes[wrong] = lambda ct, x, y: families.mul(right(ct, x, y), 2.0)
    prim = families.bilinear("planted", np.matmul, (transposes[0], transposes[1]), lambda *_: (None, True))
    with pytest.raises(AssertionError, match="pull ct"):
        checks.check_adjoint(one(prim), [A, B], random_numbers())


def total(batch: Callable[[int, Sequence[Value], Sequence[bool]], tuple[Value, bool]]) -> Function:
    """Sum over the last dim with a stated batching rule."""
    prim = Primitive("planted", lambda x: x.sum(-1))
    prim.batch(batch)
    return one(prim)


@pytest.mark.parametrize(
    "batch",
    [
        lambda size, args, mapped: (families.sum_dims(args[0], dims=(0,)), True),
        lambda size, args, mapped: (families.sum_dims(args[0], dims=(1,)), True),
        lambda size, args, mapped: (families.sum_dims(args[0], dims=(0, 2)), False),
    ],
    ids=["sums_the_batch", "other_dim", "claims_unmapped"],
)
def test_wrong_batch_rule(batch: Any) -> None:
    """The wrong dim."""
    with pytest.raises((AssertionError, RuntimeError, ValueError)):
        checks.check_batch(total(batch), versions(X[:2, :2]))


def test_batch_rule_that_ignores_one_mix() -> None:
    """Right where both arguments are mapped, and where the first is."""

    def batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
        if not mapped[0]:
            return families.mul(*args), True
        return families.mul(*families.align_ranks(args, mapped)), True

    prim = Primitive("planted", np.multiply)
    prim.batch(batch)
    square, row = X[:, :2], X[0, :2]
    checks.check_batch(one(families.mul), versions(square, row))
    with pytest.raises((AssertionError, RuntimeError)):
        checks.check_batch(one(prim), versions(square, row))


def test_batch_rule_that_leaves_a_shared_argument_short() -> None:
    """A shared argument lacks the batch dim: right for one map, wrong where another one maps over it."""

    def batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
        return prim(*(args if mapped[0] else families.all_mapped(size, args, mapped))), True

    prim = Primitive("planted", np.multiply)
    prim.batch(batch)
    square = np.arange(9.0).reshape(3, 3)
    with pytest.raises(AssertionError, match=r"vmap\(vmap\) over \('inner and outer', 'outer'\)"):
        checks.check_batch(one(prim), versions(square, square + 1))


def test_batch_rule_that_fails_when_empty() -> None:
    """A batch of none has the shapes of one."""
    function = total(lambda size, args, mapped: (families.sum_dims(args[0], dims=(2,) if size else (1, 2)), True))
    with pytest.raises(AssertionError, match="batch of 0"):
        checks.check_batch(function, versions(X))


def test_batch_rule_that_repeats_the_first_sample() -> None:
    """Samples differ, so that a rule cannot get by with one of them."""

    def batch(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> tuple[Value, bool]:
        first = np.asarray(ground(args[0]))[:1]
        return np.broadcast_to(first.sum(-1), (size, *first.shape[1:-1])), True

    with pytest.raises(AssertionError, match="vmap"):
        checks.check_batch(total(batch), versions(X))


def test_derivative_claimed_zero() -> None:
    """An op that says it has no derivative, and one whose derivative is not zero."""
    prim = Primitive("planted", np.sin, differentiable=False)
    checks.check_no_derivative(one(prim), [X], random_numbers())
    with pytest.raises(AssertionError, match="expected zero"):
        checks.check_no_derivative(one(sin), [X], random_numbers())


def test_wrong_value() -> None:
    """The value law compares with the reference, and sees a write to an input."""
    record = OpRecord("sin", np.cos, lambda random: [Sample((X,))])
    with pytest.raises(AssertionError):
        test_value.test_value(record)


def test_input_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """An op that scribbles on its argument."""

    def scribble(x: tp.Tensor) -> tp.Tensor:
        out = tp.cos(x)
        x.numpy()[...] = 0
        return out

    monkeypatch.setattr(tp, "sin", scribble)
    with pytest.raises(AssertionError, match="wrote to its input"):
        test_value.test_value(OpRecord("sin", np.cos, lambda random: [Sample((X,))]))


def test_result_that_shares_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that does not know it is one, and memory that cannot be written."""
    record = OpRecord("sin", np.sin, lambda random: [Sample((X,))])
    test_value.test_memory(record)
    for wrong in (lambda x: x[::-1], lambda x: np.broadcast_to(x.sum(), x.shape)):
        monkeypatch.setattr(tp, "sin", lambda x, wrong=wrong: tp.from_numpy(wrong(x.numpy())))
        with pytest.raises(AssertionError, match="output 0"):
            test_value.test_memory(record)


def test_in_place_that_does_not_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """An in-place method that returns a new tensor, or writes to its own view alone."""
    record = OpRecord("sin", np.sin, lambda random: [Sample((X,))], inplace=True)
    test_inplace.test_on_itself(record)
    test_inplace.test_through_views(record)
    monkeypatch.setattr(tp.Tensor, "sin_", lambda self: self.sin())
    with pytest.raises(AssertionError):
        test_inplace.test_on_itself(record)
    with pytest.raises(AssertionError):
        test_inplace.test_through_views(record)
