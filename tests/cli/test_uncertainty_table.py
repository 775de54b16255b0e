from __future__ import annotations

import numpy as np
import pyarrow as pa

from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.uncertainty_table import (
    UncertaintySpool,
    uncertainty_rows,
    uncertainty_schema,
)

AGE = ColumnAnswer(
    "age",
    "number",
    False,
    np.array([False, True, False]),
    expected=np.array([1.25, 2.0, 3.5]),
    lower=np.array([1.0, 2.0, 3.0]),
    upper=np.array([2.0, 2.0, 4.0]),
)
ILL = ColumnAnswer(
    "ill",
    "yes-no",
    True,
    np.array([False, True, True]),
    values=(0, 1),
    chosen=np.array([1, 0, 1]),
    probabilities=np.array([[0.3, 0.7], [1.0, 0.0], [0.0, 1.0]]),
    possible=np.array([[True, True], [True, False], [False, True]]),
)
ROWS = np.array([101, 102, 103])


def test_one_row_for_every_filled_cell_in_order() -> None:
    rows = uncertainty_rows(ROWS, [AGE, ILL])
    assert rows.schema == uncertainty_schema()
    assert rows.select(["row", "column"]).to_pylist() == [
        {"row": 101, "column": "age"},
        {"row": 101, "column": "ill"},
        {"row": 103, "column": "age"},
    ]
    first, second, _ = rows.to_pylist()
    assert (first["value"], first["lower"], first["upper"]) == (1.25, 1.0, 2.0)
    assert (first["decision"], first["probability"], first["not_sure"]) == (None, None, None)
    assert (second["decision"], second["probability"]) == ("1", 0.7)
    assert (second["possible"], second["not_sure"]) == ("0|1", True)


def test_the_spool_gives_everything_back() -> None:
    with UncertaintySpool() as spool:
        spool.add(ROWS, [AGE, ILL])
        spool.add(ROWS + 3, [AGE])
        whole = pa.concat_tables(spool.batches())
    assert whole["row"].to_pylist() == [101, 101, 103, 104, 106]
    assert (spool.n_cells, spool.n_not_sure) == (5, 1)
