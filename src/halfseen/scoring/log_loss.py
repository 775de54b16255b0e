"""Mean negative log-probability of what is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss as complete_log_loss

from halfseen.scoring._class_rows import ClassRows, class_rows
from halfseen.scoring._label_entries import probability_entries

# Single precision softmax over many classes stays well inside; unnormalised scores do not.
_SUM_TOLERANCE = 1e-3


def log_loss(y_true: object, y_probability: object, classes: object = None) -> float:
    """Mean of -log(probability given to the truth) over what is known.

    A label is a class with the two values 0 and 1, given by the probability of
    1 alone; a column of classes gives one probability per class, and says with
    `classes` which column is which.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Classes, or labels 0 or 1; missing where unknown.
    y_probability : array-like
        For classes of shape (n_rows, n_classes), rows adding up to one; for
        labels of the same shape as `y_true`. What belongs to unknown entries
        is not looked at.
    classes : array-like of shape (n_classes,), optional
        The class of every column of `y_probability`, such as
        ``estimator.classes_``. Leave it out for labels.

    Returns
    -------
    float
        0 is perfect; ``log(2)`` is a fair coin for a label. Probabilities of
        exactly 0 count as the smallest step of their precision, as in
        scikit-learn.

    Raises
    ------
    ValueError
        When nothing is known, a known class is not in `classes`, or a number
        is not a probability.

    Examples
    --------
    >>> import numpy as np
    >>> round(log_loss([[1, np.nan], [0, 1]], [[0.5, 0.1], [0.5, 0.5]]), 4)
    0.6931
    >>> round(log_loss(["a", None], [[0.5, 0.5], [0.9, 0.1]], ["a", "b"]), 4)
    0.6931
    """
    if classes is None:
        entries = probability_entries(y_true, y_probability)
        one = entries.predicted[entries.observed]
        return _mean_loss(entries.true[entries.observed], np.column_stack([1 - one, one]))
    rows = class_rows(y_true, y_probability, classes, "y_probability")
    if rows.scores.shape[1] < 2:
        raise ValueError("The list of classes has one class only; log_loss needs at least two.")
    return _mean_loss(rows.codes, _normalised(rows))


def _normalised(rows: ClassRows) -> NDArray[np.floating[Any]]:
    probability = rows.scores
    totals = probability.sum(axis=1, keepdims=True)
    wrong = np.flatnonzero(
        (np.abs(totals[:, 0] - 1) > _SUM_TOLERANCE) | (probability < 0).any(axis=1)
    )
    if wrong.size:
        raise ValueError(
            f"y_probability at row {rows.row[wrong[0]]} is {probability[wrong[0]].tolist()}; "
            "probabilities of classes lie between 0 and 1 and add up to 1 in every row."
        )
    normalised: NDArray[np.floating[Any]] = probability / totals
    return normalised


def _mean_loss(codes: NDArray[np.int64], probability: NDArray[np.floating[Any]]) -> float:
    return float(complete_log_loss(codes, probability, labels=np.arange(probability.shape[1])))
