"""What a method says about the hidden entries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Answer(NamedTuple):
    """Labels, scores and pixels for every row; only those that were hidden are ever scored.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        The digit decided for.
    scores : ndarray of shape (n_rows, n_classes)
        The larger, the more likely this class.
    classes : ndarray of shape (n_classes,)
        The class of every column of `scores`.
    pixels : ndarray of shape (n_rows, 64), or None
        Grey levels, hidden ones filled; None from a method that does not fill them.

    Examples
    --------
    >>> answer = Answer(np.array([1]), np.array([[0.2, 0.8]]), np.array([0, 1]), None)
    >>> answer.pixels is None
    True
    """

    labels: NDArray[Any]
    scores: NDArray[np.float64]
    classes: NDArray[Any]
    pixels: NDArray[np.float64] | None
