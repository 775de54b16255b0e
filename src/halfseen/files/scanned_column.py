"""What a scan found out about one column of a text file."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.files.column_facts import ColumnFacts
from halfseen.files.number_style import NumberStyle


@dataclass(frozen=True)
class OddValue:
    """The first value of a column that is no number, and where it stands.

    Examples
    --------
    >>> OddValue("n/k", row=3, line=4).text
    'n/k'
    """

    text: str
    row: int
    line: int


@dataclass(frozen=True)
class ScannedColumn:
    """What a scan found out about one column of a text file.

    Attributes
    ----------
    facts : ColumnFacts
        What stands in it.
    style : NumberStyle
        How its numbers are written.
    is_quoted : bool
        Every observed value stands in quotes.
    odd : OddValue or None
        Its first value that is no number.

    Examples
    --------
    >>> style = NumberStyle(is_integer=True, decimals=0, decimal_comma=False)
    >>> ScannedColumn(ColumnFacts("a", 1, 0), style, is_quoted=False, odd=None).facts.name
    'a'
    """

    facts: ColumnFacts
    style: NumberStyle
    is_quoted: bool
    odd: OddValue | None
