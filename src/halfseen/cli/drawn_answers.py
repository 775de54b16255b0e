"""Answers that are draws, for multiple imputation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.column_answers import answers_of_units
from halfseen.cli.table_units import encoded_units

if TYPE_CHECKING:
    import pyarrow


def drawn_answers(model: Any, table: pyarrow.Table, seed: int, index: int) -> list[ColumnAnswer]:
    """One draw for every hole, features and labels together, given the rest of its row.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model with a likelihood-trained machine.
    table : pyarrow.Table
        Rows in the model's columns and types.
    seed : int
        Seed of the draws.
    index : int
        Which draw, counted from 0.

    Returns
    -------
    list of ColumnAnswer
        The same for a row whatever rows stand beside it.
    """
    encoded = encoded_units(model.schema_, table)
    drawn = model.machine_.draws(*encoded, seed, index)
    return answers_of_units(model, encoded, drawn)
