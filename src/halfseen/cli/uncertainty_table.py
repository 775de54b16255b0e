"""How sure the model is of every cell that it filled, as a long table."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfseen.cli.column_answer import ColumnAnswer

if TYPE_CHECKING:
    import pyarrow


def uncertainty_schema() -> pyarrow.Schema:
    """Columns of the long table: one row for every filled cell.

    Returns
    -------
    pyarrow.Schema

    Examples
    --------
    >>> uncertainty_schema().names[:4]
    ['row', 'column', 'decision', 'value']
    """
    import pyarrow as pa

    return pa.schema(
        [
            ("row", pa.int64()),
            ("column", pa.string()),
            ("decision", pa.string()),
            ("value", pa.float64()),
            ("lower", pa.float64()),
            ("upper", pa.float64()),
            ("probability", pa.float64()),
            ("possible", pa.string()),
            ("not_sure", pa.bool_()),
        ]
    )


def uncertainty_rows(numbers: NDArray[np.int64], answers: Sequence[ColumnAnswer]) -> pyarrow.Table:
    """The filled cells of one batch.

    Parameters
    ----------
    numbers : ndarray of int, shape (n_rows,)
        Which rows of the file these are, counted from 1.
    answers : sequence of ColumnAnswer
        What the model says of them.

    Returns
    -------
    pyarrow.Table
        In the order of the rows, and of the columns within a row. ``value`` is the expected number
        before it is rounded, ``probability`` that of the decision.

    Examples
    --------
    >>> answer = ColumnAnswer("age", "number", False, np.array([True, False]),
    ...                       expected=np.array([3.0, 4.5]))
    >>> uncertainty_rows(np.array([11, 12]), [answer]).select(["row", "value"]).to_pylist()
    [{'row': 12, 'value': 4.5}]
    """
    import pyarrow as pa

    schema = uncertainty_schema()
    wide = pa.schema([*schema, ("order", pa.int64())])
    parts = [wide.empty_table()]
    for order, answer in enumerate(answers):
        holes = np.flatnonzero(~answer.observed)
        texts = None
        if answer.chosen is not None:
            texts = np.array([str(value) for value in answer.values], dtype=object)[answer.chosen]
        columns: dict[str, Any] = {
            "row": numbers,
            "column": np.full(len(numbers), answer.name, dtype=object),
            "decision": texts,
            "value": answer.expected,
            "lower": answer.lower,
            "upper": answer.upper,
            "probability": answer.confidence,
            "possible": answer.possible_texts(),
            "not_sure": answer.is_not_sure,
            "order": np.full(len(numbers), order),
        }
        arrays = [
            pa.nulls(len(holes), field.type)
            if columns[field.name] is None
            else pa.array(columns[field.name][holes], field.type)
            for field in wide
        ]
        parts.append(pa.table(arrays, schema=wide))
    joined = pa.concat_tables(parts).sort_by([("row", "ascending"), ("order", "ascending")])
    return joined.select(schema.names)


class UncertaintySpool:
    """Filled cells put aside on disk until the filled table stands, then given back in order.

    Examples
    --------
    >>> with UncertaintySpool() as spool:
    ...     spool.add(np.array([1]), [])
    ...     sum(batch.num_rows for batch in spool.batches())
    0
    """

    def __init__(self) -> None:
        import pyarrow as pa

        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._writer = pa.ipc.new_stream(self._file, uncertainty_schema())
        self.n_cells = 0
        self.n_not_sure = 0

    def __enter__(self) -> UncertaintySpool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, numbers: NDArray[np.int64], answers: Sequence[ColumnAnswer]) -> None:
        """Put the filled cells of one batch aside.

        Parameters
        ----------
        numbers : ndarray of int, shape (n_rows,)
            Which rows of the file these are, counted from 1.
        answers : sequence of ColumnAnswer
            What the model says of them.
        """
        rows = uncertainty_rows(numbers, answers)
        self._writer.write_table(rows)
        self.n_cells += rows.num_rows
        self.n_not_sure += sum(
            int((answer.is_not_sure & ~answer.observed).sum())
            for answer in answers
            if answer.is_not_sure is not None
        )

    def batches(self) -> Iterator[pyarrow.Table]:
        """All cells again.

        Yields
        ------
        pyarrow.Table
        """
        import pyarrow as pa

        self._writer.close()
        self._file.seek(0)
        yield uncertainty_schema().empty_table()
        with pa.ipc.open_stream(self._file) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch])
