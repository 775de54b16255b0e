"""A large table as visible units that are written when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.column import Column
from halfseen.tables.encoded import Encoded, EncodedTable, Places
from halfseen.tables.encoding import warn_unseen, write_column
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.schema import Schema
from halfseen.tables.table import Table
from halfseen.tables.target import Target

_ROWS_AT_ONCE = 2**18
LARGE = 2**28  # bytes of visible units from which on they are not written down


def encode_table(schema: Schema, table: Table, target: Target | None) -> EncodedTable:
    """A table and its target as visible units: written down, or of a large table when asked for.

    Categories are always written down: looking them up again and again would take long, and where
    they are text, units are not what fills the memory.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> table = read_table(np.array([[1.0], [3.0]]))
    >>> type(encode_table(Schema(learn_columns(table), (), None), table, None)).__name__
    'Encoded'
    """
    n_bytes = table.n_rows * schema.n_visible * np.dtype(np.float32).itemsize
    if n_bytes < LARGE or any(column.kind == "categorical" for column in schema.features):
        return schema.encode(table, target)
    return EncodedOnDemand(schema, table, target)


class EncodedOnDemand:
    """A table as visible units, of which none are held.

    Units of a large table would be a second copy of it, and `observed` a quarter of one more. All
    columns are looked through once, so that what is wrong with a cell is said at the beginning.

    Parameters
    ----------
    schema : Schema
        The learned columns.
    table : Table
        The features; they must not change meanwhile.
    target : Target or None
        The target, if the schema has one.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> table = read_table(np.array([[1.0, np.nan], [3.0, 0.5], [5.0, 2.5]]))
    >>> on_demand = EncodedOnDemand(Schema(learn_columns(table), (), None), table, None)
    >>> on_demand.rows(np.array([2])).visible.round(2)
    array([[1.22, 1.  ]], dtype=float32)
    >>> on_demand.share_observed().round(2)
    array([1.  , 0.67])
    """

    def __init__(self, schema: Schema, table: Table, target: Target | None) -> None:
        self._schema, self._table, self._target = schema, table, target
        self._n_observed = np.zeros(schema.n_visible, np.int64)
        self._lowest, self._highest = np.full((2, schema.n_visible), [[np.inf], [-np.inf]])
        unseen = []
        for j, raw in enumerate(schema.raw_columns(table, target)):
            assert raw is not None, "a schema with targets needs the target"
            column, units = schema.columns[j], schema.units(j)
            strangers: dict[str, None] = {}
            for _, (visible, seen), own in _written_in_parts(column, raw):
                strangers |= dict.fromkeys(own)
                lowest = visible.min(axis=0, initial=np.inf, where=seen)
                highest = visible.max(axis=0, initial=-np.inf, where=seen)
                self._n_observed[units] += seen.sum(axis=0)
                self._lowest[units] = np.minimum(self._lowest[units], lowest)
                self._highest[units] = np.maximum(self._highest[units], highest)
            unseen.append((column.name, tuple(strangers)))
        warn_unseen(unseen)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._table.n_rows

    @property
    def n_visible(self) -> int:
        """Number of visible units."""
        return self._schema.n_visible

    def rows(self, rows: Places) -> Encoded:
        """All units of some rows."""
        target = None if self._target is None else self._target.rows(rows)
        return self._schema.write(self._table.rows(rows), target)[0]

    def units(self, units: Places) -> Encoded:
        """Some units of all rows, read column by column."""
        wanted = np.arange(self.n_visible)[units]
        visible = np.empty((len(wanted), self.n_rows), np.float32)
        observed = np.empty((len(wanted), self.n_rows), bool)
        owner = self._schema.column_of_unit[wanted]
        for j in np.unique(owner).tolist():
            own = np.flatnonzero(owner == j)
            place = wanted[own] - self._schema.units(j).start
            for rows, found, _ in _written_in_parts(self._schema.columns[j], self._raw(j)):
                visible[own, rows] = found.visible[:, place].T
                observed[own, rows] = found.observed[:, place].T
        return Encoded(visible.T, observed.T)

    def _raw(self, j: int) -> RawColumn:
        """A column as it was read, targets counted after the features."""
        n_features = len(self._schema.features)
        if self._target is None or j < n_features:
            return self._table.columns[j]
        return self._target.columns[j - n_features]

    def share_observed(self) -> NDArray[np.float64]:
        """Share of the rows in which each unit is observed, of shape (n_visible,)."""
        share: NDArray[np.float64] = self._n_observed / self.n_rows
        return share

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest observed value of each unit; infinite where nothing is observed."""
        return self._lowest, self._highest

    def written_down(self) -> Encoded:
        """All units of all rows, after all."""
        return self._schema.write(self._table, self._target)[0]


def _written_in_parts(
    column: Column, raw: RawColumn
) -> Iterator[tuple[slice, Encoded, tuple[str, ...]]]:
    """Some rows of one column, their units, and what training has never seen in them."""
    for first in range(0, len(raw.values), _ROWS_AT_ONCE):
        rows = slice(first, min(first + _ROWS_AT_ONCE, len(raw.values)))
        size = (column.n_units, rows.stop - first)
        units, seen = np.zeros(size, np.float32), np.zeros(size, bool)
        strangers = write_column(column, raw.rows(rows), units, seen)
        yield rows, Encoded(units.T, seen.T), strangers
