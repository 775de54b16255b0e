"""Hiding entries: rates, seeds, classes as a whole, and what was missing before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.hiding import hide_completely_at_random


@given(
    rate=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
    target=st.sampled_from(["labels", "classes"]),
)
def test_hidden_entries_are_nan_and_all_others_untouched(rate, seed, target):
    X, Y = np.arange(40.0).reshape(10, 4), np.tile([1.0, 0.0, 0.0], (10, 1))
    X[0, 0] = np.nan
    hidden = hide_completely_at_random(
        X, Y, feature_rate=rate, label_rate=rate, target=target, seed=seed
    )
    assert np.array_equal(np.isnan(hidden.X), hidden.hidden_features | np.isnan(X))
    assert not hidden.hidden_features[0, 0]
    assert np.array_equal(hidden.X[~np.isnan(hidden.X)], X[~np.isnan(hidden.X)])
    assert np.array_equal(np.isnan(hidden.Y), hidden.hidden_labels)
    if target == "classes":
        assert np.array_equal(hidden.hidden_labels.any(axis=1), hidden.hidden_labels.all(axis=1))


def test_same_seed_same_mask_and_other_seed_another():
    X, Y = np.zeros((50, 3)), np.zeros((50, 2))
    rates = {"feature_rate": 0.5, "label_rate": 0.5, "target": "labels"}
    first = hide_completely_at_random(X, Y, **rates, seed=1)
    again = hide_completely_at_random(X, Y, **rates, seed=1)
    other = hide_completely_at_random(X, Y, **rates, seed=2)
    assert np.array_equal(first.hidden_features, again.hidden_features)
    assert not np.array_equal(first.hidden_features, other.hidden_features)


def test_a_rate_beyond_one_is_refused():
    with pytest.raises(ValueError, match="label_rate is a probability"):
        hide_completely_at_random(
            np.zeros((2, 2)),
            np.zeros((2, 1)),
            feature_rate=0.5,
            label_rate=50,
            target="labels",
            seed=0,
        )
