"""``halfseen score``: a saved model on a table with known labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from halfseen.cli import options
from halfseen.cli.console import Console, Problem, as_json
from halfseen.cli.decisions import costs_option, threshold_option

_HELP = """Score MODEL on FILE, a table with known labels: each label is predicted from the features
of its row alone, as 'halfseen predict' does, and compared with the truth. Unknown labels do not
count.

FILE should hold rows that the model was not fitted to; of others the scores are too good.

\b
Examples:
  halfseen score later.csv devices.safetensors
  halfseen score later.csv devices.safetensors --by site       # every group by itself
  halfseen score later.csv devices.safetensors --threshold 0.3 --json

\b
  AUC          how often a row of the class is ranked above one of the others; 0.5 is chance
  log-loss     mean of -log(probability of the truth); lower is better
  accuracy     share that is decided right; below it, of a class, the share that is found (recall)
  calibration  mean distance of stated probabilities from how often they come true
  in set       share of truths that prediction sets hold, to be compared with --coverage
  abstains     share of prediction sets with more than one value"""


@options.command_with("score", _HELP, seed=False)
@click.argument("file", metavar="FILE")
@click.argument("model", metavar="MODEL")
@click.option("--by", metavar="COLUMN", help="Also score the rows of each value of this column.")
@threshold_option
@costs_option
@options.coverage_option
@options.output_option("Also write the scores as JSON.")
@options.table_options
def command(
    file: str, model: str, by: str | None, thresholds: tuple[str, ...], costs: tuple[str, ...],
    coverage: float, output: str | None, reading: options.TableOptions, console: Console,
) -> None:  # fmt: skip
    """Predict all rows with a known label, and score."""
    import numpy as np

    from halfseen.cli.decisions import Decisions
    from halfseen.cli.tables import ModelTable, load_model, no_row
    from halfseen.experiments.scores import LabelAnswers, label_answers, score_label

    options.check_outputs(console, [output], [file, model])
    model_table = ModelTable(reading.open(file), load_model(model), console, model)
    if not model_table.known_labels:
        names = ", ".join(model_table.labels) or "none"
        raise Problem(f"{file} has no label of the model ({names}).", "Nothing can be scored.")
    if by is not None:
        options.one_column(by, model_table.table.names, "--by")
    decisions = Decisions.make(model_table, thresholds, costs)
    parts: list[list[LabelAnswers]] = []
    groups: list[str] = []
    with console.progress("Predicting") as advance:
        for part in model_table.parts():
            if not part.cells.num_rows:
                continue
            answers = label_answers(model_table.model, part.X, part.y, coverage)
            pairs = zip(model_table.labels, answers, strict=True)
            parts.append([decisions.decided(name, of_label) for name, of_label in pairs])
            if by is not None:
                values = part.values.column(by).to_pylist()
                groups += ["(missing)" if value is None else str(value) for value in values]
            advance()
    if not parts:
        raise no_row(model_table.table)

    def scored(rows: Any) -> list[Any]:
        found = []
        for j, name in enumerate(model_table.labels):
            if name in model_table.known_labels:
                columns = zip(*(one[j][1:] for one in parts), strict=True)
                joined = [None if c[0] is None else np.concatenate(c)[rows] for c in columns]
                found.append(score_label(name, LabelAnswers(parts[0][j].classes, *joined)))  # type: ignore[arg-type]
        return found

    labels = scored(slice(None))
    console.show(label_table(labels))
    document: dict[str, Any] = {"file": file, "model": model, "coverage": coverage}
    document["labels"] = labels
    if by is not None:
        group = np.array(groups)
        document["groups"] = {}
        for value in sorted(set(groups)):
            document["groups"][value] = of_group = scored(group == value)
            console.show()
            console.head(f"{by} = {value} ({groups.count(value):,} rows)")
            console.show(label_table(of_group, with_classes=False))
    write_json(output, document, console)
    console.give(document)


def write_json(output: str | None, document: dict[str, Any], console: Console) -> None:
    """Write a result to a file, if there is one."""
    from halfseen.files import open_output

    if output is not None:
        with open_output(output) as file:
            file.write(as_json(document, indent=1) + b"\n")
        console.say(f"The result is in {options.shown_output(output)}.")


def label_table(labels: Sequence[Any], with_classes: bool = True) -> Any:
    """Scores of labels and their classes."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("label", overflow="fold")
    for head in ("known", "AUC", "log-loss", "accuracy", "calibration", "in set", "abstains"):
        table.add_column(head, justify="right", no_wrap=True)
    for label in labels:
        figures = [label.auc, label.log_loss, label.accuracy, label.calibration_error]
        figures += [label.set_coverage, label.share_abstained]
        table.add_row(label.name, f"{label.n_known:,}", *map(_figure, figures))
        for one in label.classes if with_classes else ():
            cells = ("", "", _figure(one.recall), "", _figure(one.set_coverage), "")
            table.add_row(f"  = {one.value}", f"{one.n_known:,}", *cells, style="dim")
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
