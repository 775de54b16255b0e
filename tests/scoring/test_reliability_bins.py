import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from halfseen.scoring import ReliabilityBin, calibration_error, reliability_bins


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 17))
def test_bins_are_the_points_of_sklearns_curve(seed, n_bins):
    rng = np.random.default_rng(seed)
    true, probability = rng.integers(0, 2, 60), rng.random(60).round(3)
    true[:2] = [0, 1]
    bins = reliability_bins(true, probability, n_bins)
    share, mean = calibration_curve(true, probability, n_bins=n_bins, strategy="uniform")
    assert [one.share_true for one in bins] == pytest.approx(share.tolist())
    assert [one.mean_probability for one in bins] == pytest.approx(mean.tolist())
    assert sum(one.n_labels for one in bins) == 60


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_their_weighted_gap_is_the_calibration_error_and_the_unknown_is_skipped(seed):
    rng = np.random.default_rng(seed)
    true, probability = rng.integers(0, 2, (20, 3)).astype(float), rng.random((20, 3))
    true[rng.random(true.shape) < 0.3] = np.nan
    true[0] = 1
    bins = reliability_bins(true, np.where(np.isnan(true), 7.0, probability))
    n_known = (~np.isnan(true)).sum()
    assert sum(one.n_labels for one in bins) == n_known
    gap = sum(one.n_labels * abs(one.mean_probability - one.share_true) for one in bins) / n_known
    assert calibration_error(true, probability) == pytest.approx(gap)


def test_edges_belong_to_the_bin_below_and_zero_to_the_first():
    assert reliability_bins([0, 1, 1], [0.0, 0.5, 0.75], 2) == (
        ReliabilityBin(0.25, 0.5, 2),
        ReliabilityBin(0.75, 1.0, 1),
    )


def test_what_cannot_be_binned_is_said():
    with pytest.raises(ValueError, match="n_bins must be at least 1"):
        reliability_bins([1], [0.5], 0)
    with pytest.raises(ValueError, match="a probability lies between 0 and 1"):
        reliability_bins([1], [1.5])
    with pytest.raises(ValueError, match="nothing to score"):
        reliability_bins([None], [0.5])
