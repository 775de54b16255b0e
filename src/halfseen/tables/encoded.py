"""One visible matrix beside `observed`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Encoded(NamedTuple):
    """One visible matrix beside `observed`.

    Attributes
    ----------
    visible : ndarray of float32, shape (n_rows, n_visible)
        Values of the visible units, 0 where unobserved.
    observed : ndarray of bool, shape (n_rows, n_visible)
        True where a unit is pinned to its observed value.

    Examples
    --------
    >>> import numpy as np
    >>> Encoded(np.zeros((2, 3), np.float32), np.ones((2, 3), bool)).visible.shape
    (2, 3)
    """

    visible: NDArray[np.float32]
    observed: NDArray[np.bool_]
