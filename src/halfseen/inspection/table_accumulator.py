"""What is in a table, learned batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.batch import Batch, read_batch
from halfseen.inspection.cells import Cells
from halfseen.inspection.column_accumulator import ColumnAccumulator
from halfseen.inspection.column_summary import CategoryCount, ColumnSummary, Role
from halfseen.inspection.even_blocks import EvenBlocks
from halfseen.inspection.find_warnings import find_warnings
from halfseen.inspection.judge_randomness import judge_randomness
from halfseen.inspection.label_coverage import LabelCoverage
from halfseen.inspection.pattern import Pattern
from halfseen.inspection.row_sample import RowSample
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.table_summary import TableSummary
from halfseen.inspection.tally import Tally

_MOST_PATTERNS = 10_000
_SHOWN_PATTERNS = 50
_SHOWN_CLASSES = 50
_MOST_SAMPLED_CELLS = 20_000_000


class TableAccumulator:
    """What is in a table, learned batch by batch in bounded memory.

    Counts, means, extremes, patterns and label coverage are over all rows; quartiles, the
    randomness test and some warnings are over a random sample of them. The result does not
    depend on how the table is cut into batches.

    Parameters
    ----------
    labels : sequence of str, default ()
        Label columns.
    roles : mapping from str to str, or None
        Roles of other columns: "feature", "label", "identifier", "date", "text" or "ignored".
    seed : int, default 0
        Seed of the sample and of the randomness test.
    max_sample_rows : int, default 20000
        Most rows to sample; fewer where the table has more than a thousand columns.

    Examples
    --------
    >>> import numpy as np
    >>> table = TableAccumulator(labels=["x1"])
    >>> table.add(np.array([[1.5, 0.0], [np.nan, 1.0]]))
    >>> table.add(np.array([[2.5, np.nan]]))
    >>> summary = table.summary()
    >>> summary.n_rows, summary.labels[0].n_known, summary.labels[0].n_positives
    (3, 2, 1)
    """

    def __init__(
        self,
        *,
        labels: Sequence[str] = (),
        roles: Mapping[str, str] | None = None,
        seed: int = 0,
        max_sample_rows: int = 20_000,
    ) -> None:
        if max_sample_rows < 1:
            raise ValueError(f"max_sample_rows must be at least 1, not {max_sample_rows}.")
        self._asked = _asked_roles(labels, roles)
        self._seed = seed
        self._max_sample_rows = max_sample_rows
        self._names: tuple[str, ...] | None = None
        self._is_summed_up = False
        self._n_rows = 0
        self._n_unlabelled = 0
        self._n_empty = 0
        self._patterns: Tally[bytes] = Tally(_MOST_PATTERNS)

    def add(self, batch: Any) -> None:
        """Take in the next rows.

        Parameters
        ----------
        batch : frame, Table, mapping or array-like of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a `halfseen.tables.Table`, a mapping from column name
            to ``(values, observed)``, or rows of numbers; it may have no rows.

        Raises
        ------
        ValueError
            The columns are not those of the batches before, or a label or role names no column.
        """
        if self._is_summed_up:
            raise ValueError("The table has been summed up; take a new TableAccumulator.")
        read = read_batch(batch)
        if self._names is None:
            self._begin(read.names)
        elif read.names != self._names:
            raise ValueError(
                f"A batch has the columns {_listed(read.names)}, those before it had "
                f"{_listed(self._names)}; all batches must be parts of one table."
            )
        for block in self._blocks.add(read):
            self._add_block(block)

    def _begin(self, names: tuple[str, ...]) -> None:
        for name in self._asked:
            if name not in names:
                near = get_close_matches(name, names, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {_listed(names)}."
                raise ValueError(f"There is no column {name!r}; {hint}")
        self._names = names
        self._blocks = EvenBlocks(len(names))
        self._columns = tuple(ColumnAccumulator(name) for name in names)
        n_sampled = max(1, min(self._max_sample_rows, _MOST_SAMPLED_CELLS // max(len(names), 1)))
        self._sample = RowSample(n_sampled, self._seed)
        asked = [self._asked.get(name, "feature") for name in names]
        self._is_label = np.array([role == "label" for role in asked], dtype=bool)
        self._is_feature = np.array([role == "feature" for role in asked], dtype=bool)

    def _add_block(self, block: Batch) -> None:
        for column, cells in zip(self._columns, block.columns, strict=True):
            column.add(cells)
        self._sample.add(block)
        self._n_rows += block.n_rows
        if not block.columns:
            return
        observed = np.stack([cells.observed for cells in block.columns], axis=1)
        self._n_unlabelled += int(np.count_nonzero(~observed[:, self._is_label].any(axis=1)))
        self._n_empty += int(np.count_nonzero(~observed[:, self._is_feature].any(axis=1)))
        packed = np.packbits(observed, axis=1)
        rows = packed.view(f"V{packed.shape[1]}").ravel().tolist()
        self._patterns.add(sorted(Counter(rows).items()))

    def summary(self) -> TableSummary:
        """Sum the table up; nothing can be added afterwards.

        Returns
        -------
        TableSummary
            What is in the table.

        Raises
        ------
        ValueError
            No batch was added.
        """
        if self._names is None:
            raise ValueError("There is nothing to inspect: no batch of rows was given.")
        self._close()
        sample = self._sample.rows()
        roles = tuple(self._role(column) for column in self._columns)
        columns = tuple(
            column.summary(role, _numbers(cells))
            for column, role, cells in zip(self._columns, roles, sample.columns, strict=True)
        )
        sampled = tuple(
            SampledColumn(summary, cells.values, cells.observed)
            for summary, cells in zip(columns, sample.columns, strict=True)
        )
        patterns = self._shown_patterns()
        labels = tuple(
            self._coverage(accumulator, summary)
            for accumulator, summary in zip(self._columns, columns, strict=True)
            if summary.role == "label"
        )
        return TableSummary(
            n_rows=self._n_rows,
            n_sampled_rows=sample.n_rows,
            columns=columns,
            patterns=patterns,
            n_rows_in_other_patterns=self._n_rows - sum(p.n_rows for p in patterns),
            labels=labels,
            n_rows_without_label=self._n_unlabelled if labels else None,
            n_empty_rows=self._n_empty,
            randomness=judge_randomness(sampled, self._seed),
            warnings=find_warnings(sampled, self._columns, labels, self._n_empty),
        )

    def _close(self) -> None:
        if not self._is_summed_up:
            rest = self._blocks.rest()
            # A table without rows still has columns to be told of.
            self._add_block(rest if rest is not None else _no_rows(self._names or ()))
            self._is_summed_up = True

    def _role(self, column: ColumnAccumulator) -> Role:
        if column.name in self._asked:
            return self._asked[column.name]
        if column.kind == "date":
            return "date"
        return "ignored" if column.kind == "other" else "feature"

    def _shown_patterns(self) -> tuple[Pattern, ...]:
        n = len(self._columns)
        return tuple(
            Pattern(tuple((np.unpackbits(np.frombuffer(bits, np.uint8))[:n] == 1).tolist()), count)
            for bits, count in self._patterns.most_frequent(_SHOWN_PATTERNS)
        )

    @staticmethod
    def _coverage(accumulator: ColumnAccumulator, summary: ColumnSummary) -> LabelCoverage:
        counts = accumulator.counts(_SHOWN_CLASSES)
        known = dict(counts)
        is_zero_one = known.keys() <= {"0", "1"} or known.keys() <= {"False", "True"}
        positives = known.get("1", 0) + known.get("True", 0)
        return LabelCoverage(
            name=summary.name,
            n_rows=summary.n_rows,
            n_known=summary.n_observed,
            classes=tuple(CategoryCount(value, count) for value, count in counts),
            n_classes=summary.n_distinct,
            n_positives=positives if is_zero_one else None,
        )


def _asked_roles(labels: Sequence[str], roles: Mapping[str, str] | None) -> dict[str, Role]:
    if isinstance(labels, str):
        raise ValueError(f"labels must be a list of column names, as in [{labels!r}].")
    asked: dict[str, Role] = {}
    for name, role in (roles or {}).items():
        if role not in get_args(Role):
            valid = ", ".join(repr(known) for known in get_args(Role))
            raise ValueError(f"Unknown role {role!r} of column {name!r}; roles are {valid}.")
        asked[name] = role  # type: ignore[assignment]
    for name in labels:
        if asked.get(name, "label") != "label":
            raise ValueError(f"Column {name!r} is a label and cannot be {asked[name]!r} as well.")
        asked[name] = "label"
    return asked


def _numbers(cells: Cells) -> NDArray[np.float64]:
    return np.zeros(0) if cells.values.dtype == object else cells.observed_values


def _no_rows(names: tuple[str, ...]) -> Batch:
    nothing = np.zeros(0, dtype=bool)
    return Batch(names, (Cells(np.zeros(0), nothing, nothing, "nothing"),) * len(names), 0)


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(repr(name) for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")
