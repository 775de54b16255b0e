"""How a table is to be read, as the command line says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    from halfseen.files import ColumnRole, TableFile


@dataclass(frozen=True)
class Reading:
    """What the command line says about how to read a table.

    Attributes
    ----------
    missing : tuple of str
        Texts that mean "missing".
    only_missing : bool
        Whether nothing else does, but an empty cell.
    format_, encoding, delimiter : str or None
        Of the file; None to find out.

    Examples
    --------
    >>> Reading(("-99",), True).marks()
    ('', '-99')
    """

    missing: tuple[str, ...] = ()
    only_missing: bool = False
    format_: str | None = None
    encoding: str | None = None
    delimiter: str | None = None

    def marks(self) -> tuple[str, ...]:
        """Every text that means "missing".

        Returns
        -------
        tuple of str
        """
        from halfseen.files import DEFAULT_MISSING_MARKS

        usual = ("",) if self.only_missing else tuple(DEFAULT_MISSING_MARKS)
        return (*usual, *(mark for mark in self.missing if mark not in usual))

    def open(
        self, path: str, terminal: Terminal, roles: Mapping[str, ColumnRole] | None = None
    ) -> TableFile:
        """Open a table.

        Parameters
        ----------
        path : str
            The file, or "-" for standard input.
        terminal : Terminal
            Where to show that this lasts.
        roles : mapping from column name to ColumnRole, or None
            What columns are taken for, whatever they look like.

        Returns
        -------
        TableFile
            To be closed with the command.
        """
        from halfseen.files import open_table

        with terminal.watching("reading"):
            source = open_table(
                path,
                format=self.format_,
                missing_marks=self.marks(),
                encoding=self.encoding,
                delimiter=self.delimiter,
                roles=roles,
            )
        context = click.get_current_context(silent=True)
        if context is not None:
            context.call_on_close(source.close)
        return source
