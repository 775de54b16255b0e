"""Labels and what was predicted for them, side by side, with what is known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._finite_entries import finite_entries
from halfseen.scoring._label_array import label_array
from halfseen.scoring._place import place
from halfseen.scoring.known import known


class LabelEntries(NamedTuple):
    """Known labels and their predictions.

    Attributes
    ----------
    true : ndarray of int of shape (n_rows, n_labels)
        0 or 1; 0 where nothing is known.
    predicted : ndarray of float of shape (n_rows, n_labels)
        Score, probability or decision; 0 where nothing is known.
    observed : ndarray of bool of shape (n_rows, n_labels)
        True where the label is known.
    """

    true: NDArray[np.int64]
    predicted: NDArray[np.floating[Any]]
    observed: NDArray[np.bool_]


def label_entries(y_true: object, y_predicted: object, name: str) -> LabelEntries:
    """Bring labels and predictions together and check them where they are known.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_predicted : array-like of the same shape
        A number for every known label.
    name : str
        What `y_predicted` is called in an error message.

    Returns
    -------
    LabelEntries
        A single column when `y_true` has one dimension.

    Examples
    --------
    >>> label_entries([1, None], [0.8, 0.3], "y_score").observed
    array([[ True],
           [False]])
    """
    true, predicted = label_array(y_true), label_array(y_predicted)
    if _columns(true).shape != _columns(predicted).shape:
        raise ValueError(
            f"y_true has shape {true.shape} but {name} has shape {predicted.shape}; labels need "
            "one prediction per entry."
        )
    seen = known(true)
    if not seen.any():
        raise ValueError("No label in y_true is known, so there is nothing to score.")
    # Text compared with a number must come out as "not equal", never as an error.
    values = true[seen].astype(object) if true.dtype.kind in "SU" else true[seen]
    bad = np.flatnonzero(~((values == 0) | (values == 1)))
    if bad.size:
        position = np.argwhere(seen)[bad[0]]
        at = place(y_true, true.ndim, int(position[0]), int(position[-1]))
        raise ValueError(
            f"y_true at {at} is {values.tolist()[bad[0]]!r}; a label is 0 or 1, or missing where "
            "unknown. For columns of classes use accuracy, averaged_auc or log_loss with classes."
        )
    numbers = finite_entries(y_predicted, seen.reshape(predicted.shape), name)
    observed = _columns(seen)
    labels = np.zeros(observed.shape, dtype=np.int64)
    labels[observed] = values.astype(np.int64)
    predictions = np.zeros(observed.shape, dtype=numbers.dtype)
    predictions[observed] = numbers
    return LabelEntries(labels, predictions, observed)


def probability_entries(y_true: object, y_probability: object) -> LabelEntries:
    """Bring labels and probabilities together; as `label_entries`, within [0, 1].

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_probability : array-like of the same shape
        Probability that the label is 1.

    Returns
    -------
    LabelEntries
        A single column when `y_true` has one dimension.

    Examples
    --------
    >>> probability_entries([1, None], [0.75, 9.0]).predicted
    array([[0.75],
           [0.  ]])
    """
    entries = label_entries(y_true, y_probability, "y_probability")
    outside = np.argwhere((entries.predicted < 0) | (entries.predicted > 1))
    if outside.size:
        row, column = (int(index) for index in outside[0])
        at = place(y_true, label_array(y_true).ndim, row, column)
        raise ValueError(
            f"y_probability at {at} is {float(entries.predicted[row, column])!r}; a probability "
            "lies between 0 and 1."
        )
    return entries


def _columns(values: NDArray[Any]) -> NDArray[Any]:
    return values[:, None] if values.ndim == 1 else values
