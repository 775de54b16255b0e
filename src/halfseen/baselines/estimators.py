"""Estimators of halfseen behind the baselines' protocol, so that they stand in the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import halfseen
from halfseen.baselines.baseline import Baseline, CompletedTable, Floats


@dataclass(kw_only=True, eq=False, repr=False)
class OurEstimator(Baseline):
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
    >>> method = OurEstimator(estimator="RBMClassifier", parameters={"n_iter": 2})
    >>> completed = method.fit(X, Y).complete()
    >>> completed.features.shape, completed.scores.shape
    ((40, 2), (40, 1))
    """

    method: ClassVar[str] = "halfseen"

    estimator: str = "HalfseenClassifier"
    parameters: Mapping[str, Any] | None = None
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        known = ~np.isnan(Y[:, 0])
        classes = np.where(known, np.argmax(np.nan_to_num(Y), axis=1), np.nan)
        of_labels = self.target_ == "labels"
        self._table = (X, Y if of_labels else classes)
        self.model_ = getattr(halfseen, self.estimator)(
            target_type="multilabel-indicator" if of_labels else "auto",
            random_state=self.random_state,
            **(self.parameters or {}),
        ).fit(*self._table)

    def _complete(self) -> CompletedTable:
        completed = self.model_.complete(*self._table)
        return CompletedTable(np.asarray(completed.X), self._as_scores(completed.proba))

    def _predict_scores(self, X: Floats) -> Floats:
        return self._as_scores(self.model_.predict_proba(X))

    def _complete_new(self, X: Floats) -> Floats:
        return np.asarray(self.model_.transform(X), dtype=np.float64)

    def interval(self, X: Floats, coverage: float) -> Floats | None:
        """Bounds of each number, of shape (n_rows, n_features, 2); NaN where there are none."""
        if self.model_.calibration_ is None:
            return None
        return np.asarray(self.model_.predict_interval(X, coverage), dtype=np.float64)

    def _as_scores(self, probabilities: Floats) -> Floats:
        if self.target_ == "labels":
            return probabilities
        scores = np.zeros((len(probabilities), self.n_labels_))
        scores[:, self.model_.classes_.astype(int)] = probabilities
        return scores
