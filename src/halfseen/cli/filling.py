"""The holes of a table, filled batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.model_source import ModelSource

if TYPE_CHECKING:
    import pyarrow

Answering = Callable[["pyarrow.Table"], list[ColumnAnswer]]
Listening = Callable[[NDArray[np.int64], list[ColumnAnswer]], None]


class Filling:
    """Answers of a model as `write_filled` takes them, batch by batch.

    Rows without a hole are not asked about.

    Parameters
    ----------
    source : ModelSource
        The table.
    answering : callable
        From rows in the model's columns to answers.
    listening : callable
        Is told of each batch the numbers of the rows that were asked about, counted from 1, and the
        answers for columns that the table has, `observed` where the file has a value.
    tell : callable
        Is told how many rows are done.

    Examples
    --------
    >>> Filling(None, None, None, None).n_rows
    0
    """

    def __init__(
        self,
        source: ModelSource,
        answering: Answering,
        listening: Listening,
        tell: Callable[[int], None],
    ) -> None:
        self.source = source
        self.answering = answering
        self.listening = listening
        self.tell = tell
        self.n_rows = 0

    def __call__(self, batch: pyarrow.Table) -> Mapping[str, Any]:
        """Values for the holes of one batch, by column.

        Parameters
        ----------
        batch : pyarrow.Table
            All columns of some rows.

        Returns
        -------
        dict from column name to array
        """
        holes = {name: holes_of(batch.column(name)) for name in self.source.present}
        rows = np.flatnonzero(np.any(np.stack(list(holes.values())), axis=0))
        first_row, self.n_rows = self.n_rows, self.n_rows + batch.num_rows
        values: dict[str, Any] = {}
        if len(rows):
            some = batch if len(rows) == batch.num_rows else batch.take(rows)
            answers = [
                replace(answer, observed=~holes[answer.name][rows])
                for answer in self.answering(self.source.for_model(some))
                if answer.name in holes
            ]
            self.listening(rows + first_row + 1, answers)
            values = {
                answer.name: spread_over(as_column(answer.decision), rows, batch.num_rows)
                for answer in answers
                if not answer.observed.all()
            }
        self.tell(self.n_rows)
        return values


def holes_of(column: pyarrow.ChunkedArray) -> NDArray[np.bool_]:
    """Where a column of a file has holes.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        As a batch has it.

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import pyarrow as pa
    >>> holes_of(pa.chunked_array([[1.0, None]]))
    array([False,  True])
    """
    if not column.null_count:
        return np.zeros(len(column), dtype=bool)
    return np.asarray(column.is_null().to_numpy(), dtype=bool)


def spread_over(values: pyarrow.Array, rows: NDArray[np.intp], n_rows: int) -> pyarrow.Array:
    """Values of some rows as a column of all rows, null elsewhere.

    Parameters
    ----------
    values : pyarrow.Array
        One for each of the rows.
    rows : ndarray of int
        Which rows.
    n_rows : int
        How many rows there are.

    Returns
    -------
    pyarrow.Array

    Examples
    --------
    >>> import pyarrow as pa
    >>> spread_over(pa.array(["a", "b"]), np.array([0, 2]), 3).to_pylist()
    ['a', None, 'b']
    """
    import pyarrow as pa

    if len(rows) == n_rows:
        return values
    place = np.zeros(n_rows, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    nobody = np.ones(n_rows, dtype=bool)
    nobody[rows] = False
    return values.take(pa.array(place, mask=nobody))


def as_column(values: NDArray[Any]) -> pyarrow.Array:
    """Decisions as an array from which holes of a file are filled, in the file's own way.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers, truth values, or categories.

    Returns
    -------
    pyarrow.Array
        Of numbers or truth values where they are that, else of text.

    Examples
    --------
    >>> as_column(np.array([0, 1])).to_pylist()
    [0.0, 1.0]
    >>> as_column(np.array(["red", 3], dtype=object)).to_pylist()
    ['red', '3']
    """
    import pyarrow as pa

    if values.dtype.kind in "iuf":
        return pa.array(values, pa.float64())
    plain = values.tolist()
    if any(isinstance(value, str) for value in plain):
        return pa.array([str(value) for value in plain], pa.string())
    return pa.array(plain)
