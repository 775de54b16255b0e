from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from cli.tiny import MODEL, tiny_table
from halfseen import load
from halfseen.cli.possible_values import possible_values


def test_the_same_sets_as_the_estimator() -> None:
    model = load(MODEL)
    features = tiny_table()[["size", "weight", "sold", "colour"]]
    shares = model.predict_proba(features)
    nothing_known = np.zeros(len(shares), dtype=bool)
    for level in (0.5, 0.9):
        sets = possible_values(model, shares, nothing_known, level)
        np.testing.assert_array_equal(sets, model.predict_set(features, level))


def test_rows_with_known_labels_have_their_own_bound() -> None:
    def smallest(level: float, knows_labels: bool) -> float:
        return 0.3 if knows_labels else 0.1

    model: Any = SimpleNamespace(prediction_=SimpleNamespace(smallest_probability=smallest))
    shares = np.array([[0.8, 0.2], [0.8, 0.2], [0.04, 0.96]])
    sets = possible_values(model, shares, np.array([False, True, False]), 0.9)
    np.testing.assert_array_equal(sets, [[True, True], [True, False], [False, True]])
