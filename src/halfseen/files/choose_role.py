"""The rule by which a column gets its role."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from halfseen.files.column_facts import ColumnFacts
from halfseen.files.column_role import ColumnRole

_FEW: Final = 50
_MANY: Final = 1000
_SMALL_TABLE: Final = 10
_NAMES_ROWS: Final = re.compile(
    r"^_*(id|ids|uuid|guid|key|index|rowid|row|row_?(number|nr|no)|serial|serial_?(number|nr|no))_*$"
    r"|^__index_level_\d+__$"
    r"|[ _.-](id|ids|uuid|guid|key|index)$"
    r"|^(id|uuid|guid)[ _.-]",
    re.IGNORECASE,
)
_CAMEL_ID: Final = re.compile(r"[a-z](Id|ID|Uuid|UUID|Guid|GUID)$")


class ChosenRole(NamedTuple):
    """A role and the clause that says why.

    Examples
    --------
    >>> ChosenRole(ColumnRole.EMPTY, "every value is missing").role.value
    'empty'
    """

    role: ColumnRole
    reason: str


def choose_role(facts: ColumnFacts) -> ChosenRole:
    """Give a column its role.

    The first of these that holds decides:

    1. *Empty*: nothing is observed. *Text*: the values are nested or binary. *Yes/no*: the type
       is truth values, and both occur. *Constant*: one value only.
    2. *Date*: every value is a date or time (2024-05-31, 31.5.2024, 5/31/24, 31 May 2024, 12:30,
       with or without time and zone), or the type says so.
    3. Every value is a number, none of several digits begins with 0 (007 is a code), and the type
       of the file, if it has types, is not text:

       a. *Identifier*: whole numbers of which some are beyond 2**53; or that count the rows from
          0 or 1 (ten rows or more); or whose name says so ("id", "patient_id", "userId", "uuid",
          "key", "index", "row", "serial") and at least half of which differ.
       b. *Yes/no*: two different whole numbers.
       c. *Number*: all others. Decimals are numbers even when all differ.

    4. *Yes/no*: two different texts.
    5. *Identifier* or *text*, when the name says identifier and at least half of the values
       differ; when all values differ (ten or more); or when there are more than 50 different
       values and they are either more than 1,000 or more than half of all. It is text when the
       values are long (50 bytes or more on average) or most have several words, else identifier.
    6. *Category*: all others.

    Where at least nine in ten values are numbers but not all, and the name does not say
    identifier, the column is neither: it is an error that the scan reports.

    Parameters
    ----------
    facts : ColumnFacts
        What the scan found.

    Returns
    -------
    ChosenRole
        The role, and why.

    Examples
    --------
    >>> choose_role(ColumnFacts("age", n_rows=4, n_missing=0, n_numbers=4, is_integer=True,
    ...                         n_distinct=3, n_distinct_about=3)).role
    <ColumnRole.NUMBER: 'number'>
    >>> choose_role(ColumnFacts("zip", n_rows=4, n_missing=0, n_numbers=4, is_coded=True,
    ...                         n_distinct=3, n_distinct_about=3)).reason
    '3 different codes with leading zeros'
    """
    if facts.n_observed == 0:
        return ChosenRole(ColumnRole.EMPTY, "every value is missing")
    if facts.is_opaque:
        return ChosenRole(ColumnRole.TEXT, "the values are nested or binary")
    if facts.n_distinct == 1:
        shown = _shortened(facts.examples[0]) if facts.examples else ""
        return ChosenRole(ColumnRole.CONSTANT, f"every observed value is {shown!r}")
    if facts.are_truths:
        return ChosenRole(ColumnRole.YES_NO, "its type is truth values")
    if facts.are_dates:
        return ChosenRole(ColumnRole.DATE, f"{_all_values(facts)} are dates or times")
    if facts.are_numbers:
        return _number_role(facts)
    return _text_role(facts)


def says_identifier(name: str) -> bool:
    """Tell whether a column is an identifier by its name.

    Parameters
    ----------
    name : str
        Name of the column.

    Returns
    -------
    bool
        True for names such as "id", "patient_id" and "userId".

    Examples
    --------
    >>> [says_identifier(name) for name in ("ID", "patient_id", "userId", "humid", "width")]
    [True, True, True, False, False]
    """
    return bool(_NAMES_ROWS.search(name.strip()) or _CAMEL_ID.search(name.strip()))


def _number_role(facts: ColumnFacts) -> ChosenRole:
    if facts.is_huge:
        return ChosenRole(
            ColumnRole.IDENTIFIER, "whole numbers of more than 15 digits look like codes"
        )
    if facts.is_integer:
        if facts.counts_rows and facts.n_rows >= _SMALL_TABLE:
            return ChosenRole(ColumnRole.IDENTIFIER, "the values count the rows one by one")
        if _is_named_and_differs(facts):
            return ChosenRole(ColumnRole.IDENTIFIER, _differing(facts) + " and its name says so")
        if facts.n_distinct == 2:
            return ChosenRole(ColumnRole.YES_NO, "two different whole numbers")
        return ChosenRole(ColumnRole.NUMBER, f"{_all_values(facts)} are whole numbers")
    return ChosenRole(ColumnRole.NUMBER, f"{_all_values(facts)} are numbers")


def _text_role(facts: ColumnFacts) -> ChosenRole:
    if facts.n_distinct == 2:
        return ChosenRole(ColumnRole.YES_NO, "two different values")
    n_distinct = facts.n_distinct_about
    is_many = n_distinct > _FEW and (n_distinct > _MANY or 2 * n_distinct > facts.n_observed)
    differs = facts.all_differ and facts.n_observed >= _SMALL_TABLE
    if not (is_many or differs or _is_named_and_differs(facts)):
        if facts.is_coded:
            return ChosenRole(
                ColumnRole.CATEGORY, f"{_counted(facts)} different codes with leading zeros"
            )
        return ChosenRole(ColumnRole.CATEGORY, f"{_counted(facts)} different values that repeat")
    if facts.mean_length >= 50 or 2 * facts.n_with_space > facts.n_observed:
        return ChosenRole(ColumnRole.TEXT, _differing(facts) + " and are free text")
    return ChosenRole(ColumnRole.IDENTIFIER, _differing(facts) + " and look like codes or names")


def _is_named_and_differs(facts: ColumnFacts) -> bool:
    return says_identifier(facts.name) and 2 * facts.n_distinct_about >= facts.n_observed


def _differing(facts: ColumnFacts) -> str:
    if facts.all_differ:
        return f"{_all_values(facts)} differ"
    about = "" if facts.n_distinct is not None else "about "
    return f"{about}{_counted(facts)} of {facts.n_observed:,} values differ"


def _counted(facts: ColumnFacts) -> str:
    return f"{facts.n_distinct_about:,}"


def _all_values(facts: ColumnFacts) -> str:
    return f"all {facts.n_observed:,} values"


def _shortened(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"
