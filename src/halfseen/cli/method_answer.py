"""What one method says of a table with hidden entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class MethodAnswer:
    """What one method says of every visible unit of a table.

    All methods answer in the units of one schema: numbers standardised, on the scale that their
    column is learned in; the probability of a yes-or-no column; a share for every category.

    Attributes
    ----------
    name : str
        Name of the method.
    units : ndarray of float, shape (n_rows, n_visible)
        Its answers; NaN where it has none.
    seconds : float
        Time it took to learn and to answer.
    fills_features : bool
        Whether it has answers for features.
    is_trivial : bool
        Whether it looks at nothing but the column that is asked for.

    Examples
    --------
    >>> MethodAnswer("nothing", np.zeros((2, 3)), 0.1).fills_features
    True
    """

    name: str
    units: NDArray[np.float64]
    seconds: float
    fills_features: bool = True
    is_trivial: bool = False
