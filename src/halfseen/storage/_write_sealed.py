"""Write a sealed file."""

import json
import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from halfseen.storage._canonical_json import canonical_json
from halfseen.storage._seal_digest import seal_digest
from halfseen.storage._storable_array import storable_array, stored_bytes
from halfseen.storage._strict_json import strict_json
from halfseen.storage._tensor_layout import lay_out
from halfseen.storage._write_beside import write_beside

FORMAT: Final = "halfseen"
LARGEST_HEADER: Final = 64 * 2**20
MOST_HEADER_TOKENS: Final = 2**19
# The header, a tensor in it, its shape.
DEEPEST_HEADER: Final = 3


def write_sealed(
    path: str | os.PathLike[str],
    *,
    kind: str,
    version: int,
    document: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
) -> None:
    """Write arrays and a document under one seal, as a whole or not at all.

    The file is written beside the old one and then put in its place. The same content gives the
    same bytes. It is a safetensors file; halfseen lays it out itself because the safetensors
    writer puts metadata in an order that changes from call to call.

    Parameters
    ----------
    path : str or path-like
        The file to create or replace; its folder must exist.
    kind : str
        What the file is, such as ``"model"``.
    version : int
        Version of what this kind of file holds, from 1 on.
    document : mapping of str to JSON value
        Everything that is not an array. Keys are strings, numbers are finite; tuples come back as
        lists and objects with sorted keys.
    arrays : mapping of str to ndarray
        Arrays of bool, (u)int8 to (u)int64, float16, float32 or float64, of any shape, strides and
        byte order.

    Raises
    ------
    TypeError
        When an array or a part of the document cannot be stored; names it.
    ValueError
        When a name, the kind, the version or the document is out of bounds; names it.
    OSError
        When the system refuses, for instance because the folder does not exist.

    See Also
    --------
    read_sealed : Read it again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from halfseen.storage import read_sealed, write_sealed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.halfseen")
    ...     arrays = {"bias": np.arange(3.0)}
    ...     write_sealed(path, kind="model", version=1, document={"n_hidden": 3}, arrays=arrays)
    ...     sealed = read_sealed(path, kind="model", newest_version=1)
    >>> sealed.document, sealed.arrays
    ({'n_hidden': 3}, {'bias': array([0., 1., 2.])})
    """
    _check_kind(kind)
    _check_version(version)
    for name in arrays:
        _check_name(name)
    text = canonical_json(document)
    stored = {name: storable_array(name, array) for name, array in arrays.items()}
    places = lay_out(stored)
    metadata = {
        "format": FORMAT,
        "kind": kind,
        "version": str(version),
        "sha256": seal_digest(kind, version, text, stored),
        "document": text,
    }
    header = _encoded_header(
        {"__metadata__": metadata, **{place.name: place.entry() for place in places}}
    )
    write_beside(
        path,
        (
            len(header).to_bytes(8, "little"),
            header,
            *(stored_bytes(stored[place.name]) for place in places),
        ),
    )


def _check_kind(kind: str) -> None:
    if not isinstance(kind, str):
        raise TypeError(f"kind must be a string, not {type(kind).__name__}")
    if not kind or not _is_unicode(kind):
        raise ValueError(f"kind is {kind!r}: use a word such as 'model'")


def _check_version(version: int) -> None:
    if not isinstance(version, int) or isinstance(version, bool):
        raise TypeError(f"version must be an integer, not {type(version).__name__}")
    if not 1 <= version < 10**9:
        raise ValueError(f"version is {version}: count versions from 1 on")


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(
            f"array name {name!r} is of type {type(name).__name__}: use strings as names"
        )
    if name == "__metadata__" or not _is_unicode(name):
        raise ValueError(f"an array cannot be named {name!r}: choose another name")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _encoded_header(header: dict[str, Any]) -> bytes:
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    encoded = text.encode()
    # Spaces up to a multiple of 8 keep the arrays behind it aligned.
    encoded += b" " * (-len(encoded) % 8)
    if len(encoded) > LARGEST_HEADER:
        raise ValueError(
            f"document and array names take {len(encoded):,} bytes, more than {LARGEST_HEADER:,}: "
            "keep long lists of numbers as arrays"
        )
    try:
        strict_json(text, most_tokens=MOST_HEADER_TOKENS, deepest=DEEPEST_HEADER)
    except ValueError as error:
        raise ValueError(
            f"{len(header) - 1:,} arrays are too many for one file: join arrays of the same shape"
        ) from error
    return encoded
