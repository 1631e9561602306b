"""Calls of functions: names of arguments, `out=`, and errors that name the argument at fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tests.func.support import array, close, normal

X = normal(3, 4)


@pytest.mark.parametrize(
    ("call", "same"),
    [
        (lambda: tp.sum(X, axis=0), lambda: tp.sum(X, dim=0)),
        (lambda: X.sum(axis=0, keepdims=True), lambda: X.sum(dim=0, keepdim=True)),
        (lambda: X.mean(axis=-1), lambda: X.mean(-1)),
        (lambda: tp.cat([X, X], axis=1), lambda: tp.cat([X, X], 1)),
        (lambda: tp.softmax(X, axis=0), lambda: tp.softmax(X, 0)),
        (lambda: tp.sin(x=X), lambda: tp.sin(X)),
        (lambda: tp.mul(x1=X, x2=X), lambda: X * X),
        (lambda: tp.unsqueeze(x=X, axis=1), lambda: X.unsqueeze(1)),
        (lambda: tp.sum(X, axis=1, out=tp.empty(3, dtype=tp.float64)), lambda: X.sum(1)),
        (lambda: tp.sum(X, tp.tensor(1)), lambda: X.sum(1)),
        (lambda: tp.sum(X, np.int64(1)), lambda: X.sum(1)),
    ],
)
def test_numpys_names_of_arguments(call: Callable[[], tp.Tensor], same: Callable[[], tp.Tensor]) -> None:
    close(call(), array(same()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tp.sum([1, 2]), r"sum\(\): argument 'input' must be a Tensor, got list of int"),
        (lambda: tp.sum(None), r"sum\(\): argument 'input' must be a Tensor, got NoneType"),
        (lambda: X.sum("rows"), r"sum\(\): argument 'dim' must be an int or a sequence of ints, got str"),
        (lambda: X.sum(1.5), r"sum\(\): argument 'dim' .* got float"),
        (lambda: tp.cat([X, 1]), r"cat\(\): argument 'tensors' must be a sequence of Tensors, got list of Tensor, int"),
        (lambda: tp.cat(X), r"cat\(\): expected a list or tuple of tensors"),
        (lambda: tp.stack(X), r"stack\(\): expected a list or tuple of tensors"),
        (lambda: tp.hstack([X, None]), r"hstack\(\): argument 'tensors' .* got list of NoneType, Tensor"),
        (lambda: tp.reshape([1], (1,)), r"reshape\(\): argument 'input' must be a Tensor"),
        (lambda: X.transpose(0, "b"), r"transpose\(\): argument 'dim1' must be an int or None, got str"),
        (lambda: tp.where(X > 0, "a", X), r"where\(\): operand 1 .* got str"),
        (lambda: tp.sin(), r"sin\(\).*'input'"),
        (lambda: tp.unsqueeze(dim=0), r"unsqueeze\(\).*'input'"),
        (lambda: tp.sin(X, wrong=1), r"sin\(\).*'wrong'"),
        (lambda: tp.sum(X, axis=0, dim=0), r"sum\(\).*'axis'"),
        (lambda: tp.linalg.matrix_power(tp.eye(2), 1.5), r"matrix_power\(\): argument 'n' must be an int, got float"),
        (lambda: tp.sin(X, out=3), r"sin\(out=\.\.\.\): expected a tensor"),
        (lambda: tp.max(X, 0, out=X), r"max\(out=\.\.\.\): expected a tuple of 2 tensors"),
        (lambda: tp.nn.functional.leaky_relu(X, "a", inplace=True), r"leaky_relu\(\)"),
    ],
)
def test_arguments_of_a_wrong_type(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()
    close(X, array(normal(3, 4)))


def test_out_takes_what_fits() -> None:
    for out in (tp.empty(3, 4, dtype=tp.int64), tp.empty(4), tp.empty(2, 3, 4)):
        with pytest.raises(RuntimeError, match=r"sin\(out=\.\.\.\).*does not fit"):
            tp.sin(X, out=out)
    out = tp.empty(3, 4)
    assert tp.sin(X, out=out) is out
    np.testing.assert_allclose(array(out), np.sin(array(X)), rtol=1e-6)


def test_a_failing_call_is_evaluated_once() -> None:
    generator = tp.Generator().manual_seed(3)
    with pytest.raises(TypeError, match=r"normal\(\)"):
        tp.normal(X, object(), generator=generator)
    assert tp.rand(1, generator=generator).item() == tp.rand(1, generator=tp.Generator().manual_seed(3)).item()


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: tp.sum(X, wrong=1),
            TypeError,
            r"sum\(\): got an unexpected keyword .*'wrong'\. Expected sum\(input, dim=None",
        ),
        (lambda: tp.mul(X), TypeError, r"mul\(\): missing a required argument: 'other'\. Expected mul\(input, other\)"),
        (lambda: tp.softmax("x", 0), TypeError, r"softmax\(\): argument 'input' must be a Tensor, got str"),
        (lambda: tp.nn.functional.softmax([1.0], 0), TypeError, r"softmax\(\): argument 'input' must be a Tensor"),
        (lambda: tp.atleast_1d(1.5), TypeError, r"atleast_1d\(\): expected tensors, got float at position 0"),
        (lambda: tp.squeeze(np.ones(2)), TypeError, r"squeeze\(\).*a NumPy array of shape \[2\].*tp\.from_numpy"),
        (lambda: tp.zeros(2, dtype="x"), TypeError, r"zeros\(\): expected a dtype such as tp\.float32, got 'x'"),
        (lambda: tp.zeros(2, device="cuda"), RuntimeError, r"zeros\(\): device 'cuda' is not available"),
        (lambda: tp.zeros(10**15), RuntimeError, r"zeros\(\): not enough memory .*size=\(1000000000000000,\)"),
        (lambda: tp.addcmul(X, X[:2], X), RuntimeError, r"addcmul\(\): mul\(\): shapes \[2, 4\], \[3, 4\] do not"),
        (lambda: tp.cholesky(X, wrong=1), TypeError, r"^cholesky\(\): "),
        (lambda: X.unfold(0), TypeError, r"^Tensor\.unfold\(\) missing"),
        (lambda: tp.nn.Linear("a", 3), TypeError, r"Linear\(\): argument 'in_features' must be an int, got str"),
        (
            lambda: tp.nn.Linear(3),
            TypeError,
            r"Linear\(\): missing .*'out_features'\. Expected Linear\(in_features, out_",
        ),
        (
            lambda: tp.nn.BatchNorm1d(3)([1.0]),
            TypeError,
            r"BatchNorm1d\(\): argument 'input' must be a Tensor, got list",
        ),
        (lambda: tp.nn.MultiheadAttention(5, 2), ValueError, r"embed_dim=5 must be divisible by num_heads=2"),
        (lambda: tp.nn.MultiheadAttention(5, 2), AssertionError, "divisible"),
    ],
)
def test_what_python_and_numpy_would_say_otherwise(
    call: Callable[[], Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_errors_of_functions_that_a_caller_passes_are_theirs() -> None:
    def distance(x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match=r"^'mine'$"):
        tp.nn.functional.triplet_margin_with_distance_loss(X, X, X, distance_function=distance)

    class Mine(tp.nn.Module):
        def forward(self, x: tp.Tensor) -> tp.Tensor:
            return x.nothing  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(AttributeError, match="nothing"):
        tp.nn.Sequential(Mine())(X)


def test_errors_inside_a_map_say_whose_shapes_they_tell() -> None:
    def loss(row: tp.Tensor) -> tp.Tensor:
        return row @ tp.ones(3, dtype=tp.float64)

    with pytest.raises(
        RuntimeError, match=r"matmul\(\).* \[4\].* \[3\].*\(inside vmap\(loss\); shapes are those of one sample\)"
    ):
        tp.func.vmap(loss)(X)
    with pytest.raises(RuntimeError, match=r"inside vmap\(loss\)"):
        tp.func.vmap(tp.func.grad(loss))(X)
    with pytest.raises(RuntimeError, match=r"of \[3\]$"):
        loss(X[0])


def test_inplace_with_the_input_by_name() -> None:
    x = tp.tensor([-1.0, 2.0])
    assert tp.nn.functional.relu(input=x, inplace=True) is x
    assert x.tolist() == [0.0, 2.0]
    with pytest.raises(TypeError, match=r"relu\(\): argument 'inplace' must be a bool, got a .* tensor of shape \[2\]"):
        tp.nn.functional.relu(x, x)
