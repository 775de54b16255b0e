"""Rows ranked by how improbable they are beside rows with as much observed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from explain.models import ALL_KINDS, NEW, TABLE, GaussianModel, gaussian, y_of
from halfseen import RBMClassifier
from halfseen.explain import reference_rows, unusual_rows

COVARIANCE = 0.2 * np.eye(8) + 0.8
PLANTED = [3, 77, 200]


@pytest.fixture(scope="module")
def planted() -> tuple[GaussianModel, np.ndarray]:
    """Rows of which many entries are missing, and three have one entry that does not fit."""
    model, X = gaussian(COVARIANCE, 300)
    rng = np.random.default_rng(1)
    X = np.where(rng.random(X.shape) < rng.uniform(0, 0.9, (300, 1)), np.nan, X)
    X[PLANTED] = 0.5 * rng.normal(size=(3, 8))
    X[PLANTED, [0, 4, 7]] = [3.3, -3.3, 3.3]
    X[PLANTED[0], 5:] = np.nan
    return model, X


def test_planted_errors_come_first(planted: tuple[GaussianModel, np.ndarray]) -> None:
    model, X = planted
    found = unusual_rows(model, X, top=3, n_entries=2)
    assert sorted(of.row for of in found.rows) == PLANTED
    entries = {of.row: of.entries[0].column for of in found.rows}
    assert [entries[row] for row in PLANTED] == [0, 4, 7]
    for of in found.rows:
        assert of.score == found.scores[of.row] > 3
        assert len(of.entries) == 2
        first = of.entries[0]
        assert first.value == X[of.row, first.column]
        seen = np.flatnonzero(~np.isnan(X[of.row]))
        others = seen[seen != first.column]
        sigma = COVARIANCE[np.ix_(others, others)]
        expected = COVARIANCE[first.column, others] @ np.linalg.solve(sigma, X[of.row, others])
        assert first.expected == pytest.approx(expected, abs=1e-5)
        assert first.surprise == pytest.approx(first.residual**2 / 2)
        assert 3 < abs(first.residual) < 10
    scores = [of.score for of in found.rows]
    assert scores == sorted(scores, reverse=True)


def test_ordinary_rows_score_alike_whatever_they_lack(
    planted: tuple[GaussianModel, np.ndarray],
) -> None:
    model, X = planted
    found = unusual_rows(model, X, top=0)
    ordinary = np.setdiff1d(np.flatnonzero(found.n_observed), PLANTED)
    few = found.n_observed[ordinary] <= 3
    for part in (ordinary[few], ordinary[~few]):
        assert abs(np.median(found.scores[part])) < 0.5
        assert 0.5 < np.std(found.scores[part]) < 2


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_all_kinds_of_models(kind: str, models: dict[str, Any]) -> None:
    model, y = models[kind], y_of(kind, TABLE)
    found = unusual_rows(model, TABLE, y, top=4, n_entries=9)
    without_y = unusual_rows(model, TABLE, top=1)
    np.testing.assert_array_equal(without_y.log_probability, model.score_samples(TABLE))
    known = TABLE.notna().sum(axis=1).to_numpy()
    known = known + (0 if y is None else np.atleast_2d(pd.notna(y).T).sum(axis=0))
    np.testing.assert_array_equal(found.n_observed, known)
    assert len(found.rows) == 4
    for of in found.rows:
        assert len(of.entries) == of.n_observed
        for entry in of.entries:
            discrete = entry.column in ("colour", "sold") or entry.is_target
            assert (entry.log_probability is None) == (not discrete)
            assert (entry.residual is None) == discrete
            assert entry.surprise >= 0
        surprises = [entry.surprise for entry in of.entries]
        assert surprises == sorted(surprises, reverse=True)
    table = pd.DataFrame(found.table())
    assert len(table) == sum(of.n_observed for of in found.rows)
    assert {"score", "entry_column", "entry_residual"} <= {*table}


def test_order_and_parts_do_not_matter(models: dict[str, Any]) -> None:
    model, y = models["multiclass"], y_of("multiclass", TABLE)
    whole = unusual_rows(model, TABLE, y, top=5)
    order = np.random.default_rng(0).permutation(len(TABLE))
    mixed = unusual_rows(model, TABLE.iloc[order], y[order], top=5)
    np.testing.assert_array_equal(mixed.scores, whole.scores[order])
    assert [of._replace(row=int(order[of.row])) for of in mixed.rows] == list(whole.rows)
    reference = reference_rows(model, TABLE, y)
    parts = [
        unusual_rows(model, TABLE[i : i + 31], y[i : i + 31], reference=reference)
        for i in range(0, len(TABLE), 31)
    ]
    np.testing.assert_array_equal(np.concatenate([part.scores for part in parts]), whole.scores)


def test_surprise_of_a_category_is_its_log_odds_against_the_most_probable(
    models: dict[str, Any],
) -> None:
    model, y = models["multiclass"], y_of("multiclass", NEW)
    found = unusual_rows(model, NEW, y, top=len(NEW), n_entries=9)
    proba, predicted = model.predict_proba(NEW), model.predict(NEW)
    checked = 0
    for of in found.rows:
        for entry in of.entries:
            if entry.is_target:
                own = np.log(proba[of.row])
                value = own[list(model.classes_).index(y[of.row])]
                assert entry.value == y[of.row]
                assert entry.expected == predicted[of.row]
                assert entry.log_probability == pytest.approx(value)
                assert entry.surprise == pytest.approx(own.max() - value)
                checked += 1
    assert checked == pd.notna(y).sum()


def test_wrong_labels_surprise_most() -> None:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 200)
    X = pd.DataFrame(rng.normal(size=(200, 4)) + 4 * label[:, None])
    y = np.array(["no", "yes"], object)[label]
    y[rng.random(200) < 0.3] = None
    y[[5, 50]] = np.where(label[[5, 50]] == 1, "no", "yes")
    model = RBMClassifier(6, n_iter=40, learning_rate=0.05, random_state=0).fit(X, y)
    found = unusual_rows(model, X, y, top=200)
    labels = {of.row: e.surprise for of in found.rows for e in of.entries if e.is_target}
    assert set(sorted(labels, key=labels.__getitem__)[-2:]) == {5, 50}
    assert max(of.row in (5, 50) for of in found.rows[:5])


def test_copies_do_not_crowd_out_other_rows() -> None:
    model, _ = gaussian(COVARIANCE)
    found = unusual_rows(model, np.repeat([np.full(8, 0.1), np.full(8, 2.0)], 200, axis=0), top=0)
    np.testing.assert_allclose(np.unique(found.scores), [-1.28, 1.28], atol=0.01)


def test_empty_rows_are_left_out(models: dict[str, Any]) -> None:
    X = TABLE.copy()
    X.loc[2] = pd.NA
    found = unusual_rows(models["imputer"], X, top=len(X))
    assert found.scores[2] == -np.inf
    assert 2 not in {of.row for of in found.rows}
    with pytest.raises(ValueError, match="No row of X holds an observed entry"):
        unusual_rows(models["imputer"], X[2:3])
