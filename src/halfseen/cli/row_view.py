"""Why a row was answered so, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from halfseen.cli.bullets import bullets
from halfseen.cli.printable import printable
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    import pyarrow

    from halfseen.explanations import Answer, RowExplanation

_MOST_HOLES = 4
_WIDEST = 56
_LONGEST = 240
_BAR = 12
_LEGEND = (
    "What each known entry does: the answer with it minus the answer without it, for labels and "
    "categories in log-odds of the value whose probability is given, for numbers in their own "
    "units.\n"
)


def show_row(
    explained: RowExplanation,
    row: int,
    table: pyarrow.Table,
    top: int,
    level: float,
    terminal: Terminal,
) -> None:
    """Show what the model says of a row, and what made it say so.

    Parameters
    ----------
    explained : RowExplanation
        The explanation.
    row : int
        The row, counted from 1.
    table : pyarrow.Table
        That row.
    top : int
        Most influences of an answer.
    level : float
        Level of the intervals.
    terminal : Terminal
        Where to show it.
    """
    n_known = sum(column.null_count == 0 for column in table.columns)
    terminal.show(f"Row {row}: {n_known} of {table.num_columns} columns are known.\n")
    if not explained.answers:
        terminal.show("Nothing is missing in it; --column NAME explains a known entry.")
        return
    labels = [answer for answer in explained.answers if answer.is_target]
    holes = [answer for answer in explained.answers if not answer.is_target]
    for answer in labels + holes[:_MOST_HOLES]:
        terminal.show(_heading(answer, level, table))
        terminal.show(_influences(answer, top))
        terminal.show()
    if len(holes) > _MOST_HOLES:
        names = ", ".join(printable(answer.column) for answer in holes[_MOST_HOLES:][:8])
        more = len(holes) - _MOST_HOLES
        terminal.show(
            f"and {more} more holes ({names}{', ...' if more > 8 else ''}): --column NAME\n"
        )
    terminal.show(Text(_LEGEND, style="dim"))
    if explained.hidden_units:
        terminal.show(Text("Hidden units that took part", style="bold"))
        terminal.show(bullets(printable(part, _LONGEST) for part in explained.hidden_units[:3]))
    if explained.nearest_patterns:
        terminal.show(Text("Typical patterns nearest to it", style="bold"))
        terminal.show(bullets(printable(near, _LONGEST) for near in explained.nearest_patterns[:3]))


def _heading(answer: Answer, level: float, table: pyarrow.Table) -> Text:
    text = Text.assemble((printable(answer.column, _WIDEST), "bold"), f": {_value(answer.value)}")
    if answer.probability is not None:
        of = "" if answer.event == answer.value else f"probability of {_value(answer.event)}: "
        text.append(f"  ({of}{_percent(answer.probability)})")
    elif answer.interval is not None:
        low, high = map(_value, answer.interval)
        text.append(f"  (with {100 * level:g} % between {low} and {high})")
    if answer.column in table.column_names and table.column(answer.column).null_count == 0:
        known = table.column(answer.column)[0].as_py()
        text.append(f"  from the rest of the row; known is {_value(known)}", style="dim")
    return text


def _influences(answer: Answer, top: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(justify="right")
    table.add_column()
    table.add_column()
    shown = answer.influences[:top]
    largest = max((abs(influence.effect) for influence in shown), default=0.0)
    for influence in shown:
        length = round(_BAR * abs(influence.effect) / largest) if largest else 0
        style = "green" if influence.effect > 0 else "red"
        table.add_row(
            f"{influence.effect:+.3g}",
            Text("█" * max(length, 1), style=style),
            f"{printable(influence.column, _WIDEST)} = {_value(influence.observed_value)}",
        )
    if not shown:
        table.add_row("", "", Text("nothing is observed in this row", style="dim"))
    return table


def _percent(share: float) -> str:
    if share < 0.001:
        return "<0.1 %"
    return ">99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def _value(value: Any) -> str:
    if not isinstance(value, float):
        return printable(value)
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
