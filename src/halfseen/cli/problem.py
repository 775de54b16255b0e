"""A problem that a person can do something about."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.printable import printable


class Problem(click.ClickException):
    """Ends a command with a message, what to do about it, and an exit code.

    Parameters
    ----------
    message : str
        What is wrong, naming file, column, row and value where there are any.
    remedy : str, default=""
        What to do about it.
    code : ExitCode, default=ExitCode.BAD_INPUT
        What the process ends with.

    Examples
    --------
    >>> problem = Problem("'a.csv' has no column 'agee'.", "Did you mean 'age'?")
    >>> problem.exit_code, problem.remedy
    (1, "Did you mean 'age'?")
    """

    def __init__(self, message: str, remedy: str = "", code: ExitCode = ExitCode.BAD_INPUT) -> None:
        super().__init__(message)
        self.remedy = remedy
        # click has one for each class of problems; here each has its own.
        self.exit_code = int(code)  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message and the remedy to standard error."""
        stream = sys.stderr if file is None else file
        head = "" if self.exit_code == ExitCode.INTERRUPTED else "Error: "
        click.echo(click.style(head, fg="red", bold=True) + _lines(self.message), file=stream)
        if self.remedy:
            click.echo(click.style("What to do: ", bold=True) + _lines(self.remedy), file=stream)


class UsageProblem(Problem):
    """The command cannot be followed as it was given.

    Parameters
    ----------
    message, remedy : str
        As of :class:`Problem`.

    Examples
    --------
    >>> UsageProblem("--json and -o - both want standard output.").exit_code
    2
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy, ExitCode.BAD_USAGE)


def _lines(text: str) -> str:
    """Printable text that keeps its line breaks."""
    return "\n".join(printable(line, len(line)) for line in text.splitlines())
