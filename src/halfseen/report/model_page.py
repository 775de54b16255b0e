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
from halfseen.data.schema import Schema
from halfseen.explain import couplings, unusual_rows
from halfseen.metrics import ReliabilityBin
from halfseen.plot import GroupCoverage, column_label, value_label
from halfseen.report.evaluation import (
    asked_coverage,
    check_evaluation,
    coverage_groups,
    evaluation_warnings,
    score_tables,
)
from halfseen.report.facts import (
    COVERAGE,
    class_trust,
    column_facts,
    column_trust,
    listed,
    outlier_warnings,
    warnings_of,
)
from halfseen.report.page import chart, number, number_text, percent, render, write_page
from halfseen.report.rows import Predictions, examples

_MOST_PAIRS, _MOST_UNUSUAL, _MOST_ENTRIES = 30, 10, 3


def write_report(
    model: TableModel,
    path: str | PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    rows: Sequence[Any] | None = None,
    n_rows: int | None = None,
    title: str | None = None,
    evaluation: Any = None,
    command: str | None = None,
) -> None:
    """Write one page about a fitted model; see `report_html`.

    The page is one file that needs no other and no network. An existing file is replaced as a
    whole or not at all.

    Parameters
    ----------
    model : RBMClassifier, RBMImputer, HalfseenClassifier or HalfseenImputer
        A fitted model.
    path : str or path-like
        The page, such as "report.html".
    X, y, rows, n_rows, title, evaluation, command
        As in `report_html`.

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
    options = {"title": title, "evaluation": evaluation, "command": command}
    text = report_html(model, X, y, rows=rows, n_rows=n_rows, **options)
    write_page(text, path)


def report_html(
    model: TableModel,
    X: Any = None,
    y: Any = None,
    *,
    rows: Sequence[Any] | None = None,
    n_rows: int | None = None,
    title: str | None = None,
    evaluation: Any = None,
    command: str | None = None,
) -> str:
    """A page about a fitted model: how far to trust it, its data, examples, couplings, internals.

    Nothing is fitted. Predictions are made for all rows of `X`, so a few thousand are a good
    number. The same arguments give the same page.

    Parameters
    ----------
    model : RBMClassifier, RBMImputer, HalfseenClassifier or HalfseenImputer
        A fitted model.
    X : array-like or data frame of shape (n_rows, n_features), optional
        Rows to show the model on, at best some that it was not fitted to.
    y : array-like, series or data frame, optional
        What is known of their targets. It is compared with predictions made from the features
        alone; missing features are filled with it known, as `complete` does.
    rows : sequence, optional
        Names of the rows; by default the index of a data frame of pandas, else positions.
    n_rows : int, optional
        Rows of the table, if `X` is a sample of it.
    title : str, optional
        Title of the page.
    evaluation : optional
        Scores on hidden entries of the same table, from `halfseen.experiments.evaluate`.
    command : str, optional
        The command that writes the page, to be shown at its foot.

    Returns
    -------
    str
        An HTML document.
    """
    check_is_fitted(model)
    if X is None and y is not None:
        raise ValueError("y was given without X; pass the features of these rows, too.")
    if y is not None and not model.schema_.targets:
        raise ValueError(f"{type(model).__name__} has no targets; leave y out.")
    if evaluation is not None:
        check_evaluation(evaluation, model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        content = _content(model, X, y, rows, n_rows, evaluation)
    for one in caught:
        if issubclass(one.category, UserWarning):  # about the rows, so the reader sees them
            content["warnings"].append(str(one.message))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    content["warnings"] = list(dict.fromkeys(content["warnings"]))
    return render(
        "report.html", title=title or _title(model), command=command,
        contents=_contents(content), **content,
    )  # fmt: skip


def _content(
    model: TableModel, X: Any, y: Any, rows: Sequence[Any] | None, n_rows: int | None,
    evaluation: Any,
) -> dict[str, Any]:  # fmt: skip
    schema, calibration = model.schema_, model.calibration_
    of_rows = _of_rows(model, X, y, rows) if X is not None else _without_rows(schema)
    content = of_rows | {
        "lead": _lead(schema),
        "warnings": warnings_of(model) + of_rows.pop("warnings"),
        "class_trust": class_trust(schema, calibration) if calibration else [],
        "column_trust": column_trust(schema, calibration) if calibration else [],
        "n_features": len(schema.features),
        "parameters": sorted(model.get_params(deep=False).items()),
        "evaluation": evaluation,
        "score_tables": [],
    }
    if evaluation is not None:
        content["warnings"] += evaluation_warnings(
            evaluation, model, n_rows or content["n_rows"], n_rows is not None
        )
        content["score_tables"] = list(score_tables(evaluation))
    asked, of = COVERAGE, "the given rows"
    if evaluation is not None and (groups := coverage_groups(evaluation.new_rows)):
        # Of a model that has not seen these rows, and often of more entries.
        content["coverage"], asked, of = groups, asked_coverage(evaluation), "held-out rows"
    content["calibration_charts"] = _calibration_charts(
        content["bins"], content["coverage"], asked, of
    )
    return content | _of_couplings(model, X, y) | _of_training(model)


def _without_rows(schema: Schema) -> dict[str, Any]:
    nothing = ("warnings", "scores", "bins", "coverage", "examples", "unusual")
    return {name: [] for name in nothing} | {
        "columns": column_facts(schema, [None] * len(schema.columns)),
        "facts": _facts(schema, []),
        "missing_chart": None,
        "n_rows": None,
    }


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
    content: dict[str, Any] = {
        "n_rows": n_rows,
        "warnings": outlier_warnings(schema, found.table, found.rows),
        "columns": column_facts(schema, missing),
        "facts": _facts(schema, shown),
        "missing_chart": chart(
            plot.missingness, X, y, title="Where entries are missing",
            height=60 + 14 * min(30, len(names)),
            text="Each strip is a column, from the first row at the left to the last at the right; "
            "the stronger the colour, the more entries are missing. "
            + ("The 30 columns that lack the most are shown. " if len(names) > 30 else "")
            + "Blocks and steps mean that entries are not missing at random.",
        ),
        "examples": examples(found),
        "unusual": [],
    }  # fmt: skip
    if found.table.observed.any():
        unusual = unusual_rows(model, X, y, top=_MOST_UNUSUAL, n_entries=_MOST_ENTRIES)
        content["unusual"] = [{"name": found.rows[row.row], "found": row} for row in unusual.rows]
    scores = found.scores()
    bins = found.reliability() if scores else ()
    return content | {"scores": scores, "bins": bins, "coverage": coverage_groups(scores)}


def _calibration_charts(
    bins: Sequence[ReliabilityBin], groups: Sequence[GroupCoverage], asked: float, of: str
) -> list[dict[str, Any]]:
    """Reliability of probabilities and coverage of sets, as far as they are known."""
    charts = []
    if bins:
        n = sum(one.n_labels for one in bins)
        away = sum(one.n_labels * abs(one.share_true - one.mean_probability) for one in bins) / n
        charts.append(
            chart(
                plot.reliability, bins, height=240,
                title="Predicted probabilities, and how often they came true",
                text=f"{n:,} probabilities of the given rows, in bins; the number of each bin "
                "stands above. On the dashed line they are calibrated; the mean distance from it "
                f"is {number_text(away)}. Vertical lines are 95 % confidence intervals.",
            )
        )  # fmt: skip
    if groups:
        low = min(groups, key=lambda group: group.n_covered / group.n_known)
        where = f"{column_label(low.target, is_target=True)} = {value_label(low.value)}"
        charts.append(
            chart(
                plot.coverage, groups, asked=asked, height=70 + 17 * min(20, len(groups)),
                title="Coverage of prediction sets, by class",
                text=f"Share of the sets of {of} that contain the truth, with 95 % confidence "
                f"intervals; the dashed line is the {100 * asked:g} % they were asked for. The "
                f"lowest is that of {where}: "
                f"{low.n_covered} of {low.n_known}.",
            )
        )  # fmt: skip
    return charts


def _of_couplings(model: TableModel, X: Any, y: Any) -> dict[str, Any]:
    found = couplings(model, X, y)
    pairs = [pair for pair in found.table(_MOST_PAIRS) if pair["strength"] > 0]
    if not pairs:
        return {"couplings_chart": None, "pairs": []}
    n_shown = min(16, len(found.columns))
    text = (
        "The stronger two columns hang together in the model, the more opaque their cell: blue "
        "where more of one goes with more of the other, orange where it goes with less, grey where "
        "categories have no order. It is what the model uses, not what causes what."
    )
    of = pairs[0]
    first = column_label(of["column"], is_target=of["is_target"])
    second = column_label(of["other"], is_target=of["other_is_target"])
    text += f" The strongest pair is {first} and {second}."
    drawn = chart(
        plot.couplings, found, title="How strongly columns hang together", text=text,
        height=150 + 15 * n_shown,
    )  # fmt: skip
    return {"couplings_chart": drawn, "pairs": pairs}


def _of_training(model: TableModel) -> dict[str, Any]:
    epochs, losses = plot.validation_losses(model)
    n_iter = getattr(model, "n_iter_", None)
    text = f"Fitted by {model.fit_command_}, as " if model.fit_command_ else "Fitted as "
    text += " ".join(repr(model).split())
    text += "." if n_iter is None else f", with {n_iter:,} passes over the training table."
    if not losses:
        return {"history_chart": None, "training": f"{text} It keeps no validation losses."}
    best = int(np.argmin(losses))
    drawn = chart(
        plot.history, model, title="Validation loss, epoch by epoch",
        text=f"The lowest is {number_text(losses[best])}, of epoch {epochs[best]}. Each machine is "
        "kept as it was at its best epoch.",
    )  # fmt: skip
    return {"history_chart": drawn, "training": text}


def _facts(schema: Schema, of_rows: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Figures of the headline, by name."""
    shown = [("Features", number(len(schema.features)))]
    if schema.target_type == "multilabel-indicator":
        shown.append(("Labels", number(len(schema.targets))))
    elif len(schema.targets) == 1:
        shown.append(("Classes", number(len(schema.targets[0].categories))))
    elif schema.targets:
        shown.append(("Targets", number(len(schema.targets))))
    return of_rows + shown


def _lead(schema: Schema) -> str:
    """What the model answers, in a sentence."""
    names = [column_label(column.name, is_target=True) for column in schema.targets]
    n_modelled = sum(column.type != "ignored" for column in schema.features)
    fills = f"fills the missing entries of {n_modelled:,} features"
    if not names:
        return f"The model {fills}."
    what = listed(names)
    if len(names) == 1:
        classes = listed([value_label(value) for value in schema.targets[0].categories])
        what = f"{what} ({classes})"
    return f"The model predicts {what}, and {fills}."


def _title(model: TableModel) -> str:
    names = [column.name for column in model.schema_.targets if isinstance(column.name, str)]
    return f"Report on a model of {listed(names)}" if names else "Report on a model of a table"


def _contents(content: dict[str, Any]) -> list[tuple[str, str]]:
    sections = {
        "answer": ("How far to trust it", True),
        "data": ("The data", True),
        "scores": ("Scores", True),
        "calibration": ("Calibration and coverage", content["calibration_charts"]),
        "examples": ("Examples", content["examples"]),
        "couplings": ("Couplings", content["pairs"]),
        "unusual": ("Unusual rows", content["unusual"]),
        "internals": ("Training and internals", True),
    }
    return [(anchor, name) for anchor, (name, is_shown) in sections.items() if is_shown]
