"""Ways to hide labels: what decides, and what does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.hiding import (
    hide,
    hide_all_but_positives,
    hide_positives_only,
    hide_where_features,
)

SEEDS = st.integers(0, 2**32 - 1)


def labels(seed: int, n_rows: int = 40) -> np.ndarray:
    generator = np.random.default_rng(seed)
    Y = (generator.random((n_rows, 5)) < 0.3).astype(float)
    Y[generator.random(Y.shape) < 0.2] = np.nan
    return Y


@given(st.floats(0, 1), SEEDS)
def test_ones_alone_are_hidden(rate, seed):
    Y = labels(seed)
    hidden = hide_positives_only(Y, np.zeros((40, 2), bool), rate, seed)
    assert (Y[hidden] == 1).all()


def test_the_rate_is_that_of_the_ones():
    Y = labels(0, 20_000)
    hidden = hide_positives_only(Y, np.zeros((20_000, 2), bool), 0.3, 0)
    assert abs(hidden.sum() / (Y == 1).sum() - 0.3) < 0.01


@given(st.floats(0, 1), SEEDS)
def test_of_weak_labels_ones_alone_are_seen(rate, seed):
    Y, features = labels(seed), np.zeros((40, 2), bool)
    hidden = hide_all_but_positives(Y, features, rate, seed)
    assert (Y[~hidden & ~np.isnan(Y)] == 1).all()
    np.testing.assert_array_equal(hidden & (Y == 1), hide_positives_only(Y, features, rate, seed))


def test_labels_are_hidden_where_features_are_and_only_that_decides():
    generator = np.random.default_rng(0)
    missing = generator.random((6000, 10)) < generator.random((6000, 1))
    share = missing.mean(axis=1)
    hidden = hide_where_features(np.zeros((6000, 3)), missing, 0.4, 0)
    assert abs(hidden.mean() - 0.4) < 0.02
    assert hidden[share > 0.8].mean() > 0.7
    assert hidden[share < 0.2].mean() < 0.15
    moved = np.sort(missing, axis=1)  # as many in each row, elsewhere
    np.testing.assert_array_equal(hide_where_features(np.ones((6000, 3)), moved, 0.4, 0), hidden)


def test_rows_that_miss_as_much_are_hidden_alike():
    hidden = hide_where_features(np.zeros((8000, 2)), np.zeros((8000, 3), bool), 0.5, 0)
    assert np.abs(hidden.reshape(4, 2000, 2).mean(axis=(1, 2)) - 0.5).max() < 0.04


def test_features_that_were_never_known_count_as_missing():
    X = np.where(np.arange(2000)[:, None] < 1000, np.nan, np.zeros((2000, 4)))
    hidden = hide(
        X, np.zeros((2000, 2)), "labels", feature_rate=0.0, label_rate=0.5,
        label_hiding="where_features", seed=0,
    ).hidden_labels  # fmt: skip
    assert hidden[:1000].mean() > hidden[1000:].mean() + 0.4
