"""The columns of a numeric array, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.raw_column import RawColumn
from halfseen.tables.turned import turned

# So many columns are read together, and no more than an eighth of them: a copy that is small beside
# the table.
_MOST_AT_ONCE = 32
_LEAST_READS = 8


class NumberColumns(Sequence[RawColumn]):
    """The columns of a numeric array, which stays the only copy of the whole table.

    The last few columns that were read are kept, so that going through all of them in order reads
    the array once.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        Floats, whole numbers or booleans; finite, or NaN where missing.
    dtype : type
        float32 or float64, the type of the values that are handed out.

    Examples
    --------
    >>> columns = NumberColumns(np.array([[1.0, np.nan], [2.0, 4.0]]), np.float64)
    >>> columns[1].values, columns[1].observed
    (array([0., 4.]), array([False,  True]))
    """

    def __init__(self, array: NDArray[Any], dtype: type[np.float32] | type[np.float64]) -> None:
        self._array = array
        self._dtype = dtype
        self._at_once = max(1, min(_MOST_AT_ONCE, array.shape[1] // _LEAST_READS))
        # The place of the first, and the columns: one thing, so that threads may share it.
        self._kept: tuple[int, tuple[RawColumn, ...]] = (-1, ())

    def __len__(self) -> int:
        return int(self._array.shape[1])

    def rows(self, rows: slice | NDArray[np.integer]) -> NumberColumns:
        """The columns of some rows."""
        return NumberColumns(self._array[rows], self._dtype)

    @overload
    def __getitem__(self, index: int) -> RawColumn: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[RawColumn, ...]: ...

    def __getitem__(self, index: int | slice) -> RawColumn | tuple[RawColumn, ...]:
        if isinstance(index, slice):
            return tuple(self[j] for j in range(*index.indices(len(self))))
        place = range(len(self))[index]  # counts from the end, and refuses what is outside
        first, kept = place - place % self._at_once, self._kept
        if kept[0] != first:
            kept = self._kept = (first, self._read(first))
        column: RawColumn = kept[1][place - first]
        return column

    def __iter__(self) -> Iterator[RawColumn]:
        return (self[j] for j in range(len(self)))

    def _read(self, first: int) -> tuple[RawColumn, ...]:
        part = self._array[:, first : first + self._at_once]
        values = turned(part, self._dtype)
        observed = np.broadcast_to(np.True_, values.shape)
        if part.dtype.kind == "f" and not np.isfinite(values).all():
            observed = ~np.isnan(values)
            np.copyto(values, 0.0, where=~observed)
        values.setflags(write=False)
        is_bool = part.dtype.kind == "b"
        return tuple(
            RawColumn(own, seen, False, is_bool) for own, seen in zip(values, observed, strict=True)
        )
