"""Gradient boosting per label on features that a Gaussian completed first."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._classifier_per_label import boosting
from halfseen.baselines._gaussian import conditional_means, fit_gaussian
from halfseen.baselines._impute_then_classify import ImputeThenClassify
from halfseen.baselines._observed_scale import observed_scale


class BoostedImputed(ImputeThenClassify):
    """Features completed by a Gaussian (EM), then gradient boosting on them and the other labels.

    The Gaussian sees features alone, see :class:`ImputeThenClassify`. Other labels enter the
    classifiers as in :class:`BoostedNative`, NaN where unknown.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_iterations : int, default=15
        Most EM steps.
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
    Costs what :class:`GaussianEM` and :class:`BoostedNative` cost together.

    References
    ----------
    M. Le Morvan, J. Josse, E. Scornet, G. Varoquaux, "What's a good imputation to predict with
    missing values?", NeurIPS 2021.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 30).astype(float)
    >>> X[10, 0] = X[50, 1] = Y[10] = Y[50] = np.nan
    >>> completed = BoostedImputed(n_rounds=20).fit(X, Y).complete()
    >>> bool(completed.scores[10, 0] < 0.5 < completed.scores[50, 0])
    True
    """

    method: ClassVar[str] = "Boosted trees on Gaussian completion"
    feature_source: ClassVar[str] = "a Gaussian over features, fitted by EM"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_rounds": [75, 150, 300],
        "learning_rate": [0.05, 0.1],
    }

    def __init__(
        self,
        *,
        shrinkage: float = 0.05,
        n_iterations: int = 15,
        n_rounds: int = 150,
        learning_rate: float = 0.08,
        max_leaf_nodes: int = 15,
        random_state: int = 0,
    ) -> None:
        self.shrinkage = shrinkage
        self.n_iterations = n_iterations
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state

    def _fit_imputer(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        self.scale_ = observed_scale(X)
        self.gaussian_ = fit_gaussian(
            self.scale_.standardised(X),
            shrinkage=self.shrinkage,
            n_iterations=self.n_iterations,
            tolerance=3e-4,
        )
        return self._imputed(X)

    def _imputed(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        completed = conditional_means(self.gaussian_, self.scale_.standardised(X))
        return np.where(np.isnan(X), self.scale_.restored(completed), X)

    def _classifier(self) -> Any:
        return boosting(
            n_rounds=self.n_rounds,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            random_state=self.random_state,
        )
