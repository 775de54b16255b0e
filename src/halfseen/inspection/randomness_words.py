"""The findings of the randomness test in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from halfseen.inspection.randomness_test import ColumnRandomness, LittleTest
from halfseen.inspection.value_features import Meaning

REMARK = (
    "No data can show whether a value is missing because of the value itself: only knowing how "
    "the table was collected can."
)
_TOGETHER = 0.5


class Where(NamedTuple):
    """At which values of another column holes are: what is compared, which category, more or less.

    Examples
    --------
    >>> Where("category", "night", True).category
    'night'
    """

    meaning: Meaning
    category: str | None
    is_more: bool


def untested_sentence(name: str, n_holes: int, n_seen: int, fewest: int) -> str:
    """Say why the holes of a column were not tested.

    Parameters
    ----------
    name : str
        The column.
    n_holes, n_seen : int
        Its holes and its values among the sampled rows.
    fewest : int
        How many of each a test needs.

    Returns
    -------
    str
        One sentence.

    Examples
    --------
    >>> untested_sentence("income", 3, 90, 10)
    'income was not tested: it has 3 holes, and 10 are needed.'
    """
    if min(n_holes, n_seen) >= fewest:
        return f"{name} was not tested: enough columns have holes that vary more."
    n, what = (n_holes, "hole") if n_holes < fewest else (n_seen, "value")
    plural = "" if n == 1 else "s"
    return f"{name} was not tested: it has {n} {what}{plural}, and {fewest} are needed."


def column_sentence(column: ColumnRandomness, where: Where | None) -> str:
    """Say what a test found about the holes of a column.

    Parameters
    ----------
    column : ColumnRandomness
        The column, with its figures.
    where : Where or None
        At which values of its driver the holes are.

    Returns
    -------
    str
        One sentence or two.

    Examples
    --------
    >>> income = ColumnRandomness("income", 90, 0.71, 1e-6, 1e-5, "age", 0.7, None, None, "")
    >>> column_sentence(income, Where("high", None, True))
    'income is missing more often where age is high: AUC .71, p < .001.'
    """
    figures = f"AUC {_decimals(column.auc or 0.0, 2)}, {_p(column.corrected_p or 0.0)}"
    if column.is_told and column.driver is not None and where is not None:
        said = f"{column.name} is missing {_where(column.driver, where)}: {figures}."
    else:
        said = f"The holes of {column.name} cannot be told from other columns: {figures}."
    together = column.companion_correlation or 0.0
    if abs(together) < _TOGETHER:
        return said
    if together > 0:
        return f"{said} Its holes go together with those of {column.companion}."
    return f"{said} It is mostly missing where {column.companion} is not."


def verdict(columns: Sequence[ColumnRandomness], little: LittleTest | None) -> str:
    """Say what was found about the whole table.

    Parameters
    ----------
    columns : sequence of ColumnRandomness
        The columns with holes.
    little : LittleTest or None
        The test over numeric columns.

    Returns
    -------
    str
        One sentence or two.

    Examples
    --------
    >>> verdict([], None)
    'There are no holes.'
    """
    if not columns:
        return "There are no holes."
    told = [column for column in columns if column.is_told]
    if told:
        said = (
            f"Holes are not completely at random: in {len(told)} of {len(columns)} columns with "
            "holes they depend on the values of other columns."
        )
    elif little is not None and little.corrected_p < 0.05:
        said = (
            "Holes are not completely at random: the means of numeric columns differ between "
            f"patterns of holes (Little's test, {_p(little.corrected_p)})."
        )
    elif little is None and all(column.auc is None for column in columns):
        said = "There are too few holes to tell whether they are at random."
    else:
        said = "As far as the values that are seen can tell, holes are completely at random."
    correlations = [abs(column.companion_correlation or 0.0) for column in columns]
    if max(correlations) >= _TOGETHER:
        said += " Some columns lose their values together."
    return said


def _where(driver: str, where: Where) -> str:
    if where.meaning == "high":
        return f"more often where {driver} is {'high' if where.is_more else 'low'}"
    if where.meaning == "extreme":
        place = "far from its middle" if where.is_more else "near its middle"
        return f"more often where {driver} is {place}"
    return f"{'more' if where.is_more else 'less'} often where {driver} is {where.category}"


def _p(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {_decimals(p, 3 if p < 0.1 else 2)}"


def _decimals(value: float, n: int) -> str:
    """A share without the nought before its point, as tables print it."""
    return f"{value:.{n}f}".removeprefix("0")
