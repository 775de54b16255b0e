"""What the exit codes of the command mean, in one place."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended.

    Examples
    --------
    >>> int(ExitCode.BAD_INPUT), ExitCode.BAD_INPUT.meaning
    (1, 'a table or model that was read is at fault; the message names file, row and column')
    """

    OK = 0
    BAD_INPUT = 1
    BAD_USAGE = 2
    CANNOT_WRITE = 3
    OWN_FAULT = 4
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """One line for people who write scripts."""
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "done",
    ExitCode.BAD_INPUT: "a table or model that was read is at fault; "
    "the message names file, row and column",
    ExitCode.BAD_USAGE: "the command cannot be followed: an unknown option, a column that is not "
    "in the file, options that exclude each other",
    ExitCode.CANNOT_WRITE: "the result cannot be written: no room, no permission, no such folder; "
    "an older file of that name is left as it was",
    ExitCode.OWN_FAULT: "halfseen itself failed; --traceback shows where",
    ExitCode.INTERRUPTED: "stopped by Ctrl-C; nothing is half written",
}


def exit_code_lines() -> list[tuple[str, str]]:
    """Code and meaning of each, for the help.

    Returns
    -------
    list of (str, str)

    Examples
    --------
    >>> exit_code_lines()[0]
    ('0', 'done')
    """
    return [(str(int(code)), code.meaning) for code in ExitCode]
