"""A target as it was read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.raw_column import RawColumn

TargetKind = Literal["classes", "labels", "outputs"]


@dataclass(frozen=True, eq=False)
class Target:
    """A target as it was read.

    Attributes
    ----------
    kind : {"classes", "labels", "outputs"}
        One class column, several yes-or-no labels, or several class columns.
    columns : tuple of RawColumn
        The columns in their order.
    names : tuple of str
        Their names; "y" for a one-dimensional target, "y0", "y1", ... for arrays.
    n_rows : int
        Number of rows.
    dtypes : tuple of str
        Per column the numpy type that its classes are given back in.

    Examples
    --------
    >>> from halfseen.tables import read_target
    >>> target = read_target([0, None, 1])
    >>> target.kind, target.n_observed
    ('classes', 2)
    """

    kind: TargetKind
    columns: tuple[RawColumn, ...]
    names: tuple[str, ...]
    n_rows: int
    dtypes: tuple[str, ...]

    def rows(self, rows: slice | NDArray[np.integer]) -> Target:
        """Some of its rows.

        Examples
        --------
        >>> from halfseen.tables import read_target
        >>> read_target([0, None, 1]).rows(np.array([2, 1])).n_observed
        1
        """
        columns = tuple(column.rows(rows) for column in self.columns)
        return replace(self, columns=columns, n_rows=len(columns[0].values))

    @property
    def n_observed(self) -> int:
        """Number of observed entries."""
        return sum(column.n_observed for column in self.columns)
