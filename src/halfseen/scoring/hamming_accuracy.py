"""Share of known labels that were decided right."""

from __future__ import annotations

import numpy as np

from halfseen.scoring._label_array import label_array
from halfseen.scoring._label_entries import label_entries
from halfseen.scoring._place import place


def hamming_accuracy(y_true: object, y_pred: object) -> float:
    """Share of known labels that were decided right: 1 - Hamming loss.

    All known entries are pooled. Where labels are rare, saying "no" always
    scores high (0.82 on Scene), so report the share of zeros beside it.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_pred : array-like of the same shape
        Decisions 0 or 1. Entries whose label is unknown are not looked at.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        When no label is known, or a label or decision is neither 0 nor 1.

    Examples
    --------
    >>> import numpy as np
    >>> hamming_accuracy([[1, np.nan], [0, 1]], [[1, 0], [1, 1]])
    0.6666666666666666
    """
    entries = label_entries(y_true, y_pred, "y_pred")
    undecided = np.argwhere((entries.predicted != 0) & (entries.predicted != 1))
    if undecided.size:
        row, column = (int(index) for index in undecided[0])
        at = place(y_pred, label_array(y_pred).ndim, row, column)
        raise ValueError(
            f"y_pred at {at} is {float(entries.predicted[row, column])!r}; hamming_accuracy takes "
            "decisions 0 or 1. Apply a threshold to probabilities first."
        )
    right = (entries.true == entries.predicted)[entries.observed]
    return float(right.mean())
