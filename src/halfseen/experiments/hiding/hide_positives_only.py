"""Hiding ones among the labels, and no zeros."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_OWN_STREAM = 86_028_157


def hide_positives_only(
    Y: NDArray[np.float64], missing_features: NDArray[np.bool_], rate: float, seed: int
) -> NDArray[np.bool_]:
    """Each one among the labels with probability ``rate``; every zero stays.

    All that is asked for is then a one: there is no AUC, and the accuracy is the share of the
    hidden ones that were found. A hole says "one" to whoever looks at holes.

    Examples
    --------
    >>> hide_positives_only(np.array([[1.0, 0.0]]), np.zeros((1, 1), bool), 1.0, seed=0)
    array([[ True, False]])
    """
    drawn: NDArray[np.bool_] = np.random.default_rng([seed, _OWN_STREAM]).random(Y.shape) < rate
    hidden: NDArray[np.bool_] = drawn & (Y == 1)
    return hidden


def hide_all_but_positives(
    Y: NDArray[np.float64], missing_features: NDArray[np.bool_], rate: float, seed: int
) -> NDArray[np.bool_]:
    """Weak labels: ones are seen, each with probability 1 - ``rate``, and zeros never are.

    This is the setting that CLE was made for. The same ones are hidden as by
    :func:`hide_positives_only`.

    Examples
    --------
    >>> hide_all_but_positives(np.array([[1.0, 0.0]]), np.zeros((1, 1), bool), 0.0, seed=0)
    array([[False,  True]])
    """
    hidden: NDArray[np.bool_] = (Y == 0) | hide_positives_only(Y, missing_features, rate, seed)
    return hidden
