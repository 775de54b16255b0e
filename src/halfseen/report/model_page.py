"""The page about a fitted model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from halfseen import plot
from halfseen.base.estimator import TableModel
from halfseen.experiments.scores import LabelScore
from halfseen.explain import couplings, unusual_rows
from halfseen.metrics import ReliabilityBin
from halfseen.report import facts
from halfseen.report.page import chart, number, percent, render, write_page
from halfseen.report.rows import Predictions, examples

_MOST_PAIRS, _MOST_UNUSUAL, _MOST_ENTRIES = 30, 10, 3


def write_report(
    model: TableModel, path: str | PathLike[str], X: Any = None, y: Any = None, **options: Any
) -> None:
    """Write one page about a fitted model; see `report_html`.

    The page is one file that needs no other and no network. An existing file is replaced as a
    whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = Path(folder, "report.html")
    ...     write_report(model, page, X[1::2], y[1::2], title="Irises")
    ...     print(page.read_text(encoding="utf-8")[:15])
    <!doctype html>
    """
    write_page(report_html(model, X, y, **options), path)


def report_html(
    model: TableModel, X: Any = None, y: Any = None, *, rows: Sequence[Any] | None = None,
    n_rows: int | None = None, title: str | None = None, evaluation: Any = None,
    command: str | None = None,
) -> str:  # fmt: skip
    """A page about a fitted model: how far to trust it, its data, examples, couplings, internals.

    Nothing is fitted. Predictions are made for all rows of `X`, so a few thousand are a good
    number. The same arguments give the same page.

    Parameters
    ----------
    model : a fitted estimator of halfseen
    X : array-like or data frame of shape (n_rows, n_features), optional
        Rows to show the model on, at best some that it was not fitted to.
    y : array-like, series or data frame, optional
        What is known of their targets. It is compared with predictions made from the features
        alone; missing features are filled with it known, as `complete` does.
    rows : names of the rows; by default the index of a data frame of pandas, else positions
    n_rows : rows of the table, if `X` is a sample of it
    evaluation : scores on hidden entries of the same table, from `halfseen.experiments.evaluate`
    title, command : the title of the page, and the command that writes it, shown at its foot
    """
    check_is_fitted(model)
    if X is None and y is not None:
        raise ValueError("y was given without X; pass the features of these rows, too.")
    if y is not None and not model.schema_.targets:
        raise ValueError(f"{type(model).__name__} has no targets; leave y out.")
    if evaluation is not None:
        facts.check_evaluation(evaluation, model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        content = _content(model, X, y, rows, n_rows, evaluation)
    for one in caught:
        if issubclass(one.category, UserWarning):  # about the rows, so the reader sees them
            content["warnings"].append(str(one.message))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    content["warnings"] = list(dict.fromkeys(content["warnings"]))
    names = [column.name for column in model.schema_.targets if isinstance(column.name, str)]
    title = title or f"Report on a model of {facts.listed(names) or 'a table'}"
    return render("report.html", title=title, command=command, **content)


def _content(
    model: TableModel, X: Any, y: Any, rows: Sequence[Any] | None, n_rows: int | None,
    evaluation: Any,
) -> dict[str, Any]:  # fmt: skip
    schema, coupled = model.schema_, couplings(model, X, y)
    nothing = ("warnings", "scores", "bins", "examples", "unusual", "facts", "missing_chart")
    content: dict[str, Any] = {name: [] for name in nothing} | {"n_rows": None}
    content["columns"] = facts.column_facts(schema, [None] * len(schema.columns))
    content |= {} if X is None else _of_rows(model, X, y, rows)
    content["warnings"] = facts.warnings_of(model) + content["warnings"]
    pairs = [pair for pair in coupled.table(_MOST_PAIRS) if pair["strength"] > 0]
    epochs, losses = plot.validation_losses(model)
    best = int(np.argmin(losses)) if losses else None
    content |= {
        "model": model, "schema": schema, "n_iter": getattr(model, "n_iter_", None),
        "class_trust": facts.class_trust(model), "column_trust": facts.column_trust(model),
        "parameters": sorted(model.get_params(deep=False).items()),
        "evaluation": evaluation, "score_tables": [], "asked": facts.COVERAGE,
        "covered_rows": "the given rows", "pairs": pairs,
        "couplings_chart": pairs and chart(
            plot.couplings, coupled, title="How strongly columns hang together",
            height=150 + 15 * min(16, len(coupled.columns)),
        ),
        "best": best if best is None else (epochs[best], losses[best]),
        "history_chart": losses and chart(
            plot.history, model, title="Validation loss, epoch by epoch"
        ),
    }  # fmt: skip
    labels = content["scores"]
    if evaluation is not None:
        content["warnings"] += facts.evaluation_warnings(
            evaluation, model, n_rows or content["n_rows"], n_rows is not None
        )
        content["score_tables"] = list(facts.score_tables(evaluation))
        if any(label.set_coverage is not None for label in evaluation.new_rows):
            # Of a model that has not seen these rows, and often of more entries.
            labels, content["covered_rows"] = evaluation.new_rows, "held-out rows"
            asked = [one.asked for one in evaluation.coverage if one.what == "sets"]
            content["asked"] = (*asked, facts.COVERAGE)[0]
    labels = [label for label in labels if label.set_coverage is not None]
    return content | _charts(content["bins"], labels, content["asked"])


def _of_rows(model: TableModel, X: Any, y: Any, rows: Sequence[Any] | None) -> dict[str, Any]:
    schema, found = model.schema_, Predictions.of(model, X, y, rows)
    n_rows, n_features = found.table.observed.shape
    names, observed = plot.observed_entries(X, y)
    missing: list[float | None] = [*(1 - observed.mean(axis=0)).tolist()]
    missing += [None] * (len(schema.columns) - len(missing))
    shown = [("Rows given", number(n_rows))]
    shown.append(("Missing entries of features", percent(1 - found.table.observed.mean())))
    if y is not None:
        shown.append(("Unknown targets", percent(1 - observed[:, n_features:].mean())))
    unusual: Any = ()
    if found.table.observed.any():
        unusual = unusual_rows(model, X, y, top=_MOST_UNUSUAL, n_entries=_MOST_ENTRIES).rows
    scores = found.scores()
    return {
        "n_rows": n_rows, "columns": facts.column_facts(schema, missing), "facts": shown,
        "warnings": facts.outlier_warnings(schema, found.table, found.rows),
        "missing_chart": chart(
            plot.missingness, X, y, title="Where entries are missing",
            height=60 + 14 * min(30, len(names)),
        ),
        "examples": examples(found), "scores": scores,
        "unusual": [{"name": found.rows[row.row], "found": row} for row in unusual],
        "bins": found.reliability() if scores else (),
    }  # fmt: skip


def _charts(
    bins: Sequence[ReliabilityBin], labels: Sequence[LabelScore], asked: float
) -> dict[str, Any]:
    """Reliability of probabilities and coverage of sets, as far as they are known."""
    found: dict[str, Any] = {"reliability_chart": None, "coverage_chart": None}
    found["coverage"] = [(label.name, one) for label in labels for one in label.classes]
    if bins:
        title = "Predicted probabilities, and how often they came true"
        found["reliability_chart"] = chart(plot.reliability, bins, height=240, title=title)
        away = [one.n_labels * abs(one.share_true - one.mean_probability) for one in bins]
        found["calibration_error"] = sum(away) / sum(one.n_labels for one in bins)
    if labels:
        found["lowest"] = min(found["coverage"], key=lambda one: one[1].set_coverage)
        found["coverage_chart"] = chart(
            plot.coverage, labels, asked=asked, title="Coverage of prediction sets, by class",
            height=70 + 17 * min(20, len(found["coverage"])),
        )  # fmt: skip
    return found
