"""What most people do: complete the features first, then train a classifier for each label."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._classifier_per_label import ClassifierPerLabel
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


class ImputeThenClassify(Baseline):
    """The second half, for methods that say how features are completed and what classifies.

    Features are completed from features alone: were labels used, the label to be learned would
    already colour the completed features of rows where it is known, and not of those where it is
    asked for.
    """

    random_state: int

    @abstractmethod
    def _fit_imputer(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Learn to complete features, and return these rows completed."""

    @abstractmethod
    def _imputed(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """New rows completed."""

    @abstractmethod
    def _classifier(self) -> Any:
        """The classifier, unfitted."""

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._table = (X, Y)
        self._features = self._fit_imputer(X)
        per_label = ClassifierPerLabel(self._classifier(), random_state=self.random_state)
        self.classifiers_ = per_label.fit(self._features, Y, self.target_)

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        scores = self.classifiers_.probabilities(self._features, Y)
        return with_observed(X, Y, self._features, scores)

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        unknown = np.full((len(X), self.n_labels_), np.nan)
        return self.classifiers_.probabilities(self._imputed(X), unknown)
