"""Columns a model can do little with: identifiers, constants, and nearly empty ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from halfseen.inspection.column_accumulator import ColumnAccumulator
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.table_warning import TableWarning

_FEWEST_ROWS = 20
_NEARLY_ALL = 0.95
_NEARLY_EMPTY = 0.99
_WORDS_OF_TEXT = 4
_MANY_CATEGORIES = 200
_SOME_CATEGORIES = 50
_FEW_ROWS_EACH = 5
_NAME_OF_IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|ids|uid|uuid|guid|key|serial|index|row|nr|no|number|code|mac|host)s?$", re.I
)


def find_suspect_columns(
    sampled: Sequence[SampledColumn], columns: Sequence[ColumnAccumulator]
) -> list[TableWarning]:
    """Find columns that a model can do little with.

    Parameters
    ----------
    sampled : sequence of SampledColumn
        All columns in the sampled rows.
    columns : sequence of ColumnAccumulator
        The same columns over all rows.

    Returns
    -------
    list of TableWarning
        Features that look like identifiers or free text, have very many categories, hold one value
        only, are nearly empty, or hold infinite numbers.

    Examples
    --------
    >>> find_suspect_columns([], [])
    []
    """
    found = []
    for sample, column in zip(sampled, columns, strict=True):
        summary = sample.summary
        if column.n_infinite:
            cells = "cell" if column.n_infinite == 1 else "cells"
            found.append(TableWarning(
                column.name, "infinite",
                f"{column.name} holds {column.n_infinite} infinite {cells}, taken as missing "
                "here. Replace them by finite numbers or leave them empty.",
            ))  # fmt: skip
        if summary.role != "feature":
            continue
        if summary.kind == "empty":
            found.append(TableWarning(
                column.name, "nearly empty",
                f"Nothing is observed in {column.name}. It will be left as it is.",
            ))  # fmt: skip
        elif summary.n_distinct == 1 and summary.n_observed > 1:
            value = f" ({column.counts(1)[0][0]})" if column.counts(1) else ""
            found.append(TableWarning(
                column.name, "constant",
                f"{column.name} holds one value only{value}; nothing can be learned from it.",
            ))  # fmt: skip
        elif summary.share_missing >= _NEARLY_EMPTY and summary.n_rows >= _FEWEST_ROWS:
            found.append(TableWarning(
                column.name, "nearly empty",
                f"{column.name} is observed in {summary.n_observed} of {summary.n_rows} rows only.",
            ))  # fmt: skip
        else:
            found.extend(_names_of_rows(sample, column))
    return found


def _names_of_rows(sample: SampledColumn, column: ColumnAccumulator) -> list[TableWarning]:
    n_seen = len(sample.observed_values)
    summary = sample.summary
    if n_seen < _FEWEST_ROWS:
        return []
    share = len(sample.distinct) / n_seen
    if summary.kind == "categorical":
        if share >= _NEARLY_ALL:
            words = np.mean([len(str(text).split()) for text in sample.distinct[:1000]])
            if words >= _WORDS_OF_TEXT:
                return [TableWarning(
                    column.name, "free text",
                    f"{column.name} looks like free text. Set it aside as text; as a category "
                    "every value would be one of its own.",
                )]  # fmt: skip
            return [_identifier(column.name, "almost every value occurs once")]
        each = summary.n_observed / summary.n_distinct
        is_many = summary.n_distinct >= _MANY_CATEGORIES
        if is_many or (summary.n_distinct >= _SOME_CATEGORIES and each < _FEW_ROWS_EACH):
            least = "at least " if summary.is_n_distinct_capped else ""
            return [TableWarning(
                column.name, "many categories",
                f"{column.name} has {least}{summary.n_distinct} categories. Group rare ones, or "
                "set it aside if it names things rather than describes them.",
            )]  # fmt: skip
        return []
    if summary.kind != "numeric" or summary.numbers is None or share < _NEARLY_ALL:
        return []
    if not (sample.distinct == np.floor(sample.distinct)).all():
        return []
    if column.is_rising:
        return [_identifier(column.name, "whole numbers that rise from row to row")]
    if share < 1.0:
        return []
    width = summary.numbers.maximum - summary.numbers.minimum + 1
    if width == summary.n_observed:
        return [_identifier(column.name, "each whole number of a range occurs once")]
    if _NAME_OF_IDENTIFIER.search(column.name):
        return [_identifier(column.name, "whole numbers that never repeat")]
    return []


def _identifier(name: str, reason: str) -> TableWarning:
    return TableWarning(
        name,
        "identifier",
        f"{name} looks like an identifier ({reason}). Set it aside as one; nothing of it carries "
        "over to new rows.",
    )
