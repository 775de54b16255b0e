"""Hiding labels where features are hidden."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.hiding.hidden_where_large import hidden_where_large
from halfseen.experiments.hiding.untied_ranks import untied_ranks

_OWN_STREAM = 179_424_673


def hide_where_features(
    Y: NDArray[np.float64], missing_features: NDArray[np.bool_], rate: float, seed: int
) -> NDArray[np.bool_]:
    """Labels are the likelier to be hidden the more features of their row are missing.

    Annotators leave incomplete rows alone. Within a row each label is drawn by itself.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_labels)
        Labels.
    missing_features : ndarray of bool of shape (n_rows, n_features)
        True where a feature is hidden or was never known.
    rate : float in [0, 1]
        Mean share of labels to hide.
    seed : int
        Seed of the mask.

    Returns
    -------
    ndarray of bool of shape (n_rows, n_labels)
        True where hidden.

    Examples
    --------
    >>> missing = np.repeat([[True], [False]], 500, axis=0)
    >>> hidden = hide_where_features(np.zeros((1000, 2)), missing, 0.5, seed=0)
    >>> bool(hidden[:500].mean() > 0.7), bool(hidden[500:].mean() < 0.3)
    (True, True)
    """
    n_missing = missing_features.sum(axis=1, dtype=float)[:, None]
    generator = np.random.default_rng([seed, _OWN_STREAM])
    ranks = np.broadcast_to(untied_ranks(n_missing, generator), Y.shape)
    return hidden_where_large(ranks, rate, generator)
