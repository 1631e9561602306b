"""Distances of many points, of points that coincide or nearly do, of points at infinity."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, hessian, jvp
from tensorplay.ops import distances

ORDERS = (0.0, 0.5, 1.0, 2.0, 3.0, float("inf"))


def _points(*shape: int, seed: int = 0, dtype: Any = np.float64) -> Any:
    return tp.tensor(np.random.default_rng(seed).standard_normal(shape).astype(dtype))


def _by_broadcasting(x: Any, y: Any, p: float = 2.0) -> Any:
    return tp.linalg.vector_norm(x.unsqueeze(-2) - y.unsqueeze(-3), p, dim=-1)


def _peak(f: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        f()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_differences() -> None:
    x = _points(150, 400, dtype=np.float32)
    for p in ORDERS:
        assert _peak(lambda p=p: tp.cdist(x, x + 1, p)) < 150 * 150 * 400
    assert _peak(lambda: grad(lambda a: tp.cdist(a, x + 1).sum())(x)) < 150 * 150 * 400
    assert _peak(lambda: jvp(lambda a: tp.cdist(a, x + 1), (x,), (x,))) < 150 * 150 * 400


@pytest.mark.parametrize("tile", [1, 7, 50, 1 << 16])
@pytest.mark.parametrize("p", ORDERS)
def test_tiles_fit_together(tile: int, p: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distances, "_TILE", tile)
    x, y, w = _points(2, 1, 4, 3), _points(5, 3, seed=1), _points(2, 1, 4, 5, seed=2)
    assert tp.allclose(tp.cdist(x, y, p), _by_broadcasting(x, y, p))
    if p:
        for arg in (0, 1):
            mine, other = [
                grad(lambda a, b, f=f: (f(a, b, p) * w).sum(), arg)(x, y) for f in (tp.cdist, _by_broadcasting)
            ]
            assert tp.allclose(mine, other)
        mine, other = [
            jvp(lambda a, b, f=f: f(a, b, p), (x, y), (x * x, y + 1))[1] for f in (tp.cdist, _by_broadcasting)
        ]
        assert tp.allclose(mine, other)


def test_second_derivative_by_both_sets() -> None:
    x, y, w = _points(3, 2), _points(4, 2, seed=1), _points(3, 4, seed=2)
    mine, other = [
        hessian(lambda a, b, f=f: (f(a, b) ** 3 * w).sum(), (0, 1))(x, y) for f in (tp.cdist, _by_broadcasting)
    ]
    for i in (0, 1):
        for j in (0, 1):
            assert tp.allclose(mine[i][j], other[i][j])


def test_points_that_coincide() -> None:
    x = _points(5, 3, dtype=np.float32)
    d = tp.cdist(x, x)
    assert d.dtype == tp.float32
    assert (d.diagonal() == 0).all()
    assert tp.isfinite(grad(lambda a: tp.cdist(a, x).sum())(x)).all()


def test_direction_between_points_close_to_each_other_and_far_from_zero() -> None:
    x = tp.tensor([[1000.0, 1000.0]])
    y = x + tp.tensor([[3.0, 4.0]]) * 2**-12
    assert tp.allclose(grad(lambda a: tp.cdist(a, y).sum())(x), tp.tensor([[-0.6, -0.8]]))
    assert tp.allclose(tp.cdist(x, y), tp.tensor([[5.0 * 2**-12]]))


def test_distances_neither_overflow_nor_underflow() -> None:
    x = np.array([[3e200, 4e200], [3e-200, 4e-200]])
    found = tp.cdist(tp.tensor(x), tp.zeros(1, 2, dtype=tp.float64)).numpy()
    assert np.allclose(found / np.array([[5e200], [5e-200]]), 1)


def test_a_point_at_infinity() -> None:
    inf, x = float("inf"), tp.tensor([[0.0, 0.0]])
    y = tp.tensor([[3.0, 4.0], [inf, 1.0]])
    assert tp.cdist(x, y).tolist() == [[5.0, inf]]
    near = grad(lambda a: tp.cdist(a, y)[0, 0])(x)
    assert tp.allclose(near, tp.tensor([[-0.6, -0.8]]))  # what is not asked for counts for nothing
    assert tp.isnan(grad(lambda a: tp.cdist(a, y)[0, 1])(x)[0, 0])


@pytest.mark.parametrize("points", [tp.tensor([[1, 2]]), tp.tensor([[1j, 2.0]])])
def test_points_are_floating_point(points: Any) -> None:
    with pytest.raises(RuntimeError, match=r"cdist\(\): expected floating-point points"):
        tp.cdist(points, points)
