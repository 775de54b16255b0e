"""Masks: rates, seeds, and what each mechanism depends on."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.masks import (
    FEATURE_MECHANISMS,
    LABEL_MECHANISMS,
    blocks,
    labels_where_features,
    mar,
    mask_table,
    mcar,
    mcar_per_row,
    mnar,
    positives_missing,
    positives_only,
)

FEATURES, LABELS = sorted(FEATURE_MECHANISMS), sorted(LABEL_MECHANISMS)
RATES, SEEDS = st.floats(0, 1), st.integers(0, 2**32 - 1)
GROUPS = np.array([4, 0, 0, 0, 2, 2])
X = np.random.default_rng(0).normal(size=(4000, 6))


def table(seed=0, n_rows=40):
    """Two numbers, a one-hot category and a pair of columns, with missing entries; labels."""
    generator = np.random.default_rng(seed)
    category = np.eye(3)[generator.integers(3, size=n_rows)]
    X = np.column_stack(
        [generator.normal(size=n_rows), category, generator.normal(size=(n_rows, 2))]
    )
    Y = (generator.random((n_rows, 3)) < 0.4).astype(float)
    X[generator.random(n_rows) < 0.2, 0] = np.nan
    X[generator.random(n_rows) < 0.2, 1:4] = np.nan
    Y[generator.random(Y.shape) < 0.2] = np.nan
    return X, Y


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FEATURES), st.sampled_from(LABELS), RATES, RATES, SEEDS, st.booleans())
def test_masking_removes_known_entries_and_changes_nothing_else(
    features, labels, feature_rate, label_rate, seed, has_groups
):
    X, Y = table(seed)
    first, again = (
        mask_table(
            X, Y, feature_rate=feature_rate, label_rate=label_rate, seed=seed,
            feature_mechanism=features, label_mechanism=labels,
            groups=GROUPS if has_groups else None,
        )
        for _ in range(2)
    )  # fmt: skip
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    for before, after, held_out in ((X, first.X, first.held_out_X), (Y, first.Y, first.held_out_Y)):
        assert not (held_out & np.isnan(before)).any()
        np.testing.assert_array_equal(after, np.where(held_out, np.nan, before))
    if has_groups:
        for group in np.unique(GROUPS):
            columns = first.held_out_X[:, group == GROUPS]
            assert (columns.all(axis=1) == columns.any(axis=1)).all()


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("labels", LABELS)
def test_another_seed_is_another_mask(features, labels):
    X, Y = table(n_rows=200)
    first, other = (
        mask_table(X, Y, feature_rate=0.5, label_rate=0.5, seed=seed,
                   feature_mechanism=features, label_mechanism=labels)
        for seed in (1, 2)
    )  # fmt: skip
    assert (first.held_out_X != other.held_out_X).any()
    assert (first.held_out_Y != other.held_out_Y).any()


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.8, 1.0])
def test_the_rate_is_a_share_of_the_known_entries(features, rate):
    generator = np.random.default_rng(0)
    # Ties, as in counts and pixels, and a third missing from the start.
    X = np.maximum(generator.normal(size=(4000, 20)).round(1), 0)
    X[generator.random(X.shape) < 0.3] = np.nan
    observed = FEATURE_MECHANISMS[features](X, rate, 0)
    columns = slice(1, None, 2) if features == "mar" else slice(None)
    share = 1 - observed[:, columns].sum() / (~np.isnan(X[:, columns])).sum()
    assert share == pytest.approx(rate, abs=0.05 if features == "mcar_per_row" else 0.012)


@pytest.mark.parametrize("labels", ["mcar", "where_features"])
@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_one_hot_classes_are_masked_together(labels, rate):
    Y = np.eye(5)[np.arange(8000) % 5]
    held_out = mask_table(
        np.zeros((8000, 6)), Y, feature_rate=0.5, label_rate=rate, label_mechanism=labels,
        one_hot=True, seed=0,
    ).held_out_Y  # fmt: skip
    assert (held_out.all(axis=1) == held_out.any(axis=1)).all()
    assert held_out.mean() == pytest.approx(rate, abs=0.015)


@settings(max_examples=20, deadline=None)
@given(RATES, RATES, SEEDS)
def test_mcar_masks_are_nested_and_those_of_labels_do_not_depend_on_the_mechanism(one, other, seed):
    X, Y = table(n_rows=50)
    low, high = sorted((one, other))
    less, more = (mask_table(X, Y, feature_rate=r, label_rate=r, seed=seed) for r in (low, high))
    assert not (less.held_out_X & ~more.held_out_X).any()
    assert not (less.held_out_Y & ~more.held_out_Y).any()
    per_row = mask_table(
        X, Y, feature_rate=low, label_rate=low, feature_mechanism="mcar_per_row", seed=seed
    )
    np.testing.assert_array_equal(per_row.held_out_Y, less.held_out_Y)


@given(RATES, SEEDS)
def test_per_row_masks_are_exact(rate, seed):
    X = np.where(np.random.default_rng(seed).random((20, 9)) < 0.3, np.nan, 0.0)
    n_known = (~np.isnan(X)).sum(axis=1)
    n_masked = n_known - mcar_per_row(X, rate, seed).sum(axis=1)
    np.testing.assert_array_equal(n_masked, np.floor(rate * n_known + 1e-9))


def test_mar_depends_on_the_left_neighbour_alone():
    observed = mar(X, 0.5, 0)
    assert observed[:, 0::2].all()
    for cause in (0, 2, 4):
        assert X[observed[:, cause + 1], cause].mean() < -0.4
        assert X[~observed[:, cause + 1], cause].mean() > 0.4
    changed = X * np.where(np.arange(6) % 2, -1, 1)
    np.testing.assert_array_equal(mar(changed, 0.5, 0), observed)
    assert mar(X[:, :1], 0.5, 0).all()


def test_mnar_probability_is_logistic_in_the_rank():
    values = np.sort(np.random.default_rng(1).normal(size=(500, 400)), axis=0)
    expected = 1 / (1 + np.exp(-6 * (np.arange(500) / 499 - 0.5)))
    share = 1 - mnar(values, 0.5, 0).mean(axis=1)
    assert np.abs(share - expected).max() < 5 * np.sqrt(0.25 / 400)


@pytest.mark.parametrize("mechanism", [mar, mnar])
def test_equal_values_are_masked_alike_in_all_rows(mechanism):
    zeros_then_ones = np.repeat([0.0, 1.0], 4000)[:, None] * np.ones(2)
    quarters = mechanism(zeros_then_ones, 0.5, 0)[:, 1].reshape(4, 2000).mean(axis=1)
    assert abs(quarters[0] - quarters[1]) < 0.06
    assert abs(quarters[2] - quarters[3]) < 0.06
    assert quarters[:2].min() > quarters[2:].max() + 0.4


def test_blocks_are_runs_of_columns():
    masked = ~blocks(X, 0.5, 0)
    starts = np.diff(np.pad(masked.astype(int), [(0, 0), (1, 0)]), axis=1) == 1
    assert (starts.sum(axis=1) == 1).all()
    assert (masked.sum(axis=1) == 3).all()


def test_positives_are_masked_and_zeros_are_all_or_none():
    Y = table(3, 5000)[1]
    one, zero, some = Y == 1, Y == 0, np.ones((5000, 6), bool)
    missing, only = (f(Y, some, 0.3, 0) for f in (positives_missing, positives_only))
    assert missing[zero].all()
    assert not only[zero].any()
    np.testing.assert_array_equal(missing[one], only[one])
    assert missing[one].mean() == pytest.approx(0.7, abs=0.02)


def test_labels_are_missing_where_features_are():
    generator = np.random.default_rng(0)
    observed_X = generator.random((6000, 10)) < generator.random((6000, 1))
    share = observed_X.mean(axis=1)
    observed = labels_where_features(np.zeros((6000, 3)), observed_X, 0.4, 0)
    assert observed.mean() == pytest.approx(0.6, abs=0.02)
    assert observed[share > 0.8].mean() > 0.85 > 0.3 > observed[share < 0.2].mean()


@pytest.mark.parametrize("features", FEATURES)
def test_new_rows_have_a_rate_of_their_own_and_no_label(features):
    X, Y = table(n_rows=60)
    new = np.arange(60) % 3 == 0
    how = {"label_rate": 0.5, "feature_mechanism": features, "seed": 5}
    masked = mask_table(X, Y, feature_rate=0.3, new_rows=new, new_feature_rate=0.8, **how)
    fitted, of_new = (mask_table(X, Y, feature_rate=rate, **how) for rate in (0.3, 0.8))
    for found, expected in zip(masked, fitted, strict=True):
        np.testing.assert_array_equal(found[~new], expected[~new])
    np.testing.assert_array_equal(masked.X[new], of_new.X[new])
    assert np.isnan(masked.Y[new]).all()


def test_masks_stay_the_same():
    """Recorded results are compared mask by mask."""

    def digest(*masks):
        return hashlib.sha256(b"".join(np.packbits(m).tobytes() for m in masks)).hexdigest()[:16]

    X = np.random.default_rng(0).normal(size=(301, 7))
    Y = (np.random.default_rng(1).random((301, 4)) < 0.3).astype(float)
    for one_hot, expected in ((False, "eb1c8f6b36619968"), (True, "217c791d99d91853")):
        masked = mask_table(X, Y, feature_rate=0.5, label_rate=0.3, one_hot=one_hot, seed=7)
        assert digest(masked.held_out_X, masked.held_out_Y) == expected
    assert digest(~mcar(X, 0.5, 7)) == digest(masked.held_out_X)
    assert digest(~blocks(X, 0.4, 3)) == "32572990c9f48ce9"
    assert digest(~mar(X, 0.4, 3)) == "62f3710fc06a0b62"
    assert digest(~mnar(X, 0.4, 3)) == "9ae8b898d5d9ea37"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"feature_rate": -0.1}, r"feature_rate is a probability from 0 to 1 .*, not -0\.1"),
        ({"label_rate": 80}, r"label_rate .*\(1 % is 0\.01\), not 80"),
        ({"new_feature_rate": float("nan")}, "new_feature_rate is a probability"),
        ({"feature_mechanism": "random"}, r"feature_mechanism='random' is not in \['mcar', "),
        ({"label_mechanism": "blocks"}, r"label_mechanism='blocks' is not in \['mcar', "),
        ({"label_mechanism": "positives_only"}, "one-hot classes are masked together"),
        ({"groups": np.array([0, 1])}, "X has 3 columns; give one number per column"),
    ],
)
def test_errors_name_the_parameter(changed, message):
    given = {"feature_rate": 0.5, "label_rate": 0.5, "seed": 0, "new_rows": np.zeros(4, bool)}
    with pytest.raises(ValueError, match=message):
        mask_table(np.zeros((4, 3)), np.eye(2)[[0, 1, 0, 1]], one_hot=True, **(given | changed))
