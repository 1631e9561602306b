"""Looking at tensors inside transforms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import debug_unwrap, grad, jvp, vmap
from tests.func.support import array, close, double, normal


def looked(transform: Callable[..., object], *args: object, **options: object) -> list[tp.Tensor]:
    """What debug_unwrap shows inside a transformed function."""
    seen: list[tp.Tensor] = []

    def f(x: tp.Tensor) -> tp.Tensor:
        seen.append(debug_unwrap(x, **options))
        return x.sum()

    transform(f)(*args)
    return seen


def test_sample_under_vmap() -> None:
    x = normal(4, 3)
    for sample in (0, 2, -1):
        (shown,) = looked(vmap, x, sample=sample)
        np.testing.assert_array_equal(shown.numpy(), array(x)[sample])
    (shown,) = looked(vmap, x)
    np.testing.assert_array_equal(shown.numpy(), array(x)[0])
    (shown,) = looked(lambda f: vmap(f, in_dims=1), x, sample=None)
    np.testing.assert_array_equal(shown.numpy(), array(x).T)


def test_sample_out_of_range() -> None:
    with pytest.raises(IndexError, match=r"debug_unwrap.*sample 4.*batch of 4"):
        looked(vmap, normal(4, 3), sample=4)


def test_primal_under_grad_and_jvp() -> None:
    x = normal(3)
    (shown,) = looked(grad, x)
    np.testing.assert_array_equal(shown.numpy(), array(x))
    seen = []
    jvp(lambda a: (seen.append(debug_unwrap(a)), a)[1], (x,), (x,))
    np.testing.assert_array_equal(seen[0].numpy(), array(x))


def test_levels() -> None:
    x = normal(4, 3)

    def f(row: tp.Tensor) -> tp.Tensor:
        everything = debug_unwrap(row)
        assert everything.numpy().tolist() == array(x)[0].tolist()
        below = debug_unwrap(row, recurse=False)  # grad is the innermost
        assert below.shape == (3,)
        with pytest.raises(RuntimeError, match="vmap"):
            below.numpy()
        whole = debug_unwrap(row, sample=None)
        assert whole.shape == (4, 3)
        return row.sum()

    vmap(grad(f))(x)


def test_anything_else_comes_back() -> None:
    x = normal(3)
    assert debug_unwrap(x) is x
    assert debug_unwrap("text") == "text"
    assert debug_unwrap(None) is None


def test_the_transform_is_not_disturbed() -> None:
    x = normal(4, 3)

    def f(row: tp.Tensor) -> tp.Tensor:
        debug_unwrap(row)
        return (row**2).sum()

    close(vmap(grad(f))(x), 2 * array(x))


def test_printing_shows_levels() -> None:
    texts = []

    def f(x: tp.Tensor) -> tp.Tensor:
        texts.append((repr(x), str(x)))
        return x.sum()

    vmap(f)(double([[1.0, 2.0], [3.0, 4.0]]))
    grad(f)(double([5.0, 6.0]))
    jvp(f, (double([5.0, 6.0]),), (double([1.0, 0.0]),))
    vmap(grad(f))(double([[7.0, 8.0]]))
    mapped, graded, pushed, both = (r for r, _ in texts)
    assert "vmap" in mapped
    assert "1., 2." in mapped
    assert "sample 0 of 2" in mapped
    assert "grad" in graded
    assert "5., 6." in graded
    assert "jvp" in pushed
    assert "5., 6." in pushed
    assert "vmap" in both
    assert "grad" in both
    assert "7., 8." in both
