"""HalfseenImputer: the machine without labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from estimators.bits import assert_same_bits, assert_same_model
from estimators.tables import LIGHT, PREDICTIVE, whole_table
from halfseen import HalfseenImputer, load


def test_y_is_ignored(wide: pd.DataFrame, imputer: HalfseenImputer) -> None:
    model = HalfseenImputer(**LIGHT).fit(wide, "anything")
    assert_same_model(model, imputer)
    model.partial_fit(wide, "anything")


def test_holes_are_filled_by_what_hangs_together(wide: pd.DataFrame) -> None:
    model = HalfseenImputer(**LIGHT | {"n_epochs": 300, "stopping": "none"})
    filled = model.fit(wide).transform(wide)
    truth, hole = whole_table(), wide["weight"].isna().to_numpy()
    error = np.abs(filled["weight"] - truth["weight"])[hole].mean()
    by_mean = np.abs(wide["weight"].mean() - truth["weight"])[hole].mean()
    assert error < 0.9 * by_mean


def test_parts(wide: pd.DataFrame) -> None:
    models = [HalfseenImputer(**LIGHT).partial_fit(wide[:20]).partial_fit(wide[20:]) for _ in "ab"]
    assert models[0].n_iter_ == 2
    assert_same_model(*models)
    first_scale = models[0].schema_.features[1].mean
    assert first_scale == pytest.approx(wide["weight"][:20].mean())
    assert_same_bits(models[0].transform(wide), models[1].transform(wide))


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_no_oracle(call: str, wide: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match='stopping="oracle" is for labels'):
        getattr(HalfseenImputer(**LIGHT, stopping="oracle"), call)(wide)


def test_sample(imputer: HalfseenImputer) -> None:
    rows: Any = imputer.sample(5)
    assert rows.shape == (5, 6)
    assert rows.dtype == object
    assert set(rows[:, 3]) <= {"blue", "green", "red"}
    assert imputer.sample(5).tolist() == rows.tolist()


def test_score_is_the_mean_of_the_rows(
    imputer: HalfseenImputer, wide: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scores(self: HalfseenImputer, X: pd.DataFrame) -> Any:
        return np.arange(len(X), dtype=float)

    monkeypatch.setattr(HalfseenImputer, "score_samples", scores)
    assert imputer.score(wide[:5]) == 2.0
    assert type(imputer.score(wide[:5])) is float


def test_ordinal_columns_are_filled_with_observed_values(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    hidden = random.normal(size=60)
    marks = np.digitize(hidden, [-1, -0.3, 0.3, 1]).astype(float)
    X = np.column_stack([hidden + 0.3 * random.normal(size=60), marks])
    X[::4, 1] = np.nan
    model = HalfseenImputer(**PREDICTIVE, column_kinds={1: "ordinal"}).fit(X)
    model.save(tmp_path / "model")
    for own in (model, load(tmp_path / "model")):
        filled = own.transform(X)
        assert np.isin(filled[:, 1], np.unique(marks)).all()
        assert np.isin(own.predict_interval(X)[:, 1], np.unique(marks)).all()
        assert np.isin(own.sample(20)[:, 1], np.unique(marks)).all()
        assert np.isin(own.impute(X, n_draws=2)[1][:, 1], np.unique(marks)).all()
