"""Sentences as a list with bullets that wraps cleanly."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from halfseen.cli.printable import printable

_LONGEST = 600


def bullets(sentences: Iterable[str | Text]) -> Table:
    """Sentences as a list with bullets.

    Parameters
    ----------
    sentences : iterable of str or rich.text.Text
        One for each bullet.

    Returns
    -------
    rich.table.Table

    Examples
    --------
    >>> from rich.console import Console
    >>> Console(width=20).print(bullets(["one", "a sentence that wraps"]))
     • one...
     • a sentence that
       wraps...
    """
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=2, justify="right")
    grid.add_column()
    for sentence in sentences:
        text = sentence if isinstance(sentence, Text) else Text(printable(sentence, _LONGEST))
        grid.add_row("•", text)
    return grid
