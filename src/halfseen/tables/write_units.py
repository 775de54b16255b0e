"""Columns of a table written into one matrix of visible units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.aligned_zeros import aligned_zeros
from halfseen.tables.column import Column
from halfseen.tables.encoded import Encoded
from halfseen.tables.encoding import write_column
from halfseen.tables.raw_column import RawColumn

_COLUMNS_AT_ONCE = 32
_ROWS_AT_ONCE = 256

Unseen = list[tuple[str, tuple[str, ...]]]


def write_units(
    columns: Sequence[Column],
    places: Sequence[slice],
    raws: Iterable[RawColumn | None],
    size: tuple[int, int],
) -> tuple[Encoded, Unseen]:
    """Write raw columns into their places among the units.

    Parameters
    ----------
    columns : sequence of Column
        The learned columns.
    places : sequence of slice
        Units of each.
    raws : iterable of RawColumn or None
        What was read for each; None leaves its units unobserved.
    size : tuple of int
        Rows and visible units.

    Returns
    -------
    encoded : Encoded
        Visible values, 0 where unobserved, and `observed`.
    unseen : list of (str, tuple of str)
        Of every column its name, and the printed values that count as missing.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> table = read_table(np.array([[1.0], [3.0], [np.nan]]))
    >>> encoded, _ = write_units(learn_columns(table), [slice(0, 1)], table.columns, (3, 1))
    >>> encoded.visible.T
    array([[-1.,  1.,  0.]], dtype=float32)
    """
    n_rows, _ = size
    visible, observed = aligned_zeros(size, np.float32), aligned_zeros(size, bool)
    unseen: Unseen = []
    waiting: list[tuple[slice, NDArray[np.float32], NDArray[np.bool_]]] = []
    for column, place, raw in zip(columns, places, raws, strict=True):
        if raw is not None:
            of_column = (column.n_units, n_rows)
            units, seen = np.zeros(of_column, np.float32), np.zeros(of_column, bool)
            unseen.append((column.name, write_column(column, raw, units, seen)))
            waiting.append((place, units, seen))
        if len(waiting) == _COLUMNS_AT_ONCE:
            _write_turned(waiting, visible, observed)
            waiting = []
    _write_turned(waiting, visible, observed)
    return Encoded(visible, observed), unseen


def _write_turned(
    waiting: Sequence[tuple[slice, NDArray[np.float32], NDArray[np.bool_]]],
    visible: NDArray[np.float32],
    observed: NDArray[np.bool_],
) -> None:
    """Write columns into their places, a few rows of all of them at a time.

    Column by column every number of a tall matrix would be fetched from memory by itself.
    """
    for first in range(0, len(visible), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        for where, units, seen in waiting:
            visible[rows, where], observed[rows, where] = units[:, rows].T, seen[:, rows].T
