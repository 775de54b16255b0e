"""An ensemble on the shelf: blends, intervals, sets, and no row that knows of another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimators.bits import assert_same_bits, more_answers
from estimators.tables import classes_of_rows, holed_table
from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.estimators.fitted_prediction import (
    discrete_candidates,
    of_kinds,
    pooled_targets,
    weighted,
)
from halfseen.tables import read_table

MANY = 300  # more than one tile, and not a multiple of one
LEVELS = (0.05, 0.5, 0.8, 0.9, 0.97, 0.9999)


@pytest.fixture(scope="module")
def rows() -> tuple[pd.DataFrame, Any]:
    table = holed_table(MANY, seed=5, share=0.4)
    return table, classes_of_rows(table)


@pytest.fixture(scope="module")
def whole(predicts_classes: HalfseenClassifier, rows: tuple[pd.DataFrame, Any]) -> list[Any]:
    return more_answers(predicts_classes, *rows)


def taken(answer: list[Any], rows: Any) -> list[Any]:
    return [
        part.iloc[rows].reset_index(drop=True) if isinstance(part, pd.DataFrame) else part[rows]
        for part in answer
    ]


def asked(model: HalfseenClassifier, rows: tuple[pd.DataFrame, Any], chosen: Any) -> list[Any]:
    table, y = rows
    return more_answers(model, table.iloc[chosen].reset_index(drop=True), y[chosen])


@pytest.mark.as_in_use
@settings(max_examples=10, deadline=None)
@given(chosen=st.lists(st.integers(0, MANY - 1), min_size=1, max_size=40))
def test_order_and_company_of_rows(
    chosen: list[int],
    predicts_classes: HalfseenClassifier,
    rows: tuple[pd.DataFrame, Any],
    whole: list[Any],
) -> None:
    assert_same_bits(asked(predicts_classes, rows, chosen), taken(whole, chosen))


@pytest.mark.as_in_use
@pytest.mark.parametrize(("size", "last"), [(1, 8), (7, 30), (256, MANY), (299, MANY)])
def test_chunks_of_rows(
    size: int,
    last: int,
    predicts_classes: HalfseenClassifier,
    rows: tuple[pd.DataFrame, Any],
    whole: list[Any],
) -> None:
    for first in range(0, last, size):
        chunk = np.arange(first, min(first + size, MANY))
        assert_same_bits(asked(predicts_classes, rows, chunk), taken(whole, chunk))


def test_what_is_observed_comes_back(
    predicts_classes: HalfseenClassifier, rows: tuple[pd.DataFrame, Any]
) -> None:
    table, y = rows
    completed = predicts_classes.complete(table, y)
    tables = [predicts_classes.transform(table), completed.X, *predicts_classes.impute(table, 2)]
    for filled in tables:
        assert not filled.isna().any().any()
        for name in table:
            seen = table[name].notna()
            assert filled.loc[seen, name].tolist() == table.loc[seen, name].tolist()
    known = pd.notna(y)
    assert completed.y[known].tolist() == y[known].tolist()
    assert set(np.unique(completed.proba[known])) == {0.0, 1.0}
    assert ((completed.proba[~known] > 0) & (completed.proba[~known] < 1)).all()


def test_bounds_hold_the_answer_and_are_nested(
    predicts_features: HalfseenImputer, wide: pd.DataFrame
) -> None:
    numbers = [0, 1]
    filled = predicts_features.transform(wide).to_numpy()[:, numbers].astype(float)
    seen = wide.notna().to_numpy()[:, numbers]
    low_before = high_before = filled
    for level in LEVELS:
        bounds = predicts_features.predict_interval(wide, level)
        assert bounds.shape == (*wide.shape, 2)
        assert np.isnan(bounds[:, 2:]).all()
        low, high = bounds[:, numbers, 0], bounds[:, numbers, 1]
        given = wide.to_numpy()[:, numbers].astype(float)
        assert_same_bits(low[seen], given[seen])
        assert_same_bits(high[seen], given[seen])
        assert (low <= low_before).all()
        assert (high >= high_before).all()
        low_before, high_before = low, high
    assert (low[~seen] < high[~seen]).all()
    # No bound lies beyond all that was seen.
    assert (low >= np.nanmin(given, axis=0) - 1e-6 * np.abs(np.nanmin(given, axis=0))).all()


def test_sets_hold_the_most_probable_class_and_grow(
    predicts_classes: HalfseenClassifier, rows: tuple[pd.DataFrame, Any]
) -> None:
    table, _ = rows
    best = np.argmax(predicts_classes.predict_proba(table), axis=1)
    before = np.zeros((MANY, 3), bool)
    for level in LEVELS:
        sets = predicts_classes.predict_set(table, level)
        assert sets.shape == (MANY, 3)
        assert sets.dtype == bool
        assert sets[np.arange(MANY), best].all()
        assert (sets >= before).all()
        before = sets


def test_sets_of_labels_and_outputs(
    predicts_labels: HalfseenClassifier,
    predicts_outputs: HalfseenClassifier,
    table: pd.DataFrame,
    narrow: pd.DataFrame,
) -> None:
    sets = predicts_labels.predict_set(table, 0.7)
    assert sets.shape == (40, 2, 2)
    likely = (predicts_labels.predict_proba(table) > 0.5).astype(int)
    assert np.take_along_axis(sets, likely[:, :, None], axis=2).all()
    parts = predicts_outputs.predict_set(narrow, 0.7)
    assert [part.shape for part in parts] == [(40, 3), (40, 3)]
    assert all(part.any(axis=1).all() for part in parts)


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, True, None, "0.9", np.nan])
def test_no_level_at_all(
    level: Any, predicts_classes: HalfseenClassifier, table: pd.DataFrame
) -> None:
    for ask in (predicts_classes.predict_interval, predicts_classes.predict_set):
        with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
            ask(table, level)


def test_coverage_of_new_rows() -> None:
    random = np.random.default_rng(0)
    mixing = np.array([[1.0, 1.0, 0.5], [0.0, 0.5, 1.0]])

    def drawn(n_rows: int) -> NDArray[np.float64]:
        return random.normal(size=(n_rows, 2)) @ mixing + 0.3 * random.normal(size=(n_rows, 3))

    train = drawn(500)
    train[random.random(train.shape) < 0.2] = np.nan
    model = HalfseenImputer(n_hidden=8, n_epochs=20, n_machines=2, companion=False, random_state=0)
    model.fit(train)
    truth = drawn(1500)
    hidden = random.random(truth.shape) < 0.3
    holed = np.where(hidden, np.nan, truth)
    for level in (0.5, 0.8, 0.9):
        bounds = model.predict_interval(holed, level)
        inside = (bounds[:, :, 0] <= truth) & (truth <= bounds[:, :, 1])
        assert inside[~hidden].all()
        assert abs(inside[hidden].mean() - level) < 0.08
    error = (model.transform(holed) - truth)[hidden]
    assert error.std() < 0.8 * truth[hidden].std()
    # Bounds stand where the rest of the row puts them.
    low, high = model.predict_interval([[np.nan, 2.0, 1.0], [np.nan, -2.0, -1.0]])[:, 0]
    assert (low > high).all()


def test_draws_differ_and_spread_about_the_column(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame
) -> None:
    draws = predicts_classes.impute(table, n_draws=30)
    assert_same_bits(draws, predicts_classes.impute(table, n_draws=30))
    others = predicts_classes.impute(table, n_draws=2, random_state=5)
    missing = table["weight"].isna()
    drawn = np.stack([draw.loc[missing, "weight"] for draw in draws])
    assert not np.array_equal(drawn[0], others[0].loc[missing, "weight"])
    assert len(np.unique(drawn)) == drawn.size
    # A draw given the rest is hardly wider than the column, and no fixed number.
    spread = drawn.std(axis=0).mean() / table["weight"].std()
    assert 0.2 < spread < 1.5
    for name, possible in (("sold", {0.0, 1.0}), ("colour", {"blue", "green", "red"})):
        holes = table[name].isna()
        assert {value for draw in draws for value in draw.loc[holes, name]} == possible


@pytest.mark.parametrize("n_draws", [0, 1.5, True, None])
def test_no_number_of_draws(n_draws: Any, predicts_classes: HalfseenClassifier, table: Any) -> None:
    with pytest.raises(ValueError, match="n_draws must be a whole number"):
        predicts_classes.impute(table, n_draws)


def test_far_from_all_that_was_learned(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame
) -> None:
    for value in (1e9, -1e20, 1e300):
        X = table[:5].copy()
        X["size"], X["weight"] = value, np.nan
        completed = predicts_classes.complete(X)
        assert completed.X["size"].tolist() == [value] * 5
        assert np.isfinite(completed.X["weight"]).all()
        assert np.isfinite(completed.proba).all()
        bounds = predicts_classes.predict_interval(X)
        assert (bounds[:, 0] == value).all()
        assert np.isfinite(bounds[:, 1]).all()


def test_members_of_one_kind_are_averaged() -> None:
    answers = np.arange(12, dtype=np.float32).reshape(6, 2)
    assert of_kinds(answers, 3).tolist() == [[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]


def test_weighted_is_a_sum_over_the_first_axis() -> None:
    random = np.random.default_rng(0)
    weights, parts = random.random((3, 1, 5)), random.random((3, 4, 5))
    assert np.allclose(weighted(weights, parts), (weights * parts).sum(axis=0))


def test_labels_and_groups_are_pooled_each_in_its_way() -> None:
    said = np.array([[[0.5, 0.8, 0.2, 0.5, 0.5]], [[0.9, 0.5, 0.5, 0.5, 0.5]]])
    groups = [slice(1, 3), slice(3, 5)]
    powers = np.array([1.0, 0.0]), 1.0, np.array([2.0, 7.0])
    expected = [[1 / (1 + np.exp(-1.0)), 16 / 17, 1 / 17, 0.5, 0.5]]
    assert np.allclose(pooled_targets(said, groups, *powers), expected)
    alone = pooled_targets(said[:, :, 1:], [slice(0, 2), slice(2, 4)], *powers)
    assert np.allclose(alone, np.array(expected)[:, 1:])


def test_the_prior_alone_is_the_last_candidate(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame
) -> None:
    ensemble, schema = predicts_classes.prediction_.ensemble, predicts_classes.schema_
    answers = ensemble.answers(*schema.encode(read_table(table), None))
    candidates = discrete_candidates(ensemble, answers)
    first = schema.n_gaussian
    assert np.allclose(candidates[:-1], of_kinds(answers.means, ensemble.n_kinds)[:, :, first:])
    speaks = ensemble.prior_sees_labels
    assert 0 < speaks.sum() < len(speaks)
    base = answers.base[speaks].mean(axis=0)
    sold = schema.feature_units(2).start
    expected = schema.marginals[sold] + ensemble.unit_scale[sold] * base[:, sold]
    assert np.allclose(candidates[-1][:, sold - first], expected.clip(0.01, 0.99), atol=1e-6)
    assert np.ptp(candidates[-1][:, sold - first]) > 0.01
    classes = candidates[-1][:, schema.is_target_unit[first:]]
    assert np.allclose(classes.sum(axis=1), 1.0)
    assert (classes > 0).all()


def test_folds_meet_in_the_log_odds_of_labels_and_in_the_mean_of_the_rest(
    predicts_labels: HalfseenClassifier, table: pd.DataFrame
) -> None:
    ensemble, schema = predicts_labels.prediction_.ensemble, predicts_labels.schema_
    assert ensemble.averages_odds
    assert ensemble.n_folds > 1
    answers = ensemble.answers(*schema.encode(read_table(table), None))
    candidates = discrete_candidates(ensemble, answers)[:-1]
    of_older_files = discrete_candidates(replace(ensemble, averages_odds=False), answers)[:-1]
    is_label = schema.is_target_unit[schema.n_gaussian :]
    np.testing.assert_array_equal(candidates[:, :, ~is_label], of_older_files[:, :, ~is_label])
    said = answers.means[:, :, schema.n_gaussian :][:, :, is_label].astype(np.float64)
    by_fold = said.reshape(ensemble.n_folds, ensemble.n_kinds, *said.shape[1:])
    np.testing.assert_allclose(of_older_files[:, :, is_label], by_fold.mean(axis=0))
    odds = np.log(by_fold / (1 - by_fold)).mean(axis=0)
    np.testing.assert_allclose(candidates[:, :, is_label], 1 / (1 + np.exp(-odds)), rtol=1e-6)
    assert not np.allclose(candidates[:, :, is_label], of_older_files[:, :, is_label], atol=1e-5)


def test_targets_alone_are_the_targets_of_all(
    predicts_labels: HalfseenClassifier, table: pd.DataFrame, labels: NDArray[np.float64]
) -> None:
    schema, fitted = predicts_labels.schema_, predicts_labels.prediction_
    encoded = schema.encode(read_table(table), None)
    is_target = schema.is_target_unit
    shown = encoded.observed.copy()
    shown[:7, np.flatnonzero(is_target)[0]] = True  # of some rows a label is known
    every = fitted.complete(encoded.visible, shown)
    alone = fitted.complete_targets(encoded.visible, shown)
    assert np.array_equal(alone[:, is_target], every[:, is_target])
    assert np.array_equal(alone[shown], encoded.visible[shown])
