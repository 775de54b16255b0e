"""What a caller wants to write into the holes of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from halfseen.files.table_file_error import TableFileError


def fill_values(
    given: Mapping[str, Any], names: tuple[str, ...], n_rows: int, path: str
) -> dict[int, pa.Array]:
    """Check the values for a batch and bring them into one form.

    Parameters
    ----------
    given : mapping of str to pyarrow or numpy array
        By column name, one value per row.
    names : tuple of str
        Columns of the file.
    n_rows : int
        Rows of the batch.
    path : str
        The file, for messages.

    Returns
    -------
    dict of int to pyarrow.Array
        By position of the column; null where a hole stays, never NaN.

    Raises
    ------
    TableFileError
        A name is unknown, a length is wrong, or a number is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> fill_values({"b": np.array([1.0, np.nan])}, ("a", "b"), 2, "t.csv")[1].to_pylist()
    [1.0, None]
    """
    return {
        _position(name, names, path): _array(name, values, n_rows, path)
        for name, values in given.items()
    }


def _position(name: str, names: tuple[str, ...], path: str) -> int:
    if name not in names:
        raise TableFileError(
            f"there is no column {name!r} to fill", path=path, remedy="Name a column of the file"
        )
    return names.index(name)


def _array(name: str, values: Any, n_rows: int, path: str) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    if len(array) != n_rows:
        raise TableFileError(
            f"{len(array)} values were given to fill {n_rows} rows",
            path=path,
            column=name,
            remedy="Give one value per row",
        )
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not pa.types.is_floating(array.type):
        return array
    array = array.cast(pa.float64())
    if pc.any(pc.is_inf(array)).as_py():
        raise TableFileError(
            "an infinite number was given to fill a hole",
            path=path,
            column=name,
            remedy="Give finite numbers, or NaN to leave the hole",
        )
    return pc.if_else(pc.is_nan(array), pa.scalar(None, pa.float64()), array)
