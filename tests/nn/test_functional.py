"""What the laws over the op database do not reach: state, randomness, defaults, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay.func import grad, hessian, jvp, vjp, vmap


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(3)


def _tensors(random: np.random.Generator, *shapes: tuple[int, ...]) -> list[Any]:
    return [tp.tensor(random.standard_normal(shape)) for shape in shapes]


def _loop(function: Any, *args: Any) -> Any:
    return np.stack([function(*each).numpy() for each in zip(*args, strict=True)])


# ---- running statistics ----------------------------------------------------------------------------------------------


def _running() -> tuple[Any, Any]:
    return tp.zeros(2, dtype=tp.float64), tp.ones(2, dtype=tp.float64)


def test_running_statistics_move_towards_those_of_the_batch(random: np.random.Generator) -> None:
    (x,) = _tensors(random, (5, 2, 3))
    mean, var = _running()
    F.batch_norm(x, mean, var, training=True, momentum=0.25)
    a = x.numpy()
    np.testing.assert_allclose(mean.numpy(), 0.25 * a.mean((0, 2)))
    np.testing.assert_allclose(var.numpy(), 0.75 + 0.25 * a.var((0, 2), ddof=1))


def test_running_statistics_are_updated_once_under_grad(random: np.random.Generator) -> None:
    (x,) = _tensors(random, (5, 2))
    mean, var = _running()
    once = _running()
    F.batch_norm(x, *once, training=True)
    grad(lambda x: (F.batch_norm(x, mean, var, training=True) ** 3).sum())(x)
    np.testing.assert_array_equal(mean.numpy(), once[0].numpy())
    np.testing.assert_array_equal(var.numpy(), once[1].numpy())
    assert not mean.requires_grad


def test_mapped_running_statistics_are_updated_per_sample(random: np.random.Generator) -> None:
    (x,) = _tensors(random, (3, 5, 2))
    means, variances = tp.zeros(3, 2, dtype=tp.float64), tp.ones(3, 2, dtype=tp.float64)
    vmap(lambda x, m, v: F.batch_norm(x, m, v, training=True))(x, means, variances)
    np.testing.assert_allclose(means.numpy(), 0.1 * x.numpy().mean(1))


def test_unmapped_running_statistics_under_vmap_are_an_error_that_says_what_to_do(random: np.random.Generator) -> None:
    (x,) = _tensors(random, (3, 5, 2))
    mean, var = _running()
    with pytest.raises(RuntimeError, match=r"batch_norm.*replace_all_batch_norm_modules_.*functional_call"):
        vmap(lambda x: F.batch_norm(x, mean, var, training=True))(x)
    np.testing.assert_array_equal(mean.numpy(), 0)


def test_eval_mode_needs_no_update(random: np.random.Generator) -> None:
    (x,) = _tensors(random, (3, 5, 2))
    mean, var = _running()
    out = vmap(lambda x: F.batch_norm(x, mean, var))(x)
    np.testing.assert_allclose(out.numpy(), x.numpy() / np.sqrt(1 + 1e-5))


def test_instance_norm_averages_statistics_over_the_batch(random: np.random.Generator) -> None:
    (x,) = _tensors(random, (4, 2, 3))
    mean, var = _running()
    F.instance_norm(x, mean, var, momentum=0.5)
    np.testing.assert_allclose(mean.numpy(), 0.5 * x.numpy().mean((0, 2)))
    np.testing.assert_allclose(var.numpy(), 0.5 + 0.5 * x.numpy().var(2, ddof=1).mean(0))


# ---- second order and per-sample derivatives -------------------------------------------------------------------------


def test_per_sample_gradients_of_a_small_network(random: np.random.Generator) -> None:
    w, v, x = _tensors(random, (2, 1, 3, 3), (3, 8), (4, 1, 6, 6))
    y = tp.tensor(np.array([0, 2, 1, 1]))

    def loss(w: Any, v: Any, x: Any, y: Any) -> Any:
        hidden = F.max_pool2d(F.relu(F.conv2d(x, w)), 2)
        return F.cross_entropy(F.linear(hidden.reshape(-1), v), y)

    got = vmap(grad(loss, argnums=(0, 1)), in_dims=(None, None, 0, 0))(w, v, x, y)
    for i, one in enumerate(got):
        want = [grad(loss, argnums=i)(w, v, a, b).numpy() for a, b in zip(x, y, strict=True)]
        np.testing.assert_allclose(one.numpy(), np.stack(want), atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (F.layer_norm(x, (4,)) ** 3).sum(),
        lambda x: (F.avg_pool1d(x[None], 2) ** 3).sum(),
        lambda x: F.cross_entropy(x, tp.tensor(np.array([0, 3]))),
        lambda x: (F.scaled_dot_product_attention(x, x, x, is_causal=True) ** 2).sum(),
        lambda x: (F.conv1d(x[None], x[:, :, None].transpose(0, 1).reshape(2, 2, 2)) ** 2).sum(),
    ],
)
def test_hessians_agree_with_differences(function: Any, random: np.random.Generator) -> None:
    (x,) = _tensors(random, (2, 4))
    got, step = hessian(function)(x).numpy().reshape(8, 8), 1e-6
    for i in range(8):
        e = np.zeros(8)
        e[i] = step
        ahead, behind = (grad(function)(tp.tensor(x.numpy() + s * e.reshape(2, 4))).numpy() for s in (1, -1))
        np.testing.assert_allclose(got[:, i], ((ahead - behind) / (2 * step)).ravel(), atol=1e-6)


def test_max_pool_gives_the_derivative_to_the_first_of_equal_elements() -> None:
    x = tp.zeros(1, 1, 4)
    np.testing.assert_array_equal(grad(lambda x: F.max_pool1d(x, 2).sum())(x).numpy(), [[[1, 0, 1, 0]]])
    _, tangent = jvp(lambda x: F.max_pool1d(x, 2), (x,), (tp.tensor([[[1.0, 2.0, 3.0, 4.0]]]),))
    np.testing.assert_array_equal(tangent.numpy(), [[[1, 3]]])


def test_max_pool_of_nan_is_nan() -> None:
    best, where = F.max_pool1d(tp.tensor([[1.0, float("nan"), 2.0, 3.0]]), 2, return_indices=True)
    np.testing.assert_array_equal(best.numpy(), [[np.nan, 3]])
    np.testing.assert_array_equal(where.numpy(), [[1, 3]])


def test_writing_to_the_input_of_a_convolution_afterwards_is_noticed() -> None:
    x, w = tp.ones(1, 1, 4), tp.ones(1, 1, 2).requires_grad_()
    out = F.conv1d(x, w).sum()
    x.mul_(2)
    with pytest.raises(RuntimeError, match="modified in place"):
        out.backward()


# ---- edges -----------------------------------------------------------------------------------------------------------


def test_a_query_that_sees_no_key_gets_zeros_with_derivative_zero(random: np.random.Generator) -> None:
    q, k, v = _tensors(random, (2, 3), (2, 3), (2, 3))
    mask = tp.tensor(np.array([[False, False], [True, True]]))
    out, pull = vjp(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask), q, k, v)
    np.testing.assert_array_equal(out.numpy()[0], 0)
    grads = pull(tp.ones_like(out))
    assert all(np.isfinite(g.numpy()).all() for g in grads)
    np.testing.assert_array_equal(grads[0].numpy()[0], 0)


def test_ignored_samples_do_not_count() -> None:
    logits, target = tp.tensor([[0.0, 0.0], [5.0, -5.0]]), tp.tensor([1, -100])
    np.testing.assert_allclose(F.cross_entropy(logits, target).item(), np.log(2), rtol=1e-6)
    np.testing.assert_array_equal(grad(lambda x: F.cross_entropy(x, target))(logits).numpy()[1], 0)
    assert np.isnan(F.cross_entropy(logits, tp.tensor([-100, -100])).item())


def test_a_masked_class_without_probability_costs_nothing() -> None:
    logits = tp.tensor([[0.0, 0.0, -float("inf")]])
    np.testing.assert_allclose(F.cross_entropy(logits, tp.tensor([[0.5, 0.5, 0.0]])).item(), np.log(2), rtol=1e-6)


def test_binary_cross_entropy_far_out() -> None:
    x, one = tp.tensor([1000.0, -1000.0]), tp.tensor([1.0, 1.0])
    out, pull = vjp(lambda x: F.binary_cross_entropy_with_logits(x, one, reduction="none"), x)
    np.testing.assert_array_equal(out.numpy(), [0, 1000])
    np.testing.assert_array_equal(pull(tp.ones(2))[0].numpy(), [0, -1])
    assert F.binary_cross_entropy(tp.tensor([0.0]), tp.tensor([1.0])).item() == 100


def test_ctc_of_a_target_that_is_too_long() -> None:
    logs = tp.log_softmax(tp.zeros(2, 1, 3), 2)
    arguments = (tp.tensor([[1, 1]]), (2,), (2,))  # two equal labels need a blank between them
    assert F.ctc_loss(logs, *arguments).item() == np.inf
    assert F.ctc_loss(logs, *arguments, zero_infinity=True).item() == 0


def test_ctc_takes_targets_one_after_the_other(random: np.random.Generator) -> None:
    logs = tp.log_softmax(_tensors(random, (5, 2, 3))[0], 2)
    together = F.ctc_loss(logs, tp.tensor([1, 2, 1]), (5, 5), (1, 2))
    apart = F.ctc_loss(logs, tp.tensor([[1, 0], [2, 1]]), (5, 5), (1, 2))
    np.testing.assert_allclose(together.item(), apart.item())


# ---- in place, random, names -----------------------------------------------------------------------------------------


def test_inplace_activations_write_their_input() -> None:
    x = tp.tensor([-1.0, 2.0])
    assert F.relu(x, True) is x
    np.testing.assert_array_equal(x.numpy(), [0, 2])
    y = tp.tensor([-1.0, 2.0])
    assert F.leaky_relu_(y, 0.5) is y
    np.testing.assert_array_equal(y.numpy(), [-0.5, 2])


def test_embedding_confines_long_rows_in_the_table() -> None:
    table = tp.tensor([[3.0, 4.0], [6.0, 8.0]])
    np.testing.assert_allclose(F.embedding(tp.tensor([0]), table, max_norm=1.0).numpy(), [[0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(table.numpy(), [[0.6, 0.8], [6, 8]], rtol=1e-6)


def test_fractional_pooling_is_random_under_vmap_only_if_asked() -> None:
    x = tp.tensor(np.arange(162.0).reshape(2, 1, 9, 9))
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(lambda x: F.fractional_max_pool2d(x, 2, 3))(x)
    out = vmap(lambda x: F.fractional_max_pool2d(x, 2, 3), randomness="same")(x).numpy()
    np.testing.assert_array_equal(out[1], out[0] + 81)


def test_gumbel_softmax_is_one_hot_if_hard() -> None:
    out = F.gumbel_softmax(tp.zeros(4, 3), hard=True).numpy()
    np.testing.assert_allclose(np.sort(out, 1), [[0, 0, 1]] * 4, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: F.conv2d(tp.ones(1, 2, 4, 4), tp.ones(1, 3, 2, 2)), RuntimeError, "conv2d.*expects 3 input"),
        (lambda: F.conv2d(tp.ones(1, 1, 2, 2), tp.ones(1, 1, 3, 3)), RuntimeError, "does not fit"),
        (lambda: F.conv1d(tp.ones(1, 1, 3), tp.ones(1, 1, 2, dtype=tp.float64)), RuntimeError, "dtype"),
        (lambda: F.conv1d(tp.ones(1, 1, 3), tp.ones(1, 1, 2), padding="odd"), RuntimeError, "'odd'"),
        (lambda: F.max_pool2d(tp.ones(1, 1, 4, 4), 2, padding=2), RuntimeError, "half of the window"),
        (lambda: F.avg_pool1d(tp.ones(1, 1, 4), 5), RuntimeError, "do not fit"),
        (lambda: F.layer_norm(tp.ones(2, 3), (4,)), RuntimeError, "normalized_shape"),
        (lambda: F.group_norm(tp.ones(2, 3), 2), RuntimeError, "num_groups"),
        (lambda: F.batch_norm(tp.ones(1, 3), None, None, training=True), ValueError, "more than 1 value"),
        (lambda: F.cross_entropy(tp.ones(2, 3), tp.tensor([0, 3])), IndexError, "target 3"),
        (lambda: F.cross_entropy(tp.ones(2, 3), tp.tensor([0, -1])), IndexError, "target -1"),
        (lambda: F.cross_entropy(tp.ones(2, 3), tp.tensor([0, 1, 2])), ValueError, "shape"),
        (lambda: F.mse_loss(tp.ones(2), tp.ones(2), reduction="median"), ValueError, "median"),
        (lambda: F.binary_cross_entropy(tp.tensor([1.5]), tp.ones(1)), RuntimeError, "between 0 and 1"),
        (lambda: F.gaussian_nll_loss(tp.ones(2), tp.ones(2), -tp.ones(2)), ValueError, "negative"),
        (lambda: F.interpolate(tp.ones(1, 1, 4), 2, mode="bilinear"), NotImplementedError, "2 spatial dims"),
        (lambda: F.max_unpool1d(tp.ones(1, 1), tp.tensor([[7]]), 2), RuntimeError, "indices"),
        (lambda: F.scaled_dot_product_attention(tp.ones(2, 3), tp.ones(2, 4), tp.ones(2, 4)), RuntimeError, "query"),
    ],
)
def test_errors_name_the_function_and_what_came(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_shapes_that_differ_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="mse_loss"):
        F.mse_loss(tp.ones(2, 1), tp.ones(2))
