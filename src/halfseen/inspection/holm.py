"""Holm's correction of several p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Correct p-values so that the chance of any false alarm among them stays at the level.

    Parameters
    ----------
    p_values : sequence of float
        Of several tests, however dependent.

    Returns
    -------
    tuple of float
        Corrected p-values in the same order, at most 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    >>> holm([])
    ()
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return tuple(corrected.tolist())
