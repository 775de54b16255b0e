"""Hiding completely at random: each entry with one probability, whatever its value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind
from halfseen.experiments.hiding.checked_rate import checked_rate
from halfseen.experiments.hiding.hidden_table import HiddenTable, hidden_table

# A stream of its own, which no method draws from whatever its seed.
_OWN_STREAM = 32_452_843


def features_at_random(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
    """Each feature entry with probability ``rate`` (q_fea of the paper).

    Examples
    --------
    >>> hidden = features_at_random(np.zeros((1000, 3)), 0.2, seed=0)
    >>> round(float(hidden.mean()), 1)
    0.2
    """
    drawn: NDArray[np.bool_] = np.random.default_rng([seed, _OWN_STREAM]).random(X.shape) < rate
    return drawn


def labels_at_random(
    Y: NDArray[np.float64], missing_features: NDArray[np.bool_], rate: float, seed: int
) -> NDArray[np.bool_]:
    """Each label entry with probability ``rate`` (q_ml of the paper).

    Of the features only the number of entries matters: labels are drawn after them from one
    stream, so that they are the same in whichever way features are hidden.

    Examples
    --------
    >>> hidden = labels_at_random(np.zeros((1000, 3)), np.zeros((1000, 2), bool), 0.8, seed=0)
    >>> round(float(hidden.mean()), 1)
    0.8
    """
    # PCG64 takes one step for each double that it draws.
    bits = np.random.PCG64(np.random.SeedSequence([seed, _OWN_STREAM])).advance(
        missing_features.size
    )
    drawn: NDArray[np.bool_] = np.random.Generator(bits).random(Y.shape) < rate
    return drawn


def hide_completely_at_random(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    *,
    feature_rate: float,
    label_rate: float,
    target: TargetKind,
    seed: int,
) -> HiddenTable:
    """Hide each entry with a given probability, whatever its value (q_fea and q_ml of the paper).

    With ``target="classes"`` the labels of a row are hidden together (q_mc). The same seed hides
    the same entries on every machine.

    Parameters
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels)
        The table; NaN where something is missing from the start.
    feature_rate, label_rate : float in [0, 1]
        Probabilities of hiding.
    target : {"labels", "classes"}
        Whether labels are hidden one by one or row by row.
    seed : int
        Seed of the mask.

    Returns
    -------
    HiddenTable

    Examples
    --------
    >>> hidden = hide_completely_at_random(np.ones((1000, 2)), np.ones((1000, 1)),
    ...     feature_rate=0.5, label_rate=0.0, target="labels", seed=0)
    >>> bool(abs(np.isnan(hidden.X).mean() - 0.5) < 0.05), bool(np.isnan(hidden.Y).any())
    (True, False)
    """
    checked_rate("feature_rate", feature_rate)
    checked_rate("label_rate", label_rate)
    hide_x = features_at_random(X, feature_rate, seed)
    hide_y = labels_at_random(Y, hide_x, label_rate, seed)
    if target == "classes":
        hide_y = np.broadcast_to(hide_y[:, :1], Y.shape)
    return hidden_table(X, Y, hide_x, hide_y)
