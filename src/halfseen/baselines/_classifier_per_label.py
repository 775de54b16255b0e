"""One classifier for each label, which may look at the features and at the other labels."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from halfseen.baselines.baseline import TargetKind
from halfseen.baselines.column_prior import label_frequency

ClassifierKind = Literal["logistic", "boosting"]


def logistic(strength: float = 0.03) -> Any:
    """Logistic regression on standardised inputs, in which an unknown label counts as average.

    Examples
    --------
    >>> X = np.array([[0.0, np.nan], [1.0, np.nan], [2.0, np.nan], [3.0, np.nan]])
    >>> logistic().fit(X, [0, 0, 1, 1]).predict([[3.0, np.nan]])
    array([1])
    """
    return make_pipeline(
        SimpleImputer(strategy="mean", keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(C=strength, max_iter=2000),
    )


def boosting(
    *,
    n_rounds: int = 150,
    learning_rate: float = 0.08,
    max_leaf_nodes: int = 15,
    random_state: int = 0,
) -> Any:
    """Histogram gradient boosting, which takes NaN as it is.

    A third of the inputs is looked at in each split, since neighbouring columns tend to say the
    same.
    """
    return HistGradientBoostingClassifier(
        max_iter=n_rounds,
        learning_rate=learning_rate,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=15,
        l2_regularization=1.0,
        max_features=0.3,
        early_stopping=False,
        random_state=random_state,
    )


def classifier_of_kind(kind: ClassifierKind, random_state: int) -> Any:
    """The classifier of that name.

    Examples
    --------
    >>> classifier_of_kind("forest", 0)
    Traceback (most recent call last):
    ValueError: classifier must be "logistic" or "boosting", got 'forest'
    """
    if kind == "logistic":
        return logistic()
    if kind == "boosting":
        return boosting(random_state=random_state)
    raise ValueError(f'classifier must be "logistic" or "boosting", got {kind!r}')


class ColumnsAndClassifier(NamedTuple):
    """A fitted classifier and the input columns it was shown."""

    columns: NDArray[np.intp]
    classifier: Any

    def probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of its classes, of shape (n_rows, n_classes)."""
        probabilities: NDArray[np.float64] = self.classifier.predict_proba(inputs[:, self.columns])
        return probabilities


def fitted_if_possible(
    classifier: Any, inputs: NDArray[np.float64], values: NDArray[Any]
) -> ColumnsAndClassifier | None:
    """A clone fitted on the columns with anything observed; None if there is nothing to learn.

    Not every classifier that takes NaN takes a column of nothing else.

    Examples
    --------
    >>> inputs = np.array([[1.0, np.nan], [2.0, np.nan]])
    >>> fitted_if_possible(logistic(), inputs, np.array([0, 1])).columns
    array([0])
    >>> fitted_if_possible(logistic(), inputs, np.array([1, 1])) is None
    True
    """
    columns = np.flatnonzero((~np.isnan(inputs)).any(axis=0))
    if len(columns) == 0 or len(np.unique(values)) < 2:
        return None
    fitted = clone(classifier).fit(inputs[:, columns], values)
    return ColumnsAndClassifier(columns, fitted)


class ClassifierPerLabel(BaseEstimator):  # type: ignore[misc]
    """A classifier per label, trained where that label is observed.

    Its inputs are the features and all other labels, NaN where unknown. Every row is learned from
    twice: with its other labels as they are, and with a random number of them hidden, all of them
    in many rows, so that new rows, of which no label is known, are nothing new to it. Classes need
    one classifier, on features alone: where a class is unknown, so is the whole row of labels.

    Parameters
    ----------
    classifier : classifier of scikit-learn
        Cloned for each label; takes NaN.
    random_state : int, default=0
        Seed of the labels hidden.

    Examples
    --------
    >>> X = np.arange(8.0)[:, None]
    >>> Y = np.array([[0.0], [0.0], [0.0], [np.nan], [1.0], [1.0], [1.0], [1.0]])
    >>> fitted = ClassifierPerLabel(logistic()).fit(X, Y, "labels")
    >>> probabilities = fitted.probabilities(X, np.full_like(Y, np.nan))
    >>> bool(probabilities[0, 0] < probabilities[3, 0] < probabilities[7, 0])
    True
    """

    def __init__(self, classifier: Any, *, random_state: int = 0) -> None:
        self.classifier = classifier
        self.random_state = random_state

    def fit(
        self, X: NDArray[np.float64], Y: NDArray[np.float64], target: TargetKind
    ) -> ClassifierPerLabel:
        """Fit on the observed labels."""
        self.target_ = target
        self.frequencies_ = label_frequency(Y)
        if target == "classes":
            self.fitted_ = [self._fitted_classes(X, Y)]
        else:
            generator = np.random.default_rng([self.random_state, 0x1ABE1])
            hidden = randomly_hidden(Y, generator)
            self.fitted_ = [self._fitted_label(X, Y, hidden, label) for label in range(Y.shape[1])]
        return self

    def probabilities(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability of every label given the features and what is known of the other labels."""
        probabilities = np.tile(self.frequencies_, (len(X), 1))
        for label, fitted in enumerate(self.fitted_):
            if fitted is None:
                continue
            if self.target_ == "classes":
                probabilities[:] = 0.0
                probabilities[:, fitted.classifier.classes_] = fitted.probabilities(X)
            else:
                probabilities[:, label] = fitted.probabilities(_inputs(X, Y, label))[:, 1]
        return probabilities

    def _fitted_classes(
        self, X: NDArray[np.float64], Y: NDArray[np.float64]
    ) -> ColumnsAndClassifier | None:
        rows = ~np.isnan(Y[:, 0])
        return fitted_if_possible(self.classifier, X[rows], Y[rows].argmax(axis=1))

    def _fitted_label(
        self,
        X: NDArray[np.float64],
        Y: NDArray[np.float64],
        hidden: NDArray[np.float64],
        label: int,
    ) -> ColumnsAndClassifier | None:
        rows = ~np.isnan(Y[:, label])
        values = Y[rows, label]
        if Y.shape[1] == 1:
            return fitted_if_possible(self.classifier, X[rows], values)
        as_they_are = _inputs(X[rows], Y[rows], label)
        with_hidden = _inputs(X[rows], hidden[rows], label)
        return fitted_if_possible(
            self.classifier,
            np.vstack([as_they_are, with_hidden]),
            np.concatenate([values, values]),
        )


def randomly_hidden(Y: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Labels of every row hidden at a rate of its own; at rate 1 in one row of three."""
    rate = np.minimum(1.5 * generator.random((len(Y), 1)), 1.0)
    return np.where(generator.random(Y.shape) < rate, np.nan, Y)


def _inputs(X: NDArray[np.float64], Y: NDArray[np.float64], label: int) -> NDArray[np.float64]:
    return np.hstack([X, np.delete(Y, label, axis=1)])
