"""Coverage, monotonicity and round trips of conformal intervals and sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from halfseen.base.conformal import ConformalIntervals, ConformalSets
from halfseen.model_file import read_model_file, write_model_file

COVERAGES = np.array([0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


def fitted_intervals(rng: np.random.Generator, counts: list[int]) -> ConformalIntervals:
    column = np.repeat(np.arange(len(counts)), counts)
    truth = rng.normal(scale=1.0 + column)
    return ConformalIntervals.fit(truth, np.zeros(len(column)), column, len(counts))


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    p = np.exp(logits)
    return p / p.sum(axis=-1, keepdims=True)


def drawn(rng: np.random.Generator, p: NDArray[np.float64]) -> NDArray[np.int64]:
    return (rng.random(p.shape[:-1])[..., None] > p.cumsum(axis=-1)[..., :-1]).sum(axis=-1)


@pytest.mark.parametrize(
    ("n", "coverage", "rank"), [(9, 0.9, 9), (19, 0.5, 10), (50, 0.8, 41), (24, 0.28, 7)]
)
def test_intervals_have_the_exact_finite_sample_coverage(
    n: int, coverage: float, rank: int
) -> None:
    # Over calibration sets and a new entry, coverage is rank / (n + 1) exactly.
    rng = np.random.default_rng(0)
    n_columns = 20_000  # each column is a calibration set of its own
    entries = rng.exponential(size=(n_columns, n + 1))
    column = np.repeat(np.arange(n_columns), n)
    fitted = ConformalIntervals.fit(entries[:, 1:].ravel(), 0 * column, column, n_columns)
    lower, upper = fitted.interval(np.zeros(n_columns), 1.0, np.arange(n_columns), coverage)
    covered = ((lower <= entries[:, 0]) & (entries[:, 0] <= upper)).mean()
    exact = rank / (n + 1)
    assert abs(covered - exact) < 4 * np.sqrt(exact * (1 - exact) / n_columns)


def test_large_groups_lose_no_coverage_and_gain_little() -> None:
    scores = np.random.default_rng(1).permutation(np.arange(1.0, 100_001.0))
    fitted = ConformalIntervals.fit(scores, 0 * scores, np.zeros(len(scores)), 1)
    for coverage in COVERAGES:
        share = fitted.quantile(coverage)[0] / 100_000
        assert coverage <= share <= coverage + 1 / 400
    assert sum(array.size for array in fitted.to_arrays().values()) < 2_000


def test_spread_scales_the_interval() -> None:
    rng = np.random.default_rng(2)
    spread = rng.uniform(0.1, 10, size=2_000)
    truth, column = spread * rng.normal(size=2_000), np.zeros(2_000, int)
    fitted = ConformalIntervals.fit(truth, 0 * truth, column, 1, spread)
    lower, upper = fitted.interval([[1.0], [2.0]], [0.0, 1.0, 3.0], 0, 0.9)
    assert lower.shape == upper.shape == (2, 3)
    np.testing.assert_allclose(upper - [[1.0], [2.0]], [[1.0], [2.0]] - lower)
    np.testing.assert_allclose(upper[0] - 1, fitted.quantile(0.9)[0] * np.array([0, 1, 3]))
    assert fitted.quantile(0.9)[0] == pytest.approx(1.645, abs=0.1)


def test_few_entries_borrow_from_all_columns() -> None:
    fitted = fitted_intervals(np.random.default_rng(3), [200, 3, 0])
    own, few, none = fitted.quantile(0.9)
    pooled = np.sort(np.abs(fitted.scores[203:]))
    assert none == pooled[int(np.ceil(204 * 0.9)) - 1]
    assert few >= none
    assert own != none
    assert fitted.n_validation.tolist() == [200, 3, 0]
    assert fitted.support(0.9).tolist() == [200, 203, 203]
    assert fitted.support(0.5).tolist() == [200, 3, 203]
    assert np.isinf(fitted.quantile(0.999)).all()


def test_without_any_entry_nothing_is_promised() -> None:
    intervals = ConformalIntervals.fit([], [], [], 2)
    assert np.isinf(intervals.interval([0.0, 0.0], 1.0, [0, 1], 0.5)).all()
    sets = ConformalSets.fit(np.zeros((0, 3)), [])
    assert sets.prediction_set([[0.7, 0.2, 0.1]], 0.5).all()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(0, 1000))
def test_quantiles_grow_with_coverage_and_survive_the_round_trip(
    counts: list[int], seed: int
) -> None:
    fitted = fitted_intervals(np.random.default_rng(seed), counts)
    again = ConformalIntervals.from_arrays(fitted.to_arrays())
    quantiles = np.array([fitted.quantile(c) for c in np.linspace(0.01, 0.999, 60)])
    assert np.all(quantiles[1:] >= quantiles[:-1])
    np.testing.assert_array_equal(
        quantiles, [again.quantile(c) for c in np.linspace(0.01, 0.999, 60)]
    )


def test_sets_cover_every_class_also_the_rare_one() -> None:
    rng = np.random.default_rng(4)
    logits = rng.normal(size=(40_000, 3)) * 2 + [2.0, 0.0, -2.5]
    # Probabilities that are wrong on purpose: coverage must not depend on calibration.
    p, truth = softmax(logits * 0.3), drawn(rng, softmax(logits))
    sets = ConformalSets.fit(p[:20_000], truth[:20_000])
    for coverage in (0.6, 0.9):
        inside = sets.prediction_set(p[20_000:], coverage)
        for code in range(3):
            rows = truth[20_000:] == code
            covered = inside[rows, code].mean()
            assert covered > coverage - 4 * np.sqrt(0.25 / rows.sum()) - 0.01
    assert sets.n_validation.sum() == 20_000


def test_sets_cover_both_states_of_every_label() -> None:
    rng = np.random.default_rng(5)
    logits = np.zeros((30_000, 4, 2))
    logits[..., 1] = rng.normal(size=(30_000, 4)) * 1.5 - [0.0, 1.0, 2.5, 4.0]
    p = softmax(logits)
    truth = drawn(rng, p).astype(float)
    observed = rng.random(truth.shape) < 0.5
    fit = slice(0, 15_000)
    truth[fit][~observed[fit]] = np.nan
    sets = ConformalSets.fit(p[fit], truth[fit], observed[fit])
    inside = sets.prediction_set(p[15_000:], 0.9)
    for label in range(4):
        for state in (0, 1):
            rows = truth[15_000:, label] == state
            slack = 4 * np.sqrt(0.09 / rows.sum()) + 0.02
            assert inside[rows, label, state].mean() > 0.9 - slack
    assert sets.n_validation.sum() == observed[fit].sum()


def test_a_rare_label_borrows_from_the_same_state_of_other_labels() -> None:
    p = np.full((40, 2, 2), 0.5)
    p[:, 0, 1] = np.linspace(0.1, 0.9, 40)
    p[:, 0, 0] = 1 - p[:, 0, 1]
    truth = np.array([[1, 0]] * 39 + [[1, 1]])
    sets = ConformalSets.fit(p, truth)
    assert sets.n_validation.tolist() == [0, 40, 39, 1]
    assert sets.support(0.9).tolist() == [39, 40, 39, 41]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.booleans(), st.integers(0, 60))
def test_sets_are_nested_and_never_empty(seed: int, multilabel: bool, n: int) -> None:
    rng = np.random.default_rng(seed)
    p = softmax(rng.normal(size=(n + 20, 3, 2) if multilabel else (n + 20, 4)) * 3)
    sets = ConformalSets.fit(p[:n], drawn(rng, p[:n]))
    inside = np.array([sets.prediction_set(p[n:], coverage) for coverage in COVERAGES])
    assert np.all(inside[1:] >= inside[:-1])
    assert np.all(np.take_along_axis(inside[0], p[n:].argmax(-1)[..., None], -1))


def test_round_trip_through_a_model_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    p = softmax(rng.normal(size=(700, 2, 2)))
    sets = ConformalSets.fit(p, drawn(rng, p))
    path = tmp_path / "sets.safetensors"
    write_model_file(path, "conformal", {}, sets.to_arrays())
    again = ConformalSets.from_arrays(read_model_file(path).arrays)
    for coverage in COVERAGES:
        np.testing.assert_array_equal(
            sets.prediction_set(p, coverage), again.prediction_set(p, coverage)
        )


@pytest.mark.parametrize(
    "change",
    [
        {"counts": np.array([2, -1, 3])},
        {"counts": np.array([2, 2**60, 3])},
        {"counts": np.array([2, 2, 3])},
        {"pool": np.array([2, 7])},
        {"pool": np.array([0, 0])},
        {"scores": np.array([2.0, 1.0, 3.0, 1.0, 2.0, 3.0])},
        {"scores": np.array([1.0, 2.0, np.nan, 1.0, 2.0, 3.0])},
        {"scores": np.zeros((6, 1))},
        {"scores": np.zeros(6, np.int64)},
        {"more": np.zeros(1)},
    ],
    ids=str,
)
def test_forged_arrays_are_refused(change: dict[str, NDArray[np.generic]]) -> None:
    arrays = ConformalIntervals.fit([1.0, 2.0, 3.0], np.zeros(3), [0, 0, 1], 2).to_arrays()
    assert ConformalIntervals.from_arrays(arrays).quantile(0.5).tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match=r"conformal|expected"):
        ConformalIntervals.from_arrays(arrays | change)


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 90, float("nan")])
def test_coverage_is_a_probability(coverage: float) -> None:
    with pytest.raises(ValueError, match="coverage must lie strictly between 0 and 1"):
        fitted_intervals(np.random.default_rng(7), [5]).quantile(coverage)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="spread must be above 0"):
        ConformalIntervals.fit([1.0], [0.0], [0], 1, [0.0])
    with pytest.raises(ValueError, match="column must hold integers from 0 to 1"):
        ConformalIntervals.fit([1.0], [0.0], [2], 2)
    with pytest.raises(ValueError, match="must be finite"):
        ConformalIntervals.fit([np.nan], [0.0], [0], 1)
    with pytest.raises(ValueError, match="class must hold integers"):
        ConformalSets.fit([[0.5, 0.5]], [np.nan])
    sets = ConformalSets.fit([[0.5, 0.5]], [1])
    with pytest.raises(ValueError, match="calibrated on 2 classes"):
        sets.prediction_set([[0.2, 0.3, 0.5]], 0.9)
