"""What a model has learned, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from halfseen.cli.bullets import bullets
from halfseen.cli.printable import printable
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    from halfseen.explanations import Couplings, HiddenUnitSummary, UnusualRow

_WIDEST = 300


def show_couplings(coupled: Couplings, terminal: Terminal) -> None:
    """Show which columns go together.

    Parameters
    ----------
    coupled : Couplings
        The strongest couplings.
    terminal : Terminal
        Where to show them.
    """
    parts = (
        ("Labels that go together (change in log-odds)", coupled.label_label),
        ("Features that speak for a label (change in log-odds)", coupled.feature_label),
        ("Features that go together", coupled.feature_feature),
    )
    for heading, couplings in parts:
        if couplings:
            terminal.show(Text(heading, style="bold"))
            terminal.show(
                bullets(
                    Text(printable(each, _WIDEST), style="green" if each.change > 0 else "red")
                    for each in couplings
                )
            )
            terminal.show()


def show_hidden_units(units: Sequence[HiddenUnitSummary], terminal: Terminal) -> None:
    """Show what hidden units respond to.

    Parameters
    ----------
    units : sequence of HiddenUnitSummary
        The strongest.
    terminal : Terminal
        Where to show them.
    """
    if units:
        terminal.show(Text("What hidden units respond to", style="bold"))
        terminal.show(bullets(map(str, units)))
        terminal.show()


def show_unusual_rows(
    rows: Sequence[UnusualRow], numbers: Sequence[int], terminal: Terminal
) -> None:
    """Show rows that do not fit.

    Parameters
    ----------
    rows : sequence of UnusualRow
        The most unusual first.
    numbers : sequence of int
        Where they are in the file, counted from 1.
    terminal : Terminal
        Where to show them.
    """
    terminal.show(Text("Unusual rows", style="bold"))
    sentences = [
        Text.assemble(
            (f"row {number:,}", "bold"),
            f" ({row.score:.1f} standard deviations less likely than usual): ",
            printable("; ".join(str(entry) for entry in row.entries[:3]), _WIDEST),
        )
        for row, number in zip(rows, numbers, strict=True)
    ]
    terminal.show(bullets(sentences or ["none"]))
