"""Any kind of table of labels as one numpy array, holes left as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_CONTAINERS = (list, tuple, set, frozenset, dict, np.ndarray)


def label_array(y: object) -> NDArray[Any]:
    """Turn labels into an array without giving a missing entry a value.

    ``np.asarray(["a", float("nan")])`` would make the hole the text ``"nan"``,
    a class like any other; lists therefore stay objects. What lies behind a
    masked entry of a numpy masked array is dropped here, so that nothing later
    can read it.

    Parameters
    ----------
    y : array, list, Series or frame of shape (n_rows,) or (n_rows, n_columns)
        Labels, predictions or probabilities.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_columns)
        The same entries; missing ones are NaN, NaT, None or ``pandas.NA``.

    Examples
    --------
    >>> label_array(["a", float("nan")])
    array(['a', nan], dtype=object)
    """
    if hasattr(y, "toarray"):
        raise ValueError(
            "Sparse labels have no place for a missing entry; pass `y.toarray()` with NaN where "
            "a label is unknown."
        )
    if isinstance(y, np.ma.MaskedArray):
        values = _filled(y)
    elif isinstance(y, list | tuple):
        values = np.asarray(y, dtype=object)
    else:
        values = np.asarray(y)
    if values.dtype.kind == "T":
        values = values.astype(object)
    if values.ndim not in (1, 2):
        raise ValueError(
            f"Labels must have one or two dimensions (rows, columns), not {values.ndim}; "
            f"got {type(y).__name__}."
        )
    if values.dtype.kind == "O":
        _refuse_containers(values)
    return values


def _filled(y: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    seen = ~np.ma.getmaskarray(y)
    missing: float | None = np.nan if y.dtype.kind == "f" else None
    values = np.full(y.shape, missing, dtype=y.dtype if y.dtype.kind == "f" else object)
    values[seen] = y.data[seen]
    return values


def _refuse_containers(values: NDArray[Any]) -> None:
    for position, value in enumerate(values.flat):
        if isinstance(value, _CONTAINERS):
            row = position if values.ndim == 1 else position // values.shape[1]
            raise ValueError(
                f"Row {row} of the labels holds a {type(value).__name__}; every entry must be one "
                "value, and all rows must have the same number of entries."
            )
