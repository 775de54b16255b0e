"""What a model expects of the units of some rows, a part of the rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables import Encoded

# A multiple of the rows that are computed at once; what is in between stays in the cache.
_ROWS_AT_ONCE = 2048


def completed_units(model: Any, encoded: Encoded) -> NDArray[np.float32]:
    """Expected value of every unit, by the ensemble where there is one.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    encoded : Encoded
        The rows.

    Returns
    -------
    ndarray of float32, shape (n_rows, n_visible)
        Observed units are as they were. A row's answer does not depend on the others.
    """
    answering = model.machine_ if model.prediction_ is None else model.prediction_
    (completed,) = in_parts(lambda *part: (answering.complete(*part),), encoded)
    return completed


def bounds_of_units(
    model: Any, encoded: Encoded, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of every number, as of ``predict_interval``.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model with an ensemble.
    encoded : Encoded
        The rows.
    level : float
        How often the bounds shall hold the truth.

    Returns
    -------
    lower, upper : ndarray of shape (n_rows, n_gaussian)
    """
    lower, upper = in_parts(lambda *part: model.prediction_.interval(*part, level), encoded)
    return lower, upper


def in_parts(
    answer: Callable[..., tuple[NDArray[Any], ...]], encoded: Encoded
) -> tuple[NDArray[Any], ...]:
    """Ask about some rows at a time, and put the answers together.

    Parameters
    ----------
    answer : callable
        From visible units and `observed` to arrays with a row for each row.
    encoded : Encoded
        The rows.

    Returns
    -------
    tuple of ndarray

    Examples
    --------
    >>> rows = Encoded(np.arange(5000.0)[:, None], np.ones((5000, 1), bool))
    >>> (doubled,) = in_parts(lambda visible, observed: (2 * visible,), rows)
    >>> doubled.shape, float(doubled[-1, 0])
    ((5000, 1), 9998.0)
    """
    starts = range(0, max(len(encoded.visible), 1), _ROWS_AT_ONCE)
    parts = [answer(*(part[start : start + _ROWS_AT_ONCE] for part in encoded)) for start in starts]
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
