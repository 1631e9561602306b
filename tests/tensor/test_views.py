"""Views: writes through a view reach its base and all other views, for memory and for traced values alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay.func import functionalize, grad, jvp, make_graph, vjp, vmap

Program = Callable[[Any], Any]


def tensor(*shape: int) -> tp.Tensor:
    """Numbers 1, 2, ... in float64."""
    count = int(np.prod(shape))
    return tp.from_numpy(np.arange(1.0, count + 1).reshape(shape))


# ---- programs of views and writes, against NumPy ---------------------------------------------------------------------
#
# A step is a view that NumPy and tensors both can take; a program takes views of views, writes, and gives
# all of them. NumPy's memory says what is right.

VIEWS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "transpose": (lambda a: a.T, lambda x: x.T),
    "first": (lambda a: a[:1], lambda x: x.narrow(0, 0, min(1, x.shape[0]))),
    "last": (lambda a: a[-1:], lambda x: x[-1:]),
    "every other": (lambda a: a[..., ::2], lambda x: x[..., ::2]),
    "flat": (lambda a: a.reshape(-1), lambda x: x.reshape(-1)),
    "new dim": (lambda a: a[:, None], lambda x: x.unsqueeze(1)),
    "squeezed": (np.squeeze, lambda x: x.squeeze()),
    "halves": (lambda a: np.array_split(a, 2)[1], lambda x: x.tensor_split(2)[1]),
    "moved": (lambda a: np.moveaxis(a, 0, -1), lambda x: x.movedim(0, -1)),
}
WRITES: dict[str, tuple[Callable[[Any, float], Any], Callable[[Any, float], Any]]] = {
    "mul_": (lambda a, n: np.multiply(a, n, out=a), lambda x, n: x.mul_(n)),
    "add_": (lambda a, n: np.add(a, n, out=a), lambda x, n: x.add_(n)),
    "set": (lambda a, n: a.__setitem__(..., n), lambda x, n: x.__setitem__(..., n)),
    "set first": (
        lambda a, n: a.__setitem__(slice(0, 1), n),
        lambda x, n: x.__setitem__(slice(0, 1), n),
    ),
}
steps = st.lists(
    st.tuples(
        st.sampled_from(["view", "write"]),
        st.integers(0, 5),
        st.sampled_from(list(VIEWS)),
        st.sampled_from(list(WRITES)),
    ),
    min_size=1,
    max_size=8,
)


def run(program: Any, base: Any, side: int) -> list[Any]:
    """All views of a program, the base first, on NumPy (side 0) or tensors (side 1)."""
    seen = [base]
    for number, (kind, which, view, write) in enumerate(program):
        target = seen[which % len(seen)]
        if kind == "view":
            if target.ndim > 0:
                seen.append(VIEWS[view][side](target))
        elif target.ndim > 0:
            WRITES[write][side](target, number + 1.5)
    return seen


def total(seen: list[Any]) -> Any:
    """A number that depends on every element of every view."""
    return sum([(view * view).sum() for view in seen])


@settings(max_examples=60, deadline=None)
@given(steps)
def test_programs_of_views_and_writes(program: Any) -> None:
    start = np.arange(1.0, 13).reshape(3, 4)
    expected = run(program, start.copy(), 0)
    plain = run(program, tp.from_numpy(start.copy()), 1)
    for got, wanted in zip(plain, expected, strict=True):
        np.testing.assert_array_equal(got.numpy(), wanted)

    def values(x: tp.Tensor) -> tuple[tp.Tensor, ...]:
        return tuple([view.clone() for view in run(program, x.clone(), 1)])

    traced, _ = vjp(values, tp.from_numpy(start))
    mapped = vmap(values)(tp.from_numpy(np.stack([start, start])))
    without_writes = functionalize(values)(tp.from_numpy(start))
    for results in (traced, [m[1] for m in mapped], without_writes):
        for got, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(got.numpy(), wanted)


@settings(max_examples=30, deadline=None)
@given(steps)
def test_derivatives_of_programs(program: Any) -> None:
    start = np.arange(1.0, 13).reshape(3, 4)

    def f(x: tp.Tensor) -> tp.Tensor:
        return total(run(program, x.clone(), 1))

    x, direction = tp.from_numpy(start), tp.from_numpy(np.sin(start))
    step = 1e-3
    up, down = [total(run(program, start + sign * step * np.sin(start), 0)) for sign in (1, -1)]
    numeric = (up - down) / (2 * step)
    _, pushed = jvp(f, (x,), (direction,))
    pulled = (grad(f)(x) * direction).sum()
    per_sample = vmap(grad(f))(tp.stack([x, x]))
    np.testing.assert_allclose(float(pushed), numeric, rtol=1e-6)
    np.testing.assert_allclose(float(pulled), numeric, rtol=1e-6)
    np.testing.assert_allclose(float((per_sample[1] * direction).sum()), numeric, rtol=1e-6)


# ---- what shares memory ----------------------------------------------------------------------------------------------

SHARING: dict[str, Program] = {
    "view": lambda x: x.view(-1),
    "flatten": lambda x: x.flatten(),
    "select to a scalar": lambda x: x.select(0, 1).select(0, 1),
    "scalar index": lambda x: x[1, 1],
    "unbind": lambda x: x.unbind(1)[2],
    "iteration": lambda x: list(x)[1],
    "split": lambda x: x.split([1, 2], 1)[1],
    "chunk": lambda x: x.chunk(2)[1],
    "diagonal": lambda x: x.diagonal(1),
    "unfold apart": lambda x: x.unfold(1, 1, 2),
    "detach": lambda x: x.detach(),
    "mT": lambda x: x.mT,
    "mH of real numbers": lambda x: x.mH,
    "unflatten": lambda x: x.unflatten(1, (3, 1)),
    "atleast_3d": lambda x: tp.atleast_3d(x),
    "contiguous": lambda x: x.contiguous(),
}


@pytest.mark.parametrize("name", SHARING)
def test_writes_through_views_reach_the_base(name: str) -> None:
    take = SHARING[name]
    x = tensor(2, 3)
    memory = x.numpy()
    take(x).mul_(10)
    assert np.shares_memory(take(x).numpy(), memory)
    assert np.count_nonzero(memory >= 10) == take(x).numel()

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        take(y).mul_(10)
        return y

    np.testing.assert_array_equal(vmap(f)(tensor(1, 2, 3))[0].numpy(), memory)
    np.testing.assert_array_equal(functionalize(f)(tensor(2, 3)).numpy(), memory)
    if name != "detach":
        np.testing.assert_array_equal(jvp(f, (tensor(2, 3),), (tensor(2, 3),))[1].numpy(), memory)


@pytest.mark.parametrize("name", SHARING)
def test_writes_through_the_base_reach_views(name: str) -> None:
    take = SHARING[name]

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        view = take(y)
        y.mul_(10)
        return view.clone()

    expected = take(tensor(2, 3) * 10)
    np.testing.assert_array_equal(f(tensor(2, 3)).numpy(), expected.numpy())
    np.testing.assert_array_equal(vmap(f)(tensor(1, 2, 3))[0].numpy(), expected.numpy())
    np.testing.assert_array_equal(vjp(f, tensor(2, 3))[0].numpy(), expected.numpy())


COPYING: dict[str, Program] = {
    "reshape of a transpose": lambda x: x.t().reshape(-1),
    "flatten of a transpose": lambda x: x.t().flatten(),
    "ravel of a column slice": lambda x: x[:, ::2].ravel(),
    "contiguous of a transpose": lambda x: x.t().contiguous(),
    "clone": lambda x: x.clone(),
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(0),
    "repeat once": lambda x: x.repeat(1, 1),
    "tile once": lambda x: tp.tile(x, (1, 1)),
    "rot90 by nothing": lambda x: x.rot90(4),
    "tril of all": lambda x: x.tril(5),
    "cat of one": lambda x: tp.cat([x]),
    "pad by nothing": lambda x: tp.constant_pad_nd(x, (0, 0)),
    "diag": lambda x: x.diag(),
    "permute_copy": lambda x: tp.permute_copy(x, (0, 1)),
    "repeat_interleave once": lambda x: x.repeat_interleave(1, 0),
    "to a copy": lambda x: x.to(tp.float64, copy=True),
}


@pytest.mark.parametrize("name", COPYING)
def test_copies_do_not_alias(name: str) -> None:
    take = COPYING[name]

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        take(y).mul_(10)
        return y

    start = tensor(2, 3).numpy()
    np.testing.assert_array_equal(f(tensor(2, 3)).numpy(), start)
    np.testing.assert_array_equal(vjp(f, tensor(2, 3))[0].numpy(), start)
    np.testing.assert_array_equal(jvp(f, (tensor(2, 3),), (tensor(2, 3),))[1].numpy(), start)
    np.testing.assert_array_equal(vmap(f)(tensor(1, 2, 3))[0].numpy(), start)
    np.testing.assert_array_equal(vmap(grad(lambda x: f(x).sum()))(tensor(1, 2, 3))[0].numpy(), np.ones((2, 3)))


def test_iterating_takes_all_rows_at_once_and_writes_one_by_one() -> None:
    graph = make_graph(grad(lambda x: sum([(row * row).sum() for row in x])))(tensor(4, 3))
    assert str(graph).count("= unbind(") == 1
    assert "embed(" not in str(graph)

    def running(x: tp.Tensor) -> tp.Tensor:
        for before, row in zip(x, list(x)[1:], strict=False):
            row.add_(before)
        return x

    for run in (running, functionalize(running), lambda x: vmap(running)(x[None])[0], lambda x: vjp(running, x)[0]):
        np.testing.assert_array_equal(run(tensor(4, 3)).numpy(), np.cumsum(tensor(4, 3).numpy(), 0))


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("take", [lambda x: x.t().view(-1), lambda x: x[:, ::2].view(-1), lambda x: x.t().view(6, 1)])
def test_view_refuses_to_copy(take: Program) -> None:
    with pytest.raises(RuntimeError, match="strides"):
        take(tensor(2, 3))
    with pytest.raises(RuntimeError, match="strides"):
        grad(lambda x: take(x).sum())(tensor(2, 3))
    with pytest.raises(RuntimeError, match="strides"):
        vmap(take)(tensor(1, 2, 3))


@pytest.mark.parametrize(
    "take", [lambda x: x.expand(4, 2, 3), lambda x: x.unfold(1, 2, 1), lambda x: x[:1].expand(2, 3)]
)
def test_shared_elements_cannot_be_written(take: Program) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        take(y).mul_(2)
        return y.sum()

    for run_it in (f, grad(f), functionalize(f), lambda x: vmap(f)(x[None])):
        with pytest.raises(RuntimeError, match="memory"):
            run_it(tensor(2, 3))


# ---- complex numbers and their parts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [lambda z: tp.view_as_real(z)[..., 1], lambda z: z.imag])
def test_parts_of_complex_numbers_are_views(part: Program) -> None:
    def f(z: tp.Tensor) -> tp.Tensor:
        y = z.clone()
        part(y)[1:].mul_(3)
        return y

    z = tp.tensor([1 + 2j, 3 - 1j], dtype=tp.complex128)
    expected = np.array([1 + 2j, 3 - 3j])
    np.testing.assert_array_equal(f(z).numpy(), expected)
    np.testing.assert_array_equal(vmap(f)(z[None])[0].numpy(), expected)
    np.testing.assert_array_equal(jvp(f, (z,), (z,))[1].numpy(), expected)


def test_view_as_complex_is_a_view() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        tp.view_as_complex(y)[0].mul_(1j)
        return y

    expected = np.array([[-2.0, 1.0], [3.0, 4.0]])
    np.testing.assert_array_equal(f(tensor(2, 2)).numpy(), expected)
    np.testing.assert_array_equal(jvp(f, (tensor(2, 2),), (tensor(2, 2),))[1].numpy(), expected)
    np.testing.assert_array_equal(vmap(f)(tensor(1, 2, 2))[0].numpy(), expected)


def test_dtype_views_share_memory_and_refuse_traced_writes() -> None:
    x = tp.tensor([1.0, 2.0])
    x.view(tp.int32)[0] = 0
    assert x.tolist() == [0.0, 2.0]

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        y.view(tp.int32).zero_()
        return y

    with pytest.raises(RuntimeError, match="view"):
        vmap(f)(tp.ones(2, 3))


def test_scratch_that_becomes_plain_again_is_its_own_memory() -> None:
    captured = tp.ones(2)

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        y.copy_(captured)
        y.add_(1)
        return y

    assert vmap(f)(tp.zeros(3, 2)).tolist() == [[2.0, 2.0]] * 3
    assert captured.tolist() == [1.0, 1.0]


def test_strides() -> None:
    x = tensor(2, 3)
    assert x.stride() == (3, 1)
    assert x.t().stride() == (1, 3)
    assert x.t().stride(0) == 1
    assert x[1].storage_offset() == 3
    assert x.is_contiguous()
    assert not x.t().is_contiguous()
    assert vmap(lambda r: tp.tensor(r.t().stride()))(tensor(4, 2, 3)).tolist() == [[1, 3]] * 4


# ---- reshaped in place -----------------------------------------------------------------------------------------------


def reshaped_in_place(x: tp.Tensor) -> tuple[tp.Tensor, ...]:
    """A tensor reshaped in place between writes through itself, a view from before and a view from after."""
    y = x.clone()
    before = y[0]
    y.t_()
    after = y[1]
    before.mul_(2)
    after.add_(10)
    y.unsqueeze_(0).squeeze_(0).transpose_(0, 1)
    y[0, 0] = -1
    y.t_().mul_(3)
    return y.clone(), before.clone(), after.clone()


def test_reshaping_in_place() -> None:
    x = tensor(2, 3)
    y = np.array([[-1.0, 14, 6], [4, 15, 6]]) * 3
    expected = (y.T, y[0], y[:, 1])
    runs = [reshaped_in_place(x), functionalize(reshaped_in_place)(x), vjp(reshaped_in_place, x)[0]]
    runs.append(tuple([out[0] for out in vmap(reshaped_in_place)(x[None])]))
    for outputs in runs:
        for got, wanted in zip(outputs, expected, strict=True):
            np.testing.assert_array_equal(got.numpy(), wanted)
    weights = [[0.0, 3], [6, 3], [6, 3]]
    np.testing.assert_array_equal(grad(lambda x: reshaped_in_place(x)[0].sum())(x).numpy(), np.transpose(weights))


def test_arguments_reshaped_in_place_are_written_back() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        x.t_().mul_(2)
        return x.sum()

    x = tensor(2, 3)
    grad(f)(x)
    np.testing.assert_array_equal(x.numpy(), 2 * tensor(2, 3).numpy())


def test_leaves_are_not_reshaped_in_place() -> None:
    with pytest.raises(RuntimeError, match="leaf"):
        tp.ones(2, requires_grad=True).unsqueeze_(0)
