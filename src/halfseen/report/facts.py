"""What a fitted model says of itself: its columns, validation entries, and what to be wary of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from halfseen.base.estimator import Calibration, TableModel
from halfseen.data.columns import Column, gross_outliers
from halfseen.data.frames import Table
from halfseen.data.schema import Schema
from halfseen.plot import column_label, value_label

COVERAGE = 0.9  # of all intervals and sets on the page
_FEW = 20  # known entries of a class, or validation entries of a group
_MOST_NAMED = 5

Name = str | int


class ColumnFacts(NamedTuple):
    """A column as the model knows it, and how much of it is missing in the given rows."""

    column: Column
    is_target: bool
    missing: float | None  # share in the given rows
    shares: tuple[tuple[Any, float], ...]  # of categories


class ClassTrust(NamedTuple):
    """Validation entries of one class of a target, or of one state of a label."""

    target: Name
    value: Any
    n_known: int  # in the training table
    n_validation: int
    is_pooled: bool  # sets of this class rest on the entries of other classes, too
    median: float  # half of the validation entries get a probability of at least this ...
    low: float  # ... and 90 % at least this


class ColumnTrust(NamedTuple):
    """Validation entries of a column of numbers, and the absolute errors of their predictions."""

    name: Name
    n_validation: int
    is_pooled: bool
    median: float  # half of the validation entries have at most this error, in units or a factor
    high: float  # 90 % have at most this one
    median_std: float | None  # the same in standard deviations of the column
    is_factor: bool  # of a column on a log scale


def column_facts(schema: Schema, missing: Sequence[float | None]) -> list[ColumnFacts]:
    """All columns; `missing` has the share of each that is missing in the given rows."""
    found = []
    for j, (column, share) in enumerate(zip(schema.columns, missing, strict=True)):
        shares = tuple(zip(column.categories, class_shares(column), strict=True))
        found.append(ColumnFacts(column, j >= len(schema.features), share, shares))
    return found


def class_shares(column: Column) -> list[float]:
    """Share of each category among the known entries of the training table."""
    if column.type == "binary" and len(column.categories) == 2:
        return [1.0 - column.marginal[0], column.marginal[0]]
    if column.type == "ordinal":
        return [np.nan] * len(column.categories)
    return list(column.marginal[: len(column.categories)])


def class_trust(schema: Schema, calibration: Calibration) -> list[ClassTrust]:
    """Validation entries of all targets, class by class."""
    if schema.target_type == "multilabel-indicator":
        [of_labels] = calibration.sets
        groups = [(of_labels, 2 * j) for j in range(len(schema.targets))]
    else:
        groups = [(of_target, 0) for of_target in calibration.sets]
    found = []
    for column, (sets, first) in zip(schema.targets, groups, strict=True):
        support, own = sets.support(COVERAGE), sets.n_validation
        median, low = sets.least_probability(0.5), sets.least_probability(COVERAGE)
        for code, (value, share) in enumerate(
            zip(column.categories, class_shares(column), strict=True)
        ):
            group = first + code
            found.append(
                ClassTrust(
                    column.name, value, round(share * column.n_observed), int(own[group]),
                    bool(support[group] > own[group]), float(median[group]), float(low[group]),
                )
            )  # fmt: skip
    return found


def column_trust(schema: Schema, calibration: Calibration) -> list[ColumnTrust]:
    """Validation entries of all features that are numbers."""
    intervals = calibration.intervals
    own, support = map(intervals.of_columns, (intervals.n_validation, intervals.support(COVERAGE)))
    median, high = intervals.error_quantile(0.5), intervals.error_quantile(COVERAGE)
    return [
        ColumnTrust(
            column.name, int(own[j]), bool(support[j] > own[j]), _in_units(column, median[j]),
            _in_units(column, high[j]), None if column.graded else float(median[j]),
            column.type == "log-numeric",
        )
        for j, column in enumerate(schema.features)
        if column.is_number
    ]  # fmt: skip


def _in_units(column: Column, error: float) -> float:
    size = float(column.scale * error)
    return float(np.exp(size)) if column.type == "log-numeric" else size


def warnings_of(model: TableModel) -> list[str]:
    """What to be wary of, as far as the model knows it."""
    schema, calibration = model.schema_, model.calibration_
    found = []
    ignored = [
        f"{column_label(c.name)} ({c.reason})" for c in schema.features if c.type == "ignored"
    ]
    if ignored:
        found.append(f"Not modelled, neither used nor filled: {listed(ignored)}.")
    rare = [
        f"{_class(column.name, value)} ({n} of {column.n_observed:,})"
        for column in schema.targets
        for value, share in zip(column.categories, class_shares(column), strict=True)
        if (n := round(share * column.n_observed)) < _FEW
    ]
    if rare:
        found.append(
            f"Few known entries in the training table: {listed(rare)}. Scores, probabilities and "
            "prediction sets of these are uncertain."
        )
    if calibration is None:
        found.append(
            "No entries were held out in the fit, so that nothing here says how large the errors "
            "are, and there are no intervals or sets. Fit with validation_fraction above 0."
        )
        return found
    pooled = [
        f"{_class(of.target, of.value)} ({of.n_validation})"
        for of in class_trust(schema, calibration)
        if of.is_pooled or of.n_validation < _FEW
    ]
    few = [
        f"{column_label(of.name)} ({of.n_validation})"
        for of in column_trust(schema, calibration)
        if of.is_pooled or of.n_validation < _FEW
    ]
    for names, so in (
        (pooled, "Prediction sets of these may hold the truth less often than asked."),
        (few, "Intervals of these columns are uncertain."),
    ):
        found += [f"Few validation entries: {listed(names)}. {so}"] if names else []
    return found


def outlier_warnings(schema: Schema, table: Table, rows: Sequence[Any]) -> list[str]:
    """Observed numbers that are far from all others of their column."""
    found = []
    for column, raw in zip(schema.features, table.columns, strict=True):
        if column.type not in ("numeric", "log-numeric"):
            continue
        numbers = raw.numbers(column.name)
        scaled = np.log(numbers + column.shift) if column.type == "log-numeric" else numbers
        for position in np.flatnonzero(gross_outliers(scaled)):
            row = value_label(rows[raw.row(int(position))])
            value = value_label(float(numbers[position]))
            found.append(f"{column_label(column.name)} in row {row}: {value}")
    return [f"Gross outliers in the given rows: {listed(found)}."] if found else []


def _class(target: Name, value: Any) -> str:
    return f"{column_label(target, is_target=True)} = {value_label(value)}"


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
