"""Estimators of scikit-learn fitted to tensors, and their data as tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad

pytest.importorskip("sklearn")

from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def test_a_fit_agrees_with_the_closed_form() -> None:
    x, y = tp.randn(20, 3, dtype=tp.float64), tp.randn(20, dtype=tp.float64)
    fitted = Ridge(alpha=0.5, fit_intercept=False).fit(x, y)
    a = x.numpy()
    expected = np.linalg.solve(a.T @ a + 0.5 * np.eye(3), a.T @ y.numpy())
    np.testing.assert_allclose(fitted.coef_, expected)
    np.testing.assert_allclose(fitted.predict(x), a @ expected)
    # where the penalised squares are least, their gradient is zero
    w = tp.from_numpy(fitted.coef_)
    gradient = grad(lambda w: ((x @ w - y) ** 2).sum() + 0.5 * (w * w).sum())(w)
    np.testing.assert_allclose(gradient.numpy(), np.zeros(3), atol=1e-10)


def test_scaling_splitting_scoring() -> None:
    x, y = datasets.load_iris(return_X_y=True)
    ours, labels = tp.tensor(x), tp.tensor(y)
    scaled = StandardScaler().fit_transform(ours)
    np.testing.assert_allclose(scaled, (x - x.mean(0)) / x.std(0))
    train, test, train_labels, test_labels = train_test_split(ours, labels, random_state=0)
    predicted = LogisticRegression(max_iter=500).fit(train, train_labels).predict(test)
    assert accuracy_score(test_labels, tp.tensor(predicted)) > 0.9


def test_principal_components() -> None:
    x = tp.randn(10, 4, dtype=tp.float64)
    components = PCA(2).fit(x).components_
    a = x.numpy() - x.numpy().mean(0)
    expected = np.linalg.svd(a)[2][:2]
    np.testing.assert_allclose(np.abs(components), np.abs(expected), atol=1e-10)


def test_traced_tensors_are_refused() -> None:
    with pytest.raises(RuntimeError, match="detach"):
        PCA(1).fit(tp.randn(5, 3).requires_grad_())
