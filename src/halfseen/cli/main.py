"""The entry point of the command ``halfseen``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from halfseen.cli.exit_codes import ExitCode

_NEEDED = ("click", "rich", "pyarrow")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with one of :class:`ExitCode`.

    Parameters
    ----------
    arguments : sequence of str, or None for those of the process
        The words after ``halfseen``.

    Examples
    --------
    >>> try:
    ...     main(["--version"])
    ... except SystemExit as end:
    ...     print(end.code)
    halfseen ...
    0
    """
    try:
        from halfseen.cli.root import root
    except ModuleNotFoundError as absent:
        if absent.name not in _NEEDED:
            raise
        sys.exit(f'The command line needs {absent.name}: pip install "halfseen[cli]"')
    try:
        root.main(args=None if arguments is None else list(arguments), prog_name="halfseen")
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:
            # The step that was interrupted may still be computed by other threads; taking the
            # interpreter apart under them can crash it.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ExitCode.INTERRUPTED)
        raise
