from __future__ import annotations

import numpy as np

from halfseen.baselines.column_prior import ColumnPrior, label_frequency


def test_new_rows_score_the_label_frequencies() -> None:
    Y = np.array([[1.0, np.nan], [0.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    fitted = ColumnPrior().fit(np.zeros((4, 2)), Y)
    np.testing.assert_allclose(fitted.predict_scores([[5.0, np.nan]]), [[2 / 3, 0.5]])


def test_class_frequencies_sum_to_one() -> None:
    Y = np.eye(3)[[0, 0, 1, 2, 2, 2]]
    Y[0] = np.nan
    np.testing.assert_allclose(label_frequency(Y), [0.2, 0.2, 0.6])
