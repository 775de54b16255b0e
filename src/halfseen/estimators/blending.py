"""Several predictions made one, by weights learned on held-out entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

_PSEUDO_ENTRIES = 30.0
_PSEUDO_ENTRIES_OF_A_COLUMN = 100.0  # a column of heavy tails has few entries that speak
_UNCERTAIN = 0.5  # squared error in standard units, below which entries speak the louder
_FEW_ENTRIES = 10.0
_ROUNDS = 100


def mixture_weights(truth_probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of a mixture that make the held-out entries most probable, drawn to equal ones.

    Maximises ``sum_i log sum_k w_k p_ki`` plus the weight of thirty entries for equal shares, by
    expectation-maximisation; the problem is convex.

    Parameters
    ----------
    truth_probability : ndarray of shape (n_predictors, n_entries)
        What each predictor gave to what turned out to be true.

    Returns
    -------
    ndarray of shape (n_predictors,), of sum one

    Examples
    --------
    >>> mixture_weights(np.array([[0.9] * 500, [0.1] * 500])).round(1)
    array([1., 0.])
    """
    n_predictors, n_entries = truth_probability.shape
    weights = np.full(n_predictors, 1.0 / n_predictors)
    inner = np.maximum(truth_probability, 1e-12)
    prior = _PSEUDO_ENTRIES / n_predictors
    for _ in range(_ROUNDS if n_entries else 0):
        share = weights[:, None] * inner
        share /= share.sum(axis=0)
        counts = share.sum(axis=1) + prior
        weights = counts / counts.sum()
    return weights


def column_blends(
    predictions: NDArray[np.float64],
    truth: NDArray[np.float64],
    column: NDArray[np.int64],
    n_columns: int,
) -> NDArray[np.float64]:
    """Non-negative weights of several predictions of numbers, for every column.

    Least squares over the judged entries of all columns together, then of each column drawn to the
    common weights with the strength of a hundred entries, or fewer where numbers are predicted
    closely: a small difference tells as much there as a large one elsewhere. What is left to one is
    the weight of the column's mean: of a column that hangs together with no other nothing better
    can be said.

    Parameters
    ----------
    predictions : ndarray of shape (n_predictors, n_entries)
        Of the judged entries, in standard units.
    truth : ndarray of shape (n_entries,)
        Their values.
    column : ndarray of shape (n_entries,)
        Where they stand.
    n_columns : int
        Columns, of some of which nothing may be judged.

    Returns
    -------
    ndarray of shape (n_columns, n_predictors), of sum one or less in every column

    Examples
    --------
    >>> truth = np.linspace(-1, 1, 80)
    >>> column_blends(np.stack([truth, -truth]), truth, np.zeros(80, int), 1).round(1)
    array([[1., 0.]])
    """
    n_predictors = len(predictions)
    equal = np.append(np.full(n_predictors, 1.0 / n_predictors), 0.0)
    if not truth.size:
        return np.tile(equal[:-1], (n_columns, 1))
    # One more predictor says the mean of the column, which is zero in standard units.
    predictions = np.concatenate([predictions, np.zeros((1, len(truth)))])
    least = _least_error(predictions, truth, 1.0)
    common = _drawn_blend(predictions.T, truth, equal, _PSEUDO_ENTRIES * _pulled(least))
    blends = np.tile(common, (n_columns, 1))
    ordered = np.argsort(column, kind="stable")
    ends = np.searchsorted(column[ordered], np.arange(n_columns + 1))
    for own in range(n_columns):
        entries = ordered[ends[own] : ends[own + 1]]
        if entries.size:
            said, right = predictions[:, entries], truth[entries]
            pulled = _pulled(_least_error(said, right, least))
            blends[own] = _drawn_blend(said.T, right, common, _PSEUDO_ENTRIES_OF_A_COLUMN * pulled)
    return blends[:, :-1]


def _least_error(
    predictions: NDArray[np.float64], truth: NDArray[np.float64], first: float
) -> float:
    """Mean squared error of the best prediction; of no entries the first guess."""
    squared = np.sum((predictions - truth) ** 2, axis=1).min()
    return float((squared + _FEW_ENTRIES * first) / (len(truth) + _FEW_ENTRIES))


def _pulled(least_error: float) -> float:
    """Factor of the pull to other weights where the best prediction errs so little."""
    return min(1.0, least_error / _UNCERTAIN)


def _drawn_blend(
    answers: NDArray[np.float64],
    truth: NDArray[np.float64],
    towards: NDArray[np.float64],
    n_pseudo: float,
) -> NDArray[np.float64]:
    """Non-negative least squares, of sum one, drawn to ``towards`` as by so many entries."""
    n_predictors = answers.shape[1]
    pull = np.sqrt(n_pseudo)
    # A strong last equation holds the sum at one; numbers are in standard units.
    anchor = 1e3 * np.sqrt(len(truth))
    equations = np.vstack(
        [answers, pull * np.eye(n_predictors), np.full((1, n_predictors), anchor)]
    )
    right = np.concatenate([truth, pull * towards, [anchor]])
    # The triangle holds all that least squares needs of any number of equations.
    triangle = np.asarray(np.linalg.qr(np.column_stack([equations, right]), mode="r"))
    weights: NDArray[np.float64] = nnls(triangle[:, :-1], triangle[:, -1], maxiter=1000)[0]
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares
