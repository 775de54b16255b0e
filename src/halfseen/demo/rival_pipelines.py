"""What one would do without halfseen: a trivial answer and three scikit-learn pipelines.

Imputers see the pixels of all rows, classifiers the rows whose label is observed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (makes the next line work)
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from halfseen.demo.answer import Answer
from halfseen.demo.hidden_digits import HiddenDigits


class Rival(NamedTuple):
    """A method and its name in the table.

    Attributes
    ----------
    name : str
        A few words.
    answer : callable
        Takes the digits and a seed, gives an :class:`Answer`.

    Examples
    --------
    >>> [rival.name for rival in RIVALS][0]
    'column mean, most frequent digit'
    """

    name: str
    answer: Callable[[HiddenDigits, int], Answer]


def trivial_answer(digits: HiddenDigits, seed: int) -> Answer:
    """The mean of each column, the most frequent digit, and the same scores for every row.

    Examples
    --------
    >>> from halfseen.demo.hidden_digits import hide_digits
    >>> answer = trivial_answer(hide_digits(slice(0, 100), 0.5, seed=0), 0)
    >>> len(np.unique(answer.labels))
    1
    """
    classes, counts = np.unique(digits.labels[digits.observed_labels], return_counts=True)
    n_rows = len(digits.labels)
    return Answer(
        labels=np.full(n_rows, classes[np.argmax(counts)]),
        scores=np.tile(counts / counts.sum(), (n_rows, 1)),
        classes=classes,
        pixels=_filled_with_means(digits),
    )


def mean_then_logistic(digits: HiddenDigits, seed: int) -> Answer:
    """Column means, then a logistic regression on standardised pixels.

    Examples
    --------
    >>> from halfseen.demo.hidden_digits import hide_digits
    >>> mean_then_logistic(hide_digits(slice(0, 100), 0.5, seed=0), 0).scores.shape
    (100, 10)
    """
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    filled = _filled_with_means(digits)
    return _classified(classifier, filled, digits, filled)


def iterative_then_boosting(digits: HiddenDigits, seed: int) -> Answer:
    """Each pixel regressed on all others in rounds, then gradient boosting.

    Examples
    --------
    >>> from halfseen.demo.hidden_digits import hide_digits
    >>> digits = hide_digits(slice(0, 30), 0.2, seed=0)
    >>> iterative_then_boosting(digits, 0).pixels.shape
    (30, 64)
    """
    imputer = IterativeImputer(random_state=seed, keep_empty_features=True)
    with warnings.catch_warnings(), threadpool_limits(1):
        # The imputer warns when its default number of rounds did not reach its tolerance. Its
        # answer is scored as it is.
        warnings.simplefilter("ignore", ConvergenceWarning)
        filled = imputer.fit_transform(digits.X)
    return _classified(HistGradientBoostingClassifier(random_state=seed), filled, digits, filled)


def boosting_on_holes(digits: HiddenDigits, seed: int) -> Answer:
    """Gradient boosting, whose trees take NaN as it is; pixels are not filled.

    Examples
    --------
    >>> from halfseen.demo.hidden_digits import hide_digits
    >>> boosting_on_holes(hide_digits(slice(0, 60), 0.2, seed=0), 0).pixels is None
    True
    """
    return _classified(HistGradientBoostingClassifier(random_state=seed), digits.X, digits, None)


RIVALS = (
    Rival("column mean, most frequent digit", trivial_answer),
    Rival("mean imputation, logistic regression", mean_then_logistic),
    Rival("iterative imputation, gradient boosting", iterative_then_boosting),
    Rival("gradient boosting on NaN", boosting_on_holes),
)


def _filled_with_means(digits: HiddenDigits) -> NDArray[np.float64]:
    filled: NDArray[np.float64] = SimpleImputer(keep_empty_features=True).fit_transform(digits.X)
    return filled


def _classified(
    classifier: Any,
    features: NDArray[np.float64],
    digits: HiddenDigits,
    pixels: NDArray[np.float64] | None,
) -> Answer:
    seen = digits.observed_labels
    # Tables this small gain next to nothing from a second thread, and on a busy machine threads
    # that wait for each other take ten times as long.
    with threadpool_limits(1):
        classifier.fit(features[seen], digits.labels[seen])
        scores = classifier.predict_proba(features)
    classes = classifier.classes_
    return Answer(classes[np.argmax(scores, axis=1)], scores, classes, pixels)
