"""What a column of a table file is for."""

from __future__ import annotations

from enum import StrEnum


class ColumnRole(StrEnum):
    """What a column of a table file is for.

    NUMBER, YES_NO and CATEGORY are modelled; all others pass through untouched.

    Attributes
    ----------
    NUMBER : str
        Whole or decimal numbers.
    YES_NO : str
        Two values: truth values, two whole numbers or two texts.
    CATEGORY : str
        Texts that repeat.
    IDENTIFIER : str
        Names and codes of the rows.
    DATE : str
        Dates and times.
    TEXT : str
        Free text, nested or binary values.
    EMPTY : str
        Nothing but holes.
    CONSTANT : str
        One value only.

    Examples
    --------
    >>> ColumnRole("number").is_modelled, ColumnRole.DATE.is_modelled
    (True, False)
    """

    NUMBER = "number"
    YES_NO = "yes_no"
    CATEGORY = "category"
    IDENTIFIER = "identifier"
    DATE = "date"
    TEXT = "text"
    EMPTY = "empty"
    CONSTANT = "constant"

    @property
    def is_modelled(self) -> bool:
        """True for numbers, yes/no and categories."""
        return self in (ColumnRole.NUMBER, ColumnRole.YES_NO, ColumnRole.CATEGORY)
