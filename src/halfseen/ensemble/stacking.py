"""Stacking: several predictions made one by weights that are fitted on validation entries.

Numbers are combined by non-negative least squares, discrete features by a mixture, and targets by a
logarithmic opinion pool, whose powers also calibrate: powers with a sum below one say that the
predictions were too confident. Every sum over predictions is taken term by term, so that no bit of
a row depends on the other rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls
from scipy.special import logsumexp, softmax

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Strength of the pull to equal weights and to common weights, in validation entries.
_COMMON_STRENGTH, _COLUMN_STRENGTH = 30.0, 100.0
# Errors smaller than this, in standard units, make entries count for more.
_LARGE_ERROR = 0.5
_MIXTURE_STRENGTH, _MIXTURE_ROUNDS = 30.0, 100
_POWER_STRENGTH, _SHIFT_STRENGTH = 10.0, 100.0
_LARGEST_POWER, _LARGEST_SHIFT = 5.0, 3.0
LEAST_PROBABILITY = 1e-6


def number_weights(
    predictions: Floats, truth: Floats, column: Ints, n_columns: int, entry_weight: Floats
) -> Floats:
    """Non-negative weights of predictions for each column, (n_columns, n_predictions).

    `predictions`, of shape (n_predictions, n_entries), are in standard units, where the mean of a
    column is 0. Weights have a sum of one or less: the rest is the weight of that mean. Columns are
    pulled to common weights, and these to equal ones.
    """
    n_predictions = len(predictions)
    equal = np.append(np.full(n_predictions, 1.0 / n_predictions), 0.0)
    if not len(truth):
        return np.tile(equal[:-1], (n_columns, 1))
    root = np.sqrt(entry_weight)
    with_mean, truth = np.vstack([predictions, np.zeros(len(truth))]) * root, truth * root
    least = _least_error(with_mean, truth, 1.0)
    common = _pulled_least_squares(with_mean, truth, equal, _COMMON_STRENGTH * _pull(least))
    weights = np.tile(common, (n_columns, 1))
    for j in range(n_columns):
        own = column == j
        if own.any():
            given = with_mean[:, own], truth[own]
            pull = _COLUMN_STRENGTH * _pull(_least_error(*given, least))
            weights[j] = _pulled_least_squares(*given, common, pull)
    return weights[:, :-1]


def _least_error(predictions: Floats, truth: Floats, usual: float) -> float:
    """Mean squared error of the best prediction, as if ten more entries had the usual one."""
    best = ((predictions - truth) ** 2).sum(axis=1).min()
    return float((best + 10.0 * usual) / (len(truth) + 10.0))


def _pull(error: float) -> float:
    return min(1.0, error / _LARGE_ERROR)


def _pulled_least_squares(
    predictions: Floats, truth: Floats, towards: Floats, strength: float
) -> Floats:
    """Non-negative least squares of sum one, pulled towards given weights."""
    n_predictions, pull = len(towards), np.sqrt(strength)
    # One heavy equation keeps the sum at one.
    heavy = 1e3 * np.sqrt(len(truth))
    equations = np.vstack(
        [predictions.T, pull * np.eye(n_predictions), np.full(n_predictions, heavy)]
    )
    right = np.concatenate([truth, pull * towards, [heavy]])
    # The triangle of a QR factorisation holds all that least squares needs.
    triangle = np.asarray(np.linalg.qr(np.column_stack([equations, right]), mode="r"))
    weights = nnls(triangle[:, :-1], triangle[:, -1], maxiter=1000)[0]
    return np.asarray(weights / weights.sum())


def mixture_weights(probabilities: Floats, entry_weight: Floats) -> Floats:
    """Weights of a mixture under which the true values are most probable, pulled to equal ones.

    `probabilities`, of shape (n_predictions, n_entries), are those given to the true values.

    >>> mixture_weights(np.array([[0.9] * 500, [0.1] * 500]), np.ones(500)).round(1)
    array([1., 0.])
    """
    n_predictions, n_entries = probabilities.shape
    weights = np.full(n_predictions, 1.0 / n_predictions)
    for _ in range(_MIXTURE_ROUNDS if n_entries else 0):
        share = weights[:, None] * np.maximum(probabilities, LEAST_PROBABILITY)
        counts = (share / share.sum(axis=0)) @ entry_weight + _MIXTURE_STRENGTH / n_predictions
        weights = counts / counts.sum()
    return weights


class Pool(NamedTuple):
    """A logarithmic opinion pool: powers of predictions, and a shift of log-odds of two classes."""

    powers: Floats  # (n_predictions,)
    shift: float


class TargetEntries(NamedTuple):
    """Held-out entries of a target, and what is predicted of them."""

    log_proba: Floats  # (n_predictions, n_entries, n_classes)
    code: Ints  # (n_entries,), of the true class
    weight: Floats  # (n_entries,)


def weighted_sum(weights: Floats, parts: Floats) -> Floats:
    """Sum over the first axis, term by term, so that no bit of a row depends on other rows."""
    return np.asarray(sum(weight * part for weight, part in zip(weights, parts, strict=True)))


def pooled(log_proba: Floats, pool: Pool) -> Floats:
    """Probabilities of classes from several predictions, (n_predictions, n, n_classes).

    >>> pool = Pool(np.array([1.0, 0.5]), 0.0)
    >>> pooled(np.log([[[0.1, 0.9]], [[0.5, 0.5]]]), pool).round(3)
    array([[0.1, 0.9]])
    """
    heights = weighted_sum(pool.powers, log_proba)
    if pool.shift:
        heights[..., 1] += pool.shift
    return np.asarray(softmax(heights, axis=-1))


def fit_pool(targets: list[TargetEntries], start: Floats) -> Pool:
    """Powers and shift under which true classes are most probable, pulled to those at the start.

    Targets may differ in the number of classes. Only targets of two classes have a shift.
    """
    start = np.append(start, 0.0)
    n_predictions = len(start) - 1
    pull = np.append(np.full(n_predictions, _POWER_STRENGTH * n_predictions), _SHIFT_STRENGTH)
    has_shift = all(target.log_proba.shape[2] == 2 for target in targets)

    def loss(sought: Floats) -> tuple[float, Floats]:
        away = sought - start
        value, slope = 0.5 * float(pull @ away**2), pull * away
        for log_p, code, weight in targets:
            heights = np.tensordot(sought[:-1], log_p, axes=1)
            if has_shift:
                heights[:, 1] += sought[-1]
            total = logsumexp(heights, axis=1, keepdims=True)
            true = np.arange(len(code)), code
            value += float(weight @ (total[:, 0] - heights[true]))
            excess = np.exp(heights - total)
            excess[true] -= 1.0
            excess *= weight[:, None]
            slope[:-1] += np.einsum("rc,krc->k", excess, log_p)
            if has_shift:
                slope[-1] += excess[:, 1].sum()
        return value, slope

    largest = _LARGEST_SHIFT if has_shift else 0.0
    bounds = [(0.0, _LARGEST_POWER)] * n_predictions + [(-largest, largest)]
    found = minimize(loss, start, jac=True, bounds=bounds).x
    return Pool(found[:-1], float(found[-1]))
