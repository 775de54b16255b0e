"""Hiding where some rows are new: fitted on the others, and asked for all labels of the new."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind
from halfseen.experiments.hiding.checked_rate import checked_rate
from halfseen.experiments.hiding.hidden_table import HiddenTable, hidden_table
from halfseen.experiments.hiding.hide import hide


def hide_with_new_rows(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    target: TargetKind,
    is_new: NDArray[np.bool_],
    *,
    feature_rate: float,
    label_rate: float,
    new_feature_rate: float,
    feature_hiding: str = "at_random",
    label_hiding: str = "at_random",
    blocks: NDArray[np.int64] | None = None,
    seed: int,
) -> HiddenTable:
    """Hide as :func:`hide` does, in new rows at a rate of their own, and all labels of new rows.

    The rows that are not new are hidden as :func:`hide` hides them, whatever the rate of the new.

    Parameters
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels)
        The table; NaN where something is missing from the start.
    target : {"labels", "classes"}
        Whether labels are hidden one by one or row by row.
    is_new : ndarray of bool of shape (n_rows,)
        True for rows that a method does not see while it is fitted.
    feature_rate, label_rate : float in [0, 1]
        Rates in the rows that are fitted.
    new_feature_rate : float in [0, 1]
        Rate of hidden features in the new rows.
    feature_hiding, label_hiding, blocks, seed
        As of :func:`hide`.

    Returns
    -------
    HiddenTable

    Examples
    --------
    >>> X, Y = np.ones((100, 10)), np.ones((100, 2))
    >>> hidden = hide_with_new_rows(X, Y, "labels", np.arange(100) >= 70, feature_rate=0.5,
    ...     label_rate=0.0, new_feature_rate=0.8, feature_hiding="exact_per_row", seed=0)
    >>> hidden.hidden_features[[0, 99]].sum(axis=1).tolist()
    [5, 8]
    >>> hidden.hidden_labels.mean(axis=1)[[0, 99]].tolist()
    [0.0, 1.0]
    """
    checked_rate("new_feature_rate", new_feature_rate)
    fitted, new = (
        hide(
            X,
            Y,
            target,
            feature_rate=rate,
            label_rate=label_rate,
            feature_hiding=feature_hiding,
            label_hiding=label_hiding,
            blocks=blocks,
            seed=seed,
        )
        for rate in (feature_rate, new_feature_rate)
    )
    of_new = is_new[:, None]
    return hidden_table(
        X,
        Y,
        np.where(of_new, new.hidden_features, fitted.hidden_features),
        of_new | fitted.hidden_labels,
    )
