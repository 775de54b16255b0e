"""Mean area under the ROC curves of the labels."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from halfseen.scoring._label_entries import label_entries


def macro_auc(y_true: object, y_score: object) -> float:
    """Mean over labels of the area under the ROC curve of each label.

    Every label is scored on the rows where it is known. A label of which only
    one value is known has no ROC curve and does not enter the mean.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_score : array-like of the same shape
        Larger means "more likely 1". Entries whose label is unknown are not
        looked at.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for scores that do not depend on the row.

    Raises
    ------
    ValueError
        When no label has both a known zero and a known one.

    Examples
    --------
    >>> import numpy as np
    >>> y = [[1, 0], [0, 0], [1, np.nan]]  # the second label has no known one
    >>> macro_auc(y, [[0.9, 0.1], [0.5, 0.2], [0.3, 0.9]])
    0.5
    """
    entries = label_entries(y_true, y_score, "y_score")
    areas = []
    for column, seen in enumerate(entries.observed.T):
        true = entries.true[seen, column]
        if np.unique(true).size == 2:
            areas.append(roc_auc_score(true, entries.predicted[seen, column]))
    if not areas:
        raise ValueError(
            f"None of the {entries.observed.shape[1]} labels has both a known zero and a known "
            "one, so no ROC curve can be drawn; score more rows."
        )
    return float(np.mean(areas))
