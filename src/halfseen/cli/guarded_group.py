"""A group of commands that never ends in a traceback for something the user gave it."""

from __future__ import annotations

import errno
from typing import Any

import click

from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.lazy_group import LazyGroup
from halfseen.cli.problem import Problem

_EXTRAS = {
    "pyarrow": "cli",
    "click": "cli",
    "rich": "cli",
    "matplotlib": "report",
}

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)

_HOW_TO_DECLARE = "--missing TEXT adds a missing mark; --as COLUMN=category declares a category."


class GuardedGroup(LazyGroup):
    r"""Every exception of a command becomes a message, a remedy and an exit code.

    Examples
    --------
    >>> from click.testing import CliRunner
    >>> group = GuardedGroup([], "group")
    >>> @group.command()
    ... def broken() -> None:
    ...     raise ValueError("Column 'age' holds 'old' in row 7.")
    >>> result = CliRunner().invoke(group, ["broken"])
    >>> result.exit_code, result.stderr
    (1, "Error: Column 'age' holds 'old' in row 7.\n")
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except KeyboardInterrupt as stopped:
            raise Problem(
                "Stopped. Nothing was half written.", code=ExitCode.INTERRUPTED
            ) from stopped
        except Exception as error:
            if ctx.params.get("traceback") and problem_of(error).exit_code == ExitCode.OWN_FAULT:
                raise
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                # The reader of our output went away, as `head` does; click ends quietly.
                raise
            raise problem_of(error) from error


def problem_of(error: Exception) -> Problem:
    """What an exception means to the person who typed the command.

    Parameters
    ----------
    error : Exception
        Of any room.

    Returns
    -------
    Problem

    Examples
    --------
    >>> problem_of(OSError(errno.ENOSPC, "No space left on device", "out.csv")).exit_code
    3
    >>> problem_of(RecursionError("deep")).exit_code
    4
    """
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
        extra = _EXTRAS[error.name]
        return Problem(
            f"This needs {error.name}, which is not installed.",
            f'pip install "halfseen[{extra}]"',
            ExitCode.BAD_USAGE,
        )
    if isinstance(error, OSError):
        return _problem_of_system(error)
    if isinstance(error, MemoryError):
        return Problem(
            "There is not enough memory for this.",
            "Use fewer rows (--max-rows), or leave columns out (--ignore).",
        )
    if isinstance(error, ValueError) and isinstance(error.__cause__, OSError):
        number = error.__cause__.errno
        if number in _NO_ROOM or "cannot be written" in str(error):
            return Problem(str(error), code=ExitCode.CANNOT_WRITE)
    if isinstance(error, ValueError | TypeError | ImportError):
        message = str(error) or type(error).__name__
        return Problem(message, _HOW_TO_DECLARE if "missing marks" in message else "")
    return Problem(
        f"halfseen itself failed: {type(error).__name__}: {error}",
        "This is not your file's fault. Run 'halfseen --traceback ...' and report what it says.",
        ExitCode.OWN_FAULT,
    )


def _problem_of_system(error: OSError) -> Problem:
    name = f" {str(error.filename)!r}" if error.filename is not None else ""
    said = error.strerror or str(error)
    if error.errno in _NO_ROOM:
        return Problem(
            f"There is no room to write{name}: {said}.",
            "Free some space, or write elsewhere with -o. What was there before is untouched.",
            ExitCode.CANNOT_WRITE,
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR):
        return Problem(
            f"Not allowed to use{name}: {said}.",
            "Name another file or folder, or change its permissions.",
            ExitCode.CANNOT_WRITE,
        )
    return Problem(f"Cannot use{name}: {said}.")
