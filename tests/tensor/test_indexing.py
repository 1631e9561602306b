"""``x[key]`` and ``x[key] = new``: torch's rules, against NumPy and loops, plain and under the transforms."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jvp, vjp, vmap

Array = np.ndarray[Any, Any]
Key = tuple[Any, ...]


# ---- a reference that shares nothing with the package ----------------------------------------------------------------


def numbers_at(shape: tuple[int, ...], key: Key) -> Array:
    """The flat numbers of the elements that a key names, by torch's rules: ints and slices first, then arrays."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    gap = [i for i, part in enumerate(key) if part is Ellipsis]
    if gap:
        taken = sum([_consumed(part) for part in key])
        key = (*key[: gap[0]], *[slice(None)] * (len(shape) - taken), *key[gap[0] + 1 :])
    # an array keeps its dims for the second step; a bool of no dims is an array over a new dim
    first: list[Any] = []
    second: list[Any] = []
    for part in key:
        if _is_basic(part):
            first.append(part)
            second += [] if isinstance(part, int) else [slice(None)]
        elif isinstance(part, bool):
            first.append(None)
            second.append(np.zeros(int(part), np.int64))
        else:
            first += [slice(None)] * _consumed(part)
            second.append(np.asarray(part))
    return np.asarray(numbers[tuple(first)][tuple(second)])


def _is_basic(part: Any) -> bool:
    return part is None or isinstance(part, slice) or (isinstance(part, int) and not isinstance(part, bool))


def _consumed(part: Any) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    array = np.asarray(part)
    return array.ndim if array.dtype == bool else 1


def random_key(random: np.random.Generator, shape: tuple[int, ...]) -> Key:
    """A key of all kinds of parts for a tensor of the given shape."""
    key: list[Any] = []
    common = tuple(random.integers(1, 4, size=random.integers(0, 3)))
    dim = 0
    while dim < len(shape):
        length, kind = shape[dim], random.integers(0, 11)
        if random.random() < 0.15:
            key.append(None if random.random() < 0.7 else bool(random.integers(2)))
        if kind <= 2:
            start, stop = sorted(random.integers(-length - 1, length + 2, size=2).tolist())
            key.append(slice(start if kind else None, stop, [None, 1, 2][random.integers(3)]))
        elif kind == 3:
            key.append(int(random.integers(-length, length)))
        elif kind <= 6:
            key.append(_positions(random, length, common))
        elif kind == 7:
            key.append(random.random(length) < 0.5)
        elif kind == 8 and dim + 1 < len(shape):
            key.append(random.random((length, shape[dim + 1])) < 0.5)
            dim += 1
        elif kind == 9 and Ellipsis not in [part for part in key if not isinstance(part, np.ndarray | list)]:
            key.append(Ellipsis)
            dim += int(random.integers(0, len(shape) - dim + 1)) - 1
        else:
            break
        dim += 1
    return tuple(key)


def _positions(random: np.random.Generator, length: int, common: tuple[int, ...]) -> Any:
    shape = tuple([n if random.random() < 0.8 else 1 for n in common[random.integers(0, len(common) + 1) :]])
    array = random.integers(-length, length, size=shape)
    if array.ndim == 0:
        return int(array)
    return array.tolist() if random.random() < 0.2 else array


def tensors(key: Key) -> Key:
    """The key with tensors in place of arrays."""
    return tuple([tp.tensor(part) if isinstance(part, np.ndarray) else part for part in key])


def cases(count: int, seed: int) -> list[tuple[Array, Key, Array]]:
    """Arrays, keys that fit them, and the numbers of the elements that these name."""
    random = np.random.default_rng(seed)
    found: list[tuple[Array, Key, Array]] = []
    while len(found) < count:
        shape = tuple(random.integers(1, 5, size=random.integers(1, 5)).tolist())
        key = random_key(random, shape)
        try:
            numbers = numbers_at(shape, key)
        except IndexError:  # shapes that do not broadcast
            continue
        found.append((random.standard_normal(shape), key, numbers))
    return found


def assigned(x: Array, numbers: Array, new: Array) -> Array:
    """A copy of `x` with the numbered elements replaced, one after another."""
    flat = x.ravel().copy()
    for place, value in zip(numbers.ravel(), np.broadcast_to(new, numbers.shape).ravel(), strict=True):
        flat[place] = value
    return flat.reshape(x.shape)


def some_values(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Values that broadcast to a shape."""
    kept = shape[random.integers(0, len(shape) + 1) :]
    return np.asarray(random.standard_normal([n if random.random() < 0.8 else 1 for n in kept]))


# ---- random keys -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_random_keys(seed: int) -> None:
    """Reading, writing and their derivatives are those of the elements that the key names."""
    random = np.random.default_rng(seed + 100)
    for x, key, numbers in cases(60, seed):
        k, new = tensors(key), some_values(random, numbers.shape)
        np.testing.assert_array_equal(tp.tensor(x)[k].numpy(), x.ravel()[numbers], err_msg=str(key))
        written = tp.tensor(x)
        view = written.reshape(-1)
        written[k] = tp.tensor(new)
        expected = assigned(x, numbers, new)
        np.testing.assert_array_equal(written.numpy(), expected, err_msg=str(key))
        np.testing.assert_array_equal(view.numpy(), expected.ravel())

        weight = np.asarray(random.standard_normal(numbers.shape))
        _, pull = vjp(lambda x, k=k: x[k], tp.tensor(x))
        gradient = np.zeros(x.size)
        np.add.at(gradient, numbers.ravel(), weight.ravel())
        np.testing.assert_allclose(pull(tp.tensor(weight))[0].numpy().ravel(), gradient, atol=1e-12)


def written_copy(x: tp.Tensor, key: Key, new: tp.Tensor) -> tp.Tensor:
    """A copy of x with ``copy[key] = new``."""
    x = x.clone()
    x[key] = new
    return x


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_writes(seed: int) -> None:
    """A write is linear: pushed tangents are the write of tangents, and pull is its adjoint."""
    random = np.random.default_rng(seed + 200)
    for x, key, numbers in cases(40, seed + 50):
        k, new = tensors(key), some_values(random, numbers.shape)
        x_dot, new_dot = [np.asarray(random.standard_normal(a.shape)) for a in (x, new)]
        primals, tangents = (tp.tensor(x), tp.tensor(new)), (tp.tensor(x_dot), tp.tensor(new_dot))
        out, out_dot = jvp(lambda x, new, k=k: written_copy(x, k, new), primals, tangents)
        np.testing.assert_array_equal(out.numpy(), assigned(x, numbers, new))
        np.testing.assert_array_equal(out_dot.numpy(), assigned(x_dot, numbers, new_dot))
        ct = random.standard_normal(x.shape)
        cts = vjp(lambda x, new, k=k: written_copy(x, k, new), *primals)[1](tp.tensor(ct))
        pulled = sum([np.vdot(c.numpy(), t) for c, t in zip(cts, (x_dot, new_dot), strict=True)])
        np.testing.assert_allclose(pulled, np.vdot(ct, out_dot.numpy()), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_mapped_sources_indices_and_values(seed: int) -> None:
    """vmap is the loop, for every mix of mapped source, index tensors and values."""
    random = np.random.default_rng(seed + 300)
    for x, key, numbers in cases(25, seed + 80):
        new = some_values(random, numbers.shape)
        arrays = [i for i, part in enumerate(key) if isinstance(part, np.ndarray) and part.dtype != bool]
        chosen = [i for i in arrays if random.random() < 0.6]
        for x_dim, new_dim in ((0, 0), (0, None), (None, 0), (None, None)):
            dims = (x_dim, new_dim, *[0] * len(chosen))
            if all([dim is None for dim in dims]):
                continue
            batches = [np.stack([a, a + 1, 2 * a]) for a in (x, new)]
            given = [b if dim == 0 else b[0] for b, dim in zip(batches, dims, strict=False)]
            given += [np.stack([key[i], np.roll(key[i], 1), key[i][::-1]]) for i in chosen]

            def both(
                x: tp.Tensor, new: tp.Tensor, *indices: tp.Tensor, key: Key = key, chosen: list[int] = chosen
            ) -> tuple[tp.Tensor, tp.Tensor]:
                parts = list(tensors(key))
                for i, index in zip(chosen, indices, strict=True):
                    parts[i] = index
                return x[tuple(parts)], written_copy(x, tuple(parts), new)

            got = vmap(both, in_dims=dims)(*map(tp.tensor, given))
            for sample in range(3):
                one = [a[sample] if dim == 0 else a for a, dim in zip(given, dims, strict=True)]
                for mapped, alone in zip(got, both(*map(tp.tensor, map(np.asarray, one))), strict=True):
                    np.testing.assert_array_equal(mapped.numpy()[sample], alone.numpy(), err_msg=str(key))


# ---- kinds of keys ---------------------------------------------------------------------------------------------------

X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ((), X),
        (..., X),
        (True, X[None]),
        (False, np.zeros((0, *X.shape))),
        ((slice(None), True), X[:, None]),
        (tp.tensor(True), X[None]),
        ([1, 0], X[[1, 0]]),
        ([], X[:0]),
        ([True, False], X[:1]),
        (range(2), X),
        (tp.tensor(1), X[1]),
        (np.int64(1), X[1]),
        (slice(tp.tensor(1), tp.tensor(2)), X[1:2]),
        ((0, slice(None), [1, 2]), X[0][:, [1, 2]]),
        (([0, 1], slice(None), 1), X[:, :, 1]),
        (([0, 1], slice(None), [1, 2]), X[[0, 1], :, [1, 2]]),
        ((slice(None), [0, 1], [1, 2]), X[:, [0, 1], [1, 2]]),
        (tp.tensor([1, 0], dtype=tp.uint8), X[:1]),
        (tp.tensor([1, 0], dtype=tp.int32), X[[1, 0]]),
        ((..., None, 0), X[..., None, 0]),
        (tp.tensor(X > 20), X[X > 20]),
        ((0, tp.tensor(X[0] > 9)), X[0][X[0] > 9]),
    ],
)
def test_reading(key: Any, expected: Array) -> None:
    """Each kind of key, among ints that select first as in torch."""
    got = tp.tensor(X)[key].numpy()
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


def test_basic_keys_are_views_and_others_are_not() -> None:
    x = tp.zeros(2, 3)
    x[0, 1:].fill_(1)
    x[tp.tensor(1)].fill_(2)
    x[[0]].fill_(9)
    assert x.tolist() == [[0, 1, 1], [2, 2, 2]]


def test_a_view_keeps_the_position_it_was_taken_at() -> None:
    x, i = tp.tensor([1.0, 2.0]), tp.tensor(0)
    view = x[i]
    i.fill_(1)
    x.mul_(10)
    assert view.item() == 10


ERRORS = [
    (5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
    (tp.tensor([0, 2]), IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    ((slice(None), 0, tp.tensor([-5])), IndexError, "index -5 is out of bounds for dimension 2 with size 4"),
    ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
    ((..., ...), IndexError, "single ellipsis"),
    (1.5, IndexError, "got float"),
    ("a", TypeError, "got str"),
    (tp.tensor([0.5]), IndexError, "must hold integers"),
    (tp.tensor([0], dtype=tp.int16), IndexError, "int16"),
    ([[0, 1], [0]], IndexError, "equal lengths"),
    ([slice(None), 0], IndexError, "use a tuple"),
    (tp.tensor([True, False, True]), IndexError, "mask [3] at index 0 does not match"),
    ((tp.tensor([0, 1]), tp.tensor([0, 1, 2])), IndexError, "could not be broadcast together with shapes [2], [3]"),
    (slice(None, None, -1), ValueError, "tp.flip"),
    (slice(0.5), TypeError, "got float"),
]


@pytest.mark.parametrize(("key", "error", "says"), ERRORS)
def test_errors(key: Any, error: type[Exception], says: str) -> None:
    """A bad key is refused, for reading and for writing, and nothing is written."""
    x = tp.tensor(X)
    with pytest.raises(error, match=re.escape(says)):
        x[key]
    with pytest.raises(error, match=re.escape(says)):
        x[key] = 0.0
    with pytest.raises(error, match=re.escape(says)):
        grad(lambda x: x[key].sum())(x)
    np.testing.assert_array_equal(x.numpy(), X)


@pytest.mark.parametrize("key", [0, (slice(None), [0, 1]), tp.tensor(X > 20)])
def test_values_that_do_not_fit(key: Any) -> None:
    x = tp.tensor(X)
    with pytest.raises(RuntimeError, match=re.escape("[5] cannot be assigned")):
        x[key] = tp.zeros(5)
    np.testing.assert_array_equal(x.numpy(), X)


# ---- writing into memory ---------------------------------------------------------------------------------------------


def test_memory_is_written_in_place() -> None:
    memory = X.copy()
    x = tp.from_numpy(memory)
    x[0, 0] = 1
    x[1, tp.tensor([0, 2])] = tp.tensor([[5.0], [6.0]])
    x[x > 20] = 7
    expected = X.copy()
    expected[0, 0] = 1
    expected[1, [0, 2]] = [[5.0], [6.0]]
    expected[expected > 20] = 7
    np.testing.assert_array_equal(memory, expected)


def test_the_last_write_wins_and_addition_gathers() -> None:
    x = tp.zeros(3)
    x[[1, 1, 1]] = tp.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [0, 3, 0]
    x.index_put_((tp.tensor([1, 1]),), tp.tensor([1.0, 1.0]), accumulate=True)
    assert x.tolist() == [0, 5, 0]


def test_values_and_indices_on_the_memory_that_is_written() -> None:
    x = tp.tensor([0, 1, 2, 3])
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2]
    x = tp.tensor([3, 2, 1, 0])
    x[x] = x
    assert x.tolist() == [3, 2, 1, 0][::-1]
    x = tp.tensor([0, 1, 2, 3])
    x[[1, 2, 3]] = x[:3]
    assert x.tolist() == [0, 0, 1, 2]


def test_a_value_needed_for_a_derivative_is_guarded() -> None:
    w = tp.tensor([1.0, 2.0]).requires_grad_()
    x = tp.tensor([3.0, 4.0])
    y = w * x
    x[0] = 5
    with pytest.raises(RuntimeError, match="modified in place"):
        y.sum().backward()


def test_parameters_are_written_without_recording_only() -> None:
    w = tp.zeros(3).requires_grad_()
    with pytest.raises(RuntimeError, match="leaf"):
        w[0] = 1
    with tp.no_grad():
        w[[0, 2]] = tp.tensor([1.0, 2.0])
    assert w.tolist() == [1, 0, 2]
    assert w.is_leaf


def test_expanded_memory_is_refused() -> None:
    x = tp.zeros(1).expand(3)
    with pytest.raises(RuntimeError, match="clone"):
        x[0] = 1


def test_functionalize_holds_indexed_writes_back() -> None:
    x = tp.zeros(3)
    seen: list[float] = []

    def write(x: tp.Tensor) -> tp.Tensor:
        before = x.numpy()
        x[[0, 2]] = tp.tensor([1.0, 2.0])
        seen.append(float(before.sum()))
        return x.sum()

    assert functionalize(write)(x).item() == 3
    assert seen == [0.0]
    assert x.tolist() == [1, 0, 2]


# ---- masks under vmap ------------------------------------------------------------------------------------------------

M = np.array([[[True, False, True], [False, False, True]], [[False, True, True], [True, False, False]]])


@pytest.mark.parametrize("new", [np.array(7.0), np.arange(1.0, 4.0), np.array([5.0])])
def test_writing_by_a_mapped_mask(new: Array) -> None:
    """A value for all true elements, or one for each where all samples have equally many."""

    def write(mask: tp.Tensor) -> tp.Tensor:
        x = tp.zeros(2, 3, dtype=tp.float64)
        x[mask] = tp.tensor(new)
        return x

    got = vmap(write)(tp.tensor(M)).numpy()
    for sample in range(2):
        expected = np.zeros((2, 3))
        expected[M[sample]] = new
        np.testing.assert_array_equal(got[sample], expected)


def test_what_a_mapped_mask_cannot_do() -> None:
    masks = tp.tensor(np.array([[True, False], [True, True]]))

    def write(mask: tp.Tensor) -> tp.Tensor:
        x = tp.zeros(2)
        x[mask] = tp.tensor([1.0, 2.0])
        return x

    with pytest.raises(RuntimeError, match="data-dependent"):
        vmap(write)(masks)
    for read in (lambda m: tp.zeros(2)[m], tp.nonzero, tp.argwhere, lambda m: tp.masked_select(tp.zeros(2), m)):
        with pytest.raises(RuntimeError, match="data-dependent"):
            vmap(read)(masks)


def test_data_that_is_not_mapped_may_decide() -> None:
    mask, x = tp.tensor([True, False, True]), tp.tensor(X[0])
    got = vmap(lambda row: (row[:3][mask], row[tp.nonzero(mask)[:, 0]]))(x)
    for out in got:
        np.testing.assert_array_equal(out.numpy(), X[0][:, [0, 2]])


# ---- families --------------------------------------------------------------------------------------------------------


def test_out_of_bounds_everywhere() -> None:
    x, index = tp.zeros(2, 3), tp.tensor([[3]])
    for call, error in (
        (lambda: tp.gather(x, 1, index), RuntimeError),
        (lambda: tp.gather(x, 1, -index), RuntimeError),
        (lambda: tp.scatter(x, 1, index, 1.0), RuntimeError),
        (lambda: tp.scatter_add(x, 1, index, tp.ones(1, 1)), RuntimeError),
        (lambda: tp.index_select(x, 1, index[0]), IndexError),
        (lambda: tp.index_add(x, 1, index[0], tp.ones(2, 1)), RuntimeError),
        (lambda: tp.index_copy(x, 1, index[0], tp.ones(2, 1)), IndexError),
        (lambda: tp.index_fill(x, 1, index[0], 1.0), IndexError),
        (lambda: vmap(lambda i: tp.index_select(x, 1, i))(index), IndexError),
    ):
        with pytest.raises(error, match=r"index -?3 is out of bounds for dimension 1 with size 3"):
            call()


def test_products_at_zeros_to_second_order() -> None:
    """The derivative of a product with one zero, or two, is that of the other factors."""
    index = tp.tensor([0, 0, 0])

    def product(source: tp.Tensor) -> tp.Tensor:
        return tp.scatter_reduce(tp.tensor([2.0]), 0, index, source, "prod").sum()

    hessian = tp.func.hessian(product)(tp.tensor([0.0, 3.0, 0.0])).numpy()
    np.testing.assert_allclose(hessian, [[0, 0, 6], [0, 0, 0], [6, 0, 0]])


def test_extremes_that_tie_share_the_derivative() -> None:
    source, index = tp.tensor([1.0, 1.0, 0.0]), tp.tensor([0, 0, 0])
    kept = grad(lambda s: tp.scatter_reduce(tp.ones(1), 0, index, s, "amax").sum())(source)
    np.testing.assert_allclose(kept.numpy(), [1 / 3, 1 / 3, 0])
    left_out = grad(lambda s: tp.scatter_reduce(tp.ones(1), 0, index, s, "amax", include_self=False).sum())(source)
    np.testing.assert_allclose(left_out.numpy(), [1 / 2, 1 / 2, 0])


def test_results_share_no_memory_with_arguments() -> None:
    x, empty = tp.zeros(3), tp.zeros(0, dtype=tp.int64)
    for made in (
        tp.scatter(x, 0, empty, tp.zeros(0)),
        tp.scatter_add(x, 0, empty, tp.zeros(0)),
        tp.index_add(x, 0, empty, tp.zeros(0)),
        tp.index_put(tp.ones(3), (None,), x),
        tp.masked_scatter(x, tp.tensor([False] * 3), tp.zeros(0)),
        tp.index_reduce(x, 0, empty, tp.zeros(0), "amax"),
        tp.where(tp.tensor([True] * 3), x, x),
    ):
        made.fill_(1)
    assert x.tolist() == [0, 0, 0]


def test_fill_diagonal() -> None:
    x = tp.zeros(7, 3)
    assert x.fill_diagonal_(1, wrap=True) is x
    expected = np.zeros((7, 3))
    np.fill_diagonal(expected, 1, wrap=True)
    np.testing.assert_array_equal(x.numpy(), expected)
    got = vmap(lambda v: tp.zeros(2, 2).fill_diagonal_(v))(tp.tensor([1.0, 2.0]))
    np.testing.assert_array_equal(got.numpy(), [np.eye(2), 2 * np.eye(2)])
