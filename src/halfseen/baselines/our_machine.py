"""Our own estimators behind the baselines' protocol, so that they stand in the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import halfseen
from halfseen.baselines.baseline import Baseline, CompletedTable


class OurMachine(Baseline):
    """An estimator of halfseen with its defaults.

    Parameters
    ----------
    estimator : {"HalfseenClassifier", "RBMClassifier"}, default="HalfseenClassifier"
        The recommended model, or the paper's.
    parameters : mapping or None, default=None
        Parameters of the estimator other than its defaults.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X = np.repeat([[0.0, np.nan], [4.0, 4.0]], 20, axis=0)
    >>> Y = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> method = OurMachine(estimator="RBMClassifier", parameters={"n_iter": 2})
    >>> completed = method.fit(X, Y).complete()
    >>> completed.features.shape, completed.scores.shape
    ((40, 2), (40, 1))
    """

    method: ClassVar[str] = "halfseen"

    def __init__(
        self,
        *,
        estimator: str = "HalfseenClassifier",
        parameters: Mapping[str, Any] | None = None,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.parameters = parameters
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self.X_, self.y_ = X, self._as_target(Y)
        target_type = "multilabel-indicator" if self.target_ == "labels" else "auto"
        self.model_ = getattr(halfseen, self.estimator)(
            target_type=target_type, random_state=self.random_state, **(self.parameters or {})
        ).fit(X, self.y_)

    def _complete(self) -> CompletedTable:
        completed = self.model_.complete(self.X_, self.y_)
        return CompletedTable(np.asarray(completed.X), self._as_scores(completed.proba))

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._as_scores(self.model_.predict_proba(X))

    def complete_new(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Features of new rows, missing ones filled."""
        return np.asarray(self.model_.transform(X), dtype=np.float64)

    def interval(self, X: NDArray[np.float64], coverage: float) -> NDArray[np.float64] | None:
        """Bounds of each number, of shape (n_rows, n_features, 2); NaN where there are none."""
        if self.model_.calibration_ is None:
            return None
        return np.asarray(self.model_.predict_interval(X, coverage), dtype=np.float64)

    def _as_target(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.target_ == "labels":
            return Y
        known = ~np.isnan(Y[:, 0])
        return np.where(known, np.argmax(np.nan_to_num(Y), axis=1), np.nan)

    def _as_scores(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.target_ == "labels":
            return probabilities
        scores = np.zeros((len(probabilities), self.n_labels_))
        scores[:, self.model_.classes_.astype(int)] = probabilities
        return scores
