"""Scorers for scikit-learn's model selection that skip unknown labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from halfseen.scoring._estimator_outputs import (
    ClassOutput,
    LabelOutput,
    estimator_outputs,
    label_output,
)
from halfseen.scoring.accuracy import accuracy
from halfseen.scoring.averaged_auc import averaged_auc
from halfseen.scoring.hamming_accuracy import hamming_accuracy
from halfseen.scoring.known import known
from halfseen.scoring.log_loss import log_loss
from halfseen.scoring.macro_auc import macro_auc
from halfseen.scoring.micro_auc import micro_auc


@dataclass(frozen=True, repr=False)
class ObservedScorer:
    """A score of a fitted estimator over the known entries of `y`.

    Holds nothing but its name, so it can be pickled, cloned, compared and sent
    to other processes. Larger is better, as everywhere in model selection.

    Parameters
    ----------
    name : str
        See `observed_scorer`.

    Examples
    --------
    >>> ObservedScorer("accuracy")
    observed_scorer('accuracy')
    """

    name: str

    def __post_init__(self) -> None:
        """Refuse a name that no score has."""
        if self.name not in _SCORES:
            raise ValueError(
                f"No score is called {self.name!r}; choose one of {', '.join(_SCORES)}."
            )

    def __call__(self, estimator: Any, X: object, y: object) -> float:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier
            Has ``predict``, or ``predict_proba`` and ``classes_``.
        X : table of shape (n_rows, n_features)
            Rows to score.
        y : array-like of shape (n_rows,) or (n_rows, n_columns)
            Labels or classes, missing where unknown.

        Returns
        -------
        float
            Larger is better.
        """
        return float(_SCORES[self.name](estimator, X, y))

    def __sklearn_clone__(self) -> ObservedScorer:
        """Nothing in a scorer changes, so its clone is itself."""
        return self

    def __repr__(self) -> str:
        return f"observed_scorer({self.name!r})"


def observed_scorer(name: str) -> ObservedScorer:
    """Make a scorer that looks at known labels only.

    To be passed as ``scoring=`` to ``GridSearchCV``, ``cross_val_score`` or
    ``cross_validate``, together with `ObservedStratifiedKFold` as ``cv=``.

    Parameters
    ----------
    name : str
        - ``"accuracy"``: share of known classes predicted right;
        - ``"hamming_accuracy"``: share of known labels decided right;
        - ``"micro_auc"``: labels, one ROC curve over all known entries;
        - ``"macro_auc"``: labels, mean AUC over the labels;
        - ``"averaged_auc"``: classes, mean AUC of each class against the rest;
          over several columns of classes, the mean of those with two known
          classes;
        - ``"neg_log_loss"``: minus the mean log loss of known labels or
          classes; over several columns of classes, of all their known entries.

    Returns
    -------
    ObservedScorer
        A callable ``(estimator, X, y) -> float``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array(["a", "a", "b", None], dtype=object)
    >>> always_a = DummyClassifier().fit(X[:3], y[:3])
    >>> round(observed_scorer("accuracy")(always_a, X, y), 4)
    0.6667
    """
    return ObservedScorer(name)


def _accuracy(estimator: Any, X: object, y: object) -> float:
    return accuracy(y, estimator.predict(X))


def _hamming_accuracy(estimator: Any, X: object, y: object) -> float:
    return hamming_accuracy(y, estimator.predict(X))


def _micro_auc(estimator: Any, X: object, y: object) -> float:
    return micro_auc(*label_output(estimator_outputs(estimator, X, y)))


def _macro_auc(estimator: Any, X: object, y: object) -> float:
    return macro_auc(*label_output(estimator_outputs(estimator, X, y)))


def _averaged_auc(estimator: Any, X: object, y: object) -> float:
    output = estimator_outputs(estimator, X, y)
    if isinstance(output, LabelOutput):
        raise ValueError(
            "predict_proba gives probabilities of labels, not of classes; use 'macro_auc' or "
            "'micro_auc' for labels."
        )
    scored = [column for column in output if _n_known_classes(column) > 1]
    if not scored:
        names = ", ".join(column.name for column in output)
        raise ValueError(
            f"Fewer than two classes are known in {names}; a ROC curve needs known rows of at "
            "least two classes."
        )
    return float(np.mean([_auc_of_column(column) for column in scored]))


def _neg_log_loss(estimator: Any, X: object, y: object) -> float:
    output = estimator_outputs(estimator, X, y)
    if isinstance(output, LabelOutput):
        return -log_loss(*output)
    counts = [int(known(column.true).sum()) for column in output]
    if not any(counts):
        raise ValueError("No class in y is known, so there is nothing to score.")
    losses = [
        log_loss(column.true, column.probability, column.classes) if count else 0.0
        for column, count in zip(output, counts, strict=True)
    ]
    return -float(np.average(losses, weights=counts))


def _auc_of_column(column: ClassOutput) -> float:
    return averaged_auc(column.true, column.probability, column.classes)


def _n_known_classes(column: ClassOutput) -> int:
    return len(set(column.true[known(column.true)].tolist()))


_SCORES: dict[str, Callable[[Any, object, object], float]] = {
    "accuracy": _accuracy,
    "hamming_accuracy": _hamming_accuracy,
    "micro_auc": _micro_auc,
    "macro_auc": _macro_auc,
    "averaged_auc": _averaged_auc,
    "neg_log_loss": _neg_log_loss,
}
