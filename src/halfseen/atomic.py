"""Files that are replaced as a whole or not at all, whatever ends the process."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

_STRAY_SECONDS: Final = 60


@contextlib.contextmanager
def replace_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give an empty file to write to, and move it into place unless the block fails.

    It lies in the same folder and has the same suffix. Links stay links, a replaced file keeps its
    permissions, and a new file gets those of the umask. What killed processes left is removed.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "This is a folder, name a file in it", str(target))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "This is a device or a pipe, name a regular file", str(target))
    part = target.with_name(f".part-{secrets.token_hex(8)}{target.suffix}")
    try:
        part.open("xb").close()
    except OSError as error:
        error.filename = str(target)  # the name the caller gave, not the temporary one
        raise
    try:
        with part.open("rb+") as held:
            with contextlib.suppress(OSError):  # not all file systems have locks
                _lock(held)
            _remove_strays(target.parent)
            if target.exists():
                shutil.copymode(target, part)
            yield part
            os.fsync(held.fileno())
            os.utime(part)
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    # The file is in place already, and some systems cannot sync a folder: not an error.
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        folder = os.open(target.parent, os.O_RDONLY)
        stack.callback(os.close, folder)
        os.fsync(folder)


def _lock(file: IO[bytes]) -> None:
    """Show others that this process writes; the system ends it with the process."""
    if fcntl is None:
        raise BlockingIOError
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_strays(folder: Path) -> None:
    """Remove parts of files that nobody writes any more."""
    with contextlib.suppress(OSError):
        for stray in folder.glob(".part-*"):
            is_ours = re.fullmatch(r"\.part-[0-9a-f]{16}(\..*)?", stray.name)
            with contextlib.suppress(OSError):
                # A new one may not be locked yet.
                if is_ours and time.time() - stray.stat().st_mtime > _STRAY_SECONDS:
                    with stray.open("rb") as file:
                        _lock(file)
                        stray.unlink()
