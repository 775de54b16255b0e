"""Hiding by the value of another column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.hiding.hidden_where_large import hidden_where_large

_OWN_STREAM = 67_867_967


def hide_by_other_columns(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
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
    generator = np.random.default_rng([seed, _OWN_STREAM])
    hidden[:, 1::2] = hidden_where_large(causes, rate, generator)
    return hidden
