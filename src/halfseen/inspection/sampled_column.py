"""One column in the sampled rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.column_summary import ColumnSummary


@dataclass(frozen=True, eq=False)
class SampledColumn:
    """One column in the sampled rows, beside what is known of all rows.

    Attributes
    ----------
    summary : ColumnSummary
        Of all rows.
    values : ndarray of shape (n_sampled,)
        float64, or object for texts; 0.0 or "" behind unobserved entries.
    observed : ndarray of bool, shape (n_sampled,)
        True where the entry was seen.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.inspection.column_accumulator import ColumnAccumulator
    >>> from halfseen.inspection.read_objects import read_objects
    >>> cells = read_objects(["b", None, "a", "b"])
    >>> colour = ColumnAccumulator("colour")
    >>> colour.add(cells)
    >>> summary = colour.summary("feature", np.zeros(0))
    >>> SampledColumn(summary, cells.values, cells.observed).codes
    array([ 1, -1,  0,  1])
    """

    summary: ColumnSummary
    values: NDArray[Any]
    observed: NDArray[np.bool_]

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.summary.name

    @property
    def is_used(self) -> bool:
        """Whether a model would look at the column: a feature or label with values to learn."""
        is_of_use = self.summary.role in ("feature", "label")
        return is_of_use and self.summary.kind in ("numeric", "binary", "categorical")

    @cached_property
    def observed_values(self) -> NDArray[Any]:
        """Observed values in row order."""
        return self.values[self.observed]

    @cached_property
    def _distinct(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        if self.values.dtype != object:
            numbers, places = np.unique(self.observed_values, return_inverse=True)
            return numbers, places.reshape(-1).astype(np.int64)
        texts = self.observed_values.tolist()
        distinct = sorted(set(texts))
        place_of = {text: place for place, text in enumerate(distinct)}
        where = np.fromiter((place_of[text] for text in texts), np.int64, len(texts))
        return np.array(distinct, dtype=object), where

    @property
    def distinct(self) -> NDArray[Any]:
        """Distinct observed values, sorted."""
        return self._distinct[0]

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Place of each value among the distinct ones, -1 where unobserved."""
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[self.observed] = self._distinct[1]
        return codes

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each distinct value occurs among the sampled rows."""
        return np.bincount(self._distinct[1], minlength=len(self.distinct))
