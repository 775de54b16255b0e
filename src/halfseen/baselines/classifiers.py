"""A classifier for each label, on features with NaN or completed before; nearest neighbours."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from halfseen.baselines.baseline import (
    Baseline,
    ColumnScale,
    Floats,
    label_frequency,
    observed_scale,
)
from halfseen.baselines.gaussian import GaussianCompletion

_NEIGHBOUR_MEMORY = 128  # megabytes that distances may take at a time


class PerLabel(Baseline):
    """A classifier per label, trained where that label is observed.

    Its inputs are the features and all other labels, NaN where unknown. Every row is learned from
    twice: with its other labels as they are, and with a random number of them hidden, often all,
    as in new rows. Classes need one classifier, on features alone. Features are completed from
    features alone: were labels used, completed features would hold the label to be learned where
    it is known, and not where it is asked for.
    """

    random_state: int = 0

    def _imputer(self) -> Any:
        return FunctionTransformer()  # which leaves NaN as it is

    @abstractmethod
    def _classifier(self) -> Any: ...

    def _fit(self, X: Floats, Y: Floats) -> None:
        self._means, self._frequencies = observed_scale(X).offset, label_frequency(Y)
        self.imputer_ = self._imputer()
        self._features = self.imputer_.fit_transform(X)
        if self.target_ == "classes":
            known = ~np.isnan(Y[:, 0])
            self.fitted_ = [self._fitted(self._features[known], Y[known].argmax(axis=1))]
            return
        masked = randomly_masked(Y, np.random.default_rng([self.random_state, 0x1ABE1]))
        self.fitted_ = []
        for label in range(Y.shape[1]):
            known = ~np.isnan(Y[:, label])
            X, values = self._features[known], Y[known, label]
            inputs = label_inputs(X, Y[known], label)
            if Y.shape[1] > 1:
                inputs = np.vstack([inputs, label_inputs(X, masked[known], label)])
                values = np.tile(values, 2)
            self.fitted_.append(self._fitted(inputs, values))

    def _fitted(self, inputs: Floats, values: NDArray[Any]) -> tuple[NDArray[np.intp], Any] | None:
        """The columns with any input, and what learned from them; None if there is nothing to."""
        columns = np.flatnonzero((~np.isnan(inputs)).any(axis=0))
        if len(columns) == 0 or len(np.unique(values)) < 2:
            return None
        return columns, self._classifier().fit(inputs[:, columns], values)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        return self._answers(self.imputer_.transform(X), Y)

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        return self._answers(self._features, self._table[1])

    def _answers(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        """Features, and probabilities of labels given them and what is known of other labels."""
        probabilities = np.tile(self._frequencies, (len(X), 1))
        for label, fitted in enumerate(self.fitted_):
            if fitted is None:
                continue
            columns, classifier = fitted
            if self.target_ == "classes":
                probabilities[:] = 0.0
                of_classes = classifier.classes_.astype(int)
                probabilities[:, of_classes] = classifier.predict_proba(X[:, columns])
            else:
                inputs = label_inputs(X, Y, label)[:, columns]
                probabilities[:, label] = classifier.predict_proba(inputs)[:, 1]
        return np.where(np.isnan(X), self._means, X), probabilities


def label_inputs(X: Floats, Y: Floats, label: int) -> Floats:
    """Features and all labels but one."""
    return np.hstack([X, np.delete(Y, label, axis=1)])


def randomly_masked(Y: Floats, generator: np.random.Generator) -> Floats:
    """Labels of every row masked at a rate of its own; at rate 1 in one row of three."""
    rate = np.minimum(1.5 * generator.random((len(Y), 1)), 1.0)
    return np.where(generator.random(Y.shape) < rate, np.nan, Y)


def boosting(n_rounds: int, learning_rate: float, max_leaf_nodes: int, random_state: int) -> Any:
    """Histogram gradient boosting; a split looks at a third of the often correlated inputs."""
    return HistGradientBoostingClassifier(
        max_iter=n_rounds, learning_rate=learning_rate, max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=15, l2_regularization=1.0, max_features=0.3, early_stopping=False,
        random_state=random_state,
    )  # fmt: skip


class RoundRobin:
    """scikit-learn's IterativeImputer on standardised columns, for `n_rounds` rounds.

    A column is regressed on at most `n_nearest` others, drawn by correlation when there are more.
    """

    def __init__(self, regressor: Any, n_rounds: int, n_nearest: int, seed: int) -> None:
        self.imputer = IterativeImputer(
            regressor, max_iter=n_rounds, n_nearest_features=n_nearest, random_state=seed,
            keep_empty_features=True,
        )  # fmt: skip

    def fit_transform(self, X: Floats) -> Floats:
        """Fit to rows and complete them."""
        self.scale, n_others = observed_scale(X), X.shape[1] - 1
        if not n_others:  # then there is nothing to be regressed on
            self.imputer.max_iter = 0
        if n_others <= self.imputer.n_nearest_features:
            self.imputer.n_nearest_features = None
        with warnings.catch_warnings():
            # The number of rounds is the budget; scikit-learn would call that an early stop.
            warnings.simplefilter("ignore", ConvergenceWarning)
            completed = self.imputer.fit_transform(self.scale.standardised(X))
        return np.where(np.isnan(X), self.scale.restored(completed), X)

    def transform(self, X: Floats) -> Floats:
        """Complete new rows."""
        completed = self.imputer.transform(self.scale.standardised(X))
        return np.where(np.isnan(X), self.scale.restored(completed), X)


class BoostedNative(PerLabel):
    """Histogram gradient boosting for each label on features and other labels, NaN as it is.

    Classes are one softmax model. G. Ke et al., "LightGBM: a highly efficient gradient boosting
    decision tree", NIPS 2017, in the implementation of scikit-learn.

    Parameters
    ----------
    n_rounds, learning_rate, max_leaf_nodes, random_state : default=150, 0.08, 15, 0
        Trees per label, weight of a tree, its leaves, and seed.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1)
    >>> BoostedNative(n_rounds=20).fit(X, X > 30).predict_scores([[50.0]]) > 0.5
    array([[ True]])
    """

    method = "Boosted trees, native NaN"
    imputes = False
    grid = {"n_rounds": [75, 150, 300], "learning_rate": [0.05, 0.1], "max_leaf_nodes": [15, 31]}

    n_rounds: int = 150
    learning_rate: float = 0.08
    max_leaf_nodes: int = 15

    def _classifier(self) -> Any:
        return boosting(self.n_rounds, self.learning_rate, self.max_leaf_nodes, self.random_state)


class CatBoostPerLabel(PerLabel):
    """CatBoost for each label on features and other labels, NaN as it is.

    Needs the extra ``baselines``. L. Prokhorenkova et al., "CatBoost: unbiased boosting with
    categorical features", NeurIPS 2018.

    Parameters
    ----------
    n_rounds, learning_rate, depth, random_state : default=300, 0.06, 5, 0
        Trees per label, weight of a tree, its depth, and seed.

    Examples
    --------
    >>> CatBoostPerLabel(depth=4).grid["depth"]
    [4, 6]
    """

    method = "CatBoost, native NaN"
    imputes = False
    grid = {"n_rounds": [150, 300, 600], "learning_rate": [0.03, 0.06, 0.1], "depth": [4, 6]}

    n_rounds: int = 300
    learning_rate: float = 0.06
    depth: int = 5

    def _classifier(self) -> Any:
        try:
            from catboost import CatBoostClassifier
        except ImportError as error:
            raise ImportError(
                "CatBoostPerLabel needs catboost: pip install 'halfseen[baselines]'"
            ) from error
        return CatBoostClassifier(
            iterations=self.n_rounds, learning_rate=self.learning_rate, depth=self.depth, rsm=0.3,
            random_seed=self.random_state, verbose=False, allow_writing_files=False,
            thread_count=1,  # with several, sums and so bits depend on their number
        )  # fmt: skip


class IterativeLinear(PerLabel):
    """IterativeImputer with Bayesian ridge on the features, then logistic regression per label.

    S. van Buuren, K. Groothuis-Oudshoorn, "mice: Multivariate imputation by chained equations in
    R", Journal of Statistical Software 45, 2011, in the implementation of scikit-learn.

    Parameters
    ----------
    n_rounds, n_nearest, random_state : int, default=5, 50, 0
        Rounds over the columns; most columns that one is regressed on, drawn by correlation in
        wider tables; and seed.

    Examples
    --------
    >>> X, Y = np.arange(20.0).reshape(20, 1) * [[1.0, 2.0]], np.arange(20)[:, None] > 9
    >>> IterativeLinear().fit(X, Y).complete([[3.0, None]]).features.round(1)
    array([[3., 6.]])
    """

    method = "Iterative imputation, linear"
    grid = {"n_nearest": [50, 100]}

    n_rounds: int = 5
    n_nearest: int = 50

    def _imputer(self) -> Any:
        return RoundRobin(BayesianRidge(), self.n_rounds, self.n_nearest, self.random_state)

    def _classifier(self) -> Any:
        # An unknown label counts as average.
        fill = SimpleImputer(strategy="mean", keep_empty_features=True)
        return make_pipeline(fill, StandardScaler(), LogisticRegression(C=0.03, max_iter=2000))


class IterativeTrees(PerLabel):
    """IterativeImputer with extremely randomised trees, then gradient boosting per label.

    D. J. Stekhoven, P. Buehlmann, "MissForest: non-parametric missing value imputation for
    mixed-type data", Bioinformatics 28, 2012.

    Parameters
    ----------
    n_trees, max_leaf_nodes : int, default=20, 128
        Trees for each column in each round, and their leaves.
    n_rounds, n_nearest, random_state : int, default=3, 60, 0
        As in :class:`IterativeLinear`.

    Examples
    --------
    >>> X, Y = np.arange(40.0).reshape(40, 1) * [[1.0, 2.0]], np.arange(40)[:, None] > 20
    >>> IterativeTrees().fit(X, Y).predict_scores([[35.0, None]]) > 0.5
    array([[ True]])
    """

    method = "Iterative imputation, trees"
    grid = {"max_leaf_nodes": [64, 256]}

    n_trees: int = 20
    max_leaf_nodes: int = 128
    n_rounds: int = 3
    n_nearest: int = 60

    def _imputer(self) -> Any:
        forest = ExtraTreesRegressor(
            self.n_trees, max_leaf_nodes=self.max_leaf_nodes, max_features=0.3, min_samples_leaf=3,
            random_state=self.random_state,
        )  # fmt: skip
        return RoundRobin(forest, self.n_rounds, self.n_nearest, self.random_state)

    def _classifier(self) -> Any:
        return boosting(150, 0.08, 15, self.random_state)


class BoostedImputed(BoostedNative):
    """Features completed by a Gaussian (EM), then gradient boosting on them and the other labels.

    M. Le Morvan, J. Josse, E. Scornet, G. Varoquaux, "What's a good imputation to predict with
    missing values?", NeurIPS 2021.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_rounds, learning_rate, max_leaf_nodes, random_state
        As in :class:`BoostedNative`.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> BoostedImputed(n_rounds=20).fit(X, X[:, :1] > 30).predict_scores([[50.0, None]]) > 0.5
    array([[ True]])
    """

    method = "Boosted trees on Gaussian completion"
    imputes = True
    grid = {"n_rounds": [75, 150, 300], "learning_rate": [0.05, 0.1]}

    shrinkage: float = 0.05

    def _imputer(self) -> Any:
        return GaussianCompletion(self.shrinkage, 20, self.random_state)


class ForestImputed(PerLabel):
    """Features completed by a Gaussian (EM), then a random forest on them and the other labels.

    L. Breiman, "Random forests", Machine Learning 45, 2001.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Of the Gaussian's covariance; see :class:`GaussianEM`.
    n_trees, min_samples_leaf, random_state : int, default=300, 2, 0
        Trees per label, fewest rows of a leaf, and seed.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1) * [[1.0, 2.0]]
    >>> ForestImputed(n_trees=20).fit(X, X[:, :1] > 30).predict_scores([[50.0, None]]) > 0.5
    array([[ True]])
    """

    method = "Random forest on Gaussian completion"
    grid = {"min_samples_leaf": [1, 2, 5], "shrinkage": [0.02, 0.05, 0.1]}
    while_tuning = {"n_trees": 100}

    shrinkage: float = 0.05
    n_trees: int = 300
    min_samples_leaf: int = 2

    def _imputer(self) -> Any:
        return GaussianCompletion(self.shrinkage, 20, self.random_state)

    def _classifier(self) -> Any:
        return RandomForestClassifier(
            self.n_trees, min_samples_leaf=self.min_samples_leaf, random_state=self.random_state
        )


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
    max_donors, random_state : int, default=4000, 0
        Most rows that may be neighbours, drawn at random from taller tables; and seed.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, 0.0], [5.0, 5.1], [5.1, None]], [[0], [0], [1], [None]]
    >>> NearestNeighbours(n_neighbours=1).fit(X, Y).complete().features[3]
    array([5.1, 5.1])
    """

    method = "Nearest neighbours"
    grid = {"n_neighbours": [5, 10, 20, 40], "label_weight": [1.0, 3.0, 10.0]}

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
        features, votes = self._parts(self.scale_.restored(completed))
        # Rounding may carry a unanimous vote past 1.
        return features, votes.clip(0.0, 1.0)
