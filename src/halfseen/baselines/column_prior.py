"""The mean of each feature and the frequency of each label: what any method must beat."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


def label_frequency(Y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of ones among the observed entries of each label, 0.5 where there are none.

    Examples
    --------
    >>> label_frequency(np.array([[1.0, 0.0, np.nan], [0.0, np.nan, np.nan]]))
    array([0.5, 0. , 0.5])
    """
    observed = ~np.isnan(Y)
    n_observed = observed.sum(axis=0)
    n_ones = np.where(observed, Y, 0.0).sum(axis=0)
    return np.where(n_observed > 0, n_ones / np.maximum(n_observed, 1), 0.5)


class ColumnPrior(Baseline):
    """Every missing feature is its column's observed mean, every unknown label its frequency.

    It knows nothing of the row, so its pooled AUC shows how much of a score is only due to some
    labels being more frequent than others. Nothing is tuned; the cost is one pass over the table.

    Examples
    --------
    >>> X = [[1.0, 2.0], [3.0, None], [None, 4.0]]
    >>> Y = [[1, 0], [None, 0], [0, None]]
    >>> completed = ColumnPrior().fit(X, Y).complete()
    >>> completed.features
    array([[1., 2.],
           [3., 3.],
           [2., 4.]])
    >>> completed.scores
    array([[1. , 0. ],
           [0.5, 0. ],
           [0. , 0. ]])
    """

    method: ClassVar[str] = "Column prior"
    grid: ClassVar[dict[str, list[object]]] = {}

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._table = (X, Y)
        self.feature_means_ = observed_scale(X).mean
        self.label_frequencies_ = label_frequency(Y)

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        return with_observed(
            X,
            Y,
            np.broadcast_to(self.feature_means_, X.shape),
            np.broadcast_to(self.label_frequencies_, Y.shape),
        )

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tile(self.label_frequencies_, (len(X), 1))
