"""A fitted model as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations import (
    couplings,
    explain_rows,
    hidden_units,
    unusual_rows,
)
from halfseen.explanations.rows_read import RowsRead, read_rows
from halfseen.inspection import TableSummary, inspect_table
from halfseen.report.page import Page, Section
from halfseen.report.score_row import ScoreRow
from halfseen.report.sections.asked_entries import ask_entries
from halfseen.report.sections.calibration_section import calibration_section
from halfseen.report.sections.choices_section import choices_section
from halfseen.report.sections.completions_section import LEVEL, completions_section
from halfseen.report.sections.couplings_section import couplings_section
from halfseen.report.sections.data_section import data_section, distinct_names, observed_of
from halfseen.report.sections.making_section import making_section
from halfseen.report.sections.scores_section import scores_section
from halfseen.report.sections.training_section import training_section
from halfseen.report.sections.unusual_section import unusual_section
from halfseen.tables import Schema, Table

_MOST_ASKED_ROWS = 500
_N_EXAMPLES = 5
_N_EXPLAINED = 2
_N_UNUSUAL = 15
_MOST_COUPLINGS = 3000


def model_report(
    model: RBMBase,
    *,
    X: Any = None,
    y: Any = None,
    source_name: str | None = None,
    evaluation: Sequence[ScoreRow] | None = None,
    summary: TableSummary | None = None,
    row_numbers: Sequence[int] | None = None,
    made_by: Sequence[str] = (),
) -> Page:
    """Everything there is to know about a fitted model, as one page.

    Whatever is not given leaves a sentence in its place that says what to give. Nothing is trained
    here. All rows of X are weighed for the list of unusual rows, so that a few thousand are a good
    number to give; some hundreds of them are asked for entries that were hidden.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted or loaded model.
    X : array-like or frame of shape (n_rows, n_features), or None, default=None
        Rows to report on.
    y : array-like, series or frame, or None, default=None
        What is known of their labels.
    source_name : str or None, default=None
        What the table is called, for the title; for instance the name of its file.
    evaluation : sequence of ScoreRow or None, default=None
        Scores on hidden entries, of this model and of others.
    summary : TableSummary or None, default=None
        What is in the table, from :func:`halfseen.inspection.inspect_table`, if the whole of it is
        more than X; None looks into X and y.
    row_numbers : sequence of int or None, default=None
        Where the rows of X stand in the table, counted from 0, if X is a part of it. The page
        counts rows from 1.
    made_by : sequence of str, default=()
        The command that makes the page, word by word or as one text.

    Returns
    -------
    Page
        The same for the same arguments.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        The model was not fitted.
    ValueError
        The rows do not fit the model.

    Examples
    --------
    >>> from halfseen import HalfseenImputer
    >>> from halfseen.report import model_report, page_html
    >>> model = HalfseenImputer(objective="data_started_cd", n_hidden=2, n_epochs=2, random_state=0)
    >>> model = model.fit(np.random.default_rng(0).random((30, 2)))
    >>> page = model_report(model, source_name="devices.csv")
    >>> page.title
    'Report on a model of devices.csv'
    >>> len(page_html(page)) > 10_000
    True
    """
    check_is_fitted(model)
    schema = model.schema_
    rows = None if X is None else _numbered(read_rows(model, X, y, None), row_numbers)
    if summary is None and rows is not None:
        summary = _inspected(schema, rows)
    made_by = tuple(made_by)
    sections = [
        data_section(schema, summary, rows),
        training_section(model.history_, has_ensemble=model.prediction_ is not None),
        choices_section(schema, model.prediction_, getattr(model, "thresholds_", None)),
        scores_section(evaluation),
        _calibration(model, rows),
        _couplings(model),
        _completions(model, X, rows),
        _unusual(model, X, y, rows),
        making_section(model, made_by),
    ]
    of = "" if source_name is None else f" of {source_name}"
    return Page(f"Report on a model{of}", _lead(model, summary), sections, made_by)


def _lead(model: RBMBase, summary: TableSummary | None) -> str:
    schema = model.schema_
    text = f"A Restricted Boltzmann Machine over {len(schema.features):,} features"
    match schema.target_kind:
        case "labels":
            text += f" and {len(schema.targets):,} labels"
        case "classes":
            text += f" and {len(schema.targets[0].categories):,} classes"
        case "outputs":
            text += f" and {len(schema.targets):,} columns of classes"
    if summary is not None:
        text += f", with a table of {summary.n_rows:,} rows"
    return f"{text}. What it was made from, how well it does, and what it has learned."


def _inspected(schema: Schema, rows: RowsRead) -> TableSummary:
    given = [
        (name, raw)
        for name, raw in zip(distinct_names(schema), rows.raws, strict=True)
        if raw is not None
    ]
    names = tuple(name for name, _ in given)
    table = Table(tuple(raw for _, raw in given), names, len(rows.numbers))
    labels = names[len(schema.features) :]
    return inspect_table([table], labels=labels)


def _numbered(rows: RowsRead, row_numbers: Sequence[int] | None) -> RowsRead:
    """The rows under the numbers that they have in their table."""
    if row_numbers is None:
        return rows
    if len(row_numbers) != len(rows.numbers):
        raise ValueError(
            f"X has {len(rows.numbers)} rows, but there are {len(row_numbers)} row_numbers; give "
            "one for each row"
        )
    return replace(rows, numbers=tuple(int(number) for number in row_numbers))


def _part(rows: RowsRead, positions: NDArray[np.int64]) -> RowsRead:
    """Some of the rows that were read."""
    return RowsRead(
        tuple(rows.numbers[p] for p in positions.tolist()),
        type(rows.encoded)(rows.encoded.visible[positions], rows.encoded.observed[positions]),
        tuple(
            None
            if raw is None
            else replace(raw, values=raw.values[positions], observed=raw.observed[positions])
            for raw in rows.raws
        ),
    )


def _evenly(positions: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """At most n of them, from the first to the last."""
    if len(positions) <= n:
        return positions
    chosen = np.linspace(0, len(positions) - 1, n).round().astype(np.int64)
    return positions[chosen]


def _calibration(model: RBMBase, rows: RowsRead | None) -> Section:
    asked = None
    if rows is not None:
        some = _evenly(np.arange(len(rows.numbers)), _MOST_ASKED_ROWS)
        asked = ask_entries(model, _part(rows, some))
    return calibration_section(model.schema_, model.prediction_, asked)


def _couplings(model: RBMBase) -> Section:
    return couplings_section(couplings(model, top=_MOST_COUPLINGS), hidden_units(model))


def _completions(model: RBMBase, X: Any, rows: RowsRead | None) -> Section:
    if rows is None:
        return completions_section(model, None, ())
    n_features = len(model.schema_.features)
    seen = observed_of(rows)[:, :n_features]
    with_holes = np.flatnonzero(~seen.all(axis=1) & seen.any(axis=1))
    candidates = with_holes if len(with_holes) else np.arange(len(rows.numbers))
    chosen = _evenly(candidates, _N_EXAMPLES)
    found = explain_rows(model, X, chosen[:_N_EXPLAINED].tolist(), None, level=LEVEL, patterns=())
    explained = [replace(each, row=rows.numbers[each.row]) for each in found]
    return completions_section(model, _part(rows, chosen), explained)


def _unusual(model: RBMBase, X: Any, y: Any, rows: RowsRead | None) -> Section:
    found = None
    if rows is not None and model.machine_ is not None:
        ranked = unusual_rows(model, X, y, top=_N_UNUSUAL)
        found = [replace(each, row=rows.numbers[each.row]) for each in ranked]
    return unusual_section(found, has_machine=model.machine_ is not None)
