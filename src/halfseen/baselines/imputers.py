"""Complete the features first, then classify; and the nearest neighbours, who do both."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn import config_context
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge

from halfseen.baselines.baseline import (
    Baseline,
    ColumnScale,
    Floats,
    label_frequency,
    observed_scale,
)
from halfseen.baselines.classifiers import (
    ClassifierKind,
    ClassifierPerLabel,
    boosting,
    classifier_of_kind,
)
from halfseen.baselines.gaussian import GaussianCompletion

_NEIGHBOUR_MEMORY = 128  # megabytes that distances may take at a time


class Imputer(Protocol):
    """Completes the rows it is fitted to, and others."""

    def fit_transform(self, X: Floats) -> Floats:
        """Fit to rows and complete them."""

    def transform(self, X: Floats) -> Floats:
        """Complete new rows."""


class RoundRobin:
    """scikit-learn's IterativeImputer on standardised columns, for `n_rounds` rounds.

    A column is regressed on at most `n_nearest` others, drawn by correlation when there are more.
    """

    def __init__(self, regressor: Any, n_rounds: int, n_nearest: int, seed: int) -> None:
        self.regressor, self.n_rounds, self.n_nearest = regressor, n_rounds, n_nearest
        self.seed = seed

    def fit_transform(self, X: Floats) -> Floats:
        """Fit to rows and complete them."""
        self.scale, n_others = observed_scale(X), X.shape[1] - 1
        self.imputer = IterativeImputer(
            self.regressor,
            # A single column has nothing to be regressed on.
            max_iter=self.n_rounds if n_others else 0,
            n_nearest_features=self.n_nearest if n_others > self.n_nearest else None,
            keep_empty_features=True,
            random_state=self.seed,
        )
        with warnings.catch_warnings():
            # The number of rounds is the budget; scikit-learn would call that an early stop.
            warnings.simplefilter("ignore", ConvergenceWarning)
            completed = self.imputer.fit_transform(self.scale.standardised(X))
        return np.where(np.isnan(X), self.scale.restored(completed), X)

    def transform(self, X: Floats) -> Floats:
        """Complete new rows."""
        completed = self.imputer.transform(self.scale.standardised(X))
        return np.where(np.isnan(X), self.scale.restored(completed), X)


class ImputeThenClassify(Baseline):
    """What most people do: complete the features, then train a classifier for each label.

    Features are completed from features alone: were labels used, the label to be learned would
    already colour the completed features of rows where it is known, and not of those where it is
    asked for. The classifiers see the completed features and the other labels, as
    :class:`ClassifierPerLabel` says.
    """

    random_state: int

    @abstractmethod
    def _imputer(self) -> Imputer: ...

    @abstractmethod
    def _classifier(self) -> Any: ...

    def _fit(self, X: Floats, Y: Floats) -> None:
        self.imputer_ = self._imputer()
        self._features = self.imputer_.fit_transform(X)
        per_label = ClassifierPerLabel(self._classifier(), self.random_state, self.target_)
        self.classifiers_ = per_label.fit(self._features, Y)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        features = self.imputer_.transform(X)
        return features, self.classifiers_.probabilities(features, Y)

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        return self._features, self.classifiers_.probabilities(self._features, self._table[1])


@dataclass(kw_only=True, eq=False, repr=False)
class IterativeLinear(ImputeThenClassify):
    """IterativeImputer with Bayesian ridge on the features, then a classifier for each label.

    A round costs one ridge per column, ``n_rows * n_nearest ** 2`` operations each.

    Parameters
    ----------
    n_rounds : int, default=5
        Rounds over the columns.
    n_nearest : int, default=50
        Most columns that a column is regressed on; drawn by correlation in wider tables.
    classifier : {"logistic", "boosting"}, default="logistic"
        What learns the labels.
    random_state : int, default=0
        Seed of the drawn columns and of the labels masked.

    References
    ----------
    S. van Buuren, K. Groothuis-Oudshoorn, "mice: Multivariate imputation by chained equations in
    R", Journal of Statistical Software 45, 2011, in the implementation of scikit-learn.

    Examples
    --------
    >>> X = np.arange(20.0).reshape(20, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 9).astype(float)
    >>> X[3, 1] = Y[3] = np.nan
    >>> completed = IterativeLinear().fit(X, Y).complete()
    >>> float(completed.features[3, 1].round(1)), bool(completed.scores[3, 0] < 0.5)
    (6.0, True)
    """

    method: ClassVar[str] = "Iterative imputation, linear"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_nearest": [50, 100],
        "classifier": ["logistic", "boosting"],
    }

    n_rounds: int = 5
    n_nearest: int = 50
    classifier: ClassifierKind = "logistic"
    random_state: int = 0

    def _imputer(self) -> Imputer:
        return RoundRobin(BayesianRidge(), self.n_rounds, self.n_nearest, self.random_state)

    def _classifier(self) -> Any:
        return classifier_of_kind(self.classifier, self.random_state)


@dataclass(kw_only=True, eq=False, repr=False)
class IterativeTrees(ImputeThenClassify):
    """IterativeImputer with extremely randomised trees, then a classifier for each label.

    Known as MissForest. ``n_columns * n_rounds * n_trees`` trees are grown and kept for new rows.

    Parameters
    ----------
    n_trees : int, default=20
        Trees for each column in each round.
    max_leaf_nodes : int, default=128
        Leaves of a tree; bounds the memory for wide tables.
    n_rounds : int, default=3
        Rounds over the columns.
    n_nearest : int, default=60
        Most columns that a column is regressed on; drawn by correlation in wider tables.
    classifier : {"logistic", "boosting"}, default="boosting"
        What learns the labels.
    random_state : int, default=0
        Seed of trees, of drawn columns and of the labels masked.

    References
    ----------
    D. J. Stekhoven, P. Buehlmann, "MissForest: non-parametric missing value imputation for
    mixed-type data", Bioinformatics 28, 2012.

    Examples
    --------
    >>> X = np.arange(40.0).reshape(40, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 20).astype(float)
    >>> X[5, 1] = Y[5] = np.nan
    >>> completed = IterativeTrees(classifier="logistic").fit(X, Y).complete()
    >>> bool(5 < completed.features[5, 1] < 15), bool(completed.scores[5, 0] < 0.5)
    (True, True)
    """

    method: ClassVar[str] = "Iterative imputation, trees"
    grid: ClassVar[dict[str, list[object]]] = {"max_leaf_nodes": [64, 256]}

    n_trees: int = 20
    max_leaf_nodes: int = 128
    n_rounds: int = 3
    n_nearest: int = 60
    classifier: ClassifierKind = "boosting"
    random_state: int = 0

    def _imputer(self) -> Imputer:
        forest = ExtraTreesRegressor(
            n_estimators=self.n_trees,
            max_leaf_nodes=self.max_leaf_nodes,
            max_features=0.3,
            min_samples_leaf=3,
            random_state=self.random_state,
        )
        return RoundRobin(forest, self.n_rounds, self.n_nearest, self.random_state)

    def _classifier(self) -> Any:
        return classifier_of_kind(self.classifier, self.random_state)


class _OnGaussian(ImputeThenClassify):
    """Features are completed by a Gaussian."""

    shrinkage: float

    def _imputer(self) -> Imputer:
        return GaussianCompletion(self.shrinkage, 20, self.random_state)


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedImputed(_OnGaussian):
    """Features completed by a Gaussian (EM), then gradient boosting on them and the other labels.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_rounds : int, default=150
        Trees per label.
    learning_rate : float, default=0.08
        Weight of a tree.
    max_leaf_nodes : int, default=15
        Leaves of a tree.
    random_state : int, default=0
        Seed of the Gaussian, of the columns tried in splits and of the labels masked.

    References
    ----------
    M. Le Morvan, J. Josse, E. Scornet, G. Varoquaux, "What's a good imputation to predict with
    missing values?", NeurIPS 2021.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 30).astype(float)
    >>> X[10, 0] = X[50, 1] = Y[10] = Y[50] = np.nan
    >>> scores = BoostedImputed(n_rounds=20).fit(X, Y).complete().scores
    >>> bool(scores[10, 0] < 0.5 < scores[50, 0])
    True
    """

    method: ClassVar[str] = "Boosted trees on Gaussian completion"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_rounds": [75, 150, 300],
        "learning_rate": [0.05, 0.1],
    }

    shrinkage: float = 0.05
    n_rounds: int = 150
    learning_rate: float = 0.08
    max_leaf_nodes: int = 15
    random_state: int = 0

    def _classifier(self) -> Any:
        return boosting(self.n_rounds, self.learning_rate, self.max_leaf_nodes, self.random_state)


@dataclass(kw_only=True, eq=False, repr=False)
class ForestImputed(_OnGaussian):
    """Features completed by a Gaussian (EM), then a random forest on them and the other labels.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_trees : int, default=300
        Trees per label.
    min_samples_leaf : int, default=2
        Fewest rows of a leaf.
    random_state : int, default=0
        Seed of the Gaussian, of the forest and of the labels masked.

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> Y = (X[:, :1] > 30).astype(float)
    >>> X[10, 0] = X[50, 1] = Y[10] = Y[50] = np.nan
    >>> scores = ForestImputed(n_trees=20).fit(X, Y).complete().scores
    >>> bool(scores[10, 0] < 0.5 < scores[50, 0])
    True
    """

    method: ClassVar[str] = "Random forest on Gaussian completion"
    grid: ClassVar[dict[str, list[object]]] = {
        "min_samples_leaf": [1, 2, 5],
        "shrinkage": [0.02, 0.05, 0.1],
    }
    while_tuning: ClassVar[dict[str, object]] = {"n_trees": 100}

    shrinkage: float = 0.05
    n_trees: int = 300
    min_samples_leaf: int = 2
    random_state: int = 0

    def _classifier(self) -> Any:
        return RandomForestClassifier(
            self.n_trees, min_samples_leaf=self.min_samples_leaf, random_state=self.random_state
        )


@dataclass(kw_only=True, eq=False, repr=False)
class NearestNeighbours(Baseline):
    """KNNImputer over [features, labels]: features are averages and labels a vote of neighbours.

    The distance of two rows is that of the columns observed in both, scaled up to all columns; all
    are standardised, and a label counts as much as ``label_weight`` features. Each missing entry
    looks for the nearest rows in which that entry is observed, so the share of neighbours with a
    label is its probability. The cost is ``n_rows * n_donors`` distances, sorted for every column.

    Parameters
    ----------
    n_neighbours : int, default=20
        Neighbours averaged, all with the same weight: rows that share few columns are near by
        chance, and weights by distance would trust them most.
    label_weight : float, default=3.0
        Weight of an observed label in the distance.
    max_donors : int, default=4000
        Most rows that may be neighbours, drawn at random from taller tables.
    random_state : int, default=0
        Seed of that draw.

    References
    ----------
    O. Troyanskaya et al., "Missing value estimation methods for DNA microarrays", Bioinformatics
    17, 2001, in the implementation of scikit-learn.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, 0.0], [5.0, 5.1], [5.1, None]], [[0], [0], [1], [None]]
    >>> completed = NearestNeighbours(n_neighbours=1).fit(X, Y).complete()
    >>> completed.features[3], completed.scores[3]
    (array([5.1, 5.1]), array([1.]))
    """

    method: ClassVar[str] = "Nearest neighbours"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_neighbours": [5, 10, 20, 40],
        "label_weight": [1.0, 3.0, 10.0],
    }

    n_neighbours: int = 20
    label_weight: float = 3.0
    max_donors: int = 4000
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        if self.label_weight <= 0:
            raise ValueError(f"label_weight must be positive, got {self.label_weight}")
        of_features = observed_scale(X)
        # 0 is a feature's mean and a label's frequency.
        self.scale_ = ColumnScale(
            np.append(of_features.offset, label_frequency(Y)),
            np.append(of_features.spread, observed_scale(Y).spread / np.sqrt(self.label_weight)),
        )
        donors = self.scale_.standardised(np.hstack([X, Y]))
        if len(donors) > self.max_donors:
            generator = np.random.default_rng([self.random_state, 0xD0])
            donors = donors[generator.choice(len(donors), self.max_donors, replace=False)]
        imputer = KNNImputer(n_neighbors=self.n_neighbours, keep_empty_features=True)
        self.imputer_ = imputer.fit(donors)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        with config_context(working_memory=_NEIGHBOUR_MEMORY):
            completed = self.imputer_.transform(self.scale_.standardised(np.hstack([X, Y])))
        features, votes = np.split(self.scale_.restored(completed), [self.n_features_in_], axis=1)
        # Rounding may carry a unanimous vote past 1.
        return features, votes.clip(0.0, 1.0)
