"""Options that the commands that run studies have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def with_cores(command: Command) -> Command:
    """Add ``--cores``.

    Examples
    --------
    >>> @click.command()
    ... @with_cores
    ... def show(cores: int | None) -> None:
    ...     print(cores)
    >>> show.main(["--cores", "2"], standalone_mode=False)
    2
    """
    return click.option(
        "--cores",
        type=click.IntRange(1),
        metavar="N",
        help="Cells that run side by side, one thread each.  [default: all cores]",
    )(command)


def with_limit(command: Command) -> Command:
    """Add ``--limit-minutes``.

    Examples
    --------
    >>> @click.command()
    ... @with_limit
    ... def show(limit_minutes: float | None) -> None:
    ...     print(limit_minutes)
    >>> show.main(["--limit-minutes", "1.5"], standalone_mode=False)
    1.5
    """
    return click.option(
        "--limit-minutes",
        type=click.FloatRange(0, min_open=True),
        metavar="M",
        help="Stop after so many minutes; the rest is left for 'resume'.",
    )(command)
