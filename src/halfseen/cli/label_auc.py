"""How well labels are ranked, label by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables import Schema


def label_auc(
    schema: Schema,
    truth: NDArray[Any],
    hidden: NDArray[np.bool_],
    units: NDArray[np.float64],
) -> dict[str, float]:
    """Area under the ROC curve of each label over its hidden entries.

    Parameters
    ----------
    schema : Schema
        What the units are.
    truth, units : ndarray of shape (n_rows, n_visible)
        True values, and the answers.
    hidden : ndarray of bool, shape (n_rows, n_visible)
        True where a known unit was hidden.

    Returns
    -------
    dict from label to float
        For classes the mean over one class against the rest; labels of which the hidden entries
        are all alike are left out.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, learn_target_columns, read_table, read_target
    >>> table, target = read_table([[1.0], [3.0]]), read_target(["no", "yes"])
    >>> schema = Schema(learn_columns(table), learn_target_columns(target), "classes")
    >>> truth = schema.encode(table, target).visible
    >>> label_auc(schema, truth, np.ones((2, 3), bool), truth)
    {'y': 1.0}
    """
    from sklearn.metrics import roc_auc_score

    aucs = {}
    for j, column in enumerate(schema.targets):
        own = schema.target_units(j)
        rows = np.flatnonzero(hidden[:, own.start])
        areas = []
        for unit in range(own.start, own.stop):
            true = truth[rows, unit] > 0.5
            if true.any() and not true.all():
                areas.append(roc_auc_score(true, np.nan_to_num(units[rows, unit])))
        if areas:
            aucs[column.name] = float(np.mean(areas))
    return aucs


def mean_auc(aucs: Mapping[str, float]) -> float | None:
    """Mean over labels, None if there are none.

    Parameters
    ----------
    aucs : mapping from label to float
        As of :func:`label_auc`.

    Returns
    -------
    float or None

    Examples
    --------
    >>> mean_auc({"a": 0.5, "b": 1.0}), mean_auc({})
    (0.75, None)
    """
    return float(np.mean(list(aucs.values()))) if aucs else None
