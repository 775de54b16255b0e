from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._classifier_per_label import logistic
from halfseen.baselines._impute_then_classify import ImputeThenClassify


class Zeros(ImputeThenClassify):
    """Zeros for missing entries, as a method of two lines."""

    method = "Zeros + logistic"
    random_state = 0

    def _fit_imputer(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        self.rows_fitted_ = len(X)
        return self._imputed(X)

    def _imputed(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.nan_to_num(X)

    def _classifier(self) -> Any:
        return logistic()


def test_completed_features_do_not_depend_on_labels() -> None:
    X = np.array([[1.0, np.nan], [2.0, 1.0], [3.0, 2.0], [np.nan, 3.0]])
    Y = np.array([[0.0], [0.0], [1.0], [np.nan]])
    completed = Zeros().fit(X, Y).complete()
    np.testing.assert_array_equal(completed.features, np.nan_to_num(X))
    turned = Zeros().fit(X, 1 - Y).complete()
    np.testing.assert_array_equal(completed.features, turned.features)
    np.testing.assert_allclose(turned.scores, 1 - completed.scores, atol=1e-4)


def test_new_rows_are_imputed_by_what_was_fitted() -> None:
    fitted = Zeros().fit(np.arange(6.0)[:, None], np.array([[0], [0], [0], [1], [1], [1]]))
    low, nothing, high = fitted.predict_scores([[0.5], [np.nan], [5.0]])[:, 0]
    assert fitted.rows_fitted_ == 6
    assert nothing < low < high
