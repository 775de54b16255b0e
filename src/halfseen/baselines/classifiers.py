"""A classifier for each label, which takes the other labels as inputs; trees that take NaN."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from halfseen.baselines.baseline import (
    Baseline,
    Floats,
    TargetKind,
    label_frequency,
    observed_scale,
)


class ClassifierPerLabel:
    """A classifier per label, trained where that label is observed.

    Its inputs are the features and all other labels, NaN where unknown. Every row is learned from
    twice: with its other labels as they are, and with a random number of them hidden, often all,
    as in new rows. Classes need one classifier, on features alone.
    """

    def __init__(self, classifier: Any, seed: int, target: TargetKind) -> None:
        self.classifier, self.seed, self.target = classifier, seed, target

    def fit(self, X: Floats, Y: Floats) -> ClassifierPerLabel:
        """Fit on the observed labels."""
        self.frequencies = label_frequency(Y)
        if self.target == "classes":
            known = ~np.isnan(Y[:, 0])
            self.fitted = [self._fitted(X[known], Y[known].argmax(axis=1))]
            return self
        masked = randomly_masked(Y, np.random.default_rng([self.seed, 0x1ABE1]))
        self.fitted = []
        for label in range(Y.shape[1]):
            known = ~np.isnan(Y[:, label])
            inputs, values = label_inputs(X[known], Y[known], label), Y[known, label]
            if Y.shape[1] > 1:
                inputs = np.vstack([inputs, label_inputs(X[known], masked[known], label)])
                values = np.tile(values, 2)
            self.fitted.append(self._fitted(inputs, values))
        return self

    def _fitted(self, inputs: Floats, values: NDArray[Any]) -> tuple[NDArray[np.intp], Any] | None:
        """The columns with any input, and what learned from them; None if there is nothing to."""
        columns = np.flatnonzero((~np.isnan(inputs)).any(axis=0))
        if len(columns) == 0 or len(np.unique(values)) < 2:
            return None
        return columns, clone(self.classifier).fit(inputs[:, columns], values)

    def probabilities(self, X: Floats, Y: Floats) -> Floats:
        """Probability of every label given the features and what is known of the other labels."""
        probabilities = np.tile(self.frequencies, (len(X), 1))
        for label, fitted in enumerate(self.fitted):
            if fitted is None:
                continue
            columns, classifier = fitted
            if self.target == "classes":
                probabilities[:] = 0.0
                of_classes = classifier.classes_.astype(int)
                probabilities[:, of_classes] = classifier.predict_proba(X[:, columns])
            else:
                inputs = label_inputs(X, Y, label)[:, columns]
                probabilities[:, label] = classifier.predict_proba(inputs)[:, 1]
        return probabilities


def label_inputs(X: Floats, Y: Floats, label: int) -> Floats:
    """Features and all labels but one."""
    return np.hstack([X, np.delete(Y, label, axis=1)])


def randomly_masked(Y: Floats, generator: np.random.Generator) -> Floats:
    """Labels of every row masked at a rate of its own; at rate 1 in one row of three."""
    rate = np.minimum(1.5 * generator.random((len(Y), 1)), 1.0)
    return np.where(generator.random(Y.shape) < rate, np.nan, Y)


def boosting(
    n_rounds: int = 150,
    learning_rate: float = 0.08,
    max_leaf_nodes: int = 15,
    random_state: int = 0,
) -> Any:
    """Histogram gradient boosting; a split looks at a third of the often correlated inputs."""
    return HistGradientBoostingClassifier(
        max_iter=n_rounds, learning_rate=learning_rate, max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=15, l2_regularization=1.0, max_features=0.3, early_stopping=False,
        random_state=random_state,
    )  # fmt: skip


def logistic() -> Any:
    """Logistic regression, in which an unknown label counts as average."""
    return make_pipeline(
        SimpleImputer(strategy="mean", keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(C=0.03, max_iter=2000),
    )


class _TreesOnMissing(Baseline):
    """A classifier for each label that takes NaN as it is; features are not completed."""

    imputes: ClassVar[bool] = False
    random_state: int

    @abstractmethod
    def _classifier(self) -> Any: ...

    def _fit(self, X: Floats, Y: Floats) -> None:
        self._means = observed_scale(X).offset
        per_label = ClassifierPerLabel(self._classifier(), self.random_state, self.target_)
        self.classifiers_ = per_label.fit(X, Y)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        return self._means, self.classifiers_.probabilities(X, Y)


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedNative(_TreesOnMissing):
    """Histogram gradient boosting for each label on features and other labels, NaN as it is.

    Classes are one softmax model. G. Ke et al., "LightGBM: a highly efficient gradient boosting
    decision tree", NIPS 2017, in the implementation of scikit-learn.

    Parameters
    ----------
    n_rounds, learning_rate, max_leaf_nodes : default=150, 0.08, 15
        Trees per label, weight of a tree, and its leaves.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X = np.arange(60.0).reshape(60, 1)
    >>> scores = BoostedNative(n_rounds=20).fit(X[:50], X[:50] > 30).predict_scores(X[50:])
    >>> bool((scores > 0.5).all())
    True
    """

    method: ClassVar[str] = "Boosted trees, native NaN"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_rounds": [75, 150, 300],
        "learning_rate": [0.05, 0.1],
        "max_leaf_nodes": [15, 31],
    }

    n_rounds: int = 150
    learning_rate: float = 0.08
    max_leaf_nodes: int = 15
    random_state: int = 0

    def _classifier(self) -> Any:
        return boosting(self.n_rounds, self.learning_rate, self.max_leaf_nodes, self.random_state)


@dataclass(kw_only=True, eq=False, repr=False)
class CatBoostPerLabel(_TreesOnMissing):
    """CatBoost for each label on features and other labels, NaN as it is.

    Needs the extra ``baselines``. L. Prokhorenkova et al., "CatBoost: unbiased boosting with
    categorical features", NeurIPS 2018.

    Parameters
    ----------
    n_rounds, learning_rate, depth : default=300, 0.06, 5
        Trees per label, weight of a tree, and its depth.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> CatBoostPerLabel(depth=4).grid["depth"]
    [4, 6]
    """

    method: ClassVar[str] = "CatBoost, native NaN"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_rounds": [150, 300, 600],
        "learning_rate": [0.03, 0.06, 0.1],
        "depth": [4, 6],
    }

    n_rounds: int = 300
    learning_rate: float = 0.06
    depth: int = 5
    random_state: int = 0

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
