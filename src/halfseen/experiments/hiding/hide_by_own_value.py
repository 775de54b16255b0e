"""Hiding by the value itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.hiding.hidden_where_large import hidden_where_large

_OWN_STREAM = 67_867_967


def hide_by_own_value(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
    """Not at random: an entry is the likelier to be hidden the larger it is.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> hidden = hide_by_own_value(X, 0.3, seed=0)
    >>> bool(X[hidden].mean() > X[~hidden].mean()), round(float(hidden.mean()), 1)
    (True, 0.3)
    """
    return hidden_where_large(X, rate, np.random.default_rng([seed, _OWN_STREAM]))
