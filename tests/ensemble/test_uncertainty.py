"""Intervals, sets, draws and log-probabilities of the recommended model, as its users meet them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen import HalfseenClassifier, HalfseenImputer, load

N_ROWS = 240


def incomplete_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns of all types that hang together, and a common and a rare label."""
    random = np.random.default_rng(0)
    cause = random.normal(size=N_ROWS)
    near = [cause + 0.5 * random.normal(size=N_ROWS) for _ in range(6)]
    X = pd.DataFrame({
        "age": pd.array((50 + 10 * near[0]).round(), dtype="Int64"),
        "dose": np.exp(2 * near[1]),
        "pressure": 120 + 15 * near[2],
        "stage_code": np.digitize(near[3], [-1, 0, 1]) + 1.0,
        "city": np.array(["ada", "bor", "cyr"])[np.digitize(near[4], [-0.5, 0.5])].astype(object),
        "gain": np.where(near[5] > 0, 255.0, 3.0),
    })  # fmt: skip
    y = pd.DataFrame({"ill": (cause > 0) * 1.0, "rare": (cause > 1.6) * 1.0})
    X, y = X.mask(random.random(X.shape) < 0.25), y.mask(random.random(y.shape) < 0.2)
    return X, y


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    X, y = incomplete_table()
    model = HalfseenClassifier(
        "fast", feature_types={"pressure": ("numeric", [0, 300])}, trees=False, random_state=0
    )
    return model.fit(X, y), X, y


def assert_real(drawn: pd.DataFrame, X: pd.DataFrame) -> None:
    """Every value is one that its column can take, in the type of the column."""
    assert drawn.notna().all(axis=None)
    assert drawn.dtypes.to_dict() == X.dtypes.to_dict()
    for name in ("stage_code", "city", "gain"):
        assert set(drawn[name]) <= set(X[name].dropna())
    assert drawn["age"].between(X["age"].min(), X["age"].max()).all()
    assert drawn["dose"].between(X["dose"].min(), X["dose"].max()).all()
    assert drawn["pressure"].between(0, 300).all()


def test_draws_could_be_real_and_leave_what_is_observed(fitted: Any) -> None:
    model, X, _ = fitted
    draws = model.impute(X, n_draws=3)
    for drawn in draws:
        assert_real(drawn, X)
        pd.testing.assert_frame_equal(drawn[X.notna()].astype(object), X.astype(object))
    missing = X["pressure"].isna()
    assert (draws[0]["pressure"] != draws[1]["pressure"])[missing].any()


def test_samples_have_the_names_types_and_support_of_the_table(fitted: Any) -> None:
    model, X, _ = fitted
    drawn, labels = model.sample(60, random_state=1)
    assert_real(drawn, X)
    assert labels.shape == (60, 2)
    assert set(np.unique(labels)) <= {0, 1}


def test_draws_of_a_part_are_those_of_the_whole(fitted: Any) -> None:
    model, X, _ = fitted
    whole = model.impute(X.iloc[:50], n_draws=2, random_state=7)
    part = model.impute(X.iloc[20:50], n_draws=2, random_state=7, first_row=20)
    for one, other in zip(whole, part, strict=True):
        pd.testing.assert_frame_equal(one.iloc[20:], other)


def test_bounds_given_by_the_user(fitted: Any) -> None:
    X, y = incomplete_table()
    high = X["pressure"].max()
    with pytest.raises(ValueError, match=r"'pressure': row \d+ holds 1\d\d\.\d+, outside \[0.0, 1"):
        HalfseenClassifier(feature_types={"pressure": ("numeric", [0, high - 1])}).fit(X, y)
    column = next(c for c in fitted[0].schema_.features if c.name == "pressure")
    assert (column.low, column.high) == (0, 300)


def test_the_less_is_seen_of_a_row_the_wider_are_its_intervals(fitted: Any) -> None:
    model, X, _ = fitted
    one_seen, five_seen = X.dropna().head(40).copy(), X.dropna().head(40).copy()
    one_seen[["age", "dose", "stage_code", "city", "pressure"]] = None
    five_seen["pressure"] = np.nan
    place = list(X).index("pressure")
    widths = [
        np.diff(model.predict_interval(shown)[:, place]).mean() for shown in (five_seen, one_seen)
    ]
    assert 0 < widths[0] < widths[1]
    bounds = model.predict_interval(five_seen)
    np.testing.assert_array_equal(bounds[:, 0, 0], five_seen["age"].astype(float))
    assert np.isnan(bounds[:, list(X).index("city")]).all()


def test_sets_are_never_empty_and_grow_with_coverage(fitted: Any) -> None:
    model, X, _ = fitted
    small, large = (model.predict_set(X, coverage) for coverage in (0.5, 0.95))
    assert small.shape == (N_ROWS, 2, 2)
    assert small.any(axis=2).all()
    assert (large >= small).all()
    assert large.sum() > small.sum()
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        model.predict_set(X, 90)


def test_a_model_states_on_how_many_validation_entries_its_promises_rest(fitted: Any) -> None:
    found = fitted[0].coverage_support(0.9)
    by_name = {(one.column, one.value): one for one in found}
    assert {name for name, value in by_name if value is None} == {"age", "dose", "pressure"}
    rare, common = by_name["rare", 1.0], by_name["ill", 1.0]
    assert rare.n_validation < common.n_validation
    assert rare.n_behind > rare.n_validation  # it borrows from the other label


def test_a_saved_model_has_the_same_uncertainty(fitted: Any, tmp_path: Path) -> None:
    model, X, _ = fitted
    model.save(tmp_path / "m.safetensors")
    again, rows = load(tmp_path / "m.safetensors"), X.head(30)
    pd.testing.assert_frame_equal(model.impute(rows, 1)[0], again.impute(rows, 1)[0])
    for ask in ("predict_interval", "predict_set", "score_samples"):
        np.testing.assert_array_equal(getattr(model, ask)(rows), getattr(again, ask)(rows))
    assert model.coverage_support() == again.coverage_support()


def test_probabilities_of_all_rows_of_a_binary_table_sum_to_one() -> None:
    random = np.random.default_rng(1)
    X = (random.random((200, 5)) < 0.2) ^ (random.random((200, 1)) < 0.5)
    model = HalfseenImputer("fast", random_state=0).fit(X.astype(float))
    rows = np.array(list(product((0.0, 1.0), repeat=5)))
    probabilities = np.exp(model.score_samples(rows))
    assert probabilities.sum() == pytest.approx(1, abs=1e-4)
    # Rows that agree with themselves are common.
    assert probabilities[[0, -1]].min() > probabilities[1:-1].max()


def test_a_table_of_a_few_rows_is_named() -> None:
    with pytest.warns(UserWarning, match="has 3 rows; nothing can be learned"):
        HalfseenImputer("fast", n_estimators=1).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
