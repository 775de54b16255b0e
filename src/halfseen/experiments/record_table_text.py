"""Tables of a study as text, Markdown or CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from halfseen.experiments.published import OUR_NAMES
from halfseen.experiments.record_table import SCORE_NAMES, RecordTable, TableEntry, TableLine

_PAPER_NAMES = {ours: theirs for theirs, ours in OUR_NAMES.items()}
_MARKS = {"": "", "best": "*", "clearly best": "**", "as good": "~"}
LEGEND = (
    "Mean ± standard deviation over realisations. ** better than every other beyond chance (paired "
    "over realisations, corrected resampled t test, Holm over the methods, 5 %); * best, but not "
    "beyond chance; ~ cannot be told from the best. 'paper' is the published figure."
)


def tables_as_text(tables: Sequence[RecordTable]) -> str:
    """Tables for a terminal.

    >>> from halfseen.experiments.record_table import TableLine
    >>> line = TableLine("mc1", False, (TableEntry(0.5, 0.01, 2, "best"),))
    >>> table = RecordTable("scene", "transductive", "at_random", "micro_auc", "labels",
    ...     ((0.5, 0.3),), (line,), ())
    >>> print(tables_as_text([table]).splitlines()[0])
    scene, transductive, hidden at_random: micro-AUC
    """
    parts: list[str] = []
    for place, table in enumerate(tables):
        rows = [_head(table), *([_name(line), *_cells(line, table)] for line in table.lines)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        parts.append(_title(table))
        for first, *others in rows:
            cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            parts.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
        parts.append("")
        if _ends(tables, place):
            parts += [f"- {note}" for note in table.notes] + [""] * bool(table.notes)
    return "\n".join([*parts, LEGEND, ""])


def tables_as_markdown(tables: Sequence[RecordTable]) -> str:
    """Tables for a document in Markdown.

    >>> tables_as_markdown([]).startswith("Mean")
    True
    """
    parts = [LEGEND.replace("*", "\\*").replace("~", "\\~"), ""]
    for place, table in enumerate(tables):
        head = _head(table)
        parts += [f"**{_title(table)}**", "", _row(head), _row(["---", *["---:"] * len(head[1:])])]
        for line in table.lines:
            cells = [cell.replace("*", "\\*").replace("~", "\\~") for cell in _cells(line, table)]
            parts.append(_row([_name(line).strip(), *cells]))
        parts.append("")
        if _ends(tables, place):
            parts += [f"- {note}" for note in table.notes] + [""] * bool(table.notes)
    return "\n".join(parts)


def tables_as_csv(tables: Sequence[RecordTable]) -> str:
    r"""All entries of all tables, one per line.

    >>> tables_as_csv([]).split(",")[:3]
    ['data_set', 'task', 'hiding']
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = "data_set task hiding feature_rate label_rate score method source mean std n mark"
    writer.writerow(names.split())
    for table in tables:
        for line in table.lines:
            source = "paper" if line.is_published else "run"
            for (feature, label), entry in zip(table.rates, line.entries, strict=True):
                if entry is not None:
                    asked = (table.data_set, table.task, table.hiding, feature, label, table.score)
                    spread = "" if math.isnan(entry.std) else entry.std
                    found = (line.name, source, entry.mean, spread, entry.n, entry.mark)
                    writer.writerow([*asked, *found])
    return file.getvalue()


FORMATS: Mapping[str, Callable[[Sequence[RecordTable]], str]] = MappingProxyType(
    {"text": tables_as_text, "markdown": tables_as_markdown, "csv": tables_as_csv}
)


def _title(table: RecordTable) -> str:
    score = SCORE_NAMES[table.score]
    return f"{table.data_set}, {table.task}, hidden {table.hiding}: {score}"


def _head(table: RecordTable) -> list[str]:
    label = "q_mc" if table.target == "classes" else "q_ml"
    return [f"q_fea / {label}", *(f"{of_x:.0%} / {of_y:.0%}" for of_x, of_y in table.rates)]


def _name(line: TableLine) -> str:
    return f"  paper: {_PAPER_NAMES[line.name]}" if line.is_published else line.name


def _cells(line: TableLine, table: RecordTable) -> list[str]:
    return ["-" if entry is None else _cell(entry, table.score) for entry in line.entries]


def _cell(entry: TableEntry, score: str) -> str:
    digits = _digits(score, abs(entry.mean))
    if entry.n and math.isnan(entry.std):
        text = f"{entry.mean:.{digits}f}"
    else:
        text = f"{entry.mean:.{digits}f} ± {entry.std:.{digits}f}"
    return text + _MARKS[entry.mark]


def _digits(score: str, size: float) -> int:
    if score == "seconds":
        return 2 if size < 10 else 0
    return 4 if score != "rmse" or size < 1 else 3 if size < 100 else 1


def _ends(tables: Sequence[RecordTable], place: int) -> bool:
    """Whether the next table is of something else, so that the notes can follow."""
    if place + 1 == len(tables):
        return True
    this, other = tables[place], tables[place + 1]
    return (this.data_set, this.task, this.hiding) != (other.data_set, other.task, other.hiding)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
