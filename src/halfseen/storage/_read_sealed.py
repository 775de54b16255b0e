"""Read a sealed file and believe nothing in it before it is checked."""

import errno
import hmac
import os
import re
import stat
from io import BufferedReader
from typing import Any, Final

import numpy as np

from halfseen.storage._canonical_json import parse_document
from halfseen.storage._seal_digest import seal_digest
from halfseen.storage._seal_error import DamagedFile, NewerFile, NotOurFile, WrongKind
from halfseen.storage._sealed import Sealed
from halfseen.storage._storable_array import STORED_DTYPES, stored_bytes
from halfseen.storage._strict_json import strict_json
from halfseen.storage._tensor_layout import TensorPlace, checked_layout
from halfseen.storage._write_sealed import (
    DEEPEST_HEADER,
    FORMAT,
    LARGEST_HEADER,
    MOST_HEADER_TOKENS,
)

_METADATA_KEYS: Final = {"format", "kind", "version", "sha256", "document"}
_VERSION: Final = re.compile("[1-9][0-9]{0,8}")
_FAMILIAR_BEGINNINGS: Final = (
    (re.compile(rb"\x80[\x02-\x05]"), "it looks like a Python pickle, which halfseen never opens"),
    (re.compile(rb"\x1f\x8b"), "it is compressed with gzip"),
    (re.compile(rb"PK\x03\x04"), "it is a zip archive"),
    (re.compile(rb"\x89HDF"), "it is an HDF5 file"),
    (re.compile(rb"\x93NUMPY"), "it is an array that numpy saved"),
)


def read_sealed(path: str | os.PathLike[str], *, kind: str, newest_version: int) -> Sealed:
    """Read a sealed file, verified against its seal.

    Nothing is executed, and no more memory is taken than the file has bytes, besides what its
    document needs.

    Parameters
    ----------
    path : str or path-like
        The file.
    kind : str
        Kind that the file must have.
    newest_version : int
        Newest version of that kind which the caller understands. Older files are returned with
        their version, for the caller to upgrade.

    Returns
    -------
    Sealed
        Version, document and arrays; the arrays own their memory and are writable.

    Raises
    ------
    NotOurFile
        When halfseen did not write it.
    NewerFile
        When it is of this kind, but of a version above `newest_version`. Said before the seal is
        verified, since a newer halfseen may seal in another way.
    DamagedFile
        When it is incomplete or altered.
    WrongKind
        When it is sound, but of another kind.
    OSError
        When the system cannot open it: `FileNotFoundError`, `IsADirectoryError`,
        `PermissionError`.

    See Also
    --------
    write_sealed : Write such a file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.storage import SealError, read_sealed, write_sealed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "run.halfseen")
    ...     write_sealed(path, kind="checkpoint", version=1, document={"epoch": 3}, arrays={})
    ...     epoch = read_sealed(path, kind="checkpoint", newest_version=2).document["epoch"]
    ...     try:
    ...         read_sealed(path, kind="model", newest_version=1)
    ...     except SealError as error:
    ...         print(epoch, type(error).__name__)
    3 WrongKind
    """
    name = os.fspath(path)
    _check_regular(name)
    with open(name, "rb") as file:
        header, data_begin, size = _read_header(name, file)
        metadata = header.pop("__metadata__", None)
        try:
            places = checked_layout(header, size - data_begin)
        except ValueError as error:
            raise DamagedFile(name, str(error)) from error
        if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
            raise NotOurFile(name, "it is a safetensors file from elsewhere")
        version = _read_version(name, metadata)
        if metadata.get("kind") == kind and version > newest_version:
            raise NewerFile(name, version, newest_version)
        _check_ours(name, metadata, places)
        arrays = {place.name: _read_array(name, file, data_begin, place) for place in places}
    digest = seal_digest(metadata["kind"], version, metadata["document"], arrays)
    if not hmac.compare_digest(digest.encode(), metadata["sha256"].encode("utf-8", "replace")):
        raise DamagedFile(name, "its content does not match its seal")
    if metadata["kind"] != kind:
        raise WrongKind(name, metadata["kind"], kind)
    try:
        document = parse_document(metadata["document"])
    except ValueError as error:
        raise DamagedFile(name, f"its document {error}") from error
    return Sealed(version, document, {key: _native(arrays[key]) for key in sorted(arrays)})


def _check_regular(name: str) -> None:
    mode = os.stat(name).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "This is a folder, name a file in it", name)
    if not stat.S_ISREG(mode):
        # Opening a pipe would wait for a writer, and a device has no size to check against.
        raise NotOurFile(name, "it is a device or a pipe")


def _read_header(name: str, file: BufferedReader) -> tuple[dict[str, Any], int, int]:
    """Header, where the data begin, and where the file ends."""
    size = os.fstat(file.fileno()).st_size
    if size < 8:
        raise DamagedFile(name, f"it has only {size} bytes" if size else "it is empty")
    start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    if size > 8 and start[8:] != b"{":
        raise NotOurFile(name, _familiar(start) or "it does not begin like one")
    if length > LARGEST_HEADER:
        raise DamagedFile(name, f"its header claims {length:,} bytes")
    if length > size - 8:
        raise DamagedFile(name, f"its header needs {length:,} bytes of {size - 8:,}")
    file.seek(8)
    try:
        text = file.read(length).decode()
    except UnicodeDecodeError as error:
        raise DamagedFile(name, "its header is not UTF-8") from error
    try:
        header = strict_json(text, most_tokens=MOST_HEADER_TOKENS, deepest=DEEPEST_HEADER)
    except ValueError as error:
        raise DamagedFile(name, f"its header {error}") from error
    return header, 8 + length, size


def _familiar(start: bytes) -> str | None:
    return next((words for begin, words in _FAMILIAR_BEGINNINGS if begin.match(start)), None)


def _read_version(name: str, metadata: dict[str, Any]) -> int:
    version = metadata.get("version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise DamagedFile(name, "its version is not a number")
    return int(version)


def _check_ours(name: str, metadata: dict[str, Any], places: tuple[TensorPlace, ...]) -> None:
    if metadata.keys() != _METADATA_KEYS or not all(isinstance(v, str) for v in metadata.values()):
        raise DamagedFile(name, "its metadata are not those of a halfseen file")
    for place in places:
        if place.dtype not in STORED_DTYPES:
            raise DamagedFile(name, "a tensor has a dtype that halfseen does not write")


def _read_array(name: str, file: BufferedReader, data_begin: int, place: TensorPlace) -> np.ndarray:
    array = np.empty(place.shape, dtype=STORED_DTYPES[place.dtype])
    content = stored_bytes(array)
    file.seek(data_begin + place.begin)
    if file.readinto(content) != len(content):
        raise DamagedFile(name, "it became shorter while it was read")
    if place.dtype == "BOOL" and (array.view(np.uint8) > 1).any():
        raise DamagedFile(name, "a truth value is neither 0 nor 1")
    return array


def _native(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), copy=False)
