"""Notice that a file changed while it was read."""

from __future__ import annotations

import os
from dataclasses import dataclass

from halfseen.files.table_file_error import TableFileError


@dataclass(frozen=True)
class FileStamp:
    """What a file looked like when it was opened: the same stamp, the same content.

    Attributes
    ----------
    path : str
        The file that is read.
    shown : str
        Its name in messages.
    size, modified_ns, inode, device : int
        As the system reports them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("a,b")
    ...     stamp = FileStamp.of(str(path), "a.csv")
    ...     stamp.check()
    ...     _ = path.write_text("a,b,c")
    ...     stamp.check()
    Traceback (most recent call last):
        ...
    halfseen.files.table_file_error.TableFileError: a.csv: the file changed while it was read...
    """

    path: str
    shown: str
    size: int
    modified_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: str, shown: str) -> FileStamp:
        """Take the stamp of a file.

        Parameters
        ----------
        path : str
            The file.
        shown : str
            Its name in messages.

        Returns
        -------
        FileStamp
            Its stamp.
        """
        status = os.stat(path)
        return cls(path, shown, status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev)

    def check(self) -> None:
        """Raise when the file is another one, or gone.

        Raises
        ------
        TableFileError
            The file changed.
        """
        try:
            unchanged = FileStamp.of(self.path, self.shown) == self
        except OSError:
            unchanged = False
        if not unchanged:
            raise TableFileError(
                "the file changed while it was read",
                path=self.shown,
                remedy="Wait until nothing writes to it any more, then start again",
            )
