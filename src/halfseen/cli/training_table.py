"""The rows that a model learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from halfseen.cli.column_kinds import parse_kinds
from halfseen.cli.column_plan import ColumnPlan, plan_columns
from halfseen.cli.counted import counted
from halfseen.cli.problem import Problem
from halfseen.cli.reading import Reading
from halfseen.cli.terminal import Terminal
from halfseen.cli.typed_columns import typed_for_fit

if TYPE_CHECKING:
    import pyarrow

    from halfseen.files import TableFile


@dataclass(frozen=True)
class TrainingTable:
    """The rows that a model learns from, and where they come from.

    Attributes
    ----------
    source : TableFile
        The file.
    plan : ColumnPlan
        Which columns are features and labels.
    table : pyarrow.Table
        Features and labels.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plan = ColumnPlan(("age",), ("ill",), (), {})
    >>> TrainingTable(None, plan, pa.table({"age": [1.0], "ill": [0]})).table.num_rows
    1
    """

    source: TableFile
    plan: ColumnPlan
    table: pyarrow.Table

    def description(self) -> str:
        """What is learned from, in one line.

        Returns
        -------
        str
        """
        n_rows, n_all = self.table.num_rows, self.source.n_rows
        rows = (
            f"{n_rows:,} rows" if n_rows == n_all else f"a sample of {n_rows:,} of {n_all:,} rows"
        )
        holes = sum(column.null_count for column in self.table.columns)
        share = holes / max(n_rows * self.table.num_columns, 1)
        features, labels = len(self.plan.features), len(self.plan.labels)
        words = counted(features, "feature")
        if labels:
            words += f" and {counted(labels, 'label')}"
        return f"{self.source.path}: {rows}, {words}, {100 * share:.1f} % of the cells missing."


def read_training_table(
    file: str,
    labels: Sequence[str],
    ignore: Sequence[str],
    kinds: Sequence[str],
    reading: Reading,
    max_rows: int,
    seed: int,
    terminal: Terminal,
) -> TrainingTable:
    """Read the rows that a model learns from.

    Parameters
    ----------
    file : str
        The file, or "-" for standard input.
    labels, ignore, kinds : sequence of str
        As given to ``--labels``, ``--ignore`` and ``--as``.
    reading : Reading
        How to read it.
    max_rows : int
        Most rows; of longer tables a random sample.
    seed : int
        Decides the sample.
    terminal : Terminal
        Where to show that this lasts.

    Returns
    -------
    TrainingTable

    Raises
    ------
    Problem
        There is nothing to learn from.
    """
    told = parse_kinds(kinds)
    source = reading.open(file, terminal, told.roles)
    plan = plan_columns(source, labels, ignore, told.kinds)
    with terminal.watching("reading"):
        table, _ = source.sample_rows(max_rows, seed, plan.learned)
        table = typed_for_fit(table.select(plan.learned), source, plan.labels)
    _note_empty(table, plan, terminal)
    return TrainingTable(source, plan, table)


def _note_empty(table: pyarrow.Table, plan: ColumnPlan, terminal: Terminal) -> None:
    """A sample may miss what little is known of a label."""
    known = [name for name in plan.labels if table.column(name).null_count < table.num_rows]
    if plan.labels and not known:
        raise Problem(
            f"None of the {table.num_rows:,} rows that were drawn has a known label.",
            "Draw more rows with --max-rows, or another sample with --seed.",
        )
    for name in plan.labels:
        if name not in known:
            terminal.note(f"No row that was drawn has a known {name!r}; it can only be guessed.")
