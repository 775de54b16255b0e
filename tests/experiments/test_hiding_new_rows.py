"""Hiding where some rows are new."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.experiments.hiding import FEATURE_HIDING, hide, hide_with_new_rows

IS_NEW = np.arange(60) % 3 == 0


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(list(FEATURE_HIDING)),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["labels", "classes"]),
)
def test_rows_are_hidden_at_their_own_rate_and_new_ones_have_no_label(
    feature_hiding, rate, new_rate, seed, target
):
    X = np.random.default_rng(0).normal(size=(60, 6))
    Y = np.eye(3)[np.arange(60) % 3]
    Y[59] = np.nan
    how = {"label_rate": 0.5, "feature_hiding": feature_hiding, "seed": seed}
    hidden = hide_with_new_rows(
        X, Y, target, IS_NEW, feature_rate=rate, new_feature_rate=new_rate, **how
    )
    fitted, new = (hide(X, Y, target, feature_rate=r, **how) for r in (rate, new_rate))
    for found, expected in zip(hidden, fitted, strict=True):
        np.testing.assert_array_equal(found[~IS_NEW], expected[~IS_NEW])
    np.testing.assert_array_equal(hidden.hidden_features[IS_NEW], new.hidden_features[IS_NEW])
    np.testing.assert_array_equal(hidden.X[IS_NEW], new.X[IS_NEW])
    assert np.isnan(hidden.Y[IS_NEW]).all()
    np.testing.assert_array_equal(hidden.hidden_labels[IS_NEW], ~np.isnan(Y[IS_NEW]))


def test_a_rate_of_new_rows_that_is_none_is_said():
    with pytest.raises(ValueError, match=r"new_feature_rate .* write 0\.8 for 80 %"):
        hide_with_new_rows(
            np.zeros((60, 2)), np.zeros((60, 1)), "labels", IS_NEW,
            feature_rate=0.5, label_rate=0.5, new_feature_rate=80, seed=0,
        )  # fmt: skip
