"""Two ways to the same area."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from halfseen.inspection.auc import auc_of_counts, auc_of_values


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40))
def test_both_are_what_scikit_learn_gives(pairs: list[tuple[int, bool]]) -> None:
    values = np.array([value for value, _ in pairs], dtype=float)
    positive = np.array([flag for _, flag in pairs])
    of_values = auc_of_values(values, positive)
    grid = np.arange(-3, 4)
    of_counts = auc_of_counts(
        np.array([np.sum(positive & (values == v)) for v in grid]),
        np.array([np.sum(~positive & (values == v)) for v in grid]),
    )
    if positive.all() or not positive.any():
        assert of_values is None
        assert of_counts is None
    else:
        expected = roc_auc_score(positive, values)
        assert of_values == pytest.approx(expected)
        assert of_counts == pytest.approx(expected)
