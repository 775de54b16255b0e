"""The one place that says which labels are known."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._label_array import label_array


def known(y: object) -> NDArray[np.bool_]:
    """Tell which entries of `y` are known.

    Unknown is NaN, NaT, ``None``, ``pandas.NA``, a polars null, or a masked
    entry of a numpy masked array. No number and no text stands for "unknown":
    -1, 0, ``""`` and ``"nan"`` are classes like any other.

    Parameters
    ----------
    y : array, list, Series or frame of shape (n_rows,) or (n_rows, n_columns)
        Labels of any kind: numbers, truth values, text, categories.

    Returns
    -------
    ndarray of bool, same shape as `y`
        True where the label is known.

    Examples
    --------
    >>> import numpy as np
    >>> known([1.0, np.nan, 0.0])
    array([ True, False,  True])
    >>> known(["cat", None, "dog"])
    array([ True, False,  True])
    >>> known([[1, None], [0, 1]])
    array([[ True, False],
           [ True,  True]])
    """
    values = label_array(y)
    kind = values.dtype.kind
    if kind in "fcmM":
        seen: NDArray[np.bool_] = ~np.isnan(values)
        return seen
    if kind == "O":
        seen_entries = (_is_known(value) for value in values.flat)
        return np.fromiter(seen_entries, dtype=bool, count=values.size).reshape(values.shape)
    return np.ones(values.shape, dtype=bool)


def _is_known(value: Any) -> bool:
    if value is None:
        return False
    # pandas.NA answers every comparison with itself, so it must be met by identity;
    # while pandas is not loaded, no entry can be it.
    pandas = sys.modules.get("pandas")
    if pandas is not None and value is getattr(pandas, "NA", None):
        return False
    return bool(value == value)
