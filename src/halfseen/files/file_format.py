"""Which format a table file has."""

from __future__ import annotations

import os
from typing import Final

from halfseen.files.table_file_error import TableFileError

FORMATS: Final = ("csv", "tsv", "parquet", "arrow")
_SUFFIXES: Final = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
}
_MAGICS: Final = ((b"PAR1", "parquet"), (b"PARE", "parquet"), (b"ARROW1", "arrow"))


def format_of_name(path: str) -> str | None:
    """Tell the format from the name of a file.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    str or None
        "csv", "tsv", "parquet", "arrow", or None when the name does not say.

    Examples
    --------
    >>> format_of_name("a.TSV.gz"), format_of_name("a.pq"), format_of_name("notes")
    ('tsv', 'parquet', None)
    """
    name = os.path.basename(path).lower().removesuffix(".gz")
    return _SUFFIXES.get(os.path.splitext(name)[1])


def is_gzip_name(path: str) -> bool:
    """Tell whether the name of a file asks for compression.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    bool
        True for names that end in .gz.

    Examples
    --------
    >>> is_gzip_name("a.csv.gz"), is_gzip_name("a.csv")
    (True, False)
    """
    return path.lower().endswith(".gz")


def find_format(path: str, shown: str, wanted: str | None) -> str:
    """Find the format of a file that exists.

    Parameters
    ----------
    path : str
        The file.
    shown : str
        Its name, which may tell the format.
    wanted : str or None
        The format, when it is known.

    Returns
    -------
    str
        What is wanted; else what the first bytes say; else what the name says; else "csv".

    Raises
    ------
    TableFileError
        The format is unknown.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "notes")
    ...     _ = path.write_bytes(b"PAR1...")
    ...     find_format(str(path), "notes", None)
    'parquet'
    """
    if wanted is not None:
        return check_format(wanted, shown)
    with open(path, "rb") as file:
        head = file.read(8)
    marked = next((name for magic, name in _MAGICS if head.startswith(magic)), None)
    return marked or format_of_name(shown) or "csv"


def check_format(wanted: str, shown: str) -> str:
    """Refuse a format that does not exist.

    Parameters
    ----------
    wanted : str
        The format.
    shown : str
        The file, for the message.

    Returns
    -------
    str
        The format.

    Raises
    ------
    TableFileError
        There is no such format.

    Examples
    --------
    >>> check_format("csv", "a.csv")
    'csv'
    """
    if wanted not in FORMATS:
        raise TableFileError(
            f"there is no format {wanted!r}", path=shown, remedy=f"Use one of {', '.join(FORMATS)}"
        )
    return wanted
