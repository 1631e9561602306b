"""Universal functions on tensors, their methods, and operands of both kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import tensorplay as tp
from tensorplay.func import grad, jacfwd, jvp, vmap
from tensorplay.numpy_protocol.ufuncs import SPECIAL, UFUNCS

STEP = 1e-6
OF_INTS = {"bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "invert", "left_shift", "right_shift"}
STEPS = {"ceil", "floor", "trunc", "rint", "sign", "signbit", "floor_divide", "heaviside", "round", "nextafter"}
CONDITIONS = {name for name in UFUNCS if name.startswith(("is", "logical", "less", "greater", "equal", "not_equal"))}
POLYNOMIALS = {name for name in SPECIAL if name.startswith("eval_")}
MATRICES = {"matmul", "matvec", "vecmat", "vecdot"}
BEYOND_ONE = {"arccosh": 1.2}
UFUNC_NAMES = [*[f"np.{name}" for name in UFUNCS], *[f"special.{name}" for name in SPECIAL]]


def ufunc_of(label: str) -> Any:
    home, name = label.split(".")
    return getattr(np if home == "np" else scipy.special, name)


def operands(label: str) -> tuple[np.ndarray[Any, Any], ...]:
    """Arrays in the domain of a ufunc, away from its kinks."""
    name = label.split(".")[1]
    rng = np.random.default_rng(3)
    if name in OF_INTS:
        return tuple(rng.integers(1, 7, (2, 3)) for _ in range(ufunc_of(label).nin))
    if name == "ldexp":
        return rng.uniform(0.2, 0.8, (2, 3)), np.array([1, 2, -3])
    if name in MATRICES:
        shapes = {
            "matmul": ((2, 3), (3, 4)),
            "matvec": ((2, 3), (3,)),
            "vecmat": ((2,), (2, 3)),
            "vecdot": ((3,), (3,)),
        }
        return tuple(rng.normal(size=shape) for shape in shapes[name])
    if name in POLYNOMIALS:
        return np.array(4), rng.uniform(0.2, 0.8, (2, 3))
    first = rng.uniform(0.2, 0.8, (2, 3)) + BEYOND_ONE.get(name, 0)
    return first, *[rng.uniform(0.25, 0.9, 3) + i for i in range(ufunc_of(label).nin - 1)]


def is_smooth(label: str) -> bool:
    return label.split(".")[1] not in OF_INTS | STEPS | CONDITIONS


def parts(out: Any) -> tuple[Any, ...]:
    return out if isinstance(out, tuple) else (out,)


@pytest.mark.parametrize("label", UFUNC_NAMES)
def test_value(label: str) -> None:
    ufunc, arrays = ufunc_of(label), operands(label)
    expected = parts(ufunc(*arrays))
    degree = label.split(".")[1] in POLYNOMIALS
    choices = [[tp.tensor(array) for array in arrays]]
    for i in range(0 if degree else len(arrays)):
        choices += [[tp.tensor(array) if i == j else array for j, array in enumerate(arrays)]]
    for choice in choices:
        for mine, theirs in zip(parts(ufunc(*choice)), expected, strict=True):
            assert isinstance(mine, tp.Tensor)
            assert mine.shape == theirs.shape
            assert mine.numpy().dtype.kind == theirs.dtype.kind
            np.testing.assert_allclose(mine.numpy(), theirs, rtol=1e-10)


@pytest.mark.parametrize("label", UFUNC_NAMES)
def test_derivative(label: str) -> None:
    ufunc, arrays = ufunc_of(label), operands(label)
    if not is_smooth(label):
        if label.split(".")[1] not in OF_INTS | CONDITIONS | {"signbit"}:
            _, pushed = jvp(ufunc, tuple(map(tp.tensor, arrays)), tuple(tp.ones_like(tp.tensor(a)) for a in arrays))
            if "heaviside" not in label and "nextafter" not in label:
                assert not pushed.any()
        return
    for i, array in enumerate(arrays):
        if array.dtype.kind != "f" or (i == 0 and label in ("special.gammainc", "special.gammaincc")):
            continue  # the derivative by the order has no closed form

        def alone(x: Any, i: int = i) -> Any:
            return parts(ufunc(*[x if i == j else other for j, other in enumerate(arrays)]))

        def total(x: Any, alone: Any = alone) -> Any:
            return sum(
                np.sum(np.cos(1 + n) * part) for n, part in enumerate(alone(x)) if part.dtype not in (int, tp.int32)
            )

        direction = np.random.default_rng(5).normal(size=array.shape)
        expected = (total(array + STEP * direction) - total(array - STEP * direction)) / (2 * STEP)
        x = tp.tensor(array)
        gradient = grad(total)(x)
        assert (gradient * direction).sum().item() == pytest.approx(expected, rel=1e-5, abs=1e-6)
        _, pushed = jvp(total, (x,), (tp.tensor(direction),))
        assert pushed.item() == pytest.approx(expected, rel=1e-5, abs=1e-6)
        second = jacfwd(grad(total))(x)
        moved = [grad(total)(tp.tensor(array + sign * STEP * direction)) for sign in (1, -1)]
        change = (moved[0] - moved[1]) / (2 * STEP)
        applied = (second.reshape(array.size, array.size) @ tp.tensor(direction.reshape(-1))).reshape(array.shape)
        np.testing.assert_allclose(applied.numpy(), change.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("label", UFUNC_NAMES)
def test_mapped(label: str) -> None:
    ufunc, arrays = ufunc_of(label), operands(label)
    first = arrays[-1] if label.split(".")[1] in POLYNOMIALS else arrays[0]
    samples = np.stack([first, first[..., ::-1], first])

    def alone(x: Any) -> tuple[Any, ...]:
        return parts(ufunc(4, x) if label.split(".")[1] in POLYNOMIALS else ufunc(x, *arrays[1:]))

    loop = [alone(sample) for sample in samples]
    for i, mine in enumerate(vmap(alone)(tp.tensor(samples))):
        np.testing.assert_allclose(mine.numpy(), np.stack([sample[i] for sample in loop]), rtol=1e-10)


# ---- operands of both kinds ------------------------------------------------------------------------------------------


def test_operators_of_arrays_and_tensors() -> None:
    x, a = tp.tensor([1.0, 2.0], dtype=tp.float64), np.array([3.0, 4.0])
    for got, expected in [
        (a + x, [4.0, 6.0]),
        (a - x, [2.0, 2.0]),
        (x - a, [-2.0, -2.0]),
        (a / x, [3.0, 2.0]),
        (a**x, [3.0, 16.0]),
        (a @ x, 11.0),
        (a > x, [True, True]),
        (np.array(2.0) * x, [2.0, 4.0]),
    ]:
        assert isinstance(got, tp.Tensor)
        assert got.tolist() == expected
    assert (a.astype(np.float32) * tp.tensor([1, 2])).dtype is tp.float32
    assert (a * tp.ones(2)).dtype is tp.float64
    assert (np.array(2.0) * tp.ones(2)).dtype is tp.float32


@pytest.mark.parametrize("number", [np.float64(2.0), np.float32(2.0), np.int64(2), np.float16(2.0)])
def test_scalars_do_not_decide_the_dtype(number: Any) -> None:
    for dtype in (tp.float32, tp.float64):
        x = tp.tensor([1.0, 3.0], dtype=dtype)
        for got in (number * x, x * number, np.multiply(number, x), np.maximum(x, number) * 2 / 2 * x / x * 2):
            assert got.dtype is dtype
        assert (number * x).tolist() == [2.0, 6.0]
        assert (number - x).tolist() == [1.0, -1.0]
    mixed = number + tp.tensor([1, 2])
    assert mixed.dtype is (tp.int64 if isinstance(number, np.integer) else tp.float32)
    assert (tp.tensor([1, 2]) + number).dtype is mixed.dtype


def test_writes_to_arrays_and_tensors() -> None:
    x, a = tp.tensor([1.0, 2.0], dtype=tp.float64), np.array([3.0, 4.0])
    a += x
    assert a.tolist() == [4.0, 6.0]
    assert isinstance(a, np.ndarray)
    out = tp.zeros(2, dtype=tp.float64)
    assert np.add(x, 1.0, out=out) is out
    assert out.tolist() == [2.0, 3.0]
    np.sin(x, where=np.array([True, False]), out=out)
    assert out.tolist() == [np.sin(1.0), 3.0]
    np.multiply(x, 2.0, where=x > 1, out=(out,))
    assert out.tolist() == [np.sin(1.0), 4.0]
    assert np.sum(x, out=tp.zeros((), dtype=tp.float64)).item() == 3.0
    low, high = np.empty(2), np.empty(2)
    np.modf(x + 0.25, out=(low, high))
    assert (low.tolist(), high.tolist()) == ([0.25, 0.25], [1.0, 2.0])
    with pytest.raises(TypeError, match="where"):
        np.sin(x, where=np.array([True, False]))

    def f(x: tp.Tensor) -> Any:
        return np.add(x, 1.0, out=np.zeros(2)).sum()

    with pytest.raises(RuntimeError, match=r"np\.add\(out=\.\.\.\): grad\(f\) traces .* NumPy array cannot hold"):
        grad(f)(x)


def test_out_made_inside_is_differentiated() -> None:
    def f(x: Any) -> Any:
        out = np.empty_like(x)
        np.multiply(x, x, out=out)
        np.sin(x, where=x > 1.5, out=out)
        return np.sum(out)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(grad(f)(tp.tensor(x)).numpy(), [2.0, np.cos(2.0)])
    np.testing.assert_allclose(
        vmap(grad(f))(tp.tensor(np.stack([x, x[::-1]]))).numpy(), [[2.0, np.cos(2)], [np.cos(2), 2.0]]
    )


def test_other_libraries_have_their_turn() -> None:
    class Other:
        __array_ufunc__ = None

        def __rmul__(self, other: Any) -> str:
            return "theirs"

    class Taking:
        def __array_ufunc__(self, *args: Any, **kwargs: Any) -> str:
            return "taken"

        def __array_function__(self, *args: Any, **kwargs: Any) -> str:
            return "taken"

    assert tp.ones(2) * Other() == "theirs"
    assert np.add(tp.ones(2), Taking()) == "taken"
    assert np.concatenate([tp.ones(2), Taking()]) == "taken"


# ---- methods ---------------------------------------------------------------------------------------------------------

M = np.random.default_rng(9).uniform(0.3, 1.7, (3, 4))


@pytest.mark.parametrize("axis", [0, -1, None, (0, 1)])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logaddexp", "hypot", "fmax"])
def test_reduce(name: str, axis: Any) -> None:
    ufunc = getattr(np, name)
    expected = ufunc.reduce(M, axis=axis, keepdims=True)
    got = ufunc.reduce(tp.tensor(M), axis=axis, keepdims=True)
    np.testing.assert_allclose(got.numpy(), expected)
    step = M * STEP
    difference = (ufunc.reduce(M + step, axis=axis) - ufunc.reduce(M - step, axis=axis)) / (2 * STEP)
    _, pushed = jvp(lambda m: ufunc.reduce(m, axis=axis), (tp.tensor(M),), (tp.tensor(M),))
    np.testing.assert_allclose(pushed.numpy(), difference, rtol=1e-6)
    mapped = vmap(lambda m: ufunc.reduce(m, axis=axis))(tp.tensor(np.stack([M, M[::-1]])))
    np.testing.assert_allclose(mapped.numpy(), [ufunc.reduce(M, axis=axis), ufunc.reduce(M[::-1], axis=axis)])


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logaddexp", "subtract", "hypot"])
def test_accumulate(name: str) -> None:
    ufunc = getattr(np, name)
    np.testing.assert_allclose(ufunc.accumulate(tp.tensor(M), 1).numpy(), ufunc.accumulate(M, 1))
    np.testing.assert_allclose(ufunc.accumulate(tp.tensor(M)).numpy(), ufunc.accumulate(M))
    mapped = vmap(ufunc.accumulate)(tp.tensor(np.stack([M, M[::-1]])))
    np.testing.assert_allclose(mapped.numpy(), [ufunc.accumulate(M), ufunc.accumulate(M[::-1])])


def test_outer() -> None:
    v = M[0]
    for mine in (np.subtract.outer(tp.tensor(M), v), np.subtract.outer(M, tp.tensor(v))):
        np.testing.assert_allclose(mine.numpy(), np.subtract.outer(M, v))
    gradient = grad(lambda v: (np.multiply.outer(M, v) ** 2).sum())(tp.tensor(v))
    np.testing.assert_allclose(gradient.numpy(), 2 * v * (M**2).sum())


def test_at() -> None:
    rows = np.array([0, 2, 0])
    expected = M.copy()
    np.add.at(expected, rows, 1.5)
    x = tp.tensor(M)
    np.add.at(x, rows, 1.5)
    np.testing.assert_allclose(x.numpy(), expected)
    np.subtract.at(x, (rows, np.array([1, 1, 1])), tp.ones(3, dtype=tp.float64))
    np.subtract.at(expected, (rows, np.array([1, 1, 1])), 1.0)
    np.testing.assert_allclose(x.numpy(), expected)

    def counted(v: Any) -> Any:
        total = np.zeros(3, like=v)
        np.add.at(total, np.array([0, 2, 0, 1]), v)
        return np.sum(total**2)

    plus, minus = [counted(v) for v in (M[0] * (1 + STEP), M[0] * (1 - STEP))]
    assert (grad(counted)(tp.tensor(M[0])) * M[0]).sum().item() == pytest.approx((plus - minus) / (2 * STEP))
    with pytest.raises(NotImplementedError, match=r"np\.maximum\.at\(\).*scatter_reduce_"):
        grad(lambda v: np.maximum.at(v, [0], 1.0))(tp.tensor(M[0]))
    with pytest.raises(RuntimeError, match="NumPy array cannot hold"):
        grad(lambda v: np.add.at(np.zeros(3), [0, 1, 1, 2], v))(tp.tensor(M[0]))


def test_dtype_of_the_computation() -> None:
    x = tp.ones(2)
    assert np.add(x, x, dtype=np.float64).dtype is tp.float64
    assert np.add.reduce(x, dtype="float64").dtype is tp.float64
    with pytest.raises(TypeError, match=r"np\.matmul\(\): axes= is not supported"):
        np.matmul(tp.ones(2, 2), tp.ones(2, 2), axes=[(0, 1), (0, 1), (0, 1)])
