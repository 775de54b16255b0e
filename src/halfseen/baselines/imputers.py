"""Complete the features first, then classify; and the nearest neighbours, who do both."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

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
from halfseen.baselines.classifiers import ClassifierPerLabel, boosting, logistic
from halfseen.baselines.gaussian import GaussianCompletion

_NEIGHBOUR_MEMORY = 128  # megabytes that distances may take at a time


class RoundRobin:
    """scikit-learn's IterativeImputer on standardised columns, for `n_rounds` rounds.

    A column is regressed on at most `n_nearest` others, drawn by correlation when there are more.
    """

    def __init__(self, regressor: Any, n_rounds: int, n_nearest: int, seed: int) -> None:
        self.regressor, self.n_rounds = regressor, n_rounds
        self.n_nearest, self.seed = n_nearest, seed

    def fit_transform(self, X: Floats) -> Floats:
        """Fit to rows and complete them."""
        self.scale, n_others = observed_scale(X), X.shape[1] - 1
        self.imputer = IterativeImputer(
            self.regressor, keep_empty_features=True, random_state=self.seed,
            # A single column has nothing to be regressed on.
            max_iter=self.n_rounds if n_others else 0,
            n_nearest_features=self.n_nearest if n_others > self.n_nearest else None,
        )  # fmt: skip
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

    Features are completed from features alone: were labels used, completed features would hold
    the label to be learned where it is known, and not where it is asked for.
    """

    random_state: int

    @abstractmethod
    def _imputer(self) -> Any: ...

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
    """IterativeImputer with Bayesian ridge on the features, then logistic regression per label.

    S. van Buuren, K. Groothuis-Oudshoorn, "mice: Multivariate imputation by chained equations in
    R", Journal of Statistical Software 45, 2011, in the implementation of scikit-learn.

    Parameters
    ----------
    n_rounds : int, default=5
        Rounds over the columns.
    n_nearest : int, default=50
        Most columns that a column is regressed on; drawn by correlation in wider tables.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X, Y = np.arange(20.0).reshape(20, 1) * [[1.0, 2.0]], np.arange(20)[:, None] > 9
    >>> X[3, 1] = np.nan
    >>> float(IterativeLinear().fit(X, Y).complete().features[3, 1].round(1))
    6.0
    """

    method: ClassVar[str] = "Iterative imputation, linear"
    grid: ClassVar[dict[str, list[object]]] = {"n_nearest": [50, 100]}

    n_rounds: int = 5
    n_nearest: int = 50
    random_state: int = 0

    def _imputer(self) -> Any:
        return RoundRobin(BayesianRidge(), self.n_rounds, self.n_nearest, self.random_state)

    def _classifier(self) -> Any:
        return logistic()


@dataclass(kw_only=True, eq=False, repr=False)
class IterativeTrees(ImputeThenClassify):
    """IterativeImputer with extremely randomised trees, then gradient boosting per label.

    D. J. Stekhoven, P. Buehlmann, "MissForest: non-parametric missing value imputation for
    mixed-type data", Bioinformatics 28, 2012.

    Parameters
    ----------
    n_trees, max_leaf_nodes : int, default=20, 128
        Trees for each column in each round, and their leaves.
    n_rounds, n_nearest : int, default=3, 60
        Rounds, and most columns that one is regressed on, as in :class:`IterativeLinear`.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X, Y = np.arange(40.0).reshape(40, 1) * [[1.0, 2.0]], np.arange(40)[:, None] > 20
    >>> X[5, 1] = np.nan
    >>> bool(5 < IterativeTrees().fit(X, Y).complete().features[5, 1] < 15)
    True
    """

    method: ClassVar[str] = "Iterative imputation, trees"
    grid: ClassVar[dict[str, list[object]]] = {"max_leaf_nodes": [64, 256]}

    n_trees: int = 20
    max_leaf_nodes: int = 128
    n_rounds: int = 3
    n_nearest: int = 60
    random_state: int = 0

    def _imputer(self) -> Any:
        forest = ExtraTreesRegressor(
            self.n_trees, max_leaf_nodes=self.max_leaf_nodes, max_features=0.3, min_samples_leaf=3,
            random_state=self.random_state,
        )  # fmt: skip
        return RoundRobin(forest, self.n_rounds, self.n_nearest, self.random_state)

    def _classifier(self) -> Any:
        return boosting(random_state=self.random_state)


class _OnGaussian(ImputeThenClassify):
    """Features are completed by a Gaussian."""

    shrinkage: float

    def _imputer(self) -> Any:
        return GaussianCompletion(self.shrinkage, 20, self.random_state)


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedImputed(_OnGaussian):
    """Features completed by a Gaussian (EM), then gradient boosting on them and the other labels.

    M. Le Morvan, J. Josse, E. Scornet, G. Varoquaux, "What's a good imputation to predict with
    missing values?", NeurIPS 2021.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_rounds, learning_rate, max_leaf_nodes : default=150, 0.08, 15
        As in :class:`BoostedNative`.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> fitted = BoostedImputed(n_rounds=20).fit(X, X[:, :1] > 30)
    >>> bool(fitted.predict_scores([[50.0, None]])[0, 0] > 0.5)
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

    L. Breiman, "Random forests", Machine Learning 45, 2001.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_trees, min_samples_leaf : int, default=300, 2
        Trees per label, and fewest rows of a leaf.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> fitted = ForestImputed(n_trees=20).fit(X, X[:, :1] > 30)
    >>> bool(fitted.predict_scores([[50.0, None]])[0, 0] > 0.5)
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

    Columns are standardised, and a label counts as much as ``label_weight`` features. Neighbours
    are rows in which the missing entry is observed; the share of those with a label is its
    probability. O. Troyanskaya et al., "Missing value estimation methods for DNA microarrays",
    Bioinformatics 17, 2001, in the implementation of scikit-learn.

    Parameters
    ----------
    n_neighbours, label_weight : int and float, default=20, 3.0
        Neighbours averaged, and weight of an observed label in the distance.
    max_donors : int, default=4000
        Most rows that may be neighbours, drawn at random from taller tables.
    random_state : int, default=0
        Seed.

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
