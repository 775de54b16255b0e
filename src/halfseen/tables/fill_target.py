"""A target with holes, its holes decided."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.as_array import as_array
from halfseen.tables.frames import import_narwhals, is_frame, open_series
from halfseen.tables.target import Target


def fill_target(y: Any, target: Target, decided: NDArray[Any]) -> Any:
    """Fill the unknown labels of a target with decisions; known ones stay as they are.

    Parameters
    ----------
    y : array-like, series or frame of shape (n_rows,) or (n_rows, n_columns)
        The target; it is not modified.
    target : Target
        The same target as it was read.
    decided : ndarray of the shape of y
        A class or label for every entry.

    Returns
    -------
    array, series or frame
        Like y, with the index and names it had; a list comes back as an array.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.tables import read_target
    >>> y = ["cat", None, "dog"]
    >>> fill_target(y, read_target(y), np.array(["cat", "dog", "cat"]))
    array(['cat', 'dog', 'dog'], dtype=object)
    """
    observed = np.stack([column.observed for column in target.columns], axis=1)
    by_column = np.asarray(decided).reshape(observed.shape)
    if is_frame(y):
        return _filled_frame(y, observed, by_column)
    array = as_array(y, "y")
    seen = observed.reshape(array.shape)
    answers = by_column.reshape(array.shape)
    if array.dtype.kind in "OUS":
        filled = array.astype(object)
        filled[~seen] = answers[~seen]
        return filled.astype(array.dtype) if seen.all() else filled
    return np.where(seen, array, answers.astype(array.dtype))


def _filled_frame(y: Any, observed: NDArray[np.bool_], decided: NDArray[Any]) -> Any:
    nw = import_narwhals()
    single = open_series(y)
    opened = [single] if single is not None else list(nw.from_native(y).iter_columns())
    filled = []
    for j, series in enumerate(opened):
        native = series.to_native()
        answers = decided[:, j].tolist()
        if series.implementation.is_pandas_like():
            filled.append(native.mask(~observed[:, j], answers))
            continue
        other = nw.new_series(series.name, answers, backend=series.implementation)
        keep = nw.new_series("observed", observed[:, j].tolist(), backend=series.implementation)
        filled.append(series.zip_with(keep, other.cast(series.dtype)).to_native())
    if single is not None:
        return filled[0]
    if opened[0].implementation.is_pandas_like():
        frame = y.copy()
        for j, column in enumerate(filled):
            frame.isetitem(j, column)
        return frame
    frame = nw.from_native(y)
    columns = [nw.from_native(column, series_only=True) for column in filled]
    return frame.with_columns(*columns).to_native()
