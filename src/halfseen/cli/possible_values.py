"""Which values of a label are possible with a given probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def possible_values(
    model: Any,
    probabilities: NDArray[np.float64],
    knows_labels: NDArray[np.bool_],
    level: float,
) -> NDArray[np.bool_]:
    """The sets that hold the truth as often as asked, as of ``predict_set``.

    Rows of which some label is known are judged by what was learned on such rows.

    Parameters
    ----------
    model : HalfseenClassifier
        A fitted model with a predictive ensemble.
    probabilities : ndarray of shape (n_rows, n_values)
        Of the values of one label.
    knows_labels : ndarray of bool, shape (n_rows,)
        Whether a label of the row is known.
    level : float
        Share of truths that the sets shall hold.

    Returns
    -------
    ndarray of bool, shape (n_rows, n_values)
        Every set holds the most probable value at least.
    """
    smallest = np.where(
        knows_labels,
        model.prediction_.smallest_probability(level, knows_labels=True),
        model.prediction_.smallest_probability(level, knows_labels=False),
    )
    top = probabilities.max(axis=1, keepdims=True)
    possible: NDArray[np.bool_] = (probabilities >= smallest[:, None]) | (probabilities == top)
    return possible
