"""Lists and array-likes as numpy arrays that lost nothing on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray


def as_array(data: Any, what: str) -> NDArray[Any]:
    """Turn a list, a numpy array or an array-like into a numpy array with plain holes.

    A list that mixes text with numbers or None becomes an object array: numpy alone would print
    the numbers and spell NaN as text. Masked entries become NaN or None, so what a masked array
    keeps behind its mask is never read.

    Parameters
    ----------
    data : array-like
        Anything but a frame.
    what : str
        Name of the data, for messages.

    Returns
    -------
    ndarray
        The array; numpy input without a mask is passed through uncopied.

    Raises
    ------
    TypeError
        The data is sparse.
    ValueError
        The rows differ in length.

    Examples
    --------
    >>> as_array([["red", 1.5], [None, 2.0]], "X")
    array([['red', 1.5],
           [None, 2.0]], dtype=object)
    """
    if scipy.sparse.issparse(data):
        raise TypeError(
            f"Sparse data was passed for {what}, but dense data is required: zeros and holes "
            f"must be told apart. Use '{what}.toarray()' to convert to a dense numpy array."
        )
    if isinstance(data, np.ma.MaskedArray):
        return _without_mask(data)
    if isinstance(data, np.ndarray):
        return np.asarray(data)
    try:
        array = np.asarray(data)
        if array.dtype.kind in "US" and not hasattr(data, "__array__"):
            array = _objects_unless_all_text(data, array)
    except ValueError as error:
        raise ValueError(
            f"The rows of {what} differ in length; give every row the same number of entries "
            "and write None for a missing one."
        ) from error
    return array


def _objects_unless_all_text(data: Any, array: NDArray[Any]) -> NDArray[Any]:
    objects = np.array(data, dtype=object)
    all_text = all(isinstance(cell, str) for cell in objects.flat)
    return array if all_text else objects


def _without_mask(data: Any) -> NDArray[Any]:
    if data.dtype.kind == "f":
        return np.asarray(data.filled(np.nan))
    if data.dtype.kind in "iu":
        return np.asarray(data.astype(np.float64).filled(np.nan))
    if data.dtype.kind in "bOU":
        # Not `filled(None)`, which would mean numpy's default value for the type.
        objects: NDArray[Any] = data.data.astype(object)
        objects[np.ma.getmaskarray(data)] = None
        return objects
    return np.asarray(data.data)
