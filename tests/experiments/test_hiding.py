"""Hiding by name: what every way keeps, and what it says when it cannot."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.experiments.hiding import (
    FEATURE_HIDING,
    LABEL_HIDING,
    hide,
    hide_blocks,
    hide_by_other_columns,
    hide_by_own_value,
    hide_completely_at_random,
)

FEATURES, LABELS = st.sampled_from(list(FEATURE_HIDING)), st.sampled_from(list(LABEL_HIDING))
RATES, SEEDS = st.floats(0, 1), st.integers(0, 2**32 - 1)
BLOCKS = np.array([4, 0, 0, 0, 2, 2])


def table(seed: int = 0, n_rows: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers, a text column one-hot and a pair of columns, with holes; three labels."""
    generator = np.random.default_rng(seed)
    kind = np.eye(3)[generator.integers(3, size=n_rows)]
    X = np.column_stack([generator.normal(size=n_rows), kind, generator.normal(size=(n_rows, 2))])
    Y = (generator.random((n_rows, 3)) < 0.4).astype(float)
    X[generator.random(n_rows) < 0.2, 0] = np.nan
    X[generator.random(n_rows) < 0.2, 1:4] = np.nan
    Y[generator.random(Y.shape) < 0.2] = np.nan
    return X, Y


@settings(max_examples=60, deadline=None)
@given(FEATURES, LABELS, RATES, RATES, SEEDS, st.booleans())
def test_hidden_is_what_was_known_and_is_not_seen_and_nothing_else_changes(
    feature_hiding, label_hiding, feature_rate, label_rate, seed, has_blocks
):
    X, Y = table(seed)
    given_X, given_Y = X.copy(), Y.copy()
    hidden = hide(
        X, Y, "labels", feature_rate=feature_rate, label_rate=label_rate,
        feature_hiding=feature_hiding, label_hiding=label_hiding,
        blocks=BLOCKS if has_blocks else None, seed=seed,
    )  # fmt: skip
    np.testing.assert_array_equal(X, given_X)
    np.testing.assert_array_equal(Y, given_Y)
    for before, after, mask in (
        (X, hidden.X, hidden.hidden_features),
        (Y, hidden.Y, hidden.hidden_labels),
    ):
        assert not (mask & np.isnan(before)).any()
        np.testing.assert_array_equal(after, np.where(mask, np.nan, before))
    if has_blocks:
        for block in np.unique(BLOCKS):
            columns = hidden.hidden_features[:, block == BLOCKS]
            assert (columns.all(axis=1) == columns.any(axis=1)).all()


@settings(max_examples=30, deadline=None)
@given(FEATURES, LABELS, RATES, SEEDS)
def test_a_seed_is_a_mask(feature_hiding, label_hiding, rate, seed):
    X, Y = table()
    first, again = (
        hide(
            X, Y, "labels", feature_rate=rate, label_rate=rate, feature_hiding=feature_hiding,
            label_hiding=label_hiding, seed=seed,
        )
        for _ in range(2)
    )  # fmt: skip
    np.testing.assert_array_equal(first.hidden_features, again.hidden_features)
    np.testing.assert_array_equal(first.hidden_labels, again.hidden_labels)


@pytest.mark.parametrize("feature_hiding", FEATURE_HIDING)
@pytest.mark.parametrize("label_hiding", LABEL_HIDING)
def test_another_seed_is_another_mask(feature_hiding, label_hiding):
    X, Y = table(n_rows=200)
    first, other = (
        hide(
            X, Y, "labels", feature_rate=0.5, label_rate=0.5, feature_hiding=feature_hiding,
            label_hiding=label_hiding, seed=seed,
        )
        for seed in (1, 2)
    )  # fmt: skip
    assert (first.hidden_features != other.hidden_features).any()
    assert (first.hidden_labels != other.hidden_labels).any()


@settings(max_examples=40, deadline=None)
@given(FEATURES, st.sampled_from(["at_random", "where_features"]), RATES, SEEDS)
def test_a_class_is_hidden_as_a_whole(feature_hiding, label_hiding, rate, seed):
    X = table()[0]
    Y = np.eye(4)[np.arange(30) % 4]
    hidden = hide(
        X, Y, "classes", feature_rate=rate, label_rate=rate, feature_hiding=feature_hiding,
        label_hiding=label_hiding, seed=seed,
    )  # fmt: skip
    np.testing.assert_array_equal(
        hidden.hidden_labels.any(axis=1), hidden.hidden_labels.all(axis=1)
    )


@pytest.mark.parametrize("feature_hiding", FEATURE_HIDING)
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.8, 1.0])
def test_the_rate_is_that_of_the_known_features(feature_hiding, rate):
    generator = np.random.default_rng(0)
    # Ties, as in counts and pixels, and a third missing from the start.
    X = np.maximum(generator.normal(size=(4000, 20)).round(1), 0)
    X[generator.random(X.shape) < 0.3] = np.nan
    hidden = hide(
        X, np.zeros((4000, 1)), "labels", feature_rate=rate, label_rate=0.0,
        feature_hiding=feature_hiding, seed=0,
    ).hidden_features  # fmt: skip
    columns = slice(1, None, 2) if feature_hiding == "by_other_columns" else slice(None)
    share = hidden[:, columns].sum() / (~np.isnan(X[:, columns])).sum()
    # The number in a row is rounded down in exact_per_row, at 14 known entries on average.
    assert share == pytest.approx(rate, abs=0.05 if feature_hiding == "exact_per_row" else 0.012)


@pytest.mark.parametrize("target", ["labels", "classes"])
@pytest.mark.parametrize("label_hiding", ["at_random", "where_features"])
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.8, 1.0])
def test_the_rate_is_that_of_the_labels(target, label_hiding, rate):
    Y = np.eye(5)[np.arange(8000) % 5]
    hidden = hide(
        np.zeros((8000, 6)), Y, target, feature_rate=0.5, label_rate=rate,
        label_hiding=label_hiding, seed=0,
    )  # fmt: skip
    assert hidden.hidden_labels.mean() == pytest.approx(rate, abs=0.015)


@settings(max_examples=20, deadline=None)
@given(FEATURES, SEEDS)
def test_labels_at_random_are_the_same_in_whichever_way_features_are_hidden(feature_hiding, seed):
    X, Y = table(n_rows=50)
    rates = {"feature_rate": 0.5, "label_rate": 0.5, "seed": seed}
    at_random = hide_completely_at_random(X, Y, target="labels", **rates)
    hidden = hide(X, Y, "labels", feature_hiding=feature_hiding, **rates)
    np.testing.assert_array_equal(hidden.hidden_labels, at_random.hidden_labels)


@settings(max_examples=20, deadline=None)
@given(RATES, RATES, SEEDS)
def test_a_higher_rate_hides_more_of_the_same(one, other, seed):
    X, Y = table(n_rows=50)
    less, more = (
        hide(X, Y, "labels", feature_rate=rate, label_rate=rate, seed=seed)
        for rate in sorted((one, other))
    )
    assert not (less.hidden_features & ~more.hidden_features).any()
    assert not (less.hidden_labels & ~more.hidden_labels).any()


def test_masks_stay_what_they_have_always_been():
    X = np.random.default_rng(0).normal(size=(301, 7))
    Y = (np.random.default_rng(1).random((301, 4)) < 0.3).astype(float)
    rates = {"feature_rate": 0.5, "label_rate": 0.3, "seed": 7}
    labels = hide_completely_at_random(X, Y, target="labels", **rates)
    classes = hide_completely_at_random(X, Y, target="classes", **rates)
    by_name = hide(X, Y, "classes", **rates)
    assert _digest(labels.hidden_features, labels.hidden_labels) == "eb1c8f6b36619968"
    assert _digest(classes.hidden_features, classes.hidden_labels) == "217c791d99d91853"
    assert _digest(by_name.hidden_features, by_name.hidden_labels) == "217c791d99d91853"
    assert _digest(hide_blocks(X, 0.4, 3)) == "32572990c9f48ce9"
    assert _digest(hide_by_other_columns(X, 0.4, 3)) == "62f3710fc06a0b62"
    assert _digest(hide_by_own_value(X, 0.4, 3)) == "9ae8b898d5d9ea37"


def _digest(*masks: np.ndarray) -> str:
    packed = b"".join(np.packbits(mask).tobytes() for mask in masks)
    return hashlib.sha256(packed).hexdigest()[:16]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"feature_rate": -0.1}, "feature_rate is a probability from 0 to 1, got -0.1"),
        ({"label_rate": 80}, r"got 80; write 0\.8 for 80 %"),
        ({"feature_rate": float("nan")}, "feature_rate is a probability"),
        ({"feature_hiding": "mcar"}, "unknown feature_hiding 'mcar'; there are at_random, exact"),
        ({"label_hiding": "blocks"}, "unknown label_hiding 'blocks'; there are at_random, pos"),
        ({"label_hiding": "positives_only"}, "is for labels: a row that is one class"),
        ({"label_hiding": "all_but_positives"}, "is for labels: a row that is one class"),
        ({"blocks": np.array([0, 1])}, "X has 3 columns; give one number for each"),
    ],
)
def test_what_cannot_be_is_said(changed, said):
    given = {"feature_rate": 0.5, "label_rate": 0.5, "seed": 0} | changed
    with pytest.raises(ValueError, match=said):
        hide(np.zeros((4, 3)), np.eye(2)[[0, 1, 0, 1]], "classes", **given)
