"""What one column of a table holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["feature", "label", "identifier", "date", "text", "ignored"]
ValueKind = Literal["numeric", "binary", "categorical", "date", "other", "empty"]


@dataclass(frozen=True)
class NumberSummary:
    """The numbers of a column.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation (divisor n) of all observed values.
    minimum, maximum : float
        Of all observed values.
    quartiles : tuple of three floats
        First quartile, median and third quartile of the sampled rows; exact where the sample
        is the whole table.
    histogram : tuple of int
        Sampled values in bins of equal width from minimum to maximum.

    Examples
    --------
    >>> NumberSummary(2.0, 1.0, 1.0, 3.0, (1.5, 2.0, 2.5), (1, 1)).quartiles[1]
    2.0
    """

    mean: float
    sd: float
    minimum: float
    maximum: float
    quartiles: tuple[float, float, float]
    histogram: tuple[int, ...]


@dataclass(frozen=True)
class CategoryCount:
    """A value and in how many rows it occurs.

    Attributes
    ----------
    value : str
        The value as text.
    n_rows : int
        Rows that hold it.

    Examples
    --------
    >>> CategoryCount("red", 3).n_rows
    3
    """

    value: str
    n_rows: int


@dataclass(frozen=True)
class ColumnSummary:
    """What one column of a table holds.

    Attributes
    ----------
    name : str
        Column name.
    role : {"feature", "label", "identifier", "date", "text", "ignored"}
        What the column is for, as asked; unasked, dates are "date", columns that hold neither
        text nor numbers are "ignored", all others are "feature".
    kind : {"numeric", "binary", "categorical", "date", "other", "empty"}
        What its values are.
    n_rows, n_observed : int
        Rows of the table; rows in which this column is observed.
    n_distinct : int
        Distinct observed values, counted up to a cap.
    is_n_distinct_capped : bool
        True where there are more distinct values than were counted.
    numbers : NumberSummary or None
        Of a numeric or binary column in which something is observed.
    top : tuple of CategoryCount
        Most frequent values, of every column but "other" and "empty"; numbers that rarely repeat
        have none.
    earliest, latest : str or None
        Of a date column.

    Examples
    --------
    >>> colour = ColumnSummary("colour", "feature", "categorical", 4, 3, 2, False, None,
    ...                        (CategoryCount("red", 2), CategoryCount("blue", 1)), None, None)
    >>> colour.n_missing, colour.share_missing
    (1, 0.25)
    """

    name: str
    role: Role
    kind: ValueKind
    n_rows: int
    n_observed: int
    n_distinct: int
    is_n_distinct_capped: bool
    numbers: NumberSummary | None
    top: tuple[CategoryCount, ...]
    earliest: str | None
    latest: str | None

    @property
    def n_missing(self) -> int:
        """Rows in which the column is not observed."""
        return self.n_rows - self.n_observed

    @property
    def share_missing(self) -> float:
        """Share of rows in which the column is not observed, 0 of an empty table."""
        return self.n_missing / self.n_rows if self.n_rows else 0.0
