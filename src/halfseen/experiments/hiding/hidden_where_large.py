"""Hiding that grows likelier with the size of a cause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STEEPNESS = 3.0


def hidden_where_large(
    causes: NDArray[np.float64], rate: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Hidden with a logistic probability of the rank of the cause within its column.

    Parameters
    ----------
    causes : ndarray of shape (n_rows, n_columns)
        The larger, the likelier hidden. From the smallest to the largest of a column the log-odds
        of being hidden rise by 6.
    rate : float in [0, 1]
        Mean probability.
    generator : numpy.random.Generator
        What the mask is drawn from.

    Returns
    -------
    ndarray of bool, same shape
        True where hidden.

    Examples
    --------
    >>> hidden = hidden_where_large(
    ...     np.arange(1000.0)[:, None], 0.5, np.random.default_rng(0))[:, 0]
    >>> bool(hidden[:500].mean() < 0.3), bool(hidden[500:].mean() > 0.7)
    (True, True)
    """
    rank = np.argsort(np.argsort(causes, axis=0), axis=0) / max(len(causes) - 1, 1)
    tilt = 2 * _STEEPNESS * (rank - 0.5)
    shift = _shift_for(tilt, rate)
    hidden: NDArray[np.bool_] = generator.random(causes.shape) < 1 / (1 + np.exp(-(tilt + shift)))
    return hidden


def _shift_for(tilt: NDArray[np.float64], rate: float) -> float:
    """The shift of the log-odds at which their mean probability is the rate, by bisection."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        too_low = np.mean(1 / (1 + np.exp(-(tilt + middle)))) < rate
        low, high = (middle, high) if too_low else (low, middle)
    return (low + high) / 2
