"""Which columns are missing together, drawn with signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfseen.cli.printable import printable

if TYPE_CHECKING:
    from halfseen.inspection import TableSummary

_MOST_PATTERNS = 8
_MOST_NAMES = 5
_MOST_COLUMNS = 60


def pattern_picture(summary: TableSummary, width: int) -> str:
    """The most frequent patterns of holes, one line each.

    Parameters
    ----------
    summary : TableSummary
        What is in the table.
    width : int
        Characters in a line.

    Returns
    -------
    str
        A block for a column that is observed and a dot for one that is missing, of columns that
        have holes; empty if there is nothing to see.
    """
    holed = [k for k, column in enumerate(summary.columns) if column.n_missing]
    if not holed or len(summary.patterns) < 2:
        return ""
    holed.sort(key=lambda k: summary.columns[k].n_missing)
    drawn = holed if len(holed) <= _MOST_COLUMNS else holed[-_MOST_COLUMNS:]
    most = max(pattern.n_rows for pattern in summary.patterns)
    if most < 0.01 * summary.n_rows:
        return (
            f"Hardly any two rows lack the same columns: the most frequent pattern of holes occurs "
            f"in {most:,} of {summary.n_rows:,} rows."
        )
    lines = []
    for pattern in summary.patterns[:_MOST_PATTERNS]:
        signs = "".join("█" if pattern.observed[k] else "·" for k in drawn)
        lacking = [summary.columns[k].name for k in holed if not pattern.observed[k]]
        share = f"{100 * pattern.n_rows / summary.n_rows:.1f} %"
        room = max(width - len(signs) - 24, 12)
        lines.append(f"{pattern.n_rows:>9,} rows {share:>7}  {signs}  {_words(lacking, room)}")
    listed = sum(pattern.n_rows for pattern in summary.patterns[:_MOST_PATTERNS])
    if summary.n_rows > listed:
        lines.append(f"{summary.n_rows - listed:>9,} rows in other patterns")
    return "\n".join(lines)


def _words(lacking: list[str], room: int) -> str:
    if not lacking:
        return "complete"
    names = ", ".join(lacking[-_MOST_NAMES:][::-1])
    more = f" and {len(lacking) - _MOST_NAMES} more" if len(lacking) > _MOST_NAMES else ""
    return printable(f"without {names}{more}", room)
