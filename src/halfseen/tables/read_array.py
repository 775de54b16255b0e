"""The columns of a two-dimensional numpy array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.number_columns import NumberColumns
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.read_cells import read_cells, refuse_infinity

_ROWS_AT_ONCE = 4096


def read_array(array: NDArray[Any], names: Sequence[str], what: str) -> Sequence[RawColumn]:
    """Read the columns of a two-dimensional numpy array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        Numbers, booleans, text or objects.
    names : sequence of str, length n_columns
        Column names, for messages.
    what : str
        Name of the array, for messages.

    Returns
    -------
    sequence of RawColumn
        The columns; those of a numeric array are read when they are asked for.

    Raises
    ------
    TypeError
        The array holds dates, or objects that are neither text nor numbers.
    ValueError
        The array holds complex or infinite values.

    Examples
    --------
    >>> import numpy as np
    >>> columns = read_array(np.array([[1.0, 2.0], [np.nan, 4.0]]), ["a", "b"], "X")
    >>> [column.n_observed for column in columns]
    [1, 2]
    """
    kind = array.dtype.kind
    if kind in "fiub":
        return _read_numbers(array, names, what)
    if kind == "c":
        raise ValueError(
            f"Complex data not supported: {what} has type {array.dtype}. "
            "Split it into real and imaginary columns."
        )
    if kind in "mM":
        raise date_error(names[0] if len(names) else what, str(array.dtype), what)
    if kind in "OUT":
        objects = array.astype(object)
        return tuple(read_cells(objects[:, j], name, what) for j, name in enumerate(names))
    raise TypeError(
        f"{what} has type {array.dtype}: argument must be a string or a number in every cell. "
        "Convert it to numbers or to text."
    )


def date_error(name: str, dtype: str, what: str) -> TypeError:
    """Make the error for a column of dates or durations.

    Parameters
    ----------
    name : str
        Column name.
    dtype : str
        Its type.
    what : str
        Name of the table.

    Returns
    -------
    TypeError
        To be raised by the caller.

    Examples
    --------
    >>> print(date_error("born", "datetime64[ns]", "X"))
    Column 'born' of X holds dates or times (datetime64[ns]), which have no unit here. Convert it
    to a number first, for example days since a fixed date, or to text to use it as a category.
    """
    return TypeError(
        f"Column {name!r} of {what} holds dates or times ({dtype}), which have no unit here. "
        "Convert it to a number first, for example days since a fixed date, or to text to use "
        "it as a category."
    )


def float_type(dtype: np.dtype[Any]) -> type[np.float32] | type[np.float64]:
    """Smallest of float32 and float64 that holds every value of a type exactly.

    Parameters
    ----------
    dtype : dtype
        A numeric or boolean type; 64-bit integers are given float64, their nearest home.

    Returns
    -------
    type
        ``numpy.float32`` or ``numpy.float64``.

    Examples
    --------
    >>> import numpy as np
    >>> float_type(np.dtype("uint8")), float_type(np.dtype("int32"))
    (<class 'numpy.float32'>, <class 'numpy.float64'>)
    """
    return np.float32 if np.can_cast(dtype, np.float32, "safe") else np.float64


def _read_numbers(array: NDArray[Any], names: Sequence[str], what: str) -> Sequence[RawColumn]:
    dtype = float_type(array.dtype)
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what lies beyond the type is reported as infinity
            for j in np.flatnonzero(_has_infinity(array, dtype)).tolist():
                refuse_infinity(array[:, j].astype(dtype), names[j], what)
    return NumberColumns(array, dtype)


def _has_infinity(array: NDArray[Any], dtype: type[Any]) -> NDArray[np.bool_]:
    """Columns that hold an infinity, in the type that values are kept in."""
    found = np.zeros(array.shape[1], bool)
    for first in range(0, len(array), _ROWS_AT_ONCE):
        found |= np.isinf(array[first : first + _ROWS_AT_ONCE].astype(dtype)).any(axis=0)
    return found
