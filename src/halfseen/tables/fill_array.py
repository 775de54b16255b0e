"""The holes of a numpy array, filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.raw_column import RawColumn
from halfseen.tables.table import Table


def fill_array(
    array: NDArray[Any], table: Table, fills: Sequence[NDArray[Any] | None]
) -> NDArray[Any]:
    """Fill the holes of a numpy array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        The array; it is not modified.
    table : Table
        The same array as it was read.
    fills : sequence of ndarray of shape (n_rows,) or None
        Per column the values for its holes, or None to leave it alone.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        A copy of the same type (integers become float64). A masked array stays one, with the
        mask lifted where a hole was filled.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.tables import read_table
    >>> X = np.array([[1.0], [np.nan]], dtype=np.float32)
    >>> fill_array(X, read_table(X), [np.array([9.0, 9.0])])
    array([[1.],
           [9.]], dtype=float32)
    """
    filled = array.astype(np.float64) if array.dtype.kind in "iu" else array.copy()
    if isinstance(filled, np.ma.MaskedArray):
        filled.soften_mask()
    for j, (raw, fill) in enumerate(zip(table.columns, fills, strict=True)):
        rows = np.flatnonzero(~raw.observed)
        if fill is None or not rows.size:
            continue
        filled[rows, j] = _cells(raw, fill[rows], filled.dtype)
    return filled


def kept_within(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Predictions as floats of a given type, held back from overflowing to infinity.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Predictions.
    dtype : dtype
        A floating type.

    Returns
    -------
    ndarray of that type, shape (n,)
        The predictions.

    Examples
    --------
    >>> import numpy as np
    >>> kept_within(np.array([0.5, 1e300]), np.dtype("float16"))
    array([5.00e-01, 6.55e+04], dtype=float16)
    """
    limit = float(np.finfo(dtype).max) if dtype.itemsize < 8 else np.inf
    with np.errstate(under="ignore"):
        return np.clip(values.astype(np.float64), -limit, limit).astype(dtype)


def _cells(raw: RawColumn, fill: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if dtype.kind == "f":
        return kept_within(fill, dtype)
    # Python's own numbers and booleans, as the other cells of an object array.
    plain = (fill >= 0.5).tolist() if raw.is_bool else fill.tolist()
    cells = np.empty(len(fill), dtype=object)
    cells[:] = plain
    return cells.astype(dtype)
