"""Boosted trees shared by all labels, with unknown labels left out of the gradient."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from halfseen.baselines._classifier_per_label import randomly_hidden
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed
from halfseen.baselines.column_prior import label_frequency

Gradient = tuple[NDArray[np.float64], NDArray[np.float64]]

# Each row is learned from this often, with other labels hidden each time.
COPIES = 2


def label_gradient(margin: NDArray[np.float64], Y: NDArray[np.float64]) -> Gradient:
    """First and second derivative of the log-loss in each margin, 0 where the label is NaN.

    Examples
    --------
    >>> label_gradient(np.zeros((1, 2)), np.array([[1.0, np.nan]]))
    (array([[-0.5,  0. ]]), array([[0.25, 0.  ]]))
    """
    probability = expit(margin)
    known = ~np.isnan(Y)
    first = np.where(known, probability - np.where(known, Y, 0.0), 0.0)
    return first, np.where(known, probability * (1 - probability), 0.0)


def class_gradient(margin: NDArray[np.float64], Y: NDArray[np.float64]) -> Gradient:
    """First derivative of the softmax log-loss and a bound on the second, 0 in rows of NaN.

    Examples
    --------
    >>> class_gradient(np.zeros((1, 2)), np.array([[1.0, 0.0]]))
    (array([[-0.5,  0.5]]), array([[0.5, 0.5]]))
    """
    probability = softmax(margin, axis=1)
    known = ~np.isnan(Y)
    first = np.where(known, probability - np.where(known, Y, 0.0), 0.0)
    return first, np.where(known, 2 * probability * (1 - probability), 0.0)


class XGBoostMasked(Baseline):
    """XGBoost with one tree for all labels and a log-loss over the observed labels.

    A leaf holds one value per label (``multi_output_tree``), and an unknown label adds nothing to
    gradient or curvature. Inputs are the features, NaN as it is, and the labels: each row is
    learned from twice with a random number of its known labels hidden, and only hidden ones
    count in the loss, so no label is learned from itself, and rows without any known label are
    nothing new. Classes are learned from the features alone, with a softmax.

    Needs the library xgboost: ``pip install 'halfseen[baselines]'``.

    Parameters
    ----------
    n_rounds : int, default=150
        Trees.
    learning_rate : float, default=0.1
        Weight of a tree.
    max_depth : int, default=5
        Depth of a tree.
    random_state : int, default=0
        Seed of rows and columns tried and of the labels hidden.

    Notes
    -----
    Costs ``n_rounds`` trees of about ``2 n_rows n_columns n_labels`` operations each, and memory
    for two copies of the table.

    References
    ----------
    T. Chen, C. Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016.

    Examples
    --------
    >>> method = XGBoostMasked(n_rounds=50)
    >>> method.inductive, method.imputes, method.feature_source
    (True, False, 'observed column means')
    """

    method: ClassVar[str] = "XGBoost, masked labels"
    imputes: ClassVar[bool] = False
    feature_source: ClassVar[str] = "observed column means"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_rounds": [100, 200],
        "learning_rate": [0.05, 0.1],
        "max_depth": [4, 6],
    }

    def __init__(
        self,
        *,
        n_rounds: int = 150,
        learning_rate: float = 0.1,
        max_depth: int = 5,
        random_state: int = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        xgboost = imported_xgboost()
        self._table = (X, Y)
        inputs, targets = self._examples(X, Y)
        # Known only through the objective; xgboost itself refuses NaN in labels.
        placeholder = np.zeros_like(targets)
        # Where the boosting starts: all labels alike would cost the first trees.
        self.start_ = self._start(Y)
        settings = {
            "tree_method": "hist",
            "multi_strategy": "multi_output_tree",
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "subsample": 0.8,
            "colsample_bynode": 0.3,
            "min_child_weight": 1.0,
            "base_score": 0.0,
            "seed": self.random_state,
            "verbosity": 0,
        }
        self.booster_ = xgboost.train(
            settings,
            xgboost.QuantileDMatrix(inputs, label=placeholder),
            num_boost_round=self.n_rounds,
            obj=self._objective(targets),
        )

    def _examples(
        self, X: NDArray[np.float64], Y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Inputs and the labels that count in the loss."""
        if self.target_ == "classes":
            rows = np.flatnonzero(~np.isnan(Y[:, 0]))
            return X[rows], Y[rows]
        generator = np.random.default_rng([self.random_state, 0x1ABE1])
        rows = np.flatnonzero((~np.isnan(Y)).any(axis=1))
        inputs, targets = [], []
        for _ in range(COPIES):
            shown = randomly_hidden(Y[rows], generator)
            inputs.append(np.hstack([X[rows], shown]))
            targets.append(np.where(np.isnan(shown), Y[rows], np.nan))
        return np.vstack(inputs), np.vstack(targets)

    def _start(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        frequency = np.clip(label_frequency(Y), 1e-3, 1 - 1e-3)
        if self.target_ == "classes":
            return np.log(frequency)
        return np.log(frequency / (1 - frequency))

    def _objective(
        self, targets: NDArray[np.float64]
    ) -> Callable[[NDArray[np.float32], Any], Gradient]:
        gradient = class_gradient if self.target_ == "classes" else label_gradient

        def objective(margin: NDArray[np.float32], _: Any) -> Gradient:
            return gradient(margin.reshape(targets.shape) + self.start_, targets)

        return objective

    def _probabilities(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
        xgboost = imported_xgboost()
        inputs = X if self.target_ == "classes" else np.hstack([X, Y])
        margin = self.booster_.predict(xgboost.DMatrix(inputs), output_margin=True)
        margin = margin.reshape(len(X), self.n_labels_).astype(np.float64) + self.start_
        scores: NDArray[np.float64] = (
            softmax(margin, axis=1) if self.target_ == "classes" else expit(margin)
        )
        return scores

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        means = np.broadcast_to(observed_scale(X).mean, X.shape)
        return with_observed(X, Y, means, self._probabilities(X, Y))

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._probabilities(X, np.full((len(X), self.n_labels_), np.nan))


def imported_xgboost() -> Any:
    """The library, or one sentence on how to get it."""
    try:
        return import_module("xgboost")
    except ImportError as absent:
        message = "XGBoostMasked needs xgboost: pip install 'halfseen[baselines]'"
        raise ImportError(message) from absent
