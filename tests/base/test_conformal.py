"""Coverage, monotonicity and round trips of conformal intervals and sets."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.base.conformal import ConformalIntervals, ConformalSets
from halfseen.model_file import read_model_file, write_model_file

COVERAGES = np.array([0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


def fitted_intervals(rng, counts):
    column = np.repeat(np.arange(len(counts)), counts)
    truth = rng.normal(scale=1.0 + column)
    return ConformalIntervals.fit(truth, np.zeros(len(column)), column, len(counts))


def softmax(logits):
    return np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)


def drawn(rng, p):
    return (rng.random(p.shape[:-1])[..., None] > p.cumsum(axis=-1)[..., :-1]).sum(axis=-1)


@pytest.mark.parametrize(
    ("n", "coverage", "rank"), [(9, 0.9, 9), (19, 0.5, 10), (50, 0.8, 41), (24, 0.28, 7)]
)
def test_intervals_have_the_exact_finite_sample_coverage(n, coverage, rank):
    # Over calibration sets and a new entry, coverage is rank / (n + 1) exactly.
    rng = np.random.default_rng(0)
    n_fits, held = 2000, 0
    for _ in range(n_fits):
        new, *entries = rng.exponential(size=n + 1)
        fitted = ConformalIntervals.fit(entries, np.zeros(n), np.zeros(n, int), 1)
        lower, upper = fitted.interval(0.0, 1.0, 0, coverage)
        assert lower == -upper == -np.sort(entries)[rank - 1]
        held += new <= upper
    exact = rank / (n + 1)
    assert abs(held / n_fits - exact) < 4 * np.sqrt(exact * (1 - exact) / n_fits)


def test_spread_scales_the_interval():
    rng = np.random.default_rng(2)
    spread = rng.uniform(0.1, 10, size=2_000)
    truth, column = spread * rng.normal(size=2_000), np.zeros(2_000, int)
    fitted = ConformalIntervals.fit(truth, 0 * truth, column, 1, spread)
    lower, upper = fitted.interval([[1.0], [2.0]], [0.0, 1.0, 3.0], 0, 0.9)
    np.testing.assert_allclose(upper + lower, [[2.0] * 3, [4.0] * 3])
    np.testing.assert_allclose(upper[0] - 1, fitted.quantile(0.9)[0] * np.array([0, 1, 3]))
    assert fitted.quantile(0.9)[0] == pytest.approx(1.645, abs=0.1)


def test_few_entries_borrow_from_other_columns():
    fitted = fitted_intervals(np.random.default_rng(3), [2000, 10, 0])
    own, few, none = fitted.quantile(0.9)
    assert fitted.n_validation.tolist() == [2000, 10, 0]
    assert fitted.support(0.9).tolist() == [2000, 2010, 2010]
    assert own == pytest.approx(np.quantile(np.sort(fitted.scores[:2000]), 0.9), rel=0.02)
    # Errors of the second column are twice as large.
    assert own < none < few < fitted.scores.max()
    assert np.isinf(fitted.quantile(0.9999)).all()


def test_intervals_hold_at_every_share_that_is_observed():
    rng = np.random.default_rng(7)
    share, column = rng.random(8000), rng.integers(3, size=8000)
    truth = rng.normal(size=8000) * (2.0 - share) * (1 + column)
    fitted = ConformalIntervals.fit(
        truth[:4000], np.zeros(4000), column[:4000], 3, share=share[:4000]
    )
    lower, upper = fitted.interval(0.0, 1.0, column[4000:], 0.9, share[4000:])
    held = (lower <= truth[4000:]) & (truth[4000:] <= upper)
    for low in (0.0, 0.25, 0.5, 0.75):
        own = (share[4000:] >= low) & (share[4000:] < low + 0.25)
        assert abs(held[own].mean() - 0.9) < 0.04
    # Beyond the shares of validation entries, and between them, nothing jumps.
    _, curve = fitted.interval(0.0, 1.0, 0, 0.9, np.linspace(0, 1, 400))
    assert np.abs(np.diff(curve)).max() < 0.1


def test_without_any_entry_nothing_is_promised():
    intervals, sets = ConformalIntervals.fit([], [], [], 2), ConformalSets.fit(np.eye(3)[:0], [])
    assert np.isinf(intervals.interval([0.0, 0.0], 1.0, [0, 1], 0.5)).all()
    assert sets.prediction_set([[0.7, 0.2, 0.1]], 0.5).all()
    for coverage in (0, 1, -0.1, 90, float("nan")):
        with pytest.raises(ValueError, match="coverage must lie strictly between 0 and 1"):
            intervals.quantile(coverage)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(0, 1000))
def test_quantiles_grow_with_coverage_and_survive_the_round_trip(counts, seed):
    fitted = fitted_intervals(np.random.default_rng(seed), counts)
    again = ConformalIntervals.from_arrays(fitted.to_arrays())
    coverages = np.linspace(0.01, 0.999, 20)
    quantiles = np.array([fitted.quantile(coverage) for coverage in coverages])
    assert np.all(quantiles[1:] >= quantiles[:-1])
    np.testing.assert_array_equal(quantiles, [again.quantile(coverage) for coverage in coverages])


def test_sets_cover_every_class_also_the_rare_one():
    rng = np.random.default_rng(4)
    logits = rng.normal(size=(40_000, 3)) * 2 + [2.0, 0.0, -2.5]
    # Probabilities that are wrong on purpose: coverage must not depend on calibration.
    p, truth = softmax(logits * 0.3), drawn(rng, softmax(logits))
    sets = ConformalSets.fit(p[:20_000], truth[:20_000])
    for coverage, code in product((0.6, 0.9), range(3)):
        rows = truth[20_000:] == code
        inside = sets.prediction_set(p[20_000:], coverage)[rows, code]
        assert inside.mean() > coverage - 4 * np.sqrt(0.25 / rows.sum()) - 0.01


def test_sets_cover_both_states_of_every_label_and_survive_a_model_file(tmp_path):
    rng = np.random.default_rng(5)
    logits = np.zeros((30_000, 4, 2))
    logits[..., 1] = rng.normal(size=(30_000, 4)) * 1.5 - [0.0, 1.0, 2.5, 4.0]
    p, path = softmax(logits), tmp_path / "sets.safetensors"
    truth, observed = drawn(rng, p).astype(float), rng.random((15_000, 4)) < 0.5
    truth[:15_000][~observed] = np.nan
    sets = ConformalSets.fit(p[:15_000], truth[:15_000], observed)
    assert len(sets.scores) == observed.sum()
    inside = sets.prediction_set(p[15_000:], 0.9)
    for label, state in product(range(4), (0, 1)):
        rows = truth[15_000:, label] == state
        slack = 4 * np.sqrt(0.09 / rows.sum()) + 0.02
        assert inside[rows, label, state].mean() > 0.9 - slack
    write_model_file(path, "conformal", {}, sets.to_arrays())
    again = ConformalSets.from_arrays(read_model_file(path).arrays)
    np.testing.assert_array_equal(again.prediction_set(p[15_000:], 0.9), inside)


def test_a_rare_label_borrows_from_common_ones_on_the_scale_of_its_share():
    # Both are predicted equally well: odds are those of the share times a likelihood ratio.
    rng, n, odds = np.random.default_rng(6), 40_000, np.array([1.0, 1 / 400])
    truth = (rng.random((n, 2)) < odds / (1 + odds)).astype(int)
    likely = odds * np.exp(rng.normal(size=(n, 2)) + 2.0 * (truth - 0.5))
    p = np.stack([1 / (1 + likely), likely / (1 + likely)], axis=2)
    assert 0 < truth[:2000, 1].sum() < 9  # too few for 90 %
    sets = ConformalSets.fit(p[:2000], truth[:2000])
    assert sets.support(0.9)[3] == truth[:2000].sum()
    rare = truth[2000:, 1] == 1
    inside = sets.prediction_set(p[2000:], 0.9)
    assert inside[rare, 1, 1].mean() > 0.75
    assert inside[~rare, 1, 1].mean() < 0.6


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.booleans(), st.integers(0, 60))
def test_sets_are_nested_and_never_empty(seed, multilabel, n):
    rng = np.random.default_rng(seed)
    p = softmax(rng.normal(size=(n + 20, 3, 2) if multilabel else (n + 20, 4)) * 3)
    sets = ConformalSets.fit(p[:n], drawn(rng, p[:n]))
    inside = np.array([sets.prediction_set(p[n:], coverage) for coverage in COVERAGES])
    assert np.all(inside[1:] >= inside[:-1])
    assert np.take_along_axis(inside[0], p[n:].argmax(-1)[..., None], -1).all()


@pytest.mark.parametrize(
    "change",
    [{"group": np.array([0, 0, -1])}, {"group": np.array([0, 0, 2])}, {"group": np.zeros(2, int)},
     {"pool": np.array([0, -1])}, {"pool": np.array([0, 2**60])}, {"pool": np.zeros(0, int)},
     {"scores": np.zeros((3, 1))}, {"shares": np.ones(2)}, {"shares": np.zeros(0)},
     {"scores": np.array([1.0, 2.0, np.nan])}, {"scores": np.zeros(3, np.int64)},
     {"more": np.zeros(1)}],
)  # fmt: skip
def test_forged_arrays_are_refused(change):
    arrays = ConformalIntervals.fit([1.0, 2.0, 3.0], np.zeros(3), [0, 0, 1], 2).to_arrays()
    with pytest.raises(ValueError, match=r"conformal|finite"):
        ConformalIntervals.from_arrays(arrays | change)


def test_entries_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="must be finite"):
        ConformalIntervals.fit([np.nan], [0.0], [0], 1)
