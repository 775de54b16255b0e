import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from halfseen.scoring import calibration_error


@pytest.mark.parametrize("n_bins", [1, 5, 10, 17])
@pytest.mark.parametrize("decimals", [1, 8])
def test_is_the_weighted_gap_of_sklearns_curve(n_bins, decimals):
    rng = np.random.default_rng(0)
    true, probability = rng.integers(0, 2, 200), rng.random(200).round(decimals)
    share, mean = calibration_curve(true, probability, n_bins=n_bins, strategy="uniform")
    edges = np.linspace(0, 1, n_bins + 1)
    counts = np.bincount(np.searchsorted(edges[1:-1], probability), minlength=n_bins)
    expected = np.average(np.abs(share - mean), weights=counts[counts > 0])
    assert calibration_error(true, probability, n_bins) == pytest.approx(expected, abs=1e-14)


def test_certain_and_right_or_wrong():
    assert calibration_error([[1, 0], [np.nan, 1]], [[1.0, 0.0], [0.3, 1.0]]) == 0.0
    assert calibration_error([[1, 0], [np.nan, 1]], [[0.0, 1.0], [0.3, 0.0]]) == 1.0


def test_gaps_in_one_bin_cancel_but_not_between_bins():
    assert calibration_error([0, 1], [0.5, 0.5]) == 0.0
    assert calibration_error([0, 1], [0.35, 0.65]) == pytest.approx(0.35)
    assert calibration_error([0, 1], [0.35, 0.65], n_bins=1) == pytest.approx(0.0)


def test_no_bins():
    with pytest.raises(ValueError, match="n_bins must be at least 1"):
        calibration_error([1], [0.5], n_bins=0)
