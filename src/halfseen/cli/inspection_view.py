"""What is in a table, on the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from halfseen.cli.bullets import bullets
from halfseen.cli.missing_strips import MissingStrips
from halfseen.cli.pattern_picture import pattern_picture
from halfseen.cli.printable import printable
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    from halfseen.files import FileColumn, TableFile
    from halfseen.inspection import ColumnSummary, TableSummary

_WIDEST_NAME = 28
_WIDTH_OF_OTHERS = 15 + 7 + 16 + 4 * 2 + 1
_FEWEST_VALUES = 14
_MOST_COLUMNS = 30
_MOST_WARNINGS = 12
_MOST_FINDINGS = 5
_MOST_CLASSES = 4
_WORDS = {
    "number": "number",
    "yes_no": "yes/no",
    "category": "category",
    "identifier": "identifier",
    "date": "date",
    "text": "free text",
    "empty": "empty",
    "constant": "constant",
}


def show_inspection(
    source: TableFile,
    summary: TableSummary,
    strips: MissingStrips,
    ignored: Collection[str],
    terminal: Terminal,
    *,
    shows_all: bool = False,
) -> None:
    """Show what is in a table.

    Parameters
    ----------
    source : TableFile
        The table.
    summary : TableSummary
        What is in it.
    strips : MissingStrips
        Where its holes are.
    ignored : collection of str
        Columns that the user leaves out.
    terminal : Terminal
        Where to show it.
    shows_all : bool, default=False
        Whether all columns of a wide table are shown.
    """
    terminal.show(
        f"{printable(source.path, 200)}: {summary.n_rows:,} rows, {len(summary.columns):,} "
        f"columns, {_percent(summary.share_missing)} of the cells missing.\n"
    )
    pairs = list(zip(source.columns, summary.columns, strict=True))
    shown = pairs if shows_all or len(pairs) <= _MOST_COLUMNS else _most_telling(pairs)
    terminal.show(_columns(shown, summary, strips, ignored, terminal.width))
    if len(shown) < len(pairs):
        terminal.show(Text(f"and {len(pairs) - len(shown)} more columns (--all)", style="dim"))
    terminal.show()
    picture = pattern_picture(summary, terminal.width)
    if picture:
        _head("Which columns are missing together", terminal)
        terminal.show(picture + "\n")
    if summary.labels:
        _head("Labels", terminal)
        terminal.show(_labels(summary))
        terminal.show()
    _head("Do holes look random?", terminal)
    terminal.show(summary.randomness.verdict)
    told = [column for column in summary.randomness.columns if column.is_told]
    _bullets([column.sentence for column in told], _MOST_FINDINGS, terminal)
    if summary.randomness.remark:
        terminal.show(Text(summary.randomness.remark, style="dim"))
    terminal.show()
    if summary.warnings:
        _head("Worth a look", terminal)
        _bullets([warning.sentence for warning in summary.warnings], _MOST_WARNINGS, terminal)


def _head(text: str, terminal: Terminal) -> None:
    terminal.show(Text(text, style="bold"))


def _bullets(sentences: Sequence[str], most: int, terminal: Terminal) -> None:
    shown = list(sentences[:most])
    if len(sentences) > most:
        shown.append(f"and {len(sentences) - most} more (--json has all)")
    if shown:
        terminal.show(bullets(shown))


def _columns(
    shown: Sequence[tuple[FileColumn, ColumnSummary]],
    summary: TableSummary,
    strips: MissingStrips,
    ignored: Collection[str],
    width: int,
) -> Table:
    widest = min(_WIDEST_NAME, max(width - _WIDTH_OF_OTHERS - _FEWEST_VALUES, 8))
    names = min(widest, max(len(printable(column.name, 99)) for column, _ in shown))
    room = max(width - max(names, 6) - _WIDTH_OF_OTHERS, 1)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("column", no_wrap=True, width=max(names, 6))
    table.add_column("taken for", no_wrap=True, width=15)
    table.add_column("missing", justify="right", no_wrap=True, width=7)
    table.add_column("first row → last", no_wrap=True, width=16)
    table.add_column("values", no_wrap=True, width=room)
    labels = {label.name for label in summary.labels}
    for column, found in shown:
        role = _WORDS.get(column.role.value, column.role.value)
        if column.name in labels:
            role = f"label, {role}"
        elif column.name in ignored:
            role = "ignored"
        passes = column.role.value not in ("number", "yes_no", "category")
        table.add_row(
            printable(column.name, names),
            Text(role, style="dim" if passes or column.name in ignored else ""),
            _percent(found.share_missing) if found.n_missing else Text("-", style="dim"),
            Text(strips.signs(column.name), style="cyan" if found.n_missing else "dim"),
            printable(_values(column, found), room),
        )
    return table


def _most_telling(
    pairs: list[tuple[FileColumn, ColumnSummary]],
) -> list[tuple[FileColumn, ColumnSummary]]:
    """Of a wide table labels, what is no plain feature, and what has most holes."""

    def rank(position: int) -> tuple[bool, bool, int, int]:
        column, found = pairs[position]
        is_plain = column.role.value in ("number", "yes_no", "category")
        return found.role != "label", is_plain, -found.n_missing, position

    chosen = sorted(range(len(pairs)), key=rank)[:_MOST_COLUMNS]
    return [pairs[position] for position in sorted(chosen)]


def _values(column: FileColumn, found: ColumnSummary) -> str:
    if column.role.value in ("identifier", "text"):
        return ", ".join(printable(value, 16) for value in column.examples[:3])
    if found.earliest is not None:
        return f"{found.earliest} to {found.latest}"
    if found.numbers is not None and found.kind == "numeric":
        numbers = found.numbers
        return (
            f"{_short(numbers.minimum)} to {_short(numbers.maximum)}, mean {_short(numbers.mean)}"
        )
    if found.top and found.n_observed:
        shares = [
            f"{printable(count.value, 16)} {_percent(count.n_rows / found.n_observed)}"
            for count in found.top[:_MOST_CLASSES]
        ]
        more = found.n_distinct - len(shares)
        capped = "+" if found.is_n_distinct_capped else ""
        return ", ".join(shares) + (f", {more:,}{capped} more" if more > 0 else "")
    return ", ".join(printable(value, 16) for value in column.examples[:3])


def _labels(summary: TableSummary) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("label", no_wrap=True)
    table.add_column("known", justify="right")
    table.add_column("values of those")
    for label in summary.labels[:_MOST_COLUMNS]:
        known = max(label.n_known, 1)
        classes = ", ".join(
            f"{printable(count.value, 20)} {_percent(count.n_rows / known)}"
            for count in label.classes[: _MOST_CLASSES + 2]
        )
        more = label.n_classes - len(label.classes[: _MOST_CLASSES + 2])
        table.add_row(
            printable(label.name),
            _percent(label.share_known),
            classes + (f", {more:,} more" if more > 0 else ""),
        )
    if len(summary.labels) > _MOST_COLUMNS:
        table.add_row(Text(f"and {len(summary.labels) - _MOST_COLUMNS} more", style="dim"))
    if summary.n_rows_without_label:
        share = _percent(summary.n_rows_without_label / max(summary.n_rows, 1))
        table.add_row(Text(f"no label known in {share} of the rows", style="dim"))
    return table


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _short(value: float) -> str:
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
