"""``halfseen predict``: labels of new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from halfseen.cli.counted import counted
from halfseen.cli.destination import beside, checked_destination
from halfseen.cli.loaded_model import loaded_model
from halfseen.cli.model_options import with_allow_missing_columns, with_level
from halfseen.cli.problem import Problem
from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import FORMATS, with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    from halfseen.cli.prediction_rows import PredictionRows

_HELP = """Predict the labels of every row of FILE by MODEL, from its features alone.

Holes are no hindrance. One row is written for each row of FILE: its number, its identifiers, and
for every label

\b
  label              the decision
  label_confidence   probability of the decision
  label=value        probability of each value (of 1, for yes-or-no labels)
  label_possible     the values that are possible at --level, with bars between them
  label_not_sure     whether that is more than one

Of the sets in label_possible, a share of --level holds the truth. Where known labels of the same
row should help, use 'halfseen complete'.

\b
Examples:
  halfseen predict new.csv devices.safetensors -o predicted.csv
  halfseen predict new.parquet devices.safetensors --level 0.95 -o predicted.parquet
  halfseen predict new.csv devices.safetensors --keep 'site,room' -o - | column -s, -t | head"""


@click.command("predict", help=_HELP)
@click.argument("file", metavar="FILE")
@click.argument("model_path", metavar="MODEL")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the predictions; '-' is standard output.  "
    "[default: FILE with _predicted in its name]",
)
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    help="What to write, if the name of the output does not tell.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMNS",
    help="Columns of FILE to carry along, beside its identifiers; as for --labels of fit.",
)
@with_level
@with_allow_missing_columns
@with_reading
@with_seed
@with_terminal
def predict_command(
    file: str,
    model_path: str,
    output: str | None,
    to: str | None,
    keep: tuple[str, ...],
    level: float,
    allow_missing_columns: bool,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Predict labels and write them."""
    from halfseen.cli.chosen_columns import chosen_columns
    from halfseen.cli.model_source import open_for_model
    from halfseen.cli.prediction_rows import PredictionRows
    from halfseen.files import write_table
    from halfseen.machine.compilation_cache import kept_compilations

    path = output or beside(file, "_predicted", otherwise="-")
    checked_destination(path, terminal, [file, model_path])
    model = loaded_model(model_path, terminal)
    if not model.schema_.targets:
        raise Problem(
            f"{model_path} was fitted without labels and predicts none.",
            "Fill its features with 'halfseen complete', or fit with --labels.",
        )
    source = open_for_model(
        file, model.schema_, reading, terminal, allow_missing_columns=allow_missing_columns
    )
    names = [column.name for column in source.source.columns]
    kept = set(chosen_columns(keep, names, "--keep"))
    kept |= {c.name for c in source.source.columns if c.role.value == "identifier"}
    rows = PredictionRows(model, source, [name for name in names if name in kept], level)
    # Kept open over all batches: to look into the folder again for each would cost more than them.
    with terminal.watching("predicting", source.source.n_rows) as watch, kept_compilations():
        n_rows = write_table(path, rows.batches(watch.to), format=to or _format(path, source))
    _say(rows, n_rows, path, level, terminal)
    terminal.give(
        {
            "output": path,
            "rows": n_rows,
            "level": level,
            "labels": [
                {
                    "name": name,
                    "decisions": {v: n for v, n in rows.decided[name].items() if n},
                    "not_sure": rows.n_not_sure.get(name),
                }
                for name in rows.decided
            ],
        }
    )


def _format(path: str, source: Any) -> str | None:
    """Standard output has no name to tell the format by; it is that of the input."""
    return str(source.source.format) if path == "-" else None


def _say(rows: PredictionRows, n_rows: int, path: str, level: float, terminal: Terminal) -> None:
    where = "went to standard output" if path == "-" else f"are in {path}"
    n_labels = len(rows.decided)
    terminal.say(
        f"Predicted {counted(n_labels, 'label')} of {counted(n_rows, 'row')}. The predictions "
        f"{where}."
    )
    for name, counts in list(rows.decided.items())[:12]:
        shown = ", ".join(f"{value}: {count:,}" for value, count in counts.most_common(4) if count)
        unsure = rows.n_not_sure.get(name)
        share = (
            ""
            if unsure is None
            else f"; not sure at {level:g}: {100 * unsure / max(n_rows, 1):.0f} %"
        )
        terminal.say(f"  {name}  {shown}{share}")
    if n_labels > 12:
        terminal.say(f"  and {n_labels - 12} more labels")
    if not rows.n_not_sure:
        terminal.note(
            "This model holds no predictive ensemble: it cannot say where it is not sure."
        )
