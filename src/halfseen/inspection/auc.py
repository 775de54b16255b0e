"""Area under the ROC curve, from values and from counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata


def auc_of_values(values: NDArray[Any], positive: NDArray[np.bool_]) -> float | None:
    """Chance that a positive has a higher value than a negative, ties counting half.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Scores.
    positive : ndarray of bool, shape (n,)
        Which of them are positives.

    Returns
    -------
    float or None
        None where there are no positives or no negatives.

    Examples
    --------
    >>> import numpy as np
    >>> auc_of_values(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    n_positive = int(np.count_nonzero(positive))
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    total = float(rankdata(values)[positive].sum())
    return (total - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def auc_of_counts(positives: NDArray[Any], negatives: NDArray[Any]) -> float | None:
    """The same from counts of positives and negatives at each distinct value, in rising order.

    Parameters
    ----------
    positives, negatives : ndarray of shape (n_distinct,)
        Counts.

    Returns
    -------
    float or None
        None where there are no positives or no negatives.

    Examples
    --------
    >>> import numpy as np
    >>> auc_of_counts(np.array([0, 1, 1]), np.array([1, 1, 0]))
    0.875
    """
    n_pairs = float(positives.sum()) * float(negatives.sum())
    if not n_pairs:
        return None
    below = np.cumsum(negatives) - negatives / 2
    return float(positives @ below) / n_pairs
