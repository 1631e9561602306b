"""Tensors drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp

matplotlib = pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
matplotlib.use("agg")


@pytest.fixture
def axes() -> Iterator[Any]:
    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()
    plt.close(figure)


def test_lines(axes: Any) -> None:
    x, y = tp.linspace(0, 1, 5), tp.linspace(0, 1, 5).square()
    (line,) = axes.plot(x, y, "o-")
    np.testing.assert_array_equal(line.get_xydata(), np.stack([x.numpy(), y.numpy()], 1))
    lines = axes.plot(tp.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(lines[1].get_xydata()[:, 1], [1, 3, 5])
    assert len(axes.plot(tp.tensor([1.0, float("nan"), 3.0]))) == 1


def test_points_bars_and_bands(axes: Any) -> None:
    x = tp.arange(4)
    points = axes.scatter(x, x.square(), c=x.float(), s=x.float() + 1)
    np.testing.assert_array_equal(points.get_offsets(), [[0, 0], [1, 1], [2, 4], [3, 9]])
    assert [bar.get_height() for bar in axes.bar(x, x + 1)] == [1, 2, 3, 4]
    axes.fill_between(x, x - 1, x + 1)
    axes.errorbar(x, x, yerr=tp.ones(4))


def test_histograms(axes: Any) -> None:
    x = tp.randn(50)
    counts, edges, _ = axes.hist(x, bins=7)
    expected, expected_edges = np.histogram(x.numpy(), bins=7)
    np.testing.assert_array_equal(np.asarray(counts), expected)
    np.testing.assert_allclose(np.asarray(edges), expected_edges, rtol=1e-6)


def test_images(axes: Any) -> None:
    x = tp.rand(3, 4)
    np.testing.assert_array_equal(axes.imshow(x).get_array(), x.numpy())
    assert axes.imshow(tp.rand(3, 4, 3)).get_array().shape == (3, 4, 3)
    axes.contour(x)
    np.testing.assert_array_equal(np.asarray(axes.pcolormesh(x).get_array()), x.numpy())


def test_tensors_that_require_grad_are_refused(axes: Any) -> None:
    with pytest.raises(RuntimeError, match="detach"):
        axes.plot(tp.ones(3, requires_grad=True))
