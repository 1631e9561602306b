"""What ops give for many elements, in pieces and by threads, is what their kernels give for all elements at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.core.primitive import MANY, Primitive, registry
from tensorplay.ops import many, rowwise
from tensorplay.ops.families import elementwise
from tensorplay.ops.many import BLOCK, CHEAP, COSTLY, add_to, fill, in_pieces
from tensorplay.tensor.lift import lift

Array = Any
PARAMS = {"pow": {"logs": 0}, "isclose": {"rtol": 0.1, "atol": 0.1, "equal_nan": False}}
ELEMENTWISE = sorted(
    name
    for name, prim in registry.items()
    if prim.family == "elementwise" and (name in PARAMS or getattr(prim.impl, "__kwdefaults__", None) is None)
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = tp.get_num_threads()
    with np.errstate(all="ignore"):
        yield
    tp.set_num_threads(before)


@pytest.fixture
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("CHEAP", "COSTLY", "BLOCK"):
        monkeypatch.setattr(many, limit, 1000)


def operands_of(prim: Primitive, kind: str) -> list[Array] | None:
    """Random operands of a dtype that the primitive takes, or None."""
    rng = np.random.default_rng(0)
    for count in range(1, 5):
        draws = [rng.random((100, 31)) * 0.8 + 0.1 for _ in range(count)]
        operands = [(5 * d).astype(np.int64) if kind == "i" else d.astype(np.float32) for d in draws]
        try:
            prim.impl(*[o[:1] for o in operands], **PARAMS.get(prim.name, {}))
        except (TypeError, ValueError, NotImplementedError, RuntimeError, AttributeError, IndexError):
            continue
        return operands
    return None


def same(found: Array, expected: Array) -> None:
    assert found.dtype == expected.dtype
    assert found.strides == expected.strides
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("kind", ["f", "i"])
@pytest.mark.usefixtures("_few_are_many")
def test_pieces_of_every_elementwise_op(name: str, kind: str) -> None:
    prim = registry[name]
    operands = operands_of(prim, kind)
    if operands is None:
        pytest.skip("needs operands of another kind")
    params = PARAMS.get(name, {})
    for number in (1, 3):
        tp.set_num_threads(number)
        same(prim.many(*operands, **params), prim.impl(*operands, **params))


ROWS, COLUMNS = 60, 50
BLOCK_OF_ROWS = np.random.default_rng(1).random((ROWS, COLUMNS), np.float32)
OTHERS: dict[str, Any] = {
    "float": 2.5,
    "int": 3,
    "bool": True,
    "complex": 1j,
    "0-d": np.asarray(2.0),
    "scalar": np.float32(2),
    "row": BLOCK_OF_ROWS[0],
    "row of a matrix": BLOCK_OF_ROWS[:1],
    "column": np.ascontiguousarray(BLOCK_OF_ROWS[:, :1]),
    "ints": np.arange(COLUMNS),
    "matrix": BLOCK_OF_ROWS,
    "Fortran": BLOCK_OF_ROWS.T,
    "strided": np.repeat(BLOCK_OF_ROWS, 2, axis=1)[:, ::2],
    "reversed": BLOCK_OF_ROWS[::-1],
    "expanded": np.broadcast_to(BLOCK_OF_ROWS[0, 0], (ROWS, COLUMNS)),
    "more dims": np.ones((2, 1, 1), np.float32),
    "doubles": BLOCK_OF_ROWS.astype(np.float64),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("ufunc", [np.multiply, np.less, np.arctan2])
@pytest.mark.usefixtures("_few_are_many")
def test_operands_of_every_layout(ufunc: np.ufunc, other: str) -> None:
    if other == "complex" and ufunc is np.arctan2:
        pytest.skip("not for complex numbers")
    tp.set_num_threads(3)
    shared = in_pieces(ufunc)
    for x in (BLOCK_OF_ROWS, BLOCK_OF_ROWS.T, BLOCK_OF_ROWS.reshape(-1, 1, COLUMNS), BLOCK_OF_ROWS.reshape(1, -1)):
        for operands in ((x, OTHERS[other]), (OTHERS[other], x)):
            try:
                expected = ufunc(*operands)
            except ValueError as error:
                with pytest.raises(ValueError, match=str(error)[:30]):
                    shared(*operands)
            else:
                same(shared(*operands), expected)


@pytest.mark.usefixtures("_few_are_many")
@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.complex64, np.complex128, np.int8, np.uint64, np.bool])
def test_dtypes(dtype: Any) -> None:
    tp.set_num_threads(2)
    x = (3 * BLOCK_OF_ROWS).astype(dtype)
    for ufunc in (np.add, np.equal, np.absolute):
        operands = (x, x[::-1].copy())[: ufunc.nin]
        same(in_pieces(ufunc)(*operands), ufunc(*operands))
    with pytest.raises(TypeError, match="negative"):
        in_pieces(np.negative)(np.ones(5000, bool))


def threads_of(name: str, *operands: Any) -> int:
    """How many threads a kernel of one's own runs in when a primitive passes on what it is given."""
    seen = set()

    def impl(*arrays: Array) -> Array:
        seen.add(threading.get_ident())
        return arrays[0] + 1

    if name == "costly":
        impl.fill = lambda x, out: np.copyto(out, impl(x))  # type: ignore[attr-defined]
    in_pieces(impl)(*operands)
    return len(seen)


def test_threads_where_it_pays() -> None:
    tp.set_num_threads(2)
    assert threads_of("cheap", np.ones(2 * CHEAP - 1)) == 1
    assert threads_of("cheap", np.ones(2 * CHEAP)) == 2
    assert threads_of("costly", np.ones(2 * COSTLY - 1)) == 1
    assert threads_of("costly", np.ones(2 * COSTLY)) == 2
    assert MANY <= 2 * COSTLY


def test_pieces_fit_in_the_cache() -> None:
    tp.set_num_threads(1)
    sizes = []
    x = np.zeros((1000, 1, 700))
    assert np.all(in_pieces(lambda x: sizes.append(x.size) or x + 1)(x) == 1)
    assert sum(sizes) == x.size + 1
    assert max(sizes) <= BLOCK
    assert len(sizes) - 1 == -(-x.size // BLOCK)


def test_filling_in_place_and_rows() -> None:
    tp.set_num_threads(2)
    total, term = np.ones((700, 512)), np.arange(512.0)
    fill(np.add, (total, term), total, 1)
    assert np.array_equal(total, np.broadcast_to(1 + term, total.shape))
    add_to(total, total)
    assert np.array_equal(total, np.broadcast_to(2 + 2 * term, total.shape))
    turned = np.zeros((512, 700)).T
    fill(np.add, (turned, total), turned, 1)
    assert np.array_equal(turned, total)


@pytest.mark.parametrize("transform", ["plain", "record", "map"])
def test_ops_on_many_elements_go_to_the_threads(transform: str) -> None:
    tp.set_num_threads(2)
    seen = set()

    def impl(x: Array) -> Array:
        seen.add(threading.get_ident())
        return x * 2

    prim = elementwise(f"spied_{transform}", impl, [2])
    try:
        f = lift(prim)
        x = tp.ones(4, CHEAP)
        out = {"plain": lambda: f(x), "record": lambda: tp.func.vjp(f, x)[0], "map": lambda: tp.func.vmap(f)(x)}
        assert tp.all(out[transform]() == 2)
    finally:
        del registry[prim.name]
    assert len(seen) == 2


ROW_KERNELS = {
    "softmax": {"limits": False},
    "softmax_derivative": {},
    "log_softmax": {},
    "log_softmax_derivative": {},
    "standardize": {"eps": 1e-5},
    "standardize_derivative": {},
}


@pytest.mark.parametrize("name", ROW_KERNELS)
@pytest.mark.parametrize("dims", [(2,), (3,), (1, 2), (2, 3), (1,), (0,), (0, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows(name: str, dims: tuple[int, ...], dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rows at a time give what all give at once, whichever dims make a row."""
    for limit in ("COSTLY", "BLOCK"):
        monkeypatch.setattr(rowwise, limit, 300)
    prim, rng = registry[name], np.random.default_rng(2)
    x, y = rng.standard_normal((2, 6, 7, 9, 11)).astype(dtype)
    r = np.abs(rng.standard_normal([1 if d in dims else n for d, n in enumerate(x.shape)])).astype(dtype)
    operands = {"standardize_derivative": (x, y, r), "softmax": (x,), "log_softmax": (x,), "standardize": (x,)}
    params = {"dims": dims, **ROW_KERNELS[name]}
    for number in (1, 3):
        tp.set_num_threads(number)
        found, expected = [f(*operands.get(name, (x, y)), **params) for f in (prim.many, prim.impl)]
        assert type(found) is type(expected)
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for one, other in pairs:
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            np.testing.assert_allclose(one, other, rtol=0, atol=100 * np.finfo(dtype).eps * np.abs(other).max())


def test_rows_of_other_layouts_and_casts() -> None:
    tp.set_num_threads(3)
    x = np.random.default_rng(3).standard_normal((700, 800)).astype(np.float32)
    softmax, cast, clone = registry["softmax"], registry["to"], registry["clone"]
    for each in (x, x.T, x[:, ::2], x[::-1]):
        expected = softmax.impl(each, dims=(1,), limits=False)
        np.testing.assert_allclose(softmax.many(each, dims=(1,), limits=False), expected, rtol=1e-5)
        for dtype in (np.float64, np.int16, np.complex64, np.bool):
            same(cast.many(each, dtype=np.dtype(dtype)), cast.impl(each, dtype=np.dtype(dtype)))
        same(clone.many(each), clone.impl(each))
    turning = (x + 1j).astype(np.complex64)
    same(cast.many(turning, dtype=np.dtype(np.float32)), x)
