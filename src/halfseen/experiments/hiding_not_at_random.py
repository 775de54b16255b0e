"""Hiding entries in ways that are not completely at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hidden = NDArray[np.bool_]
Numbers = NDArray[np.float64]

_OWN_STREAM = 67_867_967
_STEEPNESS = 3.0


def hide_by_other_columns(X: Numbers, rate: float, seed: int) -> Hidden:
    """At random given what is seen: every other column is hidden by its left neighbour's value.

    The columns in even places are never hidden; an odd column is hidden where its left neighbour is
    large, with a probability that rises with it. ``rate`` is the mean share over the odd columns.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 4))
    >>> hidden = hide_by_other_columns(X, 0.5, seed=0)
    >>> hidden.any(axis=0).tolist(), bool(X[hidden[:, 1], 0].mean() > X[~hidden[:, 1], 0].mean())
    ([False, True, False, True], True)
    """
    hidden = np.zeros(X.shape, bool)
    causes = X[:, 0 : 2 * (X.shape[1] // 2) : 2]
    hidden[:, 1::2] = _hidden_where_large(causes, rate, seed)
    return hidden


def hide_by_own_value(X: Numbers, rate: float, seed: int) -> Hidden:
    """Not at random: an entry is the likelier to be hidden the larger it is.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> hidden = hide_by_own_value(X, 0.3, seed=0)
    >>> bool(X[hidden].mean() > X[~hidden].mean()), round(float(hidden.mean()), 1)
    (True, 0.3)
    """
    return _hidden_where_large(X, rate, seed)


def hide_blocks(X: Numbers, rate: float, seed: int) -> Hidden:
    """Columns fail together: every row loses one run of neighbouring columns.

    Examples
    --------
    >>> hidden = hide_blocks(np.zeros((100, 10)), 0.4, seed=0)
    >>> np.unique(hidden.sum(axis=1)).tolist()
    [4]
    """
    generator = np.random.default_rng([seed, _OWN_STREAM])
    n_rows, n_columns = X.shape
    length = round(rate * n_columns)
    first = generator.integers(0, n_columns - length + 1, size=n_rows)
    place = np.arange(n_columns)
    hidden: Hidden = (place >= first[:, None]) & (place < first[:, None] + length)
    return hidden


def _hidden_where_large(causes: Numbers, rate: float, seed: int) -> Hidden:
    """Hidden with a logistic probability of the rank of the cause within its column."""
    generator = np.random.default_rng([seed, _OWN_STREAM])
    rank = np.argsort(np.argsort(causes, axis=0), axis=0) / max(len(causes) - 1, 1)
    tilt = 2 * _STEEPNESS * (rank - 0.5)
    shift = _shift_for(tilt, rate)
    hidden: Hidden = generator.random(causes.shape) < 1 / (1 + np.exp(-(tilt + shift)))
    return hidden


def _shift_for(tilt: Numbers, rate: float) -> float:
    """The shift of the log-odds at which their mean probability is the rate, by bisection."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        too_low = np.mean(1 / (1 + np.exp(-(tilt + middle)))) < rate
        low, high = (middle, high) if too_low else (low, middle)
    return (low + high) / 2
