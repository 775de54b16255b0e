"""Options of the commands that ask a model about a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def with_level(command: Command) -> Command:
    """Add ``--level``, how often bounds and sets shall hold the truth.

    Examples
    --------
    >>> @click.command()
    ... @with_level
    ... def show(level: float) -> None:
    ...     print(level)
    >>> show.main(["--coverage", "0.8"], standalone_mode=False)
    0.8
    """
    return click.option(
        "--level",
        "--coverage",
        "level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.9,
        show_default=True,
        help="How often bounds and sets of possible values shall hold the truth.",
    )(command)


def with_allow_missing_columns(command: Command) -> Command:
    """Add ``--allow-missing-columns``.

    Examples
    --------
    >>> @click.command()
    ... @with_allow_missing_columns
    ... def show(allow_missing_columns: bool) -> None:
    ...     print(allow_missing_columns)
    >>> show.main([], standalone_mode=False)
    False
    """
    return click.option(
        "--allow-missing-columns",
        is_flag=True,
        help="Columns that the model learned from and the table lacks count as missing in every "
        "row, instead of being an error.",
    )(command)
