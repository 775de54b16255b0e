"""How much nearer members are to what was put aside than their own priors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.ensemble import Ensemble
from halfseen.learning.held_out import HeldOut
from halfseen.tables import EncodedTable

_MOST_ROWS = 1024  # of a fold
_FEW_LABELS = 200  # of which half of what they say counts


def gain_over_priors(ensemble: Ensemble, encoded: EncodedTable, folds: list[HeldOut]) -> float:
    """The share of the priors' squared error that members take away, of features and of labels.

    Of the entries that each fold put aside, in standard units. Members have a say as far as it
    helps, the same for all features and for all labels: that of a member which is still learning is
    right in its direction before it is in its size. What is left of features and what is left of
    labels are multiplied; few labels put aside say little, and count for less.

    Parameters
    ----------
    ensemble : Ensemble
        The members.
    encoded : EncodedTable
        The table.
    folds : list of HeldOut
        What each fold put aside.

    Returns
    -------
    float
        Of at most 1,024 rows of each fold; 0 if nothing is taken away, or nothing was put aside.
    """
    is_target = ensemble.shape.columns.is_target_unit
    of_features, of_labels, n_labels = np.zeros(3), np.zeros(3), 0
    reads_labels = int(np.argmax(ensemble.prior_sees_labels[: ensemble.n_kinds]))
    for index, fold in enumerate(folds):
        asked = np.flatnonzero(fold.judging.any(axis=1))
        asked = asked[:: -(-len(asked) // _MOST_ROWS) or 1]  # of the whole table, sorted or not
        visible, observed = encoded.rows(fold.judged_rows[asked])
        judged = fold.judging[asked]
        answers = ensemble.answers_of_fold(index, visible, observed & ~judged)
        means = (answers.means - ensemble.unit_mean) / ensemble.unit_scale
        values = ensemble.in_standard_units(visible)
        of_features += _products(values - answers.base, means - answers.base, judged & ~is_target)
        # A prior over features alone says nothing of labels: they are held against the other one.
        linear = np.broadcast_to(answers.base[reads_labels], means.shape)
        of_labels += _products(values - linear, means - linear, judged & is_target)
        n_labels += int((judged & is_target).any(axis=1).sum())
    left = 1.0 - share_taken_away(*of_labels)
    left_of_labels = left ** (n_labels / (n_labels + _FEW_LABELS))
    return float(1.0 - (1.0 - share_taken_away(*of_features)) * left_of_labels)


def _products(
    away: NDArray[np.float32], moved: NDArray[np.float32], judged: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Of how far the truth is from the priors, and how far members have moved from them."""
    own, said = away[:, judged].astype(np.float64), moved[:, judged].astype(np.float64)
    return np.array([np.sum(own * own), np.sum(own * said), np.sum(said * said)])


def share_taken_away(error: float, common: float, size: float) -> float:
    """The share of a squared error that the best multiple of a move takes away.

    Parameters
    ----------
    error, common, size : float
        Sums of what was to be moved by, squared, of its product with the move, and of the move,
        squared.

    Examples
    --------
    >>> share_taken_away(4.0, 2.0, 4.0)
    0.25
    >>> share_taken_away(4.0, -2.0, 4.0)
    0.0
    """
    if common <= 0.0 or error * size <= 0.0:
        return 0.0
    return float(common * common / (error * size))
