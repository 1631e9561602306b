"""make_graph: a graph that reads well, runs again, passes through transforms, and refuses what it was not made for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, make_graph, vmap
from tests.func.support import close


def product_and_sum(x: tp.Tensor, w: tp.Tensor) -> dict[str, tp.Tensor]:
    y = (w @ x).sin()
    return {"y": y, "total": y.sum()}


def test_a_graph_runs_again_at_other_values() -> None:
    random = np.random.default_rng(0)
    graph = make_graph(product_and_sum)(tp.ones(3, dtype=tp.float64), tp.ones(2, 3, dtype=tp.float64))
    x, w = random.standard_normal(3), random.standard_normal((2, 3))
    out = graph(tp.tensor(x), tp.tensor(w))
    np.testing.assert_allclose(out["y"].numpy(), np.sin(w @ x))
    np.testing.assert_allclose(out["total"].numpy(), np.sin(w @ x).sum())


def test_a_graph_prints_arguments_ops_shapes_and_lines() -> None:
    text = str(make_graph(lambda d: d["x"] * 2)({"x": tp.ones(2)}))
    first, argument, op, result = text.splitlines()
    assert first == "make_graph(<lambda>):"
    assert argument == "    a: float32[2] = argument[0]['x']"
    assert op.startswith("    b: float32[2] = mul(a, 2.0)  # test_graph.py:")
    assert result == "    return b"


def test_ops_list_primitives_shapes_dtypes_and_sources() -> None:
    graph = make_graph(product_and_sum)(tp.ones(3), tp.ones(2, 3))
    assert [op.prim.name for op in graph.ops] == ["contract", "sin", "sum"]
    assert [op.shapes[0] for op in graph.ops] == [(2,), (2,), ()]
    assert all(op.dtypes[0] == np.float32 and op.source.startswith("test_graph.py:") for op in graph.ops)


def test_what_no_output_needs_is_left_out() -> None:
    def wasteful(x: tp.Tensor) -> tp.Tensor:
        x.exp()
        return x + 1

    assert [op.prim.name for op in make_graph(wasteful)(tp.ones(2)).ops] == ["add"]


def test_a_graph_of_transforms_and_transforms_of_a_graph() -> None:
    def loss(w: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
        return ((w * x).sum() - 1) ** 2

    w, xs = tp.tensor([1.0, 2.0]), tp.tensor([[1.0, 1.0], [0.0, 1.0]])
    per_sample = vmap(grad(loss), in_dims=(None, 0))
    assert tp.equal(make_graph(per_sample)(w, xs)(w, xs), per_sample(w, xs))
    graph = make_graph(loss)(w, xs[0])
    assert tp.equal(vmap(grad(graph), in_dims=(None, 0))(w, xs), per_sample(w, xs))


def test_in_place_writes_leave_no_trace() -> None:
    def writing(x: tp.Tensor) -> tp.Tensor:
        out = tp.zeros(3)
        out[1:] += x
        return out

    graph = make_graph(writing)(tp.ones(2))
    assert tp.equal(graph(tp.tensor([3.0, 4.0])), tp.tensor([0.0, 3.0, 4.0]))
    assert tp.equal(graph(tp.tensor([5.0, 6.0])), tp.tensor([0.0, 5.0, 6.0]))


def test_captured_tensors_are_constants_as_they_were() -> None:
    w = tp.ones(2)
    graph = make_graph(lambda x: x * w)(tp.ones(2))
    w.zero_()
    assert tp.equal(graph(tp.ones(2)), tp.ones(2))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((tp.ones(2), 3), ("argument[1] was 2", "got 3")),
        ((tp.ones(2),), ("structure", "1 of 1")),
        ((tp.ones(2), 2, 7), ("structure", "3 of 3")),
        ((tp.ones(3), 2), ("argument[0]", "float32[2]", "[3]")),
        ((tp.ones(2, dtype=tp.float64), 2), ("argument[0]", "float64")),
        ((1.0, 2), ("argument[0]", "float")),
    ],
)
def test_calls_that_do_not_fit_the_example_are_refused(args: tuple[object, ...], words: tuple[str, ...]) -> None:
    graph = make_graph(lambda x, n: x * n)(tp.ones(2), 2)
    with pytest.raises(ValueError, match=r"make_graph\(<lambda>\)") as caught:
        graph(*args)
    assert all(word in str(caught.value) for word in words), caught.value


def test_what_is_computed_under_no_grad_is_a_constant_of_the_graph() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        with tp.no_grad():
            y = x * x
        return (y * x).sum()

    x = tp.tensor([2.0, 3.0])
    graph = make_graph(f)(tp.ones(2))
    assert graph(x).item() == 35.0
    assert grad(graph)(x).tolist() == [4.0, 9.0]


def test_keyword_arguments_are_inputs_or_fixed() -> None:
    def f(x: tp.Tensor, *, weights: Any, power: int = 2) -> tp.Tensor:
        return (x**power * weights["w"]).sum()

    x, w = tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0])
    graph = make_graph(f)(x, weights={"w": w}, power=3)
    assert "argument['weights']['w']" in str(graph)
    assert float(graph(x, weights={"w": w})) == 35
    assert float(graph(2 * x, power=3, weights={"w": 2 * w})) == 16 * 35
    close(grad(lambda u: graph(x, weights={"w": u}))(w), [1.0, 8.0])
    close(vmap(lambda u: graph(x, weights={"w": u}))(tp.stack([w, 2 * w])), [35.0, 70.0])
    with pytest.raises(ValueError, match=r"argument\['power'\] was 3 when the graph was made, got 2"):
        graph(x, weights={"w": w}, power=2)
    with pytest.raises(ValueError, match=r"argument\['weights'\]\['w'\] must be as in the example: .*\[2\]"):
        graph(x, weights={"w": w[:1]})
    with pytest.raises(ValueError, match="made with 3 arguments of 3 leaves, got 2 of 2"):
        graph(x)
