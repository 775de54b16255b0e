"""The numbers at chosen entries of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._label_array import label_array
from halfseen.scoring._place import place


def finite_entries(y: object, where: NDArray[np.bool_], name: str) -> NDArray[np.floating[Any]]:
    """Read the finite numbers at the entries in `where`, and no others.

    Parameters
    ----------
    y : array, list, Series or frame
        Scores, probabilities or values.
    where : ndarray of bool, same shape as `y`
        The entries to read; what stands elsewhere is not looked at.
    name : str
        What `y` is called in an error message.

    Returns
    -------
    ndarray of shape (n_chosen,)
        The numbers in row order; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> finite_entries([0.5, None, 2], np.array([True, False, True]), "y_score")
    array([0.5, 2. ])
    """
    values = label_array(y)
    chosen = values[where]
    if chosen.dtype.kind in "biuf":
        wide = chosen.dtype in (np.dtype(np.float32), np.dtype(np.float64))
        entries: NDArray[Any] = chosen if wide else chosen.astype(np.float64)
    else:
        entries = np.array([_number(value) for value in chosen], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(entries))
    if bad.size:
        position = np.argwhere(where)[bad[0]]
        at = place(y, values.ndim, int(position[0]), int(position[-1]))
        raise ValueError(
            f"{name} at {at} is {chosen.tolist()[bad[0]]!r}, but a finite number is needed there; "
            "only entries that are not scored may be missing."
        )
    return entries


def _number(value: Any) -> float:
    # float("0.5") would quietly read text as a number.
    if isinstance(value, str | bytes):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan
