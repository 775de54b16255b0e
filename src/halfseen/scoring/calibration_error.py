"""How far probabilities of labels are from frequencies."""

from __future__ import annotations

import math

from halfseen.scoring.reliability_bins import reliability_bins


def calibration_error(y_true: object, y_probability: object, n_bins: int = 10) -> float:
    """Expected calibration error of labels, over all known labels, pooled.

    Known labels are sorted by probability into bins of equal width, those of
    `reliability_bins`. In every bin the mean probability is compared with the
    share of ones; the absolute differences are averaged, weighted by the
    number of labels in the bin.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_probability : array-like of the same shape
        Probability that the label is 1. Entries whose label is unknown are not
        looked at.
    n_bins : int, default=10
        Number of bins between 0 and 1. A bin includes its upper edge; the
        first also includes 0.

    Returns
    -------
    float
        Between 0 and 1; 0 when the probabilities are the frequencies.

    Raises
    ------
    ValueError
        When no label is known, or a number is not a probability.

    Examples
    --------
    >>> calibration_error([1, 0, None, 1, 0], [0.5, 0.5, 0.9, 0.5, 0.5])
    0.0
    >>> calibration_error([0, 0], [0.25, 0.75])
    0.5
    """
    bins = reliability_bins(y_true, y_probability, n_bins)
    gaps = [one.n_labels * abs(one.share_true - one.mean_probability) for one in bins]
    return math.fsum(gaps) / sum(one.n_labels for one in bins)
