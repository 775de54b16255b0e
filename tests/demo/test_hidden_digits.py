from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from halfseen.demo.hidden_digits import LEARNING_ROWS, PICTURED_ROWS, hide_digits


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_hides_the_share_asked_for(share: float) -> None:
    digits = hide_digits(LEARNING_ROWS, share, seed=3)
    # Four standard deviations of a binomial share.
    for observed in (digits.observed_pixels, digits.observed_labels):
        tolerance = 4 * np.sqrt(share * (1 - share) / observed.size)
        assert abs((~observed).mean() - share) < tolerance


@pytest.mark.parametrize(("share", "seen"), [(0.0, True), (1.0, False)])
def test_hides_nothing_or_everything(share: float, seen: bool) -> None:
    digits = hide_digits(slice(0, 50), share, seed=0)
    assert (digits.observed_pixels == seen).all()
    assert (digits.observed_labels == seen).all()


def test_hiding_depends_on_neither_pixel_nor_label() -> None:
    digits = hide_digits(LEARNING_ROWS, 0.5, seed=0)
    ink = digits.pixels > 0
    assert abs(digits.observed_pixels[ink].mean() - digits.observed_pixels[~ink].mean()) < 0.02
    together = np.corrcoef(digits.observed_pixels.mean(axis=1), digits.observed_labels)[0, 1]
    assert abs(together) < 4 / np.sqrt(len(digits.labels))


def test_seed_decides_what_is_hidden() -> None:
    first, again, other = (hide_digits(slice(0, 100), 0.5, seed=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.observed_pixels, again.observed_pixels)
    np.testing.assert_array_equal(first.observed_labels, again.observed_labels)
    assert (first.observed_pixels != other.observed_pixels).any()
    assert (first.observed_labels != other.observed_labels).any()


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_what_is_seen_at_a_larger_share_is_seen_at_a_smaller(a: float, b: float, seed: int) -> None:
    less, more = (hide_digits(PICTURED_ROWS, share, seed=seed) for share in sorted((a, b)))
    assert (less.observed_pixels >= more.observed_pixels).all()
    assert (less.observed_labels >= more.observed_labels).all()


def test_holes_are_where_nothing_is_observed() -> None:
    digits = hide_digits(slice(0, 100), 0.5, seed=0)
    np.testing.assert_array_equal(np.isnan(digits.X), ~digits.observed_pixels)
    np.testing.assert_array_equal(np.isnan(digits.y), ~digits.observed_labels)
    np.testing.assert_array_equal(np.isnan(digits.hidden_labels_only), digits.observed_labels)
    seen, shown = digits.observed_pixels, digits.observed_labels
    np.testing.assert_array_equal(digits.X[seen], digits.pixels[seen])
    np.testing.assert_array_equal(digits.y[shown], digits.labels[shown])
    np.testing.assert_array_equal(digits.hidden_labels_only[~shown], digits.labels[~shown])


def test_pictured_rows_are_two_of_each_digit_and_not_learned_from() -> None:
    labels = load_digits(return_X_y=True)[1]
    np.testing.assert_array_equal(labels[PICTURED_ROWS], np.tile(np.arange(10), 2))
    rows = np.arange(len(labels))
    np.testing.assert_array_equal(np.append(rows[PICTURED_ROWS], rows[LEARNING_ROWS]), rows)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="hidden_share must be from 0 to 1"):
        hide_digits(slice(0, 10), share, seed=0)


def test_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="selects none of the 1797 digits"):
        hide_digits(slice(1797, None), 0.5, seed=0)
