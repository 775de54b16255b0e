"""Probabilities of labels beside the frequencies that came true."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from halfseen.scoring._label_entries import probability_entries


class ReliabilityBin(NamedTuple):
    """Known labels whose probabilities are alike.

    Attributes
    ----------
    mean_probability : float
        Mean of their probabilities.
    share_true : float
        Share of ones among them.
    n_labels : int
        How many they are.

    Examples
    --------
    >>> ReliabilityBin(0.25, 0.5, 4).n_labels
    4
    """

    mean_probability: float
    share_true: float
    n_labels: int


def reliability_bins(
    y_true: object, y_probability: object, n_bins: int = 10
) -> tuple[ReliabilityBin, ...]:
    """Known labels by their probability, in bins of equal width: the points of a reliability curve.

    The mean of the distances between the two numbers of a bin, weighted by its
    number of labels, is `calibration_error`.

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
    tuple of ReliabilityBin
        Bins that hold a label, by increasing probability.

    Raises
    ------
    ValueError
        When no label is known, or a number is not a probability.

    Examples
    --------
    >>> reliability_bins([1, 0, None, 1], [0.25, 0.25, 0.5, 1.0])
    (ReliabilityBin(mean_probability=0.25, share_true=0.5, n_labels=2),
     ReliabilityBin(mean_probability=1.0, share_true=1.0, n_labels=1))
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, not {n_bins}.")
    entries = probability_entries(y_true, y_probability)
    true = entries.true[entries.observed]
    probability = entries.predicted[entries.observed].astype(np.float64)
    bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], probability)
    counts = np.bincount(bins, minlength=n_bins)
    totals = np.bincount(bins, weights=probability, minlength=n_bins)
    ones = np.bincount(bins, weights=true, minlength=n_bins)
    return tuple(
        ReliabilityBin(float(totals[place] / count), float(ones[place] / count), int(count))
        for place, count in enumerate(counts)
        if count
    )
