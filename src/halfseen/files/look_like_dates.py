"""Dates and times in text."""

from __future__ import annotations

import re
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_DAY: Final = r"(0?[1-9]|[12]\d|3[01])"
_MONTH_NAME: Final = (
    r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june"
    r"|july|august|september|october|november|december)\.?"
)
_YEAR: Final = r"(\d{4}|\d{2})"
_TIME: Final = r"([01]?\d|2[0-4]):[0-5]\d(:[0-6]\d([.,]\d+)?)?( ?[AaPp][Mm])?"
_ZONE: Final = r"( ?(Z|UTC|GMT|[+-]\d{2}(:?\d{2})?))?"
_MONTH: Final = r"(0?[1-9]|1[0-2])"
_DATES: Final = (
    rf"\d{{4}}-{_MONTH}(-{_DAY})?",
    rf"\d{{4}}[/.]{_MONTH}[/.]{_DAY}",
    *(rf"{_DAY}{mark}{_MONTH}{mark}{_YEAR}" for mark in ("/", r"\.", "-")),
    *(rf"{_MONTH}{mark}{_DAY}{mark}{_YEAR}" for mark in ("/", "-")),
    rf"{_DAY}\.?[ -]{_MONTH_NAME},?[ -]{_YEAR}",
    rf"{_MONTH_NAME} {_DAY},? {_YEAR}",
)
_PATTERN: Final = rf"^(({'|'.join(_DATES)})([T ,]+{_TIME}{_ZONE})?|{_TIME}{_ZONE})$"
_FIRST: Final = re.compile(_PATTERN)


def look_like_dates(texts: pa.StringArray) -> bool:
    """Tell whether all texts are dates or times.

    Parameters
    ----------
    texts : pyarrow.StringArray
        The texts; null is skipped.

    Returns
    -------
    bool
        True when each is a date, a time or both, in ISO or a common form.

    Examples
    --------
    >>> look_like_dates(pa.array(["2024-05-31", "2024-05-31T12:30:00Z", "31.5.2024", None]))
    True
    >>> look_like_dates(pa.array(["2024-05-31", "20240531"]))
    False
    """
    # One look spares most columns the long pattern, which takes the other engine long to compile.
    first = next((text.as_py() for text in texts if text.is_valid), "2000-01-01")
    if not _FIRST.match(first):
        return False
    return pc.all(pc.match_substring_regex(texts, _PATTERN), min_count=0).as_py() is not False
