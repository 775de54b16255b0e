"""Gradient boosting per label, with missing features left to the trees."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._classifier_per_label import ClassifierPerLabel, boosting
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


class BoostedNative(Baseline):
    """Histogram gradient boosting for each label on features and other labels, NaN as it is.

    Every split sends missing values to the side where they lower the log-loss more, so nothing is
    imputed. Label l is learned where it is observed, from the features and the other labels, NaN
    where unknown; each row counts twice, the second time with a random number of its labels
    hidden, so that new rows, of which no label is known, are nothing new. Classes are one softmax
    model on the features.

    Parameters
    ----------
    n_rounds : int, default=150
        Trees per label.
    learning_rate : float, default=0.08
        Weight of a tree.
    max_leaf_nodes : int, default=15
        Leaves of a tree.
    random_state : int, default=0
        Seed of the columns tried in splits and of the labels hidden.

    Notes
    -----
    Costs ``n_labels * n_rounds`` trees of about ``n_rows * n_columns`` operations each, and memory
    for two copies of the table.

    References
    ----------
    G. Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NIPS 2017, in the
    implementation of scikit-learn.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1)
    >>> Y = (X > 30).astype(float)
    >>> Y[[10, 50]] = np.nan
    >>> scores = BoostedNative(n_rounds=20).fit(X, Y).complete().scores
    >>> bool(scores[10, 0] < 0.5 < scores[50, 0])
    True
    """

    method: ClassVar[str] = "Boosted trees, native NaN"
    imputes: ClassVar[bool] = False
    feature_source: ClassVar[str] = "observed column means"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_rounds": [75, 150, 300],
        "learning_rate": [0.05, 0.1],
        "max_leaf_nodes": [15, 31],
    }

    def __init__(
        self,
        *,
        n_rounds: int = 150,
        learning_rate: float = 0.08,
        max_leaf_nodes: int = 15,
        random_state: int = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._table = (X, Y)
        classifier = boosting(
            n_rounds=self.n_rounds,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            random_state=self.random_state,
        )
        per_label = ClassifierPerLabel(classifier, random_state=self.random_state)
        self.classifiers_ = per_label.fit(X, Y, self.target_)

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        means = np.broadcast_to(observed_scale(X).mean, X.shape)
        return with_observed(X, Y, means, self.classifiers_.probabilities(X, Y))

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.classifiers_.probabilities(X, np.full((len(X), self.n_labels_), np.nan))
