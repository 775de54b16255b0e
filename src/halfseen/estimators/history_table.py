"""The history of a training as one array, and back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.learning.history import EpochRecord, History

_COLUMNS = tuple(field.name for field in fields(EpochRecord))
_UNLESS_MONITORED = ("loss", "feature_loss", "label_loss")


def history_to_table(history: History) -> NDArray[np.float64]:
    """The records as an array of shape (n_epochs, n_quantities), NaN where nothing was taken.

    A long training has more records than a document should hold.

    Parameters
    ----------
    history : History
        The history.

    Returns
    -------
    ndarray of float64
        One row per epoch, one column per field of its record.

    Examples
    --------
    >>> history_to_table(History([EpochRecord(0, 0.5, 0.25, 1.0, 2.0)]))
    array([[0.  , 0.5 , 0.25, 1.  , 2.  ,  nan,  nan,  nan, 0.  ]])
    """
    return np.stack([history[name] for name in _COLUMNS], axis=1)


def history_from_table(table: NDArray[np.float64]) -> list[EpochRecord]:
    """The records that :func:`history_to_table` wrote.

    Parameters
    ----------
    table : ndarray of float64, shape (n_epochs, n_quantities)
        The array.

    Returns
    -------
    list of EpochRecord

    Raises
    ------
    ValueError
        The array is no history.

    Examples
    --------
    >>> record = EpochRecord(0, 0.5, 0.25, 1.0, 2.0, loss=0.125)
    >>> history_from_table(history_to_table(History([record]))) == [record]
    True
    """
    if table.ndim != 2 or table.shape[1] != len(_COLUMNS) or table.dtype != np.float64:
        raise ValueError(f"history must be of shape (n_epochs, {len(_COLUMNS)}) and float64")
    column = dict(zip(_COLUMNS, table.T, strict=True))
    for name, values in column.items():
        wrong = np.isinf(values) if name in _UNLESS_MONITORED else ~np.isfinite(values)
        if wrong.any():
            raise ValueError(f"{name} in the history must be finite")
    if not np.array_equal(column["epoch"], np.arange(len(table))):
        raise ValueError("the epochs of the history must count from 0")
    if not np.isin(column["rolled_back"], (0.0, 1.0)).all():
        raise ValueError("rolled_back in the history must be 0 or 1")
    return [_record(row) for row in table.tolist()]


def _record(row: list[float]) -> EpochRecord:
    value: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    for name in _UNLESS_MONITORED:
        value[name] = None if np.isnan(value[name]) else value[name]
    value["epoch"], value["rolled_back"] = int(value["epoch"]), bool(value["rolled_back"])
    return EpochRecord(**value)
