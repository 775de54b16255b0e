"""Columns that belong together, seen as one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SourceColumns(NamedTuple):
    """A table with one column for each block of columns.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_sources)
        A column that is a block by itself as it was; of several columns the place of the largest;
        NaN where missing.
    source_of_column : ndarray of int of shape (n_columns,)
        Which source each column of the table belongs to.

    Examples
    --------
    >>> source_columns(np.ones((1, 2)), None).source_of_column
    array([0, 1])
    """

    values: NDArray[np.float64]
    source_of_column: NDArray[np.int64]


def source_columns(X: NDArray[np.float64], blocks: NDArray[np.int64] | None) -> SourceColumns:
    """See columns that belong together as one; sources stand in the order of their first columns.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Numbers, NaN where missing. Within a row, a block is missing altogether or not at all.
    blocks : ndarray of int of shape (n_columns,) or None
        Columns with the same number belong together. None: every column is by itself.

    Returns
    -------
    SourceColumns

    Raises
    ------
    ValueError
        There is not one number for each column.

    Examples
    --------
    >>> X = np.array([[5.0, 0.0, 1.0], [6.0, 1.0, 0.0]])
    >>> source_columns(X, np.array([7, 3, 3]))
    SourceColumns(values=array([[5., 1.], [6., 0.]]), source_of_column=array([0, 1, 1]))
    """
    if blocks is None:
        return SourceColumns(X, np.arange(X.shape[1]))
    if np.shape(blocks) != (X.shape[1],):
        raise ValueError(
            f"blocks has shape {np.shape(blocks)}, but X has {X.shape[1]} columns; give one number "
            "for each column"
        )
    _, first, number = np.unique(blocks, return_index=True, return_inverse=True)
    order = np.argsort(first)
    source_of_column = np.argsort(order)[number]
    values = np.empty((len(X), len(first)))
    for source in range(len(first)):
        columns = X[:, source_of_column == source]
        values[:, source] = _one_value(columns)
    return SourceColumns(values, source_of_column)


def _one_value(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    if columns.shape[1] == 1:
        return columns[:, 0]
    missing = np.isnan(columns).any(axis=1)
    return np.where(missing, np.nan, np.argmax(np.nan_to_num(columns), axis=1))
