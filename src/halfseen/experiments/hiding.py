"""Hiding entries of a complete table, so that what a method says of them can be scored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind

_OWN_STREAM = 32_452_843


class HiddenTable(NamedTuple):
    """A table with holes, and where they were made.

    ``hidden_*`` is True where an entry was known and is now hidden: the entries to be scored.
    """

    X: NDArray[np.float64]  # (n_rows, n_features), NaN where hidden or missing
    Y: NDArray[np.float64]  # (n_rows, n_labels), NaN where hidden or unknown
    hidden_features: NDArray[np.bool_]
    hidden_labels: NDArray[np.bool_]


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
    for name, rate in (("feature_rate", feature_rate), ("label_rate", label_rate)):
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} is a probability from 0 to 1, got {rate!r}")
    # A stream of its own, which no method draws from whatever its seed.
    generator = np.random.default_rng([seed, _OWN_STREAM])
    hide_x = generator.random(X.shape) < feature_rate
    hide_y = generator.random(Y.shape) < label_rate
    if target == "classes":
        hide_y = np.broadcast_to(hide_y[:, :1], Y.shape)
    return HiddenTable(
        np.where(hide_x, np.nan, X),
        np.where(hide_y, np.nan, Y),
        hide_x & ~np.isnan(X),
        hide_y & ~np.isnan(Y),
    )
