"""scikit-learn's chained Bayesian ridge regressions, then a classifier for each label."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import BayesianRidge

from halfseen.baselines._classifier_per_label import ClassifierKind, classifier_of_kind
from halfseen.baselines._impute_then_classify import ImputeThenClassify
from halfseen.baselines._round_robin import RoundRobin


class IterativeImputerPeer(ImputeThenClassify):
    """IterativeImputer with Bayesian ridge on the features, then a classifier for each label.

    The classifiers see the completed features and the other labels where known, as in
    :class:`ClassifierPerLabel`.

    Parameters
    ----------
    n_rounds : int, default=5
        Rounds over the columns.
    n_nearest : int, default=50
        Most columns that a column is regressed on; drawn by correlation in wider tables.
    classifier : {"logistic", "boosting"}, default="logistic"
        What learns the labels.
    random_state : int, default=0
        Seed of the drawn columns and of the labels hidden in training.

    Notes
    -----
    A round costs one ridge per column, ``n_rows * n_nearest ** 2`` operations each.

    References
    ----------
    S. van Buuren, K. Groothuis-Oudshoorn, "mice: Multivariate imputation by chained equations in
    R", Journal of Statistical Software 45, 2011, in the implementation of scikit-learn.

    Examples
    --------
    >>> X = np.arange(20.0).reshape(20, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 9).astype(float)
    >>> X[3, 1] = Y[3] = np.nan
    >>> completed = IterativeImputerPeer().fit(X, Y).complete()
    >>> float(completed.features[3, 1].round(1)), bool(completed.scores[3, 0] < 0.5)
    (6.0, True)
    """

    method: ClassVar[str] = "IterativeImputer + classifier"
    feature_source: ClassVar[str] = "IterativeImputer with BayesianRidge"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_nearest": [50, 100],
        "classifier": ["logistic", "boosting"],
    }

    def __init__(
        self,
        *,
        n_rounds: int = 5,
        n_nearest: int = 50,
        classifier: ClassifierKind = "logistic",
        random_state: int = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.n_nearest = n_nearest
        self.classifier = classifier
        self.random_state = random_state

    def _fit_imputer(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        self.imputer_ = RoundRobin(
            BayesianRidge(),
            n_rounds=self.n_rounds,
            n_nearest=self.n_nearest,
            random_state=self.random_state,
        )
        return self.imputer_.fit_transform(X)

    def _imputed(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.imputer_.transform(X)

    def _classifier(self) -> Any:
        return classifier_of_kind(self.classifier, self.random_state)
