"""Generated telemetry."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.experiments.telemetry import (
    Missingness,
    Telemetry,
    telemetry,
    telemetry_batches,
)

ARRAYS = ("X", "y", "observed_X", "observed_y", "customer")


@pytest.fixture(scope="module")
def rows() -> Telemetry:
    return telemetry(9000, n_columns=30, n_labels=4, seed=3)


def columns(rows: Telemetry, kind: str) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return rows.X[:, [name.startswith(kind) for name in rows.names]]


def test_shapes_and_names(rows: Telemetry) -> None:
    assert rows.X.shape == rows.observed_X.shape == (9000, 30)
    assert rows.y.shape == rows.observed_y.shape == (9000, 4)
    assert len(set(rows.names + rows.label_names)) == 34
    assert rows.names[0] == "load"
    assert [columns(rows, kind).shape[1] for kind in ("gauge", "flag", "alert")] == [3, 3, 23]
    assert np.isfinite(rows.X).all()
    assert {field.name for field in fields(rows)} >= set(ARRAYS)


def test_what_columns_hold(rows: Telemetry) -> None:
    alerts = columns(rows, "alert")
    assert (alerts == np.floor(alerts)).all()
    assert alerts.min() == 0.0
    away = (alerts - alerts.mean(axis=0)) / alerts.std(axis=0)
    assert np.median((away**3).mean(axis=0)) > 3  # heavy tails
    assert set(np.unique(columns(rows, "flag"))) == {0.0, 1.0}
    assert abs(columns(rows, "load").std() - 1) < 0.05


def test_threats_are_rare_together_and_to_be_seen_in_the_features(rows: Telemetry) -> None:
    assert set(np.unique(rows.y)) == {0.0, 1.0}
    shares = rows.y.mean(axis=0)
    assert (shares > 0.01).all()
    assert (shares < 0.3).all()
    correlation = np.corrcoef(rows.y.T)[np.triu_indices(4, 1)]
    assert np.abs(correlation).max() > 0.1
    to_features = np.corrcoef(np.log1p(columns(rows, "alert")).T, rows.y.T)[:-4, -4:]
    assert (np.abs(to_features).max(axis=0) > 0.2).all()


@settings(max_examples=6, deadline=None)
@given(sizes=st.lists(st.integers(50, 5999), min_size=1, max_size=3), seed=st.integers(0, 3))
def test_a_row_does_not_depend_on_the_cut(sizes: list[int], seed: int) -> None:
    n_rows = 6000
    whole = telemetry(n_rows, 8, 2, seed)
    for size in sizes:
        batches = list(telemetry_batches(n_rows, 8, 2, seed, batch_rows=size))
        assert [batch.first_row for batch in batches] == list(range(0, n_rows, size))
        for name in ARRAYS:
            joined = np.concatenate([getattr(batch, name) for batch in batches])
            np.testing.assert_array_equal(joined, getattr(whole, name))
        fewer = telemetry(size, 8, 2, seed)
        np.testing.assert_array_equal(fewer.X, whole.X[:size])


def test_seeds_make_other_tables(rows: Telemetry) -> None:
    other = telemetry(100, n_columns=30, n_labels=4, seed=4)
    assert not np.array_equal(other.X, rows.X[:100])


def test_customers_hide_whole_blocks(rows: Telemetry) -> None:
    missing = Missingness(privacy=0.4, dropout=0.0)
    hidden = telemetry(3000, 30, 2, 1, n_customers=5, missing=missing)
    patterns = set()
    for customer in range(5):
        mine = hidden.observed_X[hidden.customer == customer]
        assert len(mine)
        assert (mine == mine[0]).all()
        assert mine[0, 0]
        patterns.add(mine[0].tobytes())
        # Eight blocks: a pattern changes between them only.
        changes = [j for j, (a, b) in enumerate(pairwise(mine[0][1:]), 2) if a != b]
        assert all((j * 8) // 30 != ((j - 1) * 8) // 30 for j in changes)
    assert len(patterns) > 1
    assert np.bincount(hidden.customer)[0] > np.bincount(hidden.customer)[4]


def test_sensors_drop_out_more_under_load() -> None:
    only = Missingness(privacy=0.0, dropout=0.1, overload=1.0)
    lost = ~telemetry(8000, 20, 2, 0, missing=only).observed_X
    load = telemetry(8000, 20, 2, 0, missing=only).X[:, 0]
    assert not lost[:, 0].any()
    assert lost[load > 1, 1:].mean() > 3 * lost[load < -1, 1:].mean()
    evenly = Missingness(privacy=0.0, dropout=0.1, overload=0.0)
    lost = ~telemetry(8000, 20, 2, 0, missing=evenly).observed_X
    assert lost[:, 1:].mean() == pytest.approx(0.1, abs=0.005)
    assert lost[load > 0, 1:].mean() == pytest.approx(0.1, abs=0.01)


def test_the_truth_does_not_depend_on_what_is_missing() -> None:
    complete = telemetry(500, 12, 3, missing=Missingness(0.0, 0.0, examined=1.0))
    with_missing = telemetry(500, 12, 3)
    assert complete.observed_X.all()
    assert not with_missing.observed_X.all()
    np.testing.assert_array_equal(complete.X, with_missing.X)
    np.testing.assert_array_equal(complete.y, with_missing.y)


def test_labels_are_known_for_examined_devices(rows: Telemetry) -> None:
    assert rows.observed_y.any(axis=1).mean() == pytest.approx(0.5, abs=0.03)
    assert rows.observed_y.mean() == pytest.approx(0.5 * 0.85, abs=0.03)
    nobody = telemetry(50, 5, 2, missing=Missingness(examined=0.0))
    assert not nobody.observed_y.any()


def test_all_lost_and_no_rows() -> None:
    assert not telemetry(50, 5, 2, missing=Missingness(dropout=1.0)).observed_X[:, 1:].any()
    nothing = telemetry(0, 5, 2)
    assert (nothing.X.shape, nothing.y.shape) == ((0, 5), (0, 2))
    assert telemetry(3, 1, 1).names == ("load",)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"n_rows": -1}, "n_rows must be at least 0"),
        ({"n_columns": 0}, "n_columns must be at least 1"),
        ({"n_labels": 0}, "n_labels must be at least 1"),
        ({"n_customers": 0}, "n_customers must be at least 1"),
    ],
)
def test_refusals(asked: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        telemetry(**{"n_rows": 5, **asked})


def test_shares_are_shares() -> None:
    with pytest.raises(ValueError, match=r"dropout is a share between 0 and 1, not 1\.5"):
        Missingness(dropout=1.5)
