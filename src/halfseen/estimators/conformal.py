"""Conformal levels: how far the truth lay from the answer, in held-out entries.

Split conformal prediction: the scores of entries that no member trained on say how wide a set must
be to hold the truth as often as asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVELS = np.concatenate([np.arange(1, 100) / 100.0, [0.995, 0.999]])
_PSEUDO_ENTRIES = 40.0


@dataclass(frozen=True)
class Conformal:
    """Score that a share of the held-out entries did not exceed, at each of :data:`LEVELS`."""

    number: NDArray[np.float64]  # (n_gaussian, n_levels), of |x - answer| / spread
    label: NDArray[np.float64]  # (2, n_levels), of 1 - p(truth): rows without, with known labels


def held_out_quantiles(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores not exceeded at each level, with the correction for a finite sample.

    Of n scores the one of rank ``ceil((n + 1) level)`` is taken, and the largest where that is
    more than n.

    Examples
    --------
    >>> float(held_out_quantiles(np.arange(1.0, 100.0))[89])
    90.0
    """
    if not len(scores):
        return np.full(len(LEVELS), np.inf)
    ordered = np.sort(scores)
    rank = np.ceil((len(ordered) + 1) * LEVELS - 1e-9).astype(int)
    quantiles: NDArray[np.float64] = ordered[np.minimum(rank, len(ordered)) - 1]
    return quantiles


def column_quantiles(
    scores: NDArray[np.float64], column: NDArray[np.int64], n_columns: int
) -> NDArray[np.float64]:
    """Quantiles of every column, drawn to those of all columns with the strength of forty entries.

    Parameters
    ----------
    scores, column : ndarray of shape (n_entries,)
        Scores, and the columns of their entries.
    n_columns : int
        Columns, with entries or without.

    Returns
    -------
    ndarray of shape (n_columns, n_levels)
    """
    common = held_out_quantiles(scores)
    quantiles = np.tile(common, (n_columns, 1))
    by_column = scores[np.argsort(column, kind="stable")]
    ends = np.cumsum(np.bincount(column, minlength=n_columns))
    for place, own in enumerate(np.split(by_column, ends[:-1])):
        if len(own):
            share = len(own) / (len(own) + _PSEUDO_ENTRIES)
            quantiles[place] = share * held_out_quantiles(own) + (1 - share) * common
    return quantiles


def at_level(quantiles: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Quantiles at a level between those of the table, by interpolation on the last axis."""
    place = float(np.interp(level, LEVELS, np.arange(len(LEVELS))))
    below, share = int(place), place - int(place)
    above = min(below + 1, len(LEVELS) - 1)
    if share == 0.0:
        exact: NDArray[np.float64] = quantiles[..., below]
        return exact
    between: NDArray[np.float64] = (1 - share) * quantiles[..., below] + share * quantiles[
        ..., above
    ]
    return between
