"""Put the bytes of a new file in place, all of them or none."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator

from halfseen.files.table_file_error import TableFileError
from halfseen.storage import write_beside


def write_out(destination: str, chunks: Iterable[bytes], *, is_gzip: bool) -> None:
    r"""Put the bytes of a new file in place, all of them or none.

    A file is written beside the old one and then renamed. For standard output, everything is
    put into a temporary file first, so that an error on the way leaves nothing half written.

    Parameters
    ----------
    destination : str
        The file; "-" is standard output.
    chunks : iterable of bytes
        Its content.
    is_gzip : bool
        Compress it. The same content gives the same bytes.

    Raises
    ------
    TableFileError
        The disk is full, the folder does not exist, or the system refuses otherwise.

    Examples
    --------
    >>> import pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     write_out(str(path), [b"a,b\n"], is_gzip=False)
    ...     path.read_bytes()
    b'a,b\n'
    """
    pieces = _compressed(chunks) if is_gzip else chunks
    try:
        if destination != "-":
            write_beside(destination, pieces)
            return
        with tempfile.TemporaryFile() as spool:
            for piece in pieces:
                spool.write(piece)
            spool.seek(0)
            shutil.copyfileobj(spool, sys.stdout.buffer, 1 << 20)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # whoever reads has seen enough
    except OSError as error:
        raise _refusal(destination, error) from error


def _compressed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()


def _refusal(destination: str, error: OSError) -> TableFileError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        folder = os.path.dirname(os.path.realpath(destination))
        return TableFileError(
            "the disk is full, and nothing was written",
            path=destination,
            remedy=f"Make room in {folder}, or write elsewhere",
        )
    reason = error.strerror or str(error)
    return TableFileError(
        f"the file cannot be written ({reason})",
        path=destination,
        remedy="Name a file in a folder that exists and that you may write to",
    )
