"""One ROC curve over all known labels."""

from __future__ import annotations

from sklearn.metrics import roc_auc_score

from halfseen.scoring._label_entries import label_entries


def micro_auc(y_true: object, y_score: object) -> float:
    """Area under one ROC curve over all known labels, pooled.

    This is the AUC of the paper's multi-label tables. Pooling rewards knowing
    how frequent each label is: a constant prior per label already reaches 0.78
    on Yeast. Report `macro_auc` beside it.

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
        Between 0 and 1; 0.5 for a constant score.

    Raises
    ------
    ValueError
        When no label is known, or all known labels have the same value.

    Examples
    --------
    >>> import numpy as np
    >>> micro_auc([[1, np.nan], [0, 0]], [[0.9, 0.1], [0.2, 0.4]])
    1.0
    """
    entries = label_entries(y_true, y_score, "y_score")
    true = entries.true[entries.observed]
    if true.min() == true.max():
        raise ValueError(
            f"All {true.size} known labels are {true[0]}; a ROC curve needs known zeros and "
            "known ones."
        )
    return float(roc_auc_score(true, entries.predicted[entries.observed]))
