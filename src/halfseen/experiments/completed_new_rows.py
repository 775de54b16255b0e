"""Features of rows that a method was not fitted on, where it can complete them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines.baseline import Baseline
from halfseen.baselines.our_machine import OurMachine


def completed_new_rows(method: Baseline, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """New rows with their holes filled.

    Parameters
    ----------
    method : Baseline
        A fitted method.
    X : ndarray of shape (n_rows, n_features)
        New rows, NaN where missing.

    Returns
    -------
    ndarray of shape (n_rows, n_features), or None
        None if the method completes only the rows that it was fitted on.

    Examples
    --------
    >>> from halfseen.baselines import ColumnPrior
    >>> completed_new_rows(ColumnPrior(), np.ones((1, 2))) is None
    True
    """
    if isinstance(method, OurMachine):
        return method.complete_new(X)
    if isinstance(method, NetworkBaseline) and method.imputes:
        unknown = np.full((len(X), method.n_labels_), np.nan)
        features, _ = method._completed(X, unknown)
        return np.where(np.isnan(X), features, X)
    return None
