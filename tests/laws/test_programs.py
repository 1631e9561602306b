"""Random programs: ops, views and writes in any order, under the same laws as single ops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import func
from tests.laws import checks
from tests.laws.cases import random_numbers
from tests.laws.checks import Array

Step = Callable[[tp.Tensor, tp.Tensor], tp.Tensor]  # of a [3, 4] tensor and the program's second argument [4]

MIX = tp.tensor(np.random.default_rng(1).standard_normal((4, 4)) / 2)
ORDER = tp.tensor([2, 0, 1])
PLACES = tp.tensor([[3, 0, 1, 2], [0, 0, 2, 1], [1, 3, 3, 0]])


def write_row(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    """A row is overwritten."""
    y = x.clone()
    y[1] = y[0] * w
    return y


def write_overlapping(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    """A part of a tensor is added to another part of it."""
    y = x.clone()
    y[:, 1:] += y[:, :-1]
    return y


def write_through_transpose(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    """A view of a view is scaled, after another view was taken."""
    y = x.clone()
    seen = y[2]
    y.T[1:].T[1:].mul_(w[1:])
    return y + seen


def write_into_zeros(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    """A buffer made inside is filled."""
    y = tp.zeros(3, 4, dtype=x.dtype)
    for i in range(3):
        y[i] = x[i].sum() * w
    return y


def write_at_indices(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    """Index tensors on the left."""
    y = x * 0.5
    y[ORDER, 1] = x[:, 2] * 2
    return y.index_add_(0, ORDER, x)


STEPS: dict[str, Step] = {
    "sin": lambda x, w: tp.sin(x),
    "tanh": lambda x, w: x.tanh(),
    "square": lambda x, w: x * x * 0.3,
    "scale": lambda x, w: x * w,
    "shift": lambda x, w: x - w.flip(0),
    "divide": lambda x, w: x / (2.5 + tp.cos(w)),
    "power": lambda x, w: (x**2 + 1) ** 0.5,
    "matmul": lambda x, w: x @ MIX,
    "outer": lambda x, w: x + tp.outer(x.mean(1), w),
    "einsum": lambda x, w: tp.einsum("ij,jk,k->ij", x, MIX, w),
    "softmax": lambda x, w: x.softmax(1) * 3,
    "normalize": lambda x, w: (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 0.5),
    "logsumexp": lambda x, w: x - x.logsumexp(0),
    "cumsum": lambda x, w: x.cumsum(1) * 0.4,
    "sort": lambda x, w: x.sort(1).values,
    "flip": lambda x, w: x.flip(0) + x,
    "roll": lambda x, w: x.roll(1, 1),
    "gather": lambda x, w: x.gather(1, PLACES),
    "select": lambda x, w: x[ORDER],
    "reshape": lambda x, w: x.reshape(4, 3).T.reshape(3, 4),
    "cat": lambda x, w: tp.cat([x[1:], w[None]]),
    "stack": lambda x, w: tp.stack([x[:, 1], w[:3], x[:, 0], x[:, 3]], 1),
    "where": lambda x, w: tp.where(x > 0, x, 0.2 * x),
    "max": lambda x, w: x.max(0).values + x * 0.1,
    "prod": lambda x, w: x * x.prod(1, keepdim=True).tanh(),
    "detach": lambda x, w: x + x.detach().sin(),
    "write_row": write_row,
    "write_overlapping": write_overlapping,
    "write_through_transpose": write_through_transpose,
    "write_into_zeros": write_into_zeros,
    "write_at_indices": write_at_indices,
    "inner_gradient": lambda x, w: func.grad(lambda a: (tp.sin(a) * w).sum())(x),
    "inner_map": lambda x, w: func.vmap(lambda a, b: a.sin() * b + w, in_dims=(0, None))(x, w),
    "inner_columns": lambda x, w: func.vmap(lambda a: a.cumsum(0) * w[0], in_dims=1, out_dims=1)(x),
    "inner_tangent": lambda x, w: func.jvp(lambda a: a**3 * 0.1, (x,), (w.expand(3, 4),))[1],
    "inner_jacobian": lambda x, w: func.jacrev(lambda a: a.sin() * x.mean(0))(w).sum(1) * x,
    "inner_linearize": lambda x, w: func.linearize(tp.tanh, x)[1](x * w),
}

programs = st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=6)
arrays = st.integers(0, 2**16).map(
    lambda seed: [np.random.default_rng(seed).standard_normal(shape) for shape in ((3, 4), (4,))]
)
thorough = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def program(names: list[str]) -> checks.Function:
    """The function that runs the steps in order."""

    def run(x: tp.Tensor, w: tp.Tensor) -> checks.Outputs:
        for name in names:
            x = STEPS[name](x, w)
        return (x,)

    return run


@thorough
@given(programs, arrays)
def test_maps_are_loops(names: list[str], at: list[Array]) -> None:
    checks.check_batch(program(names), [checks.versions(array, 3) for array in at], 1e-8)


@thorough
@given(programs, arrays)
def test_push_and_pull_are_adjoint(names: list[str], at: list[Array]) -> None:
    checks.check_adjoint(program(names), at, random_numbers(), 1e-8)


@thorough
@given(programs, arrays)
def test_ways_of_reverse_mode(names: list[str], at: list[Array]) -> None:
    checks.check_reverse_ways(program(names), at, random_numbers(), 1e-8)


@thorough
@given(programs, arrays)
def test_second_orders(names: list[str], at: list[Array]) -> None:
    checks.check_second_orders(program(names), at, random_numbers(), 1e-7)


@thorough
@given(programs, arrays)
def test_maps_and_derivatives_commute(names: list[str], at: list[Array]) -> None:
    batches = [checks.versions(array, 3) for array in at]
    checks.check_vmap_of_vjp(program(names), batches, random_numbers(), 1e-8)
    checks.check_vjp_of_vmap(program(names), batches, random_numbers(), 1e-8)
    checks.check_jvp_of_vmap(program(names), batches, random_numbers(), 1e-8)
    checks.check_vmap_of_jvp_of_vjp(program(names), batches, random_numbers(), 1e-7)


@thorough
@given(programs, arrays)
def test_other_ways_to_run(names: list[str], at: list[Array]) -> None:
    """linearize, functionalize and a graph."""
    function = program(names)
    checks.check_linearize(function, at, random_numbers(), 1e-8)
    expected = checks.run(function, at)
    checks.assert_all_close(checks.run(func.functionalize(function), at), expected, 1e-12)
    views_too = func.functionalize(function, remove="mutations_and_views")
    checks.assert_all_close(checks.run(views_too, at), expected, 1e-12)
    graph = func.make_graph(function)(*checks.tensors(at))
    checks.assert_all_close(checks.run(graph, at), expected, 1e-12)


SMOOTH = sorted(set(STEPS) - {"sort", "where", "max", "detach"})


@thorough
@given(st.lists(st.sampled_from(SMOOTH), min_size=1, max_size=5), arrays)
def test_tangents_are_differences(names: list[str], at: list[Array]) -> None:
    checks.check_derivative(program(names), at, random_numbers(), 2e-5)
