"""Mean one-against-the-rest AUC of classes."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from halfseen.scoring._class_rows import class_rows


def averaged_auc(y_true: object, y_score: object, classes: object) -> float:
    """Mean over classes of the AUC of each class against the rest.

    This is the "averaged AUC" of the paper's multi-class tables, on the rows
    whose class is known. A class that no known row has cannot be scored and
    does not enter the mean.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Classes (numbers, text, truth values), missing where unknown.
    y_score : array-like of shape (n_rows, n_classes)
        Larger means "more likely this class". Rows of unknown class are not
        looked at.
    classes : array-like of shape (n_classes,)
        The class of every column of `y_score`, such as ``estimator.classes_``.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for scores that do not depend on the row.

    Raises
    ------
    ValueError
        When fewer than two classes are known, or a known class is not in
        `classes`.

    Examples
    --------
    >>> y = ["a", "b", None, "a"]
    >>> averaged_auc(y, [[0.8, 0.2], [0.3, 0.7], [0.5, 0.5], [0.6, 0.4]], ["a", "b"])
    1.0
    """
    rows = class_rows(y_true, y_score, classes, "y_score")
    present = np.unique(rows.codes)
    if present.size < 2:
        raise ValueError(
            f"All {rows.codes.size} known rows have the same class; a ROC curve needs known rows "
            "of at least two classes."
        )
    areas = [roc_auc_score(rows.codes == code, rows.scores[:, code]) for code in present]
    return float(np.mean(areas))
