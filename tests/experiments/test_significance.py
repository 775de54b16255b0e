from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from halfseen.experiments.significance import against_best, corrected_resampled_t


def test_without_overlap_it_is_the_paired_t_test() -> None:
    ours, theirs = np.random.default_rng(0).normal(size=(2, 8))
    found = corrected_resampled_t(ours, theirs, 0.0)
    assert found == pytest.approx(ttest_rel(ours, theirs).pvalue)


@given(
    values=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=9),
    share=st.floats(0, 0.95),
)
def test_it_is_fair_and_the_more_careful_the_more_is_hidden(
    values: list[tuple[float, float]], share: float
) -> None:
    ours, theirs = np.array(values).T
    one = corrected_resampled_t(ours, theirs, share)
    other = corrected_resampled_t(theirs, ours, share)
    assert one == other
    assert 0 <= corrected_resampled_t(ours, theirs, 0.0) <= one <= 1


def test_smaller_errors_are_better_and_lone_scores_prove_nothing() -> None:
    found = against_best({"a": [0.3], "b": [0.2]}, "rmse", 0.5)
    assert found is not None
    assert found[0] == "b"
    assert np.isnan(found[1]["a"])


def test_missing_realisations_are_left_out_in_pairs() -> None:
    scores = {"a": [0.9, np.nan, 0.92, 0.91], "b": [0.5, 0.6, np.nan, 0.5], "c": [np.nan] * 4}
    found = against_best(scores, "accuracy", 0.3)
    assert found is not None
    assert found[1] == {"b": corrected_resampled_t([0.9, 0.91], [0.5, 0.5], 0.3)}
    assert against_best({"c": [np.nan]}, "accuracy", 0.3) is None


def test_the_more_methods_the_larger_p() -> None:
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(size=10) + shift for name, shift in (("a", 2.0), ("b", 0.0))}
    alone = against_best(scores, "accuracy", 0.3)
    among = against_best(scores | {"c": scores["b"] + 1e-9}, "accuracy", 0.3)
    assert alone is not None
    assert among is not None
    assert among[1]["b"] > alone[1]["b"]


def test_a_method_asked_about_an_easy_realisation_alone_is_not_the_best() -> None:
    scores = {"a": [0.95, 0.81, 0.82], "b": [0.94, np.nan, np.nan]}
    found = against_best(scores, "accuracy", 0.3)
    assert found is not None
    assert found[0] == "a"
