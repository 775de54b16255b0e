"""Predictions of a table, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.column_answers import label_answers
from halfseen.cli.completed_units import completed_units
from halfseen.cli.model_source import ModelSource
from halfseen.cli.table_units import encoded_units

if TYPE_CHECKING:
    import pyarrow


class PredictionRows:
    """Predictions of a table, batch by batch, and a count of what was decided.

    Parameters
    ----------
    model : HalfseenClassifier
        A fitted model.
    source : ModelSource
        The table.
    kept : sequence of str
        Columns of the table to carry along.
    level : float
        How often sets of possible values shall hold the truth.

    Attributes
    ----------
    decided : dict from label to Counter
        How often each value was decided for.
    n_not_sure : dict from label to int
        In how many rows more than one value is possible; empty if the model cannot tell.

    Examples
    --------
    >>> PredictionRows(None, None, [], 0.9).decided
    {}
    """

    def __init__(self, model: Any, source: ModelSource, kept: Sequence[str], level: float) -> None:
        self.model = model
        self.source = source
        self.kept = tuple(kept)
        self.level = level
        self.decided: dict[str, Counter[Any]] = {}
        self.n_not_sure: dict[str, int] = {}

    def batches(self, tell: Callable[[int], None]) -> Iterator[pyarrow.Table]:
        """Predictions in the order of the rows.

        Parameters
        ----------
        tell : callable
            Is told how many rows are done.

        Yields
        ------
        pyarrow.Table
        """
        features = [column.name for column in self.source.schema.features]
        present = [name for name in self.source.present if name in features]
        wanted = list(dict.fromkeys([*present, *self.kept]))
        model, n_done = self.model, 0
        for batch in self.source.source.batches(self.source.rows_at_once, wanted):
            encoded = encoded_units(model.schema_, self.source.without_labels(batch))
            completed = completed_units(model, encoded)
            answers = label_answers(model, encoded, completed, self.level)
            self._count(answers)
            yield prediction_table(n_done, batch.select(self.kept), answers)
            n_done += batch.num_rows
            tell(n_done)

    def _count(self, answers: Sequence[ColumnAnswer]) -> None:
        for answer in answers:
            chosen = np.zeros(0, np.int64) if answer.chosen is None else answer.chosen
            counts = np.bincount(chosen, minlength=len(answer.values)).tolist()
            of_value = dict(zip(answer.values, counts, strict=True))
            self.decided.setdefault(answer.name, Counter()).update(of_value)
            if answer.is_not_sure is not None:
                before = self.n_not_sure.get(answer.name, 0)
                self.n_not_sure[answer.name] = before + int(answer.is_not_sure.sum())


def prediction_table(
    first_row: int, kept: pyarrow.Table, answers: Sequence[ColumnAnswer]
) -> pyarrow.Table:
    """Predictions of some rows as columns.

    Parameters
    ----------
    first_row : int
        Rows before them.
    kept : pyarrow.Table
        Columns to carry along.
    answers : sequence of ColumnAnswer
        What the model says of the labels.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> import pyarrow as pa
    >>> answer = ColumnAnswer(
    ...     "ill", "yes-no", True, np.array([False]), values=(0, 1), chosen=np.array([1]),
    ...     probabilities=np.array([[0.4, 0.6]]), possible=np.array([[True, True]]))
    >>> prediction_table(0, pa.table({"id": ["a7"]}), [answer]).to_pylist()
    [{'row': 1, 'id': 'a7', 'ill': 1, 'ill_confidence': 0.6, 'ill=1': 0.6, 'ill_possible': '0|1',
      'ill_not_sure': True}]
    """
    import pyarrow as pa

    columns: dict[str, Any] = {name: kept.column(name) for name in kept.column_names}
    # What is predicted takes the place of a column that was carried along under its name.
    numbers = pa.array(np.arange(kept.num_rows) + first_row + 1, pa.int64())
    columns = {"row": numbers, **{k: v for k, v in columns.items() if k != "row"}}
    for answer in answers:
        columns[answer.name] = pa.array(answer.decision.tolist())
        columns[f"{answer.name}_confidence"] = pa.array(answer.confidence)
        if answer.probabilities is not None:
            for k, value in enumerate(answer.values):
                if answer.kind == "category" or value == 1:
                    columns[f"{answer.name}={value}"] = pa.array(answer.probabilities[:, k])
        if answer.possible is not None:
            columns[f"{answer.name}_possible"] = pa.array(answer.possible_texts(), pa.string())
            columns[f"{answer.name}_not_sure"] = pa.array(answer.is_not_sure)
    return pa.table(columns)
