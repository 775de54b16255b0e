"""From probabilities to decisions: thresholds learned on known labels that were un-pinned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.settings import Threshold
from halfseen.tables import EncodedTable

N_FOLDS = 5
MOST_ROWS = 5000

Complete = Callable[[NDArray[np.float32], NDArray[np.bool_]], NDArray[np.float32]]


def unpinned_probabilities(
    complete: Complete,
    visible: NDArray[np.float32],
    observed: NDArray[np.bool_],
    label_units: NDArray[np.int64],
    seed: int,
) -> NDArray[np.float64]:
    """What the model says of known labels when each is hidden from it, of shape (n_rows, n_labels).

    Known labels are pinned in completion, so that their probability is 0 or 1 and says nothing of a
    threshold. Here they are hidden in five folds over the label entries, and completed. NaN where
    the label is not known.
    """
    known = observed[:, label_units]
    fold = np.random.default_rng([seed, 1]).integers(N_FOLDS, size=known.shape)
    probability = np.full(known.shape, np.nan)
    for index in range(N_FOLDS):
        hidden_now = known & (fold == index)
        rows = np.flatnonzero(hidden_now.any(axis=1))
        if not len(rows):
            continue
        seen = observed[rows].copy()
        seen[:, label_units] &= ~hidden_now[rows]
        completed = complete(visible[rows], seen)[:, label_units]
        probability[rows] = np.where(hidden_now[rows], completed, probability[rows])
    return probability


def learn_thresholds(
    threshold: Threshold,
    complete: Complete,
    table: EncodedTable,
    label_units: NDArray[np.int64],
    seed: int,
) -> NDArray[np.float64]:
    """The threshold of every label, of shape (n_labels,).

    "shared" finds the one that makes most known labels right, as the paper does; "per_label" finds
    one for each; a number is taken as it is. At most 5,000 rows are looked at.
    """
    n_labels = len(label_units)
    if threshold not in ("shared", "per_label"):
        return np.full(n_labels, float(threshold))
    labelled = np.flatnonzero(table.units(label_units).observed.any(axis=1))
    chosen = np.random.default_rng([seed, 2]).permutation(labelled)[:MOST_ROWS]
    rows = np.sort(chosen)
    visible, observed = table.rows(rows)
    probability = unpinned_probabilities(complete, visible, observed, label_units, seed)
    truth = visible[:, label_units] > 0.5
    if threshold == "shared":
        return np.full(n_labels, best_threshold(probability.ravel(), truth.ravel()))
    return np.array([best_threshold(probability[:, j], truth[:, j]) for j in range(n_labels)])


def best_threshold(probability: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The t for which ``probability > t`` is right most often; the nearest to 1/2 of equals.

    Entries of NaN are left out.

    Examples
    --------
    >>> best_threshold(np.array([0.1, 0.2, 0.3, np.nan]), np.array([False, True, True, False]))
    0.15000000000000002
    """
    known = ~np.isnan(probability)
    probability, truth = probability[known], truth[known]
    if not len(probability):
        return 0.5
    order = np.argsort(probability, kind="stable")
    values, right = probability[order], truth[order]
    middles = (values[1:] + values[:-1]) / 2
    # Between neighbours among floats there is no middle; the lower one divides them as well.
    middles = np.where(middles < values[1:], middles, values[:-1])
    cuts = np.concatenate([[0.0], middles, [1.0]])
    below_right = np.concatenate([[0], np.cumsum(~right)])
    above_right = np.concatenate([np.cumsum(right[::-1])[::-1], [0]])
    correct = below_right + above_right
    # A cut between two equal values cannot be made, nor one below a probability of 0.
    possible = np.concatenate([values[:1] > 0.0, values[1:] > values[:-1], [True]])
    correct = np.where(possible, correct, -1)
    middle = int(np.searchsorted(values, 0.5, side="right"))
    cuts, correct = (
        np.append(cuts, 0.5),
        np.append(correct, below_right[middle] + above_right[middle]),
    )
    best = np.flatnonzero(correct == correct.max())
    return float(cuts[best[np.argmin(np.abs(cuts[best] - 0.5))]])
