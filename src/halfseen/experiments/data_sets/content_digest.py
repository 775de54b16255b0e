"""A digest that knows a data set in whatever form it comes."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def content_digest(X: NDArray[Any], Y: NDArray[Any]) -> str:
    """A digest of the values, whatever type they are stored in and in whatever order the rows are.

    Examples
    --------
    >>> X, Y = np.eye(3), np.arange(3)
    >>> content_digest(X, Y) == content_digest(X[::-1].astype("uint8"), Y[::-1])
    True
    """
    values = np.ascontiguousarray(np.column_stack([X, Y]), np.float32)
    of_rows = sorted(hashlib.sha256(row.tobytes()).digest() for row in values)
    return hashlib.sha256(b"".join(of_rows)).hexdigest()
