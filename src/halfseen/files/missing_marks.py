"""Texts that mean: nothing was seen here."""

from __future__ import annotations

from typing import Final

DEFAULT_MISSING_MARKS: Final[tuple[str, ...]] = (
    "",
    "NA",
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "-nan",
    "-NaN",
    "null",
    "NULL",
    "None",
    "<NA>",
    "#N/A",
    "#NA",
    "?",
)
"""Texts that mark a hole: those of pandas, of spreadsheets and the "?" of public data sets.

A field is a hole when its text, without quotes and without the spaces around it, is one of them,
letter by letter. "-" is not among them: it is a value too often. Pass your own to `open_table`.
"""
