"""What is in a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from halfseen.inspection.table_accumulator import TableAccumulator
from halfseen.inspection.table_summary import TableSummary
from halfseen.tables import Table
from halfseen.tables.frames import is_frame


def inspect_table(
    batches: Iterable[Any],
    *,
    labels: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
    seed: int = 0,
    max_sample_rows: int = 20_000,
) -> TableSummary:
    """What is in a table: its columns, its holes, its labels, and what to look at.

    Parameters
    ----------
    batches : iterable of tables, or one table
        The rows in batches of any size: pandas, polars or pyarrow tables, `halfseen.tables.Table`,
        mappings from column name to ``(values, observed)``, or numpy arrays. Memory is bounded by
        the largest batch, the sample, and a few thousand distinct values per column.
    labels : sequence of str, default ()
        Label columns.
    roles : mapping from str to str, or None
        Roles of other columns: "feature", "label", "identifier", "date", "text" or "ignored".
        Only features and labels are tested for randomness.
    seed : int, default 0
        Seed of the sample and of the randomness test.
    max_sample_rows : int, default 20000
        Most rows to sample for quartiles, the randomness test and some warnings.

    Returns
    -------
    TableSummary
        The same for the same rows, however they are cut into batches.

    Raises
    ------
    ValueError
        There is no batch, batches differ in their columns, or a label or role names no column.

    Examples
    --------
    >>> import pandas as pd
    >>> devices = pd.DataFrame({
    ...     "site": ["a", "b", None, "a"],
    ...     "alerts": [0.0, 3.0, 9.0, None],
    ...     "attack": [0, None, 1, None],
    ... })
    >>> summary = inspect_table([devices[:2], devices[2:]], labels=["attack"])
    >>> [(column.name, column.kind, column.n_missing) for column in summary.columns]
    [('site', 'categorical', 1), ('alerts', 'numeric', 1), ('attack', 'binary', 2)]
    >>> summary.labels[0].n_positives, summary.n_rows_without_label
    (1, 2)
    """
    accumulator = TableAccumulator(
        labels=labels, roles=roles, seed=seed, max_sample_rows=max_sample_rows
    )
    is_one = is_frame(batches) or isinstance(batches, Table | Mapping | np.ndarray)
    for batch in (batches,) if is_one else batches:
        accumulator.add(batch)
    return accumulator.summary()
