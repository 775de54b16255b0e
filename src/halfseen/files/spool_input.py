"""Standard input as a file that can be read several times."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

from halfseen.files.table_file_error import TableFileError


def spool_input() -> str:
    """Copy standard input into a temporary file.

    Returns
    -------
    str
        The file, which the caller deletes.

    Raises
    ------
    TableFileError
        The disk for temporary files is full.

    Examples
    --------
    >>> import io
    >>> before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b"a,b"))
    >>> path = spool_input()
    >>> sys.stdin = before
    >>> with open(path) as file:
    ...     file.read()
    'a,b'
    >>> os.unlink(path)
    """
    descriptor, path = tempfile.mkstemp(prefix="halfseen-")
    try:
        with open(descriptor, "wb") as spool:
            shutil.copyfileobj(sys.stdin.buffer, spool, 1 << 20)
    except BaseException as error:
        os.unlink(path)
        if isinstance(error, OSError):
            raise TableFileError(
                f"standard input cannot be kept in a temporary file ({error.strerror})",
                path="-",
                remedy=f"Make room in {tempfile.gettempdir()}, or set TMPDIR to another folder",
            ) from error
        raise
    return path
