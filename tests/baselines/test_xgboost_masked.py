from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.special import log_expit, log_softmax

from halfseen.baselines.xgboost_masked import XGBoostMasked, class_gradient, label_gradient

STEP = 1e-4


def derivatives(loss: object, margin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative in each margin, by differences."""
    first, second = np.zeros_like(margin), np.zeros_like(margin)
    for place in np.ndindex(margin.shape):
        step = np.zeros_like(margin)
        step[place] = STEP
        up, here, down = loss(margin + step), loss(margin), loss(margin - step)  # type: ignore[operator]
        first[place] = (up - down) / (2 * STEP)
        second[place] = (up - 2 * here + down) / STEP**2
    return first, second


def test_label_gradient_is_that_of_the_log_loss_of_known_labels() -> None:
    margin = np.random.default_rng(0).standard_normal((4, 3))
    Y = np.array([[1, 0, np.nan], [np.nan, np.nan, np.nan], [0, 0, 1], [1, 1, np.nan]])

    def loss(z: np.ndarray) -> float:
        return -float(np.nansum(Y * log_expit(z) + (1 - Y) * log_expit(-z)))

    first, second = derivatives(loss, margin)
    np.testing.assert_allclose(label_gradient(margin, Y)[0], first, atol=1e-6)
    np.testing.assert_allclose(label_gradient(margin, Y)[1], second, atol=1e-6)


def test_class_gradient_is_that_of_the_softmax() -> None:
    margin = np.random.default_rng(0).standard_normal((3, 3))
    Y = np.array([[1, 0, 0], [np.nan, np.nan, np.nan], [0, 0, 1]])

    def loss(z: np.ndarray) -> float:
        return -float(np.nansum(Y * log_softmax(z, axis=1)))

    first, second = derivatives(loss, margin)
    np.testing.assert_allclose(class_gradient(margin, Y)[0], first, atol=1e-6)
    assert (class_gradient(margin, Y)[1] >= second - 1e-6).all()


def test_other_labels_are_used_where_known_and_not_needed() -> None:
    pytest.importorskip("xgboost")
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2, (400, 1)).astype(float)
    X = first + generator.standard_normal((400, 2))
    Y = np.hstack([first, first])
    Y[:200, 1] = np.nan
    fitted = XGBoostMasked(n_rounds=40).fit(X, Y)
    knowing = fitted.complete().scores[:200, 1] > 0.5
    assert np.mean(knowing == first[:200, 0]) > 0.95
    alone = fitted.predict_scores(X)[:, 1] > 0.5
    assert 0.7 < np.mean(alone == first[:, 0]) < 0.98


def test_absent_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ImportError, match=r"pip install 'halfseen\[baselines\]'"):
        XGBoostMasked().fit(np.zeros((2, 1)), np.array([[0], [1]]))
