"""Chained forests of randomised trees, then a classifier for each label."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor

from halfseen.baselines._classifier_per_label import ClassifierKind, classifier_of_kind
from halfseen.baselines._impute_then_classify import ImputeThenClassify
from halfseen.baselines._round_robin import RoundRobin


class MissForest(ImputeThenClassify):
    """IterativeImputer with extremely randomised trees, then a classifier for each label.

    The classifiers see the completed features and the other labels where known, as in
    :class:`ClassifierPerLabel`.

    Parameters
    ----------
    n_trees : int, default=20
        Trees for each column in each round.
    max_leaf_nodes : int, default=128
        Leaves of a tree; bounds the memory for wide tables.
    max_features : float, default=0.3
        Share of the columns looked at in each split.
    n_rounds : int, default=3
        Rounds over the columns.
    n_nearest : int, default=60
        Most columns that a column is regressed on; drawn by correlation in wider tables.
    classifier : {"logistic", "boosting"}, default="boosting"
        What learns the labels.
    random_state : int, default=0
        Seed of trees, of drawn columns and of the labels hidden in training.

    Notes
    -----
    Costs ``n_columns * n_rounds * n_trees`` trees, all kept for new rows: about 10 kB each, 0.6 GB
    for 1,000 columns.

    References
    ----------
    D. J. Stekhoven, P. Buehlmann, "MissForest: non-parametric missing value imputation for
    mixed-type data", Bioinformatics 28, 2012. P. Geurts, D. Ernst, L. Wehenkel, "Extremely
    randomized trees", Machine Learning 63, 2006.

    Examples
    --------
    >>> X = np.arange(40.0).reshape(40, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 20).astype(float)
    >>> X[5, 1] = Y[5] = np.nan
    >>> completed = MissForest(classifier="logistic").fit(X, Y).complete()
    >>> bool(5 < completed.features[5, 1] < 15), bool(completed.scores[5, 0] < 0.5)
    (True, True)
    """

    method: ClassVar[str] = "MissForest + classifier"
    feature_source: ClassVar[str] = "IterativeImputer with ExtraTrees"
    grid: ClassVar[dict[str, list[object]]] = {"max_leaf_nodes": [64, 256]}

    def __init__(
        self,
        *,
        n_trees: int = 20,
        max_leaf_nodes: int = 128,
        max_features: float = 0.3,
        n_rounds: int = 3,
        n_nearest: int = 60,
        classifier: ClassifierKind = "boosting",
        random_state: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.n_rounds = n_rounds
        self.n_nearest = n_nearest
        self.classifier = classifier
        self.random_state = random_state

    def _fit_imputer(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        forest = ExtraTreesRegressor(
            n_estimators=self.n_trees,
            max_leaf_nodes=self.max_leaf_nodes,
            max_features=self.max_features,
            min_samples_leaf=3,
            random_state=self.random_state,
        )
        self.imputer_ = RoundRobin(
            forest,
            n_rounds=self.n_rounds,
            n_nearest=self.n_nearest,
            random_state=self.random_state,
        )
        return self.imputer_.fit_transform(X)

    def _imputed(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.imputer_.transform(X)

    def _classifier(self) -> Any:
        return classifier_of_kind(self.classifier, self.random_state)
