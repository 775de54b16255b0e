"""The protocol of the baselines: what goes in is checked, and errors say where."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines.baseline import (
    checked_features,
    checked_table,
    held_out_entries,
    observed_scale,
    with_observed,
)


def test_an_infinite_value_is_named_by_place() -> None:
    with pytest.raises(ValueError, match="row 1, column 0"):
        checked_features([[1.0, 2.0], [np.inf, 3.0]])


def test_a_label_that_is_none_is_named_by_place() -> None:
    with pytest.raises(ValueError, match=r"Y holds .*2.* in row 0, column 1"):
        checked_table(np.ones((2, 1)), [[0, 2], [1, 0]], "labels")


@pytest.mark.parametrize("row", [[1.0, np.nan], [1.0, 1.0], [0.0, 0.0]])
def test_classes_are_one_hot_or_unknown_altogether(row: list[float]) -> None:
    Y = np.array([[1.0, 0.0], row])
    checked_table(np.ones((2, 1)), Y, "labels")
    with pytest.raises(ValueError, match="row 1 of Y is not one class"):
        checked_table(np.ones((2, 1)), Y, "classes")


def test_nothing_observed_and_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="no observed label"):
        checked_table(np.ones((2, 1)), np.full((2, 1), np.nan), "labels")
    with pytest.raises(ValueError, match="one row for each of the 2 rows"):
        checked_table(np.ones((2, 1)), np.ones((3, 1)), "labels")
    with pytest.raises(ValueError, match="target must be"):
        checked_table(np.ones((2, 1)), np.ones((2, 1)), "label")  # type: ignore[arg-type]


def test_observed_entries_are_put_back() -> None:
    X, Y = np.array([[1.0, np.nan]]), np.array([[np.nan, 1.0]])
    completed = with_observed(X, Y, np.array([[9.0, 2.0]]), np.array([[0.3, 0.4]]))
    assert completed.features.tolist() == [[1.0, 2.0]]
    assert completed.scores.tolist() == [[0.3, 1.0]]


def test_columns_are_standardised_by_what_is_observed_of_them() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(3.0, 2.0, (50, 4))
    X[generator.random(X.shape) < 0.4] = np.nan
    X[:, 2], X[:, 3] = np.nan, 0.1
    scale = observed_scale(X)
    standardised = scale.standardised(X)
    np.testing.assert_allclose(np.nanmean(standardised[:, :2], axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.nanstd(standardised[:, :2], axis=0), 1.0)
    np.testing.assert_allclose(scale.restored(standardised), X)
    assert (scale.offset[2], *scale.spread[2:]) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize("by_row", [False, True])
def test_held_out_entries_are_observed_even_with_the_seed_that_hid_the_others(by_row: bool) -> None:
    observed = np.random.default_rng(0).random((100, 6)) >= 0.5
    if by_row:
        observed = np.broadcast_to(observed[:, :1], observed.shape)
    held_out = held_out_entries(observed, 0.2, np.random.default_rng(0), by_row)
    assert not held_out[~observed].any()
    assert held_out.sum() / observed.sum() == pytest.approx(0.2, abs=0.02)
    assert not by_row or (held_out.all(axis=1) == held_out.any(axis=1)).all()
    single = np.arange(6).reshape(2, 3) == 4
    assert held_out_entries(single, 0.1, np.random.default_rng(0)).sum() == 1
