"""The typical patterns that a row is nearest to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfseen.explanations.typical_pattern import NearestPattern, TypicalPattern
from halfseen.tables import Schema

N_NEAREST = 3
# Standard deviations below which a pattern is the average row itself, and has no direction.
_NOWHERE = 1e-3


def nearest_patterns(
    schema: Schema,
    patterns: Sequence[TypicalPattern],
    visible: NDArray[np.floating],
    observed: NDArray[np.bool_],
) -> tuple[NearestPattern, ...]:
    """The typical patterns with the largest overlap with what was observed of a row.

    Row and pattern are counted from the average row in standard deviations of the units, and
    compared over the observed units alone: their overlap is the cosine of the angle between them.

    Parameters
    ----------
    schema : Schema
        The columns.
    patterns : sequence of TypicalPattern
        From :func:`typical_patterns`.
    visible, observed : ndarray of shape (n_visible,)
        The row.

    Returns
    -------
    tuple of NearestPattern
        At most three, the nearest first; none if nothing was observed.
    """
    if not observed.any():
        return ()
    row = standard_units(schema, visible)[observed]
    near = [
        NearestPattern(pattern, _cosine(row, standard_units(schema, pattern.units)[observed]))
        for pattern in patterns
    ]
    return tuple(sorted(near, key=lambda each: -each.overlap)[:N_NEAREST])


def standard_units(schema: Schema, units: NDArray[np.floating]) -> NDArray[np.float64]:
    """Units of one row counted from their averages, in standard deviations.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> schema = Schema(learn_columns(read_table([[0.0], [1.0]])), (), None)
    >>> standard_units(schema, np.array([1.0]))
    array([1.])
    """
    average = schema.marginals
    variance = np.ones(schema.n_visible)
    discrete = slice(schema.n_gaussian, None)
    variance[discrete] = average[discrete] * (1.0 - average[discrete])
    away = units.astype(np.float64) - average
    return np.where(variance > 0, away / np.sqrt(np.where(variance > 0, variance, 1.0)), 0.0)


def _cosine(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    lengths = float(np.sqrt((first**2).sum())), float(np.sqrt((second**2).sum()))
    if min(lengths) < _NOWHERE:
        return 0.0
    return float((first * second).sum() / (lengths[0] * lengths[1]))
