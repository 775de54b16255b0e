"""Our own estimators behind the protocol."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from baselines.hidden_table import table
from halfseen.baselines import OurEstimator

RBM = OurEstimator(estimator="RBMClassifier", parameters={"n_iter": 2, "n_components": 4})


@pytest.mark.parametrize("target", ["labels", "classes"])
def test_completes_old_rows_and_answers_for_new_ones(target: str) -> None:
    X, Y, X_seen, Y_seen = table(60, target=target)
    fitted = clone(RBM).fit(X_seen, Y_seen, target=target)
    features, scores = fitted.complete()
    seen_x, seen_y = ~np.isnan(X_seen), ~np.isnan(Y_seen)
    np.testing.assert_array_equal(features[seen_x], X[seen_x])
    np.testing.assert_allclose(scores[seen_y], Y[seen_y], atol=1e-6)
    assert fitted.predict_scores(X_seen).shape == Y.shape
    new = fitted.complete_new(X_seen)
    np.testing.assert_array_equal(new[seen_x], X[seen_x])
    assert np.isfinite(new).all()
    bounds = fitted.interval(X_seen, 0.9)
    assert bounds is not None
    assert (bounds[..., 0] <= bounds[..., 1]).all()


def test_without_held_out_entries_there_are_no_intervals() -> None:
    _, _, X, Y = table(60)
    method = clone(RBM).set_params(parameters={**RBM.parameters, "validation_fraction": 0.0})
    assert method.fit(X, Y).interval(X, 0.9) is None
