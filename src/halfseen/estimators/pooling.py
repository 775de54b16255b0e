"""Several probabilities made one, and honest, by powers learned on held-out entries.

A logarithmic opinion pool: the product of what every predictor says, each to a power of its own.
Powers that add up to less than one say that the predictors were too sure; with one predictor the
pool is a calibration.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from halfseen.machine.sigmoid import sigmoid

_SMALLEST = 1e-6
_STRENGTH = 10.0  # of the pull to the first powers, in entries
# How often labels are on is known from all of them, and not from the few put aside alone.
_STRENGTH_OF_SHIFT = 100.0
_LARGEST_POWER = 5.0
_LARGEST_SHIFT = 3.0

Floats = NDArray[np.float64]


def learn_label_pool(said: Floats, truth: NDArray[np.bool_], first: Floats) -> tuple[Floats, float]:
    """The power of every predictor of labels, and a shift of the log-odds.

    They make the truth most probable, drawn to first powers and to no shift with the strength of a
    few entries; the problem is convex.

    Parameters
    ----------
    said : ndarray of shape (n_predictors, n_entries)
        Probability that each predictor gave to the label being on.
    truth : ndarray of shape (n_entries,)
        Whether it was.
    first : ndarray of shape (n_predictors,)
        The powers if there are no entries; their sum is one.

    Returns
    -------
    powers : ndarray of shape (n_predictors,)
    shift : float

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> honest = generator.random(4000)
    >>> truth = generator.random(4000) < honest
    >>> said = np.stack([honest, np.full(4000, 0.5)])
    >>> powers, shift = learn_label_pool(said, truth, np.full(2, 0.5))
    >>> float(powers[0].round(1))
    1.0
    """
    odds = log_odds(said)
    sign = np.where(truth, 1.0, -1.0)

    def loss(sought: Floats) -> tuple[float, Floats]:
        margin = sign * (sought[:-1] @ odds + sought[-1])
        wrong = -sign / (1.0 + np.exp(np.clip(margin, -500, 500)))
        return np.logaddexp(0.0, -margin).sum(), np.append(odds @ wrong, wrong.sum())

    found = _drawn(loss, first, n_shifts=1)
    return found[:-1], float(found[-1])


def pooled_labels(said: Floats, powers: Floats, shift: float) -> Floats:
    """One probability of every label, from those of all predictors (first axis).

    Examples
    --------
    >>> pooled_labels(np.array([[0.9], [0.5]]), np.array([1.0, 0.5]), 0.0).round(3)
    array([0.9])
    """
    odds = np.full(said.shape[1:], shift)
    for power, one in zip(powers, said, strict=True):
        odds = odds + power * log_odds(one)
    pooled: Floats = sigmoid(odds)
    return pooled


def learn_class_pool(truth_first: Floats, first: Floats) -> Floats:
    """The power of every predictor of classes that makes the truth most probable.

    Drawn to first powers, as those of labels are.

    Parameters
    ----------
    truth_first : ndarray of shape (n_predictors, n_rows, n_classes)
        Probabilities, that of the true class in the first column.
    first : ndarray of shape (n_predictors,)
        The powers if there are no rows; their sum is one.

    Returns
    -------
    ndarray of shape (n_predictors,)

    Examples
    --------
    >>> learn_class_pool(np.zeros((2, 0, 3)), np.full(2, 0.5))
    array([0.5, 0.5])
    """
    logs = np.log(np.maximum(truth_first, _SMALLEST))

    def loss(powers: Floats) -> tuple[float, Floats]:
        heights = np.tensordot(powers, logs, axes=1)
        total = np.logaddexp.reduce(heights, axis=1)
        share = np.exp(heights - total[:, None])
        slope = np.einsum("rc,krc->k", share, logs) - logs[:, :, 0].sum(axis=1)
        return np.sum(total - heights[:, 0]), slope

    return _drawn(loss, first, n_shifts=0)


def pooled_classes(said: Floats, powers: Floats) -> Floats:
    """Probabilities of classes, of sum one in every row, from those of all predictors (first axis).

    Examples
    --------
    >>> pooled_classes(np.array([[[0.8, 0.2]]]), np.array([1.0]))
    array([[0.8, 0.2]])
    """
    heights = np.zeros(said.shape[1:])
    for power, one in zip(powers, said, strict=True):
        heights += power * np.log(np.maximum(one, _SMALLEST))
    heights -= heights.max(axis=1, keepdims=True)
    share = np.exp(heights)
    pooled: Floats = share / share.sum(axis=1, keepdims=True)
    return pooled


def log_odds(probability: Floats) -> Floats:
    """log p / (1 - p), kept finite."""
    inner = np.clip(probability, _SMALLEST, 1 - _SMALLEST)
    odds: Floats = np.log(inner) - np.log1p(-inner)
    return odds


def _drawn(loss: Callable[[Floats], tuple[float, Floats]], powers: Floats, n_shifts: int) -> Floats:
    """Least of a loss plus the pull of the first guess; many predictors are pulled as one is."""
    n_predictors = len(powers)
    first = np.append(powers, np.zeros(n_shifts))
    of_powers = np.full(n_predictors, _STRENGTH * n_predictors)
    pull = np.append(of_powers, np.full(n_shifts, _STRENGTH_OF_SHIFT))

    def drawn(sought: Floats) -> tuple[float, Floats]:
        value, slope = loss(sought)
        away = sought - first
        return float(value + 0.5 * pull @ away**2), slope + pull * away

    bounds = [(0.0, _LARGEST_POWER)] * n_predictors + [(-_LARGEST_SHIFT, _LARGEST_SHIFT)] * n_shifts
    found: Floats = minimize(drawn, first, jac=True, bounds=bounds).x
    return found
