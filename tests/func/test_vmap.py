"""vmap is a loop over samples; chunk_size and chunk_vmap change how many at a time, and nothing else."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import chunk_vmap, debug_unwrap, vmap
from tests.func.support import array, close, double, normal


def test_rows_and_columns() -> None:
    x = normal(3, 4)
    close(vmap(lambda row: row.sum())(x), array(x).sum(1))
    close(vmap(lambda column: column.sum(), in_dims=1)(x), array(x).sum(0))
    close(vmap(lambda column: column.sum(), in_dims=-1)(x), array(x).sum(0))


@pytest.mark.parametrize("out_dim", [0, 1, 2, -1, -2, -3])
def test_out_dims(out_dim: int) -> None:
    x = normal(3, 2, 4)
    close(vmap(lambda a: a * 2, out_dims=out_dim)(x), np.moveaxis(2 * array(x), 0, out_dim))


@pytest.mark.parametrize("in_dim", [0, 1, 2, -1, -2, -3])
def test_in_dims_are_dims_of_the_batched_argument(in_dim: int) -> None:
    x = normal(3, 2, 4)
    expected = np.stack([np.take(array(x), i, in_dim).cumsum(0) for i in range(x.shape[in_dim])])
    close(vmap(lambda a: a.cumsum(0), in_dims=in_dim)(x), expected)


def test_shared_argument() -> None:
    x, w = normal(3, 4), normal(4, 2, seed=1)
    close(vmap(lambda a, b: a @ b, in_dims=(0, None))(x, w), array(x) @ array(w))


def test_samples_of_different_rank_broadcast_from_the_right() -> None:
    x, y = normal(3, 2), normal(3, 5, 2, seed=1)
    close(vmap(lambda a, b: a + b)(x, y), array(x)[:, None] + array(y))


def test_the_function_sees_one_sample() -> None:
    seen = []

    def f(x: tp.Tensor) -> tp.Tensor:
        seen.append((x.shape, x.ndim, x.dim(), x.numel(), len(x), x.size(0), x.dtype))
        return x

    vmap(f, in_dims=1)(normal(4, 3))
    assert seen == [(tp.Size([4]), 1, 1, 4, 4, 4, tp.float64)]


def test_containers_in_and_out() -> None:
    Pair = namedtuple("Pair", "a b")
    tree = {"p": Pair(normal(3, 2), normal(2, 3, seed=1)), "q": [normal(3, seed=2), normal(5, seed=3)]}

    def f(t: Any) -> Any:
        assert isinstance(t["p"], Pair)
        return OrderedDict(s=t["p"].a + t["p"].b, r=(t["q"][0] * t["q"][1], None))

    out = vmap(f, in_dims=({"p": Pair(0, 1), "q": [0, None]},), out_dims={"s": 1, "r": 0})(tree)
    assert list(out) == ["s", "r"]
    close(out["s"], array(tree["p"].a).T + array(tree["p"].b))
    close(out["r"][0], array(tree["q"][0])[:, None] * array(tree["q"][1]))
    assert out["r"][1] is None


def test_prefix_of_an_ordered_dict_goes_by_key() -> None:
    both = OrderedDict(s=normal(2, 3), r=normal(3, 2, seed=1))
    out = vmap(lambda t: t["s"] * t["r"], in_dims=({"r": 0, "s": 1},))(both)
    close(out, array(both["s"]).T * array(both["r"]))


def test_in_dims_is_a_prefix() -> None:
    tree = {"w": normal(2, 3), "b": [normal(2, 1), normal(2, 4)]}
    close(vmap(lambda t: t["w"].sum() + t["b"][0].sum() + t["b"][1].sum(), in_dims=({"w": 0, "b": 0},))(tree),
          array(tree["w"]).sum(1) + array(tree["b"][0]).sum(1) + array(tree["b"][1]).sum(1))  # fmt: skip
    out = vmap(lambda t: t["w"], in_dims=({"w": 0, "b": None},))(tree)
    close(out, tree["w"])


def test_dataclass_argument() -> None:
    @dataclasses.dataclass
    class State:
        position: tp.Tensor
        speed: tp.Tensor

    def step(state: State) -> State:
        return State(state.position + state.speed, state.speed)

    out = vmap(step)(State(normal(3, 2), normal(3, 2, seed=1)))
    assert isinstance(out, State)
    close(out.position, array(normal(3, 2)) + array(normal(3, 2, seed=1)))


def test_keyword_arguments_are_shared() -> None:
    x, bias = normal(3, 2), normal(3, 2, seed=1)
    got = vmap(lambda a, *, bias, factor: a * factor + bias)(x, bias=bias, factor=2)
    close(got, array(x)[:, None] * 2 + array(bias))


def test_other_leaves_pass_with_none() -> None:
    x = normal(3)
    got = vmap(lambda a, options: a * options["factor"] if options["on"] else a, in_dims=(0, None))(
        x, {"factor": 3.0, "on": True}
    )
    close(got, 3 * array(x))


@pytest.mark.parametrize("out_dim", [0, 1, -1])
def test_output_that_does_not_depend_on_the_sample_is_expanded(out_dim: int) -> None:
    c = normal(2, 4, seed=5)
    out = vmap(lambda x: c, out_dims=out_dim)(normal(3))
    close(out, np.moveaxis(np.stack([array(c)] * 3), 0, out_dim))
    out.mul_(2)
    close(c, normal(2, 4, seed=5))


def test_out_dims_none() -> None:
    c = normal(2)
    mapped, shared = vmap(lambda x: (x, c * 2), out_dims=(0, None))(normal(3))
    close(mapped, normal(3))
    close(shared, 2 * array(c))


def test_batch_of_none() -> None:
    out = vmap(lambda x: (x @ x.T, x.sum(), (x > 0).any()))(tp.zeros(0, 2, 3))
    assert [o.shape for o in out] == [(0, 2, 2), (0,), (0,)]
    assert [o.dtype for o in out] == [tp.float32, tp.float32, tp.bool]


def test_batch_of_one() -> None:
    close(vmap(lambda x: x.sum())(normal(1, 4)), array(normal(1, 4)).sum(1))


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 4, 7, 100])
@pytest.mark.parametrize("in_dim", [0, 1])
def test_chunks_give_the_same(chunk_size: int, in_dim: int) -> None:
    x, w = normal(7, 7), normal(7, seed=1)
    whole = vmap(lambda a, b: (a * b, b.sum()), (in_dim, None), (1, 0))(x, w)
    chunked = vmap(lambda a, b: (a * b, b.sum()), (in_dim, None), (1, 0), chunk_size=chunk_size)(x, w)
    for g, e in zip(chunked, whole, strict=True):
        np.testing.assert_array_equal(array(g), array(e))


@pytest.mark.parametrize(("chunk_size", "sizes"), [(3, [3, 3, 1]), (7, [7]), (8, [7]), (6, [6, 1])])
def test_chunk_size_bounds_the_samples_at_a_time(chunk_size: int, sizes: list[int]) -> None:
    seen = []

    def f(x: tp.Tensor) -> tp.Tensor:
        seen.append(debug_unwrap(x, sample=None).shape[0])
        return x

    vmap(f, chunk_size=chunk_size)(normal(7))
    assert seen == sizes


@pytest.mark.parametrize("chunks", [1, 2, 3, 5, 6])
def test_chunk_vmap(chunks: int) -> None:
    x = normal(5, 2)
    close(chunk_vmap(lambda a: a.sum(), chunks=chunks)(x), array(x).sum(1))
    close(chunk_vmap(lambda a: a * 2, 1, 1, chunks=chunks)(x.T), 2 * array(x).T)


def test_chunked_batch_of_none() -> None:
    assert vmap(lambda x: x.sum(), chunk_size=2)(tp.zeros(0, 3)).shape == (0,)
    assert chunk_vmap(lambda x: x.sum(), chunks=2)(tp.zeros(0, 3)).shape == (0,)


def test_nested_over_different_dims() -> None:
    x, y = normal(3, 4), normal(5, 4, seed=1)
    pairs = vmap(vmap(lambda a, b: (a * b).sum(), (None, 0)), (0, None))(x, y)
    close(pairs, array(x) @ array(y).T)


def test_three_levels() -> None:
    x = normal(2, 3, 4, 5)
    f = vmap(vmap(vmap(lambda a: a.sum(), in_dims=1), in_dims=1, out_dims=1), in_dims=-1)
    close(f(x), array(x).sum(0).transpose(2, 1, 0))


def test_captured_mapped_value_in_an_inner_map() -> None:
    x, y = normal(3), normal(4, seed=1)
    close(vmap(lambda a: vmap(lambda b: a * b)(y))(x), np.outer(array(x), array(y)))


def test_python_numbers_combine_with_samples() -> None:
    x = tp.tensor([1, 2, 3])
    out = vmap(lambda a: (a + 1, a * 0.5, 2 - a, a**2))(x)
    assert [o.dtype for o in out] == [tp.int64, tp.float32, tp.int64, tp.int64]
    assert [o.tolist() for o in out] == [[2, 3, 4], [0.5, 1.0, 1.5], [1, 0, -1], [1, 4, 9]]


def test_promotion_is_that_of_one_sample() -> None:
    x, y = tp.tensor([1.0, 2.0]), double([[1.0, 2.0], [3.0, 4.0]])
    # a 0-d sample does not widen a sample with dims; a 0-d batch has dims, but samples decide
    assert vmap(lambda a, b: a * b)(y[:, 0], tp.ones(2, 3)).dtype == tp.float32
    assert vmap(lambda a, b: a * b)(x, y).dtype == tp.float64


def test_iteration_and_unpacking() -> None:
    a, b = vmap(lambda x: tuple(row.sum() for row in x))(normal(4, 2, 3))
    close(tp.stack([a, b], 1), array(normal(4, 2, 3)).sum(2))


def test_result_carries_on_as_an_ordinary_tensor() -> None:
    out = vmap(lambda x: x * 2)(normal(3))
    assert out.numpy().flags.writeable
    out[0] = 7.0
    assert out[0].item() == 7.0
