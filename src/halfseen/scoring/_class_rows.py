"""Rows whose class is known, with the scores they were given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._finite_entries import finite_entries
from halfseen.scoring._label_array import label_array
from halfseen.scoring.known import known


class ClassRows(NamedTuple):
    """Known classes and the scores of every class.

    Attributes
    ----------
    row : ndarray of int of shape (n_known,)
        Where the row stands in the table.
    codes : ndarray of int of shape (n_known,)
        Position of the true class in the list of classes.
    scores : ndarray of float of shape (n_known, n_classes)
        One column per class, in the order of the list.
    """

    row: NDArray[np.int64]
    codes: NDArray[np.int64]
    scores: NDArray[np.floating[Any]]


def class_rows(y_true: object, y_score: object, classes: object, name: str) -> ClassRows:
    """Pick the rows of known class and look the class up in the list.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Classes, missing where unknown.
    y_score : array-like of shape (n_rows, n_classes)
        Scores or probabilities; rows of unknown class are not looked at.
    classes : array-like of shape (n_classes,)
        The class of every column of `y_score`, such as ``estimator.classes_``.
    name : str
        What `y_score` is called in an error message.

    Returns
    -------
    ClassRows
        Only rows of known class, in row order.

    Examples
    --------
    >>> rows = class_rows(["b", None], [[0.25, 0.75], [0.5, 0.5]], ["a", "b"], "y_score")
    >>> rows.codes, rows.scores
    (array([1]), array([[0.25, 0.75]]))
    """
    true = label_array(y_true)
    if true.ndim == 2 and true.shape[1] == 1:
        true = true[:, 0]
    if true.ndim != 1:
        raise ValueError(
            f"y_true has shape {true.shape}; a score of classes takes one column of classes at a "
            "time. For labels (0 or 1) use micro_auc, macro_auc, or log_loss without classes."
        )
    column_of = _column_of_class(classes)
    scores = label_array(y_score)
    expected = (true.shape[0], len(column_of))
    if scores.shape != expected:
        raise ValueError(
            f"{name} has shape {scores.shape}, but {expected} is needed: one row per row of y_true "
            f"and one column for each of the {len(column_of)} classes."
        )
    observed = known(true)
    if not observed.any():
        raise ValueError("No class in y_true is known, so there is nothing to score.")
    rows = np.flatnonzero(observed)
    codes = np.empty(rows.size, dtype=np.int64)
    for position, value in enumerate(true[observed].tolist()):
        if value not in column_of:
            raise ValueError(
                f"y_true at row {rows[position]} is {value!r}, which is not in the list of classes "
                f"{list(column_of)}; add it together with its column of {name}."
            )
        codes[position] = column_of[value]
    where = np.repeat(observed[:, None], len(column_of), axis=1)
    return ClassRows(rows, codes, finite_entries(y_score, where, name).reshape(-1, len(column_of)))


def _column_of_class(classes: object) -> dict[Any, int]:
    values = label_array(classes)
    if values.ndim != 1 or not known(values).all():
        raise ValueError("classes must be a plain list of classes without missing entries.")
    column_of = {value: column for column, value in enumerate(values.tolist())}
    if len(column_of) != values.size:
        raise ValueError(f"classes names a class twice: {values.tolist()}.")
    return column_of
