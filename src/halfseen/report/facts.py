"""Facts of a page: columns, validation entries, what to be wary of, and an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from halfseen.base.estimator import TableModel
from halfseen.data.columns import Column, gross_outliers
from halfseen.data.frames import Table
from halfseen.data.raw import category_key
from halfseen.data.schema import Schema
from halfseen.plot import column_label, value_label

COVERAGE = 0.9  # of all intervals and sets on the page
_FEW = 20  # known entries of a class, or validation entries of a group
_MOST_NAMED = 5

Name = str | int


def column_facts(schema: Schema, missing: Sequence[float | None]) -> list[dict[str, Any]]:
    """All columns; `missing` has the share of each that is missing in the given rows."""
    return [
        {"column": column, "is_target": j >= len(schema.features), "missing": share,
         "shares": list(zip(column.categories, class_shares(column), strict=True))}
        for j, (column, share) in enumerate(zip(schema.columns, missing, strict=True))
    ]  # fmt: skip


def class_shares(column: Column) -> list[float]:
    """Share of each category among the known entries of the training table."""
    if column.type == "binary" and len(column.categories) == 2:
        return [1.0 - column.marginal[0], column.marginal[0]]
    if column.type == "ordinal":
        return [np.nan] * len(column.categories)
    return list(column.marginal[: len(column.categories)])


def class_trust(model: TableModel) -> list[dict[str, Any]]:
    """Validation entries of each class of each target, or of each state of a label."""
    if model.calibration_ is None:
        return []
    classes = [
        (column, value, share)
        for column in model.schema_.targets
        for value, share in zip(column.categories, class_shares(column), strict=True)
    ]
    support = [of for of in model.coverage_support(COVERAGE) if of.value is not None]
    half, most = (
        [float(p) for sets in model.calibration_.sets for p in sets.least_probability(share)]
        for share in (0.5, COVERAGE)
    )
    return [
        {
            "name": _class(column.name, value), "target": column.name, "value": value,
            "n_known": round(share * column.n_observed), "n_validation": of.n_validation,
            # Sets of this class rest on the entries of other classes, too.
            "is_pooled": of.n_behind > of.n_validation,
            # Half of the validation entries get a probability of at least this, 90 % of ...
            "median": at_half, "low": at_most,
        }
        for (column, value, share), of, at_half, at_most
        in zip(classes, support, half, most, strict=True)
    ]  # fmt: skip


def column_trust(model: TableModel) -> list[dict[str, Any]]:
    """Validation entries of each column of numbers, and the sizes of the errors there."""
    if model.calibration_ is None:
        return []
    intervals, support = model.calibration_.intervals, model.coverage_support(COVERAGE)
    errors = zip(*(intervals.error_quantile(share) for share in (0.5, COVERAGE)), strict=True)
    pairs = zip(model.schema_.features, errors, strict=True)
    numbers = [(column, *of_column) for column, of_column in pairs if column.is_number]
    return [
        {
            "name": column_label(column.name), "n_validation": of.n_validation,
            "is_pooled": of.n_behind > of.n_validation,
            # In units, or a factor on a log scale; then in standard deviations of the column.
            "median": column.error_size(half), "high": column.error_size(most),
            "median_std": None if column.graded else float(half),
            "is_factor": column.type == "log-numeric",
        }
        for (column, half, most), of in zip(numbers, support, strict=False)
    ]  # fmt: skip


def warnings_of(model: TableModel) -> list[str]:
    """What to be wary of, as far as the model knows it."""
    schema, found = model.schema_, list[str]()
    ignored = [f"{column_label(c.name)} ({c.reason})" for c in schema.features if c.reason]
    if ignored:
        found.append(f"Not modelled, neither used nor filled: {listed(ignored)}.")
    rare = [
        f"{_class(column.name, value)} ({n} of {column.n_observed:,})"
        for column in schema.targets
        for value, share in zip(column.categories, class_shares(column), strict=True)
        if (n := round(share * column.n_observed)) < _FEW
    ]
    if rare:
        so = "Scores, probabilities and prediction sets of these are uncertain."
        found.append(f"Few known entries in the training table: {listed(rare)}. {so}")
    if model.calibration_ is None:
        found.append(
            "No entries were held out in the fit, so that nothing here says how large the errors "
            "are, and there are no intervals or sets. Fit with validation_fraction above 0."
        )
        return found
    for parts, so in (
        (class_trust(model), "Prediction sets of these may hold the truth less often than asked."),
        (column_trust(model), "Intervals of these columns are uncertain."),
    ):
        few = [of for of in parts if of["is_pooled"] or of["n_validation"] < _FEW]
        shown = listed([f"{of['name']} ({of['n_validation']})" for of in few])
        found += [f"Few validation entries: {shown}. {so}"] if few else []
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


# An evaluation on the page: whether it is of this model, and what it says.

# Parameters that change neither what is learned nor what it is compared with.
_INCIDENTAL = {"random_state", "verbose", "n_jobs", "feature_types", "target_type"}


def check_evaluation(evaluation: Any, model: TableModel) -> None:
    """Refuse an evaluation of other columns, classes, or another estimator."""
    schema = model.schema_
    if evaluation.model != type(model).__name__:
        problem = f"The evaluation is of a {evaluation.model}, and the model is a"
        raise ValueError(f"{problem} {type(model).__name__}. Evaluate this one.")
    other = "The evaluation is of another table"
    features, labels = [str(column.name) for column in schema.features], schema.target_names
    for what, found, expected in (
        ("features", evaluation.features, features),
        ("targets", evaluation.labels, labels),
    ):
        if sorted(found) != sorted(expected):
            differing = sorted(set(found) ^ set(expected)) or sorted(found)
            problem = f"{other}: its {what} are not those of the model ({listed(differing)})"
            raise ValueError(f"{problem}. Evaluate with the columns of the fit.")
    for label in evaluation.new_rows:
        known = schema.targets[labels.index(label.name)].categories
        values = {category_key(one.value) for one in label.classes}
        if unknown := values - set(map(category_key, known)):
            problem = f"the model does not know the {listed(sorted(unknown))} of {label.name}"
            raise ValueError(f"{other}: {problem}. Evaluate the table of the fit.")


def evaluation_warnings(
    evaluation: Any, model: TableModel, n_rows: int | None, is_sample: bool
) -> list[str]:
    """Where an evaluation may differ from the model and the table of the page."""
    found = []
    parameters = model.get_params(deep=False)
    changed = [
        f"{name}={value!r}"
        for name, value in evaluation.parameters.items()
        if name not in _INCIDENTAL and parameters.get(name) != value
    ]
    if changed:
        found.append(f"The evaluation is of other parameters than the model's: {listed(changed)}.")
    # Of a table of which a sample is shown, the evaluation may be of a sample, too.
    is_other = n_rows is not None and n_rows != evaluation.n_rows
    if is_other and not (is_sample and n_rows > evaluation.n_rows):
        rows = f"{evaluation.n_rows:,} rows, and the table has {n_rows:,}"
        found.append(f"The evaluation is of {rows}; make sure that both are of the same table.")
    return found


def score_tables(evaluation: Any) -> Iterator[dict[str, Any]]:
    """Scores of methods: one table for each kind of entries, a column for each metric."""
    for what in dict.fromkeys(score.what for score in evaluation.scores):
        scores = [score for score in evaluation.scores if score.what == what]
        metrics = list(dict.fromkeys(score.metric for score in scores))
        by_key = {(score.method, score.metric): score for score in scores}
        methods = dict.fromkeys(score.method for score in scores)
        yield {
            "what": what,
            "n_entries": scores[0].n_entries,
            "heads": [f"#{metric}" for metric in metrics],
            "rows": [(name, [by_key.get((name, m)) for m in metrics]) for name in methods],
        }
