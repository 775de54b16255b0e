"""The seal itself: one digest over everything that a file says."""

import hashlib
import json
from collections.abc import Iterator, Mapping

import numpy as np

from halfseen.storage._storable_array import stored_bytes, stored_dtype_name


def seal_digest(kind: str, version: int, document: str, arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 over kind, version, document and all arrays with their names, dtypes and shapes.

    Each field is preceded by its length, so no two contents can run together into the same bytes.
    The arrays are taken by name: where they lie in the file does not matter.

    Parameters
    ----------
    kind : str
        Kind of the file.
    version : int
        Version of the file.
    document : str
        The text of the document.
    arrays : mapping of str to ndarray
        Stored arrays, see `storable_array`.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> seal_digest("model", 1, "{}", {"bias": np.zeros(3)})[:8]
    '3320f2eb'
    """
    digest = hashlib.sha256()
    for field in _fields(kind, version, document, arrays):
        digest.update(len(field).to_bytes(8, "little"))
        digest.update(field)
    return digest.hexdigest()


def _fields(
    kind: str, version: int, document: str, arrays: Mapping[str, np.ndarray]
) -> Iterator[bytes | memoryview]:
    yield b"halfseen seal"
    yield _encoded(kind)
    yield _encoded(str(version))
    yield _encoded(document)
    yield _encoded(str(len(arrays)))
    for name in sorted(arrays):
        array = arrays[name]
        yield _encoded(name)
        yield _encoded(stored_dtype_name(array))
        yield _encoded(json.dumps(array.shape))
        yield stored_bytes(array)


def _encoded(text: str) -> bytes:
    # A forged header can hold a lone surrogate: that must end as a wrong digest, not as a crash.
    return text.encode("utf-8", "surrogatepass")
