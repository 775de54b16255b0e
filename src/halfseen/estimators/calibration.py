"""Probabilities made honest on held-out entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

_SMALLEST = 1e-6
_STRENGTH = 10.0


def learn_label_calibration(
    probability: NDArray[np.float64], truth: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Slope and intercept of the log-odds, drawn to 1 and 0, of shape (2,).

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> honest = generator.random(4000)
    >>> truth = generator.random(4000) < honest
    >>> learn_label_calibration(honest, truth).round(1)
    array([1., 0.])
    """
    if not len(truth):
        return np.array([1.0, 0.0])
    odds = log_odds(probability)
    sign = np.where(truth, 1.0, -1.0)

    def loss(line: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (line[0] * odds + line[1])
        wrong = -sign / (1.0 + np.exp(np.clip(margin, -500, 500)))
        away = line - np.array([1.0, 0.0])
        value = np.logaddexp(0.0, -margin).sum() + 0.5 * _STRENGTH * away @ away
        slope = np.array([wrong @ odds, wrong.sum()]) + _STRENGTH * away
        return float(value), slope

    found = minimize(loss, np.array([1.0, 0.0]), jac=True, bounds=[(0.1, 5.0), (-3.0, 3.0)])
    line: NDArray[np.float64] = found.x
    return line


def calibrated_labels(
    probability: NDArray[np.float64], line: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Probabilities with their log-odds on the line.

    Examples
    --------
    >>> calibrated_labels(np.array([0.5, 0.9]), np.array([1.0, 0.0])).round(3)
    array([0.5, 0.9])
    """
    away = line[0] * log_odds(probability) + line[1]
    calibrated: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-away))
    return calibrated


def learn_class_calibration(truth_first: NDArray[np.float64]) -> float:
    """The power of the probabilities that makes the truth most probable, drawn to 1.

    Parameters
    ----------
    truth_first : ndarray of shape (n_rows, n_classes)
        Probabilities, that of the true class in the first column.
    """
    if not len(truth_first):
        return 1.0
    logs = np.log(np.maximum(truth_first, _SMALLEST))

    def loss(power: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        heights = power[0] * logs
        total = np.logaddexp.reduce(heights, axis=1)
        share = np.exp(heights - total[:, None])
        slope = np.sum(share * logs, axis=1) - logs[:, 0]
        away = power[0] - 1.0
        value = np.sum(total - heights[:, 0]) + 0.5 * _STRENGTH * away**2
        return float(value), np.array([slope.sum() + _STRENGTH * away])

    return float(minimize(loss, np.array([1.0]), jac=True, bounds=[(0.1, 5.0)]).x[0])


def calibrated_classes(probability: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Probabilities of classes to a power, of sum one in every row.

    Examples
    --------
    >>> calibrated_classes(np.array([[0.8, 0.2]]), 1.0)
    array([[0.8, 0.2]])
    """
    heights = power * np.log(np.maximum(probability, _SMALLEST))
    heights -= heights.max(axis=1, keepdims=True)
    share = np.exp(heights)
    calibrated: NDArray[np.float64] = share / share.sum(axis=1, keepdims=True)
    return calibrated


def log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """log p / (1 - p), kept finite."""
    inner = np.clip(probability, _SMALLEST, 1 - _SMALLEST)
    odds: NDArray[np.float64] = np.log(inner) - np.log1p(-inner)
    return odds
