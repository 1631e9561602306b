"""Dtypes off the common path: numbers in small integers, half precision, and what mixed dtypes give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tensorplay as tp

F = tp.nn.functional
SMALL = tp.tensor([1, 2], dtype=tp.uint8)
FIRST = tp.tensor([0])

# ---- Python numbers in a tensor of small integers --------------------------------------------------------------------

PUTS: dict[str, Callable[[int], tp.Tensor]] = {
    "tensor": lambda n: tp.tensor([n], dtype=tp.uint8) if n > 0 else tp.tensor(n, dtype=tp.uint8).reshape(1),
    "full": lambda n: tp.full((1,), n, dtype=tp.uint8),
    "full_like": lambda n: tp.full_like(SMALL, n),
    "scalar_tensor": lambda n: tp.scalar_tensor(n, dtype=tp.uint8).reshape(1),
    "fill": lambda n: tp.fill(SMALL, n),
    "masked_fill": lambda n: SMALL.masked_fill(SMALL > 0, n),
    "index_fill": lambda n: SMALL.index_fill(0, FIRST, n),
    "scatter": lambda n: SMALL.scatter(0, FIRST, n),
    "pad": lambda n: F.pad(SMALL, (1, 0), value=n),
    "index_add": lambda n: tp.zeros_like(SMALL).index_add(0, FIRST, SMALL[:1], alpha=n),
    "addmm": lambda n: tp.addmm(tp.zeros(1, 1, dtype=tp.uint8), SMALL[:1, None], SMALL[None, :1], alpha=n)[0],
}


@pytest.mark.parametrize("name", PUTS)
def test_negative_number_counts_from_the_top(name: str) -> None:
    assert PUTS[name](-5)[0].item() == 251


@pytest.mark.parametrize("name", PUTS)
def test_number_that_does_not_fit(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"fit|bounds"):
        PUTS[name](300)


@pytest.mark.parametrize(
    "put",
    [
        lambda x, n: x.masked_fill(x > 0, n),
        lambda x, n: x.index_fill(0, FIRST, n),
        lambda x, n: tp.full_like(x, n),
        lambda x, n: x.clone().fill_(n),
        lambda x, n: x.clone().__setitem__(0, n),
    ],
)
@pytest.mark.parametrize("number", [2j, tp.tensor(2j)], ids=["number", "tensor"])
def test_no_imaginary_part_is_dropped(put: Callable[..., object], number: object) -> None:
    with pytest.raises(RuntimeError, match="does not fit"):
        put(tp.tensor([1.0, 2.0]), number)


# ---- half precision --------------------------------------------------------------------------------------------------


def _random(*shape: int, scale: float = 1.0) -> tp.Tensor:
    return tp.from_numpy(np.random.default_rng(0).standard_normal(shape) * scale).to(tp.float16)


HALF: dict[str, Callable[[Callable[[tp.Tensor], tp.Tensor]], tp.Tensor]] = {
    "rms_norm": lambda to: F.rms_norm(to(_random(3, 4, scale=500)), (4,)),
    "scaled_dot_product_attention": lambda to: F.scaled_dot_product_attention(*[to(_random(2, 5, 4, scale=6))] * 3),
    "embedding_bag": lambda to: F.embedding_bag(
        tp.tensor([[0, 1, 2]]),
        to(_random(3, 4, scale=9)),
        max_norm=0.5,
        mode="sum",
        per_sample_weights=to(_random(1, 3)),
    ),
    "matrix_norm": lambda to: tp.linalg.matrix_norm(to(_random(3, 3)), 1),
    "matrix_exp": lambda to: tp.linalg.matrix_exp(to(_random(3, 3))),
}


@pytest.mark.parametrize("name", HALF)
def test_half_precision_rounds_the_result_only(name: str) -> None:
    got, expected = HALF[name](lambda x: x), HALF[name](lambda x: x.double())
    assert got.dtype == tp.float16
    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=2e-3, atol=2e-3 * abs(expected.numpy()).max())


def test_rows_far_beyond_the_limit_keep_their_digits() -> None:
    table = _random(2, 3, scale=1e4).float()
    rows = F.embedding(tp.tensor([0, 1]), table, max_norm=1.0).double()
    np.testing.assert_allclose(rows.numpy(), F.normalize(table.double()).numpy(), rtol=1e-6)


# ---- images of bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes_are_resized_in_floating_point_and_rounded(mode: str) -> None:
    image = tp.from_numpy(np.random.default_rng(0).integers(0, 256, (1, 2, 4, 5), dtype=np.uint8))
    got = F.interpolate(image, size=(7, 9), mode=mode)
    exact = F.interpolate(image.double(), size=(7, 9), mode=mode).clamp(0, 255)
    assert got.dtype == tp.uint8
    assert (got.double() - exact).abs().max() <= 0.5 + 1e-4


# ---- dtypes of results -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "weights", "expected"),
    [
        (tp.float16, tp.float32, tp.float32),
        (tp.float32, tp.float64, tp.float64),
        (tp.float64, tp.float32, tp.float64),
        (tp.complex64, tp.float64, tp.complex128),
        (tp.int64, tp.float64, tp.float64),
    ],
)
def test_covariance_holds_data_and_weights(given: tp.dtype, weights: tp.dtype, expected: tp.dtype) -> None:
    data = tp.tensor([[1.0, 2.0, 4.0], [3.0, 1.0, 0.0]]).to(given)
    assert tp.cov(data, aweights=tp.tensor([0.5, 1.0, 0.25]).to(weights)).dtype == expected


def test_covariance_counts_weights_in_the_precision_of_the_data() -> None:
    data, weights = np.array([[-4.8, -7.6, -0.6]]), np.array([0.37, 0.06, 0.7], np.float32)
    got = tp.cov(tp.from_numpy(data), correction=2, aweights=tp.from_numpy(weights))
    np.testing.assert_allclose(got.numpy(), np.cov(data, ddof=2, aweights=weights.astype(float)), rtol=1e-12)


@pytest.mark.parametrize("dtype", [tp.bool, tp.uint8, tp.int32])
def test_sums_to_a_size_are_int64(dtype: tp.dtype) -> None:
    ones = tp.ones(2, 3, dtype=dtype)
    assert ones.sum_to_size(2, 3).dtype == dtype
    assert ones.sum_to_size(3).tolist() == [2, 2, 2]
    assert ones.sum_to_size(3).dtype == tp.int64


def test_addr_of_truth_values() -> None:
    true = tp.tensor([True, False])
    result = tp.addr(tp.zeros(2, 2, dtype=tp.bool), true, true, beta=2, alpha=3)
    assert result.dtype == tp.bool
    assert result.tolist() == [[True, False], [False, False]]


# ---- padding nothing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_pad_of_an_empty_batch(mode: str) -> None:
    assert F.pad(tp.zeros(0, 2, 3), (1, 2), mode=mode).shape == (0, 2, 6)


# ---- questions about dtypes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tp.float16, tp.float32, tp.float64, tp.complex64, tp.complex128])
def test_limits_of_floating_point_types(dtype: tp.dtype) -> None:
    info, real = tp.finfo(dtype), dtype.to_real()
    one = tp.tensor(1.0, dtype=real)
    assert (one + info.eps > one).item()
    assert (one + info.eps / 2 == one).item()
    assert tp.isfinite(tp.tensor(info.max, dtype=real)).item()
    assert info.min == -info.max
    assert tp.isinf(tp.tensor(info.max, dtype=real) * 2).item()
    assert (info.tiny, info.bits) == (info.smallest_normal, 8 * real.itemsize)


def test_limits_of_integer_types() -> None:
    assert (tp.iinfo(tp.uint8).min, tp.iinfo(tp.uint8).max, tp.iinfo(tp.int64).max) == (0, 255, 2**63 - 1)
    assert tp.finfo().dtype == "float32"
    for call in (lambda: tp.finfo(tp.int32), lambda: tp.iinfo(tp.float32), lambda: tp.iinfo(tp.bool)):
        with pytest.raises(TypeError, match=r"expected an? .* dtype"):
            call()
    with pytest.raises(TypeError, match="expected a dtype, got 3"):
        tp.finfo(3)


def test_types_of_results_are_those_of_sums() -> None:
    operands = [2, 2.0, 1j, *[tp.ones(shape).to(d) for shape in ((), (2,)) for d in (tp.uint8, tp.float16, tp.int64)]]
    for a in operands:
        for b in operands:
            if isinstance(a, tp.Tensor) or isinstance(b, tp.Tensor):
                assert tp.result_type(a, b) == (a + b).dtype
    assert tp.result_type(1, 2.0) == tp.float32
    with pytest.raises(TypeError, match=r"result_type.*list"):
        tp.result_type([1], 2)


def test_promotion_and_casts_of_types() -> None:
    assert tp.promote_types(tp.uint8, tp.int8) == tp.int16
    assert tp.promote_types(tp.float64, tp.complex64) == tp.complex128
    for from_, to, allowed in (
        (tp.float64, tp.float16, True),
        (tp.int64, tp.uint8, True),
        (tp.int32, tp.bool, False),
        (tp.float32, tp.int32, False),
        (tp.complex64, tp.float64, False),
    ):
        assert tp.can_cast(from_, to) is allowed
    with pytest.raises(TypeError, match=r"promote_types.*dtype"):
        tp.promote_types(1, tp.int32)


def test_names_of_types() -> None:
    x = tp.ones(2)
    assert x.type() == "tensorplay.FloatTensor"
    assert x.type(tp.int64).dtype == tp.int64
    assert (x.is_cpu, x.is_cuda) == (True, False)


def test_constants() -> None:
    assert (tp.cos(tp.tensor(tp.pi)).item(), tp.inf > 1e300, tp.nan != tp.nan) == (-1.0, True, True)
    assert tp.ones(3)[:, tp.newaxis].shape == (3, 1)
    assert tp.log(tp.tensor(tp.e)).item() == pytest.approx(1.0)


# ---- products of mixed dtypes ----------------------------------------------------------------------------------------

PRODUCTS: dict[str, Callable[[tp.Tensor, tp.Tensor], tp.Tensor]] = {
    "matmul": lambda a, b: a @ b,
    "mm": tp.mm,
    "bmm": lambda a, b: tp.bmm(a[None], b[None]),
    "mv": lambda a, b: tp.mv(a, b[0]),
    "dot": lambda a, b: tp.dot(a[0], b[0]),
    "vdot": lambda a, b: tp.vdot(a[0], b[0]),
    "inner": tp.inner,
    "linalg.vecdot": tp.linalg.vecdot,
    "tensordot": lambda a, b: tp.tensordot(a, b, 1),
    "einsum": lambda a, b: tp.einsum("ij,jk->ik", a, b),
    "linalg.cross": tp.linalg.cross,
    "linalg.multi_dot": lambda a, b: tp.linalg.multi_dot([a, b]),
    "chain_matmul": tp.chain_matmul,
    "addmm": lambda a, b: tp.addmm(a, a, b),
    "addmv": lambda a, b: tp.addmv(b[0], a, a[0]),
    "addbmm": lambda a, b: tp.addbmm(b, a[None], a[None]),
    "baddbmm": lambda a, b: tp.baddbmm(a, a[None], b[None]),
    "linear": F.linear,
    "bilinear": lambda a, b: F.bilinear(a, b, a[None]),
    "cdist": tp.cdist,
}
SQUARE = tp.ones(3, 3)


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtypes", [(tp.float32, tp.float64), (tp.float64, tp.float32)])
def test_products_are_of_one_dtype(name: str, dtypes: tuple[tp.dtype, tp.dtype]) -> None:
    first, second = [SQUARE.to(dtype) for dtype in dtypes]
    assert PRODUCTS[name](first, first).dtype == first.dtype
    with pytest.raises(RuntimeError, match=rf"{name}\(\): expected operands of the same dtype, got .*float(32|64), "):
        PRODUCTS[name](first, second)
    with pytest.raises(RuntimeError, match="the same dtype"):
        tp.func.vmap(tp.func.grad(lambda a: PRODUCTS[name](a, second).sum()))(first[None])


def test_what_only_multiplies_promotes() -> None:
    a, b = SQUARE, SQUARE.double()
    products = [tp.outer(a[0], b[0]), tp.kron(a, b), tp.einsum("ij,ij->ij", a, b), tp.inner(a, b[0, 0])]
    assert [product.dtype for product in products] == [tp.float64, tp.float64, tp.float64, tp.float32]


def test_numpys_products_promote_as_numpys_do() -> None:
    a, b = SQUARE, np.eye(3) * 2
    for product in (
        a @ b,
        b @ a,
        np.matmul(a, b),
        np.dot(b, a),
        np.inner(a, b),
        np.einsum("ij,jk", a, b),
        np.tensordot(b, a, 1),
        np.linalg.multi_dot([a, b, a, b]) / 6,
        np.linalg.solve(b / 4, a),
        a @ b.tolist(),
    ):
        np.testing.assert_array_equal(product.numpy(), np.full((3, 3), 2.0))
        assert product.dtype == tp.float64
    assert np.dot(a, np.float64(2.0)).dtype == tp.float32
    assert tp.func.grad(lambda x: (x @ b).sum())(a).dtype == tp.float32
