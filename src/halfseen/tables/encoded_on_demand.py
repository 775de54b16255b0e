"""A large table as visible units that are written when they are asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.column import Column
from halfseen.tables.encoded import Encoded, EncodedTable, Places
from halfseen.tables.encoding import warn_unseen, write_column
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.schema import Schema
from halfseen.tables.table import Table
from halfseen.tables.target import Target

LARGE = 2**28  # bytes of the units of features from which on they are not written down


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
    n_feature_units = int((~schema.is_target_unit).sum())
    n_bytes = table.n_rows * n_feature_units * np.dtype(np.float32).itemsize
    if n_bytes < LARGE or any(column.kind == "categorical" for column in schema.features):
        return schema.encode(table, target)
    return EncodedOnDemand(schema, table, target)


class EncodedOnDemand:
    """A table as visible units, of which only those of targets are held.

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
        self._lowest, self._highest = np.zeros((2, schema.n_visible))
        size = (table.n_rows, int(schema.is_target_unit.sum()))
        self._targets = Encoded(np.zeros(size, np.float32), np.zeros(size, bool))
        unseen = []
        for j, raw in enumerate(schema.raw_columns(table, target)):
            assert raw is not None, "a schema with targets needs the target"
            found, strangers = _written(schema.columns[j], raw)
            unseen.append((schema.columns[j].name, strangers))
            visible, seen = found
            self._n_observed[schema.units(j)] = seen.sum(axis=0)
            self._lowest[schema.units(j)] = visible.min(axis=0, initial=np.inf, where=seen)
            self._highest[schema.units(j)] = visible.max(axis=0, initial=-np.inf, where=seen)
            if j >= len(schema.features):
                places = self._among_targets(schema.units(j))
                self._targets.visible[:, places], self._targets.observed[:, places] = visible, seen
        warn_unseen(unseen)

    def _among_targets(self, units: Places) -> NDArray[np.int64]:
        """Where units of targets stand among the units of all targets."""
        places: NDArray[np.int64] = (np.cumsum(self._schema.is_target_unit) - 1)[units]
        return places

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
        encoded, _ = self._schema.write(self._table.rows(rows), None)
        is_target = self._schema.is_target_unit
        encoded.visible[:, is_target] = self._targets.visible[rows]
        encoded.observed[:, is_target] = self._targets.observed[rows]
        return encoded

    def units(self, units: Places) -> Encoded:
        """Some units of all rows; those of features are read column by column."""
        wanted = np.arange(self.n_visible)[units]
        if self._schema.is_target_unit[wanted].all():
            return self._targets.units(self._among_targets(wanted))
        visible = np.empty((len(wanted), self.n_rows), np.float32)
        observed = np.empty((len(wanted), self.n_rows), bool)
        owner = self._schema.column_of_unit[wanted]
        for j in np.unique(owner).tolist():
            own = owner == j
            visible[own], observed[own] = (part.T for part in self._of_column(j, wanted[own]))
        return Encoded(visible.T, observed.T)

    def _of_column(self, j: int, units: NDArray[np.int64]) -> Encoded:
        if j >= len(self._schema.features):
            return self._targets.units(self._among_targets(units))
        found, _ = _written(self._schema.columns[j], self._table.columns[j])
        return found.units(units - self._schema.units(j).start)

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


def _written(column: Column, raw: RawColumn) -> tuple[Encoded, tuple[str, ...]]:
    """The units of one column, and what training has never seen in it."""
    size = (column.n_units, len(raw.values))
    units, seen = np.zeros(size, np.float32), np.zeros(size, bool)
    strangers = write_column(column, raw, units, seen)
    return Encoded(units.T, seen.T), strangers
