"""Replace a file as a whole or not at all."""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable


def write_beside(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file beside the old one, and put it in place once it is safely on disk.

    Whatever goes wrong on the way (full disk, ^C, an error in `chunks`), the old file stays as it
    is and nothing is left beside it. A symbolic link stays a link, and a file that is replaced
    keeps its permissions.

    Parameters
    ----------
    path : str or path-like
        The file to create or replace.
    chunks : iterable of bytes or memoryview
        Its content, piece by piece.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        When the folder does not exist or is a file.
    IsADirectoryError
        When the path is a folder.
    OSError
        When the path is a device or a pipe, or the system refuses.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_beside(pathlib.Path(folder, "a"), [b"half", b"seen"])
    ...     pathlib.Path(folder, "a").read_bytes(), os.listdir(folder)
    (b'halfseen', ['a'])
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    _check_folder(folder)
    old_mode = _mode_of_regular_file(target)
    beside = os.path.join(folder, f".{secrets.token_hex(8)}.halfseen-part")
    try:
        with open(beside, "xb") as file:
            if old_mode is not None:
                os.chmod(beside, old_mode)
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(folder)


def _check_folder(folder: str) -> None:
    if not os.path.lexists(folder):
        raise FileNotFoundError(
            errno.ENOENT, "There is no such folder to write into, create it first", folder
        )
    if not os.path.isdir(folder):
        raise NotADirectoryError(
            errno.ENOTDIR, "This is not a folder, so nothing can be written into it", folder
        )


def _mode_of_regular_file(target: str) -> int | None:
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "This is a folder, name a file in it", target)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "This is a device or a pipe, name a regular file", target)
    return stat.S_IMODE(mode)


def _sync_folder(folder: str) -> None:
    # The new file is in place by now. This only hastens its name to the disk, and some systems
    # cannot sync a folder: no reason to report a failure.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
