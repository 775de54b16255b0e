"""``halfseen predict``: labels of new rows; ``halfseen score``: beside the known ones."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import Any

import click
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfseen.cli import options
from halfseen.cli.console import Console, Problem, UsageProblem, label_table
from halfseen.cli.tables import ModelTable, Part, load_model, no_row, set_texts
from halfseen.data.raw import class_text
from halfseen.experiments.scores import LabelAnswers, label_answers, score_label
from halfseen.files import output_format, table_writer

_PREDICT = """Predict the labels of every row of FILE by MODEL, from its features alone.

Missing values are no hindrance. One row is written for each row of FILE: its number, counted from 1
below the header, its identifiers, and for every label

\b
  LABEL              the decision
  LABEL_probability  probability of the decision
  LABEL=VALUE        probability of each value (of 1, for labels of 0 and 1)
  LABEL_set          prediction set: values that are possible, with bars between them
  LABEL_abstain      whether the set has more than one value

Of the sets, a share of --coverage holds the truth, for every value of a label. Where known labels
of the same row should help, use 'halfseen complete'.

\b
Examples:
  halfseen predict new.csv devices.safetensors --threshold 0.3 --threshold threat_scan=0.8
  halfseen predict new.csv devices.safetensors --costs 5:1     # a miss costs five false alarms
  halfseen predict new.csv charts.safetensors --costs diagnosis=costs.csv
  halfseen predict new.csv devices.safetensors --keep 'site,room' -o - | column -s, -t | head"""
_SCORE = """Score MODEL on FILE, a table with known labels: each label is predicted from the
features of its row alone, as 'halfseen predict' does, and compared with the truth. Unknown labels
do not count.

FILE should hold rows that the model was not fitted to; of others the scores are too good.

\b
Examples:
  halfseen score later.csv devices.safetensors
  halfseen score later.csv devices.safetensors --by site       # every group by itself

\b
  AUC          how often a row of the class is ranked above one of the others; 0.5 is chance
  log-loss     mean of -log(probability of the truth); lower is better
  accuracy     share that is decided right; below it, of a class, the share that is found (recall)
  calibration  mean distance of stated probabilities from how often they come true
  in set       share of truths that prediction sets hold, to be compared with --coverage
  abstains     share of prediction sets with more than one value"""

_threshold_option = click.option(
    "--threshold", "thresholds", multiple=True, metavar="[LABEL=]P",
    help="Predict a label of two states above it.  [default: what the model learned]",
)  # fmt: skip
_costs_option = click.option(
    "--costs", multiple=True, metavar="[LABEL=]COSTS",
    help="Decide by least expected cost: MISS:ALARM for labels of two states, or a CSV file with a "
    "row for each true class and a column for each decision.",
)  # fmt: skip


@options.command_with("predict", _PREDICT, "FILE", "MODEL", seed=False)
@options.output_option("The predictions; '-' is standard output.  [default: a_predicted.csv]")
@click.option("--keep", multiple=True, metavar="COLUMNS", help="Columns of FILE to carry along.")
@_threshold_option
@_costs_option
@options.coverage_option
@options.table_options
def predict(
    file: str, model: str, output: str | None, keep: tuple[str, ...],
    thresholds: tuple[str, ...], costs: tuple[str, ...], coverage: float,
    reading: options.TableOptions, console: Console,
) -> None:  # fmt: skip
    """Predict part by part."""
    path = options.output_beside(file, "_predicted", output)
    options.check_outputs(console, [path], [file, model])
    fitted = load_model(model)
    if not fitted.schema_.targets:
        message = f"The model {model} has no labels to predict."
        raise Problem(message, f"Fill features: halfseen complete {quote(file)} {quote(model)}")
    model_table = ModelTable(reading.open(file), fitted, console, model)
    kept = options.chosen_columns(keep, model_table.table.names, "--keep")
    decisions = _Decisions.make(model_table, thresholds, costs)
    n_rows, write, form = 0, None, output_format(path)
    counts: dict[str, Counter[str]] = {name: Counter() for name in model_table.labels}
    abstained: Counter[str] = Counter()
    with ExitStack() as stack:
        advance = stack.enter_context(console.progress("Predicting"))
        for part in model_table.parts():
            rows = _prediction_rows(model_table, decisions, part, kept, coverage)
            write = write or stack.enter_context(table_writer(path, rows.schema, form))
            write(rows)
            n_rows += part.cells.num_rows
            for name in model_table.labels:
                counts[name].update(rows.column(name).cast("string").to_pylist())
                if f"{name}_abstain" in rows.column_names:
                    abstained[name] += sum(rows.column(f"{name}_abstain").to_pylist())
            advance(what=f"Predicting: {n_rows:,} rows")
    labels = "1 label" if len(counts) == 1 else f"{len(counts)} labels"
    where = f"The predictions are in {options.shown_output(path)}."
    console.say(f"Predicted {labels} of {n_rows:,} rows. {where}")
    for name, found in counts.items() if n_rows else ():
        shares = ", ".join(f"{value} {n / n_rows:.0%}" for value, n in found.most_common(4))
        sure = f"; abstains in {abstained[name] / n_rows:.0%}" if name in abstained else ""
        console.say(f"  {name}: {shares}{sure}")
    if n_rows:
        console.say(f"Why? halfseen explain {quote(file)} {quote(model)} --row 1")
    found_labels = {
        name: {"predicted": dict(found), "abstained": abstained.get(name)}
        for name, found in counts.items()
    }
    console.give({"output": path, "rows": n_rows, "coverage": coverage, "labels": found_labels})


def _prediction_rows(
    model_table: ModelTable, decisions: _Decisions, part: Part, kept: list[str], coverage: float
) -> pa.Table:
    """Row number, identifiers, kept columns, and for every label decision, probabilities, set."""
    model, n = model_table.model, part.cells.num_rows
    if not n:  # a header alone: what there would be of a row
        row = model_table.part(pa.Table.from_pylist([{}], part.cells.schema), [0])
        return _prediction_rows(model_table, decisions, row, kept, coverage).slice(0, 0)
    columns: dict[str, Any] = {"row": 1 + np.array(part.rows)}
    for name, cells in model_table.carried(part, taken=["row"], keep=kept):
        columns[f"{name}_known" if name in model_table.labels else name] = cells
    is_labels = model.schema_.target_type == "multilabel-indicator"
    for name, found in decisions.answers(part.X, None, coverage):
        values = [found.classes[code] for code in found.decided]
        is_text = any(isinstance(value, str) for value in found.classes)
        columns[name] = pa.array(values, pa.string() if is_text else None)
        columns[f"{name}_probability"] = np.round(found.proba[np.arange(n), found.decided], 6)
        for k, value in enumerate(found.classes):
            if k or not is_labels:
                columns[f"{name}={class_text(value)}"] = np.round(found.proba[:, k], 6)
        if found.inside is not None:
            columns[f"{name}_set"] = set_texts(found.classes, found.inside)
            columns[f"{name}_abstain"] = found.inside.sum(axis=1) > 1
    return pa.table(columns)


@options.command_with("score", _SCORE, "FILE", "MODEL", seed=False)
@click.option("--by", metavar="COLUMN", help="Also score the rows of each value of this column.")
@_threshold_option
@_costs_option
@options.coverage_option
@options.output_option("Also write the scores as JSON.")
@options.table_options
def score(
    file: str, model: str, by: str | None, thresholds: tuple[str, ...], costs: tuple[str, ...],
    coverage: float, output: str | None, reading: options.TableOptions, console: Console,
) -> None:  # fmt: skip
    """Predict all rows with a known label, and score."""
    options.check_outputs(console, [output], [file, model])
    model_table = ModelTable(reading.open(file), load_model(model), console, model)
    if not model_table.known_labels:
        names = ", ".join(model_table.labels) or "none"
        raise Problem(f"{file} has no label of the model ({names}).", "Nothing can be scored.")
    if by is not None:
        options.one_column(by, model_table.table.names, "--by")
    decisions = _Decisions.make(model_table, thresholds, costs)
    parts: list[dict[str, LabelAnswers]] = []
    groups: list[str] = []
    with console.progress("Predicting") as advance:
        for part in model_table.parts():
            if part.cells.num_rows:
                parts.append(dict(decisions.answers(part.X, part.y, coverage)))
                values = [] if by is None else part.values.column(by).to_pylist()
                groups += ["(missing)" if value is None else str(value) for value in values]
            advance()
    if not parts:
        raise no_row(model_table.table)

    def scored(rows: Any) -> list[Any]:
        found = []
        for name in model_table.known_labels:
            classes, *columns = zip(*(part[name] for part in parts), strict=True)
            joined: Any = [None if c[0] is None else np.concatenate(c)[rows] for c in columns]
            found.append(score_label(name, LabelAnswers(classes[0], *joined)))
        return found

    labels, group = scored(slice(None)), np.array(groups)
    console.show(label_table(labels))
    document: dict[str, Any] = {"file": file, "model": model, "coverage": coverage}
    document["labels"] = labels
    if by is not None:
        document["groups"] = {value: scored(group == value) for value in sorted(set(groups))}
        for value, of_group in document["groups"].items():
            console.show()
            console.head(f"{by} = {value} ({groups.count(value):,} rows)")
            console.show(label_table(of_group, with_classes=False))
    options.write_json(output, document, console)
    console.give(document)


# Decisions from probabilities.


@dataclass(frozen=True)
class _Decisions:
    """How each label is decided: as the model does, by a threshold, or by costs."""

    model_table: ModelTable
    thresholds: dict[str, float]
    costs: dict[str, NDArray[np.float64]]  # (true class, decision)

    @classmethod
    def make(
        cls, model_table: ModelTable, thresholds: Sequence[str], costs: Sequence[str]
    ) -> _Decisions:
        """From what ``--threshold`` and ``--costs`` give."""
        targets = {name: column.categories for name, column in model_table.targets.items()}
        two_states = [name for name, classes in targets.items() if len(classes) == 2]
        return cls(
            model_table, options.per_column(thresholds, two_states, "--threshold", _share),
            options.per_column(costs, list(targets), "--costs", partial(_matrix, targets)),
        )  # fmt: skip

    def answers(self, X: pa.Table, y: Any, coverage: float) -> list[tuple[str, LabelAnswers]]:
        """Predictions of each label, decided as asked."""
        found = label_answers(self.model_table.model, X, y, coverage)
        pairs = zip(self.model_table.labels, found, strict=True)
        return [(name, self._decided(name, of_label)) for name, of_label in pairs]

    def _decided(self, name: str, found: LabelAnswers) -> LabelAnswers:
        if name in self.costs:
            return found._replace(decided=(found.proba @ self.costs[name]).argmin(axis=1))
        if name in self.thresholds:
            above = found.proba[:, 1] > self.thresholds[name]
            return found._replace(decided=above.astype(np.int64))
        return found


def _share(_: str, text: str) -> float:
    if not _is_number(text) or float(text) > 1:
        raise UsageProblem(f"--threshold takes a probability from 0 to 1, not {text!r}.")
    return float(text)


def _matrix(targets: Mapping[str, Sequence[Any]], name: str, text: str) -> NDArray[np.float64]:
    """Cost of each decision, given each true class."""
    miss, sign, alarm = text.partition(":")
    classes = [class_text(value) for value in targets[name]]
    if sign and len(classes) == 2 and _is_number(miss) and _is_number(alarm):
        return np.array([[0.0, float(alarm)], [float(miss), 0.0]])
    if not text.lower().endswith(".csv"):
        remedy = "Give MISS:ALARM for two states, such as 5:1, or a CSV file of costs."
        raise UsageProblem(f"--costs of {name!r}: {text!r} cannot be read.", remedy)
    try:
        with open(text, encoding="utf-8-sig", newline="") as file:
            (_, *head), *rows = [row for row in csv.reader(file) if row] or [[""]]
        costs = {truth: dict(zip(head, map(float, cells), strict=True)) for truth, *cells in rows}
        found = np.array([[costs[truth][decision] for decision in classes] for truth in classes])
        if not np.isfinite(found).all():
            raise ValueError("a cost is no finite number")
        return found
    except (OSError, ValueError, KeyError) as error:
        reason = f"there is no class {error}" if isinstance(error, KeyError) else str(error)
        remedy = f"It needs a row and a column for each of {', '.join(classes)}."
        raise Problem(f"The costs in {text!r} cannot be used: {reason}.", remedy) from error


def _is_number(text: str) -> bool:
    try:
        return float(text) >= 0
    except ValueError:
        return False
