"""What MC-1 and COCO share: the table they complete as one matrix, and what is read off it."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from halfseen.baselines._co_completion_loss import CoCompletionLoss
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


class CoCompletionSolution(NamedTuple):
    """Where the continuation ended."""

    Z: NDArray[np.float64]  # (n_rows, n_labels + n_features) or more columns
    mu: float
    n_iter: int
    movement: float


class CoCompletion(Baseline):
    """Labels and standardised features completed as one matrix of low rank, transductive.

    The first columns of the matrix, plus an offset for each label, are logits of the labels; the
    next are the features.
    """

    inductive: ClassVar[bool] = False

    lam: float
    mu_share: float
    decay: float
    max_iter: int
    tol: float

    @abstractmethod
    def _check_settings(self) -> None:
        """Refuse settings that cannot work."""

    @abstractmethod
    def _offset(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is added to the logit of each label, of shape (n_labels,)."""

    @abstractmethod
    def _solution(self, loss: CoCompletionLoss) -> CoCompletionSolution:
        """The matrix that minimises the loss and the method's penalty."""

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._check_settings()
        scale, offset = observed_scale(X), self._offset(Y)
        features = np.nan_to_num(scale.standardised(X))
        loss = CoCompletionLoss.of(features, ~np.isnan(X), Y, self.lam, offset)
        Z, self.mu_, self.n_iter_, self.movement_ = self._solution(loss)
        of_labels, of_features, _ = np.split(Z, np.cumsum([Y.shape[1], X.shape[1]]), axis=1)
        scores = expit(of_labels + offset)
        if self.target_ == "classes":
            scores = scores / scores.sum(axis=1, keepdims=True)
        self._completed = with_observed(X, Y, scale.restored(of_features), scores)

    def _complete(self) -> CompletedTable:
        return self._completed


def continuation(last: float, largest: float, decay: float) -> list[float]:
    """Falling values from ``decay * largest`` to ``last``.

    Examples
    --------
    >>> continuation(0.1, 1.0, 0.5)
    [0.5, 0.25, 0.125, 0.1]
    """
    values, value = [], decay * largest
    while value > last:
        values.append(value)
        value *= decay
    return [*values, last]
