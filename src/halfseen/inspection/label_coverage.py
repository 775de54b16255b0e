"""How much of a label is known."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.inspection.column_summary import CategoryCount


@dataclass(frozen=True)
class LabelCoverage:
    """How much of a label is known, and how its values are spread.

    Attributes
    ----------
    name : str
        Column name.
    n_rows, n_known : int
        Rows of the table; rows in which the label is known.
    classes : tuple of CategoryCount
        Known values, most frequent first, up to a cap.
    n_classes : int
        Number of distinct known values, counted up to a cap.
    n_positives : int or None
        Rows with value 1, for a label whose known values are 0 and 1 (or False and True).

    Examples
    --------
    >>> toxic = LabelCoverage("toxic", 10, 4, (), 2, 1)
    >>> toxic.share_known, toxic.share_positive
    (0.4, 0.25)
    """

    name: str
    n_rows: int
    n_known: int
    classes: tuple[CategoryCount, ...]
    n_classes: int
    n_positives: int | None

    @property
    def share_known(self) -> float:
        """Share of rows in which the label is known."""
        return self.n_known / self.n_rows if self.n_rows else 0.0

    @property
    def share_positive(self) -> float | None:
        """Share of positives among the known, None where there is no such thing."""
        if self.n_positives is None or not self.n_known:
            return None
        return self.n_positives / self.n_known
