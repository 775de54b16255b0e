"""Options that several commands have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from halfseen.cli.reading import Reading
from halfseen.cli.terminal import Terminal

Command = TypeVar("Command", bound=Callable[..., Any])
_LARGEST_SEED = 2**32 - 1
FORMATS = ("csv", "tsv", "parquet", "arrow")


def with_terminal(command: Command) -> Command:
    """Add ``--quiet`` and ``--json``; the command receives a ``terminal``.

    Examples
    --------
    >>> @click.command()
    ... @with_terminal
    ... def hello(terminal: Terminal) -> None:
    ...     terminal.give({"hello": "world"})
    >>> hello.main(["--json"], standalone_mode=False)
    {"hello": "world", "notes": []}
    """

    @click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors; show no progress.")
    @click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Give the result as one JSON document, and nothing else, on standard output.",
    )
    @wraps(command)
    def with_one(*args: Any, quiet: bool, as_json: bool, **kwargs: Any) -> Any:
        terminal = Terminal(quiet=quiet, as_json=as_json)
        with terminal.hearing_warnings():
            return command(*args, terminal=terminal, **kwargs)

    return with_one  # type: ignore[return-value]


def with_seed(command: Command) -> Command:
    """Add ``--seed``, a whole number that decides everything random.

    Examples
    --------
    >>> @click.command()
    ... @with_seed
    ... def show(seed: int) -> None:
    ...     print(seed)
    >>> show.main(["--seed", "7"], standalone_mode=False)
    7
    """
    return click.option(
        "--seed",
        type=click.IntRange(0, _LARGEST_SEED),
        default=0,
        show_default=True,
        help="Decides everything random: the same seed gives the same result.",
    )(command)


def with_reading(command: Command) -> Command:
    """Add how a table is read; the command receives ``reading``.

    Examples
    --------
    >>> @click.command()
    ... @with_reading
    ... def show(reading: Reading) -> None:
    ...     print(reading.missing)
    >>> show.main(["--missing", "-99", "--missing", "?"], standalone_mode=False)
    ('-99', '?')
    """

    @click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="One more text that means 'missing', beside those of spreadsheets and pandas "
        "(empty, NA, N/A, NaN, null, #N/A, ...). Repeat for several.",
    )
    @click.option(
        "--only-missing",
        is_flag=True,
        help="Nothing means 'missing' but an empty cell and what --missing names.",
    )
    @click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        help="What the file is, if neither its content nor its name tells.",
    )
    @click.option(
        "--encoding",
        help="Of a text file.  [default: UTF-8, or what a byte-order mark says]",
    )
    @click.option("--delimiter", help="Between the cells of a text file; found out if not given.")
    @wraps(command)
    def with_one(
        *args: Any,
        missing: tuple[str, ...],
        only_missing: bool,
        format_: str | None,
        encoding: str | None,
        delimiter: str | None,
        **kwargs: Any,
    ) -> Any:
        reading = Reading(missing, only_missing, format_, encoding, delimiter)
        return command(*args, reading=reading, **kwargs)

    return with_one  # type: ignore[return-value]


def with_columns(command: Command) -> Command:
    """Add ``--labels``, ``--ignore`` and ``--as``.

    Examples
    --------
    >>> @click.command()
    ... @with_columns
    ... def show(labels: tuple[str, ...], ignore: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    ...     print(labels, ignore, kinds)
    >>> show.main(["--labels", "a,b", "--as", "zip=category"], standalone_mode=False)
    ('a,b',) () ('zip=category',)
    """
    options = (
        click.option(
            "-l",
            "--labels",
            multiple=True,
            metavar="COLUMNS",
            help="What is to be predicted: names with commas between them, a pattern such as "
            "'tox_*', or @names.txt with one per line. Classes and 0/1 columns may be mixed. "
            "Repeat for more.",
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="COLUMNS",
            help="Columns to pass through untouched, named as for --labels.",
        ),
        click.option(
            "--as",
            "kinds",
            multiple=True,
            metavar="COLUMN=KIND",
            help="Take a column for a number, linear, log, ordinal, yes-no, category, identifier, "
            "date or text, whatever it looks like. Repeat for more.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
