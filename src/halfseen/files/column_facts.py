"""What a scan found out about a column."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnFacts:
    """What a scan found out about a column, before it is given a role.

    Attributes
    ----------
    name : str
        Name of the column.
    n_rows, n_missing : int
        Rows and holes.
    n_numbers : int
        Observed values that are numbers.
    is_integer : bool
        All observed values are whole numbers.
    is_huge : bool
        They are, and some are beyond 2**53, so that float64 does not hold them.
    is_coded : bool
        Some numbers are written with leading zeros.
    counts_rows : bool
        The values count the rows one by one, from 0 or 1.
    are_dates : bool
        All observed values are dates or times.
    are_truths : bool
        The type of the column is truth values.
    is_opaque : bool
        The values are nested or binary.
    is_declared_text : bool
        The type of the column is text, so that numbers in it are codes.
    n_distinct : int or None
        Different values, exactly; None when there are too many to count.
    n_distinct_about : int
        About how many there are.
    all_differ : bool
        No two values are the same.
    mean_length : float
        Mean number of bytes of the observed values.
    n_with_space : int
        Observed values of several words.
    examples : tuple of str
        A few of them.

    Examples
    --------
    >>> ColumnFacts("age", n_rows=3, n_missing=1, n_numbers=2, is_integer=True).n_observed
    2
    """

    name: str
    n_rows: int
    n_missing: int
    n_numbers: int = 0
    is_integer: bool = False
    is_huge: bool = False
    is_coded: bool = False
    counts_rows: bool = False
    are_dates: bool = False
    are_truths: bool = False
    is_opaque: bool = False
    is_declared_text: bool = False
    n_distinct: int | None = None
    n_distinct_about: int = 0
    all_differ: bool = False
    mean_length: float = 0.0
    n_with_space: int = 0
    examples: tuple[str, ...] = ()

    @property
    def n_observed(self) -> int:
        """Cells that are no holes."""
        return self.n_rows - self.n_missing

    @property
    def are_numbers(self) -> bool:
        """All observed values are numbers, and none is written like a code."""
        return (
            self.n_numbers == self.n_observed > 0
            and not self.is_coded
            and not self.is_declared_text
        )

    @property
    def is_mixed(self) -> bool:
        """Nearly all values are numbers, and a few are not."""
        return (
            not self.is_coded
            and not self.is_declared_text
            and 0.9 * self.n_observed <= self.n_numbers < self.n_observed
        )
