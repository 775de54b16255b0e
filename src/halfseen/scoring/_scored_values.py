"""True and filled-in values at the entries that were hidden."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._finite_entries import finite_entries
from halfseen.scoring._label_array import label_array
from halfseen.scoring.known import known


class ScoredValues(NamedTuple):
    """Entries at which a filling is scored.

    Attributes
    ----------
    error : ndarray of float of shape (n_scored,)
        Filled minus true value.
    column : ndarray of int of shape (n_scored,)
        The column of every scored entry.
    """

    error: NDArray[np.float64]
    column: NDArray[np.int64]


def scored_values(true: object, filled: object, hidden: object) -> ScoredValues:
    """Compare two tables at the hidden entries whose true value is known.

    Parameters
    ----------
    true : array-like of shape (n_rows, n_columns)
        The numbers before hiding; may itself have holes, which are skipped.
    filled : array-like of the same shape
        The table with every hidden entry filled in.
    hidden : array-like of bool of the same shape
        True where an entry was hidden from the method that filled it.

    Returns
    -------
    ScoredValues
        One element per hidden entry of known value.

    Examples
    --------
    >>> scored_values([[1.0, 2.0]], [[1.5, 2.0]], [[True, False]]).error
    array([0.5])
    """
    values, chosen = label_array(true), _truth_values(hidden)
    filled_shape = label_array(filled).shape
    if not values.shape == filled_shape == chosen.shape:
        raise ValueError(
            f"true, filled and hidden must have the same shape, not {values.shape}, "
            f"{filled_shape} and {chosen.shape}."
        )
    scored = chosen & known(values)
    if not scored.any():
        raise ValueError(
            "No hidden entry has a known true value, so there is nothing to score; "
            "hide entries that are known."
        )
    # float64 before subtracting: squares of float32 differences lose half the digits.
    error = finite_entries(filled, scored, "filled").astype(np.float64) - finite_entries(
        true, scored, "true"
    ).astype(np.float64)
    column = np.argwhere(scored)[:, -1] if values.ndim == 2 else np.zeros(error.size, np.int64)
    return ScoredValues(error, column)


def _truth_values(hidden: object) -> NDArray[Any]:
    values = label_array(hidden)
    if values.dtype.kind == "O" and all(
        isinstance(entry, bool | np.bool_) for entry in values.flat
    ):
        values = values.astype(bool)
    if values.dtype.kind != "b":
        raise ValueError(
            f"hidden must hold True (hidden, scored) or False only, not {values.dtype} entries."
        )
    return values
