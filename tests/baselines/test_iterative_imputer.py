from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines.iterative_imputer import IterativeImputerPeer


def test_unknown_classifier() -> None:
    with pytest.raises(ValueError, match='must be "logistic" or "boosting"'):
        IterativeImputerPeer(classifier="forest").fit(  # type: ignore[arg-type]
            np.eye(4), np.array([[0], [1], [0], [1]])
        )


def test_recovers_a_linear_column_of_new_rows() -> None:
    X = np.random.default_rng(0).standard_normal((60, 2)) @ [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]]
    incomplete = X.copy()
    incomplete[::4, 2] = np.nan
    fitted = IterativeImputerPeer().fit(incomplete, (X[:, 2:] > 0).astype(float))
    np.testing.assert_allclose(fitted.complete().features, X, atol=1e-3)
    new = X.copy()
    new[:, 2] = np.nan
    np.testing.assert_allclose(fitted.predict_scores(new), fitted.predict_scores(X), atol=1e-3)
