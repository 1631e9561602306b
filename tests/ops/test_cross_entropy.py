"""Cross entropy of classes, against the negative log-likelihood of a log-softmax made of other ops."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, hessian, jvp, vmap

F = tp.nn.functional
rng = np.random.default_rng(0)

# shapes of logits, and where classes lie
SHAPES = [(5,), (4, 3), (1, 1), (40, 20), (2, 3, 4), (3, 4, 2, 2), (0, 3)]


def sample(shape: tuple[int, ...], ignored: bool) -> tuple[tp.Tensor, tp.Tensor]:
    count = shape[min(1, len(shape) - 1)]
    classes = rng.integers(0, count, shape[:1] + shape[2:] if len(shape) > 1 else ())
    if ignored and classes.size > 1:
        classes.flat[0] = -100
    return tp.tensor(3 * rng.standard_normal(shape)), tp.tensor(classes)


def by_parts(logits: tp.Tensor, classes: tp.Tensor, reduction: str = "mean") -> tp.Tensor:
    dim = min(1, logits.ndim - 1)
    return F.nll_loss(logits - logits.logsumexp(dim, keepdim=True), classes, reduction=reduction)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_value_and_derivatives(shape: tuple[int, ...], ignored: bool, reduction: str) -> None:
    x, y = sample(shape, ignored)
    slopes = tp.tensor(rng.standard_normal(F.cross_entropy(x, y, reduction=reduction).shape))
    fused = lambda x: (F.cross_entropy(x, y, reduction=reduction) * slopes).sum()  # noqa: E731
    parts = lambda x: (by_parts(x, y, reduction) * slopes).sum()  # noqa: E731
    tp.testing.assert_close(fused(x), parts(x), equal_nan=True)
    tp.testing.assert_close(grad(fused)(x), grad(parts)(x), equal_nan=True)
    t = tp.tensor(rng.standard_normal(shape))
    tp.testing.assert_close(jvp(fused, (x,), (t,))[1], jvp(parts, (x,), (t,))[1], equal_nan=True)
    if x.numel() <= 24:
        tp.testing.assert_close(hessian(fused)(x), hessian(parts)(x), equal_nan=True)


def test_third_derivative() -> None:
    x, y = sample((2, 3), True)
    third = lambda f: tp.func.jacfwd(hessian(f))(x)  # noqa: E731
    tp.testing.assert_close(third(lambda x: F.cross_entropy(x, y)), third(lambda x: by_parts(x, y)))


def test_samples_of_which_each_has_its_own_number() -> None:
    x = tp.tensor(rng.standard_normal((3, 4, 5)))
    y = tp.tensor([[0, 1, 2, 3], [-100, 4, -100, 0], [-100, 1, 1, 1]])
    mapped = vmap(grad(F.cross_entropy))(x, y)
    one_by_one = tp.stack([grad(by_parts)(row, classes) for row, classes in zip(x, y, strict=True)])
    tp.testing.assert_close(mapped, one_by_one)


def test_infinite_logits() -> None:
    x = tp.tensor([[-np.inf, 0.0, 1.0], [np.inf, 0.0, 0.0], [-np.inf, -np.inf, 0.0]])
    np.testing.assert_allclose(
        F.cross_entropy(x, tp.tensor([1, 1, 0]), reduction="none").numpy(), [np.log1p(np.e), np.nan, np.inf], rtol=1e-6
    )
    one = x[:1]
    found = grad(lambda x: F.cross_entropy(x, tp.tensor([1])))(one).numpy()
    np.testing.assert_allclose(found, [[0, 1 / (1 + np.e) - 1, np.e / (1 + np.e)]], rtol=1e-6)


def test_half_precision_counts_many_samples() -> None:
    x = tp.zeros(5000, 2, dtype=tp.float16)
    found = F.cross_entropy(x, tp.zeros(5000, dtype=tp.int64))
    np.testing.assert_allclose(found.item(), np.log(2), rtol=1e-3)


@pytest.mark.parametrize("dtype", [tp.uint8, tp.int32, tp.int64])
@pytest.mark.parametrize("wrong", [3, -1, 200])
def test_classes_out_of_bounds(dtype: tp.dtype, wrong: int) -> None:
    if dtype == tp.uint8 and wrong < 0:
        wrong = 255
    with pytest.raises(IndexError, match=f"target {wrong} is out of bounds for 3 classes"):
        F.cross_entropy(tp.zeros(2, 3), tp.tensor([0, wrong], dtype=dtype))
